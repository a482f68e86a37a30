// Meshes in results files: nodes, cells and sets of /bodies/<name>.
#pragma once
#include <span>
#include <vector>

#include "saltus/mesh/mesh.h"
#include "saltus/results/hdf5.h"
#include "saltus/results/layout.h"

namespace saltus {

void write_mesh(const h5::Group& body, const Mesh& mesh);

/// True where the body has a mesh.
bool has_mesh(const h5::Group& body);
/// Throws h5::Error where tables are missing or do not fit each other.
Mesh read_mesh(const h5::Group& body);

/// How the numbers of a body that moves in its modes move its nodes: 3 rows a node, a column a
/// number of q, row by row. Empty where there is no such table. Throws h5::Error where it does not
/// fit the nodes.
std::vector<double> read_shapes(const h5::Group& body);
/// Rows of displacements (or velocities), 3 a node, by the rows of q (or velocity) in `numbers`,
/// one behind the other.
std::vector<double> by_shapes(std::span<const double> shapes, std::size_t columns,
                              std::span<const double> numbers);

}  // namespace saltus

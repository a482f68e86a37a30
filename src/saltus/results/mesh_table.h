// Meshes in results files: nodes, cells and sets of /bodies/<name>.
#pragma once
#include <span>
#include <vector>

#include "saltus/mesh/mesh.h"
#include "saltus/results/hdf5.h"
#include "saltus/results/layout.h"

namespace saltus {

void write_mesh(const h5::Group& body, const Mesh& mesh);

/// True if the body has a mesh.
bool has_mesh(const h5::Group& body);
/// Throws h5::Error if tables are missing or inconsistent.
Mesh read_mesh(const h5::Group& body);

/// Displacements of the nodes per unit of each q, for modal bodies: 3 rows per node, one column per
/// q, row by row. Empty if there is no such table. Throws h5::Error if it does not fit the nodes.
std::vector<double> read_shapes(const h5::Group& body);
/// Rows of displacements (or velocities), 3 values per node, from the rows of q (or velocity) in
/// `numbers`, stored one after the other.
std::vector<double> by_shapes(std::span<const double> shapes, std::size_t columns,
                              std::span<const double> numbers);

}  // namespace saltus

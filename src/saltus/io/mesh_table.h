// Meshes in results files: nodes, cells and sets of /bodies/<name>.
#pragma once
#include "saltus/bodies/mesh.h"
#include "saltus/io/hdf5.h"
#include "saltus/io/layout.h"

namespace saltus {

void write_mesh(const h5::Group& body, const Mesh& mesh);

/// True where the body has a mesh.
bool has_mesh(const h5::Group& body);
/// Throws h5::Error where tables are missing or do not fit each other.
Mesh read_mesh(const h5::Group& body);

}  // namespace saltus

// Values at integration points extrapolated to the nodes of elements, and nodal strain from that.
#pragma once
#include "saltus/mesh/mesh.h"

namespace saltus {

/// Matrix (nodes x points) that maps values at the points of the stiffness rule to values at the
/// nodes: the least-squares polynomial through the points, constant, linear, bilinear or trilinear
/// in xi, with as many terms as the points can determine.
Matrix nodal_fit(ElementKind kind);

/// Green's strain E = (F^T F - I)/2 of the displacements u (3 per node) at the nodes: xx, yy, zz,
/// xy, yz, zx, 6 x nodes, averaged over the elements of a node, weighted by volume. Computed from
/// nodal displacements only: for bars the axial strain, for plane elements the in-plane strain.
/// Allocates memory. Throws UsageError for wrong sizes.
void nodal_strain(const Mesh& mesh, View u, Eigen::Ref<Matrix> strain);

}  // namespace saltus

// Values at the points of integration carried to the nodes of elements, and strain that way.
#pragma once
#include "saltus/mesh/mesh.h"

namespace saltus {

/// Values at nodes from values at the points of the stiffness rule, nodes x points: the polynomial
/// of least squares through the points, constant, linear, bilinear or trilinear in xi, as many
/// terms as the points can tell apart.
Matrix nodal_fit(ElementKind kind);

/// Green's strain E = (F^T F - I)/2 of the displacements u (3 a node) at nodes: xx, yy, zz, xy, yz,
/// zx, 6 x nodes, the mean of their elements weighted by volume. By the nodes alone: of bars what
/// is along them, of plane elements what is in their plane. Takes memory. UsageError: sizes.
void nodal_strain(const Mesh& mesh, View u, Eigen::Ref<Matrix> strain);

}  // namespace saltus

// Values at integration points extrapolated to the nodes of elements, and nodal strain from that.
#pragma once
#include "saltus/mesh/mesh.h"

namespace saltus {

/// Matrix (nodes x points) that maps values at the points of the stiffness rule to values at the
/// nodes: the least-squares polynomial through the points, constant, linear, bilinear or trilinear
/// in xi, with as many terms as the points can determine.
const Matrix& nodal_fit(ElementKind kind);

/// The symmetric tensor of xx, yy, zz, xy, yz, zx.
Matrix3 symmetric_of(Eigen::Ref<const Eigen::Matrix<double, 6, 1>> s);

/// Mean at nodes of values at the points of elements, weighted by the volumes of the elements:
/// 6 numbers per node.
class NodalMean {
 public:
  /// Of some nodes, one column of `mean` each; empty: of all `count` nodes.
  NodalMean(Eigen::Index count, std::span<const int> nodes, Eigen::Ref<Matrix> mean);
  /// An element with values at its points, 6 x points, and its volume.
  void add(ElementKind kind, std::span<const int> node, const Matrix& at, double volume);
  void finish();

 private:
  std::span<const int> nodes_;
  Eigen::Ref<Matrix> mean_;
  Vector volume_;
  Matrix there_;
};

/// Green's strain E = (F^T F - I)/2 of the displacements u (3 per node) at the nodes: xx, yy, zz,
/// xy, yz, zx, 6 x nodes, averaged over the elements of a node, weighted by volume. Computed from
/// nodal displacements only: for bars the axial strain, for plane elements the in-plane strain.
/// `elements` must be sorted. Allocates memory. Throws UsageError for wrong sizes.
void nodal_strain(const Mesh& mesh, View u, Eigen::Ref<Matrix> strain);
/// The same at some nodes only, 6 x nodes. `elements`: all that contain one of them.
void nodal_strain(const Mesh& mesh, View u, std::span<const int> elements,
                  std::span<const int> nodes, Eigen::Ref<Matrix> strain);

}  // namespace saltus

// x = sum N_a (X_a + T_a q): the rows of a point are dense and constant.
#include "saltus/fem/reduced_mesh.h"

#include <fmt/format.h>

#include "saltus/base/error.h"
#include "saltus/bodies/row_table.h"

namespace saltus {

ReducedMesh::ReducedMesh(CraigBampton reduced, Mesh mesh)
    : mesh_(std::move(mesh)), basis_(std::move(reduced.basis)), linear_(std::move(reduced.system)) {
  expects(
      basis_.rows() == 3 * mesh_.nodes.cols() && basis_.cols() == linear_.positions(),
      "reduced mesh: the basis must have three rows per node and one column per degree of freedom");
}

Vector3 ReducedMesh::place(const PointRef& at, Eigen::Ref<Matrix> rows) const {
  const auto nodes = static_cast<int>(mesh_.nodes.cols());
  if (at.feature < 0 || at.feature >= nodes + mesh_.elements()) [[unlikely]]
    expects(false,
            fmt::format("reduced mesh: feature {} of a point must be a node, or nodes + element",
                        at.feature));
  if (at.feature < nodes) {
    rows = basis_.middleRows<3>(3 * at.feature);
    return mesh_.nodes.col(at.feature);
  }
  const int element = at.feature - nodes;
  const ShapeValues N = shape_values(mesh_.kind(element), at.local);
  const auto node = mesh_.element(element);
  Vector3 X = Vector3::Zero();
  rows.setZero();
  for (Eigen::Index a = 0; a < N.size(); ++a) {
    const int n = node[static_cast<std::size_t>(a)];
    X += N[a] * mesh_.nodes.col(n);
    rows += N[a] * basis_.middleRows<3>(3 * n);
  }
  return X;
}

void ReducedMesh::points(double, View q, std::span<const PointRef> at, Out x) const {
  Matrix rows(3, positions());
  for (std::size_t i = 0; i < at.size(); ++i) {
    const Vector3 X = place(at[i], rows);
    x.segment<3>(3 * static_cast<Eigen::Index>(i)) = X + rows * q;
  }
}

void ReducedMesh::point_rows(View, View, std::span<const PointRef> at, PointRows& J) const {
  const int n = positions();
  J.width = n;
  J.offset.assign(1, 0);
  J.column.assign(at.size(), 0);
  J.value.clear();
  Matrix rows(3, n);
  for (std::size_t i = 0; i < at.size(); ++i) {
    place(at[i], rows);
    for (int axis = 0; axis < 3; ++axis)
      for (int j = 0; j < n; ++j) J.value.push_back(rows(axis, j));
    J.offset.push_back(static_cast<int>(i) + 1);
  }
}

std::unique_ptr<PointTable> ReducedMesh::table(std::span<const PointRef> at,
                                               std::span<const Vector3> direction) const {
  const Vector still = Vector::Zero(positions());
  PointRows J;
  point_rows(still, still, at, J);
  Vector places(3 * static_cast<Eigen::Index>(at.size())),
      rest(static_cast<Eigen::Index>(at.size()));
  points(0.0, still, at, places);
  for (Eigen::Index i = 0; i < rest.size(); ++i)
    rest[i] = direction[static_cast<std::size_t>(i)].dot(places.segment<3>(3 * i));
  return row_table(positions(), J, direction, std::move(rest));
}

}  // namespace saltus

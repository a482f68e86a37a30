// Points of a mesh, x = sum N_a (X_a + u_a): nodes, and places in elements.
#include <fmt/format.h>

#include "saltus/base/error.h"
#include "saltus/bodies/fem_internal.h"
#include "saltus/bodies/row_table.h"

namespace saltus {
namespace {

std::size_t index(int i) { return static_cast<std::size_t>(i); }

}  // namespace

const fem::Block& Fem::Data::block_of(int number) const {
  for (const fem::Block& b : blocks)
    if (number >= b.first && number < b.first + b.elements) return b;
  expects(false, fmt::format("fem: element {} of {}", number, system.mesh.elements()));
  return blocks.front();
}

Fem::Data::Shape Fem::Data::shape(const PointRef& at) const {
  if (at.feature < 0) [[unlikely]]
    expects(false,
            fmt::format("fem: feature {} of a point (a node, or nodes + element)", at.feature));
  Shape s;
  if (at.feature < nodes) {
    s.count = 1;
    s.node[0] = at.feature;
    s.N[0] = 1.0;
    return s;
  }
  const fem::Block& b = block_of(at.feature - nodes);
  const ShapeValues N = shape_values(b.kind, at.local);
  s.count = b.n;
  for (int a = 0; a < b.n; ++a) {
    s.node[index(a)] = b.node[index((at.feature - nodes - b.first) * b.n + a)];
    s.N[index(a)] = N[a];
  }
  return s;
}

PointRef Fem::node_point(int node) const {
  expects(node >= 0 && node < data_->nodes, fmt::format("fem: node {} of {}", node, data_->nodes));
  return {0, node, Vector3::Zero()};
}

PointRef Fem::element_point(int element, const Vector3& xi) const {
  data_->block_of(element);
  return {0, data_->nodes + element, xi};
}

void Fem::points(double t, View q, std::span<const PointRef> at, Out x) const {
  const Data& d = *data_;
  d.held(t, d.x, &Signal::value);
  for (std::size_t i = 0; i < at.size(); ++i) {
    const Data::Shape s = d.shape(at[i]);
    Vector3 sum = Vector3::Zero();
    for (int k = 0; k < s.count; ++k) {
      const int a = s.node[index(k)];
      Vector3 place = d.system.mesh.nodes.col(a);
      for (int axis = 0; axis < 3; ++axis) {
        const int j = d.index_of[index(3 * a + axis)];
        if (j != Data::kNone) place[axis] += j >= 0 ? q[j] : d.x[3 * a + axis];
      }
      sum += s.N[index(k)] * place;
    }
    x.segment<3>(3 * static_cast<Eigen::Index>(i)) = sum;
  }
}

// N_a I a node, or one column a free axis where some are prescribed
void Fem::point_rows(View, View, std::span<const PointRef> at, PointRows& J) const {
  const Data& d = *data_;
  const bool whole = d.free() == d.dofs();
  J.width = whole ? 3 : 1;
  J.offset.assign(1, 0);
  J.column.clear();
  J.value.clear();
  for (const PointRef& point : at) {
    const Data::Shape s = d.shape(point);
    for (int k = 0; k < s.count; ++k) {
      const int a = s.node[index(k)];
      const double N = s.N[index(k)];
      if (N == 0.0) continue;
      if (whole) {
        J.column.push_back(3 * a);
        J.value.insert(J.value.end(), {N, 0.0, 0.0, 0.0, N, 0.0, 0.0, 0.0, N});
        continue;
      }
      for (int axis = 0; axis < 3; ++axis)
        if (const int j = d.index_of[index(3 * a + axis)]; j >= 0) {
          J.column.push_back(j);
          for (int row = 0; row < 3; ++row) J.value.push_back(row == axis ? N : 0.0);
        }
    }
    J.offset.push_back(static_cast<int>(J.column.size()));
  }
}

void Fem::point_drift(double t, View, std::span<const PointRef> at, Out drift) const {
  const Data& d = *data_;
  drift.setZero();
  if (!d.moving) return;
  d.held(t, d.x, &Signal::rate);
  for (std::size_t i = 0; i < at.size(); ++i) {
    const Data::Shape s = d.shape(at[i]);
    for (int k = 0; k < s.count; ++k)
      for (int axis = 0; axis < 3; ++axis)
        if (const int dof = 3 * s.node[index(k)] + axis; d.index_of[index(dof)] == Data::kHeld)
          drift[3 * static_cast<Eigen::Index>(i) + axis] += s.N[index(k)] * d.x[dof];
  }
}

std::unique_ptr<PointTable> Fem::table(std::span<const PointRef> at,
                                       std::span<const Vector3> direction) const {
  const Data& d = *data_;
  if (d.moving) {
    d.x.setZero();
    for (const Prescribed& p : d.system.prescribed) d.x[p.dof] = p.signal.is_constant() ? 0.0 : 1.0;
    for (std::size_t i = 0; i < at.size(); ++i) {
      const Data::Shape s = d.shape(at[i]);
      for (int k = 0; k < s.count; ++k)
        for (int axis = 0; axis < 3; ++axis)
          if (d.x[3 * s.node[index(k)] + axis] * s.N[index(k)] * direction[i][axis] != 0.0)
            return nullptr;
    }
  }
  const Vector reference = Vector::Zero(d.free());
  Vector places(3 * static_cast<Eigen::Index>(at.size())),
      rest(static_cast<Eigen::Index>(at.size()));
  points(0.0, reference, at, places);
  for (std::size_t i = 0; i < at.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    rest[row] = direction[i].dot(places.segment<3>(3 * row));
  }
  PointRows J;
  point_rows(reference, reference, at, J);
  return row_table(d.free(), J, direction, std::move(rest));
}

}  // namespace saltus

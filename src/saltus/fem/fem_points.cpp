// Points of a mesh, x = sum N_a (X_a + u_a): nodes, and points in elements.
#include <fmt/format.h>

#include "saltus/base/error.h"
#include "saltus/base/index_internal.h"
#include "saltus/fem/fem_internal.h"

namespace saltus {
const fem::Block& Fem::Elements::block_of(int number) const {
  for (const fem::Block& b : blocks)
    if (number >= b.first && number < b.first + b.elements) return b;
  expects(false, fmt::format("fem: there is no element {} (there are {} elements)", number,
                             system.mesh.elements()));
  return blocks.front();
}

void Fem::Elements::shape(const PointRef& at, Shape& s) const {
  if (at.feature < 0) [[unlikely]]
    expects(false, fmt::format("fem: feature {} of a point must be a node, or nodes + element",
                               at.feature));
  if (at.feature < nodes) {
    s.count = 1;
    s.node[0] = at.feature;
    s.N[0] = 1.0;
    return;
  }
  const fem::Block& b = block_of(at.feature - nodes);
  const ShapeValues N = shape_values(b.kind, at.local);
  s.count = b.n;
  for (int a = 0; a < b.n; ++a) {
    s.node[index(a)] = b.node[index((at.feature - nodes - b.first) * b.n + a)];
    s.N[index(a)] = N[a];
  }
}

PointRef Fem::node_point(int node) const {
  expects(node >= 0 && node < elements_->nodes,
          fmt::format("fem: there is no node {} (there are {} nodes)", node, elements_->nodes));
  return {0, node, Vector3::Zero()};
}

PointRef Fem::element_point(int element, const Vector3& xi) const {
  elements_->block_of(element);
  return {0, elements_->nodes + element, xi};
}

}  // namespace saltus

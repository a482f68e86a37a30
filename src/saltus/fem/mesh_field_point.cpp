#include "saltus/fem/mesh_field_point.h"

#include <algorithm>

#include "saltus/fem/nodal_fit.h"

namespace saltus {

MeshFieldPoint::MeshFieldPoint(std::shared_ptr<const Fem> fem, const PointRef& at)
    : fem_(std::move(fem)), pool_([] { return std::make_unique<Work>(); }) {
  const Mesh& mesh = fem_->mesh();
  const int inside = at.feature - static_cast<int>(mesh.nodes.cols());
  if (inside < 0) {
    nodes_ = {at.feature};
    weight_ = Vector::Ones(1);
  }
  int number = 0;
  for (const ElementBlock& block : mesh.blocks)
    for (int e = 0; e < block.elements(); ++e, ++number)
      if (number == inside) {
        const auto node = block.element(e);
        nodes_.assign(node.begin(), node.end());
        weight_ = shape_values(block.kind, at.local).head(std::ssize(nodes_));
      }
  number = 0;
  for (const ElementBlock& block : mesh.blocks)
    for (int e = 0; e < block.elements(); ++e, ++number)
      if (std::ranges::any_of(block.element(e),
                              [&](int a) { return std::ranges::find(nodes_, a) != nodes_.end(); }))
        elements_.push_back(number);
}

Matrix3 MeshFieldPoint::interpolated(const Matrix& mean) const {
  const Eigen::Matrix<double, 6, 1> s = mean * weight_;
  return symmetric_of(s);
}

Matrix3 MeshFieldPoint::stress(double t, Work& work) const {
  work.q.resize(fem_->positions());
  for (int dof = 0; dof < static_cast<int>(work.all.size()); ++dof)
    if (const int i = fem_->free_index(dof); i >= 0) work.q[i] = work.all[dof];
  work.mean.resize(6, std::ssize(nodes_));
  fem_->nodal_stress(t, work.q, elements_, nodes_, work.mean);
  return interpolated(work.mean);
}

Matrix3 MeshFieldPoint::strain(Work& work) const {
  work.mean.resize(6, std::ssize(nodes_));
  nodal_strain(fem_->mesh(), work.all, elements_, nodes_, work.mean);
  return interpolated(work.mean);
}

}  // namespace saltus

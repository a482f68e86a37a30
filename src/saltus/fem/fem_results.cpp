// Stresses and resultants.
#include <numeric>

#include "saltus/base/error.h"
#include "saltus/base/index_internal.h"
#include "saltus/fem/fem_internal.h"
#include "saltus/fem/nodal_fit.h"

namespace saltus {
int Fem::stress_points(int element) const { return elements_->block_of(element).points; }

Vector3 Fem::stress_place(int element, int point) const {
  const fem::Block& b = elements_->block_of(element);
  expects(point >= 0 && point < b.points, "fem: the element has no such integration point");
  const ShapeValues N = shape_values(b.kind, stiffness_rule(b.kind)[index(point)].xi);
  Vector3 X = Vector3::Zero();
  for (int a = 0; a < b.n; ++a)
    X += N[a] * elements_->system.mesh.nodes.col(b.node[index((element - b.first) * b.n + a)]);
  return X;
}

Matrix3 Fem::stress(double t, View q, int element, int point) const {
  const Elements& d = *elements_;
  const fem::Block& b = d.block_of(element);
  expects(point >= 0 && point < b.points, "fem: the element has no such integration point");
  const auto w = d.evaluations.borrow();
  d.put(t, q, *w);
  const int e = element - b.first, p = e * b.points + point;
  const Matrix3 s =
      fem::cauchy(b.law, fem::displacement_gradient(b, e, p, d.strained(*w).data()), b.axis_of(p));
  if (!d.turns()) return s;
  const Matrix3& R = Fem::Elements::evaluation(*w).turn.R;
  return R * s * R.transpose();
}

void Fem::nodal_stress(double t, View q, Eigen::Ref<Matrix> out) const {
  std::vector<int> all(static_cast<std::size_t>(mesh().elements()));
  std::iota(all.begin(), all.end(), 0);
  nodal_stress(t, q, all, {}, out);
}

void Fem::nodal_stress(double t, View q, std::span<const int> elements, std::span<const int> nodes,
                       Eigen::Ref<Matrix> out) const {
  const Elements& d = *elements_;
  const auto w = d.evaluations.borrow();
  d.put(t, q, *w);
  const Matrix3& R = Elements::evaluation(*w).turn.R;
  NodalMean mean(d.nodes, nodes, out);
  Matrix at(6, 0);
  for (const int element : elements) {
    const fem::Block& b = d.block_of(element);
    const int e = element - b.first;
    at.resize(6, b.points);
    double size = 0.0;
    for (int g = 0; g < b.points; ++g) {
      const int p = e * b.points + g;
      Matrix3 s = fem::cauchy(b.law, fem::displacement_gradient(b, e, p, d.strained(*w).data()),
                              b.axis_of(p));
      if (d.turns()) s = R * s * R.transpose();
      at.col(g) << s(0, 0), s(1, 1), s(2, 2), s(0, 1), s(1, 2), s(2, 0);
      size += b.weight[index(p)];
    }
    mean.add(b.kind, std::span(b.node).subspan(index(e * b.n), index(b.n)), at, size);
  }
  mean.finish();
}

Resultant Fem::resultant(double t, View q, std::span<const int> elements,
                         std::span<const int> nodes, const Vector3& about) const {
  const Elements& d = *elements_;
  const auto w = d.evaluations.borrow();
  d.put(t, q, *w);
  w->f.setZero();
  for (int element : elements) {
    const fem::Block& b = d.block_of(element);
    const int e = element - b.first;
    fem::add_elastic(b, e, e + 1, -1.0, d.strained(*w).data(), w->f.data());
  }
  if (d.turns()) {
    w->x.setZero();
    Elements::evaluation(*w).turn.add_out(1.0, w->f, w->x);
    w->f = w->x;
  }
  Resultant sum;
  for (int a : nodes) {
    expects(a >= 0 && a < d.nodes, "fem: resultant: a node is not in the mesh");
    const Vector3 x = d.system.mesh.nodes.col(a) + w->u.segment<3>(3 * a),
                  f = w->f.segment<3>(3 * a);
    sum.force += f;
    sum.moment += (x - about).cross(f);
  }
  return sum;
}

Resultant Fem::momentum(double t, View q, View v) const {
  const Elements& d = *elements_;
  const auto w = d.evaluations.borrow();
  d.put(t, q, v, *w);
  w->f.setZero();
  d.mass_product(1.0, w->v, w->f);
  Resultant sum;
  for (int a = 0; a < d.nodes; ++a) {
    const Vector3 x = d.system.mesh.nodes.col(a) + w->u.segment<3>(3 * a),
                  p = w->f.segment<3>(3 * a);
    sum.force += p;
    sum.moment += x.cross(p);
  }
  return sum;
}

MomentsKept Fem::moments_kept() const { return elements_->moments_kept; }

double Fem::total_mass() const { return elements_->nodal.sum(); }

double Fem::least_volume_ratio(double t, View q) const {
  const Elements& d = *elements_;
  const auto w = d.evaluations.borrow();
  d.put(t, q, *w);
  double least = std::numeric_limits<double>::infinity();
  for (const fem::Block& b : d.blocks)
    for (int p = 0; p < b.elements * b.points; ++p) {
      const double J =
          b.axis.empty() ? fem::deformation(b, p / b.points, p, w->u.data()).determinant() : 1.0;
      if (!(J >= least)) least = J;  // NaN persists
    }
  return least;
}

}  // namespace saltus

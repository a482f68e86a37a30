#include "saltus/fem/fem.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "saltus/base/error.h"
#include "saltus/base/index_internal.h"
#include "saltus/fem/fem_internal.h"

namespace saltus {
std::unique_ptr<NodalBody::Nodes::Evaluation> Fem::Elements::make_evaluation() const {
  auto evaluation = std::make_unique<ElementEvaluation>();
  prepare(*evaluation);
  evaluation->turn = unturned;
  if (turns()) evaluation->turned = evaluation->product = evaluation->u;
  return evaluation;
}

void Fem::Elements::placed(Evaluation& work) const {
  if (turns()) evaluation(work).turn.place(work.u);
}

void Fem::Elements::mass_product(double scale, const Vector& in, Vector& out) const {
  if (lumped) return Nodes::mass_product(scale, in, out);
  for (int a = 0; a < nodes; ++a) {
    Vector3 sum = Vector3::Zero();
    for (int k = mass.offset()[index(a)]; k < mass.offset()[index(a) + 1]; ++k)
      sum += mass.value()[index(k)] * in.segment<3>(3 * mass.column()[index(k)]);
    out.segment<3>(3 * a) += scale * sum;
  }
}

// body_corotational: - R Q^T K0 d, the gradient of d . K0 d / 2.
void Fem::Elements::elastic_force(Evaluation& at, Vector& out) const {
  ElementEvaluation& here = evaluation(at);
  ThreadPool& thread_pool = here.thread_pool;
  const ThreadPool::Shift shift(thread_pool, index(nodes));
  if (turns()) {
    here.product.setZero();
    stiffness.multiply_add(thread_pool, 1.0, here.turn.d.data(), here.product.data());
    here.turn.strip_transposed(here.product);
    here.turn.add_out(-1.0, here.product, out);
  } else if (!stiffness.empty()) {
    stiffness.multiply_add(thread_pool, -1.0, at.u.data(), out.data());
  } else {
    for (const fem::Block& b : blocks)
      fem::add_elastic(b, thread_pool, -1.0, at.u.data(), out.data());
  }
}

// body_corotational: K = R K0 R^T, and C_K = r_K K, or r_K R Q^T K0 Q R^T with strain-rate damping.
void Fem::Elements::stiffness_product(Evaluation& at, double scale, double k, double c,
                                      const Vector& in, Vector& out) const {
  ElementEvaluation& here = evaluation(at);
  ThreadPool& thread_pool = here.thread_pool;
  const fem::BodyRotation& turn = here.turn;
  const ThreadPool::Shift shift(thread_pool, index(nodes));
  const double r = rayleigh().stiffness;
  if (turns()) {
    const bool stripped = system.viscosity == Viscosity::strain_rate;
    for (const bool part : {false, true}) {
      const double factor = part ? (stripped ? c * r : 0.0) : k + (stripped ? 0.0 : c * r);
      if (factor == 0.0) continue;
      turn.into(in, here.turned);
      if (part) turn.strip(here.turned);
      here.product.setZero();
      stiffness.multiply_add(thread_pool, factor, here.turned.data(), here.product.data());
      if (part) turn.strip_transposed(here.product);
      turn.add_out(scale, here.product, out);
    }
  } else if (!stiffness.empty()) {
    if (k + c * r != 0.0)
      stiffness.multiply_add(thread_pool, scale * (k + c * r), in.data(), out.data());
  } else {
    for (const fem::Block& b : blocks)
      fem::add_product(b, thread_pool, scale * (k + c * b.tangent_rate), scale * c, at.u.data(),
                       in.data(), out.data());
  }
}

void Fem::Elements::damping_force(Evaluation& at, const Vector& rate, Vector& out) const {
  if (!damped()) return;
  if (rayleigh().mass > 0.0) mass_product(-rayleigh().mass, rate, out);
  if (rayleigh().stiffness > 0.0) stiffness_product(at, -1.0, 0.0, 1.0, rate, out);
}

double Fem::Elements::potential(Evaluation& at) const {
  ElementEvaluation& here = evaluation(at);
  const ThreadPool::Shift shift(here.thread_pool, index(nodes));
  double strain = 0.0, weight = 0.0;
  for (const fem::Block& b : blocks)
    strain += fem::stored_energy(b, here.thread_pool, strained(at).data(), here.chunk_energy);
  if (gravity >= 0)
    for (int i : dofs.dofs()) weight -= nodal[i / 3] * system.gravity[i % 3] * at.u[i];
  return strain + weight;
}

Fem::Fem(FemSystem system)
    : NodalBody(std::make_unique<Elements>(std::move(system))),
      elements_(static_cast<Elements*>(nodes_.get())) {}
Fem::~Fem() = default;

const Mesh& Fem::mesh() const { return elements_->system.mesh; }

Rayleigh Fem::rayleigh() const {
  Rayleigh r = elements_->rayleigh();
  if (elements_->system.viscosity == Viscosity::strain_rate && !elements_->affine)
    r.stiffness = 0.0;
  return r;
}

unsigned Fem::traits() const {
  unsigned traits = Trait::tangents | Trait::second_order | Trait::constant_mass |
                    Trait::symmetric | Trait::potential | Trait::fixed_points;
  if (elements_->affine) traits = traits | Trait::affine;
  if (elements_->damping < 0) traits = traits | Trait::separable;
  if (elements_->dofs.moving()) traits = traits | Trait::driven;
  return traits;
}

void Fem::multiply(Combination s, double t, View q, View, View x, Out y) const {
  const Elements& d = *elements_;
  const double m = s.m + s.c * d.rayleigh().mass;
  const bool stiff = s.k != 0.0 || (s.c != 0.0 && d.rayleigh().stiffness > 0.0);
  if (!stiff && d.lumped) {
    y.array() = m * d.mass_free.array() * x.array();
    return;
  }
  const auto w = d.evaluations.borrow();
  d.spread(x, w->x);
  w->y.setZero();
  d.mass_product(m, w->x, w->y);
  if (stiff) {
    if (!d.affine) d.put(t, q, *w);
    d.stiffness_product(*w, 1.0, s.k, s.c, w->x, w->y);
  }
  d.dofs.gather(w->y, y);
}

void Fem::factorise(Combination s, double t, View q, View, Factor& A) const {
  const Elements& d = *elements_;
  const auto w = d.evaluations.borrow();
  if (!d.affine) d.put(t, q, *w);
  d.factorise(s, Elements::evaluation(*w), A);
}

void Fem::prescribed_columns(Combination s, double t, View q, View,
                             Eigen::Ref<Matrix> columns) const {
  const Elements& d = *elements_;
  const auto w = d.evaluations.borrow();
  columns.setZero();
  d.put(t, q, *w);
  std::vector<double>& element = Elements::evaluation(*w).element;
  element.resize(index(9 * d.largest * d.largest));
  const auto add = [&](int row, int column, double value) {
    const int j = d.dofs.held(column);
    if (j < 0) return;
    if (const int i = d.dofs[row]; i >= 0)
      columns(i, j) += value;
    else if (const int held = d.dofs.held(row); held >= 0)
      columns(d.dofs.free() + held, j) += value;
  };
  const double m = s.m + s.c * d.rayleigh().mass;
  for (int a = 0; a < d.nodes; ++a)
    for (int axis = 0; axis < 3; ++axis) {
      if (d.lumped) {
        add(3 * a + axis, 3 * a + axis, m * d.nodal[a]);
        continue;
      }
      for (int k = d.mass.offset()[index(a)]; k < d.mass.offset()[index(a) + 1]; ++k)
        add(3 * a + axis, 3 * d.mass.column()[index(k)] + axis, m * d.mass.value()[index(k)]);
    }
  for (const fem::Block& b : d.blocks)
    for (int e = 0; e < b.elements; ++e) {
      const int* node = b.node.data() + index(e) * index(b.n);
      const int rows = 3 * b.n;
      const auto is_held = [&](int i) { return d.dofs.held(3 * node[i / 3] + i % 3) >= 0; };
      bool any = false;
      for (int j = 0; j < rows; ++j) any = any || is_held(j);
      if (!any) continue;
      fem::element_matrix(b, e, s.k + s.c * b.tangent_rate, s.c, w->u.data(), element.data());
      for (int j = 0; j < rows; ++j)
        for (int i = 0; i < rows; ++i)
          add(3 * node[i / 3] + i % 3, 3 * node[j / 3] + j % 3, element[index(j * rows + i)]);
    }
}

}  // namespace saltus

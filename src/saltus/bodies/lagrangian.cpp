#include "saltus/bodies/lagrangian.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "saltus/base/error.h"
#include "saltus/bodies/free_dofs.h"
#include "saltus/bodies/lagrangian_internal.h"
#include "saltus/math/dense.h"

namespace saltus {

void LagrangianModel::tangents(double, View, View, Matrix&, Matrix&) const {
  expects(false, "this model provides no tangents; use Tangents::differences");
}
void LagrangianModel::potential_tangent(View, Matrix&) const {
  expects(false, "this model provides no tangent of its potential; use Tangents::differences");
}
std::string LagrangianModel::point_name(int i) const { return "point_" + std::to_string(i); }
Vector3 LagrangianModel::point(int, View) const {
  expects(false, "this model has no points");
  return Vector3::Zero();
}
void LagrangianModel::point_jacobian(int, View, Matrix&) const {
  expects(false, "this model has no points");
}

Lagrangian::Lagrangian(std::shared_ptr<const LagrangianModel> model, LagrangianOptions options)
    : definition_(std::make_unique<Definition>(std::move(model), std::move(options))) {}
Lagrangian::~Lagrangian() = default;

int Lagrangian::positions() const { return definition_->free(); }
const LagrangianModel& Lagrangian::model() const { return *definition_->model; }
Rayleigh Lagrangian::rayleigh() const { return definition_->rayleigh(); }
int Lagrangian::prescribed() const {
  return static_cast<int>(definition_->options.prescribed.size());
}
std::span<const Source> Lagrangian::sources() const { return definition_->sources; }

unsigned Lagrangian::traits() const {
  unsigned traits = Trait::tangents | Trait::second_order | Trait::potential;
  if (definition_->constant_mass) traits = traits | Trait::constant_mass;
  if (definition_->moving) traits = traits | Trait::driven;
  if (definition_->model->symmetric()) traits = traits | Trait::symmetric;
  return traits;
}

int Lagrangian::free_index(int dof) const {
  expects(dof >= 0 && dof < definition_->n, "no such coordinate of the model");
  return definition_->index[static_cast<std::size_t>(dof)];
}

void Lagrangian::full(double t, View q, Out all) const {
  const auto w = definition_->evaluations.borrow();
  w->place(t, q);
  all = w->q;
}

void Lagrangian::force(double t, View q, View v, Out f) const {
  const Definition& d = *definition_;
  const auto w = d.evaluations.borrow();
  w->place(t, q, v);
  w->all_forces(t, w->f);
  if (d.moving) {
    w->need_mass();
    for (const Prescribed& p : d.options.prescribed) w->f -= p.signal.second(t) * w->M.col(p.dof);
  }
  d.gather(w->f, f);
}

void Lagrangian::potential_force(double t, View q, Out f) const {
  const Definition& d = *definition_;
  const auto w = d.evaluations.borrow();
  w->place(t, q);
  d.model->potential_force(w->q, w->f);
  d.gather(w->f, f);
}

void Lagrangian::multiply(Combination s, double t, View q, View v, View x, Out y) const {
  const Definition& d = *definition_;
  const auto w = d.evaluations.borrow();
  w->place(t, q, v);
  y.setZero();
  if (s.m != 0.0) {
    w->need_mass();
    y.noalias() += s.m * (w->mass() * x);
  }
  if (s.c == 0.0 && s.k == 0.0) return;
  w->need_tangents(t);
  if (s.c != 0.0) y.noalias() += s.c * (w->damping_matrix() * x);
  if (s.k != 0.0) y.noalias() += s.k * (w->stiffness() * x);
}

void Lagrangian::factorise(Combination s, double t, View q, View v, Factor& A) const {
  factorise_exact(s, 0.0, v, t, q, v, A);
}

void Lagrangian::factorise_exact(Combination s, double weight, View x, double t, View q, View v,
                                 Factor& A) const {
  const Definition& d = *definition_;
  const auto w = d.evaluations.borrow();
  w->place(t, q, v);
  w->need_mass();
  w->A = s.m * w->mass();
  if (s.c != 0.0 || s.k != 0.0) {
    w->need_tangents(t);
    w->A += s.c * w->damping_matrix() + s.k * w->stiffness();
  }
  if (weight != 0.0 && !d.constant_mass) w->add_mass_tangent(weight, x);
  if (d.free() == 1 || (d.constant_mass && s.c == 0.0 && s.k == 0.0 && w->A.isDiagonal(0.0))) {
    if (!std::holds_alternative<Diagonal>(A.form)) A.form = Diagonal{};
    std::get<Diagonal>(A.form).inverse = w->A.diagonal().cwiseInverse();
    return;
  }
  auto* held = std::get_if<std::unique_ptr<Operator>>(&A.form);
  auto* dense = held ? dynamic_cast<DenseOperator*>(held->get()) : nullptr;
  if (!dense) {
    auto made = std::make_unique<DenseOperator>();
    dense = made.get();
    A.form = std::move(made);
  }
  dense->factorise(w->A);
}

// R = M a + ... - F on the prescribed rows
void Lagrangian::reactions(double t, View q, View v, View a, Out forces) const {
  const Definition& d = *definition_;
  const auto w = d.evaluations.borrow();
  w->place(t, q, v);
  w->all_forces(t, w->f);
  w->need_mass();
  d.scatter(a, w->x);
  for (const Prescribed& p : d.options.prescribed) w->x[p.dof] = p.signal.second(t);
  for (int i = 0; i < prescribed(); ++i) {
    const int dof = d.options.prescribed[static_cast<std::size_t>(i)].dof;
    forces[i] = w->M.row(dof).dot(w->x) - w->f[dof];
  }
}

void Lagrangian::point_reactions(double t, View q, std::span<const PointRef> at, View f,
                                 Out forces) const {
  const Definition& d = *definition_;
  const auto w = d.evaluations.borrow();
  w->place(t, q);
  for (std::size_t i = 0; i < at.size(); ++i) {
    d.point_jacobian(at[i], w->q, w->J);
    for (int j = 0; j < prescribed(); ++j)
      forces[j] -= w->J.col(d.options.prescribed[static_cast<std::size_t>(j)].dof)
                       .dot(f.segment<3>(3 * static_cast<Eigen::Index>(i)));
  }
}

void Lagrangian::prescribed_columns(Combination s, double t, View q, View v,
                                    Eigen::Ref<Matrix> columns) const {
  const Definition& d = *definition_;
  const auto w = d.evaluations.borrow();
  w->place(t, q, v);
  w->need_mass();
  w->need_tangents(t);
  const auto entry = [&](int i, int j) {
    return s.m * w->M(i, j) + s.c * w->C(i, j) + s.k * w->K(i, j);
  };
  for (int j = 0; j < prescribed(); ++j) {
    const int dof = d.options.prescribed[static_cast<std::size_t>(j)].dof;
    for (int i = 0; i < positions(); ++i)
      columns(i, j) = entry(d.free_dofs[static_cast<std::size_t>(i)], dof);
    for (int i = 0; i < prescribed(); ++i)
      columns(positions() + i, j) =
          entry(d.options.prescribed[static_cast<std::size_t>(i)].dof, dof);
  }
}

void Lagrangian::points(double t, View q, std::span<const PointRef> at, Out x) const {
  const Definition& d = *definition_;
  const auto w = d.evaluations.borrow();
  w->place(t, q);
  for (std::size_t i = 0; i < at.size(); ++i) {
    x.segment<3>(3 * static_cast<Eigen::Index>(i)) = d.point(at[i], w->q);
  }
}

void Lagrangian::point_rows(View q, View, std::span<const PointRef> at, PointRows& J) const {
  const Definition& d = *definition_;
  const auto w = d.evaluations.borrow();
  expects(!d.rows_move ||
              std::ranges::all_of(at, [&](const PointRef& ref) { return d.coordinate_point(ref); }),
          "contact at these points is not supported: their rows depend on a coordinate with "
          "prescribed motion");
  w->place(0.0, q);
  const auto columns = static_cast<std::size_t>(d.free());
  J.width = d.free();
  J.offset.assign(1, 0);
  J.column.assign(at.size(), 0);
  J.value.resize(3 * columns * at.size());
  auto value = J.value.begin();
  for (std::size_t i = 0; i < at.size(); ++i) {
    d.point_jacobian(at[i], w->q, w->J);
    for (int axis = 0; axis < 3; ++axis)
      for (int dof : d.free_dofs) *value++ = w->J(axis, dof);
    J.offset.push_back(static_cast<int>(i) + 1);
  }
}

void Lagrangian::breaks(Breaks& out) const {
  breaks_of_motion(definition_->options.prescribed, out);
  breaks_of_loads(definition_->options.loads, out);
}

void Lagrangian::point_drift(double t, View q, std::span<const PointRef> at, Out drift) const {
  const Definition& d = *definition_;
  const auto w = d.evaluations.borrow();
  drift.setZero();
  if (!d.moving) return;
  w->place(t, q);
  for (std::size_t i = 0; i < at.size(); ++i) {
    d.point_jacobian(at[i], w->q, w->J);
    for (const Prescribed& p : d.options.prescribed)
      drift.segment<3>(3 * static_cast<Eigen::Index>(i)) += p.signal.rate(t) * w->J.col(p.dof);
  }
}

Energy Lagrangian::energy(double t, View q, View v) const {
  const Definition& d = *definition_;
  const auto w = d.evaluations.borrow();
  w->place(t, q);
  w->need_mass();
  double kinetic = 0.0;
  for (int j = 0; j < d.free(); ++j) kinetic += 0.5 * v[j] * w->mass().col(j).dot(v);
  return {kinetic, d.model->potential(w->q)};
}

// Each source is evaluated with the prescribed coordinates fixed at `held`. The effect of their
// motion is the source "prescribed": the power of the additional forces along w and, without
// `held`, dV/du . u'.
void Lagrangian::power(double t, std::optional<double> held, View q, View v, View w,
                       std::span<double> by_source) const {
  const Definition& d = *definition_;
  const auto at = d.evaluations.borrow();
  const auto account = [&](int s) -> double& { return by_source[static_cast<std::size_t>(s)]; };
  for (double& power : by_source) power = 0.0;

  at->place(held.value_or(t), q);
  d.model->potential_force(at->q, at->f);
  by_source[0] = d.dot(at->f, w);
  double moved = 0.0;
  at->place(t, q, v);
  if (d.moving) {
    d.model->potential_force(at->q, at->f);
    moved += d.dot(at->f, w) - by_source[0];
    if (!held)
      for (const Prescribed& p : d.options.prescribed) moved -= at->f[p.dof] * at->v[p.dof];
    at->need_mass();
    for (const Prescribed& p : d.options.prescribed)
      moved -= p.signal.second(t) * d.dot(at->M.col(p.dof), w);
  }
  d.model->applied(t, at->q, at->v, at->f);
  account(d.applied) = d.dot(at->f, w);
  for (const Load& l : d.options.loads) {
    const double value = l.signal.value(t);
    for (const auto& [dof, weight] : l.pattern)
      if (const int i = d.index[static_cast<std::size_t>(dof)]; i >= 0)
        account(d.load) += weight * value * w[i];
  }
  // inertial and Rayleigh forces: with u', then without
  for (const bool all : {true, false}) {
    if (all && !d.moving) continue;
    if (!all)
      for (const Prescribed& p : d.options.prescribed) at->v[p.dof] = 0.0;
    if (!d.constant_mass) {
      d.model->inertial(at->q, at->v, at->f);
      const double power = -d.dot(at->f, w);
      moved += all ? power : d.moving ? -power : 0.0;
      if (!all) account(d.inertial) = power;
    }
    if (d.has_rayleigh()) {
      at->rayleigh_force(at->v, at->y);
      const double power = -d.dot(at->y, w);
      moved += all ? power : d.moving ? -power : 0.0;
      if (!all) account(d.damping) = power;
    }
  }
  if (d.moving) account(d.prescribed) = moved;
}

}  // namespace saltus

#include "saltus/bodies/nodal_body.h"

#include <cmath>

#include "saltus/base/error.h"
#include "saltus/base/index_internal.h"
#include "saltus/bodies/nodal_body_internal.h"
#include "saltus/bodies/row_table.h"

namespace saltus {
void NodalBody::Nodes::number(int axes, std::span<const Prescribed> held, DofWords words) {
  dofs = FreeDofs(3 * nodes, held, loads, std::move(words), axes);
}

std::unique_ptr<NodalBody::Nodes::Evaluation> NodalBody::Nodes::make_evaluation() const {
  auto work = std::make_unique<Evaluation>();
  prepare(*work);
  return work;
}

void NodalBody::Nodes::prepare(Evaluation& work) const {
  for (Vector* vector : {&work.u, &work.v, &work.x, &work.f, &work.y}) vector->setZero(3 * nodes);
}

void NodalBody::Nodes::set_mass() {
  mass_free.resize(dofs.free());
  for (int i = 0; i < dofs.free(); ++i) mass_free[i] = nodal[dofs.dofs()[index(i)] / 3];
}

void NodalBody::Nodes::name_accounts(bool elastic_there, bool damping_there) {
  elastic = add_account(sources, elastic_there, "elastic", true);
  gravity = add_account(sources, !gravity_vector.isZero(0.0), "gravity", true);
  damping = add_account(sources, damping_there, "damping", false);
  load = add_account(sources, !loads.empty(), "load", false);
  prescribed = add_account(sources, dofs.prescribed() > 0, "prescribed", false);
}

void NodalBody::Nodes::put(double t, View q, Evaluation& to) const {
  dofs.put(t, q, to.u);
  placed(to);
}

void NodalBody::Nodes::put(double t, View q, View rates, Evaluation& to) const {
  put(t, q, to);
  dofs.put_rates(t, rates, to.v);
}

void NodalBody::Nodes::spread(View part, Vector& all) const {
  all.setZero();
  dofs.scatter(part, all);
}

void NodalBody::Nodes::mass_product(double scale, const Vector& in, Vector& out) const {
  for (int i = 0; i < 3 * nodes; ++i) out[i] += scale * nodal[i / 3] * in[i];
}

void NodalBody::Nodes::gravity_force(Vector& out) const {
  if (gravity < 0) return;
  for (int a = 0; a < nodes; ++a) out.segment<3>(3 * a) += nodal[a] * gravity_vector;
}

void NodalBody::Nodes::inertia_of_motion(double t, Evaluation& work, Vector& out) const {
  if (!dofs.moving() || lumped) return;
  work.x.setZero();
  dofs.move(t, &Signal::second, work.x);
  mass_product(-1.0, work.x, out);
}

void NodalBody::Nodes::all_forces(double t, Evaluation& at, Vector& out) const {
  out.setZero();
  elastic_force(at, out);
  gravity_force(out);
  damping_force(at, at.v, out);
  add_loads(loads, t, out);
}

NodalBody::NodalBody(std::unique_ptr<Nodes> parts) : nodes_(std::move(parts)) {}
NodalBody::~NodalBody() = default;

int NodalBody::positions() const { return nodes_->dofs.free(); }
int NodalBody::prescribed() const { return nodes_->dofs.prescribed(); }
int NodalBody::free_index(int dof) const { return nodes_->dofs.component(dof); }
std::span<const Source> NodalBody::sources() const { return nodes_->sources; }

void NodalBody::full(double t, View q, Out all) const {
  const auto w = nodes_->evaluations.borrow();
  nodes_->put(t, q, *w);
  all = w->u;
}

void NodalBody::full_rate(double t, View v, Out all) const {
  const auto w = nodes_->evaluations.borrow();
  nodes_->dofs.put_rates(t, v, w->v);
  all = w->v;
}

// Equation (1) of nodal_body.h.
void NodalBody::force(double t, View q, View v, Out f) const {
  const Nodes& d = *nodes_;
  const auto w = d.evaluations.borrow();
  d.put(t, q, v, *w);
  d.all_forces(t, *w, w->f);
  d.inertia_of_motion(t, *w, w->f);
  d.dofs.gather(w->f, f);
}

void NodalBody::potential_force(double t, View q, Out f) const {
  const Nodes& d = *nodes_;
  const auto w = d.evaluations.borrow();
  d.put(t, q, *w);
  w->f.setZero();
  d.elastic_force(*w, w->f);
  d.gravity_force(w->f);
  d.dofs.gather(w->f, f);
}

// Equation (2) of nodal_body.h.
void NodalBody::reactions(double t, View q, View v, View a, Out forces) const {
  const Nodes& d = *nodes_;
  const auto w = d.evaluations.borrow();
  d.put(t, q, v, *w);
  d.all_forces(t, *w, w->f);
  d.spread(a, w->x);
  d.dofs.move(t, &Signal::second, w->x);
  w->y.setZero();
  d.mass_product(1.0, w->x, w->y);
  for (int j = 0; j < prescribed(); ++j) {
    const int dof = d.dofs.held()[index(j)].dof;
    forces[j] = w->y[dof] - w->f[dof];
  }
}

void NodalBody::point_reactions(double, View, std::span<const PointRef> at, View f,
                                Out forces) const {
  const Nodes& d = *nodes_;
  Nodes::Shape s;
  for (std::size_t i = 0; i < at.size(); ++i) {
    d.shape(at[i], s);
    for (int j = 0; j < prescribed(); ++j) {
      const int dof = d.dofs.held()[index(j)].dof;
      for (int a = 0; a < s.count; ++a)
        if (dof / 3 == s.node[index(a)])
          forces[j] -= s.N[index(a)] * f[3 * static_cast<Eigen::Index>(i) + dof % 3];
    }
  }
}

void NodalBody::points(double t, View q, std::span<const PointRef> at, Out x) const {
  const Nodes& d = *nodes_;
  const auto w = d.evaluations.borrow();
  d.dofs.move(t, &Signal::value, w->x);
  Nodes::Shape s;
  for (std::size_t i = 0; i < at.size(); ++i) {
    d.shape(at[i], s);
    Vector3 sum = Vector3::Zero();
    for (int k = 0; k < s.count; ++k) {
      const int a = s.node[index(k)];
      Vector3 place = d.reference(a);
      for (int axis = 0; axis < 3; ++axis) {
        const int dof = 3 * a + axis, j = d.dofs[dof];
        if (d.dofs.there(dof)) place[axis] += j >= 0 ? q[j] : w->x[dof];
      }
      sum += s.N[index(k)] * place;
    }
    x.segment<3>(3 * static_cast<Eigen::Index>(i)) = sum + s.offset;
  }
}

// N_a I per node, or one column per free axis if some are prescribed
void NodalBody::point_rows(View, View, std::span<const PointRef> at, PointRows& J) const {
  const Nodes& d = *nodes_;
  const bool whole = d.dofs.free() == d.dofs.all();
  J.width = whole ? 3 : 1;
  J.offset.assign(1, 0);
  J.column.clear();
  J.value.clear();
  Nodes::Shape s;
  for (const PointRef& point : at) {
    d.shape(point, s);
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
        if (const int j = d.dofs[3 * a + axis]; j >= 0) {
          J.column.push_back(j);
          for (int row = 0; row < 3; ++row) J.value.push_back(row == axis ? N : 0.0);
        }
    }
    J.offset.push_back(static_cast<int>(J.column.size()));
  }
}

void NodalBody::breaks(Breaks& out) const {
  nodes_->dofs.breaks(out);
  breaks_of_loads(nodes_->loads, out);
}

void NodalBody::point_drift(double t, View, std::span<const PointRef> at, Out drift) const {
  const Nodes& d = *nodes_;
  drift.setZero();
  if (!d.dofs.moving()) return;
  const auto w = d.evaluations.borrow();
  d.dofs.move(t, &Signal::rate, w->x);
  Nodes::Shape s;
  for (std::size_t i = 0; i < at.size(); ++i) {
    d.shape(at[i], s);
    for (int k = 0; k < s.count; ++k)
      for (int axis = 0; axis < 3; ++axis)
        if (const int dof = 3 * s.node[index(k)] + axis; d.dofs.held(dof) >= 0)
          drift[3 * static_cast<Eigen::Index>(i) + axis] += s.N[index(k)] * w->x[dof];
  }
}

// The largest drift of the nodes, which include the vertices.
double NodalBody::fastest_drift(double from, double to, double) const {
  const FreeDofs& dofs = nodes_->dofs;
  if (!dofs.moving()) return 0.0;
  Vector node = Vector::Zero((dofs.all() + 2) / 3);
  for (const Prescribed& p : dofs.held()) {
    const double u = p.signal.fastest(from, to);
    node[p.dof / 3] += u * u;
  }
  return std::sqrt(node.maxCoeff());
}

std::unique_ptr<PointTable> NodalBody::table(std::span<const PointRef> at,
                                             std::span<const Vector3> direction) const {
  const Nodes& d = *nodes_;
  const auto n = static_cast<Eigen::Index>(at.size());
  Nodes::Shape s;
  for (std::size_t i = 0; d.dofs.moving() && i < at.size(); ++i) {
    d.shape(at[i], s);
    for (int k = 0; k < s.count; ++k)
      for (int axis = 0; axis < 3; ++axis) {
        const int j = d.dofs.held(3 * s.node[index(k)] + axis);
        if (j >= 0 && !d.dofs.signal(j).is_constant() && s.N[index(k)] * direction[i][axis] != 0.0)
          return nullptr;
      }
  }
  const Vector zero = Vector::Zero(d.dofs.free());
  Vector places(3 * n), rest(n);
  points(0.0, zero, at, places);
  for (Eigen::Index i = 0; i < n; ++i)
    rest[i] = direction[static_cast<std::size_t>(i)].dot(places.segment<3>(3 * i));
  PointRows J;
  point_rows(zero, zero, at, J);
  return row_table(d.dofs.free(), J, direction, std::move(rest));
}

Energy NodalBody::energy(double t, View q, View v) const {
  const Nodes& d = *nodes_;
  const auto w = d.evaluations.borrow();
  d.put(t, q, *w);
  double twice = 0.0;
  if (d.lumped) {
    twice = (d.mass_free.array() * v.array().square()).sum();
  } else {
    d.spread(v, w->x);
    w->y.setZero();
    d.mass_product(1.0, w->x, w->y);
    twice = d.dofs.dot(w->y, v);
  }
  return {0.5 * twice, d.potential(*w)};
}

// Each source is evaluated with the prescribed degrees of freedom fixed at `held` (damping: at t).
// The effect of their motion is the source "prescribed": the power of the additional forces along w
// and, without `held`, dV/du . u' = -(elastic force on them) . u'.
void NodalBody::power(double t, std::optional<double> held, View q, View v, View w,
                      std::span<double> by_source) const {
  const Nodes& d = *nodes_;
  const auto loan = d.evaluations.borrow();
  Nodes::Evaluation& at = *loan;
  double unused = 0.0, moved = 0.0;
  const auto account = [&](int s) -> double& { return s < 0 ? unused : by_source[index(s)]; };
  const auto of = [&](auto&& fill) {
    at.f.setZero();
    fill();
    return d.dofs.dot(at.f, w);
  };
  d.put(held.value_or(t), q, at);
  account(d.elastic) = of([&] { d.elastic_force(at, at.f); });
  account(d.gravity) = of([&] { d.gravity_force(at.f); });
  account(d.load) = of([&] { add_loads(d.loads, t, at.f); });
  d.put(t, q, v, at);
  if (d.dofs.moving()) {
    moved += of([&] { d.elastic_force(at, at.f); }) - account(d.elastic);
    if (!held)
      for (const Prescribed& p : d.dofs.held()) moved -= at.f[p.dof] * at.v[p.dof];
    moved += of([&] { d.inertia_of_motion(t, at, at.f); });
    moved += of([&] { d.damping_force(at, at.v, at.f); });
    d.dofs.stop(at.v);
  }
  const double damping = of([&] { d.damping_force(at, at.v, at.f); });
  account(d.damping) = damping;
  if (d.dofs.moving()) moved -= damping;
  account(d.prescribed) = moved;
}

}  // namespace saltus

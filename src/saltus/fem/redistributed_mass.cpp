// Let s be the rows of the stops that are active at q, X = K_cc^-1 G^T and W = G X:
//
//     u_c = u_0 + X lambda,   u_0 = K_cc^-1 (f_c - K_ci u_i),
//         0 <= g(u_0) + W lambda perp lambda >= 0     (3)
//     u_c' = -K_cc^-1 K_ci v + X_s mu,   G_s u_c' = 0                                           (4)
//
// Solves with m M + c C + k K_S use the whole mesh, whose massless rows are (1), with G_s u_c = 0.
#include "saltus/fem/redistributed_mass.h"

#include "saltus/base/error.h"
#include "saltus/base/index_internal.h"
#include "saltus/fem/redistributed_mass_internal.h"
#include "saltus/linear_algebra/factor_form.h"

namespace saltus {
namespace {

using Eigen::Index;

}  // namespace

RedistributedMass::Partition::Evaluation::Evaluation(const Partition& d)
    : all(Vector::Zero(d.fem->positions())),
      rate(all),
      other(all),
      f(all),
      part(Vector::Zero(static_cast<Index>(d.held.size()))),
      w(Vector::Zero(static_cast<Index>(d.stops.size()))),
      lambda(w),
      small(w),
      problem(d.W) {
  Kcc.factorise(d.Kcc);
}

// Solves (3), with u_c measured from neighbouring nodes: a body far from its reference loses no
// digits. Leaves u_c in `all`.
void RedistributedMass::Partition::local(View q, Evaluation& to) const {
  if (to.known && same_bits(to.at, q)) return;
  to.known = false;
  to.at = q;
  spread(q, to.all);
  for (std::size_t c = 0; c < held.size(); ++c)
    to.all[held[c]] = carrier[c] < 0 ? 0.0 : to.all[carrier[c]];
  fem->potential_force(0.0, to.all, to.f);
  for (std::size_t c = 0; c < held.size(); ++c) to.part[static_cast<Index>(c)] = to.f[held[c]];
  to.Kcc.solve(to.part);
  for (std::size_t c = 0; c < held.size(); ++c) to.all[held[c]] += to.part[static_cast<Index>(c)];
  for (std::size_t i = 0; i < G.size(); ++i) {
    double g = rest[static_cast<Index>(i)];
    for (const Entry& e : G[i]) g += e.value * to.all[e.column];
    to.w[static_cast<Index>(i)] = g;
  }
  if (!to.problem.solve(to.w, to.lambda))
    to.lambda.setConstant(std::numeric_limits<double>::quiet_NaN());
  for (const int j : to.problem.pressed())
    for (std::size_t c = 0; c < held.size(); ++c)
      to.all[held[c]] += X(static_cast<Index>(c), j) * to.lambda[j];
  to.known = to.lambda.allFinite();
}

// Solves (4) for the rates x, at the configuration of local()
void RedistributedMass::Partition::rates(View x, Evaluation& at, Vector& full) const {
  spread(x, full);
  for (std::size_t c = 0; c < held.size(); ++c) {
    double sum = 0.0;
    for (int k = offset[c]; k < offset[c + 1]; ++k) sum -= value[index(k)] * x[row[index(k)]];
    at.part[static_cast<Index>(c)] = sum;
  }
  at.Kcc.solve(at.part);
  const std::span<const int> pressed = at.problem.pressed();
  const auto m = static_cast<Index>(pressed.size());
  for (Index k = 0; k < m; ++k) {
    at.small[k] = 0.0;
    for (const Entry& e : G[index(pressed[static_cast<std::size_t>(k)])])
      at.small[k] -= e.value * at.part[place[index(e.column)]];
  }
  at.problem.solve_pressed(at.small.head(m));
  for (Index k = 0; k < m; ++k)
    at.part += at.small[k] * X.col(pressed[static_cast<std::size_t>(k)]);
  for (std::size_t c = 0; c < held.size(); ++c) full[held[c]] = at.part[static_cast<Index>(c)];
}

void RedistributedMass::Partition::set_rates(View x, Evaluation& at) const {
  at.rate.setZero();
  if (viscous())
    rates(x, at, at.rate);
  else
    spread(x, at.rate);
}

RedistributedMass::RedistributedMass(FemSystem system, std::vector<NodeStop> stops)
    : partition_(std::make_unique<Partition>(std::move(system), std::move(stops))) {}
RedistributedMass::~RedistributedMass() = default;

const Fem& RedistributedMass::fem() const { return *partition_->fem; }
std::span<const NodeStop> RedistributedMass::stops() const { return partition_->stops; }
int RedistributedMass::positions() const { return static_cast<int>(partition_->inner.size()); }
std::span<const Source> RedistributedMass::sources() const { return partition_->fem->sources(); }
Rayleigh RedistributedMass::rayleigh() const { return partition_->fem->rayleigh(); }

unsigned RedistributedMass::traits() const {
  const unsigned traits = Trait::tangents | Trait::second_order | Trait::constant_mass |
                          Trait::symmetric | Trait::potential;
  return has(partition_->fem->traits(), Trait::driven) ? traits | Trait::driven : traits;
}

int RedistributedMass::free_index(int dof) const {
  expects(dof >= 0 && index(dof) < partition_->of_dof.size(),
          "mass redistribution: a degree of freedom must be 3 node + axis of the mesh");
  return partition_->of_dof[index(dof)];
}

void RedistributedMass::full(double t, View q, Out displacements) const {
  const auto room = partition_->evaluations.borrow();
  partition_->local(q, *room);
  partition_->fem->full(t, room->all, displacements);
}

void RedistributedMass::gaps(View q, Out g) const {
  const Partition& d = *partition_;
  const auto room = d.evaluations.borrow();
  d.local(q, *room);
  for (std::size_t i = 0; i < d.G.size(); ++i) {
    g[static_cast<Index>(i)] = d.rest[static_cast<Index>(i)];
    for (const Entry& e : d.G[i]) g[static_cast<Index>(i)] += e.value * room->all[e.column];
  }
}

void RedistributedMass::forces(View q, Out lambda) const {
  const auto room = partition_->evaluations.borrow();
  partition_->local(q, *room);
  lambda = room->lambda;
}

// (2)
void RedistributedMass::force(double t, View q, View v, Out f) const {
  const Partition& d = *partition_;
  const auto room = d.evaluations.borrow();
  d.local(q, *room);
  d.set_rates(v, *room);
  d.fem->force(t, room->all, room->rate, room->f);
  d.gather(room->f, f);
}

void RedistributedMass::potential_force(double t, View q, Out f) const {
  const Partition& d = *partition_;
  const auto room = d.evaluations.borrow();
  d.local(q, *room);
  d.fem->potential_force(t, room->all, room->f);
  d.gather(room->f, f);
}

void RedistributedMass::multiply(Combination s, double t, View q, View v, View x, Out y) const {
  const Partition& d = *partition_;
  const auto room = d.evaluations.borrow();
  room->other.setZero();
  if (s.k + s.c * d.fem->rayleigh().stiffness != 0.0) {
    d.local(q, *room);
    d.rates(x, *room, room->other);
  } else {
    d.spread(x, room->other);
  }
  room->rate.setZero();
  d.spread(v, room->rate);
  d.fem->multiply(s, t, room->all, room->rate, room->other, room->f);
  d.gather(room->f, y);
}

void RedistributedMass::factorise(Combination s, double t, View q, View, Factor& A) const {
  const Partition& d = *partition_;
  const auto room = d.evaluations.borrow();
  room->rate.setZero();
  if (s.k + s.c * d.fem->rayleigh().stiffness == 0.0) {
    room->other.setOnes();
    d.fem->multiply(s, t, room->all, room->rate, room->other, room->f);
    Vector& inverse = diagonal_in(A);
    inverse.resize(positions());
    d.gather(room->f, inverse);
    inverse = inverse.cwiseInverse();
    return;
  }
  d.local(q, *room);
  HeldOperator& held = operator_in_if<HeldOperator>(
      A, [&](const HeldOperator& kind) { return kind.of(d.inner); }, d.inner);
  held.whole(*d.fem, s, t, room->all, room->rate);
  held.hold(room->problem.pressed(), d.G, room->all.size());
}

int RedistributedMass::prescribed() const {
  return partition_->fem->prescribed() + static_cast<int>(partition_->stops.size());
}

void RedistributedMass::reactions(double t, View q, View v, View a, Out forces) const {
  const Partition& d = *partition_;
  const auto room = d.evaluations.borrow();
  d.local(q, *room);
  d.set_rates(v, *room);
  room->other.setZero();
  d.spread(a, room->other);
  if (const int p = d.fem->prescribed(); p > 0)
    d.fem->reactions(t, room->all, room->rate, room->other, forces.head(p));
  forces.tail(room->lambda.size()) = room->lambda;
}

void RedistributedMass::point_reactions(double t, View q, std::span<const PointRef> at, View f,
                                        Out forces) const {
  const Partition& d = *partition_;
  const auto room = d.evaluations.borrow();
  d.local(q, *room);
  if (const int p = d.fem->prescribed(); p > 0)
    d.fem->point_reactions(t, room->all, at, f, forces.head(p));
}

void RedistributedMass::points(double t, View q, std::span<const PointRef> at, Out x) const {
  const auto room = partition_->evaluations.borrow();
  partition_->local(q, *room);
  partition_->fem->points(t, room->all, at, x);
}

void RedistributedMass::point_drift(double t, View q, std::span<const PointRef> at,
                                    Out drift) const {
  const auto room = partition_->evaluations.borrow();
  partition_->local(q, *room);
  partition_->fem->point_drift(t, room->all, at, drift);
}

double RedistributedMass::fastest_drift(double from, double to, double reach) const {
  return partition_->fem->fastest_drift(from, to, reach);
}

void RedistributedMass::breaks(Breaks& out) const { partition_->fem->breaks(out); }

// Rows of massless nodes follow from (4), at all nodes with mass that share an element with them.
void RedistributedMass::point_rows(View q, View, std::span<const PointRef> at, PointRows& J) const {
  const Partition& d = *partition_;
  const auto room = d.evaluations.borrow();
  d.local(q, *room);
  PointRows whole;
  d.fem->point_rows(room->all, room->all, at, whole);
  std::vector<char> massless(index(d.fem->positions()), 0);
  for (int j : d.held) massless[index(j)] = 1;
  J.width = 1;
  J.offset.assign(1, 0);
  J.column.clear();
  J.value.clear();
  Matrix carried(positions(), 3);
  Matrix r(static_cast<Index>(d.held.size()), 3);
  const std::span<const int> pressed = room->problem.pressed();
  for (std::size_t i = 0; i < at.size(); ++i) {
    bool any = false;
    r.setZero();
    for (int k = whole.offset[i]; k < whole.offset[i + 1]; ++k)
      for (int j = 0; j < whole.width; ++j) {
        const int column = whole.column[index(k)] + j;
        const auto entry = [&](int axis) {
          return whole.value[index((3 * k + axis) * whole.width + j)];
        };
        if (massless[index(column)]) {
          any = true;
          for (int axis = 0; axis < 3; ++axis) r(d.place[index(column)], axis) += entry(axis);
          continue;
        }
        J.column.push_back(d.place[index(column)]);
        for (int axis = 0; axis < 3; ++axis) J.value.push_back(entry(axis));
      }
    if (any) {
      const auto m = static_cast<Index>(pressed.size());
      Vector mu(m);
      for (int axis = 0; axis < 3; ++axis) {
        for (Index k = 0; k < m; ++k)
          mu[k] = d.X.col(pressed[static_cast<std::size_t>(k)]).dot(r.col(axis));
        room->problem.solve_pressed(mu);
        for (Index k = 0; k < m; ++k)
          for (const Entry& e : d.G[index(pressed[static_cast<std::size_t>(k)])])
            r(d.place[index(e.column)], axis) -= mu[k] * e.value;
      }
      room->Kcc.solve(r);
      carried.setZero();
      for (std::size_t c = 0; c < d.held.size(); ++c)
        for (int k = d.offset[c]; k < d.offset[c + 1]; ++k)
          carried.row(d.row[index(k)]) -= d.value[index(k)] * r.row(static_cast<Index>(c));
      for (int j : d.rim) {
        if (carried.row(j).isZero(0.0)) continue;
        J.column.push_back(j);
        for (int axis = 0; axis < 3; ++axis) J.value.push_back(carried(j, axis));
      }
    }
    J.offset.push_back(static_cast<int>(J.column.size()));
  }
}

Energy RedistributedMass::energy(double t, View q, View v) const {
  const Partition& d = *partition_;
  const auto room = d.evaluations.borrow();
  d.local(q, *room);
  room->rate.setZero();
  d.spread(v, room->rate);
  return d.fem->energy(t, room->all, room->rate);
}

// w_c = 0: only the nodes with mass contribute
void RedistributedMass::power(double t, std::optional<double> held, View q, View v, View w,
                              std::span<double> by_source) const {
  const Partition& d = *partition_;
  const auto room = d.evaluations.borrow();
  d.local(q, *room);
  d.set_rates(v, *room);
  room->other.setZero();
  d.spread(w, room->other);
  d.fem->power(t, held, room->all, room->rate, room->other, by_source);
}

}  // namespace saltus

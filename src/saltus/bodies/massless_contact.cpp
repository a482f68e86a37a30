// With s the rows of the stops that are pressed at q, and X = K_cc^-1 G^T, W = G X:
//
//     u_c = u_0 + X lambda,   u_0 = K_cc^-1 (f_c - K_ci u_i),   0 <= g(u_0) + W lambda perp lambda >= 0     (3)
//     u_c' = -K_cc^-1 K_ci v + X_s mu,   G_s u_c' = 0                                                     (4)
//
// Solves with m M + c C + k K_S are those of the whole mesh, whose massless rows are (1), with G_s u_c = 0.
#include "saltus/bodies/massless_contact.h"

#include "saltus/base/error.h"
#include "saltus/base/index_internal.h"
#include "saltus/bodies/massless_contact_internal.h"
#include "saltus/math/factor_form.h"

namespace saltus {
namespace {

using Eigen::Index;

}  // namespace

// (3), from where the neighbours are: a body far from its reference loses no digits. Leaves u_c in `all`.
void MasslessContact::Data::local(View q) {
  if (known && at == q) return;
  known = false;
  at = q;
  spread(q, all);
  for (std::size_t c = 0; c < held.size(); ++c)
    all[held[c]] = carrier[c] < 0 ? 0.0 : all[carrier[c]];
  fem->potential_force(0.0, all, f);
  for (std::size_t c = 0; c < held.size(); ++c) part[static_cast<Index>(c)] = f[held[c]];
  saltus::solve(Kcc, part);
  for (std::size_t c = 0; c < held.size(); ++c) all[held[c]] += part[static_cast<Index>(c)];
  for (std::size_t i = 0; i < G.size(); ++i) {
    double g = rest[static_cast<Index>(i)];
    for (const Entry& e : G[i]) g += e.value * all[e.column];
    w[static_cast<Index>(i)] = g;
  }
  if (!problem.solve(w, lambda)) lambda.setConstant(std::numeric_limits<double>::quiet_NaN());
  for (const int j : problem.pressed())
    for (std::size_t c = 0; c < held.size(); ++c)
      all[held[c]] += X(static_cast<Index>(c), j) * lambda[j];
  known = lambda.allFinite();
}

// (4) of the rates x, about the configuration of local()
void MasslessContact::Data::rates(View x, Vector& full) {
  spread(x, full);
  for (std::size_t c = 0; c < held.size(); ++c) {
    double sum = 0.0;
    for (int k = offset[c]; k < offset[c + 1]; ++k) sum -= value[index(k)] * x[row[index(k)]];
    part[static_cast<Index>(c)] = sum;
  }
  saltus::solve(Kcc, part);
  const std::span<const int> pressed = problem.pressed();
  const auto m = static_cast<Index>(pressed.size());
  for (Index k = 0; k < m; ++k) {
    small[k] = 0.0;
    for (const Entry& e : G[index(pressed[static_cast<std::size_t>(k)])])
      small[k] -= e.value * part[place[index(e.column)]];
  }
  problem.solve_pressed(small.head(m));
  for (Index k = 0; k < m; ++k) part += small[k] * X.col(pressed[static_cast<std::size_t>(k)]);
  for (std::size_t c = 0; c < held.size(); ++c) full[held[c]] = part[static_cast<Index>(c)];
}

void MasslessContact::Data::set_rates(View x) {
  rate.setZero();
  if (viscous())
    rates(x, rate);
  else
    spread(x, rate);
}

MasslessContact::MasslessContact(FemSystem system, std::vector<NodeStop> stops)
    : data_(std::make_unique<Data>(std::move(system), std::move(stops))) {}
MasslessContact::~MasslessContact() = default;

const Fem& MasslessContact::fem() const { return *data_->fem; }
std::span<const NodeStop> MasslessContact::stops() const { return data_->stops; }
int MasslessContact::positions() const { return static_cast<int>(data_->inner.size()); }
std::span<const Source> MasslessContact::sources() const { return data_->fem->sources(); }
Rayleigh MasslessContact::rayleigh() const { return data_->fem->rayleigh(); }

unsigned MasslessContact::traits() const {
  return Trait::tangents | Trait::second_order | Trait::constant_mass | Trait::symmetric |
         Trait::potential;
}

int MasslessContact::free_index(int dof) const {
  expects(dof >= 0 && index(dof) < data_->of_dof.size(),
          "a degree of freedom 3 node + axis of the mesh");
  return data_->of_dof[index(dof)];
}

void MasslessContact::full(double t, View q, Out displacements) const {
  data_->local(q);
  data_->fem->full(t, data_->all, displacements);
}

void MasslessContact::gaps(View q, Out g) const {
  Data& d = *data_;
  d.local(q);
  for (std::size_t i = 0; i < d.G.size(); ++i) {
    g[static_cast<Index>(i)] = d.rest[static_cast<Index>(i)];
    for (const Entry& e : d.G[i]) g[static_cast<Index>(i)] += e.value * d.all[e.column];
  }
}

void MasslessContact::forces(View q, Out lambda) const {
  data_->local(q);
  lambda = data_->lambda;
}

// (2)
void MasslessContact::force(double t, View q, View v, Out f) const {
  Data& d = *data_;
  d.local(q);
  d.set_rates(v);
  d.fem->force(t, d.all, d.rate, d.f);
  d.gather(d.f, f);
}

void MasslessContact::potential_force(double t, View q, Out f) const {
  Data& d = *data_;
  d.local(q);
  d.fem->potential_force(t, d.all, d.f);
  d.gather(d.f, f);
}

void MasslessContact::multiply(Combination s, double t, View q, View v, View x, Out y) const {
  Data& d = *data_;
  d.other.setZero();
  if (s.k + s.c * d.fem->rayleigh().stiffness != 0.0) {
    d.local(q);
    d.rates(x, d.other);
  } else {
    d.spread(x, d.other);
  }
  d.rate.setZero();
  d.spread(v, d.rate);
  d.fem->multiply(s, t, d.all, d.rate, d.other, d.f);
  d.gather(d.f, y);
}

void MasslessContact::factorise(Combination s, double t, View q, View, Factor& A) const {
  Data& d = *data_;
  d.rate.setZero();
  if (s.k + s.c * d.fem->rayleigh().stiffness == 0.0) {
    d.other.setOnes();
    d.fem->multiply(s, t, d.all, d.rate, d.other, d.f);
    Vector& inverse = diagonal_in(A);
    inverse.resize(positions());
    d.gather(d.f, inverse);
    inverse = inverse.cwiseInverse();
    return;
  }
  d.local(q);
  HeldOperator& held = operator_in_if<HeldOperator>(
      A, [&](const HeldOperator& kind) { return kind.of(d.inner); }, d.inner);
  held.whole(*d.fem, s, t, d.all, d.rate);
  held.hold(d.problem.pressed(), d.G, d.all.size());
}

int MasslessContact::prescribed() const {
  return data_->fem->prescribed() + static_cast<int>(data_->stops.size());
}

void MasslessContact::reactions(double t, View q, View v, View a, Out forces) const {
  Data& d = *data_;
  d.local(q);
  d.set_rates(v);
  d.other.setZero();
  d.spread(a, d.other);
  if (const int p = d.fem->prescribed(); p > 0)
    d.fem->reactions(t, d.all, d.rate, d.other, forces.head(p));
  forces.tail(d.lambda.size()) = d.lambda;
}

void MasslessContact::point_reactions(double t, View q, std::span<const PointRef> at, View f,
                                      Out forces) const {
  Data& d = *data_;
  d.local(q);
  if (const int p = d.fem->prescribed(); p > 0)
    d.fem->point_reactions(t, d.all, at, f, forces.head(p));
}

void MasslessContact::points(double t, View q, std::span<const PointRef> at, Out x) const {
  data_->local(q);
  data_->fem->points(t, data_->all, at, x);
}

void MasslessContact::point_drift(double t, View q, std::span<const PointRef> at, Out drift) const {
  data_->local(q);
  data_->fem->point_drift(t, data_->all, at, drift);
}

double MasslessContact::fastest_drift(double from, double to, double reach) const {
  return data_->fem->fastest_drift(from, to, reach);
}

void MasslessContact::breaks(Breaks& out) const { data_->fem->breaks(out); }

// Rows of massless nodes are those of (4), at all nodes with mass beside one without.
void MasslessContact::point_rows(View q, View, std::span<const PointRef> at, PointRows& J) const {
  Data& d = *data_;
  d.local(q);
  PointRows whole;
  d.fem->point_rows(d.all, d.all, at, whole);
  std::vector<char> massless(index(d.fem->positions()), 0);
  for (int j : d.held) massless[index(j)] = 1;
  J.width = 1;
  J.offset.assign(1, 0);
  J.column.clear();
  J.value.clear();
  Matrix carried(positions(), 3);
  Matrix r(static_cast<Index>(d.held.size()), 3);
  const std::span<const int> pressed = d.problem.pressed();
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
        d.problem.solve_pressed(mu);
        for (Index k = 0; k < m; ++k)
          for (const Entry& e : d.G[index(pressed[static_cast<std::size_t>(k)])])
            r(d.place[index(e.column)], axis) -= mu[k] * e.value;
      }
      saltus::solve(d.Kcc, r);
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

bool MasslessContact::stand(std::optional<double> t) const { return data_->fem->stand(t); }

Energy MasslessContact::energy(double t, View q, View v) const {
  Data& d = *data_;
  d.local(q);
  d.rate.setZero();
  d.spread(v, d.rate);
  return d.fem->energy(t, d.all, d.rate);
}

// w_c = 0: the powers on the nodes with mass
void MasslessContact::power(double t, View q, View v, View w, std::span<double> by_source) const {
  Data& d = *data_;
  d.local(q);
  d.set_rates(v);
  d.other.setZero();
  d.spread(w, d.other);
  d.fem->power(t, d.all, d.rate, d.other, by_source);
}

}  // namespace saltus

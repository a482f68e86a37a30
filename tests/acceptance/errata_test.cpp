// What the printed formulas of docs/theory/errata.md compute, next to ours. The printed ones are integrated here, on one
// oscillator  m q'' + (c + rM m + rK k) q' + k q = F0 cos(Om t).
#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <utility>

#include "../support/dense.h"
#include "../support/one_group.h"
#include "saltus/bodies/linear.h"
#include "saltus/bodies/particles.h"

using namespace saltus;
using namespace saltus::test;

namespace {

struct Oscillator {
  double c = 0.0, rM = 0.0, rK = 0.0, F0 = 0.0;
  double m = 1.0, k = 4.0 * std::numbers::pi * std::numbers::pi, Om = 5.0;

  double load(double t) const { return F0 * std::cos(Om * t); }
  double rayleigh() const { return rM * m + rK * k; }
  /// Force without Rayleigh damping, and with it.
  double f(double t, double q, double v) const { return load(t) - k * q - c * v; }
  double F(double t, double q, double v) const { return f(t, q, v) - rayleigh() * v; }
};

/// q, v, and what the printed scheme keeps: an acceleration, a momentum, a half-step velocity.
struct Printed {
  double q = 0.0, v = 0.0, kept = 0.0;
};
using Start = void (*)(const Oscillator&, double h, Printed&);
using Step = void (*)(const Oscillator&, double t, double h, Printed&);

Eigen::Vector2d exact(const Oscillator& o, double t, double q0, double v0) {
  using C = std::complex<double>;
  const double damping = o.c + o.rayleigh(), sigma = 0.5 * damping / o.m,
               w = std::sqrt(o.k / o.m - sigma * sigma);
  const C answer = o.F0 / C(o.k - o.m * o.Om * o.Om, damping * o.Om);
  const auto forced = [&](double s) {
    const C x = answer * std::polar(1.0, o.Om * s);
    return Eigen::Vector2d(x.real(), (x * C(0.0, o.Om)).real());
  };
  const Eigen::Vector2d at0 = forced(0.0), at = forced(t);
  const double a = q0 - at0[0], b = (v0 - at0[1] + sigma * a) / w, decay = std::exp(-sigma * t);
  const double x = a * std::cos(w * t) + b * std::sin(w * t),
               y = w * (b * std::cos(w * t) - a * std::sin(w * t));
  return at + decay * Eigen::Vector2d(x, y - sigma * x);
}

constexpr double kQ0 = 1.0, kV0 = 2.0, kEnd = 0.9;  // v0 and F0 both non-zero

Eigen::Vector2d error_of_printed(const Oscillator& o, Start start, Step step, int n) {
  const double h = kEnd / n;
  Printed x{kQ0, kV0, 0.0};
  if (start) start(o, h, x);
  for (int i = 0; i < n; ++i) step(o, i * h, h, x);
  return (Eigen::Vector2d(x.q, x.v) - exact(o, kEnd, kQ0, kV0)).cwiseAbs();
}

std::shared_ptr<const Dynamics> body_of(const Oscillator& o) {
  LinearSystem system = oscillator(o.m, o.k, o.c);
  system.rayleigh = {o.rM, o.rK};
  if (o.F0 != 0.0) system.loads = {{{{0, 1.0}}, Signal::harmonic(o.F0, o.Om)}};
  return std::make_shared<Linear>(std::move(system));
}

Eigen::Vector2d end_of_ours(const Oscillator& o, const SchemeChoice& scheme, int n) {
  Simulation sim(Model(one_group({body_of(o), Vector::Constant(1, kQ0), Vector::Constant(1, kV0)},
                                 scheme, kEnd / n)));
  bool converged = true;
  for (int i = 0; i < n; ++i) converged = sim.advance().converged && converged;
  REQUIRE(converged);
  return {sim.state().groups[0].q[0], velocity_of(sim)[0]};
}

Eigen::Vector2d order(const Eigen::Vector2d& coarse, const Eigen::Vector2d& fine) {
  return (coarse.array() / fine.array()).log() / std::numbers::ln2;
}

/// Largest |eigenvalue| of a printed step in (q, v) without load; `kept` is M v at the start of each step.
double radius(const Oscillator& o, Step step, double h) {
  Eigen::Matrix2d T;
  for (int j = 0; j < 2; ++j) {
    Printed x{j == 0 ? 1.0 : 0.0, j == 1 ? 1.0 : 0.0, j == 1 ? o.m : 0.0};
    step(o, 0.0, h, x);
    T.col(j) = Eigen::Vector2d(x.q, x.v);
  }
  return spectral_radius(T);
}

// -- the printed steps. Symbols of the note: x = q, r_m = rM, r_k = rK, Fext_k = f at the start.

void external_force_only(const Oscillator& o, double t, double h, Printed& x) {  // E1
  const double v0 = x.v;
  x.v += h * o.load(t) / o.m;
  x.q += h * v0;
}
void old_velocity(const Oscillator& o, double t, double h, Printed& x) {  // E2
  const double v0 = x.v;
  x.v += h * o.F(t, x.q, v0) / o.m;
  x.q += h * v0;
}
void implicit_euler(const Oscillator& o, double t, double h, Printed& x) {  // E3, E4
  const double v0 = x.v;
  x.v += h * (o.f(t, x.q, v0) - v0 * ((o.rK + h) * o.k + o.rM * o.m)) /
         (h * (h + o.rK) * o.k + (1.0 + h * o.rM) * o.m);
  x.q += h * v0;
}
// Newmark 1/4, 1/2 with everything right but what a row says: dashpots in the matrix, loads at the end.
void newmark(const Oscillator& o, double load, double h, Printed& x) {
  const double a0 = x.kept, C = o.c + o.rayleigh();
  const double a1 = (load - o.k * (x.q + h * x.v + 0.25 * h * h * a0) - C * (x.v + 0.5 * h * a0)) /
                    (o.m + 0.5 * h * C + 0.25 * h * h * o.k);
  x.q += h * x.v + 0.25 * h * h * (a0 + a1);
  x.v += 0.5 * h * (a0 + a1);
  x.kept = a1;
}
void newmark_load_at_end(const Oscillator& o, double t, double h, Printed& x) {
  newmark(o, o.load(t + h), h, x);
}
void newmark_load_at_start(const Oscillator& o, double t, double h, Printed& x) {  // E8
  newmark(o, o.load(t), h, x);
}
void newmark_dashpot_in_force(const Oscillator& o, double t, double h, Printed& x) {  // E8
  Oscillator without = o;
  without.c = 0.0;
  newmark(without, o.load(t + h) - o.c * x.v, h, x);
}
void no_acceleration(const Oscillator&, double, Printed& x) { x.kept = 0.0; }  // E6
void acceleration_without_rayleigh(const Oscillator& o, double, Printed& x) {  // E6
  x.kept = o.f(0.0, x.q, x.v) / o.m;
}
void right_acceleration(const Oscillator& o, double, Printed& x) {
  x.kept = o.F(0.0, x.q, x.v) / o.m;
}
void momentum(const Oscillator& o, double, Printed& x) { x.kept = o.m * x.v; }
void doubled_momentum(const Oscillator& o, double t, double h, Printed& x) {  // E9
  x.v = 2.0 * (o.f(t, x.q, x.v) + x.kept - h * o.rM * x.v * o.m) / o.m;
  x.kept = o.m * x.v;
  x.q += h * x.v;
}

// The variational implicit step with one printed slip at a time. Returns the number of iterations that the half step
// needed, 100 if it did not settle.
struct Slip {
  bool minus_in_matrix = false, minus_on_the_right = false, old_estimate = false;
  bool mass_plus_h2_4 = false, no_damping = false, mid_velocity = false;
};
int variational(const Oscillator& o, double t, double h, Printed& x, const Slip& slip) {
  const double tm = t + 0.5 * h, C = slip.no_damping ? 0.0 : o.c + o.rayleigh();
  const double matrix = 4.0 / (h * h) * o.m + 2.0 / h * C + (slip.minus_in_matrix ? -o.k : o.k);
  double res = 0.0, q = x.q;
  int i = 0;
  for (double change = 1.0; i < 100 && change > 1e-13; ++i) {
    const double next =
        (o.load(tm) - o.k * q + (slip.minus_on_the_right ? -o.k : o.k) * res + 2.0 / h * x.kept) /
        matrix;
    change = std::abs(next - res) / std::abs(next);
    res = next;
    if (!slip.old_estimate) q = x.q + res;
  }
  const double vm = 2.0 * res / h;
  const double at_mid = o.load(tm) - o.k * (x.q + res) - C * vm,
               at_start = o.load(t) - o.k * x.q - C * vm;
  x.kept = slip.mass_plus_h2_4 ? (o.m + 0.25 * h * h) * vm + 0.5 * h * at_start
                               : o.m * vm + 0.5 * h * at_mid;
  x.q += h * vm;
  x.v = slip.mid_velocity ? vm : x.kept / o.m;
  return i;
}
template <bool Slip::*which>
void variational_with(const Oscillator& o, double t, double h, Printed& x) {
  Slip slip;
  slip.*which = true;
  variational(o, t, h, x, slip);
}

void leapfrog(const Oscillator& o, double t, double h, Printed& x) {  // E19: v0 taken as v_-1/2
  const double C = o.c + o.rayleigh();
  x.v = ((o.m - 0.5 * h * C) * x.v + h * (o.load(t) - o.k * x.q)) / (o.m + 0.5 * h * C);
  x.q += h * x.v;
}
void undivided(const Oscillator& o, double t, double h, Printed& x) {  // E18
  x.v = (1.0 / h - 0.5 * o.rM) * x.v + o.f(t, x.q, x.v) / o.m / (1.0 / h + 0.5 * o.rM);
  x.q += h * x.v;
}
// Deformable bodies: (39), (40) with a force that leaves the viscous part out; eta is rK.
template <bool limited>
void deformable_without_viscosity(const Oscillator& o, double t, double h, Printed& x) {
  const double qh = x.q + 0.5 * h * x.v;
  const double A = o.m + (limited ? (0.5 * o.rK * h + 0.25 * h * h) * o.k : 0.0);
  x.v += h * (o.load(t + 0.5 * h) - o.k * qh) / A;
  x.q = qh + 0.5 * h * x.v;
}

EulerImplicitOptions printed_seed() {
  EulerImplicitOptions options;
  options.compat = Compat::seed;
  return options;
}
VariationalSymplecticOptions implicit_form() {
  VariationalSymplecticOptions options;
  options.form = VariationalSymplecticOptions::Form::implicit_form;
  return options;
}

const Oscillator kPlain, kRayleigh{.rM = 0.5, .rK = 0.01}, kDashpot{.c = 0.9},
    kForced{.c = 0.9, .F0 = 10.0}, kViscous{.rK = 0.02};

struct Row {
  const char* row;
  Oscillator body;
  Start start;
  Step step;
  double order_q, order_v;  ///< of the printed form; 0: it converges to another motion
  SchemeChoice scheme;
  double ours;
};

std::vector<Row> rows() {
  const VariationalSymplecticOptions midpoint = implicit_form();
  const DefExpOptions central{.viscosity_implicit = true};
  return {
      {"E1", kForced, nullptr, external_force_only, 0, 0, EulerExplicitOptions{}, 1},
      {"E2", kPlain, nullptr, old_velocity, 1, 1, EulerExplicitOptions{}, 1},
      {"E3", kPlain, nullptr, implicit_euler, 1, 1, EulerImplicitOptions{}, 1},
      {"E6, zero", kPlain, no_acceleration, newmark_load_at_end, 1, 1, NewmarkOptions{}, 2},
      {"E6, no Rayleigh", kRayleigh, acceleration_without_rayleigh, newmark_load_at_end, 1, 1,
       NewmarkOptions{}, 2},
      {"E8, load", kForced, right_acceleration, newmark_load_at_start, 1, 1, NewmarkOptions{}, 2},
      {"E8, dashpot", kDashpot, right_acceleration, newmark_dashpot_in_force, 1, 1,
       NewmarkOptions{}, 2},
      {"E11", kPlain, momentum, variational_with<&Slip::minus_on_the_right>, 1, 1, midpoint, 2},
      {"E12", kPlain, momentum, variational_with<&Slip::old_estimate>, 1, 1, midpoint, 2},
      {"E14", kPlain, momentum, variational_with<&Slip::mass_plus_h2_4>, 1, 1, midpoint, 2},
      {"E15", kDashpot, momentum, variational_with<&Slip::no_damping>, 0, 0, midpoint, 2},
      {"E16", kPlain, momentum, variational_with<&Slip::mid_velocity>, 2, 1, midpoint, 2},
      {"E19", kPlain, nullptr, leapfrog, 1, 1, CentralDifferenceOptions{}, 2},
      {"D2, (39)", kViscous, nullptr, deformable_without_viscosity<false>, 0, 0, central, 2},
      {"D2, (40)", kViscous, nullptr, deformable_without_viscosity<true>, 0, 0, DefLimOptions{}, 2},
  };
}

}  // namespace

TEST_CASE("errata: the printed formulas converge with the orders of the table, ours with theirs") {
  for (const Row& row : rows()) {
    CAPTURE(row.row);
    const int n = 1024;
    const Eigen::Vector2d printed = order(error_of_printed(row.body, row.start, row.step, n),
                                          error_of_printed(row.body, row.start, row.step, 2 * n));
    CHECK(std::abs(printed[0] - row.order_q) < 0.15);
    CHECK(std::abs(printed[1] - row.order_v) < 0.15);
    const Eigen::Vector2d at = exact(row.body, kEnd, kQ0, kV0);
    const Eigen::Vector2d ours = order((end_of_ours(row.body, row.scheme, n) - at).cwiseAbs(),
                                       (end_of_ours(row.body, row.scheme, 2 * n) - at).cwiseAbs());
    CHECK(std::abs(ours[0] - row.ours) < 0.15);
    CHECK(std::abs(ours[1] - row.ours) < 0.15);
  }
}

TEST_CASE("errata: growth of the printed formulas in one step of an undamped oscillator") {
  for (double z : {0.1, 1.0, 3.0}) {
    CAPTURE(z);
    const double h = z / std::sqrt(kPlain.k / kPlain.m);
    // E2: grows at every step. E3: looks conservative, although backward Euler decays.
    CHECK(radius(kPlain, old_velocity, h) == doctest::Approx(std::sqrt(1.0 + z * z)));
    CHECK(radius(kPlain, implicit_euler, h) == doctest::Approx(1.0));
    // E12: the iteration makes the half step explicit, and the step grows.
    CHECK(radius(kPlain, variational_with<&Slip::old_estimate>, h) >
          std::sqrt(1.0 + 0.25 * z * z) - 1e-10);
    CHECK(radius(kPlain, variational_with<&Slip::no_damping>, h) ==
          doctest::Approx(1.0));  // no slip
  }
}

TEST_CASE("errata E2, E3: symplectic: false and compat: seed repeat the printed steps") {
  EulerExplicitOptions standard;
  standard.symplectic = false;
  for (int n : {40, 90}) {
    Printed e2{kQ0, kV0, 0.0}, e3{kQ0, kV0, 0.0};
    for (int i = 0; i < n; ++i) {
      old_velocity(kRayleigh, i * kEnd / n, kEnd / n, e2);
      implicit_euler(kRayleigh, i * kEnd / n, kEnd / n, e3);
    }
    CHECK((end_of_ours(kRayleigh, standard, n) - Eigen::Vector2d(e2.q, e2.v)).norm() < 1e-11);
    CHECK((end_of_ours(kRayleigh, printed_seed(), n) - Eigen::Vector2d(e3.q, e3.v)).norm() < 1e-11);
  }
}

TEST_CASE("errata E4: a dashpot left out of the matrix makes the implicit Euler step unstable") {
  Oscillator stiff;
  stiff.c = 300.0;
  stiff.k = 1e-3;
  const double h = 0.01;
  CHECK(radius(stiff, implicit_euler, h) == doctest::Approx(2.0).epsilon(1e-3));  // |1 - h c/m|
  Simulation sim(Model(
      one_group({body_of(stiff), Vector::Zero(1), Vector::Ones(1)}, EulerImplicitOptions{}, h)));
  sim.advance();
  CHECK(sim.state().groups[0].v[0] == doctest::Approx(0.25).epsilon(1e-3));  // 1/(1 + h c/m)
}

TEST_CASE("errata E5: the quotient of matrices is a linear solve, entry by entry it is no method") {
  LinearSystem system;
  Matrix M(2, 2), K(2, 2);
  M << 2.0, 0.5, 0.5, 1.0;
  K << 300.0, -100.0, -100.0, 150.0;
  system.mass = SparseMatrix::from(M);
  system.stiffness = SparseMatrix::from(K);
  const auto body = std::make_shared<Linear>(system);
  const Eigen::Vector2d q0(0.1, -0.05), v0(0.2, 0.3);
  const auto entry_by_entry = [&](int n) {
    const double h = 0.2 / n;
    Eigen::Vector2d q = q0, v = v0;
    for (int i = 0; i < n; ++i) {
      const Eigen::Vector2d b = -h * (K * (q + h * v)), A = (M + h * h * K).diagonal();
      v += b.cwiseQuotient(A);
      q += h * v;
    }
    return q;
  };
  const auto ours = [&](int n) {
    Simulation sim(Model(one_group({body, q0, v0}, EulerImplicitOptions{}, 0.2 / n)));
    for (int i = 0; i < n; ++i) sim.advance();
    return Vector(sim.state().groups[0].q);
  };
  const Vector limit = 2.0 * ours(8192) - ours(4096);
  CHECK((entry_by_entry(8192) - limit).norm() > 0.1 * limit.norm());
  CHECK((entry_by_entry(4096) - entry_by_entry(8192)).norm() < 1e-2 * limit.norm());  // elsewhere
  CHECK((ours(4096) - limit).norm() < 1e-2 * limit.norm());
}

TEST_CASE("errata E9: the printed explicit variational step doubles the velocity of a free body") {
  Oscillator free;
  free.k = 0.0;
  Printed x{0.0, 1.0, 0.0};
  momentum(free, 0.1, x);
  for (int i = 0; i < 10; ++i) doubled_momentum(free, 0.1 * i, 0.1, x);
  CHECK(x.v == doctest::Approx(1024.0));
}

TEST_CASE(
    "errata E10, E11: both signs wrong give the right half step, if the iteration converges at "
    "all: below h omega = 2/sqrt(3)") {
  const double limit = 2.0 / std::sqrt(3.0), omega = std::sqrt(kPlain.k / kPlain.m);
  Slip both;
  both.minus_in_matrix = both.minus_on_the_right = true;
  for (double z : {0.5, 1.0, 1.2, 4.0}) {
    CAPTURE(z);
    Printed printed{kQ0, kV0, kV0}, right{kQ0, kV0, kV0};
    const int needed = variational(kPlain, 0.0, z / omega, printed, both);
    CHECK(variational(kPlain, 0.0, z / omega, right, {}) == 2);  // the second only confirms
    CHECK(needed > 10);
    CHECK((needed < 100) == (z < limit));
    if (z < limit) CHECK(printed.q == doctest::Approx(right.q).epsilon(1e-11));
  }
}

TEST_CASE("errata E13: an error relative to |q| depends on where the origin lies, ours does not") {
  // A heavy particle on a spring that turns and stretches, at the origin and 10 km away from it.
  const auto motion = [](const SchemeChoice& scheme, double x) {
    ParticleSystem system;
    system.mass = Vector::Constant(1, 1.0);
    const Vector3 there(x, 0.0, 0.0);
    system.springs = {{.i = 0, .stiffness = 400.0, .length = 0.3, .anchor = there}};
    const Vector q0 = there + Vector3(0.35, 0.05, 0.0), v0 = Vector3(0.0, 3.0, 0.0);
    Simulation sim(Model(one_group({std::make_shared<Particles>(system), q0, v0}, scheme, 0.04)));
    for (int i = 0; i < 50; ++i) REQUIRE(sim.advance().converged);
    return Vector(sim.state().groups[0].q - there);
  };
  VariationalSymplecticOptions printed = implicit_form();
  printed.compat = Compat::sofa;
  CHECK((motion(printed, 0.0) - motion(printed, 1e4)).norm() > 1e-4);
  CHECK((motion(implicit_form(), 0.0) - motion(implicit_form(), 1e4)).norm() < 1e-6);
}

TEST_CASE("errata E18: the undivided factor multiplies the velocity by 1/h in every step") {
  const Oscillator o{.rM = 0.5};
  const double h = 0.01;
  Printed x{0.0, 1.0, 0.0};
  undivided(o, 0.0, h, x);
  CHECK(x.v == doctest::Approx(1.0 / h).epsilon(0.01));
}

TEST_CASE("errata D2: with viscosity at the start of the step def-exp is of first order") {
  const Eigen::Vector2d at = exact(kViscous, kEnd, kQ0, kV0);
  const Eigen::Vector2d explicit_viscosity =
      order((end_of_ours(kViscous, DefExpOptions{}, 1024) - at).cwiseAbs(),
            (end_of_ours(kViscous, DefExpOptions{}, 2048) - at).cwiseAbs());
  CHECK(std::abs(explicit_viscosity[0] - 1.0) < 0.15);
  CHECK(std::abs(explicit_viscosity[1] - 1.0) < 0.15);
}

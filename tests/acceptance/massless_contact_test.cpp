// Contact nodes without mass: no energy is lost in an impact, and the force has no ripple.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <string>
#include <vector>

#include "../support/bar_impact.h"

using namespace saltus;
using namespace saltus::test;

namespace {

constexpr double kWave = 30.0, kSpeed = 10.0, kForce = 300.0, kContact = 2.0 * kBarLength / kWave;

struct Impact {
  double energy = 0.0;     ///< largest |E/E0 - 1| from before the impact to after it
  double left = 0.0;       ///< E1/E0 - 1
  double ripple = 0.0;     ///< max |F - 300 N|/300 N from 10 % to 90 % of the contact
  double deviation = 0.0;  ///< the same, root of the mean square
  double depth = 0.0;      ///< [m]
  double impulse = 0.0;    ///< [N s]
};

/// B11 without gravity on 100 elements. The first contact falls `phase` h after a step's end.
Impact hit(BarKind kind, const SchemeChoice& scheme, double courant, double phase,
           int elements = 100) {
  const double h = courant * kBarLength / elements / kWave, stop = kBarHeight + phase * h * kSpeed;
  const FallingBar bar = falling_bar(kind, elements, 0.0, stop);
  Simulation sim = let_fall(bar, -kSpeed, scheme, h, stop);
  const double E0 = 0.5 * bar.total() * kSpeed * kSpeed, t0 = stop / kSpeed;
  Impact x;
  int count = 0;
  while (sim.state().t < t0 + 1.5 * kContact) {
    const StepReport report = sim.advance();
    REQUIRE(report.converged);
    const double t = sim.state().t, impulse = wall_impulse(bar, sim, report, h),
                 share = (t - 0.5 * h - t0) / kContact;
    const Vector& q = sim.state().groups[0].q;
    x.impulse += impulse;
    x.left = bar.body->energy(t, q, velocity_of(sim)).total() / E0 - 1.0;
    x.energy = std::max(x.energy, std::abs(x.left));
    x.depth = std::max(x.depth, -(bar.displacements(q)[0] + stop));
    if (share < 0.1 || share > 0.9) continue;
    const double off = std::abs(impulse / h / kForce - 1.0);
    x.ripple = std::max(x.ripple, off);
    x.deviation += off * off;
    ++count;
  }
  x.deviation = std::sqrt(x.deviation / count);
  return x;
}

void tell(const std::string& what, const Impact& x) {
  MESSAGE(
      fmt::format("{}: energy {:+.1e} (worst {:.1e}), ripple {:.1e} (rms {:.1e}), depth {:.1e} m",
                  what, x.left, x.energy, x.ripple, x.deviation, x.depth));
}

}  // namespace

TEST_CASE("a bar without mass at the wall loses no energy there, and its force does not ripple") {
  // B11: the impact falls on the end of a step
  for (double courant : {1.0, 0.5, 0.2}) {
    const Impact mid = hit(BarKind::massless, MoreauJeanOptions{}, courant, 0.0),
                 exact = hit(BarKind::massless, DiscreteGradientOptions{}, courant, 0.0);
    tell(fmt::format("midpoint rule, h = {} dx/c", courant), mid);
    tell(fmt::format("discrete gradient, h = {} dx/c", courant), exact);
    CHECK(mid.energy <= 1.1e-5);
    CHECK(exact.energy <= 1e-12);
    for (const Impact& x : {mid, exact}) {
      CHECK(x.deviation <= 4e-4);
      if (courant <= 0.5) CHECK(x.ripple <= 1e-3);
      CHECK(x.depth <= 1e-12);
      CHECK(std::abs(x.impulse / 200.0 - 1.0) <= 0.01);
    }
  }
}

TEST_CASE("where in a step a massless bar hits the wall decides nothing at small steps") {
  for (double phase : {0.25, 0.5, 0.75}) {
    CAPTURE(phase);
    struct Row {
      const char* name;
      SchemeChoice scheme;
    };
    for (const Row& row :
         {Row{"moreau-jean", MoreauJeanOptions{}}, Row{"newmark", NewmarkOptions{}},
          Row{"runge-kutta", RungeKuttaOptions{}},
          Row{"central-difference", CentralDifferenceOptions{}},
          Row{"discrete-gradient", DiscreteGradientOptions{}}}) {
      const Impact x = hit(BarKind::massless, row.scheme, 0.2, phase);
      tell(fmt::format("{}, h = 0.2 dx/c, impact at {} h", row.name, phase), x);
      CHECK(std::abs(x.left) < 1e-4);
      CHECK(x.ripple < 1e-3);
      CHECK(x.depth <= 1e-12);
    }
    // at any step
    CHECK(hit(BarKind::massless, DiscreteGradientOptions{}, 1.0, phase).energy <= 1e-12);
  }
}

TEST_CASE("the same bar with mass at the wall loses energy, goes through the wall and ripples") {
  const Impact with = hit(BarKind::finite_elements, MoreauJeanOptions{}, 0.5, 0.3),
               without = hit(BarKind::massless, MoreauJeanOptions{}, 0.5, 0.3);
  tell("mass at the wall, e = 0", with);
  tell("no mass at the wall", without);
  CHECK(with.left < -1e-3);
  CHECK(with.depth > 1e-3);
  CHECK(with.ripple > 3.0 * without.ripple);
  CHECK(with.deviation > 2.0 * without.deviation);
}

TEST_CASE("through contact of massless nodes schemes of order two keep it") {
  const auto end = [](const SchemeChoice& scheme, int steps) {
    const FallingBar bar = falling_bar(BarKind::massless, 10, 0.0, 0.5);
    Simulation sim = let_fall(bar, -kSpeed, scheme, 1.0 / steps, 0.5);
    for (int k = 0; k < steps; ++k) REQUIRE(sim.advance().converged);
    return Vector(sim.state().groups[0].q);
  };
  const Vector exact = end(RungeKuttaOptions{}, 200000);
  struct Row {
    const char* name;
    SchemeChoice scheme;
  };
  for (const Row& row : {Row{"moreau-jean", MoreauJeanOptions{}}, Row{"newmark", NewmarkOptions{}},
                         Row{"central-difference", CentralDifferenceOptions{}},
                         Row{"discrete-gradient", DiscreteGradientOptions{}}}) {
    // the place of the kink in its step wanders: the order is that over a factor of 16
    const double coarse = (end(row.scheme, 500) - exact).norm(),
                 fine = (end(row.scheme, 8000) - exact).norm(),
                 order = std::log2(coarse / fine) / 4.0;
    MESSAGE(fmt::format("{}: {:.1e} m at 2 ms, order {:.2f}", row.name, coarse, order));
    CHECK(order > 1.8);
    CHECK(order < 2.3);
  }
}

TEST_CASE("a block dropped on its massless face keeps its energy, and the floor its momentum") {
  FemSystem system;
  system.mesh = box_mesh({ElementKind::hex8, {4, 4, 6}, Vector3(0.2, 0.2, 0.3), Vector3::Zero()});
  FemMaterial m;
  m.material.law = MaterialLaw::linear;
  m.material.young = 1e6;
  m.material.poisson = 0.3;
  m.material.density = 1000.0;
  system.materials.push_back(m);
  system.gravity = Vector3(0.0, 0.0, -9.81);
  std::vector<NodeStop> stops;
  // a slope: the edge meets it first
  const Vector3 up = Vector3(0.05, 0.02, 1.0).normalized();
  for (int a : system.mesh.node_sets.at("z0")) stops.push_back({a, Vector3(0.0, 0.0, -0.01), up});
  const auto body = std::make_shared<RedistributedMass>(system, stops);
  CHECK(body->fem().moments_kept() == MomentsKept::inertia);
  const int n = body->positions();
  const double mass = body->fem().total_mass();
  CHECK(mass == doctest::Approx(12.0).epsilon(1e-12));
  Matrix axes = Matrix::Zero(n, 3);  // rigid motion along them
  for (int dof = 0; dof < static_cast<int>(3 * system.mesh.nodes.cols()); ++dof)
    if (const int j = body->free_index(dof); j >= 0) axes(j, dof % 3) = 1.0;
  const Vector v = -axes.col(2);
  const double E0 = body->energy(0.0, Vector::Zero(n), v).total();
  for (const bool exact : {true, false}) {
    const SchemeChoice scheme =
        exact ? SchemeChoice(DiscreteGradientOptions{}) : SchemeChoice(MoreauJeanOptions{});
    Simulation sim{Model(one_group({body, Vector::Zero(n), v}, scheme, 5e-4))};
    const auto momentum = [&] {
      const Vector now = velocity_of(sim);
      Vector p(n);
      body->multiply({1.0, 0.0, 0.0}, 0.0, now, now, now, p);
      return Vector3(axes.transpose() * p);
    };
    double energy = 0.0, drift = 0.0, unexplained = 0.0, pull = 0.0, depth = 0.0;
    int most = 0;
    Vector gap(static_cast<Eigen::Index>(stops.size()));
    for (int k = 0; k < 200; ++k) {
      const Vector3 before = momentum();
      REQUIRE(sim.advance().converged);
      const Vector& lambda = sim.reactions(0);
      REQUIRE(lambda.size() == gap.size());
      const Vector3 gained = sim.state().h * (lambda.sum() * up + mass * system.gravity);
      drift = std::max(drift, (momentum() - before - gained).norm());
      const Vector& q = sim.state().groups[0].q;
      body->gaps(q, gap);
      depth = std::max(depth, -gap.minCoeff());
      pull = std::max(pull, -lambda.minCoeff());
      most = std::max(most, static_cast<int>((lambda.array() > 1e-9).count()));
      energy =
          std::max(energy, std::abs(body->energy(0.0, q, velocity_of(sim)).total() / E0 - 1.0));
      unexplained = std::max(unexplained, std::abs(sim.state().ledger.back()));
    }
    MESSAGE(fmt::format(
        "{}: energy {:.1e}, momentum {:.1e} N s, unexplained {:.1e} J, {} nodes at most",
        exact ? "discrete gradient" : "midpoint rule", energy, drift, unexplained, most));
    CHECK(most >= 10);
    CHECK(pull <= 1e-9);
    CHECK(depth <= 1e-15);
    // the discrete gradient pays for its energy with the momentum of the steps in which nodes meet the floor
    if (exact) {
      CHECK(energy <= 1e-10);
      CHECK(unexplained <= 1e-10 * E0);
    } else {
      CHECK(energy <= 5e-3);
      CHECK(drift <= 1e-11 * mass);
    }
  }
}

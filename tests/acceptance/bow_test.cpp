// Friction on bodies given by their modes: a mass on a spring as one mode (B21), a string under a bow.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <vector>

#include "../support/contacts.h"
#include "../support/golden.h"
#include "run_scene.h"
#include "saltus/bodies/modal.h"
#include "saltus/bodies/particles.h"

using namespace saltus;
using namespace saltus::test;

namespace {

/// A golden value of B21.
double b21(const std::string& quantity) {
  for (const TableRow& row : read_table(golden("benchmarks/benchmarks.csv"), ','))
    if (row[0] == "B21" && row[3] == quantity) return number(row[4]);
  FAIL("no such benchmark: B21/" << quantity);
  return 0.0;
}

/// One point that moves by itself: a mode of shape 1.
MovingBody one_mode(double mass, double omega, double q, double v) {
  return {std::make_shared<Modal>(Vector::Constant(1, mass), Vector::Constant(1, omega),
                                  Vector::Zero(1), tabulated_shapes({0.0}, Matrix::Ones(1, 1))),
          Vector::Constant(1, q), Vector::Constant(1, v)};
}

VelocityWeakeningOptions falling(double ratio, double speed) { return {ratio, speed}; }

/// What a string under a bow does, from `settled` on.
struct Bowed {
  std::vector<double> releases;  ///< times at which it breaks loose [s]
  std::vector<double> slips;     ///< how long each slip lasts [s]
  double fastest = 0.0;          ///< slip of the string against the bow [m/s]
  double stuck = 0.0;            ///< fraction of the time
  double largest_energy = 0.0, unexplained = 0.0, drift = 0.0;  ///< [J]
  double friction = -1e300;  ///< largest work of friction in a step [J]
  double after = 0.0;        ///< worst residual of the law after the steps
  int passes = 0;
  double height = 0.0;  ///< of the string at the bow in the end [m]

  /// Mean time from release to release, those that follow within a tenth of `period` taken for one.
  double period(double period) const {
    std::vector<double> apart;
    for (const double t : releases)
      if (apart.empty() || t - apart.back() > 0.1 * period) apart.push_back(t);
    REQUIRE(apart.size() > 10);
    return (apart.back() - apart.front()) / static_cast<double>(apart.size() - 1);
  }
};

Bowed bow(const std::vector<std::string>& set, double settled, double speed = 0.2) {
  Bowed x;
  bool sticks = true, mean = false;
  double since = 0.0, before = 0.0;
  long steps = 0, stuck = 0;
  std::vector<std::string> all{"outputs[0].csv=a.csv"};
  for (const std::string& entry : set) {
    all.push_back(entry);
    mean = mean || entry == "contacts[0].law.slip=mean";
  }
  const Shown shown =
      run_example("bowed_string.yaml", all, [&](const Simulation& sim, const StepReport& report) {
        const double v = sim.probe(0), t = sim.state().t;
        const double slip = mean ? 0.5 * (before + v) - speed : v - speed;
        before = v;
        x.largest_energy = std::max(x.largest_energy, sim.state().energy.total());
        x.unexplained = std::max(x.unexplained, std::abs(report.unexplained));
        x.friction = std::max(x.friction, report.friction);
        x.after = std::max(x.after, report.residual_after);
        x.passes = std::max(x.passes, report.passes);
        const bool now = std::abs(slip) <= 1e-9 * speed;
        if (t >= settled) {
          ++steps;
          stuck += now;
          x.fastest = std::max(x.fastest, std::abs(slip));
          if (sticks && !now) x.releases.push_back(t);
          if (!sticks && now && !x.releases.empty()) x.slips.push_back(t - since);
        }
        if (sticks && !now) since = t;
        sticks = now;
      });
  CHECK(shown.converged);
  x.stuck = static_cast<double>(stuck) / static_cast<double>(steps);
  double explained = 0.0;
  for (const char* name : {"damping", "prescribed", "friction", "impact", "scheme"})
    explained += account(shown.sim, name);
  x.drift = std::abs(shown.sim.state().energy.total() - shown.sim.state().energy_start - explained);
  const Probe& probe = shown.sim.model().probes()[0];
  Eigen::Matrix<double, 1, 1> y;
  PointScratch scratch;
  probe.table->apply(shown.sim.state().groups[0].q, scratch, y);
  x.height = y[0];
  return x;
}

const double kLength = 0.33, kPlace = 0.042;
const double kPeriod = 2.0 * kLength / std::sqrt(44.0 / 2.63e-3);  ///< of the string [s]

}  // namespace

TEST_CASE("B21 as one mode: dry friction stops it after three half cycles") {
  const double period = 0.2 * std::numbers::pi, h = 1e-3 * period;
  const SchemeChoice schemes[] = {ModalExactOptions{}, MoreauJeanOptions{}};
  for (const SchemeChoice& scheme : schemes)
    for (const bool mean : {false, true}) {
      ModelParts parts = one_group(one_mode(1.0, 10.0, 0.1, 0.0), scheme, h);
      Relay law = relay_law(1.5);
      law.slip = mean ? Slip::mean : Slip::end;
      add_pair(parts, {0, {0, 0, Vector3::Zero()}}, world(), Vector3::UnitZ(), law);
      Simulation sim{Model(parts)};
      CAPTURE(sim.model().groups()[0].scheme->name());
      CAPTURE(mean);
      const double behind =
          h * (1.0 - sim.model().groups()[0].scheme->velocity_at() + (mean ? 0.5 : 0.0));
      int half_cycles = 0;
      double sign = 0.0, stop = 0.0, x0 = 0.1, unexplained = 0.0, gain = 0.0;
      while (sim.state().t < 1.5) {
        const StepReport report = sim.advance();
        REQUIRE(report.converged);
        unexplained = std::max(unexplained, std::abs(report.unexplained));
        gain = std::max(gain, report.friction);
        const double x = sim.state().groups[0].q[0];
        if (std::abs(impulse_of(sim, 1)[0]) >= 1.5 * h * (1.0 - 1e-9)) {
          const double s = x > x0 ? 1.0 : -1.0;
          if (s != sign) ++half_cycles;
          sign = s;
          stop = 0.0;
        } else if (stop == 0.0) {
          stop = sim.state().t - behind;  // the instant to which the slip of the step belongs
        }
        x0 = x;
      }
      const double place = sim.state().groups[0].q[0], lost = -account(sim, "friction");
      CHECK(half_cycles == static_cast<int>(b21("number of half cycles before it sticks")));
      CHECK(std::abs(place - b21("final position")) <= 1e-5);
      CHECK(std::abs(stop - b21("time of final stop")) <= 2.0 * h * (1.0 + 1e-9));
      CHECK(std::abs(lost - b21("energy dissipated")) <= 1e-4 * 0.495);
      CHECK(unexplained <= 1e-10 * 0.5);
      if (mean) CHECK(gain <= 1e-16);
      MESSAGE(fmt::format("{}, {} slip: position {:.2e} m off, stop {:.2e} s, energy {:.2e} J",
                          sim.model().groups()[0].scheme->name(), mean ? "mean" : "end",
                          place - b21("final position"), stop - b21("time of final stop"),
                          lost - b21("energy dissipated")));
    }
}

TEST_CASE("a bowed string of 100 modes sticks and slips once a period, as Helmholtz saw it") {
  const double beta = kPlace / kLength, V = 0.2;
  const Bowed x = bow({}, 0.25);
  const double T = x.period(kPeriod), periods = 0.25 / kPeriod;
  CHECK(std::abs(T / kPeriod - 1.0) <= 0.005);
  CHECK(std::abs(static_cast<double>(x.releases.size()) - periods) <= 1.5);  // once a period
  REQUIRE(!x.slips.empty());
  const auto [shortest, longest] = std::minmax_element(x.slips.begin(), x.slips.end());
  // of an ideal string: it slips for beta T at V/beta against the bow
  CHECK(std::abs(*shortest / (beta * T) - 1.0) <= 0.06);
  CHECK(std::abs(*longest / (beta * T) - 1.0) <= 0.06);
  CHECK(std::abs(x.stuck - (1.0 - beta)) <= 0.02);
  CHECK(std::abs(x.fastest / (V / beta) - 1.0) <= 0.15);  // ripples run behind the corner
  CHECK(x.unexplained <= 1e-10 * x.largest_energy);
  CHECK(x.drift <= 1e-10 * x.largest_energy);
  CHECK(x.after <= 1e-10);
  CHECK(x.passes <= 15);
  MESSAGE(fmt::format(
      "period {:.6f} of the string's, slips {:.4f} to {:.4f} of it (ideal {:.4f}), fastest {:.2f} "
      "m/s (ideal {:.2f}), unexplained {:.1e} a step and {:.1e} in all of the energy, friction "
      "work at most {:.1e} J a step, law {:.1e} after, {} passes",
      T / kPeriod, *shortest / T, *longest / T, beta, x.fastest, V / beta,
      x.unexplained / x.largest_energy, x.drift / x.largest_energy, x.friction, x.after, x.passes));
}

TEST_CASE(
    "under the mean slip the friction of a bow never does positive work, and the string sounds the "
    "same note") {
  const Bowed x = bow({"contacts[0].law.slip=mean"}, 0.25);
  CHECK(x.friction <= 1e-15 * x.largest_energy);
  CHECK(x.unexplained <= 1e-10 * x.largest_energy);
  CHECK(x.drift <= 1e-10 * x.largest_energy);
  CHECK(x.after <= 1e-10);
  CHECK(std::abs(x.period(kPeriod) / kPeriod - 1.0) <= 0.005);
  MESSAGE(fmt::format(
      "friction work at most {:.1e} of the energy in a step, stuck {:.3f} of the time, {} releases "
      "in {:.1f} periods, period {:.6f} of the string's",
      x.friction / x.largest_energy, x.stuck, x.releases.size(), 0.25 / kPeriod,
      x.period(kPeriod) / kPeriod));
}

TEST_CASE("a bowed string goes on bit for bit from a state in the middle of its motion") {
  const std::vector<std::string> set{"time.end=40 ms"};
  std::optional<State> middle;
  const Shown whole =
      run_example("bowed_string.yaml", set, [&](const Simulation& sim, const StepReport&) {
        if (sim.state().step == 2000) middle = sim.state();
      });
  REQUIRE(middle);
  Simulation resumed{whole.sim.model(), *middle};
  while (resumed.state().step < whole.sim.state().step) resumed.advance();
  CHECK(resumed.state().groups[0].q == whole.sim.state().groups[0].q);
  CHECK(resumed.state().groups[0].v == whole.sim.state().groups[0].v);
  CHECK(resumed.state().ledger == whole.sim.state().ledger);
}

TEST_CASE(
    "a bow whose friction does not fall with the slip lets the string come to rest beside it") {
  // at rest under a force F at a, with N modes:  u(a) = 2 F L/(pi^2 T) sum_j sin^2(j pi a/L)/j^2
  const Bowed x = bow({"contacts[0].law.velocity_weakening.ratio=1", "time.end=3 s"}, 2.5);
  CHECK(x.releases.empty());
  CHECK(x.stuck == 0.0);
  double sum = 0.0;
  for (int j = 1; j <= 100; ++j)
    sum += std::pow(std::sin(j * std::numbers::pi * kPlace / kLength) / j, 2);
  const double exact = 2.0 * 0.5 * kLength / (std::numbers::pi * std::numbers::pi * 44.0) * sum;
  CHECK(std::abs(x.height / exact - 1.0) <= 1e-3);
  CHECK(x.unexplained <= 1e-10 * x.largest_energy);
  MESSAGE(fmt::format("hangs {:.4f} mm aside, exact {:.4f} mm", 1e3 * x.height, 1e3 * exact));
}

TEST_CASE(
    "a relay on a moving belt: the drive gives twice what the block gets, friction takes half") {
  for (const bool mean : {false, true}) {
    CAPTURE(mean);
    ModelParts parts = one_group(one_mode(2.0, 0.0, 0.0, 0.0), MoreauJeanOptions{}, 1e-3);
    Relay law = relay_law(3.0);
    law.velocity = 0.5;
    law.slip = mean ? Slip::mean : Slip::end;
    add_pair(parts, {0, {0, 0, Vector3::Zero()}}, world(), Vector3::UnitZ(), law);
    Simulation sim{Model(parts)};
    for (int k = 0; k < 1000; ++k) {
      const StepReport report = sim.advance();
      REQUIRE(report.converged);
      CHECK(report.friction <= 1e-16);
    }
    const double v = sim.state().groups[0].v[0];
    const double energy = 0.5 * 2.0 * v * v;
    CHECK(v == doctest::Approx(0.5).epsilon(mean ? 1e-2 : 1e-14));
    CHECK(account(sim, "prescribed") == doctest::Approx(2.0 * 0.5 * v).epsilon(1e-13));
    CHECK(std::abs(account(sim, "prescribed") + account(sim, "friction") - energy) <= 1e-14);
  }
}

TEST_CASE(
    "where friction falls steeply both sticking and slipping hold, and the contact goes on as it "
    "was") {
  // w h F = 1 m/s for w h F (1 - ratio) = 0.5 m/s against a speed of 0.01 m/s: sticks up to |b| = 1 m/s, slips on above
  // about 0.6 m/s
  const double m = 1.0, h = 1e-3, F = 1000.0;
  for (const double v : {0.7, 0.8, 0.95})
    for (const bool slipping : {false, true}) {
      CAPTURE(v);
      CAPTURE(slipping);
      Relay law = relay_law(F);
      law.velocity_weakening = falling(0.5, 0.01);
      // the same free velocity v at the end of the step: from motion, or from rest under a load
      MovingBody body = one_mode(m, 0.0, 0.0, slipping ? v : 0.0);
      if (!slipping)
        body.dynamics =
            std::make_shared<Modal>(Vector::Constant(1, m), Vector::Zero(1), Vector::Zero(1),
                                    tabulated_shapes({0.0}, Matrix::Ones(1, 1)), ModalPlacement{},
                                    Vector::Constant(1, m * v / h));
      ModelParts parts = one_group(body, MoreauJeanOptions{}, h);
      add_pair(parts, {0, {0, 0, Vector3::Zero()}}, world(), Vector3::UnitZ(), law);
      Simulation sim{Model(parts)};
      const StepReport report = sim.advance();
      REQUIRE(report.converged);
      CHECK(report.passes <= 10);
      CHECK(report.residual_after <= 1e-10);
      const double after = sim.state().groups[0].v[0];
      if (!slipping) {
        CHECK(std::abs(after) <= 1e-15);
        continue;
      }
      // x + w h F (r + (1 - r) s/(s + x)) = v, the larger root
      const double r = 0.5, s = 0.01, c = h * F / m;
      const double half = 0.5 * (v - c * r - s), root = half * half - s * (c - v);
      REQUIRE(root > 0.0);
      CHECK(after == doctest::Approx(half + std::sqrt(root)).epsilon(1e-9));
    }
  // below the fold nothing slips
  Relay law = relay_law(F);
  law.velocity_weakening = falling(0.5, 0.01);
  ModelParts parts = one_group(one_mode(m, 0.0, 0.0, 0.55), MoreauJeanOptions{}, h);
  add_pair(parts, {0, {0, 0, Vector3::Zero()}}, world(), Vector3::UnitZ(), law);
  Simulation sim{Model(parts)};
  REQUIRE(sim.advance().converged);
  CHECK(std::abs(sim.state().groups[0].v[0]) <= 1e-15);
}

TEST_CASE(
    "a block slides to rest under Coulomb friction that falls with the slip, in the time of its "
    "equation of motion") {
  // v' = -mu g (r + (1 - r) s/(s + v)):  t = int dv/(mu g f(v)),  f = (r v + s)/(v + s)
  const double mu = 0.6, r = 0.4, s = 0.3, v0 = 2.0, g = 9.81;
  const double exact = (v0 / r + (s - s / r) / r * std::log((r * v0 + s) / s)) / (mu * g);
  double before = 0.0;
  for (const double h : {2e-3, 1e-3, 5e-4}) {
    const std::string text = fmt::format(
        "saltus: 1\ntime: {{end: 1, step: {}}}\nbodies:\n  - {{name: block, kind: particles, "
        "particles: {{mass: [2], positions: [[0, 0, 0]], velocities: [[1.2, 1.6, 0]], gravity: [0, "
        "0, -9.81]}}, scheme: moreau-jean}}\ncontacts:\n  - {{on: block, against: {{plane: {{}}}}, "
        "law: {{kind: newton-impact, friction: {}, slip: mean, falling: {{ratio: {}, speed: {}}}}}"
        "}}\n",
        h, mu, r, s);
    double stop = 0.0, last = v0, off = 0.0, way = 0.0;
    const Shown shown = run_text(text, {}, [&](const Simulation& sim, const StepReport& report) {
      const Vector v = velocity_of(sim);
      const double speed = v.head(2).norm();
      CHECK(report.friction <= 1e-15);
      CHECK(report.residual_after <= 1e-10);
      if (stop == 0.0 && speed > 1e-3) off = std::max(off, std::abs(v[0] * 1.6 - v[1] * 1.2));
      // the line through the speed of the last step of sliding
      if (stop == 0.0 && (speed >= last || speed <= mu * g * h))
        stop = sim.state().t - h + last / (mu * g);
      last = speed;
      way = sim.state().groups[0].q.head(2).norm();
    });
    CHECK(shown.converged);
    CHECK(shown.worst_unexplained <= 1e-12);
    CHECK(off <= 1e-12);  // straight on
    CHECK(std::abs(stop - exact) <= 2.0 * h);
    CHECK(way > 0.5 * v0 * exact * 0.9);
    MESSAGE(fmt::format("h = {} s: stops after {:.6f} s, exact {:.6f} s", h, stop, exact));
    before = stop;
  }
  CHECK(std::abs(before - exact) <= 1e-3);
}

// Friction, simultaneous impacts and springs in contact against independent values (tests/golden/benchmarks, B04 to B21,
// and tests/golden/solfec, a block on a table).
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <string_view>

#include "../support/contacts.h"
#include "../support/golden.h"
#include "run_scene.h"
#include "saltus/bodies/auto_model.h"
#include "saltus/bodies/mechanisms.h"
#include "saltus/bodies/particles.h"

using namespace saltus;
using namespace saltus::test;

namespace {

const double kPi = std::numbers::pi;

/// Quantities to a tolerance that no run of fixed steps meets: event_benchmarks_test.cpp.
constexpr std::array<std::string_view, 1> kNeedEvents{
    "B12/1/duration constant (t = C d/v)",  // 1e-10 of a time between two events
};

/// A quantity as a run of fixed steps gives it.
struct Measured {
  double value, tolerance;
  std::string how, text = {};  ///< text: of a quantity that is no number
};
using Quantities = std::map<std::string, Measured>;

double reference(const std::string& key) {
  for (const TableRow& row : read_table(golden("benchmarks/benchmarks.csv"), ','))
    if (row[0] + "/" + row[1] + "/" + row[3] == key) return number(row[4]);
  FAIL("no such benchmark: " << key);
  return 0.0;
}

/// Every row of these ids is measured within its tolerance, or is left by name to event-driven integration.
void check_rows(const std::string& id, const Quantities& measured) {
  std::size_t rows = 0, left = 0;
  for (const TableRow& row : read_table(golden("benchmarks/benchmarks.csv"), ',')) {
    if (row[0] != id) continue;
    const std::string key = row[0] + "/" + row[1] + "/" + row[3];
    CAPTURE(key);
    if (std::find(kNeedEvents.begin(), kNeedEvents.end(), key) != kNeedEvents.end()) {
      ++left;
      CHECK(measured.count(key) == 0);
      continue;
    }
    const auto at = measured.find(key);
    REQUIRE_MESSAGE(at != measured.end(), "not measured: " << key);
    ++rows;
    if (!at->second.text.empty()) {
      CHECK(at->second.text == row[4]);
      MESSAGE(key << " = " << at->second.text);
      continue;
    }
    const double off = std::abs(at->second.value - number(row[4]));
    CHECK(off <= at->second.tolerance);
    MESSAGE(fmt::format("{} = {:.9g} {}, off by {:.2e} (allowed {:.2e}: {}; {})", key,
                        at->second.value, row[5], off, at->second.tolerance, row[8],
                        at->second.how));
  }
  CHECK(rows == measured.size());
  CHECK(rows + left > 0);
}

/// Where the cubic through the ends of a step, with their rates, has its zero: fraction of the step, from 0 to 1.
double zero_of_step(double y0, double v0, double y1, double v1, double h) {
  double s = y0 / (y0 - y1);
  const double d = y1 - y0, a = h * v0 - d, b = d - h * v1;
  for (int i = 0; i < 30; ++i) {
    const double y = y0 + s * d + s * (1.0 - s) * ((1.0 - s) * a + s * b);
    const double slope = d + (1.0 - 2.0 * s) * ((1.0 - s) * a + s * b) + s * (1.0 - s) * (b - a);
    s -= y / slope;
  }
  return s;
}

/// A ball in the plane of x and z, q = (x, z, angle), positive in the sense of rolling along +x. Its point is the place
/// on the ground that the lower pole has slid to, of rate (vx - r omega, 0, vz).
struct Ball {
  static constexpr int size = 3;
  static constexpr bool constant_mass = true, symmetric = true;
  static constexpr int points = 1;
  double m = 1.0, r = 0.1, gravity = 0.0, k = 0.4;

  auto kinetic(const auto&, const auto& v) const {
    return 0.5 * m * (v[0] * v[0] + v[1] * v[1] + k * r * r * v[2] * v[2]);
  }
  auto potential(const auto& q) const { return m * gravity * q[1]; }
  void point(int, const auto& q, auto& x) const {
    x[0] = q[0] - r * q[2];
    x[1] = 0.0 * q[0];
    x[2] = q[1] - r;
  }
  std::string point_name(int) const { return "pole"; }
};

/// The ball on the plane z = 0.
Simulation ball_on_plane(const Ball& ball, const Vector3& velocity, const AnyLaw& law, double h) {
  const MovingBody body{std::make_shared<Lagrangian>(auto_model(ball)), Vector{{0.0, ball.r, 0.0}},
                        Vector(velocity)};
  ModelParts parts = one_group(body, MoreauJeanOptions{}, h);
  add_pair(parts, {0, {}}, world(), Vector3::UnitZ(), law, {Vector3::UnitX()});
  return Simulation{Model(parts)};
}

}  // namespace

TEST_CASE("B04: a particle slides up a slope with friction, stops and stays") {
  const double slope = 20.0 * kPi / 180.0, h = 1e-3;
  const Vector3 up(std::cos(slope), 0.0, std::sin(slope));
  double stop = 0.0, distance = 0.0, creep = 0.0, ratio = 0.0, largest = 0.0;
  const Shown shown = run_text(
      fmt::format("saltus: 1\ntime: {{end: 2, step: {}}}\nbodies:\n  - {{name: block, kind: "
                  "particles, particles: {{mass: [1], positions: [[0, 0, 0]], velocities: "
                  "[[{:.17g}, 0, {:.17g}]], gravity: [0, 0, -9.81]}}}}\ncontacts:\n  - {{on: "
                  "block, against: {{plane: {{normal: [{:.17g}, 0, {:.17g}]}}}}, law: {{kind: "
                  "newton-impact, friction: 0.5}}}}\n",
                  h, 3.0 * up[0], 3.0 * up[2], -up[2], up[0]),
      {}, [&](const Simulation& sim, const StepReport& report) {
        const double v = velocity_of(sim).norm();
        if (stop == 0.0 && v <= 1e-12) {
          stop = sim.state().t;
          distance = sim.state().groups[0].q.dot(up);
        }
        if (stop > 0.0) creep = std::max(creep, v);
        CHECK(report.contacts == 1);
        const Vector3 P = impulse_of(sim, sim.model().pairs()[0].key);
        ratio = std::hypot(P[1], P[2]) / P[0];
        largest = std::max(largest, ratio);
      });
  CHECK(shown.converged);
  CHECK(largest <= 0.5 * (1.0 + 1e-14));
  CHECK(std::abs(account(shown.sim, "friction") + shown.sim.state().energy_start -
                 shown.sim.state().energy.total()) <= 1e-12);
  check_rows("B04",
             {{"B04/1/stop time (apex)", {stop, h, "h = 1 ms"}},
              {"B04/1/distance up-slope", {distance, 1e-3 * distance, "h = 1 ms"}},
              {"B04/1/creep velocity afterwards", {creep, 1e-12, "largest in 1.6 s of rest"}},
              {"B04/1/friction force/normal force at rest", {ratio, 1e-8, "impulses of a step"}}});
}

TEST_CASE("B05: a ball slides, then rolls") {
  const double h = 1e-3, g = 9.81, r = 0.108;
  Simulation sim = ball_on_plane({1.0, r, g, 0.4}, Vector3(5.0, 0.0, 0.0), newton_law(0.0, 0.3), h);
  double rolls = 0.0, distance = 0.0, invariant = 0.0, creep = 0.0;
  double slip0 = 5.0;
  for (int k = 0; k < 1000; ++k) {
    const double x0 = sim.state().groups[0].q[0];
    REQUIRE(sim.advance().converged);
    const Vector &q = sim.state().groups[0].q, &v = sim.state().groups[0].v;
    const double slip = v[0] - r * v[2];
    if (rolls == 0.0 && slip <= 1e-12) {
      // of the line through the slip of the steps before
      const double rate = 3.5 * 0.3 * g, inside = slip0 / rate;
      rolls = sim.state().t - h + inside;
      distance = x0 + inside / h * (q[0] - x0);
    }
    if (rolls > 0.0) creep = std::max(creep, std::abs(slip));
    slip0 = slip;
    invariant = v[0] * r + 0.4 * r * r * v[2];
  }
  CHECK(creep <= 1e-12);
  const Vector& v = sim.state().groups[0].v;
  const double lost = sim.state().energy_start - sim.state().energy.total();
  CHECK(std::abs(account(sim, "friction") + lost) <= 1e-12);
  // On a slope: slip begins where the friction that rolling needs exceeds mu. tan = mu (1 + 1/k), found by halving.
  double low = 0.5, high = 2.0;
  while (high - low > 1e-6) {
    const double tan = 0.5 * (low + high), cos = 1.0 / std::hypot(1.0, tan);
    Ball ball{1.0, r, g * cos, 0.4};
    LagrangianOptions options;
    options.loads.push_back({{{0, 1.0}}, Signal::constant(g * cos * tan)});
    const MovingBody body{std::make_shared<Lagrangian>(auto_model(ball), options),
                          Vector{{0.0, r, 0.0}}, Vector::Zero(3)};
    ModelParts parts = one_group(body, MoreauJeanOptions{}, h);
    add_pair(parts, {0, {}}, world(), Vector3::UnitZ(), newton_law(0.0, 0.3), {Vector3::UnitX()});
    Simulation down{Model(parts)};
    for (int k = 0; k < 100; ++k) REQUIRE(down.advance().converged);
    const Vector& after = down.state().groups[0].v;
    (std::abs(after[0] - r * after[2]) <= 1e-12 ? low : high) = tan;
  }
  const double speed = reference("B05/1/final speed"),
               momentum =
                   reference("B05/1/angular momentum about contact line per mass (invariant)"),
               energy = reference("B05/1/energy lost per mass"),
               time = reference("B05/1/time at which pure rolling starts");
  check_rows(
      "B05",
      {{"B05/1/time at which pure rolling starts",
        {rolls, 1e-3 * time, "h = 1 ms, line through the slip"}},
       {"B05/1/final speed", {v[0], 1e-6 * speed, "h = 1 ms"}},
       {"B05/1/distance slid",
        {distance, 1e-3 * reference("B05/1/distance slid"), "h = 1 ms, inside the last step"}},
       {"B05/1/energy lost per mass", {lost, 1e-6 * energy, "h = 1 ms"}},
       {"B05/1/angular momentum about contact line per mass (invariant)",
        {invariant, 1e-12 * momentum, "after 1 s"}},
       {"B05/1/critical tan(slope) for rolling from rest", {low, 1e-4, "by halving"}}});
}

TEST_CASE("B06: three balls in touch share an impact as Newton's and Poisson's laws say") {
  // gaps between the balls [m]
  const auto cradle = [](const std::string& law, double gap, double h, double end) {
    std::string text =
        fmt::format("saltus: 1\ntime: {{end: {:.17g}, step: {:.17g}}}\nbodies:\n", end, h);
    for (int i = 0; i < 3; ++i)
      text += fmt::format(
          "  - {{name: ball{}, kind: particles, particles: {{mass: [1], positions: "
          "[[{:.17g}, 0, 0]], velocities: [[{}, 0, 0]]}}}}\n",
          i, i * gap, i == 0 ? 1 : 0);
    text += "contacts:\n";
    for (int i = 0; i < 2; ++i)
      text += fmt::format(
          "  - {{on: ball{}, against: {{body: ball{}, normal: [1, 0, 0]}}, law: "
          "{{kind: {}, restitution: 1}}}}\n",
          i + 1, i, law);
    return text;
  };
  for (const char* law : {"newton-impact", "poisson-impact"}) {
    CAPTURE(std::string(law));
    std::array<double, 2> impulse{};
    const Shown shown =
        run_text(cradle(law, 0.0, 0.1, 0.1), {}, [&](const Simulation& sim, const StepReport&) {
          for (std::size_t i = 0; i < 2; ++i)
            impulse[i] += impulse_of(sim, sim.model().pairs()[i].key)[0];
        });
    CHECK(shown.converged);
    CHECK(std::abs(account(shown.sim, "impact")) <= 1e-14);
    double last = 0.0;  // 1 um apart, 0.4 um a step: one impact after the other
    const Shown apart = run_text(cradle(law, 1e-6, 4e-7, 1e-5), {},
                                 [&](const Simulation& sim, const StepReport& report) {
                                   CHECK(report.contacts <= 1);
                                   last = velocity_of(sim, 2)[0];
                                 });
    CHECK(apart.converged);
    Quantities seen;
    for (int i = 0; i < 3; ++i)
      seen[fmt::format("B06/1/v after, ball {}", i + 1)] = {velocity_of(shown.sim, i)[0], 1e-10,
                                                            law};
    for (std::size_t i = 0; i < 2; ++i)
      seen[fmt::format("B06/1/impulse contact {}", i + 1)] = {impulse[i], 1e-10, law};
    seen["B06/1/with infinitesimal gaps (sequential binary impacts): v of last ball"] = {
        last, 1e-10, std::string(law) + ", gap 1 um, 0.4 um a step"};
    check_rows("B06", seen);
  }
}

TEST_CASE("B06h: three beads pass an impact on by the force of Hertz") {
  ParticleSystem system;
  system.mass = Vector::Ones(3);
  Vector v = Vector::Zero(9);
  v[0] = 1.0;
  const double h = 2e-3;
  ModelParts parts =
      one_group({std::make_shared<Particles>(system), Vector::Zero(9), v}, MoreauJeanOptions{}, h);
  for (int i = 0; i < 2; ++i)
    add_pair(parts, {0, {0, i + 1, Vector3::Zero()}}, {0, {0, i, Vector3::Zero()}},
             Vector3::UnitX(), spring_law(1.0, 1.5));
  Simulation sim{Model(parts)};
  double unexplained = 0.0;
  int touching = 0;
  while (sim.state().t < 12.0) {
    const StepReport report = sim.advance();
    REQUIRE(report.converged);
    touching = report.contacts;
    unexplained = std::max(unexplained, std::abs(report.unexplained));
  }
  CHECK(touching == 0);
  CHECK(unexplained <= 1e-14);
  CHECK(velocity_of(sim).sum() == doctest::Approx(1.0).epsilon(1e-13));
  Quantities seen;
  for (int i = 0; i < 3; ++i)
    seen[fmt::format("B06h/1/final v bead {}", i + 1)] = {velocity_of(sim)[3 * i], 1e-5,
                                                          "compliant, middle, h = 2 ms"};
  check_rows("B06h", seen);
}

TEST_CASE("B07: a ball hits a plane obliquely and leaves it rolling") {
  // without gravity; the impact is in the first step, from a gap of 0
  const double mu = 0.1, r = 0.1;
  Simulation sim =
      ball_on_plane({1.0, r, 0.0, 0.4}, Vector3(1.0, -2.0, 0.0), newton_law(0.5, mu), 1e-3);
  const StepReport report = sim.advance();
  REQUIRE(report.converged);
  CHECK(report.contacts == 1);
  const Vector3 P = impulse_of(sim, 1);
  const Vector& v = sim.state().groups[0].v;
  const bool sticks = std::abs(v[0] - r * v[2]) <= 1e-14 && std::abs(P[1]) < mu * P[0];
  CHECK(v[1] == doctest::Approx(1.0).epsilon(1e-14));
  check_rows("B07",
             {{"B07/1/mode", {0.0, 0.0, "one step", sticks ? "stick" : "slip"}},
              {"B07/1/normal impulse", {P[0], 1e-10, "one step"}},
              {"B07/1/tangential impulse", {P[1], 1e-9, "one step"}},
              {"B07/1/vx after", {v[0], 1e-9, "one step"}},
              {"B07/1/omega_y after", {v[2], 1e-9, "one step"}},
              {"B07/1/kinetic energy after", {sim.state().energy.kinetic, 1e-9, "one step"}}});
}

namespace {

/// W of the lower end of the rod at `angle` from the horizontal, from its point rows and its mass; (n, t) = (z, x).
Eigen::Matrix2d painleve(const Dynamics& rod, double angle) {
  const Vector q{{0.0, std::sin(angle), -angle}}, still = Vector::Zero(3);
  const std::array at{PointRef{0, 1, Vector3::Zero()}};
  PointRows J;
  rod.point_rows(q, q, at, J);
  Matrix H = Matrix::Zero(2, 3);
  for (int k = J.offset[0]; k < J.offset[1]; ++k)
    for (int j = 0; j < J.width; ++j) {
      const double* block = &J.value[static_cast<std::size_t>(3 * k * J.width + j)];
      const int column = J.column[static_cast<std::size_t>(k)] + j;
      H(0, column) = block[2 * J.width];
      H(1, column) = block[0];
    }
  Factor M;
  rod.factorise({1.0, 0.0, 0.0}, 0.0, q, still, M);
  Matrix X = H.transpose();
  for (int j = 0; j < 2; ++j) {
    Vector x = X.col(j);
    solve(M, x);
    X.col(j) = x;
  }
  return H * X;
}

}  // namespace

TEST_CASE("B08: a rod that slides too fast to slide on stops with a finite impulse") {
  const double mu = 1.6, angle = std::atan(2.0);
  const auto rod = std::make_shared<Lagrangian>(planar_rod({1.0, 2.0, 0.0, 9.81}));
  const Eigen::Matrix2d W = painleve(*rod, angle);
  CHECK(std::abs(W(0, 1) - W(1, 0)) <= 1e-15);
  // least mu with W_nn < mu W_nt, over the angles, by thirds
  const auto least = [&](double at) {
    const Eigen::Matrix2d here = painleve(*rod, at);
    return here(0, 0) / here(0, 1);
  };
  double low = 0.5, high = 1.5;
  while (high - low > 1e-7) {
    const double a = low + (high - low) / 3.0, b = high - (high - low) / 3.0;
    (least(a) < least(b) ? high : low) = least(a) < least(b) ? b : a;
  }
  CHECK(std::abs(low - angle) <= 1e-6);
  // Steps of any size find an impulse, and the shorter ones that of sticking.
  Vector3 P = Vector3::Zero();
  double omega = 0.0, off_before = 0.0;
  const double h_last = 1e-8;
  for (double h = 1e-3; h > 0.5 * h_last; h *= 0.1) {
    CAPTURE(h);
    ModelParts parts =
        one_group({rod, Vector{{0.0, std::sin(angle), -angle}}, Vector{{1.0, 0.0, 0.0}}},
                  MoreauJeanOptions{}, h);
    parts.options.instant = ContactInstant::start;
    NewtonImpact law = newton_law(0.0, mu);
    law.activation.threshold = 1e-12;  // the round-off of sin(angle) in the gap
    add_pair(parts, {0, {0, 1, Vector3::Zero()}}, world(), Vector3::UnitZ(), law,
             {Vector3::UnitX()});
    Simulation sim{Model(parts)};
    const StepReport report = sim.advance();
    REQUIRE(report.converged);
    CHECK(report.contacts == 1);
    P = impulse_of(sim, 1);
    omega = sim.state().groups[0].v[2];
    const double off = std::hypot(P[0] - 0.3, P[1] + 0.4);
    if (off_before > 0.0 && off > 1e-12)
      CHECK(off_before / off == doctest::Approx(10.0).epsilon(0.01));
    off_before = off;
  }
  const std::string exact = "rows and M", how = fmt::format("first impulse, h = {:.0e} s", h_last);
  check_rows("B08", {{"B08/1/W_nn", {W(0, 0), 1e-12, exact}},
                     {"B08/1/W_nt", {W(0, 1), 1e-12, exact}},
                     {"B08/1/W_tt", {W(1, 1), 1e-12, exact}},
                     {"B08/1/A = W_nn - mu W_nt", {W(0, 0) - mu * W(0, 1), 1e-12, exact}},
                     {"B08/1/lowest mu for which A<0 at some angle", {least(low), 1e-12, exact}},
                     {"B08/1/mu at which A=0 for this angle", {W(0, 0) / W(0, 1), 1e-12, exact}},
                     {"B08/1/stick impulse p_t (limit h->0)", {P[1], 1e-6, how}},
                     {"B08/1/stick impulse p_n (limit h->0)", {P[0], 1e-6, how}},
                     {"B08/1/|p_t|/p_n", {std::abs(P[1]) / P[0], 1e-6, how}},
                     {"B08/1/angular velocity after", {omega, 1e-6, how}}});
}

TEST_CASE("B12: a sphere on an elastic ground: the force of Hertz on a point mass") {
  const double m = 0.5236, R = 0.05, E = 7e9 / (1.0 - 0.09), k = 4.0 / 3.0 * E * std::sqrt(R);
  const double deepest = reference("B12/1/max indentation"), time = reference("B12/1/contact time"),
               strongest = reference("B12/1/max force"), h = time / 4000.3;
  ParticleSystem system;
  system.mass = Vector::Constant(1, m);
  ModelParts parts =
      one_group({std::make_shared<Particles>(system), Vector::Zero(3), Vector{{0.0, 0.0, -1.0}}},
                MoreauJeanOptions{}, h);
  add_pair(parts, {0, {}}, world(), Vector3::UnitZ(), spring_law(k, 1.5));
  Simulation sim{Model(parts)};
  double depth = 0.0, left = 0.0, force = 0.0;
  std::array<double, 3> last{};  // impulses of three steps
  while (left == 0.0) {
    const double q0 = sim.state().groups[0].q[2], v0 = sim.state().groups[0].v[2];
    const StepReport report = sim.advance();
    REQUIRE(report.converged);
    const double q1 = sim.state().groups[0].q[2], v1 = sim.state().groups[0].v[2];
    if (v0 < 0.0 && v1 >= 0.0) {  // the deepest point of the cubic through the ends
      const double s = v0 / (v0 - v1), d = q1 - q0, a = h * v0 - d, b = d - h * v1;
      depth = -(q0 + s * d + s * (1.0 - s) * ((1.0 - s) * a + s * b));
    }
    last = {last[1], last[2], report.impulse / h};
    if (force == 0.0 && last[1] > last[2]) {  // the vertex of the parabola through three forces
      const double rise = 0.5 * (last[2] - last[0]), bend = last[2] - 2.0 * last[1] + last[0];
      force = last[1] - 0.5 * rise * rise / bend;
    }
    if (q0 < 0.0 && q1 >= 0.0) left = sim.state().t - h + h * zero_of_step(q0, v0, q1, v1, h);
    REQUIRE(sim.state().t < 2.0 * time);
  }
  CHECK(std::abs(left / depth / reference("B12/1/duration constant (t = C d/v)") - 1.0) <= 2e-6);
  const std::string how = "compliant, middle, 4000 steps";
  check_rows("B12", {{"B12/1/max indentation", {depth, 1e-6 * deepest, how}},
                     {"B12/1/contact time", {left, 1e-6 * time, how}},
                     {"B12/1/max force", {force, 1e-6 * strongest, how}}});
}

TEST_CASE("B21: dry friction stops a mass on a spring after three half cycles") {
  const double period = 0.2 * kPi, h = 1e-3 * period;
  int half_cycles = 0;
  double sign = 0.0, stop = 0.0, smallest_force = 1e300, largest_force = 0.0;
  const Shown shown = run_text(
      fmt::format("saltus: 1\ntime: {{end: 1.5, step: {:.17g}}}\nbodies:\n  - {{name: mass, kind: "
                  "linear, oscillator: {{mass: 1, stiffness: 100}}, initial: {{coordinates: "
                  "[0.1]}}}}\ncontacts:\n  - {{on: mass, against: {{stop: {{at: 0, side: below}}}}"
                  ", law: {{kind: relay, bound: 1.5}}}}\n",
                  h),
      {}, [&](const Simulation& sim, const StepReport&) {
        const double v = velocity_of(sim)[0];
        const double force = std::abs(impulse_of(sim, sim.model().pairs()[0].key)[0]) / h;
        if (std::abs(v) > 1e-12) {
          if (v * sign <= 0.0) ++half_cycles;
          sign = v;
          stop = 0.0;
          smallest_force = std::min(smallest_force, force);
        } else if (stop == 0.0) {
          stop = sim.state().t;
        }
        largest_force = std::max(largest_force, force);
      });
  CHECK(shown.converged);
  CHECK(largest_force <= 1.5 * (1.0 + 1e-14));
  CHECK(shown.worst_unexplained <= 1e-13);
  check_rows("B21", {{"B21/1/number of half cycles before it sticks",
                      {static_cast<double>(half_cycles), 0.0, "signs of the velocity"}},
                     {"B21/1/final position",
                      {shown.sim.state().groups[0].q[0], 1e-5, "h = 1e-3 periods"}},
                     {"B21/1/time of final stop", {stop, 2.0 * h, "h = 1e-3 periods"}},
                     {"B21/1/energy dissipated",
                      {-account(shown.sim, "friction"), 1e-4 * 0.495, "account `friction`"}}});
}

TEST_CASE("a block on a table sticks and slips as its exact motion does") {
  const auto table = read_table(golden("solfec/block_on_table.csv"), ',');
  const double h = 1e-3;
  struct Phase {
    std::string name;
    double from, x;
  };
  std::vector<Phase> seen;
  std::map<double, double> v_at{{0.15, 0.0}, {3.15, 0.0}, {6.15, 0.0}};
  double drift = 0.0, x0 = 3.0;
  const Shown shown = run_text(
      fmt::format("saltus: 1\ntime: {{end: 9, step: {}}}\nbodies:\n  - {{name: block, kind: "
                  "particles, particles: {{mass: [1], positions: [[3, 0, 0]], gravity: [0, 0, "
                  "-9.81]}}, loads: [{{dof: 0, harmonic: {{amplitude: 8, frequency: "
                  "0.15915494309189535}}}}]}}\ncontacts:\n  - {{on: block, against: {{plane: {{}}}}"
                  ", law: {{kind: newton-impact, friction: 0.8}}}}\n",
                  h),
      {}, [&](const Simulation& sim, const StepReport&) {
        const double t = sim.state().t, x = sim.state().groups[0].q[0], v = velocity_of(sim)[0];
        const std::string name = std::abs(v) <= 1e-12 ? "stick" : v > 0.0 ? "slip +" : "slip -";
        if (seen.empty() || seen.back().name != name)
          seen.push_back({name, t - h, x0});
        else if (name == "stick")
          drift = std::max(drift, std::abs(x - x0));
        for (auto& [at, value] : v_at)
          if (std::abs(t - at) < 0.5 * h) value = v;
        x0 = x;
      });
  CHECK(shown.converged);
  REQUIRE(seen.size() + 1 == table.size());
  double time = 0.0, place = 0.0;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const TableRow& row = table[i + 1];  // after the line of names
    CHECK(seen[i].name == row[0]);
    time = std::max(time, std::abs(seen[i].from - number(row[1])));
    place = std::max(place, std::abs(seen[i].x - number(row[3])));
  }
  CHECK(time <= 2.0 * h);
  CHECK(place < 2e-4);
  double speed = 0.0;
  for (const auto& [t, v] :
       {std::pair(0.15, 0.018305059789), {3.15, -0.021049450900}, {6.15, 0.002675346515}})
    speed = std::max(speed, std::abs(v_at[t] - v));
  CHECK(speed < 5e-4);
  CHECK(drift <= 1e-15);
  MESSAGE(
      fmt::format("phases begin {:.1e} s off (h = 1 ms), places {:.1e} m, velocities {:.1e} "
                  "m/s, drift in a step of sticking {:.1e} m",
                  time, place, speed, drift));
}

// What the laws of impact and friction promise, on motions that are known in closed form.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <Eigen/Geometry>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "../support/contacts.h"
#include "run_scene.h"
#include "saltus/bodies/particles.h"

using namespace saltus;
using namespace saltus::test;

namespace {

constexpr double g = 9.81;
const double kPi = std::numbers::pi;

std::string triple(const Vector3& x) {
  return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", x[0], x[1], x[2]);
}

/// A particle of 1 kg at `place` above the plane through the origin.
struct Thrown {
  Vector3 velocity = Vector3::Zero(), place = Vector3::Zero();
  Vector3 normal = Vector3::UnitZ(), gravity = Vector3::Zero();
  double h = 1e-3, end = 1e-3;
  std::string law = {}, scheme = "moreau-jean", instant = "end";
  std::string more = {};  ///< of the body, ", loads: ..."
};
Shown throw_at(const Thrown& t, const AfterStep& after = {}) {
  return run_text(
      fmt::format("saltus: 1\ntime: {{end: {:.17g}, step: {:.17g}}}\ncontact: {{instant: "
                  "{}}}\nbodies:\n  - {{name: block, "
                  "kind: particles, particles: {{mass: [1], positions: [{}], velocities: [{}], "
                  "gravity: {}}}, scheme: {}{}}}\ncontacts:\n  - {{on: block, against: {{plane: "
                  "{{normal: {}}}}}, law: {{{}}}}}\n",
                  t.end, t.h, t.instant, triple(t.place), triple(t.velocity), triple(t.gravity),
                  t.scheme, t.more, triple(t.normal), t.law),
      {}, after);
}

/// Unit vectors n and two across it.
std::array<Vector3, 3> frame(const Vector3& along) {
  const Vector3 n = along.normalized(), t = n.cross(Vector3(0.3, -1.0, 0.2)).normalized();
  return {n, t, n.cross(t)};
}

double largest(const Vector& a, const Vector& b) { return (a - b).cwiseAbs().maxCoeff(); }

}  // namespace

TEST_CASE("a ball that sticks in an impact leaves with -e_T times its tangential velocity") {
  for (const Vector3& along : {Vector3(0, 0, 1), Vector3(1, 0, 0), Vector3(-1, 2, 3)})
    for (double e_T : {0.0, 0.4, 1.0})
      for (const char* instant : {"start", "end"}) {
        const auto [n, t1, t2] = frame(along);
        const Vector3 before = -2.0 * n + 0.3 * t1 - 0.5 * t2;
        Thrown thrown{before, Vector3::Zero(), n};
        thrown.law = fmt::format(
            "kind: newton-impact, restitution: 0.5, friction: 5, restitution_tangential: {}", e_T);
        thrown.instant = instant;
        const Shown shown = throw_at(thrown);
        CHECK(shown.converged);
        const Vector3 after = velocity_of(shown.sim);
        CHECK(largest(after, 1.0 * n - e_T * (0.3 * t1 - 0.5 * t2)) <= 1e-14);
      }
}

TEST_CASE("a ball that slides in an impact loses mu times its normal impulse") {
  for (const Vector3& along : {Vector3(0, 0, 1), Vector3(1, 0, 0), Vector3(-1, 2, 3)}) {
    const auto [n, t1, t2] = frame(along);
    const Vector3 slip = 3.0 * t1 - 4.0 * t2;
    Thrown thrown{-2.0 * n + slip, Vector3::Zero(), n};
    thrown.law =
        "kind: newton-impact, restitution: 0.5, friction: 0.2, restitution_tangential: 0.4";
    const Shown shown = throw_at(thrown);
    CHECK(shown.converged);
    CHECK(largest(velocity_of(shown.sim), Vector3(1.0 * n + (1.0 - 0.2 * 3.0 / 5.0) * slip)) <=
          1e-14);
    CHECK(account(shown.sim, "impact") == doctest::Approx(-1.5).epsilon(1e-13));
    CHECK(account(shown.sim, "friction") ==
          doctest::Approx(0.5 * 25.0 * (0.88 * 0.88 - 1.0)).epsilon(1e-13));
  }
}

// A block on a table, driven through its reversals by more than friction can hold. `end` opposes the slip at the end of
// a step, although it went the other way for most of it: work of up to mu m g h times that mean slip, itself O(h).
TEST_CASE(
    "friction on the mean slip never does positive work; on the slip at the end it does a little") {
  double gained[2][2];
  for (const int halved : {0, 1})
    for (const bool mean : {false, true}) {
      const double h = halved ? 5e-4 : 1e-3;
      Thrown thrown;
      thrown.gravity = Vector3(0, 0, -g);
      thrown.h = h;
      thrown.end = 3.0;
      thrown.law =
          fmt::format("kind: newton-impact, friction: 0.5, slip: {}", mean ? "mean" : "end");
      thrown.more = ", loads: [{dof: 0, harmonic: {amplitude: 20, frequency: 1.3}}]";
      double most = -1.0, sum = 0.0;
      int reversals = 0;
      Vector before = Vector::Zero(3);
      const Shown shown = throw_at(thrown, [&](const Simulation& sim, const StepReport& report) {
        most = std::max(most, report.friction);
        sum += std::max(report.friction, 0.0);
        if (velocity_of(sim).isZero(0.0)) return;  // a step that ends stuck
        reversals += velocity_of(sim).dot(before) < 0.0;
        before = velocity_of(sim);
      });
      CHECK(shown.converged);
      CHECK(reversals >= 6);
      CHECK(std::abs(account(shown.sim, "unexplained")) <= 1e-12);
      CHECK(account(shown.sim, "friction") < -1.0);
      gained[halved][mean] = most;
      if (mean) CHECK(most <= 0.0);
      MESSAGE(fmt::format(
          "slip: {}, h = {} s: largest friction work of a step {:.2e} J, positive "
          "work in all {:.2e} J, friction {:.4f} J, {} reversals",
          mean ? "mean" : "end", h, most, sum, account(shown.sim, "friction"), reversals));
    }
  for (const int halved : {0, 1}) {
    const double h = halved ? 5e-4 : 1e-3;
    CHECK(gained[halved][0] > 0.0);
    CHECK(gained[halved][0] <= 0.5 * g * h * 30.0 * h);  // mu m g h times the acceleration times h
  }
}

TEST_CASE("fremond is newton-impact with theta = 1, and its mean slip with theta = 1/2") {
  struct Twin {
    const char *theta, *law;
  };
  for (const Twin& twin : {Twin{"1", "kind: newton-impact, restitution: 0.6, friction: 0.3"},
                           Twin{"0.5",
                                "kind: newton-impact, restitution: 0.6, friction: 0.3, slip: "
                                "mean"}}) {
    CAPTURE(std::string(twin.theta));
    std::vector<Vector> path;
    Thrown thrown{Vector3(1.0, -0.4, 0.0), Vector3(0, 0, 0.2)};
    thrown.gravity = Vector3(0, 0, -g);
    thrown.end = 2.0;
    thrown.scheme = fmt::format("{{kind: moreau-jean, theta: {}}}", twin.theta);
    thrown.law = twin.law;
    const auto record = [&](const Simulation& sim, const StepReport&) {
      path.push_back(sim.state().groups[0].q);
    };
    CHECK(throw_at(thrown, record).converged);
    double off = 0.0;
    std::size_t k = 0;
    thrown.law = "kind: fremond, restitution: 0.6, friction: 0.3";
    const Shown shown = throw_at(thrown, [&](const Simulation& sim, const StepReport&) {
      off = std::max(off, largest(sim.state().groups[0].q, path[k++]));
    });
    CHECK(shown.converged);
    CHECK(shown.contact_steps > 100);
    CHECK(off <= 1e-14);
  }
}

TEST_CASE("a block under stewart-trinkle lands on the plane itself and slides with mu g") {
  Thrown thrown{Vector3(3.0, 4.0, 0.0), Vector3(0, 0, 0.1)};
  thrown.gravity = Vector3(0, 0, -g);
  thrown.end = 0.4;
  thrown.scheme = "{kind: moreau-jean, theta: 1}";
  thrown.law = "kind: stewart-trinkle, friction: 0.4";
  double landed = 0.0, deepest = 0.0, left = 0.0, off = 0.0, impulse = 0.0, before = 5.0;
  const Shown shown = throw_at(thrown, [&](const Simulation& sim, const StepReport& report) {
    const double speed = velocity_of(sim).head(2).norm();
    if (report.contacts > 0 && landed == 0.0) landed = sim.state().t;
    impulse += report.impulse;
    deepest = std::max(deepest, -report.gap);
    if (landed > 0.0) left = std::max(left, std::abs(report.gap));
    if (landed > 0.0 && sim.state().t > landed + 2.5 * thrown.h)
      off = std::max(off, std::abs(before - speed - 0.4 * g * thrown.h));
    before = speed;
  });
  CHECK(shown.converged);
  CHECK(std::abs(landed - std::sqrt(0.2 / g)) <= thrown.h);
  CHECK(deepest <= 1e-14);
  CHECK(left <= 1e-14);
  CHECK(off <= 1e-11);
  CHECK(std::abs(5.0 - before - 0.4 * impulse) <= 1e-11);
  MESSAGE(
      fmt::format("lands at {} s, deepest {:.1e} m, gap left {:.1e} m, speed lost a step off by "
                  "{:.1e} m/s",
                  landed, deepest, left, off));
}

TEST_CASE("a block that penetrates under stewart-trinkle neither sinks further nor is thrown out") {
  for (double theta : {1.0, 0.5}) {
    CAPTURE(theta);
    ParticleSystem system;
    system.mass = Vector::Ones(1);
    system.gravity = Vector3(0, 0, -g);
    MoreauJeanOptions options;
    options.theta = theta;
    ModelParts parts =
        one_group({std::make_shared<Particles>(system), Vector{{0.0, 0.0, -1e-4}}, Vector::Zero(3)},
                  options, 1e-3);
    StewartTrinkle law;
    add_pair(parts, {0, {}}, world(), Vector3::UnitZ(), law);
    Simulation sim{Model(parts)};
    for (int k = 0; k < 200; ++k) REQUIRE(sim.advance().converged);
    CHECK(std::abs(sim.state().groups[0].q[2] + 1e-4) <= 1e-15);
    CHECK(std::abs(velocity_of(sim)[2]) <= 1e-13);
  }
}

// With gain 1 the step ends on the plane; else it may end up to h |u0| behind, once.
TEST_CASE("a block under stewart-trinkle lands without a rebound, whatever theta") {
  for (double theta : {1.0, 0.75, 0.5}) {
    CAPTURE(theta);
    Thrown thrown{Vector3::Zero(), Vector3(0, 0, 0.1)};
    thrown.gravity = Vector3(0, 0, -g);
    thrown.end = 0.3;
    thrown.scheme = fmt::format("{{kind: moreau-jean, theta: {}}}", theta);
    thrown.law = "kind: stewart-trinkle";
    double landed = 0.0, height = 0.0, depth = 0.0;
    const Shown shown = throw_at(thrown, [&](const Simulation& sim, const StepReport& report) {
      if (report.contacts > 0 && landed == 0.0) landed = sim.state().t;
      if (landed > 0.0) height = std::max(height, report.gap);
      depth = std::max(depth, -report.gap);
    });
    CHECK(shown.converged);
    CHECK(height <= thrown.h * std::sqrt(0.2 * g));
    CHECK(depth <= (theta == 1.0 ? 1e-14 : thrown.h * std::sqrt(0.2 * g)));
    MESSAGE(
        fmt::format("theta {}: {:.1e} m above, {:.1e} m below the plane after landing from 0.1 m",
                    theta, height, depth));
  }
}

TEST_CASE("Poisson's law is Newton's on one contact without friction and other forces") {
  double off = 0.0;
  for (const Vector3& along : {Vector3(0, 0, 1), Vector3(-1, 2, 3)})
    for (double e : {0.0, 0.3, 0.7, 1.0}) {
      const auto [n, t1, t2] = frame(along);
      Vector after[2];
      for (const int poisson : {0, 1}) {
        Thrown thrown{-2.0 * n + 0.3 * t1 - 0.5 * t2, 0.1 * n, n};
        thrown.end = 0.1;
        thrown.law = fmt::format("kind: {}, restitution: {}",
                                 poisson ? "poisson-impact" : "newton-impact", e);
        const Shown shown = throw_at(thrown);
        CHECK(shown.converged);
        CHECK(shown.contact_steps >= 1);
        after[poisson] = velocity_of(shown.sim);
        off = std::max(off, largest(after[poisson], 2.0 * e * n + 0.3 * t1 - 0.5 * t2));
      }
    }
  CHECK(off <= 1e-14);
}

// Compression is that of the velocities before the step: u1 = -e u0 - g h instead of -e u0. The height of a bounce
// differs by e u0 h, and a body at rest has nothing to compress.
TEST_CASE("under gravity Poisson's law bounces by a share of the step lower than Newton's") {
  double height[2];
  for (const int poisson : {0, 1}) {
    Thrown thrown{Vector3::Zero(), Vector3(0, 0, 0.2)};
    thrown.gravity = Vector3(0, 0, -g);
    thrown.end = 0.4;
    thrown.law =
        fmt::format("kind: {}, restitution: 0.7", poisson ? "poisson-impact" : "newton-impact");
    bool touched = false;
    height[poisson] = 0.0;
    CHECK(throw_at(thrown, [&](const Simulation&, const StepReport& report) {
            touched = touched || report.contacts > 0;
            if (touched) height[poisson] = std::max(height[poisson], report.gap);
          }).converged);
    CHECK(height[poisson] == doctest::Approx(0.49 * 0.2).epsilon(0.02));
  }
  CHECK(height[1] < height[0]);
  CHECK(height[0] - height[1] <= 0.7 * std::sqrt(0.4 * g) * 1e-3 + 1e-5);
}

TEST_CASE("under Poisson's law a body at rest stays at rest, and a bouncing one never gains") {
  for (const double e : {0.5, 0.9, 1.0})
    for (const char* scheme : {"moreau-jean", "generalized-alpha", "generalized-alpha-decoupled"})
      for (const double height : {0.0, 0.1}) {
        CAPTURE(e);
        CAPTURE(scheme);
        CAPTURE(height);
        const Shown shown = run_text(fmt::format(
            "saltus: 1\ntime: {{end: 3, step: 1 ms}}\nbodies:\n  - {{name: ball, kind: particles, "
            "particles: {{mass: [1], positions: [[0, 0, {}]], gravity: [0, 0, -9.81]}}, scheme: "
            "{}}}\ncontacts:\n  - {{on: ball, against: {{plane: {{}}}}, law: {{kind: "
            "poisson-impact, restitution: {}}}}}\n",
            height, scheme, e));
        CHECK(shown.converged);
        const double E0 = 9.81 * height;
        CHECK(shown.sim.state().energy.total() <= E0 + 1e-12);
        CHECK(shown.smallest_gap >= -1.5e-3);  // a step's way
        if (height == 0.0) CHECK(std::abs(shown.sim.state().groups[0].q[2]) <= 1e-12);
      }
}

TEST_CASE("a dashpot beside a contact spring does not act at a distance") {
  double first = 0.0;
  const Shown shown = run_text(
      "saltus: 1\ntime: {end: 0.2, step: 0.1 ms}\nbodies:\n  - {name: ball, kind: particles, "
      "particles: {mass: [1], positions: [[0, 0, 0.05]], velocities: [[0, 0, -1]]}}\ncontacts:\n  "
      "- {on: ball, against: {plane: {}}, law: {kind: compliant, stiffness: 1000, damping: 10}}\n",
      {}, [&](const Simulation& sim, const StepReport& report) {
        if (report.contacts > 0 && first == 0.0) first = sim.state().t;
      });
  CHECK(shown.converged);
  CHECK(first == doctest::Approx(0.05).epsilon(5e-3));
  // m x'' + c x' + k x = 0 from x = 0, x' = -1 until the force ends: some of the energy comes back
  const double v = shown.sim.state().groups[0].v[2];
  CHECK(v > 0.5);
  CHECK(v < 0.8);
}

TEST_CASE(
    "contact with a support that moves books the work of its drive as such, and friction loses") {
  const auto account = [](const Shown& shown, const char* name) {
    const auto names = shown.sim.model().accounts();
    const auto at = std::find(names.begin(), names.end(), name) - names.begin();
    return shown.sim.state().ledger[static_cast<std::size_t>(at)];
  };
  // a belt at 1 m/s takes a block of 1 kg along: the drive gives m v^2, half of it is lost
  const Shown belt = run_text(
      "saltus: 1\ntime: {end: 3, step: 1 ms}\nbodies:\n"
      "  - {name: belt, kind: particles, particles: {mass: [1, 1], positions: [[0, 0, 0], [0, 5, "
      "0]]}, prescribed: [{dof: 0, table: [[0, 0], [3, 3]]}, {dof: 1, constant: 0}, {dof: 2, "
      "constant: 0}]}\n"
      "  - {name: block, kind: particles, particles: {mass: [1], positions: [[0, 0, 0]], gravity: "
      "[0, 0, -9.81]}}\ncontacts:\n  - {on: block, at: 0, against: {body: belt, at: 0, normal: "
      "[0, 0, 1]}, law: {kind: newton-impact, friction: 0.1}}\n");
  CHECK(belt.converged);
  CHECK(belt.sim.state().groups[1].v[0] == doctest::Approx(1.0).epsilon(1e-12));
  CHECK(account(belt, "friction") == doctest::Approx(-0.5).epsilon(2e-3));
  CHECK(account(belt, "prescribed") == doctest::Approx(1.0).epsilon(2e-3));
  CHECK(std::abs(account(belt, "unexplained")) <= 1e-12);
  // a block that is driven across the direction in which it is free slides along both
  const Shown across = run_text(
      "saltus: 1\ntime: {end: 1, step: 0.2 ms}\nbodies:\n  - {name: block, kind: particles, "
      "particles: {mass: [1], positions: [[0, 0, 0]], velocities: [[3, 5, 0]], gravity: [0, 0, "
      "-9.81]}, prescribed: [{dof: 1, table: [[0, 0], [1, 5]]}]}\ncontacts:\n  - {on: block, "
      "against: {plane: {}}, law: {kind: newton-impact, friction: 0.1}}\n");
  CHECK(across.converged);
  // v' = -mu g v/sqrt(v^2 + 25), v(0) = 3
  double v = 3.0;
  for (int k = 0; k < 100000; ++k) {
    const auto rate = [](double x) { return -0.1 * 9.81 * x / std::hypot(x, 5.0); };
    const double middle = v + 0.5e-5 * rate(v);
    v += 1e-5 * rate(middle);
  }
  CHECK(across.sim.state().groups[0].v[0] == doctest::Approx(v).epsilon(1e-4));
}

TEST_CASE("steps that are accepted unsolved keep their contacts in the accounts") {
  const Shown exact = run_text(
      "saltus: 1\ntime: {end: 1, step: 1 ms}\nbodies:\n  - {name: block, kind: particles, "
      "particles: {mass: [1], positions: [[0, 0, 0]], velocities: [[3, 1, 0]], gravity: [0, 0, "
      "-9.81]}}\ncontacts:\n  - {on: block, against: {plane: {}}, law: {kind: newton-impact, "
      "friction: 0.2}}\n");
  Scene scene = read_scene_text(
      "saltus: 1\non_failure: accept\nsolver: {tolerance: 1e-30, iterations: 20}\ntime: {end: 1, "
      "step: 1 ms}\nbodies:\n  - {name: block, kind: particles, particles: {mass: [1], positions: "
      "[[0, 0, 0]], velocities: [[3, 1, 0]], gravity: [0, 0, -9.81]}}\ncontacts:\n  - {on: block, "
      "against: {plane: {}}, law: {kind: newton-impact, friction: 0.2}}\n",
      "accept.yaml");
  Simulation sim(build(scene));
  int unsolved = 0, touching = 0;
  for (int k = 0; k < 1000; ++k) {
    const StepReport report = sim.advance();
    unsolved += !report.converged;
    touching += report.contacts > 0;
  }
  CHECK(unsolved > 500);
  CHECK(touching == 1000);
  for (std::size_t i = 0; i < sim.state().ledger.size(); ++i)
    CHECK(std::abs(sim.state().ledger[i] - exact.sim.state().ledger[i]) <= 1e-9);
}

TEST_CASE("Poisson's law throws the last of three balls off, Newton's does not") {
  for (const bool poisson : {false, true}) {
    std::string text = "saltus: 1\ntime: {end: 0.1, step: 0.1}\nbodies:\n";
    for (int i = 0; i < 3; ++i)
      text += fmt::format(
          "  - {{name: ball{}, kind: particles, particles: {{mass: [1], positions: "
          "[[0, 0, 0]], velocities: [[{}, 0, 0]]}}}}\n",
          i, i == 0 ? 1 : 0);
    text += "contacts:\n";
    for (int i = 0; i < 2; ++i)
      text += fmt::format(
          "  - {{on: ball{}, against: {{body: ball{}, normal: [1, 0, 0]}}, law: "
          "{{kind: {}, restitution: {}}}}}\n",
          i + 1, i, poisson ? "poisson-impact" : "newton-impact", i);
    const Shown shown = run_text(text);
    CHECK(shown.converged);
    const std::array expected = poisson ? std::array{1.0 / 6.0, 1.0 / 6.0, 2.0 / 3.0}
                                        : std::array{1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0};
    for (int i = 0; i < 3; ++i)
      CHECK(std::abs(velocity_of(shown.sim, i)[0] - expected[static_cast<std::size_t>(i)]) <=
            1e-14);
    const double energy = poisson ? 0.25 : 1.0 / 6.0;
    CHECK(account(shown.sim, "impact") == doctest::Approx(energy - 0.5).epsilon(1e-12));
  }
}

TEST_CASE("an equality lifts a mass at its velocity, and the ledger has its work") {
  const double speed = 0.3, h = 1e-3;
  for (const bool alone : {true, false}) {  // a second law takes the general way
    CAPTURE(alone);
    double off = 0.0, force = 0.0;
    const Shown shown = run_text(
        fmt::format("saltus: 1\ntime: {{end: 1, step: {}}}\nbodies:\n  - {{name: load, kind: "
                    "particles, particles: {{mass: [2], positions: [[0, 0, 0.5]], velocities: [[1, "
                    "0, 0]], gravity: [0, 0, -9.81]}}}}\ncontacts:\n  - {{on: load, against: "
                    "{{plane: {{}}}}, law: {{kind: equality, velocity: {}}}}}\n{}",
                    h, speed,
                    alone ? ""
                          : "  - {on: load, against: {plane: {point: [-1, 0, 0], normal: [1, 0, "
                            "0]}}, law: {kind: newton-impact, friction: 0.3}}\n"),
        {}, [&](const Simulation& sim, const StepReport&) {
          off = std::max(off, std::abs(velocity_of(sim)[2] - speed));
          if (sim.state().step > 1)
            force = std::max(
                force, std::abs(impulse_of(sim, sim.model().pairs()[0].key)[0] / h - 2.0 * g));
        });
    CHECK(shown.converged);
    CHECK(off <= 1e-12);
    CHECK(force <= 1e-9);
    CHECK(std::abs(shown.sim.state().groups[0].q[0] - 1.0) <= 1e-12);  // free along the plane
    // set in motion in the first step, over which it rises by h/2 times its velocity
    const double work = 0.5 * 2.0 * speed * speed + 2.0 * g * speed * (1.0 - 0.5 * h);
    CHECK(std::abs(account(shown.sim, "impact") - work) <= 1e-12 * work);
    CHECK(std::abs(account(shown.sim, "unexplained")) <= 1e-12);
    CHECK(shown.worst_unexplained <= 1e-14);
  }
}

TEST_CASE("a launched block slides straight and stops after v^2/(2 mu g), whatever its direction") {
  const double v0 = 2.0, mu = 0.3, h = 1e-3, exact = v0 * v0 / (2.0 * mu * g);
  std::vector<double> lengths, times;
  double aside = 0.0, creep = 0.0;
  for (const Vector3& along : {Vector3(0, 0, 1), Vector3(0, 1, 0), Vector3(-1, 2, 3)})
    for (int i = 0; i < 8; ++i) {
      const double angle = 0.1 + 0.25 * kPi * i;
      const auto [n, t1, t2] = frame(along);
      const Vector3 way = std::cos(angle) * t1 + std::sin(angle) * t2;
      Thrown thrown{v0 * way, Vector3::Zero(), n, -g * n};
      thrown.end = 1.0;
      thrown.law = fmt::format("kind: newton-impact, friction: {}", mu);
      double stop = 0.0;
      const Shown shown = throw_at(thrown, [&](const Simulation& sim, const StepReport&) {
        const Vector3 q = sim.state().groups[0].q;
        aside = std::max(aside, (q - q.dot(way) * way).norm());
        const double v = velocity_of(sim).norm();
        if (stop == 0.0 && v <= 1e-12) stop = sim.state().t;
        if (stop > 0.0) creep = std::max(creep, v);
      });
      CHECK(shown.converged);
      lengths.push_back(shown.sim.state().groups[0].q.norm());
      times.push_back(stop);
      CHECK(std::abs(account(shown.sim, "friction") + 0.5 * v0 * v0) <= 1e-12);
      CHECK(std::abs(account(shown.sim, "impact")) <= 1e-12);
    }
  const auto [low, high] = std::minmax_element(lengths.begin(), lengths.end());
  const auto [first, last] = std::minmax_element(times.begin(), times.end());
  CHECK(aside <= 1e-12);
  CHECK(creep <= 1e-12);
  CHECK(*high - *low <= 1e-12);
  CHECK(*last - *first <= 1e-12);
  CHECK(std::abs(*first - v0 / (mu * g)) <= h);
  CHECK(std::abs(*low - exact) <= mu * g * h * h);
  MESSAGE(
      fmt::format("{} m ({}), differs by {:.1e} m over 24 directions; {:.1e} m aside, creep "
                  "{:.1e} m/s",
                  *low, exact, *high - *low, aside, creep));
}

// A rod on both its ends: four rows, of rank 3.
TEST_CASE(
    "a plank on a slope lies still below the angle of friction and slides with g (sin - mu cos) "
    "above it") {
  const double mu = 0.5;
  for (const double tan : {0.0, 0.3, 0.49, 0.6, 2.0}) {
    CAPTURE(tan);
    const double slope = std::atan(tan), c = std::cos(slope), s = std::sin(slope);
    double creep = 0.0, turn = 0.0, outside = 0.0;
    const Shown shown = run_text(
        fmt::format(
            "saltus: 1\ntime: {{end: 0.5, step: 1 ms}}\nsolver: {{tolerance: 1e-14}}\nbodies:\n  - "
            "{{name: plank, kind: "
            "lagrangian, planar_rod: {{mass: 2, length: 1, gravity: 9.81}}, initial: "
            "{{coordinates: [0, 0, {:.17g}]}}}}\ncontacts:\n  - {{on: plank, at: rear, "
            "against: {{plane: {{normal: [{:.17g}, 0, {:.17g}]}}}}, law: {{kind: "
            "newton-impact, friction: {}}}}}\n  - {{on: plank, at: front, against: {{plane: "
            "{{normal: [{:.17g}, 0, {:.17g}]}}}}, law: {{kind: newton-impact, friction: {}}}}}\n",
            slope, -s, c, mu, -s, c, mu),
        {}, [&](const Simulation& sim, const StepReport& report) {
          const Vector v = velocity_of(sim);
          creep = std::max(creep, std::abs(v[0] * c + v[1] * s));
          turn = std::max(turn, std::abs(v[2]));
          CHECK(report.contacts == 2);
          for (const ContactMemory& contact : sim.state().contacts)
            outside = std::max(outside, std::abs(contact.impulse[1]) - mu * contact.impulse[0]);
        });
    CHECK(shown.converged);
    CHECK(turn <= 1e-12);
    CHECK(outside <= 1e-14);
    const Vector v = velocity_of(shown.sim);
    const double along = v[0] * c + v[1] * s;
    if (tan < mu)
      CHECK(creep <= 1e-12);
    else
      CHECK(along == doctest::Approx(-0.5 * g * (s - mu * c)).epsilon(1e-11));
    MESSAGE(fmt::format("tan {}: velocity {:.3e} m/s after 0.5 s, residuals {:.1e}", tan, along,
                        shown.worst_residual));
  }
}

// y is held: of three rows of the contact two can move. Slip is along x alone, so that friction is too:
//     P_N = m g h/n_z,   v' = -mu g/n_z
TEST_CASE(
    "a block that a groove guides over a tilted plane slides with mu g/n_z, stops and stays") {
  const double n_z = 1.0 / std::hypot(0.5, 1.0), h = 5e-3;
  for (double mu : {0.2, 0.5, 1.0, 2.0}) {
    CAPTURE(mu);
    Thrown thrown{Vector3(1.0, 0.0, 0.0), Vector3::Zero(), Vector3(0.0, 0.5, 1.0),
                  -g * Vector3::UnitZ()};
    thrown.h = h;
    thrown.end = 1.0;
    thrown.law = fmt::format("kind: newton-impact, friction: {}", mu);
    thrown.more = ", prescribed: [{dof: 1, constant: 0}]";
    double stop = 0.0, creep = 0.0, strongest = 0.0;
    const Shown shown = throw_at(thrown, [&](const Simulation& sim, const StepReport&) {
      const double v = velocity_of(sim).norm();
      if (stop == 0.0 && v <= 1e-12) stop = sim.state().t;
      if (stop > 0.0) creep = std::max(creep, v);
      strongest = std::max(strongest, impulse_of(sim, sim.model().pairs()[0].key).norm());
    });
    CHECK(shown.converged);
    CHECK(std::abs(stop - n_z / (mu * g)) <= h);
    CHECK(creep <= 1e-12);
    CHECK(std::abs(account(shown.sim, "friction") + 0.5) <= 1e-12);
    CHECK(std::abs(account(shown.sim, "impact")) <= 1e-12);
    CHECK(strongest <= 10.0 * g * h);
    MESSAGE(
        fmt::format("mu {}: stops after {:.4f} s ({:.4f}), friction {:.6g} J, impact {:.2g} J, "
                    "largest impulse {:.3g} N s",
                    mu, stop, n_z / (mu * g), account(shown.sim, "friction"),
                    account(shown.sim, "impact"), strongest));
  }
}

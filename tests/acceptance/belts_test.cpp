// Surfaces that run while their shapes stay, as belts and tracks: what they drag follows closed forms between events to 1e-9 and
// in steps by the order of the scheme, moves as on a body that moves as fast, and takes its energy from the drive.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "acceptance/run_scene.h"

namespace saltus::test {
namespace {

constexpr double kBeltG = 9.81;

/// A load on a belt. Lengths in m, the belt in the plane z = 0 of a frame that is turned by `slope` about y.
struct Belt {
  std::string surface = "surface_velocity: [1, 0, 0]";
  std::string floor = "plane: {}";  ///< its shape
  std::string load = "box: {size: [0.4, 0.4, 0.1]}";
  std::string also;                         ///< of the load: locked, spin
  double mu = 0.4, slope = 0.0, far = 0.0;  ///< [1], [rad], where along x it starts [m]
  double size = 1.0, height = 0.05;
  std::array<double, 2> velocity{0.0, 0.0};  ///< of the load at the start, along and across
  std::string law;                           ///< more of it
  std::string floor_motion = "fixed: true";
  bool planar = false;
};

std::string belt_text(const Belt& b, const std::string& time, const std::string& scheme = "") {
  const double c = std::cos(b.slope), s = std::sin(b.slope);
  const auto placed = [&](double x, double y, double z) {
    return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", c * x - s * z, y, s * x + c * z);
  };
  const std::string turned =
      b.slope == 0.0 ? ""
                     : fmt::format(", rotation: {{axis: [0, -1, 0], angle: {:.17g}}}", b.slope);
  return fmt::format(
      R"(
saltus: 1
time: {{{}}}
gravity: [0, 0, -9.81]
{}bodies:
  - {{name: belt, kind: rigid, rigid: {{shape: {{{}{}{}}}, {}{}}}}}
  - {{name: load, kind: rigid, {}rigid: {{shape: {{{}}}, mass: 2, position: {}, velocity: {}{}{}}}}}
surfaces: [{{law: {{kind: newton-impact, friction: {}{}}}}}]
)",
      time, b.planar ? "planar: xz\n" : "", b.floor, b.surface.empty() ? "" : ", ", b.surface,
      b.floor_motion, turned, scheme.empty() ? "" : "scheme: " + scheme + ", ", b.load,
      placed(b.far, 0.0, b.size * b.height), placed(b.velocity[0], b.velocity[1], 0.0), turned,
      b.also.empty() ? "" : ", " + b.also, b.mu, b.law.empty() ? "" : ", " + b.law);
}

/// Place and velocity of the load along and across the belt at the end.
struct Driven {
  double x = 0.0, y = 0.0, u = 0.0, w = 0.0;
  double friction = 0.0, prescribed = 0.0, energy = 0.0, unexplained = 0.0, residual = 0.0;
  State state;
  bool converged = false;
};

Driven drive(const std::string& text, double slope = 0.0, double far = 0.0) {
  const Shown shown = run_text(text);
  Driven d;
  d.converged = shown.converged;
  d.state = shown.sim.state();
  const GroupState& load = d.state.groups.back();
  const double c = std::cos(slope), s = std::sin(slope);
  d.x = c * (load.q[0] - c * far) + s * (load.q[2] - s * far);
  d.y = load.q[1];
  d.u = c * load.v[0] + s * load.v[2];
  d.w = load.v[1];
  const auto accounts = shown.sim.model().accounts();
  for (std::size_t i = 0; i < accounts.size(); ++i) {
    const double work = d.state.ledger[i];
    if (accounts[i] == "friction") d.friction = work;
    if (accounts[i] == "prescribed") d.prescribed = work;
    if (accounts[i] == "unexplained") d.unexplained = work;
  }
  d.energy = d.state.energy.total() - d.state.energy_start;
  d.residual = shown.worst_after;
  return d;
}

/// Under one deceleration or acceleration until the load moves with the belt.
struct BeltCourse {
  double v0, v1, a;  ///< speed at the start, of the belt, rate of change [m/s^2]
  double stop() const { return std::abs(v1 - v0) / a; }
  double x(double t) const {
    const double sign = v1 > v0 ? 1.0 : -1.0, s = std::min(t, stop());
    return v0 * s + 0.5 * sign * a * s * s + v1 * (t - s);
  }
  double u(double t) const { return t >= stop() ? v1 : v0 + (v1 > v0 ? a : -a) * t; }
};

struct BeltRow {
  const char* name;
  Belt belt;
  std::function<double(double)> x, u;
};

std::vector<BeltRow> belt_rows() {
  const auto along = [](double v0, double v1, double a) {
    const BeltCourse course{v0, v1, a};
    return std::pair{std::function<double(double)>([=](double t) { return course.x(t); }),
                     std::function<double(double)>([=](double t) { return course.u(t); })};
  };
  std::vector<BeltRow> all;
  const auto add = [&](const char* name, const Belt& belt, double v0, double v1, double a) {
    const auto [x, u] = along(v0, v1, a);
    all.push_back({name, belt, x, u});
  };
  add("at rest", {}, 0.0, 1.0, 0.4 * kBeltG);
  Belt b;
  b.velocity = {-0.5, 0.0};
  add("thrown against the belt", b, -0.5, 1.0, 0.4 * kBeltG);
  b.velocity = {2.0, 0.0};
  add("faster than the belt", b, 2.0, 1.0, 0.4 * kBeltG);
  b = {};
  b.mu = 0.8;
  b.slope = 0.3;
  add("up a slope", b, 0.0, 1.0, kBeltG * (0.8 * std::cos(0.3) - std::sin(0.3)));
  b = {};
  b.far = -250.0;
  add("far away", b, 0.0, 1.0, 0.4 * kBeltG);
  b = {};
  b.surface = "surface_velocity: [10 mm/s, 0, 0]";
  b.load = "box: {size: [4 mm, 4 mm, 1 mm]}";
  b.size = 0.01;
  b.mu = 0.005;
  add("small and slow", b, 0.0, 0.01, 0.005 * kBeltG);
  b = {};
  b.planar = true;
  add("in a plane", b, 0.0, 1.0, 0.4 * kBeltG);
  b = {};
  b.surface = "";
  b.load += ", surface_velocity: [-1, 0, 0]";
  add("on tracks of its own", b, 0.0, 1.0, 0.4 * kBeltG);
  b = {};
  b.load = "sphere: {radius: 0.05}";
  b.also = "locked: [rx, ry, rz]";
  add("on one point", b, 0.0, 1.0, 0.4 * kBeltG);
  // A ball ends in pure rolling, u = 2/7 of the belt.
  b = {};
  b.load = "sphere: {radius: 0.05}";
  add("a ball", b, 0.0, 2.0 / 7.0, 0.4 * kBeltG);
  // The belt runs up to its speed: a load that it carries along, and one that it slips under.
  b = {};
  b.surface = "surface_velocity: {value: [1, 0, 0], factor: {table: [[0, 0], [0.5, 1], [1, 1]]}}";
  add("a belt that starts gently", b, 0.0, 1.0, 2.0);
  b.surface = "surface_velocity: {value: [1, 0, 0], factor: {table: [[0, 0], [0.1, 1], [1, 1]]}}";
  add("a belt that starts hard", b, 0.0, 1.0, 0.4 * kBeltG);
  return all;
}

constexpr double kBeltEnd = 0.6;

}  // namespace

TEST_CASE("between events a load on a belt follows its closed form to 1e-9") {
  for (const BeltRow& row : belt_rows()) {
    CAPTURE(row.name);
    const Belt& b = row.belt;
    const Driven d =
        drive(belt_text(b, "end: 0.6, step: 0.05, mode: events, tolerance: 1e-11"), b.slope, b.far);
    CHECK(d.converged);
    const double v = std::max(std::abs(row.u(0.0)), std::abs(row.u(kBeltEnd)));
    CHECK(std::abs(d.x - row.x(kBeltEnd)) <= 1e-9 * v);
    CHECK(std::abs(d.u - row.u(kBeltEnd)) <= 1e-9 * v);
    CHECK(std::abs(d.y) <= 1e-12);
    CHECK(std::abs(d.unexplained) <= 1e-12);
  }
}

TEST_CASE("in steps a load on a belt follows its closed form, and ends at the speed of the belt") {
  for (const char* scheme : {"moreau-jean", "rig-mid", "runge-kutta", "{kind: euler-implicit}"})
    for (const BeltRow& row : belt_rows()) {
      CAPTURE(scheme);
      CAPTURE(row.name);
      const Belt& b = row.belt;
      const Driven d = drive(belt_text(b, "end: 0.6, step: 1 ms", scheme), b.slope, b.far);
      CHECK(d.converged);
      const double v = std::max(std::abs(row.u(0.0)), std::abs(row.u(kBeltEnd)));
      CHECK(std::abs(d.x - row.x(kBeltEnd)) <= 2e-3 * v);
      CHECK(std::abs(d.u - row.u(kBeltEnd)) <= 1e-9 * v);
      CHECK(std::abs(d.unexplained) <= 1e-12);
    }
}

TEST_CASE("the drive of a belt gives what the load gains and friction takes") {
  // m v^2 from the drive: half of it is friction's, half the load's
  for (const char* time :
       {"end: 0.6, step: 0.05, mode: events, tolerance: 1e-11", "end: 0.6, step: 1 ms"}) {
    CAPTURE(time);
    const Driven d = drive(belt_text({}, time));
    const bool steps = std::string(time).find("events") == std::string::npos;
    const double near = steps ? 5e-3 : 1e-9;
    CHECK(d.energy == doctest::Approx(1.0).epsilon(near));
    CHECK(d.prescribed == doctest::Approx(2.0).epsilon(near));
    CHECK(d.friction == doctest::Approx(-1.0).epsilon(near));
    CHECK(d.prescribed + d.friction == doctest::Approx(d.energy).epsilon(1e-9));
  }
}

TEST_CASE("a slab that runs drags as one that moves as fast, whatever the law and the scheme") {
  struct Row {
    const char *law, *scheme;
    bool ball;
  };
  const std::string moved = "motion: {x: {rate: 1}, y: {rate: 0.5}}";
  for (const Row& row :
       {Row{"", "moreau-jean", false}, Row{"restitution: 0.5", "moreau-jean", true},
        Row{"slip: mean", "moreau-jean", true}, Row{"restitution_tangential: 0.5", "rig-mid", true},
        Row{"velocity_weakening: {ratio: 0.3, speed: 0.2}", "moreau-jean", true},
        Row{"rolling: 2 mm, spinning: 1 mm", "moreau-jean", true},
        Row{"cohesion: 3", "rig-mid", false}, Row{"", "newmark", true},
        Row{"", "generalized-alpha", true}, Row{"", "central-difference", true},
        Row{"", "runge-kutta", true}, Row{"", "splitting", true},
        Row{"restitution: 0.5", "events", true}, Row{"restitution: 0.5", "events", false},
        Row{"velocity_weakening: {ratio: 0.3, speed: 0.2}", "events", true}}) {
    CAPTURE(std::string(row.law));
    CAPTURE(std::string(row.scheme));
    Belt runs;
    runs.law = row.law;
    runs.floor = "box: {size: [20, 20, 0.2]}, position: [0, 0, -0.1]";
    runs.surface = "surface_velocity: [1, 0.5, 0]";
    runs.velocity = {-0.3, 0.7};
    if (row.ball) {
      runs.load = "sphere: {radius: 0.05}";
      runs.also = "spin: [3, -4, 5]";
      runs.height = 0.08;  // it falls on the belt
    }
    Belt moves = runs;
    moves.surface = "";
    moves.floor_motion = moved;
    const bool events = std::string(row.scheme) == "events";
    const std::string time =
        events ? "end: 0.5, step: 0.05, mode: events, tolerance: 1e-11" : "end: 0.5, step: 2 ms";
    const std::string scheme = events ? "" : row.scheme;
    const Driven a = drive(belt_text(runs, time, scheme)),
                 b = drive(belt_text(moves, time, scheme));
    CHECK(a.converged);
    CHECK(b.converged);
    const double near = events ? 1e-9 : 1e-10;
    CHECK((a.state.groups.back().q - b.state.groups.back().q).norm() <= near);
    CHECK((a.state.groups.back().v - b.state.groups.back().v).norm() <= near);
    CHECK(std::abs(a.prescribed - b.prescribed) <= 10.0 * near);
    CHECK(std::abs(a.friction - b.friction) <= 10.0 * near);
    CHECK(std::abs(a.unexplained) <= 1e-12);
    CHECK(std::abs(a.prescribed) > 0.1);
  }
}

TEST_CASE("a load that sticks to a belt follows its speed by the order of the scheme") {
  // u = V sin(w t): V w = 1.9 m/s^2 < mu g
  Belt b;
  b.surface =
      "surface_velocity: {value: [0.3, 0, 0], factor: {harmonic: {amplitude: 1, frequency: 1, "
      "phase: -90 deg}}}";
  struct Row {
    const char* scheme;
    double order;
  };
  const double end = 0.4, w = 2.0 * M_PI, exact = 0.3 * (1.0 - std::cos(w * end)) / w;
  for (const Row& row :
       {Row{"moreau-jean", 2.0}, Row{"{kind: moreau-jean, theta: 1}", 1.0}, Row{"rig-mid", 2.0},
        Row{"{kind: euler-implicit}", 1.0}, Row{"newmark", 2.0}, Row{"runge-kutta", 2.0}}) {
    CAPTURE(row.scheme);
    double error[3];
    for (int k = 0; k < 3; ++k)
      error[k] = std::abs(
          drive(belt_text(b, fmt::format("end: 0.4, step: {}", 0.02 / (1 << k)), row.scheme)).x -
          exact);
    CAPTURE(error[0]);
    CAPTURE(error[2]);
    CHECK(std::log2(error[0] / error[1]) == doctest::Approx(row.order).epsilon(0.1));
    CHECK(std::log2(error[1] / error[2]) == doctest::Approx(row.order).epsilon(0.1));
  }
  const Driven d = drive(belt_text(b, "end: 0.4, step: 0.05, mode: events, tolerance: 1e-11"));
  CHECK(std::abs(d.x - exact) <= 1e-9);
  CHECK(std::abs(d.u - 0.3 * std::sin(w * end)) <= 1e-9);
}

TEST_CASE("a point that touches a plane which runs is dragged as a shape is") {
  const std::string scene = R"(
saltus: 1
time: {end: 0.6, step: 1 ms}
bodies:
  - name: bead
    kind: particles
    particles: {mass: [2], positions: [[0, 0, 0]], gravity: [0, 0, -9.81]}
contacts:
  - on: bead
    against: {plane: {}, surface_velocity: [1, 0, 0]}
    law: {kind: newton-impact, friction: 0.4}
)";
  const BeltCourse course{0.0, 1.0, 0.4 * kBeltG};
  for (const bool events : {false, true}) {
    CAPTURE(events);
    std::vector<std::string> set;
    if (events) set = {"time.mode=events", "time.tolerance=1e-11", "time.step=0.05"};
    const Shown shown = run_text(scene, set);
    CHECK(shown.converged);
    const GroupState& bead = shown.sim.state().groups[0];
    CHECK(std::abs(bead.q[0] - course.x(kBeltEnd)) <= (events ? 1e-9 : 2e-3));
    CHECK(std::abs(bead.v[0] - 1.0) <= 1e-9);
  }
}

TEST_CASE("loads in one group and in several are dragged alike") {
  const auto two = [](const char* second) {
    return fmt::format(R"(
saltus: 1
time: {{end: 0.3, step: 1 ms}}
gravity: [0, 0, -9.81]
bodies:
  - {{name: belt, kind: rigid, rigid: {{shape: {{plane: {{}}, surface_velocity: [1, 0, 0]}}, fixed: true}}}}
  - {{name: a, kind: rigid, rigid: {{shape: {{sphere: {{radius: 0.05}}}}, mass: 2, position: [0, 0, 0.05]}}}}
  - {{name: b, kind: rigid, {}rigid: {{shape: {{sphere: {{radius: 0.05}}}}, mass: 2, position: [0, 1, 0.05]}}}}
surfaces: [{{law: {{kind: newton-impact, friction: 0.4}}}}]
)",
                       second);
  };
  const State one = run_text(two("")).sim.state(),
              other = run_text(two("scheme: {kind: moreau-jean, theta: 0.5}, ")).sim.state();
  const Vector q = one.groups[0].q;
  CHECK(q[0] == doctest::Approx(q[7]).epsilon(1e-12));
  CHECK(std::abs(q[0]) > 0.01);
  const Vector& last = other.groups.back().q;
  CHECK(last[last.size() - 7] == doctest::Approx(q[7]).epsilon(1e-12));
}

TEST_CASE("a soft body is dragged to the speed of a belt too") {
  const Shown shown = run_text(R"(
saltus: 1
time: {end: 0.6, step: 1 ms}
gravity: [0, 0, -9.81]
bodies:
  - {name: belt, kind: rigid, rigid: {shape: {plane: {}, surface_velocity: [1, 0, 0]}, fixed: true}}
  - {name: cube, kind: pseudo-rigid, scheme: {kind: moreau-jean, theta: 1}, pseudo_rigid: {shape: {box: {size: [0.4, 0.4, 0.1]}}, position: [0, 0, 0.05], material: {young: 10 MPa, poisson: 0.3, density: 1000}}}
surfaces: [{law: {kind: stewart-trinkle, friction: 0.4}}]
)");
  CHECK(shown.converged);
  const GroupState& cube = shown.sim.state().groups.back();
  CHECK(cube.v[9] == doctest::Approx(1.0).epsilon(1e-3));
  const BeltCourse course{0.0, 1.0, 0.4 * kBeltG};
  CHECK(cube.q[9] == doctest::Approx(course.x(kBeltEnd)).epsilon(0.02));
}

TEST_CASE(
    "a run on a belt goes on from any of its states, on any number of threads, to the same bits") {
  Belt b;
  b.surface =
      "surface_velocity: {value: [1, 0.3, 0], factor: {table: [[0, 0], [0.1, 1], [0.3, 0.2]]}}";
  for (const char* time : {"end: 0.4, step: 2 ms", "end: 0.4, step: 0.02, mode: events"}) {
    CAPTURE(time);
    const Scene scene = read_scene_text(belt_text(b, time), "belt.yaml");
    const auto [whole, resumed] = run_and_resume(scene);
    CHECK(whole.groups[0].q == resumed.groups[0].q);
    CHECK(whole.groups[0].v == resumed.groups[0].v);
    CHECK(whole.ledger == resumed.ledger);
    CHECK(whole.groups[0].v[1] > 0.01);
  }
}

TEST_CASE("what a surface velocity cannot do is refused in one line") {
  struct Row {
    std::function<void(Belt&)> change;
    const char* says;
  };
  for (const Row& row : {
           Row{[](Belt& b) { b.mu = 0.0; }, "no law of its material has any"},
           Row{[](Belt& b) { b.surface = "surface_velocity: [0, 0, 0]"; },
               "the surface does not move"},
           Row{[](Belt& b) { b.surface = "surface_velocity: [0, 0, 2]"; },
               "no component in the plane"},
           Row{[](Belt& b) {
                 b.planar = true;
                 b.surface = "surface_velocity: [1, 0.1, 0]";
               },
               "normal to the plane in which all bodies move"},
           Row{[](Belt& b) {
                 b.load += ", surface_velocity: [1, 0, 0]";
                 b.also = "touches: false";
               },
               "has no meaning with `touches: false`"},
       }) {
    CAPTURE(row.says);
    Belt b;
    row.change(b);
    CHECK_THROWS_WITH_AS(build(read_scene_text(belt_text(b, "end: 1, step: 1 ms"), "belt.yaml")),
                         doctest::Contains(row.says), SceneError);
  }
}

}  // namespace saltus::test

// Friction with one coefficient along an axis of a body and another across it, by the rule of largest dissipation:
//     P_a = -mu_a^2 u_a P_N/sqrt((mu_1 u_1)^2 + (mu_2 u_2)^2),     (P_1/mu_1)^2 + (P_2/mu_2)^2 <= P_N^2
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "acceptance/run_scene.h"

namespace saltus::test {
namespace {

constexpr double kSlideG = 9.81;
using Plane2 = std::array<double, 2>;

/// A body on a floor, one of which has the axis.
struct Slide {
  std::string friction = "{along: [1, 0, 0], values: [0.6, 0.3]}";
  std::string first = "floor", second = "load";  ///< materials in the law: the first has the axis
  std::string load = "box: {size: [0.4, 0.4, 0.02]}";
  std::string also;  ///< of the load
  std::string floor = "shape: {plane: {}, material: floor}, fixed: true";
  double height = 0.01;
  Plane2 velocity{1.0, 0.8};
  std::array<double, 3> gravity{0.0, 0.0, -kSlideG};
  double turn = 0.0;  ///< of the load about z [rad]
  std::array<double, 3> place{0.0, 0.0, 0.0};
  std::string law;
};

std::string slide_text(const Slide& s, const std::string& time, const std::string& scheme = "") {
  return fmt::format(
      R"(
saltus: 1
time: {{{}}}
gravity: [{:.17g}, {:.17g}, {:.17g}]
bodies:
  - {{name: floor, kind: rigid, rigid: {{{}}}}}
  - {{name: load, kind: rigid, {}rigid: {{shape: {{{}, material: load}}, mass: 2, position: [{:.17g}, {:.17g}, {:.17g}], rotation: {{axis: [0, 0, 1], angle: {:.17g}}}, velocity: [{:.17g}, {:.17g}, 0]{}{}}}}}
surfaces:
  - {{materials: [{}, {}], law: {{kind: newton-impact, friction: {}{}{}}}}}
)",
      time, s.gravity[0], s.gravity[1], s.gravity[2], s.floor,
      scheme.empty() ? "" : "scheme: " + scheme + ", ", s.load, s.place[0], s.place[1],
      s.place[2] + s.height, s.turn, s.velocity[0], s.velocity[1], s.also.empty() ? "" : ", ",
      s.also, s.first, s.second, s.friction, s.law.empty() ? "" : ", ", s.law);
}

const char* const kSlideEvents = "mode: events, tolerance: 1e-11";

GroupState slide(const Slide& s, const std::string& time, const std::string& scheme = "") {
  const Shown shown = run_text(slide_text(s, time, scheme));
  CHECK(shown.converged);
  return shown.sim.state().groups.back();
}

/// u_a = U_a exp(-mu_a^2 sigma), kSlideG dt = D dsigma, D^2 = sum (mu_a u_a)^2. With mu_1^2 = 2 m, mu_2^2 = m and y = exp(-m sigma)
///     T = int D dy/(kSlideG m y),   D = y sqrt(a y^2 + b),   a = (mu_1 U_1)^2, b = (mu_2 U_2)^2
/// from 0 to 1: when and where a body stops.
struct Rest {
  double t, x, y;
};
Rest rest_of(double m, double U1, double U2) {
  const double a = 2.0 * m * U1 * U1, b = m * U2 * U2, r = std::sqrt(a + b), sa = std::sqrt(a);
  const double I0 = 0.5 * r + 0.5 * b / sa * std::asinh(std::sqrt(a / b));  // int sqrt(a y^2 + b)
  const double I1 = (r * r * r - std::pow(b, 1.5)) / (3.0 * a);             // y
  const double I2 = (r * r * r - b * I0) / (4.0 * a);                       // y^2
  return {I0 / (kSlideG * m), U1 * I2 / (kSlideG * m), U2 * I1 / (kSlideG * m)};
}

/// x'' = f(t, x, x') of a point in the plane by the method of Runge and Kutta with n steps.
struct Flow {
  Plane2 x, v;
};
Flow integrate(Flow s, double end, int n,
               const std::function<Plane2(double, const Plane2&, const Plane2&)>& f) {
  const double h = end / n;
  const auto go = [&](const Flow& a, double k, const Flow& b) {
    return Flow{{a.x[0] + k * b.x[0], a.x[1] + k * b.x[1]},
                {a.v[0] + k * b.v[0], a.v[1] + k * b.v[1]}};
  };
  const auto slope = [&](double t, const Flow& a) { return Flow{a.v, f(t, a.x, a.v)}; };
  for (int i = 0; i < n; ++i) {
    const double t = i * h;
    const Flow a = slope(t, s), b = slope(t + 0.5 * h, go(s, 0.5 * h, a)),
               c = slope(t + 0.5 * h, go(s, 0.5 * h, b)), d = slope(t + h, go(s, h, c));
    for (int k = 0; k < 2; ++k) {
      s.x[k] += h / 6.0 * (a.x[k] + 2.0 * b.x[k] + 2.0 * c.x[k] + d.x[k]);
      s.v[k] += h / 6.0 * (a.v[k] + 2.0 * b.v[k] + 2.0 * c.v[k] + d.v[k]);
    }
  }
  return s;
}

/// Deceleration by friction at slip u with the axis at an angle.
Plane2 friction_at(const Plane2& u, double angle, double mu1, double mu2) {
  const double c = std::cos(angle), s = std::sin(angle);
  const double u1 = c * u[0] + s * u[1], u2 = -s * u[0] + c * u[1];
  const double D = std::hypot(mu1 * u1, mu2 * u2), f1 = -mu1 * mu1 * u1 / D * kSlideG,
               f2 = -mu2 * mu2 * u2 / D * kSlideG;
  return {c * f1 - s * f2, s * f1 + c * f2};
}

}  // namespace

TEST_CASE(
    "a block slides along the curve u_1 = C u_2^(mu_1/mu_2)^2 and stops where the closed form "
    "says") {
  const double m = 0.04;  // mu_2^2
  Slide s;
  s.friction = fmt::format("{{along: [2, 0, 0], values: [{:.17g}, {:.17g}]}}", std::sqrt(2.0 * m),
                           std::sqrt(m));
  const Rest stop = rest_of(m, 1.0, 0.8);
  REQUIRE(stop.t < 0.6);
  Slide far = s;
  far.place = {300.0, -200.0, 0.0};
  Slide plate = s;  // the axis is the plate's
  std::swap(plate.first, plate.second);
  Slide turned = plate;  // by 90 degrees, and its axis back
  turned.turn = 0.5 * M_PI;
  turned.friction = fmt::format("{{along: [0, -1, 0], values: [{:.17g}, {:.17g}]}}",
                                std::sqrt(2.0 * m), std::sqrt(m));
  for (const Slide& one : {s, far, plate, turned}) {
    const GroupState events = slide(one, fmt::format("end: 0.7, step: 0.05, {}", kSlideEvents));
    CHECK(std::abs(events.q[0] - one.place[0] - stop.x) <= 1e-9);
    CHECK(std::abs(events.q[1] - one.place[1] - stop.y) <= 1e-9);
    CHECK(events.v.norm() <= 1e-12);
    const GroupState steps = slide(one, "end: 0.7, step: 1 ms");
    CHECK(std::abs(steps.q[0] - one.place[0] - stop.x) <= 2e-3);
    CHECK(std::abs(steps.q[1] - one.place[1] - stop.y) <= 2e-3);
  }
  // Half way down the curve: ln(u_1/U_1) = (mu_1/mu_2)^2 ln(u_2/U_2)
  const GroupState half = slide(s, fmt::format("end: 0.2, step: 0.05, {}", kSlideEvents));
  CHECK(std::log(half.v[0]) == doctest::Approx(2.0 * std::log(half.v[1] / 0.8)).epsilon(1e-9));
  CHECK(half.v[0] < 0.7);
}

TEST_CASE("steps come to the curve of the slide by the order of their scheme") {
  Slide s;
  const Flow exact = integrate(
      {{0.0, 0.0}, {1.0, 0.8}}, 0.15, 4000,
      [](double, const Plane2&, const Plane2& u) { return friction_at(u, 0.0, 0.6, 0.3); });
  struct Row {
    const char *scheme, *law;
    double order;
  };
  for (const Row& row : {Row{"moreau-jean", "", 1.0}, Row{"moreau-jean", "slip: mean", 2.0},
                         Row{"rig-mid", "", 1.0}, Row{"{kind: euler-implicit}", "", 1.0},
                         Row{"newmark", "", 1.0}, Row{"runge-kutta", "slip: mean", 2.0}}) {
    CAPTURE(row.scheme);
    CAPTURE(row.law);
    s.law = row.law;
    double error[3];
    for (int k = 0; k < 3; ++k) {
      const GroupState end =
          slide(s, fmt::format("end: 0.15, step: {:.17g}", 0.15 / (40 << k)), row.scheme);
      error[k] = std::hypot(end.v[0] - exact.v[0], end.v[1] - exact.v[1]);
    }
    CAPTURE(error[0]);
    CAPTURE(error[2]);
    CHECK(std::log2(error[0] / error[1]) == doctest::Approx(row.order).epsilon(0.1));
    CHECK(std::log2(error[1] / error[2]) == doctest::Approx(row.order).epsilon(0.1));
  }
  const GroupState end = slide(s, fmt::format("end: 0.15, step: 0.05, {}", kSlideEvents));
  CHECK(std::abs(end.v[0] - exact.v[0]) <= 1e-9);
  CHECK(std::abs(end.v[1] - exact.v[1]) <= 1e-9);
  CHECK(std::abs(end.q[0] - exact.x[0]) <= 1e-9);
}

TEST_CASE(
    "a plate with its axis at 45 degrees to a slope stays below the bound of the ellipse and "
    "drifts above it") {
  // Along (1, 1)/sqrt(2) in the axes of the plate the ellipse bears tan = 1/sqrt(1/(2 mu_1^2) + 1/(2 mu_2^2)).
  const double mu1 = 0.8, mu2 = 0.2, bound = 1.0 / std::sqrt(0.5 / (mu1 * mu1) + 0.5 / (mu2 * mu2));
  Slide s;
  s.first = "load";
  s.second = "floor";
  s.friction = "{along: [1, 0, 0], values: [0.8, 0.2]}";
  s.turn = -0.25 * M_PI;
  s.velocity = {0.0, 0.0};
  for (const bool events : {true, false}) {
    CAPTURE(events);
    const std::string time = events ? fmt::format("end: 0.4, step: 0.05, {}", kSlideEvents)
                                    : std::string("end: 0.4, step: 2 ms");
    s.gravity = {0.999 * bound * kSlideG, 0.0, -kSlideG};
    CHECK(slide(s, time).v.norm() <= 1e-9);
    // Above: it speeds up along one direction q, q_a = g_a/(1 + l mu_a^2) with l sqrt(sum (mu_a q_a)^2) = g
    const double pull = 1.5 * bound * kSlideG;
    s.gravity = {pull, 0.0, -kSlideG};
    const double ga = pull * std::sqrt(0.5);  // along both axes of the plate
    const auto q = [&](double l) {
      return Plane2{ga / (1.0 + l * mu1 * mu1), ga / (1.0 + l * mu2 * mu2)};
    };
    double low = 0.0, high = 1e6;
    for (int k = 0; k < 200; ++k) {
      const double l = 0.5 * (low + high);
      (l * std::hypot(mu1 * q(l)[0], mu2 * q(l)[1]) < kSlideG ? low : high) = l;
    }
    const Plane2 a = q(0.5 * (low + high));
    // axes of the plate in space: (c, -c) and (c, c)
    const double ax = std::sqrt(0.5) * (a[0] + a[1]), ay = std::sqrt(0.5) * (a[1] - a[0]);
    const GroupState end = slide(s, time);
    CHECK(std::abs(end.v[0] - 0.4 * ax) <= 1e-9);
    CHECK(std::abs(end.v[1] - 0.4 * ay) <= 1e-9);
    CHECK(ay > 0.2 * ax);
    CHECK(end.v.tail<3>().norm() <= 1e-9);  // it does not turn
  }
}

TEST_CASE("the axis turns with its body: a puck on a floor that spins, and one that spins itself") {
  const double omega = 3.0;
  Slide floor;
  floor.friction = "{along: [1, 0, 0], values: [0.25, 0.1]}";
  floor.load = "sphere: {radius: 0.05}";
  floor.height = 0.05;
  floor.also = "locked: [rx, ry, rz]";
  floor.floor =
      "shape: {box: {size: [4, 4, 0.2]}, position: [0, 0, -0.1], material: floor}, motion: {axis: "
      "[0, 0, 1], angle: {rate: 3}}";
  floor.place = {0.1, 0.0, 0.0};
  Slide puck = floor;
  puck.floor = Slide().floor;
  puck.also = "locked: [rx, ry], spin: [0, 0, 3]";
  puck.place = {0.0, 0.0, 0.0};
  std::swap(puck.first, puck.second);
  const Flow on_floor = integrate(
      {{0.1, 0.0}, {1.0, 0.8}}, 0.3, 6000, [&](double t, const Plane2& x, const Plane2& v) {
        return friction_at({v[0] + omega * x[1], v[1] - omega * x[0]}, omega * t, 0.25, 0.1);
      });
  const Flow alone =
      integrate({{0.0, 0.0}, {1.0, 0.8}}, 0.3, 6000, [&](double t, const Plane2&, const Plane2& v) {
        return friction_at(v, omega * t, 0.25, 0.1);
      });
  for (const auto& [scene, exact] : {std::pair{floor, on_floor}, std::pair{puck, alone}}) {
    const GroupState events = slide(scene, fmt::format("end: 0.3, step: 0.05, {}", kSlideEvents));
    for (int k = 0; k < 2; ++k) {
      CHECK(std::abs(events.q[k] - exact.x[static_cast<std::size_t>(k)]) <= 1e-9);
      CHECK(std::abs(events.v[k] - exact.v[static_cast<std::size_t>(k)]) <= 1e-9);
    }
    double error[3];
    for (int k = 0; k < 3; ++k) {
      const GroupState end = slide(scene, fmt::format("end: 0.3, step: {:.17g}", 0.3 / (40 << k)));
      error[k] = std::hypot(end.v[0] - exact.v[0], end.v[1] - exact.v[1]);
    }
    CHECK(std::log2(error[0] / error[1]) == doctest::Approx(1.0).epsilon(0.15));
    CHECK(std::log2(error[1] / error[2]) == doctest::Approx(1.0).epsilon(0.15));
  }
}

TEST_CASE("an impact takes the impulse of the ellipse that dissipates most, and reports show it") {
  // W = 1/m: u+_a (1 + l mu_a^2) = u-_a, l = P_N/(m D+), P_N = m (1 + e) v; a slip that does not stop
  const double m = 2.0, e = 0.5, v = 1.0, mu1 = 0.4, mu2 = 0.1, PN = m * (1.0 + e) * v;
  const Plane2 U{1.0, 0.6};
  const auto after = [&](double l) {
    return Plane2{U[0] / (1.0 + l * mu1 * mu1), U[1] / (1.0 + l * mu2 * mu2)};
  };
  double low = 0.0, high = 1e6;
  for (int k = 0; k < 200; ++k) {
    const double l = 0.5 * (low + high);
    (l * std::hypot(mu1 * after(l)[0], mu2 * after(l)[1]) * m < PN ? low : high) = l;
  }
  const Plane2 u = after(0.5 * (low + high));
  const Plane2 P{m * (u[0] - U[0]), m * (u[1] - U[1])};
  CHECK(std::hypot(P[0] / mu1, P[1] / mu2) == doctest::Approx(PN).epsilon(1e-12));
  const std::string scene = R"(
saltus: 1
time: {end: 0.1, step: 0.1}
bodies:
  - {name: floor, kind: rigid, rigid: {shape: {plane: {}, material: floor}, fixed: true}}
  - {name: ball, kind: rigid, rigid: {shape: {sphere: {radius: 0.05}, material: ball}, mass: 2, position: [0, 0, 0.12], velocity: [1, 0.6, -1], locked: [rx, ry, rz]}}
surfaces:
  - {materials: [floor, ball], law: {kind: newton-impact, restitution: 0.5, friction: {along: [1, 0, 0], values: [0.4, 0.1]}}}
)";
  for (const char* impacts : {"simultaneous", "sequential", "energetic", ""}) {
    CAPTURE(impacts);
    std::vector<std::string> set;
    if (*impacts) set = {"time.mode=events", fmt::format("events.impacts={}", impacts)};
    Vector3 told = Vector3::Zero(), force = Vector3::Zero();
    const Shown shown = run_text(scene, set, [&](const Simulation& sim, const StepReport&) {
      for (const Event& event : sim.events())
        if (event.kind == Event::Kind::impact) told = event.impulse;
      for (const ContactView& view : sim.contacts())
        if (!view.impulse.isZero(0.0)) {
          force = 0.1 * view.force;
          if (!*impacts) told = view.impulse;
        }
    });
    CHECK(shown.converged);
    const GroupState& ball = shown.sim.state().groups[0];
    if (std::string(impacts) != "energetic") {  // which follows the slip through the impact
      CHECK(std::abs(ball.v[0] - u[0]) <= 1e-10);
      CHECK(std::abs(ball.v[1] - u[1]) <= 1e-10);
    }
    // of the floor, side a: opposite to that of the ball
    const Vector3 given(2.0 * (ball.v[0] - U[0]), 2.0 * (ball.v[1] - U[1]), PN);
    CHECK((force + given).norm() <= 1e-10);
    CHECK(std::abs(told[0] - PN) <= 1e-10);
    CHECK(std::abs(told[1] + given[0]) <= 1e-10);  // t1 is the axis, t2 = n x t1
    CHECK(std::abs(told[2] - given[1]) <= 1e-10);
    if (std::string(impacts) != "energetic")
      CHECK(std::hypot(told[1] / mu1, told[2] / mu2) == doctest::Approx(PN).epsilon(1e-9));
  }
}

TEST_CASE("a skate: friction along its axis alone, or across it alone") {
  for (const bool across : {false, true})
    for (const bool events : {false, true}) {
      CAPTURE(across);
      CAPTURE(events);
      Slide s;
      s.friction =
          fmt::format("{{along: [1, 0, 0], values: [{}, {}]}}", across ? 0 : 0.3, across ? 0.3 : 0);
      const GroupState end = slide(s, events ? fmt::format("end: 0.5, step: 0.05, {}", kSlideEvents)
                                             : "end: 0.5, step: 1 ms");
      const double U = across ? 0.8 : 1.0, other = across ? 1.0 : 0.8,
                   way = U * U / (0.6 * kSlideG);
      const int k = across ? 1 : 0;
      CHECK(std::abs(end.v[k]) <= 1e-10);
      CHECK(std::abs(end.q[k] - way) <= (events ? 1e-9 : 1e-3));
      CHECK(std::abs(end.v[1 - k] - other) <= 1e-10);
    }
}

TEST_CASE("two equal values are one coefficient to the bit, and what goes with two still works") {
  Slide one, two;
  one.friction = "0.4";
  two.friction = "{along: [1, 2, 0], values: [0.4, 0.4]}";
  const GroupState a = slide(one, "end: 0.2, step: 1 ms"), b = slide(two, "end: 0.2, step: 1 ms");
  CHECK(a.q == b.q);
  CHECK(a.v == b.v);
  // The rest of what a law may have: each converges, and friction takes energy.
  for (const char* law : {"restitution_tangential: 0.3", "slip: mean", "rolling: 1 mm",
                          "rolling: 1 mm, spinning: 2 mm", "cohesion: 5"}) {
    CAPTURE(law);
    Slide s;
    s.load = "sphere: {radius: 0.05}";
    s.height = 0.05;
    s.also = "spin: [2, 3, 4]";
    s.law = law;
    const Shown shown = run_text(slide_text(s, "end: 0.3, step: 1 ms"));
    CHECK(shown.converged);
    CHECK(shown.worst_after <= 1e-8);
    CHECK(shown.energy_left() < 0.95);
    CHECK(shown.worst_gain <= 1e-12);
  }
}

TEST_CASE(
    "a slide along an axis goes on from any of its states, on any number of threads, to the same "
    "bits") {
  for (const std::string& time : {std::string("end: 0.3, step: 2 ms"),
                                  fmt::format("end: 0.3, step: 0.02, {}", kSlideEvents)}) {
    CAPTURE(time);
    Slide s;
    s.also = "spin: [0, 0, 2]";
    std::swap(s.first, s.second);
    const Scene scene = read_scene_text(slide_text(s, time), "slide.yaml");
    const auto [whole, resumed] = run_and_resume(scene);
    CHECK(whole.groups.back().q == resumed.groups.back().q);
    CHECK(whole.groups.back().v == resumed.groups.back().v);
  }
}

TEST_CASE("the axis of a ball that rolls comes to stand along the normal, and the run says so") {
  Slide s;
  s.load = "sphere: {radius: 0.05}";
  s.height = 0.05;
  s.first = "load";
  s.second = "floor";
  s.friction = "{along: [0, 0, 1], values: [0.5, 0.2]}";
  s.velocity = {0.0, 0.0};
  for (const bool events : {false, true}) {
    CAPTURE(events);
    const Shown shown =
        run_text(slide_text(s, events ? fmt::format("end: 0.1, step: 0.05, {}", kSlideEvents)
                                      : "end: 0.1, step: 1 ms"));
    CHECK(shown.converged);
    const auto notices = shown.sim.notices();
    REQUIRE(notices.size() == 1);
    CHECK(notices[0].kind == Notice::Kind::undirected);
    CHECK(notices[0].text.find("[0, 0, 1]") != std::string::npos);
  }
}

TEST_CASE("what friction along an axis cannot do is refused in one line") {
  struct Row {
    std::function<void(Slide&)> change;
    const char* says;
  };
  for (const Row& row : {
           Row{[](Slide& s) { s.second = s.first; }, "the body it is fixed to is not defined"},
           Row{[](Slide& s) { s.friction = "{along: [0, 0, 0], values: [0.4, 0.1]}"; },
               "has no direction"},
           Row{[](Slide& s) { s.friction = "{along: [1, 0, 0], values: [0, 0]}"; }, "are both 0"},
           Row{[](Slide& s) { s.law = "velocity_weakening: {ratio: 0.5, speed: 0.1}"; },
               "requires friction with one coefficient"},
           Row{[](Slide& s) {
                 s.friction = "{along: [1, 0, 0], values: [0.3, 0]}";
                 s.law = "rolling: 1 mm";
               },
               "needs friction along and across the axis"},
           Row{[](Slide& s) {
                 s.also = "locked: [y, rx, rz]";
                 s.velocity[1] = 0.0;
               },
               "slide along one"},
       }) {
    CAPTURE(row.says);
    Slide s;
    row.change(s);
    CHECK_THROWS_WITH_AS(build(read_scene_text(slide_text(s, "end: 1, step: 1 ms"), "slide.yaml")),
                         doctest::Contains(row.says), SceneError);
  }
  CHECK_THROWS_WITH_AS(build(read_scene_text(R"(
saltus: 1
time: {end: 1, step: 1 ms}
bodies:
  - {name: bead, kind: particles, particles: {mass: [2], positions: [[0, 0, 0]]}}
contacts:
  - on: bead
    against: {plane: {}}
    law: {kind: newton-impact, friction: {along: [1, 0, 0], values: [0.4, 0.1]}}
)",
                                             "bead.yaml")),
                       doctest::Contains("available between shapes but not at points"), SceneError);
}

}  // namespace saltus::test

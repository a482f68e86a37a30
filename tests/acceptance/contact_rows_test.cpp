// Contacts by rows over the coordinates of a body: the gap y = H q + b with slips T q, in steps and between events.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <string>
#include <vector>

#include "../support/event_run.h"
#include "run_scene.h"
#include "saltus/bodies/mode_shapes.h"
#include "saltus/study/scene_sensitivity.h"

using namespace saltus;
using namespace saltus::test;

namespace {

/// A scene of 0.4 s, in steps of 1 ms or from event to event.
std::string rows_scene(const std::string& bodies, const std::string& contacts, bool events) {
  return fmt::format("saltus: 1\ntime: {{end: 0.4 s, step: 1 ms{}}}\nbodies:\n{}contacts:\n{}",
                     events ? ", mode: events, tolerance: 1e-10" : "", bodies, contacts);
}

/// A run to its end: its state and the impulses of all its steps.
struct Ended {
  Vector q, v;
  double impulse = 0.0;
  long closed = 0;
};
Ended ended(const std::string& text) {
  CAPTURE(text);
  Ended end;
  const Shown s = run_text(text, {}, [&](const Simulation&, const StepReport& report) {
    end.impulse += report.impulse;
    end.closed += report.contacts > 0 || report.events > 0;
  });
  REQUIRE(s.converged);
  std::vector<double> q, v;
  for (const GroupState& group : s.sim.state().groups) {
    q.insert(q.end(), group.q.begin(), group.q.end());
    v.insert(v.end(), group.v.begin(), group.v.end());
  }
  end.q = Eigen::Map<const Vector>(q.data(), static_cast<Eigen::Index>(q.size()));
  end.v = Eigen::Map<const Vector>(v.data(), static_cast<Eigen::Index>(v.size()));
  return end;
}

double apart(const Vector& a, const Vector& b) {
  return (a - b).lpNorm<Eigen::Infinity>() / std::max(1e-300, a.lpNorm<Eigen::Infinity>());
}

std::string list(const Vector& x) {
  return fmt::format("[{:.17g}]", fmt::join(x.begin(), x.end(), ", "));
}
std::string list(const Matrix& A) {
  std::string text;
  for (Eigen::Index i = 0; i < A.rows(); ++i)
    text += (i > 0 ? ", " : "") + list(Vector(A.row(i).transpose()));
  return "[" + text + "]";
}

/// Row of the point x of a string of length 1 by its modes.
std::string string_row(int modes, double x) {
  Vector row(modes);
  sine_shapes(1.0, modes)->row(x, row);
  return list(row);
}

const std::string kLaw = "law: {kind: newton-impact, restitution: 0.5}}\n";

}  // namespace

TEST_CASE("a row with one coefficient is the contact of that coordinate, for every kind of body") {
  struct Row {
    std::string kind;
    std::string body, today, row;
  };
  const std::string string =
      "  - {name: b, kind: modal, string: {length: 1 m, tension: 100 N, linear_density: 0.01, "
      "modes: 20}, pluck: {at: 0.3 m, height: 5 mm}}\n";
  const std::string masses =
      "  - {name: b, kind: linear, matrices: {mass: [[2, 0.5], [0.5, 1]], stiffness: [[300, -100], "
      "[-100, 200]]}, initial: {coordinates: [0.01, 0.05], velocities: [0.3, -1]}}\n";
  const std::string chain =
      "  - {name: b, kind: linear, chain: {masses: 3, mass: 1, stiffness: 2000, damping: 0, ends: "
      "free-free}, direction: [0, 0, 1], prescribed: [{dof: 0, harmonic: {amplitude: 20 mm, "
      "frequency: 5 Hz}}]}\n";
  const Row rows[] = {
      {"linear", masses, "at: 1, against: {stop: {at: -0.02, side: below}}, ",
       "row: [0, 1], offset: 0.02, "},
      {"linear, from above", masses, "at: 0, against: {stop: {at: 0.02, side: above}}, ",
       "row: [-1, 0], offset: 0.02, "},
      {"linear, by its number", masses, "at: 1, against: {stop: {at: -0.02, side: below}}, ",
       "row: [[1, 1]], offset: 0.02, "},
      {"linear, another coordinate prescribed", chain,
       "at: 2, against: {stop: {at: -10 mm, side: below}}, ", "row: [0, 0, 1], offset: 10 mm, "},
      {"linear, between a coordinate and one that is prescribed", chain,
       "at: 1, against: {body: b, at: 0, normal: [1, 0, 0], distance: 0.97}, ",
       "row: [-1, 1, 0], offset: 0.03, "},
      {"lagrangian",
       "  - {name: b, kind: lagrangian, duffing: {stiffness: 100, cubic: 50}, initial: "
       "{coordinates: [0.5]}}\n",
       "at: mass, against: {plane: {point: [0, 0, -0.2]}}, ", "row: [1], offset: 0.2, "},
      {"modal", string, "against: {points: [[0.4 m, -2 mm]]}, ",
       "row: " + string_row(20, 0.4) + ", offset: 2 mm, "}};
  for (const Row& row : rows)
    for (const bool events : {false, true}) {
      CAPTURE(row.kind);
      CAPTURE(events);
      const Ended today = ended(rows_scene(row.body, "  - {on: b, " + row.today + kLaw, events));
      const Ended by_row = ended(rows_scene(row.body, "  - {on: b, " + row.row + kLaw, events));
      CHECK(today.closed > 0);
      CHECK(by_row.closed == today.closed);
      const double bound = events ? 1e-9 : 1e-12;  // bounces of a run carry round-off on
      CHECK(apart(today.q, by_row.q) <= bound);
      CHECK(apart(today.v, by_row.v) <= bound);
      CHECK(std::abs(today.impulse - by_row.impulse) <= bound * today.impulse);
    }
}

TEST_CASE("a row over several coordinates is the contact of the same body in rotated coordinates") {
  // q' = R q,  M' = R M R^T,  K' = R K R^T,  H' = H R^T
  Matrix M = Vector{{2.0, 1.0, 0.5}}.asDiagonal(), K(3, 3);
  K << 300.0, -80.0, 0.0, -80.0, 250.0, -60.0, 0.0, -60.0, 120.0;
  const Matrix R =
      (Eigen::AngleAxisd(0.7, Vector3::UnitX()) * Eigen::AngleAxisd(-1.1, Vector3::UnitY()) *
       Eigen::AngleAxisd(0.4, Vector3::UnitZ()))
          .toRotationMatrix();
  const Vector q{{0.02, 0.05, -0.03}}, v{{0.4, -1.2, 0.7}}, load{{0.0, -3.0, 1.0}};
  const auto body = [&](const Matrix& of) {
    Matrix M1 = of * M * of.transpose(), K1 = of * K * of.transpose();
    M1 = (0.5 * (M1 + M1.transpose())).eval();
    K1 = (0.5 * (K1 + K1.transpose())).eval();
    return fmt::format(
        "  - {{name: b, kind: linear, matrices: {{mass: {}, stiffness: {}, load: {}}}, initial: "
        "{{coordinates: {}, velocities: {}}}}}\n",
        list(M1), list(K1), list(Vector(of * load)), list(Vector(of * q)), list(Vector(of * v)));
  };
  const auto contact = [&](const Matrix& of, bool friction) {
    const Vector n{{0.0, 1.0, 0.0}}, t{{1.0, 0.0, 0.0}};
    return fmt::format(
        "  - {{on: b, row: {}, {}offset: 10 mm, law: {{kind: newton-impact, restitution: "
        "0.6{}}}}}\n",
        list(Vector(of * n)), friction ? fmt::format("tangent: {}, ", list(Vector(of * t))) : "",
        friction ? ", friction: 0.3" : "");
  };
  const Matrix I = Matrix::Identity(3, 3);
  for (const bool friction : {false, true})
    for (const bool events : {false, true}) {
      CAPTURE(friction);
      CAPTURE(events);
      const Ended plain = ended(rows_scene(body(I), contact(I, friction), events));
      const Ended rotated = ended(rows_scene(body(R), contact(R, friction), events));
      CHECK(plain.closed > 0);
      CHECK(rotated.closed == plain.closed);
      const double bound = events ? 1e-9 : 1e-12;
      CHECK(apart(plain.q, R.transpose() * rotated.q) <= bound);
      CHECK(apart(plain.v, R.transpose() * rotated.v) <= bound);
    }
}

TEST_CASE("friction along a row: a mass slides down a slope with g (sin a - mu cos a)") {
  // Slope of angle a in q = (x, z), normal (-sin a, cos a), downhill (-cos a, -sin a); rows of any length.
  const double a = 0.6, mu = 0.4, g = 9.81, m = 3.0, T = 0.4;
  const double slides = g * (std::sin(a) - mu * std::cos(a));
  for (const double scale : {1.0, 1e-3, 1e4})
    for (const bool events : {false, true}) {
      CAPTURE(scale);
      CAPTURE(events);
      const std::string body = fmt::format(
          "  - {{name: b, kind: linear, matrices: {{mass: [{0}, {0}], stiffness: [0, 0], load: [0, "
          "{1:.17g}]}}}}\n",
          m, -m * g);
      const std::string contact = fmt::format(
          "  - {{on: b, row: {}, tangent: {}, law: {{kind: newton-impact, friction: {}}}}}\n",
          list(Vector{{-scale * std::sin(a), scale * std::cos(a)}}),
          list(Vector{{scale * std::cos(a), scale * std::sin(a)}}), mu);
      const Ended end = ended(rows_scene(body, contact, events));
      const double s = 0.5 * slides * T * T;
      CHECK(std::abs(end.q[0] + s * std::cos(a)) <= 1e-9);
      CHECK(std::abs(end.q[1] + s * std::sin(a)) <= 1e-9);
      CHECK(std::abs(end.v[0] + slides * T * std::cos(a)) <= 1e-9);
    }
}

TEST_CASE(
    "friction along two rows is a cone: the slip keeps its direction and ends after v^2/(2 mu g)") {
  const double g = 10.0, mu = 0.5, v = 1.0;  // stops after 0.2 s
  for (const bool events : {false, true}) {
    CAPTURE(events);
    const std::string body =
        "  - {name: b, kind: linear, matrices: {mass: [2, 2, 2], stiffness: [0, 0, 0], load: [0, "
        "0, -20]}, initial: {velocities: [0.6, 0.8, 0]}}\n";
    const std::string contact =
        "  - {on: b, row: [0, 0, 1], tangents: [[1, 0, 0], [0, 1, 0]], law: {kind: newton-impact, "
        "friction: 0.5}}\n";
    const Ended end = ended(rows_scene(body, contact, events));
    const double s = v * v / (2.0 * mu * g);
    const double bound = events ? 1e-9 : 1e-3 * v;  // the step in which it stops
    CHECK(std::abs(std::hypot(end.q[0], end.q[1]) - s) <= bound);
    CHECK(std::abs(end.q[1] * 0.6 - end.q[0] * 0.8) <= 1e-9);
    CHECK(std::abs(end.q[2]) <= 1e-12);
    CHECK(end.v.lpNorm<Eigen::Infinity>() <= 1e-9);
  }
}

TEST_CASE("a row between two bodies: their gap is the sum of both parts") {
  const auto bodies = [](double second) {
    return fmt::format(
        "  - {{name: a, kind: linear, oscillator: {{mass: 2, stiffness: 50}}, initial: "
        "{{coordinates: [0.1]}}}}\n"
        "  - {{name: b, kind: linear, oscillator: {{mass: 1, stiffness: 80}}, initial: "
        "{{coordinates: [{}]}}}}\n",
        second);
  };
  for (const bool events : {false, true}) {
    CAPTURE(events);
    const Ended today = ended(rows_scene(
        bodies(-0.1), "  - {on: a, against: {body: b, normal: [0, 0, 1], distance: 0.02}, " + kLaw,
        events));
    const Ended by_row = ended(rows_scene(
        bodies(-0.1), "  - {on: a, row: [1], offset: -0.02, against: {body: b, row: [-1]}, " + kLaw,
        events));
    // the second body measured the other way round
    const Ended turned = ended(rows_scene(
        bodies(0.1), "  - {on: a, row: [1], offset: -0.02, against: {body: b, row: [1]}, " + kLaw,
        events));
    CHECK(today.closed > 0);
    CHECK(apart(today.q, by_row.q) <= 1e-12);
    CHECK(apart(today.v, by_row.v) <= 1e-12);
    CHECK(apart(today.q, Vector{{turned.q[0], -turned.q[1]}}) <= 1e-12);
  }
}

TEST_CASE("a modal body without shapes touches by rows, alone and beside frets") {
  const std::string body =
      "  - {name: b, kind: modal, string: {length: 1 m, tension: 100 N, linear_density: 0.01, "
      "modes: 100}, pluck: {at: 0.3 m, height: 5 mm}}\n";
  const std::string frets = "  - {on: b, against: {flat: {height: -3 mm}}, " + kLaw;
  const Ended today = ended(
      rows_scene(body, frets + "  - {on: b, against: {points: [[0.41 m, -2 mm]]}, " + kLaw, false));
  const Ended by_row = ended(rows_scene(
      body, frets + "  - {on: b, row: " + string_row(100, 0.41) + ", offset: 2 mm, " + kLaw,
      false));
  CHECK(today.closed > 0);
  CHECK(apart(today.q, by_row.q) <= 1e-9);
  const Ended bare = ended(rows_scene(
      "  - {name: b, kind: modal, modes: {omega: [10, 20], mass: [1, 2]}, initial: {coordinates: "
      "[0.1, 0.05]}}\n",
      "  - {on: b, row: [1, 0.5], offset: 0.02, " + kLaw, false));
  CHECK(bare.closed > 0);
}

TEST_CASE("the derivative by the offset of a row is that of the height of a plane") {
  const auto by = [](const std::string& contact, const std::string& to) {
    const std::string text = rows_scene(
                                 "  - {name: b, kind: linear, matrices: {mass: [2], stiffness: "
                                 "[50]}, initial: {coordinates: "
                                 "[0.1], velocities: [-1]}}\n",
                                 "  - {on: b, " + contact + kLaw, true) +
                             "outputs: [{probe: b, name: x, at: 0, quantity: displacement}]\n";
    const SceneSensitivity s =
        scene_sensitivities(read_scene_text(text, "s.yaml"), std::vector<std::string>{to});
    CAPTURE(s.states.reason);
    REQUIRE(s.states.validity == Sensitivity::Validity::saltation);
    return s.value(0, 0);
  };
  const double today =
      by("at: 0, against: {plane: {point: [0, 0, -0.01]}}, ", "contacts[0].against.plane.point[2]");
  CHECK(std::abs(today) > 1e-3);
  CHECK(by("row: [1], offset: 0.01, ", "contacts[0].offset") ==
        doctest::Approx(-today).epsilon(1e-9));
}

TEST_CASE("a distance moves the place where two points touch along the normal") {
  // Two balls that are particles: they meet when their centres are 0.1 m apart, after 0.2 s, and exchange their velocities.
  const std::string ball =
      "  - {{name: {}, kind: particles, particles: {{mass: [1], positions: [[{}, 0, 0]], "
      "velocities: [[{}, 0, 0]]}}}}\n";
  for (const bool events : {false, true}) {
    CAPTURE(events);
    const Ended end = ended(rows_scene(
        fmt::format(fmt::runtime(ball), "a", 0.5, -2.0) +
            fmt::format(fmt::runtime(ball), "b", 0.0, 0.0),
        "  - {on: a, against: {body: b, normal: [1, 0, 0], distance: 0.1 m}, law: {kind: "
        "newton-impact, restitution: 1}}\n",
        events));
    CHECK(end.closed == 1);
    const double bound = events ? 1e-12 : 4e-3;  // h v, twice
    CHECK(std::abs(end.q[0] - 0.1) <= bound);
    CHECK(std::abs(end.q[3] + 0.4) <= bound);
    CHECK(std::abs(end.v[3] + 2.0) <= 1e-12);
  }
}

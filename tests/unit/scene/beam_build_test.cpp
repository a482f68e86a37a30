// What build makes of beams in a scene: frame, section, what is held, loads, motion at the start, points, contacts.
#include <doctest/doctest.h>

#include <cmath>
#include <memory>
#include <numbers>
#include <string>

#include "saltus/bodies/beam.h"
#include "saltus/sim/simulation.h"
#include "support/fault_rows.h"
#include "support/mesh_scene.h"

using namespace saltus;

namespace {

std::string of_beam(const std::string& entries, const std::string& rest = "",
                    const std::string& body = "") {
  return "saltus: 1\ntime: {end: 0.1, step: 1 ms}\nbodies: [{name: b, kind: beam, beam: {" +
         entries + "}" + body + "}]\n" + rest + "\n";
}

struct BuiltBeam {
  Model model;
  explicit BuiltBeam(const std::string& entries, const std::string& rest = "")
      : model(build(read_scene_text(of_beam(entries, rest), "s"))) {}
  const ElasticBeam& beam() const {
    return dynamic_cast<const ElasticBeam&>(*model.groups()[0].dynamics);
  }
  const GroupState& start() const { return model.initial()[0]; }
  /// Sum over the beam of the force at t = 0 on a motion of all its points as one.
  Vector3 force(double t = 0.0) const {
    Vector f(beam().velocities());
    beam().force(t, start().q, start().v, f);
    Vector3 sum = Vector3::Zero();
    const BeamSystem& s = beam().system();
    Matrix3 frame;
    frame << s.axis, s.across, s.axis.cross(s.across);
    for (int node = 0; node < beam().nodes(); ++node)
      for (int axis = 0; axis < 3; ++axis)
        if (const int i = beam().free_index(6 * node + axis); i >= 0) sum += f[i] * frame.col(axis);
    return sum;
  }
  Vector3 place(const PointRef& point, double later = 0.0) const {
    Vector3 x;
    const Vector q = start().q + later * start().v;
    beam().points(0.0, q, std::span(&point, 1), x);
    return x;
  }
};

const std::string kRod = "start: [1, 0, 0], end: [1, 0, 2], elements: 8, ";
const std::string kSection = "axial: 1000, bending: 2, linear_density: 3";

}  // namespace

TEST_CASE("a beam of a scene has the section, the length and the place that it says") {
  constexpr double kPi = std::numbers::pi;
  struct Row {
    std::string section;
    double area, second;
  };
  for (const Row& row : {Row{"radius: 3 mm", 9e-6 * kPi, 0.25 * 81e-12 * kPi},
                         Row{"radius: 3 mm, inner_radius: 2 mm", 5e-6 * kPi, 0.25 * 65e-12 * kPi},
                         Row{"side: 2 mm", 4e-6, 16e-12 / 12.0}}) {
    CAPTURE(row.section);
    const BuiltBeam b(kRod + row.section + ", young: 2 GPa, density: 1000");
    const BeamSection& s = b.beam().system().section;
    CHECK(s.axial == doctest::Approx(2e9 * row.area).epsilon(1e-12));
    CHECK(s.bending == doctest::Approx(2e9 * row.second).epsilon(1e-12));
    CHECK(s.line_mass == doctest::Approx(1e3 * row.area).epsilon(1e-12));
    // the section that a diameter gives in C++ is the round one
    if (row.area == 9e-6 * kPi)
      CHECK(s.bending == doctest::Approx(round_section(2e9, 1e3, 6e-3).bending).epsilon(1e-12));
  }
  const BuiltBeam b(kRod + kSection);
  CHECK(b.beam().nodes() == 9);
  CHECK(b.beam().positions() == 54);
  CHECK((b.place(b.beam().point(0.5)) - Vector3(1.0, 0.0, 0.5)).norm() <= 1e-14);
  CHECK(b.model.groups()[0].kind == "beam");
}

TEST_CASE("pinned, clamped and guided nodes of a beam keep place, place and direction, direction") {
  const auto free = [](const std::string& held) {
    const BuiltBeam b(kRod + kSection + ", held: [" + held + "]");
    return b.beam().positions();
  };
  CHECK(free("{at: start, as: pinned}") == 54 - 3);
  CHECK(free("{at: end, as: clamped}") == 54 - 5);
  CHECK(free("{at: 0.5, as: guided}") == 54 - 2);
  const BuiltBeam b(kRod + kSection + ", held: [{at: 50 cm, as: pinned}]");
  for (int axis = 0; axis < 3; ++axis) CHECK(b.beam().free_index(6 * 2 + axis) == -1);
  CHECK(b.beam().free_index(6 * 2 + 3) >= 0);
}

TEST_CASE("weight, forces and line forces on a beam add up to what the scene says") {
  const BuiltBeam weight(kRod + kSection, "gravity: [0, 0, -10]\n");
  CHECK((weight.force() - Vector3(0.0, 0.0, -60.0)).norm() <= 1e-12);
  const BuiltBeam own(kRod + kSection + ", gravity: [1, 0, 0]", "gravity: [0, 0, -10]\n");
  CHECK((own.force() - Vector3(6.0, 0.0, 0.0)).norm() <= 1e-12);
  const BuiltBeam pushed(kRod + kSection +
                         ", loads: [{at: 1.13, force: [1, -2, 3]}, {line_force: [4, 0, 0], factor: "
                         "{rate: 20 1/s}}, {at: end, force: [0, 0, 5]}]");
  CHECK((pushed.force(0.0) - Vector3(1.0, -2.0, 8.0)).norm() <= 1e-12);
  CHECK((pushed.force(0.1) - Vector3(17.0, -2.0, 8.0)).norm() <= 1e-12);
}

TEST_CASE("a force at a place of a beam does the work of the motion of that place") {
  const BuiltBeam b(kRod + kSection + ", loads: [{at: 1.13, force: [1, -2, 3]}]");
  Vector f(b.beam().velocities()), v(b.beam().velocities());
  b.beam().force(0.0, b.start().q, b.start().v, f);
  for (Eigen::Index i = 0; i < v.size(); ++i) v[i] = std::sin(1.3 * static_cast<double>(i));
  const std::vector<PointRef> at{b.beam().point(1.13)};
  Vector3 here, there;
  const Vector q = v;
  b.beam().points(0.0, b.start().q, at, here);
  b.beam().points(0.0, q, at, there);
  CHECK(f.dot(v) == doctest::Approx(Vector3(1.0, -2.0, 3.0).dot(there - here)).epsilon(1e-12));
}

TEST_CASE("velocity and spin start a beam as a rigid body about its middle") {
  const BuiltBeam b(kRod + kSection + ", velocity: [1, 2, 3], spin: [0, 2, 0]");
  for (const double x : {0.0, 0.3, 1.0, 1.9}) {
    const PointRef point = b.beam().point(x);
    const Vector3 rate = b.place(point, 1.0) - b.place(point);
    CHECK((rate - Vector3(1.0 + 2.0 * (x - 1.0), 2.0, 3.0)).norm() <= 1e-12);
  }
  const Energy E = b.beam().energy(0.0, b.start().q, b.start().v);
  CHECK(E.kinetic == doctest::Approx(0.5 * 6.0 * 14.0 + 0.5 * 6.0 * 4.0 / 12.0 * 4.0));
}

TEST_CASE("a beam touches at its nodes that move, or at the places that a contact names") {
  const std::string law = ", against: {plane: {normal: [1, 0, 0]}}, law: newton-impact}\n";
  const BuiltBeam b(
      kRod + kSection + ", held: [{at: start, as: clamped}]",
      "contacts:\n  - {on: b" + law + "  - {on: b, at: [end, 0.7]" + law +
          "outputs: [{probe: b, at: end, direction: [1, 0, 0]}, {probe: b, at: 0.7}]");
  REQUIRE(b.model.pairs().size() == 8 + 2);
  CHECK((b.place(b.model.pairs()[0].a.ref) - Vector3(1.0, 0.0, 0.25)).norm() <= 1e-14);
  CHECK((b.place(b.model.pairs()[8].a.ref) - Vector3(1.0, 0.0, 2.0)).norm() <= 1e-14);
  CHECK((b.place(b.model.pairs()[9].a.ref) - Vector3(1.0, 0.0, 0.7)).norm() <= 1e-14);
  CHECK(b.model.probes()[0].rest == doctest::Approx(1.0));
  CHECK(b.model.probes()[1].name == "b at 0.7 m");
}

TEST_CASE("two beams joined by a ball stay together") {
  const Scene scene = read_scene_text(
      "saltus: 1\ntime: {end: 0.2, step: 1 ms}\ngravity: [0, 0, -10]\nbodies:\n"
      "  - {name: a, kind: beam, beam: {start: [0, 0, 0], end: [1, 0, 0], elements: 4, axial: "
      "1000, "
      "bending: 1, linear_density: 1, held: [{at: start, as: pinned}]}}\n"
      "  - {name: b, kind: beam, beam: {start: [1, 0, 0], end: [1, 0, -1], elements: 4, axial: "
      "1000, bending: 1, linear_density: 1}}\n"
      "joints: [{kind: ball, between: [a, b], first: {at: end}, second: {at: start}}]\n"
      "outputs: [{probe: a, at: end, quantity: displacement}, {probe: b, at: start, quantity: "
      "displacement}]\n",
      "s");
  Simulation sim(build(scene));
  for (int i = 0; i < 200; ++i) REQUIRE(sim.advance().converged);
  CHECK(sim.probe(0) < -0.1);
  CHECK(std::abs(sim.probe(0) - sim.probe(1)) <= 1e-8);
}

TEST_CASE("what is wrong with a beam is said with its place") {
  const std::string law = ", against: {plane: {}}, law: newton-impact}]";
  saltus_test::expect_faults(
      "s",
      {
          {of_beam("start: [0, 0, 0], end: [0, 0, 0], " + kSection),
           "3:57: bodies[0].beam.end: is the place of `start`; another place"},
          {of_beam(kRod + "radius: 1 mm, density: 1"),
           "3:32: bodies[0].beam: `young` is missing: Young's modulus; in Pa, e.g. 210 GPa"},
          {of_beam(kRod + "radius: 1 mm, young: 1"),
           "3:32: bodies[0].beam: `density` is missing: density of the material; in kg/m^3, e.g. "
           "7850"},
          {of_beam(kRod + "axial: 1, linear_density: 1"),
           "3:32: bodies[0].beam: `bending` is missing: E I; in N m^2"},
          {of_beam(kRod + "axial: 1, bending: 1"),
           "3:32: bodies[0].beam: `linear_density` is missing: mass per length; in kg/m"},
          {of_beam(kRod + "young: 1, density: 1"),
           "3:32: bodies[0].beam: a key is missing; give exactly one of radius, side, axial"},
          {of_beam(kRod + kSection + ", young: 1"),
           "3:137: bodies[0].beam.young: cannot be given together with `axial`; give at most "
           "one of axial, young"},
          {of_beam(kRod + kSection + ", radius: 1 mm"),
           "3:93: bodies[0].beam.axial: cannot be given together with `radius`; give exactly "
           "one of radius, side, axial"},
          {of_beam(kRod + "radius: 1 mm, inner_radius: 1 mm, young: 1, density: 1"),
           "3:114: bodies[0].beam.inner_radius: 0.001 m is not inside the radius; below 0.001 "
           "m"},
          {of_beam(kRod + "side: 1 mm, inner_radius: 1 mm, young: 1, density: 1"),
           "3:112: bodies[0].beam.inner_radius: needs `radius`"},
          {of_beam(kRod + kSection + ", held: [{at: 0.3, as: pinned}]"),
           "3:142: bodies[0].beam.held[0].at: 'b' has no node at x = 0.3 m; the nearest is at "
           "0.25 m"},
          {of_beam(kRod + kSection + ", held: [{at: 3, as: pinned}]"),
           "3:142: bodies[0].beam.held[0].at: 3 m is not on 'b'; start, end, or a place along "
           "it, between 0 and 2 m"},
          {of_beam(kRod + kSection + ", held: [{at: middle, as: pinned}]"),
           "3:142: bodies[0].beam.held[0].at: 'middle' is not a place on 'b'; start, end, or "
           "a place along it, in m"},
          {of_beam(kRod + kSection + ", held: [{at: 0, as: pinned}, {at: start, as: guided}]"),
           "3:163: bodies[0].beam.held[1].at: names a node of 'b' that another entry already "
           "restrains; "
           "one entry per node"},
          {of_beam(kRod + kSection + ", held: [{at: start}]"),
           "3:137: bodies[0].beam.held[0]: `as` is missing: pinned: the position is fixed; "
           "clamped: position and direction; guided: the direction only"},
          {of_beam(kRod + kSection + ", loads: [{at: end, force: [0, 0, 0]}]"),
           "3:148: bodies[0].beam.loads[0].force: is zero; leave the load out"},
          {of_beam(kRod + kSection + ", loads: [{force: [0, 0, 1]}]"),
           "3:139: bodies[0].beam.loads[0].force: needs `at`"},
          {of_beam(kRod + kSection + ", loads: [{at: end, line_force: [0, 0, 1]}]"),
           "3:143: bodies[0].beam.loads[0].at: needs `force`"},
          {of_beam(kRod + kSection, "", ", loads: [{dof: 1, constant: 1}]"),
           "3:131: bodies[0].loads: have no meaning for kind beam; give beam.loads"},
          {of_beam(kRod + kSection, "", ", origin: [1, 0, 0]"),
           "3:131: bodies[0].origin: has no meaning for this body; give beam.start and "
           "beam.end"},
          {of_beam(kRod + kSection, "", ", initial: {velocity: 1}"),
           "3:131: bodies[0].initial: is for kind modal, linear, lagrangian, not for beam; "
           "kind beam has beam"},
          {of_beam(kRod + kSection, "", ", scheme: modal-exact"),
           "3:139: bodies[0].scheme: 'modal-exact' needs affine, modal, and 'b' (kind beam) "
           "has tangents, symmetric, fixed-points, second-order, constant-mass, potential, "
           "separable; allowed here: moreau-jean, euler-explicit, euler-implicit, newmark, "
           "variational-symplectic, runge-kutta, splitting, central-difference, schatzman-paoli, "
           "generalized-alpha, generalized-alpha-decoupled, discrete-gradient, def-exp, "
           "def-lim"},
          {of_beam(kRod + kSection, "outputs: [{probe: b, at: [1, 0, 0]}]"),
           "4:22: outputs[0].at: 'b' does not accept a place [x, y, z]; start, end, or a place "
           "along "
           "it, in m"},
          {of_beam(kRod + kSection, "outputs: [{probe: b, at: 2.5}]"),
           "4:26: outputs[0].at: 2.5 m is not on 'b'; start, end, or a place along it, "
           "between 0 and 2 m"},
          {of_beam(kRod + kSection, "outputs: [{probe: b, at: 1, quantity: reaction}]"),
           "4:39: outputs[0].quantity: 'b' has no reactions: none of its degrees of freedom is "
           "prescribed; "
           "allowed: velocity, displacement"},
          {of_beam(kRod + kSection + ", held: [{at: start, as: pinned}]",
                   "contacts: [{on: b, at: start" + law),
           "4:24: contacts[0].at: x = 0 m of 'b' is held: no contact can move it; let another "
           "place make contact, or take the end out of `held`"},
      },
      [](const std::string& text) { build(read_scene_text(text, "s")); });
}

// What build makes of bodies of finite elements: mesh, placement, materials by sets, what is held, loads, motion at the
// start, points.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <string>

#include "saltus/fem/fem.h"
#include "saltus/sim/simulation.h"
#include "support/mesh_scene.h"

using namespace saltus;
using saltus_test::DataFolder;

namespace {

/// The two cubes with a line along an edge of the left one, in the physical curve "steel".
std::string with_bars() {
  std::string text = saltus_test::kTwoCubes;
  const auto put = [&](const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
  };
  put("$PhysicalNames\n5\n", "$PhysicalNames\n6\n1 6 \"steel\"\n");
  put("$Elements\n5\n", "$Elements\n6\n");
  put("5 5 2 5 2 2 9 10 3 6 11 12 7\n", "5 5 2 5 2 2 9 10 3 6 11 12 7\n6 1 2 6 1 5 6\n");
  return text;
}

struct BuiltFem {
  DataFolder folder;
  std::unique_ptr<Model> model;

  explicit BuiltFem(const std::string& fem, const std::string& rest = "") {
    folder.write("two.msh", saltus_test::kTwoCubes);
    folder.write("bars.msh", with_bars());
    model = std::make_unique<Model>(build(saltus_test::mesh_scene(
        "bodies: [{name: b, kind: fem, fem: {" + fem + "}}]\n" + rest, folder)));
  }
  const Fem& fem() const { return dynamic_cast<const Fem&>(*model->groups()[0].dynamics); }
  const GroupState& start() const { return model->initial()[0]; }
  /// The forces at the start, all of them.
  Vector forces() const {
    Vector f(fem().velocities());
    fem().force(0.0, start().q, start().v, f);
    return f;
  }
  Vector3 place(const PointRef& point) const {
    Vector3 x;
    model->groups()[0].dynamics->points(0.0, start().q, std::span(&point, 1), x);
    return x;
  }
};

const std::string kBrick =
    "mesh: {box: {kind: hex8, cells: [4, 2, 2], size: [0.4, 0.2, 0.1], origin: [1, 0, 0]}}";
const std::string kSoft = ", material: {young: 1 MPa, poisson: 0.3, density: 1000 kg/m^3}";
const std::string kFile = "mesh: {file: two.msh}";

}  // namespace

TEST_CASE("a box in a scene has the nodes, the elements and the mass that it says") {
  const BuiltFem b(kBrick + kSoft);
  CHECK(b.fem().mesh().nodes.cols() == 5 * 3 * 3);
  CHECK(b.fem().mesh().elements() == 16);
  CHECK(b.fem().total_mass() == doctest::Approx(8.0).epsilon(1e-12));
  CHECK(b.model->groups()[0].kind == "fem");
  CHECK(std::string(b.model->groups()[0].scheme->name()) == "def-lim");
  CHECK(b.fem().mesh().nodes.row(0).minCoeff() == 1.0);
}

TEST_CASE("every shape of a mesh has the volume of its solid, to that of its facets") {
  constexpr double kPi = std::numbers::pi;
  struct Row {
    std::string mesh;
    double volume, tolerance;
  };
  for (const Row& row : {
           Row{"box: {kind: tet10, cells: [2, 2, 2], size: [1, 2, 3]}", 6.0, 1e-12},
           Row{"cylinder: {radius: 1, height: 2, cells: 3, rings: 3}", 2.0 * kPi, 0.02},
           Row{"cylinder: {kind: hex20, radius: 1, height: 2}", 2.0 * kPi, 1e-3},
           Row{"arch: {inner: 1, outer: 2, angle: 180 deg, width: 0.5, around: 40}", 0.75 * kPi,
               2e-3},
           Row{"ball: {radius: 1, cells: 3, rings: 3}", 4.0 / 3.0 * kPi, 0.03},
           Row{"ball: {kind: hex20, radius: 1, half: true}", 2.0 / 3.0 * kPi, 0.01},
       }) {
    CAPTURE(row.mesh);
    const BuiltFem b("mesh: {" + row.mesh + "}, material: {young: 1, poisson: 0, density: 1}");
    CHECK(b.fem().total_mass() == doctest::Approx(row.volume).epsilon(row.tolerance));
  }
}

TEST_CASE("a mesh is turned about its origin, then shifted; places keep its frame") {
  const BuiltFem b(
      kBrick + kSoft + ", position: [0, 0, 5], rotation: {axis: [0, 0, 1], angle: 90 deg}",
      "outputs: [{probe: b, at: [1.25, 0.05, 0.03], direction: [0, 1, 0]}, {probe: b, at: 0, "
      "direction: [0, 1, 0]}]\n");
  CHECK(b.model->probes()[0].rest == doctest::Approx(1.25).epsilon(1e-12));
  CHECK((b.place(b.model->probes()[0].point) - Vector3(-0.05, 1.25, 5.03)).norm() <= 1e-12);
  CHECK((b.place(b.model->probes()[1].point) - Vector3(0.0, 1.0, 5.0)).norm() <= 1e-12);
}

TEST_CASE("velocity and spin start a rigid motion about the mass centre") {
  const BuiltFem b(kBrick + kSoft +
                   ", position: [0, 0, 5], rotation: {axis: [0, 0, 1], angle: 90 deg}, velocity: "
                   "[1, 2, 3], spin: [2, 0, 0]");
  const Resultant p = b.fem().momentum(0.0, b.start().q, b.start().v);
  CHECK((p.force - 8.0 * Vector3(1.0, 2.0, 3.0)).norm() <= 1e-12);
  // spin about x of the mesh is about y of space; J of lumped masses is a little above that of the solid
  const Vector3 centre(-0.1, 1.2, 5.05);
  const Vector3 own = p.moment - centre.cross(p.force);
  CHECK(std::abs(own[0]) + std::abs(own[2]) <= 1e-12);
  const double solid = 8.0 / 12.0 * (0.04 + 0.01);
  CHECK(own[1] >= 2.0 * solid);
  CHECK(own[1] <= 2.0 * 1.75 * solid);
  CHECK(b.fem().energy(0.0, b.start().q, b.start().v).potential == doctest::Approx(0.0));
}

TEST_CASE("each set of a Gmsh file has its material, and the sets of faces stay where they are") {
  const BuiltFem b(
      kFile +
          ", materials: [{set: right, material: {young: 1 MPa, poisson: 0.3, density: "
          "1000}}, {set: left, material: {young: 2 MPa, poisson: 0.2, density: 3000}}], "
          "fixed: [{set: base}], loads: [{set: end, pressure: 10 Pa}]",
      "outputs: [{probe: b, at: tip, direction: [1, 0, 0]}]\n");
  CHECK(b.fem().total_mass() == doctest::Approx(4000.0).epsilon(1e-12));
  CHECK(b.fem().prescribed() == 12);
  CHECK(b.forces().sum() == doctest::Approx(-10.0).epsilon(1e-12));  // along x alone
  CHECK((b.place(b.model->probes()[0].point) - Vector3(2.0, 1.0, 1.0)).norm() <= 1e-15);
  const BuiltFem all(
      "mesh: {file: two.msh, scale: 0.1}, materials: [{set: all, material: {young: 1, poisson: 0, "
      "density: 1000}}]");
  CHECK(all.fem().total_mass() == doctest::Approx(2.0).epsilon(1e-12));
}

TEST_CASE("a force is shared by area over faces, by halves over nodes, by shape over an element") {
  const std::string held = ", fixed: [{set: x0}], loads: [{";
  for (const char* where : {"set: x1", "nodes: [4, 9, 14]", "at: [1.33, 0.12, 0.04]"}) {
    CAPTURE(where);
    const BuiltFem b(kBrick + kSoft + held + where +
                     ", force: [0, 0, -3 N], factor: {rate: 20 1/s}}]");
    Vector f(b.fem().velocities());
    b.fem().force(0.05, b.start().q, b.start().v, f);
    CHECK(f.sum() == doctest::Approx(-3.0).epsilon(1e-12));
    CHECK(f.cwiseAbs().sum() == doctest::Approx(3.0).epsilon(1e-12));
    b.fem().force(0.0, b.start().q, b.start().v, f);
    CHECK(f.norm() == 0.0);
  }
  const BuiltFem corner(kBrick + kSoft +
                        ", fixed: [{set: x0}], loads: [{set: x1, traction: [0, 5 "
                        "Pa, 0]}]");
  CHECK(corner.forces().sum() == doctest::Approx(5.0 * 0.02).epsilon(1e-12));
}

TEST_CASE("gravity of the scene acts on every node, and that of the body takes its place") {
  const BuiltFem b(kBrick + kSoft, "gravity: [0, 0, -10]\n");
  CHECK(b.forces().sum() == doctest::Approx(-80.0).epsilon(1e-12));
  const BuiltFem own(kBrick + kSoft + ", gravity: [3, 0, 0]", "gravity: [0, 0, -10]\n");
  CHECK(own.forces().sum() == doctest::Approx(24.0).epsilon(1e-12));
}

TEST_CASE(
    "nodes of two sets of `fixed` are held once, and motion that is told leaves the other axes "
    "free") {
  const BuiltFem b(kBrick + kSoft +
                   ", fixed: [{set: x0}, {set: y0, axes: [z]}, {at: [1.4, 0.2, 0.1], axes: [y]}], "
                   "prescribed: [{set: x1, x: {rate: 1 mm/s}}]");
  // x0: 9 nodes, all axes; y0 without x0: 12 along z; one corner along y; x1: 9 along x
  CHECK(b.fem().prescribed() == 27 + 12 + 1 + 9);
  Vector u(3 * b.fem().mesh().nodes.cols());
  b.fem().full(0.05, b.start().q, u);
  CHECK(u.maxCoeff() == doctest::Approx(5e-5).epsilon(1e-12));
  CHECK(u.sum() == doctest::Approx(9 * 5e-5).epsilon(1e-12));
}

TEST_CASE("a bar hangs in gravity, and its support carries the weight") {
  DataFolder folder;
  Simulation sim(build(saltus_test::mesh_scene(
      "gravity: [-10, 0, 0]\nbodies:\n"
      "  - {name: bar, kind: fem, rayleigh: {mass: 3000 1/s}, fem: {mesh: {box: {kind: bar2, "
      "cells: "
      "[10], size: [1]}}, material: {law: linear, young: 1 GPa, poisson: 0, density: 1000}, area: "
      "0.01, fixed: [{set: x1}]}}\n"
      "outputs: [{probe: bar, at: x1, direction: [1, 0, 0], quantity: reaction}, {probe: bar, at: "
      "x0, direction: [1, 0, 0], quantity: displacement}]\n",
      folder)));
  for (int i = 0; i < 100; ++i) sim.advance();
  CHECK(sim.probe(0) == doctest::Approx(100.0).epsilon(1e-3));
  CHECK(sim.probe(1) == doctest::Approx(-0.5 * 1000.0 * 10.0 / 1e9).epsilon(1e-3));
}

TEST_CASE("every node of a set is a contact point, and a place in an element is one") {
  const BuiltFem b(kBrick + kSoft,
                   "contacts:\n"
                   "  - {on: b, at: z0, against: {plane: {}}, law: newton-impact}\n"
                   "  - {on: b, at: [1.1, 0.1, 0.02], against: {plane: {}}, law: newton-impact}\n"
                   "  - {on: b, at: [x0, 7], against: {plane: {}}, law: newton-impact}\n");
  CHECK(b.model->pairs().size() == 15 + 1 + 9 + 1);
  CHECK((b.place(b.model->pairs()[15].a.ref) - Vector3(1.1, 0.1, 0.02)).norm() <= 1e-14);
}

TEST_CASE(
    "nodes of a set that are held across the normal touch without friction, the others with") {
  const std::string contact =
      "contacts: [{on: b, at: z0, against: {plane: {}}, law: {kind: newton-impact, friction: "
      "0.5}}]";
  const BuiltFem b(kBrick + kSoft + ", fixed: [{set: x0, axes: [x, y]}]", contact);
  REQUIRE(b.model->pairs().size() == 15);
  for (const ContactPair& pair : b.model->pairs())
    CHECK(pair.tangents == (b.place(pair.a.ref)[0] == 1.0 ? 0 : 2));
  CHECK_THROWS_WITH(BuiltFem(kBrick + kSoft + ", fixed: [{set: z0, axes: [x, y]}]", contact),
                    doctest::Contains("friction needs tangential motion, and 'b' has none"));
}

TEST_CASE("displacements of a file are those of the nodes at the start") {
  DataFolder folder;
  folder.write("start.csv", "0,0,0,1,0,0\n0.1,0,0,2,0,0\n0.2,0,0,3,0,0\n");
  const Model model = build(saltus_test::mesh_scene(
      "bodies: [{name: b, kind: fem, fem: {mesh: {box: {kind: bar2, cells: [2], size: [1]}}, "
      "material: {young: 1, poisson: 0, density: 1}, start: start.csv, velocity: [10, 0, 0]}}]\n",
      folder));
  CHECK((model.initial()[0].q - Vector3(0.0, 0.1, 0.2)).norm() == 0.0);
  CHECK((model.initial()[0].v - Vector3(11.0, 12.0, 13.0)).norm() == 0.0);
}

TEST_CASE("a mesh in its lowest modes is a modal body that is met and heard at its places") {
  // a square bar clamped at one end: 1.875^2/(2 pi L^2) sqrt(E I/(rho A)) = 16.7 Hz twice
  const BuiltFem b(
      "mesh: {box: {kind: hex20, cells: [8, 1, 1], size: [1, 0.02, 0.02]}}, material: {law: "
      "linear, "
      "young: 210 GPa, poisson: 0, density: 7850}, fixed: [{set: x0}], modes: {count: 6, at: [[1, "
      "0.01, 0.01], [0.5, 0.01, 0.01]]}",
      "contacts: [{on: b, at: [1, 0.01, 0.01], against: {plane: {point: [0, 0, -1]}}, law: "
      "newton-impact}]\noutputs: [{probe: b, at: 1}, {probe: b, at: [1, 0.01, 0.01]}]\n");
  const Group& group = b.model->groups()[0];
  REQUIRE(group.dynamics->modal() != nullptr);
  CHECK(std::string(group.scheme->name()) == "modal-exact");
  CHECK(group.kind == "fem");
  CHECK(group.dynamics->velocities() == 6);
  const double c = std::sqrt(210e9 / 7850.0), first = 3.516 * c * 0.02 / std::sqrt(12.0);
  CHECK(group.dynamics->modal()->omega[0] == doctest::Approx(first).epsilon(0.01));
  CHECK(group.dynamics->modal()->omega[1] == doctest::Approx(first).epsilon(0.01));
  CHECK(b.model->surfaces().boundaries.empty());
  CHECK((b.place(b.model->pairs()[0].a.ref) - Vector3(1.0, 0.01, 0.01)).norm() <= 1e-12);
}

TEST_CASE(
    "lines along edges of a solid are bars where the scene says so, with a section of their own") {
  const std::string concrete =
      "{set: left, material: {young: 3, poisson: 0, density: 2}}, {set: "
      "right, material: {young: 3, poisson: 0, density: 2}}";
  const BuiltFem plain("mesh: {file: bars.msh}, materials: [" + concrete + "]");
  CHECK(plain.fem().mesh().elements() == 2);
  const BuiltFem b("mesh: {file: bars.msh, bars: [steel]}, materials: [" + concrete +
                   ", {set: steel, area: 0.01, material: {young: 100, poisson: 0, density: 700}}]");
  CHECK(b.fem().mesh().elements() == 3);
  CHECK(b.fem().total_mass() == doctest::Approx(4.0 + 7.0).epsilon(1e-12));
  // a pull by du along the line: E A du^2/2 more than without the bar
  const auto stored = [](const Fem& fem) {
    Vector q = Vector::Zero(fem.positions());
    for (int node = 0; node < 12; ++node)
      q[fem.free_index(3 * node)] = 1e-4 * fem.mesh().nodes(0, node);
    return fem.energy(0.0, q, Vector::Zero(fem.velocities())).potential;
  };
  CHECK(stored(b.fem()) - stored(plain.fem()) ==
        doctest::Approx(0.5 * 100.0 * 0.01 * 1e-8).epsilon(1e-3));
}

TEST_CASE(
    "the force on a set of held nodes is that on each of them together, along any direction") {
  const std::string held = ", fixed: [{set: x0}], loads: [{set: x1, force: [3 N, -4 N, 0]}]";
  const BuiltFem b(kBrick + kSoft + held,
                   "outputs:\n"
                   "  - {probe: b, at: x0, direction: [1, 0, 0], quantity: reaction}\n"
                   "  - {probe: b, at: x0, direction: [0, 5, 0], quantity: reaction}\n"
                   "  - {probe: b, at: x0, direction: [0.6, 0.8, 0], quantity: reaction}\n"
                   "  - {probe: b, at: 0, direction: [0.6, 0.8, 0], quantity: reaction}\n"
                   "  - {probe: b, at: 0, direction: [1, 0, 0], quantity: reaction}\n"
                   "  - {probe: b, at: 0, direction: [0, 1, 0], quantity: reaction}\n"
                   "  - {probe: b, at: z0, direction: [0, 1, 0], quantity: reaction}\n");
  Simulation sim(*b.model);
  for (int i = 0; i < 20; ++i) sim.advance();
  const Vector& all = sim.reactions(0);
  double x = 0.0, y = 0.0;
  for (Eigen::Index i = 0; i < all.size(); i += 3) {
    x += all[i];
    y += all[i + 1];
  }
  CHECK(sim.probe(0) == doctest::Approx(x).epsilon(1e-12));
  CHECK(sim.probe(1) == doctest::Approx(y).epsilon(1e-12));
  CHECK(sim.probe(2) == doctest::Approx(0.6 * x + 0.8 * y).epsilon(1e-12));
  CHECK(sim.probe(3) == doctest::Approx(0.6 * sim.probe(4) + 0.8 * sim.probe(5)).epsilon(1e-12));
  CHECK(std::abs(x) > 0.1);
  // of z0 the nodes of x0 alone are held
  double some = 0.0;
  for (std::size_t i = 0; i < 9; ++i)
    if (const int node = b.fem().mesh().node_sets.at("x0")[i]; b.fem().mesh().nodes(2, node) == 0.0)
      some += all[static_cast<Eigen::Index>(3 * i + 1)];
  CHECK(sim.probe(6) == doctest::Approx(some).epsilon(1e-12));
}

TEST_CASE("the forces of stops add up over their set") {
  const BuiltFem b(
      "mesh: {box: {kind: quad4, cells: [1, 2], size: [0.1, 0.2]}}, material: {law: linear, young: "
      "1 MPa, poisson: 0.3, density: 1000}, velocity: [-1, 0, 0], stops: [{set: x0, plane: {point: "
      "[-1 mm, 0, 0], normal: [1, 0, 0]}}]",
      "outputs:\n"
      "  - {probe: b, at: x0, direction: [1, 0, 0], quantity: reaction}\n"
      "  - {probe: b, at: [0, 0, 0], direction: [1, 0, 0], quantity: reaction}\n"
      "  - {probe: b, at: [0, 0.1, 0], direction: [1, 0, 0], quantity: reaction}\n"
      "  - {probe: b, at: [0, 0.2, 0], direction: [1, 0, 0], quantity: reaction}\n");
  Simulation sim(*b.model);
  double most = 0.0;
  for (int i = 0; i < 20; ++i) {
    sim.advance();
    most = std::max(most, sim.probe(0));
    CHECK(sim.probe(0) ==
          doctest::Approx(sim.probe(1) + sim.probe(2) + sim.probe(3)).epsilon(1e-12));
  }
  CHECK(most > 1.0);
}

TEST_CASE("a body that keeps nodes is pushed there as its mesh is, at rest and on the way") {
  const std::string bar =
      "mesh: {box: {kind: hex8, cells: [6, 2, 2], size: [0.6, 0.1, 0.1]}}, material: {law: linear, "
      "young: 1 MPa, poisson: 0.3, density: 1000}, fixed: [{set: x0}], loads: [{nodes: [6], force: "
      "[0, 0, -0.5 N], factor: {table: [[0, 0], [0.05, 1]]}}]";
  const std::string outputs =
      "outputs:\n"
      "  - {probe: b, at: 6, quantity: displacement}\n"
      "  - {probe: b, at: [0.35, 0.03, 0.02], quantity: displacement}\n";
  const BuiltFem mesh(bar, outputs);
  const BuiltFem b(bar + ", modes: {count: 10, keep: [{nodes: [6]}, {set: x1, axes: [z]}]}",
                   outputs +
                       "contacts: [{on: b, at: x1, against: {plane: {point: [0, 0, -1]}}, law: "
                       "{kind: newton-impact, friction: 0.3}}]\n");
  CHECK(b.model->groups()[0].dynamics->velocities() == 9 + 2 + 10);
  CHECK(std::string(b.model->groups()[0].scheme->name()) == "moreau-jean");
  CHECK(b.model->pairs().size() == 9);
  CHECK(b.model->pairs()[0].tangents == 2);
  CHECK(b.model->surfaces().boundaries.empty());
  Simulation one(*mesh.model), other(*b.model);
  double most = 0.0, off = 0.0, off_inside = 0.0;
  for (int i = 0; i < 100; ++i) {
    one.advance();
    other.advance();
    most = std::max(most, std::abs(one.probe(0)));
    off = std::max(off, std::abs(one.probe(0) - other.probe(0)));
    off_inside = std::max(off_inside, std::abs(one.probe(1) - other.probe(1)));
  }
  CHECK(most > 1e-4);
  CHECK(off <= 0.01 * most);
  CHECK(off_inside <= 0.01 * most);
}

TEST_CASE("a free body that keeps nodes flies with the velocity it is given") {
  const BuiltFem b(kBrick + kSoft + ", velocity: [1, 0, 2], modes: {count: 4, keep: [{set: x0}]}",
                   "outputs: [{probe: b, at: [1.3, 0.1, 0.02], direction: [0, 0, 1]}]\n");
  const Dynamics& body = *b.model->groups()[0].dynamics;
  const Energy E = body.energy(0.0, b.start().q, b.start().v);
  CHECK(E.kinetic == doctest::Approx(0.5 * 8.0 * 5.0).epsilon(1e-9));
  Simulation sim(*b.model);
  for (int i = 0; i < 50; ++i) sim.advance();
  CHECK(sim.probe(0) == doctest::Approx(2.0).epsilon(1e-9));
}

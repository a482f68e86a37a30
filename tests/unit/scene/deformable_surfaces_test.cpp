// Surfaces of deformable bodies in a scene: boundary surfaces, their materials among those of shapes, margin, and what never touches.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "saltus/bodies/pseudo_rigid.h"
#include "support/mesh_scene.h"

using namespace saltus;
using saltus_test::DataFolder;

namespace {

Model soft_model(const std::string& text) {
  const DataFolder folder;
  return build(saltus_test::mesh_scene(text, folder));
}
std::string cube(const std::string& name, const std::string& more = "") {
  return "  - {name: " + name +
         ", kind: fem, fem: {mesh: {box: {kind: hex8, cells: [2, 2, 2], size: [0.2, 0.1, 0.1]}}, "
         "material: {young: 1 MPa, poisson: 0.3, density: 1000}" +
         more + "}}\n";
}
std::string jelly(const std::string& name, const std::string& shape, const std::string& more = "") {
  return "  - {name: " + name + ", kind: pseudo-rigid, pseudo_rigid: {shape: {" + shape +
         "}, material: {young: 1 MPa, poisson: 0.3, density: 1000}" + more + "}}\n";
}
const std::string kStone =
    "  - {name: floor, kind: rigid, rigid: {shape: {plane: {}, material: stone}, fixed: true}}\n";
const std::string kBox = "box: {size: [0.1, 0.2, 0.3]}, material: gel";

}  // namespace

TEST_CASE(
    "boundary surfaces stand in one table of laws with shapes, by the names of their materials") {
  const Model model = soft_model(
      "bodies:\n" + kStone + cube("a", ", surface: {material: rubber, self: true}") +
      jelly("b", kBox, ", position: [1, 0, 0.2]") +
      "surfaces:\n  - {materials: [stone, rubber], law: {kind: newton-impact, " +
      "friction: 0.1}}\n  - {materials: [gel, rubber], law: {kind: newton-impact, friction: "
      "0.2}}\n" +
      "  - {materials: [stone, gel], law: newton-impact}\n");
  const Surfaces& surfaces = model.surfaces();
  REQUIRE(surfaces.materials == 3);  // stone, rubber, gel
  REQUIRE(surfaces.boundaries.size() == 2);
  CHECK(surfaces.boundaries[0].name == "a");
  CHECK(surfaces.boundaries[0].group == 0);
  CHECK(surfaces.boundaries[0].material == 1);
  CHECK(surfaces.boundaries[0].self);
  CHECK(surfaces.boundaries[0].boundary.facets.size() ==
        48);  // 6 sides, 4 faces each, two facets a face
  CHECK(surfaces.boundaries[0].boundary.vertices.size() == 26);
  CHECK(surfaces.boundaries[1].material == 2);
  CHECK_FALSE(surfaces.boundaries[1].self);
  CHECK(surfaces.boundaries[1].boundary.facets.size() == 12);
  const auto friction = [&](int a, int b) {
    const int law = surfaces.law[static_cast<std::size_t>(3 * a + b)];
    return law < 0 ? -1.0 : model.law(law).facts().friction.coefficient;
  };
  CHECK(friction(0, 1) == 0.1);
  CHECK(friction(2, 1) == 0.2);
  CHECK(friction(1, 1) == -1.0);
  CHECK(surfaces.margin == doctest::Approx(0.001).epsilon(1e-12));  // a hundredth of 0.1 m
  CHECK(model.islands()[0] == model.islands()[1]);
  REQUIRE(model.warnings().size() == 1);
  CHECK(
      model.warnings()[0] ==
      "surfaces: no law is defined between 'rubber' and 'rubber': 'a' has no contact with itself; "
      "define one, or give `materials: [rubber, rubber], touches: false` if this is intended");
}

TEST_CASE("sets of faces choose what touches, and `touches: false` leaves nothing") {
  const std::string law = "surfaces: [{law: newton-impact}]\n";
  const Model some =
      soft_model("bodies:\n" + kStone + cube("a", ", surface: {on: [z0, x1, z0]}") + law);
  REQUIRE(some.surfaces().boundaries.size() == 1);
  CHECK(some.surfaces().boundaries[0].boundary.facets.size() == 16);
  const Model none =
      soft_model("bodies:\n" + kStone + cube("a", ", touches: false") +
                 "contacts: [{on: a, at: z0, against: {plane: {}}, law: newton-impact}]\n");
  CHECK(none.surfaces().boundaries.empty());
  CHECK(none.warnings().empty());
}

TEST_CASE("bodies without a law between them are told, soft ones too") {
  const Model model =
      soft_model("bodies:\n" + kStone + cube("a") + cube("b", ", position: [1, 0, 0]"));
  REQUIRE(model.warnings().size() == 2);
  CHECK(
      model.warnings()[0] ==
      "surfaces: no law is defined between 'default' and 'stone': 'a' and 'floor' have no contact; "
      "define one, or give `materials: [default, stone], touches: false` if this is intended");
}

TEST_CASE(
    "copies of a pseudo-rigid body are bodies of one group, each with its place, name and boundary "
    "surface") {
  const Model model = soft_model(
      "gravity: [0, 0, -10]\nbodies:\n" +
      jelly("j", kBox + ", position: [0.5, 0, 0], rotation: {axis: [0, 0, 1], angle: 90 deg}",
            ", position: [0, 0, 1], velocity: [0, 0, 2], spin: [0, 3, 0], stretch: [1.1, 1, 1], "
            "copies: {count: [1, 3, 1], spacing: [0, 2, 0]}") +
      "outputs: [{probe: j.2, at: [0.5, 0.05, 0], direction: [0, 1, 0], quantity: velocity}, "
      "{probe: "
      "j.1, at: [0.6, 0, 0], direction: [1, 0, 0]}]\n");
  REQUIRE(model.groups().size() == 1);
  CHECK(model.groups()[0].name == "j.0");
  CHECK(model.groups()[0].bodies == std::vector<std::string>{"j.0", "j.1", "j.2"});
  const auto& bodies = dynamic_cast<const PseudoRigid&>(*model.groups()[0].dynamics);
  REQUIRE(bodies.bodies() == 3);
  CHECK(bodies.system().bodies[1].mass == doctest::Approx(6.0).epsilon(1e-12));
  const GroupState& start = model.initial()[0];
  CHECK((start.q.segment<3>(12 + 9) - Vector3(0.5, 2.0, 1.0)).norm() <= 1e-15);
  CHECK((bodies.deformation(start.q, 1) - Matrix3(Vector3(1.1, 1.0, 1.0).asDiagonal())).norm() <=
        1e-15);
  // a turned box: 0.2 m along x, 0.1 along y; E0 of density 1000
  CHECK(bodies.system().bodies[0].euler(0, 0) == doctest::Approx(6.0 * 0.04 / 12.0).epsilon(1e-12));
  CHECK(bodies.system().bodies[0].euler(1, 1) == doctest::Approx(6.0 * 0.01 / 12.0).epsilon(1e-12));
  // the probes: 0.05 m off the mass centre along y, and 0.1 m along x, stretched by a tenth
  CHECK(model.probes()[0].point.body == 2);
  CHECK((model.probes()[0].point.local - Vector3(0.0, 0.05, 0.0)).norm() <= 1e-15);
  CHECK(model.probes()[1].rest == doctest::Approx(0.5 + 1.1 * 0.1).epsilon(1e-12));
  CHECK(bodies.angular_momentum(start.q, start.v, 0)[1] ==
        doctest::Approx(3.0 * (1.21 * 0.02 + 6.0 * 0.09 / 12.0)).epsilon(1e-12));
  REQUIRE(model.surfaces().boundaries.size() == 3);
  for (int i = 0; i < 3; ++i) {
    const auto& boundary = model.surfaces().boundaries[static_cast<std::size_t>(i)];
    CHECK(boundary.name == "j." + std::to_string(i));
    Vector3 x;
    Vector3 high = Vector3::Constant(-1e9), low = Vector3::Constant(1e9);
    for (const PointRef& vertex : boundary.boundary.vertices) {
      CHECK(vertex.body == i);
      bodies.points(0.0, start.q, std::span(&vertex, 1), x);
      high = high.cwiseMax(x);
      low = low.cwiseMin(x);
    }
    CHECK((high - Vector3(0.61, 2.0 * i + 0.05, 1.15)).norm() <= 1e-12);
    CHECK((low - Vector3(0.39, 2.0 * i - 0.05, 0.85)).norm() <= 1e-12);
  }
}

TEST_CASE("a force on a pseudo-rigid body acts at its place, along axes of space or of the body") {
  const std::string loads =
      ", loads: [{force: [0, 0, 1], point: [0.05, 0, 0], constant: 2 N}, {force: [1, 0, 0], frame: "
      "body, constant: 3 N}]";
  const std::string body = "bodies:\n  - {name: j, kind: pseudo-rigid, pseudo_rigid: {shape: {" +
                           kBox +
                           "}, material: {young: 1 MPa, poisson: 0.3, density: 1000}, rotation: "
                           "{axis: [0, 0, 1], angle: "
                           "90 deg}}" +
                           loads + "}\n";
  const Model model = soft_model(body);
  Vector f(12);
  model.groups()[0].dynamics->force(0.0, model.initial()[0].q, model.initial()[0].v, f);
  CHECK((f.tail<3>() - Vector3(0.0, 3.0, 2.0)).norm() <= 1e-12);
  CHECK(f[6] == doctest::Approx(2.0 * 0.05).epsilon(1e-9));  // f (X - X0)^T, row z, column x
}

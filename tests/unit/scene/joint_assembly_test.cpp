// Bodies that joints hold at the start: places that close them, velocities that fit, what cannot close.
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "saltus/contact/joint_system.h"
#include "saltus/model/joint_summary.h"
#include "saltus/scene/build.h"
#include "saltus/scene/joint_assembly.h"
#include "saltus/scene_file/scene_yaml.h"

using namespace saltus;

namespace {

Model assembled(const std::string& text) {
  return build(
      read_scene_text("saltus: 1\ntime: {end: 1 s, step: 1 ms}\n" + text, "scene.yaml", {}, {}));
}
std::string refusal(const std::string& text) {
  try {
    assembled(text);
  } catch (const SceneError& error) {
    return error.what();
  }
  return "";
}

/// Largest gap of the joints of a model at its start, and largest rate of one.
struct Openness {
  double gap = 0.0, rate = 0.0;
};
Openness openness(const Model& model) {
  std::vector<JointMember> members;
  for (std::size_t g = 0; g < model.groups().size(); ++g)
    members.push_back({static_cast<int>(g), model.groups()[g].dynamics.get()});
  JointSystem system(model.joints(), model.couplings(), members);
  const auto places = [&](int m) -> const Vector& {
    return model.initial()[static_cast<std::size_t>(m)].q;
  };
  Vector g(system.rows());
  system.gaps(0.0, places, g);
  system.make_rows(0.0, places);
  Vector u = system.drift0();
  for (std::size_t m = 0; m < members.size(); ++m)
    system.multiply_add(static_cast<int>(m), model.initial()[m].v, u);
  return {g.cwiseAbs().maxCoeff(), u.cwiseAbs().maxCoeff()};
}

std::string rod(const std::string& name, const std::string& place, const std::string& more = "") {
  return "  - {name: " + name +
         ", kind: rigid, rigid: {mass: 1, inertia: [0.01, 0.1, 0.1], position: " + place + more +
         "}}\n";
}
/// A four-bar linkage in the plane of x and z: crank 0 to 1 along z, coupler of 2 along x, rocker back to (2, 0, 0).
std::string four_bar(double coupler, const std::string& more = "") {
  const std::string half = std::to_string(0.5 * coupler);
  return "bodies:\n" +
         rod("crank", "[0, 0, 0.5]", ", rotation: {axis: [0, 1, 0], angle: -90 deg}" + more) +
         rod("coupler", "[1, 0, 1]") +
         rod("rocker", "[2, 0, 0.5]", ", rotation: {axis: [0, 1, 0], angle: -90 deg}") +
         "joints:\n"
         "  - {name: A, kind: revolute, between: [world, crank], axis: [0, 1, 0], at: [0, 0, 0]}\n"
         "  - {name: B, kind: revolute, between: [crank, coupler], axis: [0, 1, 0], "
         "first: {at: [0.5, 0, 0]}, second: {at: [-" +
         half +
         ", 0, 0]}}\n"
         "  - {name: C, kind: revolute, between: [coupler, rocker], axis: [0, 1, 0], "
         "first: {at: [" +
         half +
         ", 0, 0]}, second: {at: [0.5, 0, 0]}}\n"
         "  - {name: D, kind: revolute, between: [rocker, world], axis: [0, 1, 0], at: [2, 0, "
         "0]}\n";
}

}  // namespace

TEST_CASE("joints that are open a little are closed to round-off, and the user is told") {
  for (const double coupler : {2.01, 1.9, 2.2}) {
    CAPTURE(coupler);
    const Model model = assembled(four_bar(coupler));
    CHECK(openness(model).gap <= 1e-12);
    REQUIRE(model.warnings().size() == 1);
    CHECK(model.warnings()[0].starts_with("joints["));
    CHECK(model.warnings()[0].find("was violated by") != std::string::npos);
  }
}

TEST_CASE("bodies that fit stay where they are, to the last bit") {
  const Model model = assembled("bodies:\n" + rod("a", "[0.5, 0, 0]") + rod("b", "[1.5, 0, 0]") +
                                "joints:\n"
                                "  - {kind: ball, between: [world, a], at: [0, 0, 0]}\n"
                                "  - {kind: ball, between: [a, b], at: [1, 0, 0]}\n");
  CHECK(model.initial()[0].q.segment<3>(0) == Vector3(0.5, 0.0, 0.0));
  CHECK(model.initial()[0].q.segment<3>(7) == Vector3(1.5, 0.0, 0.0));
  CHECK(model.warnings().empty());
}

TEST_CASE("the least motion in the metric of the masses closes a joint: light bodies move more") {
  // two bodies on a line joined at places 0.4 m apart; held to one line they move as 1/m
  const Model model = assembled(
      "bodies:\n"
      "  - {name: a, kind: rigid, rigid: {mass: 1, inertia: [1, 1, 1], locked: [rx, ry, rz]}}\n"
      "  - {name: b, kind: rigid, rigid: {mass: 3, inertia: [1, 1, 1], position: [1, 0, 0], "
      "locked: "
      "[rx, ry, rz]}}\n"
      "joints: [{name: pin, kind: ball, between: [a, b], first: {at: [0.3, 0, 0]}, second: {at: "
      "[-0.3, 0, 0]}}]\n");
  CHECK(model.initial()[0].q[0] == doctest::Approx(0.3).epsilon(1e-13));
  CHECK(model.initial()[0].q[7] == doctest::Approx(0.9).epsilon(1e-13));
  REQUIRE(model.warnings().size() == 1);
  CHECK(model.warnings()[0] ==
        "joints[0]: 'pin' was violated by 0.4 m; bodies were moved by up to 0.3 m and 0 rad "
        "(largest for 'a')");
}

TEST_CASE("velocities at the start are made to fit by the least impulse") {
  // a bob of mass 1 on a link of 1 m, pushed along it and across it
  const Model model = assembled(
      "bodies:\n"
      "  - {name: bob, kind: particles, particles: {mass: [1], positions: [[0, 0, -1]], "
      "velocities: "
      "[[2, 0, 3]]}}\n"
      "joints: [{name: link, kind: distance, between: [bob, world], first: {at: 0}, to: [0, 0, "
      "0]}]\n");
  CHECK((model.initial()[0].v - Vector3(2.0, 0.0, 0.0)).norm() <= 1e-14);
  REQUIRE(model.warnings().size() == 1);
  CHECK(model.warnings()[0].starts_with(
      "joints[0]: the initial velocities violated 'link' by 3 m/s"));
}

TEST_CASE("a driven coordinate starts at its value and its rate") {
  const Model model = assembled(
      "bodies:\n" + rod("crank", "[0.5, 0, 0]") +
      "joints: [{name: A, kind: revolute, between: [world, crank], axis: [0, 0, 1], at: [0, 0, 0], "
      "turn: {drive: {harmonic: {amplitude: 0.3, frequency: 1, phase: -60 deg}}}}]\n");
  CHECK(openness(model).gap <= 1e-13);
  CHECK(openness(model).rate <= 1e-13);
  CHECK(model.initial()[0].v[5] ==
        doctest::Approx(0.3 * 2.0 * std::acos(-1.0) * std::sin(std::acos(-1.0) / 3.0))
            .epsilon(1e-12));
  CHECK(model.initial()[0].q[1] == doctest::Approx(0.5 * std::sin(0.15)).epsilon(1e-12));
}

TEST_CASE("a drive that moves the start is named by its joint") {
  const Model model = assembled(
      "bodies:\n" + rod("crank", "[0.5, 0, 0]") +
      "joints: [{name: A, kind: revolute, between: [world, crank], axis: [0, 1, 0], at: [0, 0, 0], "
      "turn: {drive: {constant: 30 deg}}}]\n");
  REQUIRE(model.warnings().size() == 1);
  CHECK(model.warnings()[0].starts_with("joints[0]: 'A.drive' was violated by 0.524 rad"));
}

TEST_CASE("a drive whose coordinate others hold is refused by name, not left to the first step") {
  const std::string arm = "bodies:\n" + rod("arm", "[0.5, 0, 0]") +
                          "joints:\n"
                          "  - {name: hinge, kind: revolute, between: [world, arm], axis: [0, 1, "
                          "0], at: [0, 0, 0], turn: {drive: {rate: 2}}}\n";
  CHECK(refusal(arm + "  - {name: clamp, kind: fixed, between: [world, arm], at: [0, 0, 0]}\n")
            .ends_with("joints[0]: 'hinge.drive' requires an initial rate that other joints "
                       "prevent: the residual is 2 rad/s; make drives and motions compatible"));
  // one that asks for the same is a row that depends on others, and no more
  const Model twice = assembled(
      arm +
      "  - {name: twin, kind: revolute, between: [world, arm], axis: [0, 1, 0], at: [0, 1, 0]}\n");
  CHECK(twice.initial()[0].v[4] == doctest::Approx(2.0).epsilon(1e-12));
}

TEST_CASE("a drive along what its body cannot do is refused, at the start or where it begins") {
  const auto hinge = [](const std::string& locked, const std::string& drive) {
    return "bodies:\n" + rod("arm", "[0, 0, 0]", ", locked: [" + locked + "]") +
           "joints: [{name: hinge, kind: revolute, between: [world, arm], axis: [0, 0, 1], at: [0, "
           "0, 0], turn: {drive: " +
           drive + "}}]\n";
  };
  const std::string hint =
      "; choose a direction that no body has `locked` and that lies in the plane of a planar scene";
  CHECK(refusal(hinge("rz", "{rate: 2}"))
            .ends_with("joints[0]: 'hinge.drive' requires an initial rate along which its bodies "
                       "cannot move: the residual is 2 rad/s" +
                       hint));
  CHECK(refusal(hinge("x, y, z, rx, ry, rz", "{rate: 2}")).find("the residual is 2 rad/s") !=
        std::string::npos);
  CHECK(refusal("planar: xz\n" + hinge("y", "{rate: 2}")).find("the residual is 2 rad/s") !=
        std::string::npos);
  // at rest until 0.5 s, and a period that 64 equal parts of the run would not see
  CHECK(refusal(hinge("rz", "{table: [[0, 0], [0.5, 0], [1, 1]]}"))
            .find("requires a motion along which its bodies cannot move: it is off by") !=
        std::string::npos);
  CHECK(refusal(hinge("rz", "{harmonic: {amplitude: 1e-3, frequency: 64, phase: 0 deg}}")) != "");
  // what stays where it is asks for nothing, and another axis may be locked
  CHECK(assembled(hinge("rz", "{constant: 0}")).initial()[0].v.isZero(0.0));
  CHECK(assembled(hinge("x, rx", "{rate: 2}")).initial()[0].v[5] ==
        doctest::Approx(2.0).epsilon(1e-14));
}

TEST_CASE("a support that moves along what its body has locked is refused") {
  const auto carried = [](const std::string& locked) {
    return "bodies:\n"
           "  - {name: table, kind: rigid, rigid: {shape: {sphere: {radius: 0.1}}, motion: {z: "
           "{rate: 3}}}}\n" +
           rod("arm", "[0, 0, 0]", ", locked: [" + locked + "]") +
           "joints: [{name: pin, kind: ball, between: [table, arm], at: [0, 0, 0]}]\n";
  };
  CHECK(refusal(carried("z"))
            .find("'pin' requires an initial rate along which its bodies cannot move: the residual "
                  "is 3 m/s") != std::string::npos);
  CHECK(assembled(carried("x")).initial().back().v[2] == doctest::Approx(3.0).epsilon(1e-14));
}

TEST_CASE("a start that fits is left as it is, to the last bit, when it is assembled again") {
  // a hinge that stands askew: G v of what was fitted is round-off and not 0
  const Model model = assembled(
      "bodies:\n" +
      rod("arm", "[0.5, 0, 0]",
          ", rotation: {axis: [1, 2, 3], angle: 1}, velocity: [0.1, 0.2, 0.3]") +
      "joints: [{kind: revolute, between: [world, arm], axis: [1, 1, 2], at: [0.1, 0.2, 0.3]}]\n");
  ModelParts again = model.parts();
  assemble_again(again);
  CHECK(again.warnings == model.parts().warnings);
  CHECK(again.initial[0].q == model.initial()[0].q);
  CHECK(again.initial[0].v == model.initial()[0].v);
  CHECK(again.initial[0].v.norm() > 0.05);
}

TEST_CASE("a coordinate that starts beyond its stop is told, one that rests on it is not") {
  const auto hinge = [](const std::string& start) {
    return assembled("bodies:\n" + rod("arm", "[0.5, 0, 0]") +
                     "joints: [{name: hinge, kind: revolute, between: [world, arm], axis: [0, 1, "
                     "0], at: [0, 0, 0], turn: {start: " +
                     start + ", limits: {lower: -30 deg, upper: 30 deg}}}]\n");
  };
  CHECK(hinge("-30 deg").warnings().empty());
  CHECK(hinge("30 deg").warnings().empty());
  const Model beyond = hinge("1");
  REQUIRE(beyond.warnings().size() == 1);
  CHECK(beyond.warnings()[0] ==
        "joints[0]: 'hinge' starts at 1 rad, beyond its stop at 0.5236: the stop prevents it from "
        "moving further but does not bring it back");
  const Model rope = assembled(
      "bodies:\n" + rod("load", "[0, 0, -2]") +
      "joints: [{name: rope, kind: line, between: [world, load], at: [0, 0, 0], to: [0, 0, -2], "
      "slide: {limits: {upper: 1.5}}}]\n");
  REQUIRE(rope.warnings().size() == 1);
  CHECK(rope.warnings()[0].starts_with("joints[0]: 'rope' starts at 2 m, beyond its stop at 1.5:"));
}

TEST_CASE("in a plane scene a joint turns about what stands across the plane, and slides in it") {
  struct Row {
    const char *kind, *axis, *warning;
  };
  for (const Row& row :
       {Row{"revolute", "[0, 1, 0]", ""},
        Row{"revolute", "[1, 0, 0]",
            "joints[0]: 'j' cannot turn: its axis is not normal to the plane xz of the scene"},
        Row{"prismatic", "[1, 0, 1]", ""},
        Row{"prismatic", "[0, 1, 0]",
            "joints[0]: 'j' cannot slide: its axis is not in the plane xz of the scene"},
        Row{"universal", "[0, 1, 0], axis2: [1, 0, 0]", ""}}) {
    CAPTURE(row.kind);
    CAPTURE(row.axis);
    const Model model =
        assembled("planar: xz\nbodies:\n" + rod("arm", "[0.5, 0, 0]") +
                  "joints: [{name: j, kind: " + row.kind +
                  ", between: [world, arm], at: [0, 0, 0], axis: " + row.axis + "}]\n");
    CHECK(model.warnings().size() == (*row.warning ? 1 : 0));
    if (!model.warnings().empty()) CHECK(model.warnings()[0] == row.warning);
  }
}

TEST_CASE("a line whose ends meet at the start has no axis that could leave the plane") {
  const Model model = assembled("planar: xy\nbodies:\n" + rod("arm", "[0, 0, 0]") +
                                "joints: [{name: pin, kind: line, between: [world, arm], at: [0, "
                                "0, 0], to: [0, 0, 0], slide: {limits: {upper: 1}}}]\n");
  CHECK(model.warnings().empty());
}

TEST_CASE("a loop that cannot close names the joint that stays open") {
  const std::string text = refusal(four_bar(5.0));
  CAPTURE(text);
  CHECK(text.find("cannot be closed: the bodies are apart by") != std::string::npos);
  CHECK(text.find("joints[") != std::string::npos);
  CHECK(text.find('\n') == std::string::npos);
}

TEST_CASE("rows that depend on others are named; in a plane scene there are none") {
  const Model space = assembled(four_bar(2.0));
  CHECK(space.warnings().empty());  // the motion is the same: `check` tells of it
  const Model plane = assembled("planar: xz\n" + four_bar(2.0));
  CHECK(plane.warnings().empty());
  CHECK(joint_summary(space).rows == 20);
  CHECK(joint_summary(space).dependent == 3);
  CHECK_FALSE(joint_summary(space).redundant.empty());
  CHECK(joint_summary(plane).rows == 20);
  CHECK(joint_summary(plane).dependent == 0);
  CHECK(joint_summary(plane).redundant.empty());
}

TEST_CASE("the size of the mechanism makes no difference to whether it closes") {
  for (const char* unit : {"um", "m", "km"}) {
    CAPTURE(unit);
    const std::string u = std::string(" ") + unit;
    const Model model = assembled(
        "bodies:\n  - {name: a, kind: rigid, rigid: {mass: 1, inertia: [1, 1, 1], position: [3" +
        u + ", 0, 0]}}\njoints: [{kind: distance, between: [a, world], at: [3" + u +
        ", 0, 0], to: [0, 0, 0], length: 2" + u + "}]\n");
    const double length = model.joints()[0].length;
    CHECK(std::abs(model.initial()[0].q.head<3>().norm() - length) <= 1e-13 * length);
  }
}

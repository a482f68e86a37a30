// What is wrong with joints and couplings is told in one line that names them.
#include <doctest/doctest.h>

#include <string>

#include "saltus/scene/build.h"
#include "saltus/scene_file/scene_yaml.h"
#include "support/joint_scene.h"

using namespace saltus;

namespace {

std::string joint_fault(const std::string& text) {
  try {
    build(
        read_scene_text("saltus: 1\ntime: {end: 1 s, step: 1 ms}\n" + text, "scene.yaml", {}, {}));
  } catch (const SceneError& error) {
    return error.what();
  }
  return "nothing";
}

const std::string kFaultBodies =
    "bodies:\n"
    "  - {name: upper, kind: rigid, rigid: {mass: 1, inertia: [1, 1, 1]}}\n"
    "  - {name: fore, kind: rigid, rigid: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}}\n"
    "  - {name: links, kind: rigid, rigid: {mass: 1, inertia: [1, 1, 1], copies: {count: [3, 1, "
    "1], "
    "spacing: [1, 0, 0]}}}\n"
    "  - {name: wall, kind: rigid, rigid: {shape: {box: {size: [1, 1, 1]}}, fixed: true}}\n"
    "  - {name: drum, kind: rigid, rigid: {shape: {box: {size: [1, 1, 1]}}, motion: {x: {rate: "
    "1}}}}\n"
    "  - {name: mass, kind: linear, oscillator: {mass: 1, stiffness: 1}}\n";

const std::string kElbow =
    "{name: elbow, kind: revolute, between: [upper, fore], at: [0, 0, 0], axis: [0, 1, 0]";
const std::string kRope =
    "{name: rope, kind: distance, between: [upper, world], at: [0, 0, 1], to: [0, 0, 0], ";

}  // namespace

TEST_CASE("a joint that cannot be is refused in one line") {
  struct Row {
    std::string joint, message;
  };
  for (
      const Row& row : std::vector<Row>{
          {"{kind: ball, between: [upper, upper], at: [0, 0, 0]}",
           "joints[0].between: joins 'upper' to itself; name two bodies"},
          {"{kind: ball, between: [upper, world], at: [0, 0, 1], strength: 2 kN}",
           "joints[0].strength: is for kind distance, not for ball; kind ball has axis2, swing, "
           "twist"},
          {"{kind: line, between: [upper, world], at: [0, 0, 1], to: [0, 0, 0], strength: 2 kN}",
           "joints[0].strength: is for kind distance, not for line; kind line has to"},
          {kRope + "strength: -2 N}", "joints[0].strength: -2 N is out of range; allowed: > 0 N"},
          {kRope + "strength: 0}", "joints[0].strength: 0 N is out of range; allowed: > 0 N"},
          {kRope + "strength: 2 kg}",
           "joints[0].strength: 'kg' is a unit of another dimension; a number in N, or with a "
           "unit: N, mN, kN"},
          {kRope + "strength: .inf}",
           "joints[0].strength: '.inf' is not a finite number; a number in N, or with a unit: N, "
           "mN, kN"},
          {"{kind: ball, between: [world, world], at: [0, 0, 0]}",
           "joints[0].between: joins the world to itself; name a body that moves"},
          {"{kind: ball, between: [uper, world], at: [0, 0, 0]}",
           "joints[0].between[0]: there is no body 'uper'; did you mean `upper`? allowed: upper, "
           "fore, links, wall, drum, mass"},
          {"{kind: ball, between: [links, world], at: [0, 0, 0]}",
           "joints[0].between[0]: 'links' refers to 3 bodies, links.0 to links.2; name one of "
           "them"},
          {"{kind: ball, between: [links.3, world], at: [0, 0, 0]}",
           "joints[0].between[0]: there is no body 'links.3'; 'links' refers to 3 bodies, links.0 "
           "to "
           "links.2"},
          {"{kind: ball, between: [upper], at: [0, 0, 0]}",
           "joints[0].between: has 1 entries; the names of two bodies, [first, second]"},
          {"{name: pin, kind: ball, between: [wall, world], at: [0, 0, 0]}",
           "joints[0].between: neither 'wall' nor 'world' moves by forces: 'pin' has no effect; "
           "name a body that is neither fixed nor has prescribed motion"},
          {"{name: pin, kind: ball, between: [wall, drum], at: [0, 0, 0]}",
           "joints[0].between: neither 'wall' nor 'drum' moves by forces: 'pin' has no effect; "
           "name a body that is neither fixed nor has prescribed motion"},
          {"{name: upper, kind: ball, between: [upper, world], at: [0, 0, 0]}",
           "joints[0].name: 'upper' is the name of a body; outputs could not distinguish them"},
          {"{kind: ball, between: [upper, world]}",
           "joints[0].at: is missing: the place of the joint; [x, y, z] in space at t = 0, or `at` "
           "in "
           "`first` or `second`"},
          {"{kind: revolute, between: [upper, world], at: [0, 0, 0]}",
           "joints[0].axis: is missing: a joint of kind revolute needs one; a direction in space, "
           "for "
           "example [0, 0, 1]"},
          {"{kind: revolute, between: [upper, world], at: [0, 0, 0], axis: [0, 0, 0]}",
           "joints[0].axis: has no direction; for example [0, 0, 1]"},
          {"{kind: revolute, between: [upper, world], at: [0, 0, 0], first: {axis: [0, 0, 1]}}",
           "joints[0].second.axis: is missing: `first` has its own; give `axis` for both bodies, "
           "or one for each in `first` and `second`"},
          {"{kind: fixed, between: [upper, world], at: [0, 0, 0], axis: [0, 0, 1]}",
           "joints[0].axis: has no meaning for a joint of kind fixed; leave it out"},
          {"{kind: universal, between: [upper, world], at: [0, 0, 0], axis: [0, 0, 1]}",
           "joints[0].axis2: is missing: a joint of kind universal needs one on the second body; a "
           "direction in space, for example [0, 0, 1]"},
          {"{kind: universal, between: [upper, world], at: [0, 0, 0], axis: [0, 0, 1], axis2: [0, "
           "1, "
           "1]}",
           "joints[0].axis2: is not perpendicular to axis; the two axes of a universal joint"},
          {"{kind: revolute, between: [upper, fore], axis: [0, 0, 1], at: [0, 0, 0], first: {at: "
           "[0, "
           "0, 0]}, second: {at: [0, 0, 0]}}",
           "joints[0].at: is not used: `first` gives its own place; leave it out"},
          {"{kind: ball, between: [upper, fore], at: [0, 0, 0], turn: {damping: 1}}",
           "joints[0].turn: is not a coordinate of a joint of kind ball; it has no coordinates"},
          {"{kind: prismatic, between: [upper, fore], at: [0, 0, 0], axis: [1, 0, 0], turn: "
           "{damping: "
           "1}}",
           "joints[0].turn: is not a coordinate of a joint of kind prismatic; its coordinates: "
           "slide"},
          {"{kind: planar, between: [upper, fore], at: [0, 0, 0], axis: [0, 0, 2], axis2: [0, 0, "
           "-1]}",
           "joints[0].axis2: is parallel to axis; a direction in the plane"},
          {"{kind: planar, between: [upper, fore], at: [0, 0, 0], first: {axis: [1, 0, 0], axis2: "
           "[1, 0, 0]}, second: {axis: [1, 0, 0]}}",
           "joints[0].first.axis2: is parallel to axis; a direction in the plane"},
          {"{name: link, kind: distance, between: [upper, world], at: [0, 0, 1], to: [0, 0, 1]}",
           "joints[0]: 'link' has no length: its two ends coincide; give `length`, other "
           "places, or a joint of kind ball"},
          {"{kind: distance, between: [upper, world], at: [0, 0, 1]}",
           "joints[0].to: is missing: the end on the second body; [x, y, z] in space at t = 0, or "
           "`second: {at: ...}`"},
          {"{name: hinge, kind: revolute, between: [upper, mass], axis: [0, 1, 0], second: {at: "
           "0}}",
           "joints[0]: 'hinge' is of kind revolute and needs bodies with axes; 'mass' is of kind "
           "linear, which only has points; allowed there: ball, distance, along, line"},
          {"{kind: ball, between: [upper, mass], at: [0, 0, 0]}",
           "joints[0]: the point of 'mass' is missing: `second: {at: ...}`; a body of kind linear "
           "is joined at one of its points"},
          {kElbow + ", turn: {limits: {lower: 2, upper: 1}}}",
           "joints[0].turn.limits.lower: 2 rad is above upper 1 rad: the range is empty; lower <= "
           "upper"},
          {kElbow + ", turn: {motor: {velocity: 1, torque: 1}, drive: {rate: 1}}}",
           "joints[0].turn.motor: cannot be given together with `drive`: both move the coordinate; "
           "give one of them"},
          {"{kind: prismatic, between: [upper, fore], axis: [1, 0, 0], first: {at: [0, 0, 0]}, "
           "second: "
           "{at: [0, 0, 0]}, slide: {start: 1}}",
           "joints[0].slide.start: is defined by the places of the two sides; leave it out"},
          {kElbow +
               ", turn: {motor: {velocity: 1, torque: 1}}}, {name: twin, kind: revolute, between: "
               "[fore, upper], at: [0, 2, 0], axis: [0, -1, 0], turn: {motor: {velocity: 1, "
               "torque: 1}}}",
           "joints[1].turn.motor: 'elbow' and 'twin' drive the same motion of 'upper' relative to "
           "'fore'; "
           "one motor or drive per coordinate"},
          {kElbow + "}, {name: elbow, kind: ball, between: [upper, fore], at: [0, 0, 0]}",
           "joints[1].name: the name 'elbow' is used twice; names are unique"},
      }) {
    const std::string text = joint_fault(kFaultBodies + "joints: [" + row.joint + "]\n");
    CAPTURE(row.joint);
    CHECK(text.find('\n') == std::string::npos);
    const std::size_t path = text.find("joints[");
    CHECK(text.substr(std::min(path, text.size())) == row.message);
  }
}

TEST_CASE("limits and rest positions may be any number of turns away") {
  const auto joint = [](const std::string& text) {
    return joint_fault(kFaultBodies + "joints: [" + text + "]\n");
  };
  CHECK(joint(kElbow + ", turn: {limits: {lower: -180 deg, upper: 7200 deg}, spring: "
                       "{stiffness: 1, rest: -40}}}") == "nothing");
  CHECK(joint("{kind: prismatic, between: [upper, fore], at: [0, 0, 0], axis: [1, 0, 0], slide: "
              "{limits: {upper: 7}, spring: {stiffness: 1, rest: 9}}}") == "nothing");
}

TEST_CASE("a program that gives a joint a strength it cannot have is told so in one line") {
  test::JointScene scene;
  const int bob = scene.point(1.0, {0.0, 0.0, -1.0});
  const int rope =
      scene.join(JointKind::distance, -1, bob, Vector3::Zero(), {0.0, 0.0, -1.0}, Vector3::UnitZ());
  const std::shared_ptr<const Scheme> scheme = make_scheme(MoreauJeanOptions{});
  Joint& joint = scene.joints[static_cast<std::size_t>(rope)];
  joint.strength = 20.0;
  CHECK_NOTHROW(scene.model(scheme));
  scene.in_stages = true;
  CHECK_THROWS_WITH_AS(
      scene.model(make_scheme(RungeKuttaOptions{})),
      "joints[0]: 'j0' can break, but joints inside stages cannot; joint: {in_stages: false}, or "
      "no strength",
      SceneError);
  scene.in_stages = false;
  joint.strength = -20.0;
  CHECK_THROWS_WITH_AS(
      scene.model(scheme),
      "joints[0]: 'j0' has a strength below 0; give a strength > 0 [N], or 0 for a joint that "
      "cannot break",
      SceneError);
  joint.strength = 20.0;
  joint.kind = JointKind::ball;
  CHECK_THROWS_WITH_AS(
      scene.model(scheme),
      "joints[0]: 'j0' is of kind ball and cannot break; strength 0, or kind distance", SceneError);
}

TEST_CASE("a coupling or an output that names no coordinate is refused in one line") {
  struct Row {
    std::string entries, message;
  };
  const std::string joints =
      "joints: [" + kElbow +
      ", turn: {motor: {velocity: 1, torque: 1}}}, {name: slot, kind: cylindrical, "
      "between: [upper, world], at: [0, 0, 0], axis: [0, 0, 1]}, {name: pin, kind: ball, between: "
      "[fore, "
      "world], at: [1, 0, 0]}]\n";
  for (const Row& row : std::vector<Row>{
           {"couplings: [{gear: {first: elbw, second: slot.turn, ratio: 2}}]\n",
            "couplings[0].gear.first: there is no joint 'elbw'; did you mean `elbow`? allowed: "
            "elbow, slot, pin"},
           {"couplings: [{gear: {first: elbow, second: slot, ratio: 2}}]\n",
            "couplings[0].gear.second: 'slot' has 2 coordinates; allowed: slot.turn, slot.slide"},
           {"couplings: [{name: pair, gear: {first: elbow, second: slot.turn, ratio: 0.333, "
            "offset: "
            "0.5}}]\n",
            "couplings[0].gear.offset: with a ratio of 0.333 'pair' cannot distinguish full turns "
            "and constrains rates only; leave it out, or give a ratio of integers up to 128, with "
            "all its digits"},
           {"couplings: [{sum: [{of: pin, weight: 2}]}]\n",
            "couplings[0].sum[0].of: 'pin' is of kind ball and has no coordinates; give it an "
            "`axis`, "
            "for twist, swing_x, swing_y and swing"},
           {"couplings: [{sum: [{of: slot.turn2, weight: 2}]}]\n",
            "couplings[0].sum[0].of: 'slot' has no coordinate 'turn2'; allowed: slot.turn, "
            "slot.slide"},
           {"couplings: [{screw: {joint: elbow, pitch: 1}}]\n",
            "couplings[0].screw.joint: 'elbow' is not a cylindrical joint; a screw turns about its "
            "axis and "
            "slides along it"},
           {"couplings: [{name: slot, screw: {joint: slot, pitch: 1}}]\n",
            "couplings[0].name: 'slot' is the name of a joint; names are unique"},
           {"couplings: [{name: twice, sum: [{of: elbow, weight: 1}]}]\n",
            "joints[0]: 'twice' and 'elbow.motor' drive the same coordinate of 'elbow'; use one "
            "motor or drive per coordinate"},
           {"outputs: [{probe: slott}]\n",
            "outputs[0].probe: there is no body or joint 'slott'; did you mean `slot`? allowed: "
            "upper, fore, links, wall, drum, mass, elbow, slot, pin"},
           {"outputs: [{probe: elbow, at: 0}]\n",
            "outputs[0].at: has no meaning for a joint; leave it out"},
           {"outputs: [{probe: upper}]\n",
            "outputs[0]: `at` is missing: the place on 'upper'; a place along it, a number, a name "
            "or [x, "
            "y, z]"},
       }) {
    const std::string text = joint_fault(kFaultBodies + joints + row.entries);
    CAPTURE(row.entries);
    CHECK(text.find('\n') == std::string::npos);
    CHECK(text.ends_with(row.message));
  }
}

TEST_CASE("levels that a scheme cannot hold are refused with the joint's name") {
  const std::string bodies =
      "bodies:\n"
      "  - {name: a, kind: linear, oscillator: {mass: 1, stiffness: 1}, scheme: {kind: "
      "moreau-jean, "
      "theta: 0.5}}\n"
      "  - {name: b, kind: linear, oscillator: {mass: 1, stiffness: 1}, scheme: {kind: "
      "moreau-jean, "
      "theta: 0.75}}\n";
  const std::string joint =
      "joints: [{name: pin, kind: ball, between: [a, b], first: {at: 0}, second: {at: 0}}]\n";
  const std::string text = joint_fault(bodies + joint);
  CAPTURE(text);
  CHECK(text.find(
            "joints[0]: 'pin' is enforced at level position, which requires schemes with the "
            "same gain: 'moreau-jean' of 'a' has 0.50, 'moreau-jean' of 'b' 0.75; joint: {level: "
            "velocity}, or give them the same scheme") != std::string::npos);
  CHECK(joint_fault(bodies + "joint: {level: velocity}\n" + joint) == "nothing");
}

TEST_CASE("joints of a scheme that takes positions and velocities apart are refused") {
  const std::string text = joint_fault(
      "bodies: [{name: a, kind: linear, oscillator: {mass: 1, stiffness: 1}, scheme: "
      "generalized-alpha-decoupled}]\n"
      "joints: [{name: pin, kind: ball, between: [world, a], at: [0, 0, 0], second: {at: 0}}]\n");
  CHECK_MESSAGE(
      text.find("joints[0]: 'pin' would act only in the second problem of "
                "'generalized-alpha-decoupled' of 'a', not in its prediction") != std::string::npos,
      text);
}

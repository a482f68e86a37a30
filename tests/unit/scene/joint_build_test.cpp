// What build makes of joints: places, axes, coordinates, laws, couplings, probes, islands, accounts.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "saltus/contact/joint.h"
#include "saltus/scene/build.h"
#include "saltus/scene_file/scene_write.h"
#include "saltus/scene_file/scene_yaml.h"

using namespace saltus;

namespace {

Scene jointed_scene(const std::string& text) {
  return read_scene_text("saltus: 1\ntime: {end: 1 s, step: 1 ms}\n" + text, "scene.yaml", {}, {});
}
Model jointed(const std::string& text) { return build(jointed_scene(text)); }

/// Three free bodies: upper and fore turned and with a mass centre away from the origin of their frame, ball at rest.
const std::string kBodies =
    "bodies:\n"
    "  - {name: upper, kind: rigid, rigid: {mass: 2, inertia: [1, 2, 2.5], centre: [0.1, -0.2, "
    "0.3], "
    "position: [1, 2, 3], rotation: {axis: [1, 2, 3], angle: 40 deg}}}\n"
    "  - {name: fore, kind: rigid, rigid: {mass: 1, inertia: [0.5, 0.4, 0.3], position: [2, 2, 3], "
    "rotation: {axis: [0, 1, -1], angle: 100 deg}}}\n"
    "  - {name: bob, kind: rigid, rigid: {mass: 1, inertia: [1, 1, 1]}}\n"
    "  - {name: post, kind: rigid, rigid: {shape: {box: {size: [0.1, 0.1, 0.1]}}, fixed: true, "
    "position: [5, 0, 0], rotation: {axis: [0, 0, 1], angle: 90 deg}}}\n";

/// Frame of one side of a joint in space at the start.
JointFrame frame_at_start(const Model& model, const JointSide& side) {
  if (side.group < 0) return {side.ref.local, side.axes};
  const auto g = static_cast<std::size_t>(side.group);
  const Dynamics& body = *model.groups()[g].dynamics;
  const Vector& q = model.initial()[g].q;
  if (!has(body.traits(), Trait::rigid)) {
    Vector3 x;
    body.points(0.0, q, std::array{side.ref}, x);
    return {x, side.axes};
  }
  std::vector<Pose> frames(static_cast<std::size_t>(body.bodies()));
  body.frames(0.0, q, frames);
  const Pose& at = frames[static_cast<std::size_t>(side.ref.body)];
  return {at * side.ref.local, at.R * side.axes};
}
struct Placed {
  JointFrame a, b;
};
Placed placed_at_start(const Model& model, std::size_t joint = 0) {
  const Joint& of = model.joints()[joint];
  return {frame_at_start(model, of.a), frame_at_start(model, of.b)};
}
void expect_close(const Vector3& a, const Vector3& b, double tolerance = 1e-14) {
  CAPTURE(a.transpose());
  CAPTURE(b.transpose());
  CHECK((a - b).cwiseAbs().maxCoeff() <= tolerance);
}
/// The numbers of the law, by name.
double number_of(const Model& model, std::size_t i, std::string_view name) {
  for (const LawNumber& one : model.law(model.joint_laws()[i].law).numbers())
    if (one.name == name) return one.value;
  return 0.0;
}

}  // namespace

TEST_CASE(
    "a joint given in space is closed as its bodies are placed, its coordinates at their starts") {
  struct Row {
    const char* kind;
    const char* entries;
    std::vector<double> coordinates;
  };
  for (const Row& row : {
           Row{"fixed", "", {}},
           Row{"ball", "", {}},
           Row{"ball", ", axis: [1, 2, -1]", {0.0, 0.0, 0.0, 0.0}},
           Row{"ball", ", axis: [1, 2, -1], twist: {start: -2.5}", {-2.5, 0.0, 0.0, 0.0}},
           Row{"revolute", ", axis: [1, 2, -1]", {0.0}},
           Row{"revolute", ", axis: [1, 2, -1], turn: {start: 30 deg}", {std::acos(-1.0) / 6.0}},
           Row{"revolute", ", axis: [1, 2, -1], turn: {start: -3}", {-3.0}},
           Row{"prismatic", ", axis: [0, 2, 0]", {0.0}},
           Row{"prismatic", ", axis: [0, 2, 0], slide: {start: 20 cm}", {0.2}},
           Row{"cylindrical",
               ", axis: [1, 0, 1], turn: {start: 0.5}, slide: {start: -0.3}",
               {0.5, -0.3}},
           Row{"planar",
               ", axis: [1, 0, 1], turn: {start: 0.5}, slide: {start: -0.3}, slide2: {start: 0.7}",
               {-0.3, 0.7, 0.5}},
           Row{"universal", ", axis: [1, 0, 1], axis2: [0, 3, 0]", {0.0, 0.0}},
           Row{"universal",
               ", axis: [1, 0, 1], axis2: [0, 3, 0], turn: {start: 0.4}, turn2: {start: -0.9}",
               {0.4, -0.9}},
           Row{"along", ", axis: [1, 0, 1]", {}},
       }) {
    CAPTURE(row.entries);
    const Model model =
        jointed(kBodies + "joints: [{kind: " + row.kind +
                ", between: [upper, fore], at: [1.5, 2.5, 2]" + row.entries + "}]\n");
    REQUIRE(model.joints().size() == 1);
    const Joint& joint = model.joints()[0];
    CHECK(name_of(joint.kind) == row.kind);
    CHECK(joint.name == "upper to fore");
    const Placed at = placed_at_start(model);
    JointRows rows;
    joint_rows(joint.kind, joint.length, at.a, at.b, rows);
    for (int i = 0; i < rows.size; ++i)
      CHECK(std::abs(rows.row[static_cast<std::size_t>(i)].gap) <= 1e-14);
    REQUIRE(coordinate_count(joint.kind) == static_cast<int>(row.coordinates.size()));
    for (int i = 0; i < coordinate_count(joint.kind); ++i)
      CHECK(joint_coordinate(joint.kind, i, at.a, at.b).gap ==
            doctest::Approx(row.coordinates[static_cast<std::size_t>(i)]).epsilon(1e-13));
    CHECK(model.warnings().empty());
  }
}

TEST_CASE(
    "axis is the axis of the joint in space, axis2 that of a universal joint and of a plane") {
  const std::string between = ", between: [upper, fore], at: [1.5, 2.5, 2], axis: [3, 0, 4]";
  const Model revolute = jointed(kBodies + "joints: [{kind: revolute" + between + "}]\n");
  expect_close(placed_at_start(revolute).a.R.col(2), Vector3(0.6, 0.0, 0.8));
  expect_close(placed_at_start(revolute).b.R.col(2), Vector3(0.6, 0.0, 0.8));
  expect_close(placed_at_start(revolute).a.x, Vector3(1.5, 2.5, 2.0));
  const Model cross =
      jointed(kBodies + "joints: [{kind: universal" + between + ", axis2: [0, -2, 0]}]\n");
  expect_close(placed_at_start(cross).a.R.col(2), Vector3(0.6, 0.0, 0.8));
  expect_close(placed_at_start(cross).b.R.col(0), Vector3(0.0, -1.0, 0.0));
  const Model planar =
      jointed(kBodies + "joints: [{kind: planar" + between + ", axis2: [1, 0, 0]}]\n");
  expect_close(placed_at_start(planar).a.R.col(0), Vector3(0.8, 0.0, -0.6));
}

TEST_CASE("first and second give places and axes in the frames in which shapes are given") {
  // the frame of bob is that of space, the mass centre of upper is not the origin of its frame
  const Model model = jointed(
      kBodies +
      "joints:\n"
      "  - {kind: ball, between: [upper, world], first: {at: [0, 0, 0]}}\n"
      "  - {kind: ball, between: [post, bob], first: {at: [1, 0, 0]}, second: {at: [5, 1, 0]}}\n"
      "  - {kind: revolute, between: [bob, fore], at: [0, 0, 0], first: {axis: [0, 1, 0]}, "
      "second: {axis: [0, 0, 2]}}\n");
  expect_close(model.joints()[0].a.ref.local, Vector3(-0.1, 0.2, -0.3));
  CHECK(model.joints()[0].b.group == -1);
  // that of the fixed post is turned: its x is y in space
  CHECK(model.joints()[1].a.group == -1);
  expect_close(model.joints()[1].a.ref.local, Vector3(5.0, 1.0, 0.0), 1e-13);
  expect_close(model.joints()[2].a.axes.col(2), Vector3(0.0, 1.0, 0.0));
  expect_close(model.joints()[2].b.axes.col(2), Vector3(0.0, 0.0, 1.0));
}

TEST_CASE("a distance is as long as its ends are apart, or as given") {
  const std::string link =
      "joints: [{kind: distance, between: [bob, world], at: [0, 0, 0.5], "
      "to: [0, 0.3, 0.9]";
  CHECK(jointed(kBodies + link + "}]\n").joints()[0].length == doctest::Approx(0.5).epsilon(1e-15));
  const Model other = jointed(kBodies + link + ", length: 40 cm}]\n");
  CHECK(other.joints()[0].length == 0.4);
  const Placed at = placed_at_start(other);
  CHECK((at.b.x - at.a.x).norm() == doctest::Approx(0.4).epsilon(1e-13));
}

TEST_CASE("bodies of points are held at one of them, others where that point is") {
  const std::string bodies =
      "bodies:\n"
      "  - {name: beads, kind: particles, particles: {mass: [1], positions: [[1, 0, 0], "
      "[1, 2, 0]]}}\n"
      "  - {name: bridge, kind: rigid, rigid: {mass: 1, inertia: [1, 1, 1], position: [0, 0, "
      "2]}}\n";
  const Model model = jointed(bodies +
                              "joints:\n"
                              "  - {kind: ball, between: [bridge, beads], second: {at: 1}}\n"
                              "  - {kind: distance, between: [beads, beads], first: {at: 0}, "
                              "second: {at: 1}}\n");
  expect_close(model.joints()[0].a.ref.local, Vector3(1.0, 2.0, -2.0));
  CHECK(model.joints()[0].b.ref.feature == 1);
  CHECK(model.joints()[1].length == doctest::Approx(2.0).epsilon(1e-15));
  CHECK(model.island_count() == 1);
}

TEST_CASE("limits, spring, damping, friction and motor become laws on the coordinate") {
  const Model model = jointed(
      kBodies +
      "joints:\n"
      "  - {name: elbow, kind: revolute, between: [upper, fore], at: [1.5, 2.5, 2], axis: [0, 1, "
      "0],\n"
      "     turn: {limits: {lower: -90 deg, upper: 2, restitution: 0.25}, spring: {stiffness: 3, "
      "rest: 0.5}, damping: 0.125, friction: 0.5 N m, motor: {velocity: 2 rad/s, torque: 4 N m}}}\n"
      "  - {name: slot, kind: cylindrical, between: [bob, world], at: [0, 0, 0], axis: [0, 0, 1],\n"
      "     slide: {limits: {upper: 1 mm}, damping: 7, motor: {velocity: -1 mm/s, force: 4 "
      "kN}}}\n");
  struct Row {
    const char* name;
    int joint, coordinate;
    double sign, offset;
    std::string_view law;
  };
  const std::vector<Row> rows{{"elbow.lower", 0, 0, 1.0, -0.5 * std::acos(-1.0), "newton-impact"},
                              {"elbow.upper", 0, 0, -1.0, 2.0, "newton-impact"},
                              {"elbow.spring", 0, 0, 1.0, 0.5, "compliant"},
                              {"elbow.friction", 0, 0, 1.0, 0.0, "relay"},
                              {"elbow.motor", 0, 0, 1.0, 0.0, "relay"},
                              {"slot.slide.upper", 1, 1, -1.0, 1e-3, "newton-impact"},
                              {"slot.slide.damper", 1, 1, 1.0, 0.0, "compliant"},
                              {"slot.slide.motor", 1, 1, 1.0, 0.0, "relay"}};
  REQUIRE(model.joint_laws().size() == rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const JointLaw& law = model.joint_laws()[i];
    CAPTURE(law.name);
    CHECK(law.name == rows[i].name);
    CHECK(law.joint == rows[i].joint);
    CHECK(law.coordinate == rows[i].coordinate);
    CHECK(law.sign == rows[i].sign);
    CHECK(law.offset == doctest::Approx(rows[i].offset).epsilon(1e-15));
    CHECK(model.law(law.law).name() == rows[i].law);
    if (i > 0) CHECK(law.key > model.joint_laws()[i - 1].key);
    CHECK(law.key < (std::uint64_t{1} << 44));
  }
  CHECK(number_of(model, 0, "restitution") == 0.25);
  CHECK(model.law(model.joint_laws()[2].law).bilateral());
  CHECK(!model.law(model.joint_laws()[2].law).facts().follows_passes);
  CHECK(number_of(model, 2, "stiffness") == 3.0);
  CHECK(number_of(model, 2, "damping") == 0.125);
  CHECK(number_of(model, 3, "bound") == 0.5);
  CHECK(number_of(model, 3, "velocity") == 0.0);
  CHECK(number_of(model, 4, "bound") == 4.0);
  const auto velocity = [&](std::size_t law) {
    return model.actuators()[static_cast<std::size_t>(model.joint_laws()[law].actuator)]
        .velocity.value(0.7);
  };
  CHECK(velocity(4) == 2.0);
  CHECK(number_of(model, 6, "stiffness") == 0.0);
  CHECK(number_of(model, 6, "damping") == 7.0);
  CHECK(number_of(model, 7, "bound") == 4000.0);
  CHECK(velocity(7) == -1e-3);
  const auto accounts = model.accounts();
  for (const char* name : {"joints", "actuators", "friction", "impact"})
    CHECK(std::ranges::count(accounts, name) == 1);
}

TEST_CASE("the spring of a line is slack at the length as placed") {
  const Model model =
      jointed(kBodies +
              "joints: [{kind: line, between: [bob, world], at: [0, 0, 1], to: [0, 3, 5], "
              "slide: {spring: {stiffness: 10 N/m}}}]\n");
  CHECK(model.joint_laws()[0].offset == doctest::Approx(5.0).epsilon(1e-15));
  CHECK(std::ranges::count(model.accounts(), "joints") == 1);  // of its spring
}

TEST_CASE("drives, gears, screws and sums become couplings") {
  const Model model = jointed(
      kBodies +
      "joints:\n"
      "  - {name: crank, kind: revolute, between: [world, bob], at: [0, 0, 0], axis: [0, 0, 1], "
      "turn: {drive: {rate: 3 rad/s}}}\n"
      "  - {name: elbow, kind: revolute, between: [upper, fore], at: [1.5, 2.5, 2], axis: [0, 1, "
      "0]}\n"
      "  - {name: nut, kind: cylindrical, between: [world, fore], at: [2, 2, 3], axis: [0, 0, 1], "
      "slide: {start: 2 mm}}\n"
      "couplings:\n"
      "  - {name: wheels, gear: {first: crank, second: elbow, ratio: -2, offset: 0.5}}\n"
      "  - {screw: {joint: nut, pitch: 5 mm}}\n"
      "  - {sum: [{of: elbow, weight: 2}, {of: nut.turn, weight: 1}], value: {harmonic: "
      "{amplitude: "
      "1, frequency: 2}}}\n");
  const auto couplings = model.couplings();
  REQUIRE(couplings.size() == 4);
  CHECK(couplings[0].name == "crank.drive");
  CHECK(couplings[0].value(0.5) == std::array{1.5, 3.0});
  CHECK(couplings[1].name == "wheels");
  REQUIRE(couplings[1].terms.size() == 2);
  CHECK(couplings[1].terms[0].joint == 1);
  CHECK(couplings[1].terms[0].weight == 1.0);
  CHECK(couplings[1].terms[1].joint == 0);
  CHECK(couplings[1].terms[1].weight == 2.0);
  CHECK(couplings[1].value(7.0) == std::array{0.5, 0.0});
  CHECK(couplings[2].name == "screw of nut");
  CHECK(couplings[2].terms[0].coordinate == 1);
  CHECK(couplings[2].terms[1].coordinate == 0);
  CHECK(couplings[2].terms[1].weight == doctest::Approx(-5e-3 / (2.0 * std::acos(-1.0))));
  CHECK(couplings[2].value(1.0)[0] == doctest::Approx(2e-3).epsilon(1e-12));
  CHECK(couplings[3].name == "sum of elbow, nut.turn");
  CHECK(couplings[3].terms[1].coordinate == 0);
  CHECK(couplings[3].value(0.0)[0] == 1.0);
}

TEST_CASE("bodies that a joint holds do not touch each other unless they shall") {
  const auto excluded = [](const std::string& touch) {
    return jointed(
               "bodies:\n"
               "  - {name: a, kind: rigid, rigid: {density: 1, shape: {sphere: {radius: 1}}}}\n"
               "  - {name: b, kind: rigid, rigid: {density: 1, shape: {sphere: {radius: 1}}, "
               "position: [1, 0, 0]}}\n"
               "surfaces: [{law: newton-impact}]\n"
               "joints: [{kind: ball, between: [a, b], at: [0.5, 0, 0]" +
               touch + "}]\n")
        .surfaces()
        .excluded;
  };
  CHECK(excluded("") == std::vector<std::array<int, 2>>{{0, 1}});
  CHECK(excluded(", touch: true").empty());
}

TEST_CASE("a probe hears the coordinate of a joint or its rate, in its own unit") {
  const Model model = jointed(
      kBodies +
      "joints:\n"
      "  - {name: elbow, kind: revolute, between: [upper, fore], at: [1.5, 2.5, 2], axis: [0, 1, "
      "0]}\n"
      "  - {name: slot, kind: cylindrical, between: [world, bob], at: [0, 0, 0], axis: [0, 0, 1]}\n"
      "outputs:\n"
      "  - {probe: elbow, quantity: displacement}\n"
      "  - {probe: slot.slide, name: speed}\n");
  const auto probes = model.probes();
  REQUIRE(probes.size() == 2);
  CHECK(probes[0].name == "elbow");
  CHECK(probes[0].quantity == Probe::Quantity::joint);
  CHECK(unit_of(probes[0], model.joints()) == "rad");
  CHECK(probes[1].name == "speed");
  CHECK(probes[1].quantity == Probe::Quantity::joint_rate);
  CHECK(probes[1].joint == 1);
  CHECK(probes[1].coordinate == 1);
  CHECK(unit_of(probes[1], model.joints()) == "m/s");
}

TEST_CASE("joints and couplings bring the groups they hold into one island") {
  const std::string bodies =
      "bodies:\n"
      "  - {name: a, kind: linear, oscillator: {mass: 1, stiffness: 1}}\n"
      "  - {name: b, kind: rigid, rigid: {mass: 1, inertia: [1, 1, 1]}}\n"
      "  - {name: c, kind: linear, oscillator: {mass: 1, stiffness: 1}}\n";
  const std::string joint =
      "joints: [{kind: line, between: [a, c], first: {at: 0}, second: {at: 0}}]\n";
  CHECK(jointed(bodies).island_count() == 3);
  const Model model = jointed(bodies + joint);
  CHECK(model.island_count() == 2);
  CHECK(model.islands()[0] == model.islands()[2]);
}

TEST_CASE("options of joints reach the step") {
  const std::string joint = "joints: [{kind: ball, between: [bob, world], at: [0, 0, 0]}]\n";
  const Model standard = jointed(kBodies + joint);
  CHECK(standard.options().joints == JointLevel::position);
  CHECK(standard.options().bilateral == Bilateral::mid_zero);
  const Model other = jointed(kBodies + "joint: {level: velocity, bilateral: end_zero}\n" + joint);
  CHECK(other.options().joints == JointLevel::velocity);
  CHECK(other.options().bilateral == Bilateral::end_zero);
}

TEST_CASE("a scene with joints reads back as it was written") {
  const Scene scene = jointed_scene(
      kBodies +
      "joint: {level: both}\n"
      "joints:\n"
      "  - {name: elbow, kind: revolute, between: [upper, fore], at: [1.5, 2.5, 2], axis: [0, 1, "
      "0],\n"
      "     turn: {start: 10 deg, limits: {lower: -90 deg, upper: 2, restitution: 0.25}, spring: "
      "{stiffness: 3 N m/rad}, damping: 0.1 N m s/rad, motor: {velocity: 2, torque: 4}}}\n"
      "  - {kind: universal, between: [bob, world], first: {at: [0, 0, 1], axis: [0, 0, 1]}, "
      "second: {axis2: [1, 0, 0]}, touch: true}\n"
      "  - {kind: distance, between: [bob, fore], at: [0, 0, 0], to: [2, 2, 3], strength: 4}\n"
      "  - {name: slot, kind: prismatic, between: [bob, upper], at: [0, 0, 0], axis: [0, 0, 1], "
      "slide: {drive: {table: [[0, 0], [1, 2]]}}}\n"
      "couplings:\n"
      "  - {gear: {first: elbow, second: slot, ratio: 0.1}}\n"
      "  - {sum: [{of: elbow, weight: 2}], value: {constant: 1}}\n");
  const Scene again = read_scene_text(write_scene(scene.spec), "again.yaml", {}, {});
  CHECK(again.spec == scene.spec);
  CHECK(again.spec.joints[1].name == "bob to world");
}

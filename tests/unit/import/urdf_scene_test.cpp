// The scene made of a robot: bodies, joints, what has no mass, meshes, warnings.
#include <doctest/doctest.h>

#include <ctime>

#include "saltus/scene_file/scene_yaml.h"
#include "unit/results/support.h"
#include "urdf_samples.h"

using namespace saltus;
using namespace urdf_test;

namespace {

std::vector<std::string> names_of_bodies(const UrdfScene& scene) {
  std::vector<std::string> names;
  for (const BodySpec& body : scene.spec.bodies) names.push_back(body.name);
  return names;
}

/// The root `a` and a link `b` on a joint of this type, in lines 2 to 5.
UrdfScene two_links(const std::string& type, const std::string& more,
                    const UrdfOptions& options = {}) {
  return scene_of(part("a") + part("b") + joint("j", type, "a", "b", "\n" + more), options);
}

}  // namespace

TEST_CASE("each type of joint becomes the one with the same freedom") {
  struct Row {
    const char* type;
    JointKind kind;
  };
  for (const Row& row :
       {Row{"fixed", JointKind::fixed}, Row{"revolute", JointKind::revolute},
        Row{"continuous", JointKind::revolute}, Row{"prismatic", JointKind::prismatic},
        Row{"planar", JointKind::planar}}) {
    CAPTURE(row.type);
    const UrdfScene made = two_links(row.type, "<axis xyz=\"0 0 1\"/>" + kLimit);
    REQUIRE(made.spec.joints.size() == 1);
    CHECK(made.spec.joints[0].kind == row.kind);
    CHECK(made.spec.joints[0].name == "j");
    CHECK(made.spec.joints[0].between == std::vector<std::string>{"a", "b"});
  }
  CHECK(two_links("floating", "").spec.joints.empty());
  CHECK(two_links("floating", "").spec.bodies.size() == 2);
}

TEST_CASE("limits, damping and friction go to the coordinate; a continuous joint has no limits") {
  const std::string more = kLimit + "<dynamics damping=\"0.3\" friction=\"0.2\"/>";
  const JointSpec turns = two_links("revolute", more).spec.joints[0];
  REQUIRE(turns.turn);
  CHECK(turns.turn->limits == JointLimits<unit::rad>{-1.0, 1.0, 0.0});
  CHECK(turns.turn->damping == 0.3);
  CHECK(turns.turn->friction == 0.2);
  CHECK(!turns.turn->motor);
  const UrdfScene free = two_links("continuous", more);
  CHECK(!free.spec.joints[0].turn->limits);
  CHECK(any_holds(free.warnings, "r.urdf:5: joint 'j': a joint of type continuous has no range"));
  CHECK(two_links("prismatic", more).spec.joints[0].slide->limits ==
        JointLimits<unit::m>{-1.0, 1.0, 0.0});
}

TEST_CASE("a joint that has the name of a link is called otherwise, also by what mimics it") {
  const UrdfScene made = scene_of(
      part("a") + part("lid") + part("lid_joint") + part("d") +
          joint("lid", "continuous", "a", "lid") + joint("latch", "continuous", "a", "lid_joint") +
          joint("d", "continuous", "a", "d", "<mimic joint=\"lid\" multiplier=\"2\"/>"),
      {.base = UrdfBase::fixed});
  REQUIRE(made.spec.joints.size() == 3);
  CHECK(made.spec.joints[0].name == "lid_joint2");
  CHECK(made.spec.joints[1].name == "latch");
  CHECK(made.spec.joints[2].name == "d_joint");
  REQUIRE(made.spec.couplings.size() == 1);
  CHECK(made.spec.couplings[0].name == "d_joint.mimic");
  CHECK(made.spec.couplings[0].gear == GearSpec{"lid_joint2", "d_joint", 2.0, 0.0});
  CHECK(made.spec.outputs[0].probe == "lid_joint2");
  CHECK(
      any_holds(made.remarks, "joint 'lid' is renamed to 'lid_joint2', since a link has its name"));
}

TEST_CASE("damping of a joint whose coordinates have no laws is told") {
  const UrdfScene made =
      scene_of(part("a") + part("b") +
                   joint("j", "planar", "a", "b", "<dynamics damping=\"3\" friction=\"1\"/>"),
               {.base = UrdfBase::fixed});
  CHECK(any_holds(made.warnings,
                  "joint 'j': damping and friction of a joint of type planar are ignored"));
}

TEST_CASE("motors hold what has an effort and mimics nothing") {
  const UrdfScene made = scene_of(part("a") + part("b") + part("c") + part("d") +
                                      joint("lead", "revolute", "a", "b", kLimit) +
                                      joint("follow", "continuous", "a", "c",
                                            "<limit effort=\"5\" velocity=\"1\"/><mimic "
                                            "joint=\"lead\" multiplier=\"-2\" offset=\"0.5\"/>") +
                                      joint("idle", "continuous", "a", "d"),
                                  {.motors = true});
  CHECK(made.spec.joints[0].turn->motor == JointMotor<unit::rad>{0.0, 5.0});
  CHECK(!made.spec.joints[1].turn->motor);
  CHECK(!made.spec.joints[2].turn);
  REQUIRE(made.spec.couplings.size() == 1);
  CHECK(made.spec.couplings[0].gear == GearSpec{"lead", "follow", -2.0, 0.5});
  CHECK(made.spec.joints[1].turn->start == 0.5);
}

TEST_CASE("the base falls unless it is held or is the world") {
  const std::string arm = part("b") + joint("j", "continuous", "a", "b");
  const UrdfScene free = scene_of(part("a", kBox) + arm);
  CHECK(!free.spec.bodies[0].rigid->fixed);
  CHECK(any_holds(free.remarks, "the root 'a' is free and falls"));
  const UrdfScene held = scene_of(part("a", kBox) + arm, {.base = UrdfBase::fixed});
  CHECK(held.spec.bodies[0].rigid->fixed);
  CHECK(!held.spec.bodies[0].rigid->mass);
  // without a shape nothing could touch it: it is the world
  const UrdfScene bare = scene_of(part("a") + arm, {.base = UrdfBase::fixed});
  CHECK(names_of_bodies(bare) == std::vector<std::string>{"b"});
  CHECK(bare.spec.joints[0].between == std::vector<std::string>{"world", "b"});
  const UrdfScene world = scene_of(frame("world") + part("a") + joint("j", "fixed", "world", "a"));
  CHECK(names_of_bodies(world) == std::vector<std::string>{"a"});
  CHECK(world.spec.joints[0].kind == JointKind::fixed);
  CHECK(world.spec.joints[0].between == std::vector<std::string>{"world", "a"});
}

TEST_CASE("a link without mass is a part of the link that it is fixed to") {
  const std::string ball =
      "<collision><origin xyz=\"0 0 0.1\"/><geometry><sphere "
      "radius=\"0.1\"/></geometry></collision>";
  const UrdfScene made = scene_of(
      frame("foot") + part("a", kBox) + frame("tip", ball) + part("b") +
      joint("i", "fixed", "foot", "a", "<origin xyz=\"0 0 1\"/>") +
      joint("k", "fixed", "a", "tip", "<origin xyz=\"1 0 0\" rpy=\"0 1.5707963267948966 0\"/>") +
      joint("l", "continuous", "tip", "b"));
  CHECK(names_of_bodies(made) == std::vector<std::string>{"a", "b"});
  const RigidSpec& a = *made.spec.bodies[0].rigid;
  CHECK(a.position == std::array{0.0, 0.0, 1.0});
  REQUIRE(a.shapes.size() == 2);
  CHECK(a.shapes[0].box);
  CHECK(a.shapes[1].sphere);
  CHECK(a.shapes[1].position == std::array{1.1, 0.0, 0.0});
  REQUIRE(made.spec.joints.size() == 1);
  CHECK(made.spec.joints[0].between == std::vector<std::string>{"a", "b"});
  CHECK(made.spec.joints[0].at == std::array{1.0, 0.0, 1.0});
  CHECK(any_holds(made.remarks,
                  "links without mass are merged into the links they are fixed to: 'foot' of 'a', "
                  "'tip' of 'a'"));
}

TEST_CASE(
    "what hangs fast on the world without mass gives its shapes to a body that stands still") {
  const UrdfScene made =
      scene_of(frame("world") + frame("column", kBox) + part("b") +
               joint("i", "fixed", "world", "column", "<origin xyz=\"0 0 1\"/>") +
               joint("j", "continuous", "column", "b"));
  CHECK(names_of_bodies(made) == std::vector<std::string>{"column", "b"});
  CHECK(made.spec.bodies[0].rigid->fixed);
  CHECK(made.spec.bodies[0].rigid->shape->position == std::array{0.0, 0.0, 1.0});
  CHECK(made.spec.joints[0].between == std::vector<std::string>{"column", "b"});
}

TEST_CASE("the inertia is turned into the axes of the link") {
  const UrdfScene made = scene_of(
      "<link name=\"a\"><inertial><origin xyz=\"1 2 3\" rpy=\"0 0 1.5707963267948966\"/>"
      "<mass value=\"1\"/><inertia ixx=\"4\" ixy=\"0.1\" ixz=\"0.2\" iyy=\"5\" iyz=\"0.3\" "
      "izz=\"6\"/></inertial></link>\n");
  const RigidSpec& a = *made.spec.bodies[0].rigid;
  CHECK(a.centre == std::array{1.0, 2.0, 3.0});
  CHECK(a.inertia == std::vector<double>{5.0, 4.0, 6.0, -0.1, -0.3, 0.2});
}

TEST_CASE("meshes are found in packages and beside the robot, scaled, and mirrored by their hull") {
  const io_test::Folder folder;
  namespace fs = std::filesystem;
  for (const char* sub : {"/ws/my_bot/urdf", "/ws/my_bot/meshes", "/ws/other/meshes", "/out"})
    fs::create_directories(folder.path.string() + sub);
  const std::string obj =
      "v 0 0 0\nv 10 0 0\nv 0 20 0\nv 0 0 30\nv 1 1 1\nf 1 3 2\nf 1 4 3\nf 1 2 4\nf 2 3 4\n";
  for (const char* file :
       {"ws/my_bot/urdf/near.obj", "ws/my_bot/meshes/own.obj", "ws/other/meshes/far.obj"})
    io_test::put(folder / file, obj);
  const auto mesh = [](const std::string& file, const std::string& scale) {
    return "<collision><geometry><mesh filename=\"" + file + "\" scale=\"" + scale +
           "\"/></geometry></collision>";
  };
  const std::string mm = "0.01 0.01 0.01";
  const std::string text = robot(part(
      "a", mesh("near.obj", mm) + mesh("package://my_bot/meshes/own.obj", mm) +
               mesh("package://other/meshes/far.obj", mm) + mesh("near.obj", "0.01 -0.01 0.02")));
  const std::string file = folder / "ws/my_bot/urdf/robot.urdf";
  io_test::put(file, text);
  const UrdfScene made = import_urdf(file, {.scene_folder = folder / "out"});
  const std::vector<ShapeSpec>& shapes = made.spec.bodies[0].rigid->shapes;
  REQUIRE(shapes.size() == 4);
  CHECK(shapes[0].hull->file == "../ws/my_bot/urdf/near.obj");
  CHECK(shapes[1].hull->file == "../ws/my_bot/meshes/own.obj");
  CHECK(shapes[2].hull->file == "../ws/other/meshes/far.obj");
  CHECK(shapes[0].hull->scale == 0.01);
  // the point inside is no corner
  const std::vector<std::array<double, 3>> corners{
      {0.0, -0.2, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.6}, {0.1, 0.0, 0.0}};
  CHECK(shapes[3].hull->points == corners);
  CHECK(any_holds(made.remarks, "meshes of links are replaced by their convex hulls"));
  // a base that stands still may be hollow
  const UrdfScene held =
      import_urdf(file, {.base = UrdfBase::fixed, .scene_folder = folder / "out"});
  CHECK(held.spec.bodies[0].rigid->shapes[0].mesh->file == "../ws/my_bot/urdf/near.obj");
  CHECK(held.spec.bodies[0].rigid->shapes[0].mesh->scale == 0.01);
}

TEST_CASE("without friction shapes touch nothing, and the scene says so") {
  const UrdfScene bare = scene_of(part("a", kBox));
  REQUIRE(bare.spec.surfaces.size() == 1);
  CHECK_FALSE(bare.spec.surfaces[0].touches);
  CHECK(any_holds(bare.remarks, "there is no contact until `surfaces` has a law"));
  const UrdfScene rough = scene_of(part("a", kBox), {.friction = 0.4});
  REQUIRE(rough.spec.surfaces.size() == 1);
  CHECK((std::get<NewtonImpact>(*rough.spec.surfaces[0].law).friction == FrictionChoice(0.4)));
  CHECK(!any_holds(rough.remarks, "there is no contact"));
}

TEST_CASE("the text of a scene reads back to the same scene, its notes as comments before it") {
  const UrdfScene made =
      scene_of(part("a", kBox) + part("b", kBox) + joint("j", "revolute", "a", "b", kLimit));
  const std::string text = urdf_scene_text(made, "r.urdf");
  CHECK(text.starts_with("# Generated by `saltus import` from r.urdf.\n#\n# the root 'a' is free"));
  CHECK(read_scene_text(text, "r.yaml").spec == made.spec);
}

TEST_CASE("masses, inertias and limits that are doubtful are told with line and name") {
  const auto inertial = [](const std::string& mass, const std::string& J,
                           const std::string& where = "0 0 0") {
    return scene_of("<link name=\"a\"><inertial><origin xyz=\"" + where + "\"/><mass value=\"" +
                    mass + "\"/><inertia ixx=\"" + J + "\" iyy=\"" + J + "\" izz=\"" + J +
                    "\"/></inertial>" + kBox + "</link>\n")
        .warnings;
  };
  const auto limits = [](const std::string& type, const std::string& limit) {
    return two_links(type, "<limit " + limit + "/>").warnings;
  };
  // the solid box: 24 kg, largest moment 0.5 kg m^2
  CHECK(inertial("24", "0.4").empty());
  struct Row {
    std::vector<std::string> warnings;
    std::string says;
  };
  for (const Row& row : {
           Row{inertial("24", "400000"),
               "r.urdf:2: link 'a': the radius of gyration 129 m is 2.4e+02 "
               "times the size 0.539 m of its shapes"},
           Row{inertial("24", "0.0004"), "the radius of gyration 0.00408 m is 0.0076 times"},
           Row{inertial("24000", "400"), "2.4e+04 kg in a box of 0.2 x 0.3 x 0.4 m, denser"},
           Row{inertial("24", "0.4", "0 0 2"), "the mass centre is 2 m from the middle"},
           Row{limits("revolute", "lower=\"-1\" upper=\"1\" velocity=\"1\""),
               "r.urdf:5: joint 'j': <limit> has no effort"},
           Row{limits("revolute", "lower=\"-1\" upper=\"1\" effort=\"1\""), "has no velocity"},
           Row{limits("revolute", "lower=\"-1\" upper=\"1\" effort=\"0\" velocity=\"1\""),
               "effort is 0"},
           Row{limits("prismatic", "lower=\"-1\" upper=\"1\" effort=\"1\" velocity=\"0\""),
               "velocity is 0"},
           Row{limits("prismatic", "effort=\"1\" velocity=\"1\""),
               "cannot move: lower and upper are 0 m"},
           Row{limits("prismatic", "lower=\"1\" upper=\"2\" effort=\"1\" velocity=\"1\""),
               "0 is outside of its limits: it starts at 1 m"},
       }) {
    CAPTURE(row.says);
    CHECK(row.warnings.size() == 1);
    CHECK(any_holds(row.warnings, row.says));
  }
  for (const char* kind : {"prismatic", "revolute"})
    CHECK(limits(kind, "lower=\"-9\" upper=\"9\" effort=\"1\" velocity=\"1\"").empty());
}

TEST_CASE("a robot of many links, whose joints mimic each other, is read in a time in proportion") {
  constexpr int kLinks = 24'000;
  std::string text = part("l0");
  for (int i = 1; i < kLinks; ++i) {
    const std::string k = std::to_string(i), above = std::to_string(i - 1);
    text += part("l" + k) + joint("j" + k, "continuous", "l" + above, "l" + k,
                                  i > 1 ? "<mimic joint=\"j" + above + "\"/>" : "");
  }
  const std::clock_t begin = std::clock();
  const UrdfScene made = scene_of(text);
  CHECK(made.spec.joints.size() == kLinks - 1);
  CHECK(made.spec.couplings.size() == kLinks - 2);
  // with a cost that grows with the square this takes half a minute
  CHECK(std::clock() - begin < 10 * CLOCKS_PER_SEC);
}

// Everything that leaves no robot: each row is a file and the whole message, which names line, link or joint.
#include <doctest/doctest.h>

#include "support/fault_rows.h"
#include "urdf_samples.h"

using namespace saltus;
using namespace urdf_test;

namespace {

void expect_faults(const std::vector<saltus_test::FaultRow>& rows) {
  saltus_test::expect_faults(
      "r.urdf", rows, [](const std::string& text) { urdf_scene(read_urdf_text(text, "r.urdf")); });
}

const std::string kTwo = part("a") + part("b");  // lines 2 and 3

}  // namespace

TEST_CASE("what is no URDF file is refused with its line") {
  expect_faults({
      {"", " is not XML: empty document"},
      {"<robot>\n<link name=\"a\">\n</robot>", "2: is not XML: mismatched element"},
      {"<robot name=\"\xFF\"/>", "1:14: is not UTF-8 text; save the file as UTF-8"},
      {"<sdf version=\"1\"/>", "1: the root is <sdf>; a URDF file contains a <robot>"},
      {"<robot name=\"r\"/>", "1: the robot has no link; at least one <link name=...>"},
      {robot("<xacro:arm side=\"left\"/>\n"),
       "2: <xacro:arm> is a macro of xacro; expand the file first: xacro robot.urdf.xacro > "
       "robot.urdf"},
  });
}

TEST_CASE("links and shapes that say too little, too much or nonsense are refused by name") {
  const auto shape = [](const std::string& geometry) {
    return robot(part("a", "<collision>\n" + geometry + "</collision>"));
  };
  const auto inertial = [](const std::string& text) {
    return robot("<link name=\"a\"><inertial>\n" + text + "</inertial></link>\n");
  };
  const std::string inertia =
      "<inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\" izz=\"1\"/>";
  expect_faults({
      {robot("<link/>\n"), "2: <link> has no `name`; <link name=\"...\">"},
      {robot(frame("a/b")),
       "2: link 'a/b': cannot be a name in a scene; no '/', no control characters, no blank at "
       "either end"},
      {robot(part("a") + "<!-- -->\n" + part("a")),
       "4: link 'a': the name is used twice, first at line 2; names are unique"},
      {inertial(inertia), "2: link 'a': <inertial> has no <mass>; <mass value=\"...\"/> in kg"},
      {inertial("<mass value=\"1\"/>"),
       "2: link 'a': <inertial> has no <inertia>; <inertia ixx=... ixy=... ixz=... iyy=... iyz=... "
       "izz=.../> in kg m^2"},
      {inertial("<mass value=\"-1\"/>" + inertia), "3: link 'a': the mass is -1 kg; > 0"},
      {inertial("<mass value=\"1 kg\"/>" + inertia),
       "3: link 'a': `value` of <mass> is \"1 kg\"; a number"},
      {inertial("<mass value=\"1\"/><mass value=\"2\"/>" + inertia),
       "3: link 'a': <inertial> has two <mass>; one only"},
      {inertial("<mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\"/>"),
       "3: link 'a': <inertia> has no `izz`; a number"},
      {inertial("<origin xyz=\"0 0,1 0\"/><mass value=\"1\"/>" + inertia),
       "3: link 'a': `xyz` of <origin> is \"0 0,1 0\"; 3 numbers separated by blanks"},
      {inertial("<origin rpy=\"0 nan 0\"/><mass value=\"1\"/>" + inertia),
       "3: link 'a': `rpy` of <origin> is \"0 nan 0\"; 3 numbers separated by blanks"},
      {shape("<geometry/>"),
       "3: link 'a': <geometry> has no shapes; one: box, cylinder, capsule, sphere or mesh"},
      {shape(""),
       "2: link 'a': <collision> has no <geometry>; box, cylinder, capsule, sphere or mesh"},
      {shape("<geometry><sphere radius=\"1\"/><sphere radius=\"1\"/></geometry>"),
       "3: link 'a': <geometry> has several shapes; one: box, cylinder, capsule, sphere or mesh"},
      {shape("<geometry><spere radius=\"1\"/></geometry>"),
       "3: link 'a': unknown shape <spere>; did you mean `sphere`? allowed: box, cylinder, "
       "capsule, sphere, mesh"},
      {shape("<geometry><box size=\"1 0 1\"/></geometry>"),
       "3: link 'a': `size` of <box> is not positive; three edges > 0 in m"},
      {shape("<geometry><cylinder radius=\"0.1\"/></geometry>"),
       "3: link 'a': <cylinder> has no `length`; a number"},
      {shape("<geometry><sphere radius=\"-0.1\"/></geometry>"),
       "3: link 'a': `radius` of <sphere> is -0.1; a length > 0 in m"},
      {shape("<geometry><mesh filename=\"a.stl\" scale=\"1 0 1\"/></geometry>"),
       "3: link 'a': `scale` of <mesh> has a 0; three factors, not 0"},
  });
}

TEST_CASE("what moves needs a mass, and an inertia that some mass has") {
  const auto with_inertia = [](const std::string& xx, const std::string& yy,
                               const std::string& zz) {
    return robot("<link name=\"a\">\n<inertial><mass value=\"1\"/><inertia ixx=\"" + xx +
                 "\" iyy=\"" + yy + "\" izz=\"" + zz + "\"/></inertial></link>\n");
  };
  expect_faults({
      {with_inertia("1", "1", "2.5"),
       "3: link 'a': the inertia has the principal moments 1, 1, 2.5 kg m^2, which no mass "
       "distribution has; none may exceed the sum of the other two, here 2"},
      {with_inertia("0", "0", "0"),
       "3: link 'a': the inertia has the principal moments 0, 0, 0 kg m^2; all three must be > 0"},
      {with_inertia("1", "-1", "1"),
       "3: link 'a': the inertia has the principal moments -1, 1, 1 kg m^2; all three must be > 0"},
      {robot(part("a") + frame("b") + joint("j", "continuous", "a", "b")),
       "3: link 'b': moves and has no mass; give <inertial>, or fix it to a link with mass"},
      {robot(frame("a") + part("b") + joint("j", "floating", "a", "b")),
       "2: link 'a': moves and has no mass; use --base fixed, or give <inertial>"},
  });
}

TEST_CASE("links that make no tree are refused, naming the joint or the link") {
  const std::string three = kTwo + part("c");  // lines 2 to 4
  expect_faults({
      {robot(kTwo + joint("j", "continuous", "a", "bb")),
       "4: joint 'j': there is no link 'bb', its child; allowed: a, b"},
      {robot(kTwo + joint("j", "continuous", "x", "b")),
       "4: joint 'j': there is no link 'x', its parent; allowed: a, b"},
      {robot(kTwo + joint("j", "fixed", "a", "a")),
       "4: joint 'j': joins the link 'a' to itself; two links"},
      {robot(three + joint("i", "fixed", "a", "c") + joint("j", "fixed", "b", "c")),
       "6: joint 'j': 'c' is already the child of joint 'i'; one parent per link; close loops in "
       "the scene, by an entry of `joints`"},
      {robot(three + joint("i", "fixed", "a", "b")),
       "4: link 'c': has no parent, and neither has 'a'; one root; connect it to another link, for "
       "example by a fixed joint"},
      {robot(kTwo + joint("i", "fixed", "a", "b") + joint("j", "fixed", "b", "a")),
       "5: joint 'j': closes a cycle of parents: a -> b -> a; a tree; close loops in the scene, by "
       "an entry of `joints`"},
      {robot(three + joint("i", "fixed", "b", "c") + joint("j", "fixed", "c", "b")),
       "6: joint 'j': closes a cycle of parents: b -> c -> b; a tree; close loops in the scene, by "
       "an entry of `joints`"},
      {robot(kTwo + joint("j", "fixed", "a", "b") + joint("j", "fixed", "a", "b")),
       "5: joint 'j': the name is used twice, first at line 4; names are unique"},
  });
}

TEST_CASE("joints with a wrong type, axis, range or mimic are refused by name") {
  const auto one = [](const std::string& type, const std::string& more) {
    return robot(kTwo + joint("j", type, "a", "b", "\n" + more));
  };
  const auto two = [](const std::string& more) {
    return robot(kTwo + part("c") + joint("i", "continuous", "a", "b") +
                 joint("j", "continuous", "b", "c", more));
  };
  expect_faults({
      {robot(kTwo + "<joint name=\"j\" type=\"fixed\"><child link=\"b\"/></joint>\n"),
       "4: joint 'j': has no <parent>; <parent link=\"...\"/>"},
      {one("hinge", ""),
       "4: joint 'j': unknown type 'hinge'; allowed: fixed, revolute, continuous, prismatic, "
       "planar, floating"},
      {one("fix\ned", ""),  // told in one line
       "4: joint 'j': unknown type 'fix\\ned'; did you mean `fixed`? allowed: fixed, revolute, "
       "continuous, "
       "prismatic, "
       "planar, floating"},
      {one("continuous", "<axis xyz=\"0 0 0\"/>"),
       "5: joint 'j': the axis is zero; a unit vector, for example \"0 0 1\""},
      {one("revolute", ""),
       "4: joint 'j': a revolute joint has no <limit>; give one, or the type continuous for a "
       "joint that rotates freely"},
      {one("prismatic", ""),
       "4: joint 'j': a prismatic joint has no <limit>; lower, upper, effort, velocity"},
      {one("revolute", "<limit lower=\"0.5\" upper=\"-0.5\" effort=\"1\" velocity=\"1\"/>"),
       "5: joint 'j': lower 0.5 rad is above upper -0.5 rad; lower <= upper; the default of both "
       "is 0"},
      {one("prismatic", "<limit lower=\"0.5\" effort=\"1\" velocity=\"1\"/>"),
       "5: joint 'j': lower 0.5 m is above upper 0 m; lower <= upper; the default of both is 0"},
      {one("revolute", "<limit effort=\"-1\" velocity=\"1\"/>"),
       "5: joint 'j': `effort` of <limit> is -1; >= 0"},
      {one("continuous", "<dynamics damping=\"-0.1\"/>"),
       "5: joint 'j': `damping` of <dynamics> is -0.1; >= 0"},
      {two("<mimic joint=\"k\"/>"),
       "6: joint 'j': mimics 'k', which does not exist; allowed: i, j"},
      {two("<mimic joint=\"j\"/>"), "6: joint 'j': mimics itself; another joint"},
      {two("<mimic joint=\"i\" multiplier=\"0\"/>"),
       "6: joint 'j': mimics with the multiplier 0; not 0; use a fixed joint for a joint that does "
       "not move"},
      {robot(kTwo + part("c") + joint("i", "fixed", "a", "b") +
             joint("j", "continuous", "b", "c", "<mimic joint=\"i\"/>")),
       "6: joint 'j': 'i' of type fixed has no coordinate to mimic; revolute, continuous or "
       "prismatic"},
      {robot(kTwo + part("c") + joint("i", "continuous", "a", "b", "<mimic joint=\"j\"/>") +
             joint("j", "continuous", "b", "c", "<mimic joint=\"i\"/>")),
       "5: joint 'i': mimics in a circle; one joint of a chain of mimics must be independent"},
  });
}

TEST_CASE("meshes that are not there or not read are refused with link and file") {
  const auto mesh = [](const std::string& file) {
    return robot(part(
        "a", "\n<collision><geometry><mesh filename=\"" + file + "\"/></geometry></collision>"));
  };
  expect_faults({
      {mesh("part.stl"),
       "3: link 'a': mesh 'part.stl' does not exist; names are relative to the robot's file"},
      {mesh("file:///nowhere/part.obj"),
       "3: link 'a': mesh '/nowhere/part.obj' does not exist; names are relative to the robot's "
       "file"},
      {mesh("package://no_such_package/part.obj"),
       "3: link 'a': mesh 'package://no_such_package/part.obj' does not exist; a folder "
       "'no_such_package' above the robot's file, or next to one above it"},
      {mesh("package://part.obj"),
       "3: link 'a': mesh 'package://part.obj' names no file in a package; "
       "package://name/folder/file.stl"},
      {mesh("http://example.org/part.obj"),
       "3: link 'a': mesh 'http://example.org/part.obj' is not a file; a name relative to the "
       "robot's file, package:// or file://"},
      {mesh("part.DAE"),
       "3: link 'a': mesh 'part.DAE': files '.dae' are not supported; .obj or .stl; convert it, or "
       "give "
       "a box, cylinder or sphere"},
  });
}

TEST_CASE("a link named world that moves, and a base that cannot be free, are refused") {
  expect_faults(
      {{robot(part("world")),
        "2: link 'world': moves, but `world` is the fixed frame of a scene; give the link "
        "another name"}});
  CHECK_THROWS_WITH_AS(
      scene_of(frame("world") + part("a") + joint("j", "fixed", "world", "a"),
               {.base = UrdfBase::free}),
      "r.urdf:2: link 'world': has no mass and cannot be free; leave --base out, or "
      "take the link out of the file",
      SceneError);
}

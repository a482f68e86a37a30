// What a URDF file says, and where the links of a robot are.
#include <doctest/doctest.h>

#include <cmath>

#include "urdf_samples.h"

using namespace saltus;
using namespace urdf_test;

namespace {

UrdfRobot read(const std::string& contents) { return read_urdf_text(robot(contents), "r.urdf"); }

}  // namespace

TEST_CASE("roll, pitch and yaw turn about the fixed axes x, y, z one after the other") {
  const auto turn = [](const std::string& rpy) {
    return read(part("a") + part("b") +
                joint("j", "fixed", "a", "b", "<origin rpy=\"" + rpy + "\"/>"))
        .joints[0]
        .at.R;
  };
  const auto about = [](int axis, double angle) {
    return exp_rotation(angle * Vector3::Unit(axis)).toRotationMatrix();
  };
  CHECK((turn("0.3 -0.7 1.9") - about(2, 1.9) * about(1, -0.7) * about(0, 0.3)).norm() <= 1e-15);
  // pi/2 to all digits turns exactly
  Matrix3 quarter;
  quarter << 1, 0, 0, 0, 0, -1, 0, 1, 0;
  CHECK(turn("1.5707963267948966 0 0") == quarter);
  // 1.5708 is what it is
  CHECK(turn("1.5708 0 0")(1, 1) == doctest::Approx(std::cos(1.5708)).epsilon(1e-12));
}

TEST_CASE("entries that are left out have the values of the format") {
  const UrdfRobot r = read(part("a", kBox) + part("b") +
                           joint("j", "continuous", "a", "b", "<mimic joint=\"i\"/>") + part("c") +
                           joint("i", "continuous", "b", "c"));
  CHECK(r.name == "r");
  CHECK(r.links[0].shapes[0].at.x.isZero(0.0));
  CHECK(r.links[0].shapes[0].size == Vector3(0.2, 0.3, 0.4));
  CHECK(r.links[0].inertial->at.R == Matrix3::Identity());
  CHECK(r.joints[0].axis == Vector3::UnitX());
  CHECK(r.joints[0].mimic->multiplier == 1.0);
  CHECK(r.joints[0].mimic->offset == 0.0);
  CHECK(r.joints[0].damping == 0.0);
  CHECK(!r.joints[0].limit);
  CHECK(r.warnings.empty());
  CHECK(r.remarks.empty());
}

TEST_CASE("tabs, signs and powers of ten are read, comments are not") {
  const UrdfRobot r = read("\t<!-- <link/> -->\n\t" +
                           part("a",
                                "<collision><origin xyz=\" +1e-3\t-2E2\n0.5 \"/><geometry><sphere "
                                "radius=\"1\"/></geometry></collision>"));
  CHECK(r.links[0].shapes[0].at.x == Vector3(1e-3, -200.0, 0.5));
}

TEST_CASE(
    "what is not read is told once: known elements by number, others by line and nearest name") {
  const std::string visual = "<visual><geometry><box size=\"1 1 1\"/></geometry></visual>";
  const UrdfRobot r =
      read(part("a", visual + visual + "<colision/>") + part("b", visual + "<colision/>") +
           joint("j", "continuous", "a", "b", "<limits/><axis xyz=\"0 0 1\" rpy=\"0 0 0\"/>") +
           "<gazebo/><transmission/>\n");
  CHECK(r.remarks == std::vector<std::string>{"ignored: 1 <gazebo>, 1 <transmission>, 3 <visual>"});
  REQUIRE(r.warnings.size() == 3);
  CHECK(r.warnings[0] ==
        "r.urdf:2: link 'a': <colision> is ignored; did you mean `collision`? allowed: inertial, "
        "collision");
  CHECK(r.warnings[1] ==
        "r.urdf:4: joint 'j': <limits> is ignored; did you mean `limit`? allowed: parent, child, "
        "origin, axis, limit, dynamics, mimic");
  CHECK(r.warnings[2].starts_with("r.urdf:4: joint 'j': `rpy` of <axis> is ignored"));
}

TEST_CASE("an axis is made a unit vector, with a warning where it was not one") {
  const UrdfRobot r =
      read(part("a") + part("b") + joint("j", "continuous", "a", "b", "<axis xyz=\"0 3 4\"/>"));
  CHECK((r.joints[0].axis - Vector3(0, 0.6, 0.8)).norm() <= 1e-16);
  REQUIRE(r.warnings.size() == 1);
  CHECK(r.warnings[0] == "r.urdf:4: joint 'j': the axis has the length 5 and is normalised");
}

TEST_CASE("links stand where their joints put them, whatever the order of the file") {
  const std::string up = "<origin xyz=\"0 0 1\" rpy=\"0 0 1.5707963267948966\"/>";
  const UrdfRobot r =
      read(part("tip") + joint("second", "continuous", "mid", "tip", up) + part("mid") +
           joint("first", "continuous", "root", "mid",
                 "<origin xyz=\"2 0 0\" rpy=\"1.5707963267948966 0 0\"/>") +
           part("root"));
  std::vector<std::string> warnings;
  const UrdfTree tree = urdf_tree(r, warnings);
  CHECK(tree.root == 2);
  CHECK(tree.order == std::vector<int>{2, 1, 0});
  CHECK(tree.pose[1].x == Vector3(2, 0, 0));
  CHECK(tree.pose[0].x == Vector3(2, -1, 0));  // z of the middle link points along -y
  CHECK((tree.pose[0].R.col(0) - Vector3::UnitZ()).norm() <= 1e-16);
  CHECK(warnings.empty());
}

TEST_CASE("a joint whose range excludes 0 starts at the end next to 0, and its mimics follow") {
  const std::string range =
      "<axis xyz=\"0 0 1\"/><limit lower=\"0.2\" upper=\"0.5\" effort=\"1\" velocity=\"1\"/>";
  const UrdfRobot r = read(
      part("a") + part("b") + part("c") + part("d") + joint("slide", "prismatic", "a", "b", range) +
      joint("turn", "continuous", "b", "c",
            "<axis xyz=\"0 0 1\"/><mimic joint=\"half\" multiplier=\"10\" offset=\"1\"/>") +
      joint("half", "prismatic", "c", "d",
            "<axis xyz=\"1 0 0\"/><mimic joint=\"slide\" multiplier=\"0.5\"/>"
            "<limit lower=\"-1\" upper=\"0.05\" effort=\"1\" velocity=\"1\"/>"));
  std::vector<std::string> warnings;
  const UrdfTree tree = urdf_tree(r, warnings);
  CHECK(tree.coordinate == std::vector<double>{0.2, 2.0, 0.1});
  CHECK(tree.pose[1].x == Vector3(0, 0, 0.2));
  CHECK((tree.pose[3].x - Vector3(0.1 * std::cos(2.0), 0.1 * std::sin(2.0), 0.2)).norm() <= 1e-16);
  REQUIRE(warnings.size() == 2);
  CHECK(warnings[0] == "r.urdf:6: joint 'slide': 0 is outside of its limits: it starts at 0.2 m");
  CHECK(warnings[1] ==
        "r.urdf:8: joint 'half': starts at 0.1 m by its mimic, outside of its limits");
}

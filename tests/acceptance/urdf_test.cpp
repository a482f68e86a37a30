// A robot of a URDF file becomes the scene that one would have written by hand.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "saltus/import/urdf.h"
#include "saltus/scene_file/scene_yaml.h"

using namespace saltus;

namespace {

constexpr double kTolerance = 1e-14;

std::filesystem::path golden(const std::string& file) {
  return std::filesystem::path(SALTUS_TEST_DATA) / "golden" / "urdf" / file;
}

/// Differences of two scenes, one line each.
class Difference {
 public:
  std::vector<std::string> lines;

  void scenes(const SceneSpec& a, const SceneSpec& b) {
    same("time", a.time, b.time);
    same("title", a.title, b.title);
    same("gravity", a.gravity, b.gravity);
    same("surfaces", a.surfaces, b.surfaces);
    same("ignore", a.ignore, b.ignore);
    same("joint", a.joint, b.joint);
    if (sizes("bodies", a.bodies, b.bodies))
      for (std::size_t i = 0; i < a.bodies.size(); ++i) bodies(a.bodies[i], b.bodies[i]);
    if (sizes("joints", a.joints, b.joints))
      for (std::size_t i = 0; i < a.joints.size(); ++i) joints(a.joints[i], b.joints[i]);
    if (sizes("couplings", a.couplings, b.couplings))
      for (std::size_t i = 0; i < a.couplings.size(); ++i)
        couplings(a.couplings[i], b.couplings[i]);
  }

 private:
  template <class T>
  void same(const std::string& what, const T& a, const T& b) {
    if (!(a == b)) lines.push_back(what);
  }
  template <class T>
  bool sizes(const std::string& what, const std::vector<T>& a, const std::vector<T>& b) {
    if (a.size() != b.size())
      lines.push_back(what + ": " + std::to_string(a.size()) + " and " + std::to_string(b.size()));
    return a.size() == b.size();
  }
  /// |a - b| <= 1e-14 of `scale`, or of the largest number of b where it is 0.
  template <class List>
  void numbers(const std::string& what, const List& a, const List& b, double scale) {
    if (a.size() != b.size()) {
      lines.push_back(what + ": sizes differ");
      return;
    }
    for (std::size_t i = 0; i < a.size() && scale == 0.0; ++i)
      for (double x : b) scale = std::max(scale, std::abs(x));
    for (std::size_t i = 0; i < a.size(); ++i) {
      const double error = std::abs(a[i] - b[i]);
      if (!(error <= kTolerance * scale))
        lines.push_back(what + "[" + std::to_string(i) + "] by " + std::to_string(error));
      worst = std::max(worst, scale > 0.0 ? error / scale : 0.0);
    }
  }
  void number(const std::string& what, const std::optional<double>& a,
              const std::optional<double>& b) {
    const auto list = [](const std::optional<double>& x) {
      return x ? std::vector{*x} : std::vector<double>{};
    };
    numbers(what, list(a), list(b), 0.0);
  }
  void rotations(const std::string& what, const RotationSpec& a, const RotationSpec& b) {
    const Matrix3 A = rotation_of(a).toRotationMatrix(), B = rotation_of(b).toRotationMatrix();
    numbers(what, std::vector(A.data(), A.data() + 9), std::vector(B.data(), B.data() + 9), 1.0);
  }

  void shapes(const std::string& what, const ShapeSpec& a, const ShapeSpec& b) {
    same(what + ".sphere", a.sphere, b.sphere);
    same(what + ".capsule", a.capsule, b.capsule);
    same(what + ".cylinder", a.cylinder, b.cylinder);
    same(what + ".box", a.box, b.box);
    same(what + ".hull", a.hull, b.hull);
    same(what + ".mesh", a.mesh, b.mesh);
    same(what + ".material", a.material, b.material);
    numbers(what + ".position", a.position, b.position, 1.0);
    rotations(what + ".rotation", a.rotation, b.rotation);
  }

  void bodies(const BodySpec& a, const BodySpec& b) {
    same(b.name + ".name", a.name, b.name);
    same(b.name + ".scheme", a.scheme, b.scheme);
    REQUIRE(a.rigid);
    REQUIRE(b.rigid);
    const RigidSpec &A = *a.rigid, &B = *b.rigid;
    const auto all = [](const RigidSpec& r) { return r.shape ? std::vector{*r.shape} : r.shapes; };
    const std::vector<ShapeSpec> of_a = all(A), of_b = all(B);
    if (sizes(b.name + ".shapes", of_a, of_b))
      for (std::size_t i = 0; i < of_a.size(); ++i)
        shapes(b.name + ".shapes[" + std::to_string(i) + "]", of_a[i], of_b[i]);
    number(b.name + ".mass", A.mass, B.mass);
    numbers(b.name + ".inertia", A.inertia, B.inertia, 0.0);
    const std::array<double, 3> zero{};
    numbers(b.name + ".centre", A.centre.value_or(zero), B.centre.value_or(zero), 1.0);
    numbers(b.name + ".position", A.position, B.position, 1.0);
    rotations(b.name + ".rotation", A.rotation, B.rotation);
    same(b.name + ".fixed", A.fixed, B.fixed);
    same(b.name + ".velocity", A.velocity, B.velocity);
    same(b.name + ".spin", A.spin, B.spin);
    same(b.name + ".touches", A.touches, B.touches);
  }

  template <Dimension D>
  void laws(const std::string& what, const std::optional<JointLawsSpec<D>>& a,
            const std::optional<JointLawsSpec<D>>& b) {
    const JointLawsSpec<D> A = a.value_or(JointLawsSpec<D>{}), B = b.value_or(JointLawsSpec<D>{});
    number(what + ".start", A.start, B.start);
    same(what + ".limits", A.limits.has_value(), B.limits.has_value());
    if (A.limits && B.limits) {
      number(what + ".limits.lower", A.limits->lower, B.limits->lower);
      number(what + ".limits.upper", A.limits->upper, B.limits->upper);
      number(what + ".limits.restitution", A.limits->restitution, B.limits->restitution);
    }
    number(what + ".damping", A.damping, B.damping);
    number(what + ".friction", A.friction, B.friction);
    same(what + ".motor", A.motor, B.motor);
    same(what + ".spring", A.spring, B.spring);
    same(what + ".drive", A.drive, B.drive);
  }

  void joints(const JointSpec& a, const JointSpec& b) {
    same(b.name + ".name", a.name, b.name);
    same(b.name + ".kind", a.kind, b.kind);
    same(b.name + ".between", a.between, b.between);
    same(b.name + ".touch", a.touch, b.touch);
    const auto list = [](const std::optional<std::array<double, 3>>& x) {
      return x ? std::vector(x->begin(), x->end()) : std::vector<double>{};
    };
    numbers(b.name + ".at", list(a.at), list(b.at), 1.0);
    numbers(b.name + ".axis", list(a.axis), list(b.axis), 1.0);
    same(b.name + ".axis2", a.axis2, b.axis2);
    same(b.name + ".first", a.first, b.first);
    same(b.name + ".second", a.second, b.second);
    laws(b.name + ".turn", a.turn, b.turn);
    laws(b.name + ".slide", a.slide, b.slide);
  }

  void couplings(const CouplingSpec& a, const CouplingSpec& b) {
    same(b.name + ".name", a.name, b.name);
    REQUIRE(a.gear);
    REQUIRE(b.gear);
    same(b.name + ".first", a.gear->first, b.gear->first);
    same(b.name + ".second", a.gear->second, b.gear->second);
    number(b.name + ".ratio", a.gear->ratio, b.gear->ratio);
    number(b.name + ".offset", a.gear->offset, b.gear->offset);
  }

 public:
  double worst = 0.0;
};

struct Robot {
  std::string name;
  std::optional<UrdfBase> base;
  std::size_t bodies, joints, couplings;
};
const Robot kRobots[] = {{"arm", UrdfBase::fixed, 5, 4, 0},
                         {"quadruped", UrdfBase::free, 14, 13, 0},
                         {"gripper", std::nullopt, 4, 4, 2}};

UrdfScene imported(const Robot& robot) {
  return import_urdf(golden(robot.name + ".urdf"),
                     {.base = robot.base, .scene_folder = golden("")});
}

}  // namespace

TEST_CASE(
    "three robots, serial, a tree and closed by mimics, become the scenes made by hand to 1e-14") {
  for (const Robot& robot : kRobots) {
    CAPTURE(robot.name);
    UrdfScene made = imported(robot);
    REQUIRE(made.spec.surfaces.size() == 1);
    CHECK_FALSE(made.spec.surfaces[0].touches);  // by hand that is not said
    made.spec.surfaces.clear();
    CHECK(made.spec.bodies.size() == robot.bodies);
    CHECK(made.spec.joints.size() == robot.joints);
    CHECK(made.spec.couplings.size() == robot.couplings);
    Difference difference;
    difference.scenes(made.spec, read_scene(golden(robot.name + ".yaml")).spec);
    CHECK(difference.lines == std::vector<std::string>{});
    MESSAGE(robot.name << ": largest difference " << difference.worst);
  }
}

TEST_CASE("the comparison of scenes sees a wrong digit and a wrong name") {
  const SceneSpec hand = read_scene(golden("arm.yaml")).spec;
  const auto differs = [&](auto&& change) {
    SceneSpec other = hand;
    change(other);
    Difference difference;
    difference.scenes(other, hand);
    return difference.lines.size() == 1;
  };
  CHECK(differs([](SceneSpec& s) { s.bodies[2].rigid->position[0] += 1e-13; }));
  CHECK(differs([](SceneSpec& s) { s.bodies[2].rigid->inertia[4] *= 1.0 + 1e-12; }));
  CHECK(differs([](SceneSpec& s) { s.bodies[2].rigid->shapes[0].position[0] += 1e-13; }));
  CHECK(differs([](SceneSpec& s) { s.joints[3].turn->limits->upper = 0.9 + 1e-13; }));
  CHECK(differs([](SceneSpec& s) { (*s.joints[3].axis)[1] += 1e-13; }));
  CHECK(differs([](SceneSpec& s) { s.joints[3].between[1] = "turret"; }));
  CHECK(differs([](SceneSpec& s) { s.joints.pop_back(); }));
}

TEST_CASE("the scenes of three robots read back from their text to the last bit") {
  for (const Robot& robot : kRobots) {
    CAPTURE(robot.name);
    const UrdfScene made = imported(robot);
    CHECK(read_scene_text(urdf_scene_text(made, robot.name), "robot.yaml").spec == made.spec);
  }
}

TEST_CASE(
    "a missing link, an inertia that no mass has and a missing mesh are one line with the name") {
  const auto fault = [](const std::string& contents) {
    try {
      urdf_scene(read_urdf_text("<robot name=\"r\">\n" + contents + "</robot>", "r.urdf"));
    } catch (const SceneError& error) {
      return std::string(error.what());
    }
    return std::string("no fault");
  };
  const auto link = [](const std::string& izz, const std::string& more) {
    return "<link name=\"arm\"><inertial><mass value=\"1\"/>\n<inertia ixx=\"0.1\" iyy=\"0.1\" "
           "izz=\"" +
           izz + "\"/></inertial>" + more + "</link>\n";
  };
  CHECK(fault(link("0.1", "") + "<joint name=\"elbow\" type=\"fixed\"><parent link=\"arm\"/>"
                                "<child link=\"hand\"/></joint>\n") ==
        "r.urdf:4: joint 'elbow': there is no link 'hand', its child; allowed: arm");
  CHECK(fault(link("0.3", "")) ==
        "r.urdf:2: link 'arm': the inertia has the principal moments 0.1, 0.1, 0.3 kg m^2, which "
        "no mass distribution has; none may exceed the sum of the other two, here 0.2");
  CHECK(fault(link("0.1",
                   "<collision><geometry>\n<mesh filename=\"arm.stl\"/></geometry>"
                   "</collision>")) ==
        "r.urdf:4: link 'arm': mesh 'arm.stl' does not exist; names are relative to the robot's "
        "file");
}

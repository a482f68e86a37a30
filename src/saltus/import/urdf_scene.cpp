#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>
#include <system_error>

#include "saltus/base/error.h"
#include "saltus/import/urdf.h"
#include "saltus/import/urdf_tree.h"
#include "saltus/scene_file/scene_brief.h"
#include "saltus/shapes/mesh_file.h"

namespace saltus {
namespace {

namespace fs = std::filesystem;
using Numbers3 = std::array<double, 3>;

Numbers3 numbers_of(const Vector3& x) {  // avoids -0, which would be written as such
  return {x[0] + 0.0, x[1] + 0.0, x[2] + 0.0};
}

RotationSpec rotation_spec(const Matrix3& R) {
  if (R == Matrix3::Identity()) return {};
  Quaternion Q(R);
  Q.normalize();
  if (Q.w() < 0.0) Q.coeffs() = -Q.coeffs();
  return QuaternionSpec{{Q.w() + 0.0, Q.x() + 0.0, Q.y() + 0.0, Q.z() + 0.0}};
}

constexpr double kFarAway = 1e300;

/// Whether the scene fixes the root link.
bool root_is_held(const UrdfRobot& robot, const UrdfTree& tree, const UrdfOptions& options,
                  std::vector<std::string>& remarks) {
  const UrdfLink& root = robot.links[static_cast<std::size_t>(tree.root)];
  const bool world = root.name == kWorld && !root.inertial;
  if (world && options.base == UrdfBase::free)
    throw SceneError(fmt::format("link '{}'", root.name), "has no mass and cannot be free",
                     "leave --base out, or take the link out of the file")
        .at(robot.file, root.line, 0);
  const bool held = world || options.base == UrdfBase::fixed;
  if (!held && !options.base)
    remarks.push_back(
        fmt::format("the root '{}' is free and falls; use --base fixed to fix it", root.name));
  return held;
}

/// Groups links into bodies. A massless link belongs to the nearest link with mass above it that is
/// reached by fixed joints, otherwise to the first link with mass that is fixed to it.
class LinkBodies {
 public:
  LinkBodies(const UrdfRobot& robot, const UrdfTree& tree, bool root_held,
             std::vector<std::string>& remarks)
      : robot_(robot), tree_(tree), root_held_(root_held) {
    find_carriers();
    const std::size_t n = robot.links.size();
    parts_.resize(n);
    for (std::size_t k = 0; k < n; ++k) parts_[static_cast<std::size_t>(carrier_[k])].push_back(k);
    std::string parts;
    for (int i : tree.order)
      if (carrier(i) != i)
        parts += fmt::format("{}'{}' of '{}'", parts.empty() ? "" : ", ", link(i).name,
                             link(carrier(i)).name);
    if (!parts.empty())
      remarks.push_back("links without mass are merged into the links they are fixed to: " + parts);
  }

  bool held(int i) const { return root_held_ && i == tree_.root; }
  /// The link with mass into whose body link i is merged.
  int carrier(int i) const { return carrier_[static_cast<std::size_t>(i)]; }
  /// The links of the body of link i, in increasing order.
  const std::vector<std::size_t>& parts(std::size_t i) const { return parts_[i]; }

 private:
  const UrdfLink& link(int i) const { return robot_.links[static_cast<std::size_t>(i)]; }
  bool has_mass(int i) const { return link(i).inertial && link(i).inertial->mass > 0.0; }
  /// The link to which a fixed joint connects this one, -1: none.
  int fixed_to(int i) const {
    const int j = tree_.joint[static_cast<std::size_t>(i)];
    if (j < 0 || robot_.joints[static_cast<std::size_t>(j)].kind != UrdfJoint::Kind::fixed)
      return -1;
    return tree_.parent[static_cast<std::size_t>(j)];
  }

  void find_carriers() {
    const std::size_t n = robot_.links.size();
    // for each set of links fixed to each other: the first link, and the first one with mass
    std::vector<int> top(n, -1), below(n, -1);
    carrier_.assign(n, -1);
    for (int i : tree_.order) {
      const auto k = static_cast<std::size_t>(i);
      const int above = fixed_to(i);
      top[k] = above < 0 ? i : top[static_cast<std::size_t>(above)];
      if (held(i) || has_mass(i)) {
        carrier_[k] = i;
        int& first = below[static_cast<std::size_t>(top[k])];
        if (first < 0) first = i;
      } else if (above >= 0) {
        carrier_[k] = carrier(above);
      }
    }
    for (int i : tree_.order) {
      const auto k = static_cast<std::size_t>(i);
      if (carrier_[k] < 0) carrier_[k] = below[static_cast<std::size_t>(top[k])];
      if (carrier_[k] < 0)
        throw SceneError(fmt::format("link '{}'", link(i).name), "moves and has no mass",
                         i == tree_.root ? "use --base fixed, or give <inertial>"
                                         : "give <inertial>, or fix it to a link with mass")
            .at(robot_.file, link(i).line, 0);
    }
  }

  const UrdfRobot& robot_;
  const UrdfTree& tree_;
  const bool root_held_;
  std::vector<int> carrier_;
  std::vector<std::vector<std::size_t>> parts_;
};

/// Converts shapes of links to entries of a scene in `folder`.
class ShapeSpecs {
 public:
  ShapeSpecs(const UrdfRobot& robot, const fs::path& folder, std::vector<std::string>& remarks)
      : robot_(robot), folder_(folder.empty() ? fs::path(".") : folder), remarks_(remarks) {}

  /// `solid`: as made by urdf_solid; `at`: placement on the body; `fixed`: the body does not move.
  ShapeSpec spec(const UrdfLink& owner, const UrdfShape& shape, const Shape& solid, const Pose& at,
                 bool fixed) {
    ShapeSpec made;
    made.position = numbers_of(at.x);
    made.rotation = rotation_spec(at.R);
    switch (shape.kind) {
      case UrdfShape::Kind::box:
        made.box = BoxSpec{numbers_of(shape.size)};
        break;
      case UrdfShape::Kind::cylinder:
        made.cylinder = RoundBarSpec{shape.radius, shape.length};
        break;
      case UrdfShape::Kind::capsule:
        made.capsule = RoundBarSpec{shape.radius, shape.length};
        break;
      case UrdfShape::Kind::sphere:
        made.sphere = SphereSpec{shape.radius};
        break;
      case UrdfShape::Kind::mesh:
        add_mesh(owner, shape, solid, fixed, made);
    }
    return made;
  }

 private:
  // With one scale factor the entry names the mesh file; with several the corners of the hull are
  // written.
  void add_mesh(const UrdfLink& owner, const UrdfShape& shape, const Shape& solid, bool fixed,
                ShapeSpec& spec) {
    const Vector3& s = shape.size;
    const bool uniform = s.x() == s.y() && s.y() == s.z() && s.x() > 0.0;
    const std::string file = name_from_scene(urdf_mesh_file(robot_, owner, shape));
    if (uniform && fixed) {
      spec.mesh = SurfaceSpec{file, {}, s.x()};
      return;
    }
    if (!hulls_remarked_) remarks_.push_back("meshes of links are replaced by their convex hulls");
    hulls_remarked_ = true;
    spec.hull.emplace();
    if (uniform) {
      spec.hull->file = file;
      spec.hull->scale = s.x();
      return;
    }
    for (const Vector3& x : std::get<std::shared_ptr<const ConvexHull>>(solid)->vertices)
      spec.hull->points.push_back(numbers_of(x));
  }
  std::string name_from_scene(const fs::path& file) const {
    std::error_code error;
    const fs::path folder = fs::absolute(folder_, error);
    const fs::path near =
        fs::absolute(file, error).lexically_normal().lexically_proximate(folder.lexically_normal());
    return near.generic_string();
  }

  const UrdfRobot& robot_;
  const fs::path folder_;
  std::vector<std::string>& remarks_;
  bool hulls_remarked_ = false;
};

void add_mass(const UrdfInertial& inertial, RigidSpec& rigid) {
  const Matrix3 J = inertial.at.R * inertial.inertia * inertial.at.R.transpose();
  rigid.mass = inertial.mass;
  rigid.inertia = {J(0, 0), J(1, 1), J(2, 2)};
  const Vector3 off(J(0, 1), J(0, 2), J(1, 2));
  if (!off.isZero(0.0)) rigid.inertia.insert(rigid.inertia.end(), off.begin(), off.end());
  if (!inertial.at.x.isZero(0.0)) rigid.centre = numbers_of(inertial.at.x);
}

/// Name of each joint in the scene, by its name in the file: names of joints and bodies must differ
/// in a scene, but not in a URDF file.
std::map<std::string, std::string> joint_names(const UrdfRobot& robot,
                                               std::vector<std::string>& remarks) {
  std::map<std::string, std::string> names;
  std::set<std::string> taken;
  for (const UrdfLink& one : robot.links) taken.insert(one.name);
  for (const UrdfJoint& joint : robot.joints)
    if (!taken.contains(joint.name)) names[joint.name] = joint.name;
  for (const auto& [own, name] : names) taken.insert(name);
  for (const UrdfJoint& joint : robot.joints) {
    std::string& name = names[joint.name];
    if (!name.empty()) continue;
    name = joint.name + "_joint";
    for (int k = 2; !taken.insert(name).second; ++k)
      name = fmt::format("{}_joint{}", joint.name, k);
    remarks.push_back(
        fmt::format("joint '{}' is renamed to '{}', since a link has its name", joint.name, name));
  }
  return names;
}

template <Dimension D>
std::optional<JointLawsSpec<D>> joint_laws(const UrdfJoint& from, double start, bool motors) {
  JointLawsSpec<D> made;
  made.start = start;
  made.damping = from.damping;
  made.friction = from.friction;
  if (from.limit && from.kind != UrdfJoint::Kind::continuous) {
    JointLimits<D> limits;
    limits.lower = from.limit->lower.value_or(0.0);
    limits.upper = from.limit->upper.value_or(0.0);
    made.limits = limits;
  }
  if (motors && !from.mimic && from.limit && from.limit->effort.value_or(0.0) > 0.0)
    made.motor = JointMotor<D>{0.0, *from.limit->effort};
  if (made == JointLawsSpec<D>{}) return std::nullopt;
  return made;
}

class UrdfSceneBuilder {
 public:
  UrdfSceneBuilder(const UrdfRobot& robot, const UrdfOptions& options)
      : robot_(robot),
        options_(options),
        made_{SceneSpec{}, robot.warnings, robot.remarks},
        tree_(urdf_tree(robot, made_.warnings)),
        bodies_(robot, tree_, root_is_held(robot, tree_, options, made_.remarks), made_.remarks),
        joint_name_(joint_names(robot, made_.remarks)),
        shapes_(robot, options.scene_folder, made_.remarks) {
    lint_limits(robot, made_.warnings);
  }

  UrdfScene build() {
    SceneSpec& spec = made_.spec;
    spec.title = robot_.name.empty() ? "robot" : robot_.name;
    spec.time.end = 1.0;
    spec.time.step = 1e-3;
    spec.gravity = std::array{0.0, 0.0, -9.81};
    for (std::size_t i = 0; i < robot_.links.size(); ++i)
      if (bodies_.carrier(static_cast<int>(i)) == static_cast<int>(i)) add_body(i);
    for (std::size_t j = 0; j < robot_.joints.size(); ++j) add_joint(j);
    add_surfaces();
    check(spec);
    complete(spec);
    return std::move(made_);
  }

 private:
  const UrdfLink& link(int i) const { return robot_.links[static_cast<std::size_t>(i)]; }

  void add_body(std::size_t i) {
    const auto self = static_cast<int>(i);
    BodySpec body;
    body.name = link(self).name;
    if (body.name == kWorld && !bodies_.held(self))
      throw SceneError("link 'world'", "moves, but `world` is the fixed frame of a scene",
                       "give the link another name")
          .at(robot_.file, link(self).line, 0);
    body.kind = BodyKind::rigid;
    body.rigid.emplace();
    RigidSpec& rigid = *body.rigid;
    rigid.fixed = bodies_.held(self);
    Bounds box{Vector3::Constant(kFarAway), Vector3::Constant(-kFarAway)};
    for (const std::size_t k : bodies_.parts(i)) {
      const Pose at = k == i ? Pose{} : tree_.pose[i].inverse() * tree_.pose[k];
      for (const UrdfShape& shape : robot_.links[k].shapes) {
        if (body.name == kWorld) body.name = k == i ? "ground" : robot_.links[k].name;
        const Pose on_body = k == i ? shape.at : at * shape.at;
        const Shape solid = urdf_solid(robot_, robot_.links[k], shape);
        const Bounds one = bounds(solid, on_body);
        box.low = box.low.cwiseMin(one.low);
        box.high = box.high.cwiseMax(one.high);
        rigid.shapes.push_back(shapes_.spec(robot_.links[k], shape, solid, on_body, rigid.fixed));
      }
    }
    if (rigid.shapes.size() == 1) {
      rigid.shape = std::move(rigid.shapes.front());
      rigid.shapes.clear();
    }
    if (rigid.fixed) {
      held_name_ = rigid.shape || !rigid.shapes.empty() ? body.name : std::string(kWorld);
      if (held_name_ == kWorld) return;
    } else {
      expect_physical(robot_, link(self));
      lint_inertia(robot_, link(self), box, made_.warnings);
      add_mass(*link(self).inertial, rigid);
    }
    rigid.position = numbers_of(tree_.pose[i].x);
    rigid.rotation = rotation_spec(tree_.pose[i].R);
    made_.spec.bodies.push_back(std::move(body));
  }

  std::string body_name(int i) const {
    const int carrier = bodies_.carrier(i);
    return bodies_.held(carrier) ? held_name_ : link(carrier).name;
  }

  void add_joint(std::size_t j) {
    const UrdfJoint& from = robot_.joints[j];
    const int parent = tree_.parent[j], child = tree_.child[j];
    if (from.kind == UrdfJoint::Kind::floating) return;
    if (bodies_.carrier(parent) == bodies_.carrier(child)) return;
    const Pose& at = tree_.pose[static_cast<std::size_t>(child)];
    JointSpec joint;
    joint.name = joint_name_.at(from.name);
    joint.between = {body_name(parent), body_name(child)};
    joint.at = numbers_of(at.x);
    if (from.kind != UrdfJoint::Kind::fixed) joint.axis = numbers_of(at.R * from.axis);
    switch (from.kind) {
      case UrdfJoint::Kind::revolute:
      case UrdfJoint::Kind::continuous:
        joint.kind = JointKind::revolute;
        joint.turn = joint_laws<unit::rad>(from, tree_.coordinate[j], options_.motors);
        break;
      case UrdfJoint::Kind::prismatic:
        joint.kind = JointKind::prismatic;
        joint.slide = joint_laws<unit::m>(from, tree_.coordinate[j], options_.motors);
        break;
      case UrdfJoint::Kind::planar:
        joint.kind = JointKind::planar;
        break;
      default:
        joint.kind = JointKind::fixed;
    }
    if (from.has_coordinate()) add_output(joint);
    made_.spec.joints.push_back(std::move(joint));
    if (!from.mimic) return;
    CouplingSpec coupling;
    coupling.name = made_.spec.joints.back().name + ".mimic";
    coupling.gear = GearSpec{joint_name_.at(from.mimic->joint), made_.spec.joints.back().name,
                             from.mimic->multiplier, from.mimic->offset};
    made_.spec.couplings.push_back(std::move(coupling));
  }

  /// An output of the coordinate, named like the joint.
  void add_output(const JointSpec& joint) {
    OutputSpec output;
    output.name = joint.name;
    output.probe = joint.name;
    output.quantity = OutputSpec::Quantity::displacement;
    made_.spec.outputs.push_back(std::move(output));
  }

  void add_surfaces() {
    if (options_.friction) {
      DefaultLaw law;
      law.friction = *options_.friction;
      made_.spec.surfaces.push_back({{}, law, true});
      return;
    }
    const bool shapes = std::ranges::any_of(made_.spec.bodies, [](const BodySpec& body) {
      return body.rigid->shape || !body.rigid->shapes.empty();
    });
    if (!shapes) return;
    made_.spec.surfaces.push_back({{}, std::nullopt, false});
    made_.remarks.push_back(
        "URDF defines no contact law: there is no contact until `surfaces` has a law, as written "
        "by --friction 0.5");
  }

  const UrdfRobot& robot_;
  const UrdfOptions& options_;
  UrdfScene made_;
  const UrdfTree tree_;
  const LinkBodies bodies_;
  const std::map<std::string, std::string> joint_name_;
  ShapeSpecs shapes_;
  std::string held_name_;  ///< name of the body of the fixed root
};

}  // namespace

Shape urdf_solid(const UrdfRobot& robot, const UrdfLink& link, const UrdfShape& shape) {
  switch (shape.kind) {
    case UrdfShape::Kind::box:
      return Box{0.5 * shape.size};
    case UrdfShape::Kind::cylinder:
      return Cylinder{shape.radius, 0.5 * shape.length};
    case UrdfShape::Kind::capsule:
      return Capsule{shape.radius, 0.5 * shape.length};
    case UrdfShape::Kind::sphere:
      return Sphere{shape.radius};
    default:
      break;
  }
  const std::string owner = fmt::format("link '{}'", link.name);
  const fs::path file = urdf_mesh_file(robot, link, shape);
  SurfaceFile surface = read_surface(file.string(), owner);
  for (Vector3& x : surface.vertices) x = x.cwiseProduct(shape.size);
  try {
    return convex_hull(surface.vertices);
  } catch (const UsageError& error) {
    throw SceneError(owner, fmt::format("mesh '{}': {}", shape.mesh, error.what()))
        .at(robot.file, shape.line, 0);
  }
}

UrdfScene urdf_scene(const UrdfRobot& robot, const UrdfOptions& options) {
  return UrdfSceneBuilder(robot, options).build();
}

UrdfScene import_urdf(const fs::path& file, const UrdfOptions& options) {
  return urdf_scene(read_urdf(file), options);
}

std::string urdf_scene_text(const UrdfScene& scene, const std::string& source) {
  std::string text = fmt::format("# Generated by `saltus import` from {}.\n#\n", source);
  for (const auto* lines : {&scene.warnings, &scene.remarks})
    for (const std::string& line : *lines)
      text += fmt::format("# {}{}\n", lines == &scene.warnings ? "warning: " : "", line);
  return text + write_scene_briefly(scene.spec);
}

}  // namespace saltus

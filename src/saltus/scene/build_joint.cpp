#include "saltus/scene/build_joint.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <tuple>

#include "saltus/contact/laws/actuator_law.h"
#include "saltus/kinds/build_kinds.h"
#include "saltus/scene/build_law.h"
#include "saltus/spec/body_names.h"

namespace saltus {
namespace {

/// One joint of the scene during the construction of its laws.
struct JointMaking {
  const Scene& scene;
  const JointSpec& spec;
  std::string path;  ///< "joints[0]"
  int index = 0;     ///< index of the joint in the model
  const PlacedJoint& placed;
  ModelParts& parts;

  /// Of the moving body, for laws that read options of the scheme.
  SchemeChoice scheme() const {
    for (const BodySpec* body : placed.spec)
      if (body && body->integrated()) return body->chosen_scheme();
    return MoreauJeanOptions{};
  }
  AnyLaw stop(double restitution) const {
    DefaultLaw impact;
    impact.restitution = restitution;
    return law_of(impact, scheme(), scene.spec.contact.instant, path);
  }
  void add_law(int coordinate, const char* what, double sign, double offset, const AnyLaw& law,
               const std::string& key, int actuator = -1) {
    JointLaw one;
    one.key = parts.pairs.size() + parts.joint_laws.size();
    one.name = coordinate_text(spec.name, spec.placed_kind(), coordinate) + "." + what;
    one.joint = index;
    one.coordinate = coordinate;
    one.sign = sign;
    one.offset = offset;
    one.law = static_cast<int>(parts.laws.size());
    one.actuator = actuator;
    parts.laws.push_back(law);
    const std::string_view name = coordinate_name(spec.placed_kind(), coordinate);
    parts.law_path.push_back(
        fmt::format("{}.{}.{}", path, name.starts_with("swing") ? "swing" : name, key));
    parts.joint_laws.push_back(std::move(one));
  }
  void add_actuator(int coordinate, const char* what, const AnyLaw& law, const std::string& key,
                    Actuator actuator) {
    parts.actuators.push_back(std::move(actuator));
    add_law(coordinate, what, 1.0, 0.0, law, key, static_cast<int>(parts.actuators.size()) - 1);
  }
};

template <Dimension D>
Signal set_point(const JointMaking& m, const std::variant<double, CourseSpec<D>>& spec,
                 const std::string& key) {
  if (const auto* course = std::get_if<CourseSpec<D>>(&spec))
    return course_signal(m.scene, *course, key);
  return Signal::constant(std::get<double>(spec));
}

/// A servo as an actuator. A held one gives a force.
template <Dimension D>
void add_servo(JointMaking& m, int i, const JointServo<D>& servo, const std::string& path) {
  constexpr double kNoBound = std::numeric_limits<double>::infinity();
  Actuator actuator{.kind = Actuator::Kind::servo,
                    .target = set_point(m, servo.target, path + ".servo.target"),
                    .held = servo.hold == ServoHold::step,
                    .stiffness = servo.stiffness,
                    .damping = servo.damping,
                    .bound = servo.bound.value_or(kNoBound)};
  const ActuatorForce force =
      actuator.held ? ActuatorForce{}
                    : ActuatorForce{actuator.stiffness, actuator.damping, actuator.bound};
  m.add_actuator(i, "servo", AnyLaw(law_of(force)), "servo", std::move(actuator));
}

/// A spring and a damper. A rest value that changes in time makes the spring a servo.
template <Dimension D>
void add_spring(JointMaking& m, int i, const JointLawsSpec<D>& laws, const std::string& path) {
  ContactSpring spring;
  spring.at = ContactSpring::At::middle;
  spring.pulls = true;
  const JointKind kind = m.spec.placed_kind();
  spring.steady = joint_coordinate(kind, i, m.placed.a, m.placed.b).spin ||
                  (kind != JointKind::line && (!m.placed.spec[0] || !m.placed.spec[1]));
  spring.damping = laws.damping;
  double rest = m.spec.kind == JointKind::line
                    ? joint_coordinate(JointKind::line, 0, m.placed.a, m.placed.b).gap
                    : 0.0;
  bool fixed = laws.spring.has_value();
  if (laws.spring && laws.spring->rest) {
    const Signal given = set_point(m, *laws.spring->rest, path + ".spring.rest");
    fixed = given.is_constant();
    rest = fixed ? given.value(0.0) : rest;
    if (!fixed)
      m.add_actuator(i, "spring",
                     AnyLaw(law_of(ActuatorForce{.stiffness = laws.spring->stiffness})), "spring",
                     {.kind = Actuator::Kind::servo, .target = given});
  }
  if (fixed) spring.stiffness = laws.spring->stiffness;
  if (fixed || laws.damping > 0.0)
    m.add_law(i, fixed ? "spring" : "damper", 1.0, rest, AnyLaw(law_of(spring)),
              fixed ? "spring" : "damping");
}

/// Limits, springs, friction and actuators become rows of the contact problem, driven coordinates
/// rows of the joints.
template <Dimension D>
void add_laws(JointMaking& m, const std::optional<JointLawsSpec<D>>& laws, std::string_view name) {
  if (!laws) return;
  const int i = coordinate_index(m.spec.placed_kind(), name);
  if (laws->limits) {
    const JointLimits<D>& limits = *laws->limits;
    const AnyLaw stop = m.stop(limits.restitution);
    if (limits.lower) m.add_law(i, "lower", 1.0, *limits.lower, stop, "limits");
    if (limits.upper) m.add_law(i, "upper", -1.0, *limits.upper, stop, "limits");
  }
  const std::string path = fmt::format("{}.{}", m.path, name);
  if (laws->spring || laws->damping > 0.0) add_spring(m, i, *laws, path);
  const auto relay = [](double bound) {
    JointFriction law;
    law.bound = bound;
    return AnyLaw(law);
  };
  if (laws->friction > 0.0) m.add_law(i, "friction", 1.0, 0.0, relay(laws->friction), "friction");
  if (laws->motor) {
    Actuator motor{.kind = Actuator::Kind::motor,
                   .velocity = set_point(m, laws->motor->velocity, path + ".motor.velocity")};
    m.add_actuator(i, "motor", relay(laws->motor->bound), "motor", std::move(motor));
  }
  if (laws->servo) add_servo(m, i, *laws->servo, path);
  if (laws->effort) {
    const std::string key = laws->kEffort;
    Actuator given{.kind = Actuator::Kind::effort,
                   .effort = set_point(m, *laws->effort, path + "." + key)};
    m.add_actuator(i, laws->kEffort, AnyLaw(law_of(ActuatorForce{})), key, std::move(given));
  }
  if (laws->drive) {
    JointCoupling coupling{.name = coordinate_text(m.spec.name, m.spec.placed_kind(), i) + ".drive",
                           .terms = {{m.index, i, 1.0}}};
    follow(m.scene, *laws->drive, path + ".drive", coupling);
    m.parts.couplings.push_back(std::move(coupling));
  }
}

/// The stop acts on the angle between the axes, springs and dampers on its two components, which
/// are smooth where the axes coincide.
void add_swing(JointMaking& m, const JointSwing& swing) {
  if (swing.cone) m.add_law(kSwing, "cone", -1.0, *swing.cone, m.stop(swing.restitution), "cone");
  if (!swing.spring && swing.damping == 0.0) return;
  ContactSpring spring;
  spring.at = ContactSpring::At::middle;
  spring.pulls = true;
  spring.damping = swing.damping;
  if (swing.spring) spring.stiffness = swing.spring->stiffness;
  for (const int i : {kSwingX, kSwingY})
    m.add_law(i, swing.spring ? "spring" : "damper", 1.0, 0.0, AnyLaw(law_of(spring)),
              swing.spring ? "spring" : "damping");
}

/// Detects two joints between the same bodies that drive the same relative motion.
class MotorCheck {
 public:
  void add(const JointMaking& m, std::string_view name, bool motor, bool drive) {
    if (!motor && !drive) return;
    const PlacedJoint& placed = m.placed;
    const JointKind kind = m.spec.placed_kind();
    const int i = coordinate_index(kind, name);
    const JointRow row = joint_coordinate(kind, i, placed.a, placed.b);
    auto ends = std::array{end_of(placed.joint.a), end_of(placed.joint.b)};
    if (ends[1] < ends[0]) std::swap(ends[0], ends[1]);
    auto& known = known_[{ends[0], ends[1], row.spin}];
    for (const Driven& other : known)
      if (other.joint != m.index && along(other.direction, row.direction))
        throw SceneError(fmt::format("{}.{}.{}", m.path, name, motor ? "motor" : "drive"),
                         fmt::format("'{}' and '{}' drive the same motion of '{}' relative to '{}'",
                                     other.name, m.spec.name, placed.body[1], placed.body[0]),
                         "one motor or drive per coordinate");
    known.push_back({m.index, m.spec.name, row.direction});
  }

 private:
  using End = std::tuple<int, int, int>;
  struct Driven {
    int joint;
    std::string name;
    Vector3 direction;
  };
  static End end_of(const JointSide& side) {
    return {side.group, side.group < 0 ? 0 : side.ref.body, side.group < 0 ? 0 : side.ref.feature};
  }
  static bool along(const Vector3& a, const Vector3& b) {
    return a.cross(b).norm() <= 1e-9 * a.norm() * b.norm();
  }
  std::map<std::tuple<End, End, bool>, std::vector<Driven>> known_;
};

/// In a planar scene a joint can only rotate about the normal of the plane and slide within the
/// plane.
std::optional<std::string> plane_advice(const SceneSpec& scene, const JointSpec& joint,
                                        const PlacedJoint& placed) {
  const bool line = joint.kind == JointKind::line;  // it rotates with its ends
  if (!scene.planar || line || joint.kind == JointKind::universal ||
      joint.placed_kind() == JointKind::socket)
    return std::nullopt;
  constexpr double kTilted = 1e-6;
  const Vector3 across_it = Vector3::Unit(across(*scene.planar));
  for (int i = 0; i < coordinate_count(joint.kind); ++i) {
    const Vector3 along = joint_coordinate(joint.kind, i, placed.a, placed.b).direction;
    const bool turns = is_angle(joint.kind, i);
    const double off = turns ? along.cross(across_it).norm() : std::abs(along.dot(across_it));
    if (off > kTilted * along.norm())
      return fmt::format("'{}' cannot {}: its axis is not {} the plane {} of the scene", joint.name,
                         turns ? "turn" : "slide", turns ? "normal to" : "in",
                         name_of(*scene.planar));
  }
  return std::nullopt;
}

JointCoupling::Term term_of(const SceneSpec& scene, const std::string& name, double weight,
                            const std::string& path) {
  if (const auto fault = one_coordinate_fault(scene, name, path))
    throw SceneError(fault->key, fault->message, fault->hint);
  const NamedCoordinate found = *find_coordinate(scene, name);
  if (scene.joints[found.joint].placed_kind() == JointKind::socket && found.coordinate == kSwing)
    throw SceneError(path, fmt::format("'{}' has a kink where the axes coincide", name),
                     "name its components swing_x and swing_y");
  return {static_cast<int>(found.joint), found.coordinate, weight};
}

JointCoupling coupling_of(const Scene& scene, const CouplingSpec& spec, const std::string& path,
                          std::span<const PlacedJoint> placed) {
  JointCoupling coupling;
  coupling.name = spec.name;
  const auto constant = [](double value) {
    return [value](double) { return std::array{value, 0.0}; };
  };
  for (std::size_t i = 0; i < spec.sum.size(); ++i)
    coupling.terms.push_back(term_of(scene.spec, spec.sum[i].of, spec.sum[i].weight,
                                     fmt::format("{}.sum[{}].of", path, i)));
  if (spec.value) follow(scene, *spec.value, path + ".value", coupling);
  if (spec.gear) {
    coupling.terms = {
        term_of(scene.spec, spec.gear->second, 1.0, path + ".gear.second"),
        term_of(scene.spec, spec.gear->first, -spec.gear->ratio, path + ".gear.first")};
    if (spec.gear->offset != 0.0) {
      std::vector<double> weights;
      for (const JointCoupling::Term& term : coupling.terms)
        if (counts_turns(placed[static_cast<std::size_t>(term.joint)].joint.kind, term.coordinate))
          weights.push_back(term.weight);
      if (!weights.empty() && common_measure(weights) == 0.0)
        throw SceneError(
            path + ".gear.offset",
            fmt::format(
                "with a ratio of {:g} '{}' cannot distinguish full turns and constrains rates only",
                spec.gear->ratio, spec.name),
            "leave it out, or give a ratio of integers up to 128, with all its digits");
      coupling.value = constant(spec.gear->offset);
    }
  }
  if (spec.screw) {
    const auto found = find_joint(scene.spec, spec.screw->joint);
    if (!found || scene.spec.joints[*found].kind != JointKind::cylindrical)
      throw SceneError(path + ".screw.joint",
                       fmt::format("'{}' is not a cylindrical joint", spec.screw->joint),
                       "a screw turns about its axis and slides along it");
    const auto j = static_cast<int>(*found);
    const double lead = spec.screw->pitch / (2.0 * std::numbers::pi);
    coupling.terms = {{j, 1, 1.0}, {j, 0, -lead}};
    const auto value = [&](int i) {
      return joint_coordinate(JointKind::cylindrical, i, placed[*found].a, placed[*found].b).gap;
    };
    if (const double start = value(1) - lead * value(0); start != 0.0)
      coupling.value = constant(start);
  }
  for (std::size_t i = 0; i < coupling.terms.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      if (coupling.terms[i].joint == coupling.terms[k].joint &&
          coupling.terms[i].coordinate == coupling.terms[k].coordinate)
        throw SceneError(path, fmt::format("'{}' names one coordinate twice", spec.name),
                         "one term each");
  return coupling;
}

}  // namespace

void add_joints(const Scene& scene, std::span<const BuiltBody> bodies, ModelParts& parts) {
  const SceneSpec& spec = scene.spec;
  StartFrames frames(parts);
  std::vector<PlacedJoint> placed;
  MotorCheck motors;
  for (std::size_t i = 0; i < spec.joints.size(); ++i) {
    const JointSpec& joint = spec.joints[i];
    const std::string path = fmt::format("joints[{}]", i);
    placed.push_back(place_joint(scene, bodies, frames, joint, path));
    JointMaking making{scene,         joint, path, static_cast<int>(parts.joints.size()),
                       placed.back(), parts};
    parts.joints.push_back(placed.back().joint);
    parts.joint_path.push_back(path);
    if (const auto advice = plane_advice(spec, joint, placed.back()))
      parts.warnings.push_back(path + ": " + *advice);
    const auto each = [&](const auto& laws, std::string_view name) {
      if (laws) motors.add(making, name, laws->motor.has_value(), laws->drive.has_value());
      add_laws(making, laws, name);
    };
    each(joint.turn, "turn");
    each(joint.turn2, "turn2");
    each(joint.slide, "slide");
    each(joint.slide2, "slide2");
    each(joint.twist, "twist");
    if (joint.swing) add_swing(making, *joint.swing);
  }
  for (std::size_t i = 0; i < spec.couplings.size(); ++i)
    parts.couplings.push_back(
        coupling_of(scene, spec.couplings[i], fmt::format("couplings[{}]", i), placed));
}

}  // namespace saltus

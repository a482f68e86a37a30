// Joints in a scene file. All values SI; SceneSpec (spec.h) contains them.
//
// A joint has a place and axes on each of two bodies. `at`, `axis` and `axis2` define them for both
// bodies at once, in space, for the configuration at t = 0; `first` and `second` define them for
// one body. Depending on its kind a joint has the coordinates `turn` and `turn2` [rad], `slide` and
// `slide2` [m]; angles count turns:
//     revolute: turn.  prismatic: slide.  cylindrical: turn, slide.
//         planar: slide along axis2, slide2 across it, turn.
//     universal: turn about axis, turn2 about axis2.  line: slide, its length.
//          ball: with axes twist, swing_x, swing_y and swing (contact/joint.h), otherwise none.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "saltus/base/options.h"
#include "saltus/contact/joint.h"
#include "saltus/spec/choices.h"
#include "saltus/spec/contact_spec.h"
#include "saltus/spec/signal_spec.h"

namespace saltus {

constexpr auto names_of(JointKind) {
  using enum JointKind;
  return std::array{NamedValue{fixed, "fixed"},
                    NamedValue{ball, "ball"},
                    NamedValue{revolute, "revolute"},
                    NamedValue{prismatic, "prismatic"},
                    NamedValue{cylindrical, "cylindrical"},
                    NamedValue{planar, "planar"},
                    NamedValue{universal, "universal"},
                    NamedValue{distance, "distance"},
                    NamedValue{along, "along"},
                    NamedValue{line, "line"}};
}

/// Name of the fixed world in `between`.
inline constexpr std::string_view kWorld = "world";

/// What drives a coordinate of dimension D: a torque (for an angle) or a force.
template <Dimension D>
inline constexpr Dimension kDrive = D == unit::rad ? unit::N_m : unit::N;

/// Limits of a coordinate.
template <Dimension D>
struct JointLimits {
  std::optional<double> lower, upper;
  double restitution = 0.0;

  bool operator==(const JointLimits&) const = default;
  std::optional<Fault> fault() const;
  static constexpr auto rules() { return std::array{at_least_one("lower", "upper")}; }
  static constexpr auto fields() {
    using T = JointLimits;
    return field_rows(
        field("lower", &T::lower, D, kAnyNumber,
              "smallest value of the coordinate; an angle may be any number of turns"),
        field("upper", &T::upper, D, kAnyNumber,
              "largest value of the coordinate; an angle may be any number of turns"),
        field("restitution", &T::restitution, between(0.0, 1.0),
              "Newton's coefficient of restitution of the stop"));
  }
};

/// force = -stiffness (coordinate - rest)
template <Dimension D>
struct JointSpring {
  double stiffness = 0.0;
  std::optional<std::variant<double, CourseSpec<D>>> rest;

  bool operator==(const JointSpring&) const = default;
  static constexpr auto fields() {
    using T = JointSpring;
    return field_rows(required("stiffness", &T::stiffness, kDrive<D> / D, kPositive,
                               "force or torque per unit of the coordinate"),
                      field("rest", &T::rest, D, kAnyNumber,
                            "value of the coordinate at which the spring is relaxed, a number or a "
                            "function of time; 0, or the length of a line as placed, when not "
                            "given"));
  }
};

/// Drives the coordinate at a given speed as long as the load stays below a bound.
template <Dimension D>
struct JointMotor {
  std::variant<double, CourseSpec<D / unit::s>> velocity = 0.0;
  double bound = 0.0;

  bool operator==(const JointMotor&) const = default;
  static constexpr auto fields() {
    using T = JointMotor;
    return field_rows(required("velocity", &T::velocity, D / unit::s, kAnyNumber,
                               "target speed, kept as long as the bound suffices: a number, or a "
                               "function of time"),
                      required(D == unit::rad ? "torque" : "force", &T::bound, kDrive<D>, kPositive,
                               "largest torque or force, in either direction"));
  }
};

/// When a servo evaluates its force: with the motion, or once at the start of each interval.
enum class ServoHold { none, step };
constexpr auto names_of(ServoHold) {
  using enum ServoHold;
  return std::array{NamedValue{none, "none"}, NamedValue{step, "step"}};
}

/// force = stiffness (target - coordinate) + damping (rate of the target - rate), within a bound.
template <Dimension D>
struct JointServo {
  std::variant<double, CourseSpec<D>> target = 0.0;
  double stiffness = 0.0, damping = 0.0;
  std::optional<double> bound;
  ServoHold hold = ServoHold::none;

  bool operator==(const JointServo&) const = default;
  static constexpr auto fields() {
    using T = JointServo;
    return field_rows(
        required("target", &T::target, D, kAnyNumber,
                 "value of the coordinate to reach: a number, or a function of time, whose rate "
                 "`damping` follows"),
        required("stiffness", &T::stiffness, kDrive<D> / D, kNotNegative,
                 "force or torque per unit of the deviation from the target"),
        field("damping", &T::damping, kDrive<D> * unit::s / D, kNotNegative,
              "force or torque per unit of the deviation from the rate of the target"),
        field(D == unit::rad ? "torque" : "force", &T::bound, kDrive<D>, kPositive,
              "largest torque or force, in either direction; unlimited when not given"),
        field("hold", &T::hold,
              "none: the force follows the motion within a step; step: it is computed at the start "
              "of each step and kept, as by a digital controller"));
  }
};

/// What acts along one coordinate of a joint.
template <Dimension D>
struct JointLawsSpec {
  static constexpr const char* kEffort = D == unit::rad ? "torque" : "force";

  double start = 0.0;
  std::optional<JointLimits<D>> limits;
  std::optional<JointSpring<D>> spring;
  double damping = 0.0, friction = 0.0;
  std::optional<JointMotor<D>> motor;
  std::optional<JointServo<D>> servo;
  std::optional<std::variant<double, CourseSpec<kDrive<D>>>> effort;
  std::optional<CourseSpec<D>> drive;

  bool operator==(const JointLawsSpec&) const = default;
  std::optional<Fault> fault() const;
  static constexpr auto fields() {
    using T = JointLawsSpec;
    return field_rows(
        field("start", &T::start, D, kAnyNumber,
              "value of the coordinate in the initial configuration, for joints placed by `at` and "
              "`axis`; an angle may be any number of turns"),
        field("limits", &T::limits, "stops at the limits of the coordinate"),
        field("spring", &T::spring, "a linear spring; for an angle, over any number of turns"),
        field("damping", &T::damping, kDrive<D> * unit::s / D, kNotNegative,
              "force or torque -damping times the rate"),
        field("friction", &T::friction, kDrive<D>, kNotNegative,
              "dry friction: largest force or torque opposing the motion"),
        field("motor", &T::motor,
              "a motor that keeps a velocity as long as its torque or force suffices"),
        field("servo", &T::servo,
              "a motor that moves the coordinate to a target, by a spring and a damper of bounded "
              "torque or force"),
        field(kEffort, &T::effort, kDrive<D>, kAnyNumber,
              "given torque or force on the second body along the coordinate, and its reaction on "
              "the first: a number, or a function of time"),
        field("drive", &T::drive,
              "prescribes the coordinate as a function of time, with whatever force is required"));
  }
};

/// torque = -stiffness (swing_x, swing_y)
struct SwingSpring {
  double stiffness = 0.0;

  bool operator==(const SwingSpring&) const = default;
  static constexpr auto fields() {
    using T = SwingSpring;
    return field_rows(required("stiffness", &T::stiffness, unit::N_m / unit::rad, kPositive,
                               "torque per unit of the angle between the axes"));
  }
};

/// What acts on the angle between the axes of a ball joint.
struct JointSwing {
  std::optional<double> cone;
  double restitution = 0.0;
  std::optional<SwingSpring> spring;
  double damping = 0.0;

  bool operator==(const JointSwing&) const = default;
  std::optional<Fault> fault() const;
  static constexpr auto fields() {
    using T = JointSwing;
    return field_rows(
        field("cone", &T::cone, unit::rad, kPositive,
              "a stop at this angle between the axes, less than half a turn: the axis of the "
              "second body stays within a cone about that of the first"),
        field("restitution", &T::restitution, between(0.0, 1.0),
              "Newton's coefficient of restitution of the stop"),
        field("spring", &T::spring, "a linear spring that aligns the axes"),
        field("damping", &T::damping, unit::N_m * unit::s / unit::rad, kNotNegative,
              "torque -damping times the rates of swing_x and swing_y"));
  }
};

/// The place and the axes on one of the two bodies.
struct JointSideSpec {
  std::optional<PlaceSpec> at;
  std::optional<std::array<double, 3>> axis, axis2;

  bool operator==(const JointSideSpec&) const = default;
  std::optional<Fault> fault() const;
  static constexpr auto rules() { return std::array{at_least_one("at", "axis", "axis2")}; }
  static constexpr auto fields() {
    using T = JointSideSpec;
    return field_rows(
        field("at", &T::at, unit::m, kAnyNumber,
              "place [x, y, z] in the frame of the body (rigid; in space for the world), degree of "
              "freedom (linear) or particle from 0, name of a point (lagrangian), place along the "
              "body (modal; beam, or start, end), node, set of one node or place (fem)"),
        field("axis", &T::axis, "axis, in the frame of a rigid body, else in space"),
        field("axis2", &T::axis2, "second axis, in the frame of a rigid body, else in space"));
  }
};

/// One joint between two bodies, or a body and the world.
struct JointSpec {
  std::string name;
  JointKind kind = JointKind::ball;
  std::vector<std::string> between;
  std::optional<std::array<double, 3>> at, to, axis, axis2;
  std::optional<JointSideSpec> first, second;
  std::optional<double> length, strength;
  bool touch = false;
  std::optional<JointLawsSpec<unit::rad>> turn, turn2;
  std::optional<JointLawsSpec<unit::m>> slide, slide2;
  std::optional<JointSwing> swing;
  std::optional<JointLawsSpec<unit::rad>> twist;

  /// `kind`, or socket for a ball joint with axes.
  JointKind placed_kind() const;

  bool operator==(const JointSpec&) const = default;
  std::optional<Fault> fault() const;
  static constexpr auto rules() {
    return std::array{only("kind", {"distance", "line"}, "to"),
                      only("kind", {"distance"}, "length", "strength"),
                      only("kind", {"universal"}, "turn2"),
                      only("kind", {"planar"}, "slide2"),
                      only("kind", {"universal", "planar", "ball"}, "axis2"),
                      only("kind", {"ball"}, "swing", "twist")};
  }
  static constexpr auto fields() {
    using T = JointSpec;
    return field_rows(
        field("name", &T::name, "name in results; made of the bodies when not given"),
        required("kind", &T::kind,
                 "fixed: no relative motion; ball: a common point, and with axis also a swing of "
                 "the axes and a twist about them; revolute: rotation about axis; "
                 "prismatic: sliding along axis; cylindrical: both; planar: sliding perpendicular "
                 "to axis and rotation about it; universal: rotation about axis of the first body "
                 "and axis2 of the second; distance: a rigid link; along: no motion along axis; "
                 "line: no constraint, springs and dampers act along it"),
        required("between", &T::between,
                 "names of the two bodies, [first, second]; `world` is the fixed frame"),
        field("at", &T::at, unit::m, kAnyNumber,
              "position of the joint in space at t = 0 (distance, line: of its end on the first "
              "body); when only `first` or `second` gives a position, that on the other body"),
        field("to", &T::to, unit::m, kAnyNumber,
              "distance, line: position in space at t = 0 of the end on the second body"),
        field("axis", &T::axis,
              "axis in space at t = 0: revolute, prismatic, cylindrical, planar (normal of the "
              "plane), universal (on the first body), along, ball (for swing and twist)"),
        field("axis2", &T::axis2,
              "second axis in space at t = 0: universal: on the second body, perpendicular to "
              "axis; planar: direction of `slide`; ball: direction about which swing_x turns"),
        field("first", &T::first, "position and axes on the first body, instead of those in space"),
        field("second", &T::second,
              "position and axes on the second body, instead of those in space"),
        field("length", &T::length, unit::m, kPositive,
              "length of a distance joint; as placed when not given"),
        field("strength", &T::strength, unit::N, kPositive,
              "distance: mean tension over a step at which the link breaks; unlimited when not "
              "given"),
        field("touch", &T::touch,
              "true: contacts between the shapes of the two bodies are detected"),
        field("turn", &T::turn, "the angle about axis: revolute, cylindrical, planar, universal"),
        field("turn2", &T::turn2, "the angle about axis2: universal"),
        field("slide", &T::slide,
              "displacement along axis (prismatic, cylindrical) or axis2 (planar); the length of a "
              "line"),
        field("slide2", &T::slide2, "displacement perpendicular to axis and axis2: planar"),
        field("swing", &T::swing,
              "the angle between axis on the first and on the second body, from 0 to half a turn: "
              "ball"),
        field("twist", &T::twist,
              "the rotation of the second body about axis, besides the swing: ball"));
  }
};

/// The kinds of a scene are those of names_of(JointKind); socket is written as ball.
/// Index of a coordinate by its name; -1: joints of this kind have no such coordinate.
int coordinate_index(JointKind kind, std::string_view name);
/// "turn", "slide", ... of coordinate i.
std::string_view coordinate_name(JointKind kind, int i);
/// Coordinate i of a joint: "elbow", or "bearing.slide" where the kind has several.
std::string coordinate_text(const std::string& joint, JointKind kind, int i);

/// One term of a coupling.
struct CouplingTermSpec {
  std::string of;
  double weight = 1.0;

  bool operator==(const CouplingTermSpec&) const = default;
  static constexpr auto fields() {
    using T = CouplingTermSpec;
    return field_rows(
        required("of", &T::of,
                 "name of a joint, or joint.turn, joint.slide, ... where it has several "
                 "coordinates"),
        required("weight", &T::weight, "weight of the coordinate in rad or m"));
  }
};

/// second = ratio first + offset, both in rad or m.
struct GearSpec {
  std::string first, second;
  double ratio = 1.0, offset = 0.0;

  bool operator==(const GearSpec&) const = default;
  static constexpr auto fields() {
    using T = GearSpec;
    return field_rows(
        required("first", &T::first, "the driving joint: its name, or joint.turn, ..."),
        required("second", &T::second, "the driven joint: second = ratio first + offset"),
        required("ratio", &T::ratio,
                 "turns of the second per turn of the first; < 0: in the opposite direction"),
        field("offset", &T::offset,
              "value of the second coordinate, in rad or m, when the first is 0"));
  }
};

/// slide = pitch turn/(2 pi) of one cylindrical joint.
struct ScrewSpec {
  std::string joint;
  double pitch = 0.0;

  bool operator==(const ScrewSpec&) const = default;
  static constexpr auto fields() {
    using T = ScrewSpec;
    return field_rows(required("joint", &T::joint, "name of a cylindrical joint"),
                      required("pitch", &T::pitch, unit::m, kAnyNumber,
                               "displacement per turn; < 0: a left-hand screw"));
  }
};

/// A relation between coordinates of joints.
struct CouplingSpec {
  std::string name;
  std::vector<CouplingTermSpec> sum;
  std::optional<CourseSpec<unit::one>> value;
  std::optional<GearSpec> gear;
  std::optional<ScrewSpec> screw;

  bool operator==(const CouplingSpec&) const = default;
  std::optional<Fault> fault() const;
  static constexpr auto rules() {
    return std::array{exactly_one("sum", "gear", "screw"), needs("value", "sum")};
  }
  static constexpr auto fields() {
    using T = CouplingSpec;
    return field_rows(
        field("name", &T::name, "name in results; made of the joints when not given"),
        field("sum", &T::sum, "a weighted sum of coordinates is kept constant or prescribed"),
        field("value", &T::value,
              "prescribed value of the sum as a function of time; 0 when not given"),
        field("gear", &T::gear, "one coordinate is proportional to another"),
        field("screw", &T::screw, "a cylindrical joint slides as it rotates"));
  }
};

/// Enforcement of joint constraints, for the whole scene.
struct JointOptions {
  JointLevel level = JointLevel::position;
  Bilateral bilateral = Bilateral::mid_zero;
  bool in_stages = false;

  bool operator==(const JointOptions&) const = default;
  static constexpr auto fields() {
    using T = JointOptions;
    return field_rows(
        field("level", &T::level,
              "position: constraints hold at the end of each step; velocity: their rates are zero, "
              "so that violations grow with the square of the step; both: constraints, then rates"),
        field("bilateral", &T::bilateral,
              "at level velocity: mid_zero: rates at start and end of a step are opposite, which "
              "does no work; end_zero: the rate at the end is 0"),
        field("in_stages", &T::in_stages,
              "joint forces act inside the stages of explicit schemes, so that runge-kutta keeps "
              "its order; impulses remove the remaining violation at the end of a step"));
  }
};

}  // namespace saltus

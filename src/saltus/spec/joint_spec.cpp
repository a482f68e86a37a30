#include "saltus/spec/joint_spec.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "saltus/base/units.h"

namespace saltus {
namespace {

using Direction = std::array<double, 3>;

std::optional<Fault> axis_fault(const std::optional<Direction>& axis, const char* key) {
  if (!axis) return std::nullopt;
  const double length = std::hypot((*axis)[0], (*axis)[1], (*axis)[2]);
  if (length > 0.0 && std::isfinite(length)) return std::nullopt;
  return Fault{key, "has no direction", "for example [0, 0, 1]"};
}

/// Names of the coordinates of a kind in their order.
std::array<std::string_view, 4> coordinate_names(JointKind kind) {
  switch (kind) {
    case JointKind::revolute:
      return {"turn"};
    case JointKind::prismatic:
    case JointKind::line:
      return {"slide"};
    case JointKind::cylindrical:
      return {"turn", "slide"};
    case JointKind::planar:
      return {"slide", "slide2", "turn"};
    case JointKind::universal:
      return {"turn", "turn2"};
    case JointKind::socket:
      return {"twist", "swing_x", "swing_y", "swing"};
    default:
      return {};
  }
}

std::string coordinate_list(JointKind kind) {
  std::string list;
  for (int i = 0; i < coordinate_count(kind); ++i)
    list += (i > 0 ? ", " : "") + std::string(coordinate_name(kind, i));
  return list.empty() ? "it has no coordinates" : "its coordinates: " + list;
}

bool has_axis(JointKind kind) {
  return kind == JointKind::along ||
         (needs_axes(kind) && kind != JointKind::fixed && kind != JointKind::universal);
}

std::optional<Fault> axes_fault(const JointSpec& joint) {
  const std::string kind(name_of(joint.kind));
  const JointKind placed = joint.placed_kind();
  if (placed == JointKind::ball && (joint.swing || joint.twist))
    return Fault{"axis",
                 std::string("is missing: ") + (joint.swing ? "swing" : "twist") +
                     " of a ball joint is measured from it",
                 "a direction in space at t = 0, for example [0, 0, 1], or one for each body in "
                 "`first` and `second`"};
  if (placed == JointKind::ball && joint.axis2)
    return Fault{"axis2", "has no meaning for a ball joint without axis", "leave it out"};
  const auto missing = [&](const char* key, const char* which) {
    return Fault{key, "is missing: a joint of kind " + kind + " needs one" + which,
                 "a direction in space, for example [0, 0, 1]"};
  };
  using Axis = std::optional<Direction>;
  const auto one = [](const std::optional<JointSideSpec>& side, Axis JointSideSpec::*axis,
                      const Axis& both) { return both || (side && (*side).*axis); };
  if (joint.kind == JointKind::universal) {
    if (!one(joint.first, &JointSideSpec::axis, joint.axis))
      return missing("axis", " on the first body");
    if (!one(joint.second, &JointSideSpec::axis2, joint.axis2))
      return missing("axis2", " on the second body");
    if (joint.axis && joint.axis2) {
      const auto &a = *joint.axis, &b = *joint.axis2;
      const double dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
      if (std::abs(dot) > 1e-6 * std::hypot(a[0], a[1], a[2]) * std::hypot(b[0], b[1], b[2]))
        return Fault{"axis2", "is not perpendicular to axis", "the two axes of a universal joint"};
    }
    return std::nullopt;
  }
  if (has_axis(placed) && !one(joint.first, &JointSideSpec::axis, joint.axis))
    return missing("axis", "");
  if (has_axis(placed) && joint.kind != JointKind::along &&
      !one(joint.second, &JointSideSpec::axis, joint.axis))
    return Fault{"second.axis", "is missing: `first` has its own",
                 "give `axis` for both bodies, or one for each in `first` and `second`"};
  if (!has_axis(placed) && joint.axis)
    return Fault{"axis", "has no meaning for a joint of kind " + kind, "leave it out"};
  return std::nullopt;
}

/// Axes of one side that this kind of joint does not use.
std::optional<Fault> side_fault(const JointSpec& joint, bool second) {
  const std::optional<JointSideSpec>& side = second ? joint.second : joint.first;
  if (!side) return std::nullopt;
  const bool cross = joint.kind == JointKind::universal;
  const JointKind placed = joint.placed_kind();
  const bool axis = cross || joint.kind == JointKind::along ? !second : has_axis(placed);
  const bool axis2 =
      cross ? second : placed == JointKind::socket || (joint.kind == JointKind::planar && !second);
  const std::string key = second ? "second." : "first.";
  const auto refuse = [&](const char* which) {
    return Fault{key + which, "is not used by a joint of kind " + std::string(name_of(joint.kind)),
                 cross ? "it has axis on the first body and axis2 on the second" : "leave it out"};
  };
  if (side->axis && !axis) return refuse("axis");
  if (side->axis2 && !axis2) return refuse("axis2");
  return std::nullopt;
}

std::optional<Fault> place_fault(const JointSpec& joint) {
  const bool first = joint.first && joint.first->at, second = joint.second && joint.second->at;
  const bool link = joint.kind == JointKind::distance || joint.kind == JointKind::line;
  if (!link && !joint.at && !first && !second)
    return Fault{"at", "is missing: the place of the joint",
                 "[x, y, z] in space at t = 0, or `at` in `first` or `second`"};
  if (link && !first && !joint.at)
    return Fault{"at", "is missing: the end on the first body",
                 "[x, y, z] in space at t = 0, or `first: {at: ...}`"};
  if (link && !second && !joint.to)
    return Fault{"to", "is missing: the end on the second body",
                 "[x, y, z] in space at t = 0, or `second: {at: ...}`"};
  if (joint.at && first && (second || link))
    return Fault{"at", "is not used: `first` gives its own place", "leave it out"};
  if (joint.to && second)
    return Fault{"to", "is not used: `second` gives its own place", "leave it out"};
  return std::nullopt;
}

}  // namespace

int coordinate_index(JointKind kind, std::string_view name) {
  const auto names = coordinate_names(kind);
  for (int i = 0; i < coordinate_count(kind); ++i)
    if (names[static_cast<std::size_t>(i)] == name) return i;
  return -1;
}
std::string_view coordinate_name(JointKind kind, int i) {
  return coordinate_names(kind)[static_cast<std::size_t>(i)];
}
std::string coordinate_text(const std::string& joint, JointKind kind, int i) {
  return coordinate_count(kind) == 1 ? joint : joint + "." + std::string(coordinate_name(kind, i));
}

template <Dimension D>
std::optional<Fault> JointLimits<D>::fault() const {
  if (!lower || !upper || *lower <= *upper) return std::nullopt;
  return Fault{
      "lower",
      to_text(*lower, D) + " is above upper " + to_text(*upper, D) + ": the range is empty",
      "lower <= upper"};
}

template <Dimension D>
std::optional<Fault> JointLawsSpec<D>::fault() const {
  if (motor && drive)
    return Fault{"motor", "cannot be given together with `drive`: both move the coordinate",
                 "give one of them"};
  if (servo && drive)
    return Fault{"servo", "cannot be given together with `drive`: both move the coordinate",
                 "give one of them"};
  if (servo && motor)
    return Fault{"servo", "cannot be given together with `motor`: both move the coordinate",
                 "give one of them; `damping` of a servo follows the rate of its target"};
  if (servo && servo->stiffness == 0.0 && servo->damping == 0.0)
    return Fault{"servo.stiffness", "is 0 and there is no damping: the servo has no force",
                 "give a stiffness above 0"};
  if (effort && drive)
    return Fault{kEffort, "has no effect on a coordinate with `drive`", "leave it out"};
  if (drive && friction > 0.0)
    return Fault{"friction", "has no effect on a coordinate with `drive`", "leave it out"};
  if (drive && limits)
    return Fault{"limits", "cannot act on a coordinate with `drive`", "leave them out"};
  return std::nullopt;
}

std::optional<Fault> JointSwing::fault() const {
  if (cone && !(*cone < std::numbers::pi))
    return Fault{"cone", to_text(*cone, unit::rad) + " is half a turn or more: it stops nothing",
                 "an angle between 0 and 180 deg"};
  if (!cone && restitution != 0.0)
    return Fault{"restitution", "is that of the stop at `cone`, which is missing", "give `cone`"};
  if (!cone && !spring && damping == 0.0)
    return Fault{"", "has no effect", "give `cone`, `spring` or `damping`"};
  return std::nullopt;
}

template struct JointLimits<unit::rad>;
template struct JointLimits<unit::m>;
template struct JointLawsSpec<unit::rad>;
template struct JointLawsSpec<unit::m>;

std::optional<Fault> JointSideSpec::fault() const {
  if (auto found = axis_fault(axis, "axis")) return found;
  return axis_fault(axis2, "axis2");
}

JointKind JointSpec::placed_kind() const {
  const auto has_one = [](const std::optional<JointSideSpec>& side) { return side && side->axis; };
  return kind == JointKind::ball && (axis || has_one(first) || has_one(second)) ? JointKind::socket
                                                                                : kind;
}

std::optional<Fault> JointSpec::fault() const {
  if (between.size() != 2)
    return Fault{"between", "has " + std::to_string(between.size()) + " entries",
                 "the names of two bodies, [first, second]"};
  if (between[0] == kWorld && between[1] == kWorld)
    return Fault{"between", "joins the world to itself", "name a body that moves"};
  if (auto found = axis_fault(axis, "axis")) return found;
  if (auto found = axis_fault(axis2, "axis2")) return found;
  if (auto found = axes_fault(*this)) return found;
  if (auto found = side_fault(*this, false)) return found;
  if (auto found = side_fault(*this, true)) return found;
  if (auto found = place_fault(*this)) return found;
  for (const auto& [key, present] :
       {std::pair{"turn", turn.has_value()}, std::pair{"turn2", turn2.has_value()},
        std::pair{"slide", slide.has_value()}, std::pair{"slide2", slide2.has_value()}})
    if (present && coordinate_index(kind, key) < 0)
      return Fault{key, "is not a coordinate of a joint of kind " + std::string(name_of(kind)),
                   coordinate_list(kind)};
  if (kind == JointKind::line && slide && slide->start != 0.0)
    return Fault{"slide.start", "is defined by the two ends of a line", "leave it out"};
  return std::nullopt;
}

std::optional<Fault> CouplingSpec::fault() const {
  for (std::size_t i = 0; i < sum.size(); ++i)
    if (sum[i].weight == 0.0)
      return Fault{"sum[" + std::to_string(i) + "].weight", "is 0: the term has no effect",
                   "leave it out"};
  if (gear && gear->ratio == 0.0)
    return Fault{"gear.ratio", "is 0: the second joint would not move", "lock it: kind fixed"};
  if (gear && gear->first == gear->second)
    return Fault{"gear.second", "is the first joint itself", "name two joints"};
  if (screw && screw->pitch == 0.0)
    return Fault{"screw.pitch", "is 0: the joint would not slide", "use a revolute joint"};
  return std::nullopt;
}

}  // namespace saltus

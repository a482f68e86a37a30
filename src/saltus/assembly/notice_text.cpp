#include "saltus/assembly/notice_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "saltus/base/error.h"
#include "saltus/contact/laws/laws.h"
#include "saltus/model/event_check.h"
#include "saltus/spec/joint_spec.h"

namespace saltus {
namespace {

/// Whether event-driven integration supports everything in the model.
bool fits_events(const Model& model) {
  ModelParts parts = model.parts();
  parts.options.mode = TimeMode::events;
  try {
    expect_mode(parts);
  } catch (const SceneError&) {
    return false;
  } catch (const UsageError&) {
    return false;
  }
  return true;
}

}  // namespace

double rounded_down(double x) {
  const double unit = std::pow(10.0, std::floor(std::log10(x)));
  return unit * std::floor(x / unit * (1.0 + 1e-6));
}

std::string passed_text(const Model& model, const SurfacePassages::Passed& passed, double h) {
  const StepOptions& options = model.options();
  const std::string others = options.mode == TimeMode::events ? ""
                             : fits_events(model) ? ", `time.mode: events` or `time.scheme: auto`"
                                                  : " or `time.scheme: auto`";
  return fmt::format(
      "'{}' passed through '{}' within one step, where no contact stopped it: it moved {:.3g} m "
      "relative to it; use steps up to {:.1g} s{}",
      surface_name(model.surfaces(), passed.a), surface_name(model.surfaces(), passed.b),
      passed.motion, rounded_down(h * std::min(0.5, passed.room / passed.motion)), others);
}

std::string overdamped_text(const Model& model, int joint_law, double damping, double z, double h) {
  const double longest = rounded_down(2.0 * h / z);
  if (joint_law >= 0)
    return fmt::format(
        "the damping of '{}' reverses its rate in every step: h c/m = {:.3g}, which is above 2; "
        "use steps up to {:.1g} s{}",
        model.joint_laws()[static_cast<std::size_t>(joint_law)].name, z, longest,
        fits_events(model) ? " or `time.mode: events`" : "");
  return fmt::format(
      "a compliant contact with damping {:.3g} N s/m reverses motion that it should stop: h c/m = "
      "{:.3g}, which is above 2; use `at: end` in the law, or steps up to {:.1g} s",
      damping, z, longest);
}

std::string points_text(const Model& model, int a, int b) {
  return fmt::format(
      "contacts of '{}' with '{}' and joints restrict the same motion, so their forces are not "
      "unique: steps that did not converge with contacts that travel were made with the points at "
      "the detection, of order 1; leave out redundant contacts or joints if their forces matter",
      surface_name(model.surfaces(), a), surface_name(model.surfaces(), b));
}

std::string across_text(const Model& model, int a, int b, double gap, double h, double time) {
  return fmt::format(
      "a contact holds '{}' and '{}' {:.3g} m apart: in a step of {:.3g} s without it they would "
      "penetrate each other; use steps up to {:.1g} s",
      surface_name(model.surfaces(), a), surface_name(model.surfaces(), b), gap, h,
      rounded_down(0.1 * time));
}

std::string side_name(const Model& model, const ContactView::Side& side) {
  if (side.group < 0)
    return side.body < 0 ? "a fixed body"
                         : "'" + surface_name(model.surfaces(), -1 - side.body) + "'";
  const Group& group = model.groups()[static_cast<std::size_t>(side.group)];
  const bool several = side.body >= 0 && static_cast<std::size_t>(side.body) < group.bodies.size();
  return "'" + (several ? group.bodies[static_cast<std::size_t>(side.body)] : group.name) + "'";
}

std::string pair_name(const Model& model, const ContactView& view, std::string_view word) {
  const bool moves = view.a.group >= 0;
  return fmt::format("{} {} {}", side_name(model, moves ? view.a : view.b), word,
                     side_name(model, moves ? view.b : view.a));
}

std::string open_text(const std::string& contacts, double gap, const ContactLaw& law) {
  const std::string cure =
      law.facts().closes_gaps ? std::string("use a shorter step")
      : law.name() == DefaultLaw::name
          ? fmt::format("`activation: {{kind: gap-closing}}` in {} closes them", law.name())
          : fmt::format("`law: {}` closes them", DefaultLaw::name);
  return fmt::format("{} carry load from step to step although they are open by {:.3g} m; {}",
                     contacts, gap, cure);
}

std::string undirected_text(const Model& model, int law) {
  const Friction& friction = model.law(law).facts().friction;
  const Vector3 axis(friction.axis.data());
  return fmt::format(
      "the axis [{:g}, {:g}, {:g}] of friction was along the normal of a contact, where all "
      "directions get the smaller coefficient {:g}; give an axis in the contact surface",
      axis[0], axis[1], axis[2], std::min(friction.along(), friction.across()));
}

std::string spins_text(const Model& model, int g, int body, double angle, double h) {
  const Group& group = model.groups()[static_cast<std::size_t>(g)];
  const auto b = static_cast<std::size_t>(body);
  return fmt::format(
      "'{}' turns by {:.3g} rad in a step, more than half a turn, which no scheme can resolve; use "
      "steps up to {:.1g} s",
      b < group.bodies.size() ? group.bodies[b] : group.name, angle,
      rounded_down(0.1 * h * std::numbers::pi / angle));
}

std::string turn_text(const Model& model, const JointAngle& of, double h) {
  const Joint& joint = model.joints()[static_cast<std::size_t>(of.joint)];
  if (joint.kind == JointKind::socket)
    return fmt::format(
        "the axes of '{}' passed through opposite directions, where swing and twist are undefined, "
        "or turned too far in a step of {:.3g} s: the twist may be off by full turns, and a spring "
        "on the swing jumps; limit the swing by a `cone`, or use a shorter step",
        joint.name, h);
  return fmt::format(
      "joint '{}' turned so far in a step of {:.3g} s that the number of its turns is ambiguous; "
      "use a shorter step",
      coordinate_text(joint.name, joint.kind, of.coordinate), h);
}

}  // namespace saltus

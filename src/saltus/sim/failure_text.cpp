#include "saltus/sim/failure_text.h"

#include <fmt/format.h>

#include <numbers>

#include "saltus/scene/joint_spec.h"
#include "saltus/sim/contact_list.h"

namespace saltus {
namespace {

/// An angle that a spring or a stop cannot count any more.
std::string angle_text(const Model& model, const StepReport& report) {
  const JointLaw& law = model.joint_laws()[static_cast<std::size_t>(report.joint_law)];
  const Joint& joint = model.joints()[static_cast<std::size_t>(law.joint)];
  const std::string name = coordinate_text(joint.name, joint.kind, law.coordinate);
  const bool spring =
      model.laws()[static_cast<std::size_t>(law.law)].rule == ContactLaw::Rule::compliant;
  const std::string what = fmt::format("joint '{}' {}", name, report.failure);
  if (report.failure == kFastTurn)
    return fmt::format("{}, and its {} cannot tell by how much; use a shorter step", what,
                       spring ? "spring" : "limits");
  const double centre = counted_about(model, law), pi = std::numbers::pi;
  return fmt::format(
      "{}: its {} the angle from {:.4g} to {:.4g} rad alone and would act the wrong way beyond; "
      "couple a second body to the joint by a gear of small ratio and let the {} act on that one",
      what, spring ? "spring counts" : "limits count", centre - pi, centre + pi,
      spring ? "spring" : "limits");
}

}  // namespace

std::string failure_text(const Model& model, const StepReport& report, std::uint64_t number) {
  const StepOptions& options = model.options();
  const std::string at =
      fmt::format("step {} (t = {:.9g} s)", number, static_cast<double>(number) * options.h);
  const auto groups = model.groups();
  const std::string body = report.group >= 0
                               ? "'" + groups[static_cast<std::size_t>(report.group)].name + "'"
                           : groups.size() == 1 ? "'" + groups[0].name + "'"
                                                : "the scene";
  if (report.joint_law >= 0) return at + ": " + angle_text(model, report);
  if (!report.failure.empty() && !report.finite)
    return fmt::format("{}: the scheme of {} failed: {}; use a shorter step", at, body,
                       report.failure);
  if (!report.finite)
    return fmt::format("{}: the motion of {} is no longer finite; use a shorter step", at, body);
  if (report.failure == kContradiction)
    return fmt::format(
        "{}: no motion keeps these bodies apart: {}; leave them room, or use a force, or a motor "
        "with a bound, in the place of a motion",
        at, report.detail);
  if (report.outstanding > options.pass_tolerance)
    return fmt::format(
        "{}: the equation of motion of {} was not solved: {}: change {:.3g} after {} passes, "
        "tolerance {:.3g}; use a shorter step, raise newton_iterations, or set on_failure: halve",
        at, body,
        report.failure.empty() ? "the passes did not reach their tolerance" : report.failure,
        report.outstanding, report.passes, options.pass_tolerance);
  if (!report.failure.empty() && options.lane == Lane::events)
    return fmt::format("{}: the motion of {} cannot go on: {}{}", at, body, report.failure,
                       options.events.hand_over
                           ? ""
                           : "; leave `events.hand_over: false` out, and time stepping takes over "
                             "where it can");
  if (report.residual <= options.contact.tolerance && report.closing > 0.0)
    return fmt::format(
        "{}: the contacts of {} were not solved: bodies close with {:.3g} of the velocities of the "
        "step, although the residual {:.3g} is below solver.tolerance; use a shorter step, another "
        "solver.kind, or less extreme masses and coefficients of friction",
        at, body, report.closing, report.residual);
  return fmt::format(
      "{}: the contacts of {} were not solved: residual {:.3g}, tolerance {:.3g}, {} iterations; "
      "{}, or set on_failure: accept",
      at, body, report.residual, options.contact.tolerance, report.iterations,
      report.iterations >= options.contact.iterations
          ? "raise solver.iterations, use a shorter step"
          : "use a shorter step, another solver.kind");
}

}  // namespace saltus

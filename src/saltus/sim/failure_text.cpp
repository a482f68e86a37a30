#include "saltus/sim/failure_text.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "saltus/assembly/contact_list.h"
#include "saltus/event_driven/event_integrator.h"
#include "saltus/spec/joint_spec.h"
#include "saltus/state/failure_words.h"

namespace saltus {
namespace {

/// For an angle that a spring or a stop can no longer count.
std::string angle_text(const Model& model, const StepReport& report) {
  const JointLaw& law = model.joint_laws()[static_cast<std::size_t>(report.joint_law)];
  const Joint& joint = model.joints()[static_cast<std::size_t>(law.joint)];
  const std::string name = coordinate_text(joint.name, joint.kind, law.coordinate);
  const bool spring = !model.law(law.law).set_valued();
  const std::string what = fmt::format("joint '{}' {}", name, report.failure);
  return fmt::format("{}, and its {} cannot determine by how much; use a shorter step", what,
                     spring ? "spring" : "limits");
}

/// The remedy for a step that is too long.
std::string finer(const StepOptions& options) {
  return options.step_tolerance > 0.0 ? "use a smaller time.tolerance" : "use a shorter step";
}

std::string iterations_text(int iterations) {
  return iterations > 0 ? fmt::format(", {} iterations", iterations) : "";
}

std::string passes_text(const StepOptions& options, const StepReport& report) {
  const std::string why = report.failure.empty() ? "the passes did not reach their tolerance"
                                                 : std::string(report.failure);
  if (!std::isfinite(report.outstanding))
    return "the velocities of a pass are not finite; use a shorter step";
  const std::string text =
      fmt::format("{}: change {:.3g} after {} passes, tolerance {:.3g} (newton_tolerance); ", why,
                  report.outstanding, report.passes, options.pass_tolerance);
  // The passes cannot remove errors that the contact solver leaves; the default tolerances differ
  // by a factor of ten.
  if (options.contact.tolerance > 50.0 * options.pass_tolerance &&
      report.outstanding <= options.contact.tolerance)
    return text + fmt::format(
                      "contacts are solved to solver.tolerance {:.3g} only, which the "
                      "passes cannot go below: set solver.tolerance: {:.3g} or smaller",
                      options.contact.tolerance, options.pass_tolerance);
  return text + "use a shorter step, raise newton_iterations" +
         (options.on_failure == OnFailure::halve ? "" : ", or set on_failure: halve");
}

/// For event-driven integration; where possible, the schemes of the bodies take over after such a
/// failure.
std::string events_text(const StepOptions& options, const StepReport& report) {
  const std::string why = report.failure.empty() ? "no motion was found that satisfies the contacts"
                                                 : std::string(report.failure);
  const std::string text =
      fmt::format("event-driven integration stopped: {}", why) +
      (options.events.hand_over ? ""
                                : "; remove events.hand_over: false to let the schemes of the "
                                  "bodies continue from here if they can");
  if (report.failure == EventIntegrator::kManyEvents)
    return text + fmt::format(", or raise events.limit ({})", options.events.limit);
  if (report.failure == EventIntegrator::kManyClosed)
    return text + fmt::format(", or raise events.closed ({})", options.events.closed);
  return text;
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
  const std::string_view why = report.failure;
  const bool of_contacts = why == failure::kContactLimit,
             of_passes = why == failure::kPassLimit || why == failure::kStagnation,
             of_joints = why == failure::kNoProjection || why == failure::kNoPlace;
  if (report.joint_law >= 0) return at + ": " + angle_text(model, report);
  if (why == failure::kOpenJoint)
    return fmt::format(
        "{}: joint '{}' is open by more than a tenth of the distance to the centres of its bodies "
        "(or 0.1 rad), up to {:.3g} m or rad in the scene: `level: velocity` does not close what "
        "steps leave open; use `joint: {{level: position}}` or `both`, or a shorter step",
        at, report.detail, report.joint_gap);
  if (why == failure::kJointWork)
    return fmt::format(
        "{}: joints of the mechanism of {} would change its energy by more than a twentieth in "
        "this "
        "step, as near positions where bodies could go on in two ways; {}",
        at, body, finer(options));
  if (why == failure::kNoEquilibrium) return fmt::format("{}: {}: {}", at, why, report.detail);
  if (why == failure::kContradiction)
    return fmt::format(
        "{}: no motion keeps these bodies apart: {}; make room for them, or replace a prescribed "
        "motion by a force or by a motor with a limit",
        at, report.detail);
  if (report.finite && options.mode == TimeMode::events && !of_contacts && !of_passes &&
      !of_joints && (!why.empty() || !options.events.hand_over))
    return fmt::format("{}: {}: {}", at, body, events_text(options, report));
  if (of_joints) return fmt::format("{}: {}: {}; {}", at, body, why, finer(options));
  if (why.starts_with("the step control needs"))
    return fmt::format("{}: {}; use a larger time.tolerance, or a shorter time.step", at, why);
  if (!why.empty() && !report.finite && !of_contacts && !of_passes)
    return fmt::format("{}: the scheme of {} failed: {}; {}", at, body, why, finer(options));
  if (!report.finite)
    return fmt::format("{}: the motion of {} is no longer finite; {}", at, body, finer(options));
  if (!of_contacts && (of_passes || !(report.outstanding <= options.pass_tolerance)))
    return fmt::format("{}: the equation of motion of {} was not solved: {}", at, body,
                       passes_text(options, report));
  if (!why.empty() && !of_contacts && report.residual <= options.contact.tolerance)
    return fmt::format("{}: {}: {}; {}, or set on_failure: accept", at, body, why, finer(options));
  if (report.residual <= options.contact.tolerance && report.closing > 0.0)
    return fmt::format(
        "{}: the contacts of {} were not solved: bodies still approach at {:.3g} of the velocities "
        "of the step, although the residual {:.3g} is below solver.tolerance; {}, another "
        "solver.kind, or less extreme masses and coefficients of friction",
        at, body, report.closing, report.residual, finer(options));
  return fmt::format(
      "{}: the contacts of {} were not solved: residual {:.3g}, tolerance {:.3g}{}; "
      "{}, or set on_failure: accept",
      at, body, report.residual, options.contact.tolerance, iterations_text(report.iterations),
      report.iterations >= options.contact.iterations
          ? "raise solver.iterations, use a shorter step"
          : "use a shorter step, another solver.kind");
}

}  // namespace saltus

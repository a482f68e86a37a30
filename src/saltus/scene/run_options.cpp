#include "saltus/scene/run_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace saltus {
namespace {

/// Runs consist of whole steps.
void warn_of_end(const SceneSpec& spec, ModelParts& parts) {
  const double h = spec.time.h(), end = spec.time.end;
  const long long steps = step_count(spec.time);
  const double reached = static_cast<double>(steps) * h;
  if (std::abs(reached - end) <= 1e-9 * end) return;
  parts.warnings.push_back(
      fmt::format("time.end: {:.10g} s is not a whole number of steps of {:.10g} s: the run ends "
                  "at {:.10g} s, with {} {}",
                  end, h, reached, steps, steps == 1 ? "step" : "steps"));
}

void set_mode(const SceneSpec& spec, StepOptions& options) {
  options.mode = spec.time.chosen_mode();
  if (options.mode == TimeMode::stepping) {
    options.step_tolerance = spec.time.tolerance.value_or(0.0);
    return;
  }
  const EventSpec events = spec.events.value_or(EventSpec{});
  options.events = {.method = events.method,
                    .tolerance = spec.time.tolerance.value_or(EventOptions{}.tolerance),
                    .impacts = events.impacts,
                    .zeno = events.zeno,
                    .limit = events.limit,
                    .closed = events.closed,
                    .hand_over = events.hand_over};
}

/// Number of deformable bodies whose surface has a law with another surface.
std::size_t soft_bodies(const Surfaces& surfaces) {
  const auto n = static_cast<std::size_t>(surfaces.materials);
  return static_cast<std::size_t>(
      std::ranges::count_if(surfaces.boundaries, [&](const auto& boundary) {
        const auto row =
            std::span(surfaces.law).subspan(n * static_cast<std::size_t>(boundary.material), n);
        return std::ranges::any_of(row, [](int law) { return law >= 0; });
      }));
}

bool can_halve(std::span<const Group> groups) {
  return std::ranges::none_of(groups, [](const auto& group) { return group.scheme->fixed_step(); });
}

}  // namespace

void set_run_options(const SceneSpec& spec, ModelParts& parts) {
  StepOptions& options = parts.options;
  options.h = spec.time.h();
  options.end = spec.time.end;
  options.instant = spec.contact.instant;
  options.correct_positions = spec.contact.correct_positions;
  options.joints = spec.joint.level;
  options.bilateral = spec.joint.bilateral;
  options.joints_in_stages = spec.joint.in_stages;
  set_mode(spec, options);
  warn_of_end(spec, parts);
}

void set_pass_limits(ModelParts& parts) {
  double tolerance = std::numeric_limits<double>::infinity();
  int passes = 0;
  for (const Group& group : parts.groups) {
    if (group.scheme->one_pass(*group.dynamics)) continue;
    const PassLimits limits = group.scheme->pass_limits();
    tolerance = std::min(tolerance, limits.tolerance);
    passes = std::max(passes, limits.passes);
  }
  if (passes == 0) return;  // the model uses the defaults of its schemes
  parts.options.pass_tolerance = tolerance;
  parts.options.pass_limit = passes;
}

void set_solver_options(const SceneSpec& spec, const RigidAssembly& rigid, ModelParts& parts) {
  StepOptions& options = parts.options;
  // Face contacts have non-unique forces: their residual can stay just above 1e-12.
  const bool surfaces_touch =
      std::ranges::any_of(parts.surfaces.law, [](int law) { return law >= 0; });
  const bool steps =
      surfaces_touch && options.mode == TimeMode::stepping && !(options.step_tolerance > 0.0);
  options.soft = steps && soft_bodies(parts.surfaces) > kSoftBodies;
  options.heap = options.soft || (steps && rigid.is_heap());
  options.on_failure = spec.on_failure.value_or(
      options.mode == TimeMode::stepping && can_halve(parts.groups) ? OnFailure::halve
                                                                    : OnFailure::stop);
  const double tolerance = options.heap ? 1e-4 : surfaces_touch ? 1e-9 : 1e-12;
  options.contact = {spec.solver.tolerance.value_or(tolerance), spec.solver.iterations};
  if (options.heap && !spec.solver.tolerance) options.contact.enough = 1e-3;
}

}  // namespace saltus

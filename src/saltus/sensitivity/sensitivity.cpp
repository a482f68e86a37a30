#include "saltus/sensitivity/sensitivity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/base/error.h"
#include "saltus/event_driven/event_integrator.h"
#include "saltus/sensitivity/event_derivatives_internal.h"
#include "saltus/sensitivity/near_miss_internal.h"
#include "saltus/sensitivity/start_checks_internal.h"

namespace saltus {
namespace sensitivity {
namespace {

// Differences must not reverse a slip that is small compared with the others, such as one that has
// just begun.
double longest(ParameterDifferences& d, const Stretch& stretch, const Direction& s) {
  constexpr double kPart = 0.02;
  double most = std::numeric_limits<double>::infinity();
  const EventTrace::Step& step = *stretch.step;
  if (std::ranges::none_of(step.modes, [](const ContactMode& mode) {
        return mode.kind == ContactMode::Kind::slides;
      }))
    return most;
  d.runner().place(step.t0, step.start, step.modes, stretch.e);
  const EventContacts& contacts = d.runner().motion().contacts();
  for (const ContactMode& mode : step.modes) {
    if (mode.kind != ContactMode::Kind::slides) continue;
    const std::size_t i = d.runner().find(mode.key);
    double slip = 0.0, change = 0.0;
    for (int a = 1; a <= contacts.contact(i).tangents; ++a) {
      slip = std::hypot(slip, contacts.rate(i, a));
      change = std::max(change, contacts.row_size(i, a, s.v));
    }
    if (slip > 0.0 && change > 0.0) most = std::min(most, kPart * slip / change);
  }
  return most;
}

// Transforms s = dx/dp over the step of a stretch.
void pass_step(ParameterDifferences& d, const Stretch& stretch, std::vector<Direction>& s) {
  const EventTrace::Step& step = *stretch.step;
  const auto method = make_method(step.method);
  const auto f = [&](Runner& r, const Groups& groups, double t) {
    Groups end;
    r.step(t, stretch.dt, groups, step.modes, stretch.e, *method, end);
    return d.difference().local(stretch.end, end);
  };
  const Eigen::Index n = d.size();
  for (std::size_t j = 0; j < s.size(); ++j) {
    const Vector change = d.total(j, step.start, step.t0, s[j], f, longest(d, stretch, s[j]));
    s[j].w = change.head(n);
    s[j].v = change.tail(n);
  }
}

void refuse_jump(std::span<const double> jumps, double t) {
  const double off = Breaks::kSameInstant * t;
  const auto next = std::ranges::lower_bound(jumps, t - off);
  if (next != jumps.end() && *next <= t + off && t > 0.0)
    throw Refusal{
        fmt::format("the rate of a drive or support jumps at t = {:.10g} s, which is an "
                    "impact that is not differentiated",
                    t)};
}

void refuse_not_finite(const std::vector<Direction>& s, double t) {
  for (const Direction& one : s)
    if (!one.w.allFinite() || !one.v.allFinite())
      throw Refusal{fmt::format("the derivative is not finite at t = {:.10g} s", t)};
}

// dx/dp at the end of the run; sets result.t to the time reached. Throws Refusal.
std::vector<Direction> follow(ParameterDifferences& d, Run& run, Sensitivity& result) {
  d.measure(run.stretches);
  std::vector<Direction> s = d.at_start(run.start);
  std::vector<std::optional<Refusal>> misses;  // thrown when the loop below reaches that time
  for (std::size_t k = 0; k < run.stretches.size(); ++k)
    misses.push_back(near_miss(d, run.stretches[k], k > 0 ? &run.stretches[k - 1] : nullptr));
  check_start(d, run, s);
  check_limits(d, run, s);
  EventDerivatives events(d, run);
  const std::vector<double> jumps = d.model().breaks().jumps;
  for (std::size_t k = 0; k < run.stretches.size(); ++k) {
    const Stretch& stretch = run.stretches[k];
    result.t = stretch.step->t0;
    refuse_jump(jumps, result.t);
    if (misses[k]) throw *misses[k];
    pass_step(d, stretch, s);
    result.t = stretch.step->t0 + stretch.dt;
    events.expect_no_rest(stretch);
    if (stretch.next)
      events.pass(stretch, s, result);
    else
      refuse_jump(jumps, result.t);
    refuse_not_finite(s, result.t);
  }
  return s;
}

}  // namespace
}  // namespace sensitivity

SensitivityParameter start_parameter(const Model& model, int group, int i, bool velocity) {
  expects(group >= 0 && group < std::ssize(model.groups()),
          "give the index of a group of the model");
  Eigen::Index n = 0, at = 0;
  for (int g = 0; g < std::ssize(model.groups()); ++g) {
    if (g == group) at = n;
    n += model.groups()[static_cast<std::size_t>(g)].dynamics->velocities();
  }
  const Group& of = model.groups()[static_cast<std::size_t>(group)];
  expects(i >= 0 && i < of.dynamics->velocities(), "give the index of a velocity of the group");
  SensitivityParameter p;
  p.name = fmt::format("{}[{}] of '{}'", velocity ? "velocity" : "position", i, of.name);
  Vector& d = velocity ? p.v : p.w;
  d = Vector::Unit(n, at + i);
  return p;
}

std::string_view name_of(Sensitivity::Validity validity) {
  using enum Sensitivity::Validity;
  return validity == smooth ? "smooth" : validity == saltation ? "saltation" : "none";
}

Sensitivity sensitivities(const Model& model, const EventTrace& trace, double end,
                          std::span<const SensitivityParameter> parameters,
                          const SensitivityOptions& options) {
  Sensitivity result;
  result.t = end;
  sensitivity::ParameterDifferences differences(model, parameters, options);
  sensitivity::Run run = sensitivity::run_of(model, trace, end);
  std::vector<sensitivity::Direction> s;
  try {
    s = sensitivity::follow(differences, run, result);
  } catch (const sensitivity::Refusal& refusal) {
    result.validity = Sensitivity::Validity::none;
    result.reason = refusal.reason;
    return result;
  }
  const sensitivity::Stretch& last = run.stretches.back();
  result.end = last.next ? last.next->start : last.end;
  result.state.resize(2 * differences.size(), std::ssize(s));
  for (std::size_t j = 0; j < s.size(); ++j)
    result.state.col(static_cast<Eigen::Index>(j)) << s[j].w, s[j].v;
  return result;
}

Sensitivity sensitivities(const Model& model, std::span<const SensitivityParameter> parameters,
                          const SensitivityOptions& options) {
  expects(model.options().mode == TimeMode::events && model.options().end > 0.0,
          "sensitivities need an event-driven run with an end (time.mode: events)");
  EventTrace trace;
  EventIntegrator integrator(model);
  integrator.trace(&trace);
  State state = initial_state(model);
  const double h = model.options().h > 0.0 ? model.options().h : model.options().end;
  Sensitivity none;
  none.validity = Sensitivity::Validity::none;
  while (state.t < model.options().end) {
    StepReport report;
    std::vector<Event> events;
    ++state.step;
    const double until = std::min(static_cast<double>(state.step) * h, model.options().end);
    integrator.begin_means();
    const EventIntegrator::End end = integrator.advance(state, until, report, events);
    none.t = state.t;
    if (end == EventIntegrator::End::failed)
      none.reason =
          fmt::format("the run fails at t = {:.10g} s: {}", state.t,
                      report.failure.empty() ? "its numbers are not finite" : report.failure);
    if (end == EventIntegrator::End::busy)
      none.reason = fmt::format(
          "more events than events.limit or more closed contacts than events.closed at t = {:.10g} "
          "s: time stepping would continue from here, and its effect on events is unknown",
          state.t);
    if (end != EventIntegrator::End::reached) return none;
  }
  return sensitivities(model, trace, model.options().end, parameters, options);
}

}  // namespace saltus

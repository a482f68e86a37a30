#include "saltus/sim/event_driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "saltus/assembly/notice_text.h"
#include "saltus/base/error.h"
#include "saltus/base/stop.h"

namespace saltus {

// Checks whether the scene can be integrated by time stepping: event-driven integration accepts
// scenes that the schemes cannot integrate.
bool EventDriver::schemes_fit() const {
  ModelParts parts = steps_.model().parts();
  parts.options.mode = TimeMode::stepping;
  try {
    const Model stepped(std::move(parts));
    return true;
  } catch (const SceneError&) {
    return false;
  }
}

void EventDriver::report_hand_over(EventIntegrator::End end, std::string_view reason) {
  const bool busy = end == EventIntegrator::End::busy,
             many = busy && reason == EventIntegrator::kManyEvents;
  const int cause = many ? 0 : busy && reason == EventIntegrator::kManyClosed ? 1 : 2;
  constexpr std::array kRemedy{"raise `events.limit`, or shorten `time.step`",
                               "raise `events.closed`",
                               "set `events.hand_over: false` to stop the run there instead"};
  steps_.notices().add(Notice::Kind::handed_over, cause, -1, [&] {
    return fmt::format(
        "event-driven integration handed over to time stepping because {}; for those intervals "
        "impacts are first-order accurate in time.step and no tolerance applies; {}",
        reason.empty() ? "its numbers were not finite" : reason,
        kRemedy[static_cast<std::size_t>(cause)]);
  });
}

// Time stepping continues from here.
void EventDriver::to_schemes() {
  State& state = steps_.state();
  integrator_.leave(state);
  std::vector<GroupState> started = state.groups;
  start_schemes(steps_.model(), state, started);
  for (std::size_t g = 0; g < started.size(); ++g) state.groups[g] = started[g];
  steps_.set_step(state.h);
  for (const auto& island : steps_.islands())
    if (island) island->forget();
  steps_.clear_solvers();
  state.contacts.clear();
  steps_.set_contacts_known(false);  // until the schemes make a step
  measure_energy();
  events_.push_back({Event::Kind::hand_over, state.t, 0, 0.0, Vector3::Zero(), 0.0});
}

// Event-driven integration continues from here.
void EventDriver::to_events() {
  State& state = steps_.state();
  Vector v;
  for (std::size_t g = 0; g < state.groups.size(); ++g) {
    const Group& group = steps_.model().groups()[g];
    v.resize(group.dynamics->velocities());
    group.scheme->velocity(*group.dynamics, steps_.prepared()[g].get(), state.t, state.h,
                           state.groups[g], v);
    state.groups[g].v = v;
  }
  integrator_.enter(state);
  measure_energy();
  events_.push_back({Event::Kind::take_back, state.t, 0, 0.0, Vector3::Zero(), 0.0});
}

// A change of the energy measure counts as work of the scheme.
void EventDriver::measure_energy() {
  State& state = steps_.state();
  const double before = state.energy.total();
  state.energy = energy_of(steps_.model(), state);
  if (steps_.model().options().ledger)
    state.ledger[state.ledger.size() - 2] += state.energy.total() - before;
}

void EventDriver::add_impulse(int group, const PointRef& at, const Vector3& impulse) {
  const auto groups = steps_.model().groups();
  if (group >= 0 && groups[static_cast<std::size_t>(group)].dynamics->prescribed() > 0)
    steps_.reactions().impulses().push_back({group, at, impulse});
}

// Adds the impulses on groups with prescribed degrees of freedom during the interval: of joints,
// and of contacts between surfaces that exist at its end.
void EventDriver::add_impulses() {
  const Model& model = steps_.model();
  steps_.reactions().impulses().clear();
  const auto reacting = [&](const JointSide& side) {
    return side.group >= 0 &&
           model.groups()[static_cast<std::size_t>(side.group)].dynamics->prescribed() > 0;
  };
  for (std::size_t i = 0; i < model.joints().size(); ++i) {
    const Joint& joint = model.joints()[i];
    if (!reacting(joint.a) && !reacting(joint.b)) continue;
    const Vector3 on_b = integrator_.joint_impulse(static_cast<int>(i))[0];
    add_impulse(joint.a.group, joint.a.ref, -on_b);
    add_impulse(joint.b.group, joint.b.ref, on_b);
  }
  contacts_.clear();
  integrator_.describe(steps_.state(), contacts_);
  for (const SeenContact& contact : contacts_) {
    if (contact.on_joint || contact.view.impulse.isZero(0.0)) continue;
    const auto pair =
        std::ranges::lower_bound(model.pairs(), contact.view.key, {}, &ContactPair::key);
    if (pair != model.pairs().end() && pair->key == contact.view.key) continue;  // in `impulses_`
    const Vector3 p = contact.view.impulse[0] * contact.view.normal +
                      contact.view.impulse[1] * contact.tangent[0] +
                      contact.view.impulse[2] * contact.tangent[1];
    add_impulse(contact.view.a.group, contact.at[0], p);
    add_impulse(contact.view.b.group, contact.at[1], -p);
  }
}

// Computes the reactions between the ends of the interval, which began at `start`.
void EventDriver::update_reactions(double t1, std::vector<GroupState>& start) {
  State& state = steps_.state();
  const double h = steps_.model().options().h;
  steps_.ends() = state.groups;
  integrator_.store_impulses(impulses_);
  add_impulses();
  std::swap(state.groups, start);
  const double t = state.t;
  state.t = t1 - h;
  steps_.reactions().update(h, state, steps_.ends(), impulses_, steps_.islands());
  state.t = t;
  std::swap(state.groups, start);
}

void EventDriver::report_notices(const State& state) {
  Notices& notices = steps_.notices();
  if (integrator_.order_decided())
    notices.add(Notice::Kind::coincident, -1, -1, [&] {
      return fmt::format(
          "impacts at one instant were solved in sequence, and their order, which is that "
          "of the bodies in the scene, affects the result: {} closed equally fast; set "
          "`events.impacts: simultaneous`",
          integrator_.tied());
    });
  if (const int law = integrator_.undirected(state); law >= 0)
    notices.add(Notice::Kind::undirected, law, -1,
                [&] { return undirected_text(steps_.model(), law); });
  if (const JointAngle* const angle = integrator_.ambiguous_angle())
    notices.add(Notice::Kind::turn, angle->joint, angle->coordinate,
                [&] { return turn_text(steps_.model(), *angle, steps_.model().options().h); });
  notices.accept();
}

// Covers an interval by time stepping.
void EventDriver::step_schemes(double t1, StepReport& report) {
  State& state = steps_.state();
  const double h = steps_.model().options().h;
  // A length other than the last would require new factors.
  const double left = t1 - state.t;
  parts_.advance(std::abs(left - h) <= 1e-9 * h ? h : left, t1, report);
  if (report.converged && report.finite) --state.event_state.stepping;
}

void EventDriver::advance(double t1, StepReport& report) {
  State& state = steps_.state();
  events_.clear();
  integrator_.begin_means();
  if (!state.event_state.active && state.event_state.stepping == 0) to_events();
  if (!state.event_state.active) {
    step_schemes(t1, report);
    return;
  }
  report.gap = std::numeric_limits<double>::infinity();
  report.passes = 1;
  std::vector<GroupState> start;
  if (steps_.reactions().any()) start = state.groups;
  const EventIntegrator::End end = integrator_.advance(state, t1, report, events_);
  report.events = static_cast<int>(events_.size());  // including a take_back
  if (steps_.dropped(report)) return;
  report_notices(state);
  if (end == EventIntegrator::End::reached) {
    state.event_state.patience /= 2;
    steps_.set_contacts_known(true);
    if (steps_.reactions().any()) update_reactions(t1, start);
    return;
  }
  if (may_hand_over(report)) hand_over(end, t1, report);
}

bool EventDriver::may_hand_over(StepReport& report) const {
  if (report.joint_law >= 0) {  // time stepping could not count the angle either
    report.converged = report.finite = false;
    return false;
  }
  if (!steps_.model().options().events.hand_over) {
    report.converged = false;
    return false;
  }
  if (!schemes_fit()) {
    report.converged = false;
    report.failure =
        "event-driven integration would hand over to time stepping here, but the schemes of the "
        "bodies cannot integrate a law of this scene; `saltus check` with `--set "
        "time.mode=stepping` names the law and a scheme that can";
    return false;
  }
  return true;
}

// Time stepping covers the rest of the interval.
void EventDriver::hand_over(EventIntegrator::End end, double t1, StepReport& report) {
  constexpr std::uint64_t kFirst = 4, kMost = 1024;
  State& state = steps_.state();
  report_hand_over(end, report.failure);
  steps_.notices().accept();  // whatever the steps below discard
  report.converged = true;    // time stepping may succeed
  report.failure = {};
  to_schemes();
  state.event_state.patience = std::clamp(2 * state.event_state.patience, kFirst, kMost);
  state.event_state.stepping = state.event_state.patience;
  if (t1 - state.t < 1e-9 * steps_.model().options().h) {
    state.t = t1;
    return;
  }
  StepReport rest;
  parts_.advance(t1 - state.t, t1, rest);
  add_earlier(rest, report);
  rest.steps = report.steps + 1;
  rest.rejected = report.rejected;
  rest.error = report.error;
  rest.events = static_cast<int>(events_.size());
  rest.evaluations = report.evaluations;
  report = rest;
}

}  // namespace saltus

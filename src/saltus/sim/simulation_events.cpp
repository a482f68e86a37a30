// Intervals of a model with the event lane, and the hand-over of the state between that lane and the schemes. In the lane a
// state holds physical q and v; each scheme starts from them and gives them back. What the change of the measure of energy
// makes is booked as the scheme's.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "saltus/assembly/notice_text.h"
#include "saltus/base/error.h"
#include "saltus/base/stop.h"
#include "saltus/sim/simulation_internal.h"

namespace saltus {

// Physical q and v become states of the schemes, as they are with the step of the state.
void Simulation::Work::start_schemes(std::vector<GroupState>& groups) const {
  const auto tables = prepare(model, state.h);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const Group& group = model.groups()[g];
    groups[g].memory.clear();
    group.scheme->start(*group.dynamics, tables[g].get(), state.t, state.h, groups[g]);
  }
}

// Whether the scene could be stepped: what its schemes cannot do, event-driven integration does not refuse.
bool Simulation::Work::schemes_fit() const {
  ModelParts parts = model.parts();
  parts.options.lane = TimeMode::stepping;
  try {
    const Model stepped(std::move(parts));
    return true;
  } catch (const SceneError&) {
    return false;
  }
}

void Simulation::Work::tell_hand_over(EventIntegrator::End end, std::string_view reason) {
  const bool busy = end == EventIntegrator::End::busy,
             many = busy && reason == EventIntegrator::kManyEvents;
  const int cause = many ? 0 : busy && reason == EventIntegrator::kManyClosed ? 1 : 2;
  constexpr std::array kRemedy{"raise `events.limit`, or shorten `time.step`",
                               "raise `events.closed`",
                               "set `events.hand_over: false` for a run that stops there instead"};
  notices.add(Notice::Kind::handed_over, cause, -1, [&] {
    return fmt::format(
        "event-driven integration handed over to time stepping because {}; in those intervals "
        "impacts are of first order in time.step and no tolerance holds; {}",
        reason.empty() ? "its numbers were not finite" : reason,
        kRemedy[static_cast<std::size_t>(cause)]);
  });
}

// The schemes step from here on. What a change of the measure of energy makes is the scheme's.
void Simulation::Work::to_schemes() {
  lane->leave(state);
  std::vector<GroupState> started = state.groups;
  start_schemes(started);
  for (std::size_t g = 0; g < started.size(); ++g) state.groups[g] = started[g];
  set_step(state.h);
  for (auto& island : islands)
    if (island) island->forget();
  for (SolverMemory& memory : state.solvers) memory = {};
  state.contacts.clear();
  touched = false;  // until the schemes make a step
  const double before = state.energy.total();
  state.energy = energy_of(model, state);
  if (model.options().ledger)
    state.ledger[state.ledger.size() - 2] += state.energy.total() - before;
  events.push_back({Event::Kind::hand_over, state.t, 0, 0.0, Vector3::Zero(), 0.0});
}

// The event lane takes the state back.
void Simulation::Work::to_events() {
  Vector v;
  for (std::size_t g = 0; g < state.groups.size(); ++g) {
    const Group& group = model.groups()[g];
    v.resize(group.dynamics->velocities());
    group.scheme->velocity(*group.dynamics, prepared[g].get(), state.t, state.h, state.groups[g],
                           v);
    state.groups[g].v = v;
  }
  lane->enter(state);
  const double before = state.energy.total();
  state.energy = energy_of(model, state);
  if (model.options().ledger)
    state.ledger[state.ledger.size() - 2] += state.energy.total() - before;
  events.push_back({Event::Kind::take_back, state.t, 0, 0.0, Vector3::Zero(), 0.0});
}

// What joints, and contacts between surfaces that are there at its end, pressed in an interval on groups that react.
void Simulation::Work::act_in_events() {
  pressed.clear();
  const auto press = [&](int group, const PointRef& at, const Vector3& impulse) {
    if (group >= 0 && model.groups()[static_cast<std::size_t>(group)].dynamics->prescribed() > 0)
      pressed.push_back({group, at, impulse});
  };
  const auto reacting = [&](const JointSide& side) {
    return side.group >= 0 &&
           model.groups()[static_cast<std::size_t>(side.group)].dynamics->prescribed() > 0;
  };
  for (std::size_t i = 0; i < model.joints().size(); ++i) {
    const Joint& joint = model.joints()[i];
    if (!reacting(joint.a) && !reacting(joint.b)) continue;
    const Vector3 on_b = lane->joint_impulse(static_cast<int>(i))[0];
    press(joint.a.group, joint.a.ref, -on_b);
    press(joint.b.group, joint.b.ref, on_b);
  }
  seen.clear();
  lane->describe(state, seen);
  for (const SeenContact& contact : seen) {
    if (contact.on_joint || contact.view.impulse.isZero(0.0)) continue;
    const auto pair =
        std::ranges::lower_bound(model.pairs(), contact.view.key, {}, &ContactPair::key);
    if (pair != model.pairs().end() && pair->key == contact.view.key) continue;  // in `contacts`
    const Vector3 p = contact.view.impulse[0] * contact.view.normal +
                      contact.view.impulse[1] * contact.tangent[0] +
                      contact.view.impulse[2] * contact.tangent[1];
    press(contact.view.a.group, contact.at[0], p);
    press(contact.view.b.group, contact.at[1], -p);
  }
}

// One interval of a model with the event lane: its own, or steps of the schemes while there are too many events. How many
// intervals these get doubles with every time that the lane comes back too early.
void Simulation::Work::advance_by_events(double t1, StepReport& report) {
  constexpr std::uint64_t kFirst = 4, kMost = 1024;
  const double h = model.options().h;
  events.clear();
  lane->begin_means();
  if (!state.lane.active && state.lane.stepping == 0) to_events();
  if (!state.lane.active) {
    const double left = t1 - state.t;  // another length than the last would make every factor anew
    advance(std::abs(left - h) <= 1e-9 * h ? h : left, t1, 0, report);
    if (report.converged && report.finite) --state.lane.stepping;
    return;
  }
  report.gap = std::numeric_limits<double>::infinity();
  report.passes = 1;
  std::vector<GroupState> start;
  if (reacts) start = state.groups;
  const EventIntegrator::End end = lane->advance(state, t1, report, events);
  report.events = static_cast<int>(events.size());  // a take_back among them
  if (dropped(report)) return;
  if (lane->order_decided())
    notices.add(Notice::Kind::coincident, -1, -1, [&] {
      return fmt::format(
          "impacts at one instant were taken one after the other, and their order, which is that "
          "of "
          "the bodies in the scene, decides the outcome: {} closed equally fast; set "
          "`events.impacts: simultaneous`",
          lane->tied());
    });
  if (const int law = lane->undirected(state); law >= 0)
    notices.add(Notice::Kind::undirected, law, -1, [&] { return undirected_text(model, law); });
  notices.accept();
  if (end == EventIntegrator::End::reached) {
    state.lane.patience /= 2;
    touched = true;
    if (reacts) {  // between the ends of the interval
      ends = state.groups;
      lane->store_impulses(contacts);
      act_in_events();
      std::swap(state.groups, start);
      const double t = state.t;
      state.t = t1 - h;
      react(h);
      state.t = t;
      std::swap(state.groups, start);
    }
    return;
  }
  if (report.joint_law >= 0) {  // nor could the schemes count the angle
    report.converged = report.finite = false;
    return;
  }
  if (!model.options().events.hand_over) {
    report.converged = false;
    return;
  }
  if (!schemes_fit()) {
    report.converged = false;
    report.failure =
        "event-driven integration would hand over to time stepping here, and the schemes of the "
        "bodies cannot integrate a law of this scene; `saltus check` with `--set "
        "time.lane=stepping` names the law and a scheme that can";
    return;
  }
  tell_hand_over(end, report.failure);
  notices.accept();         // whatever the steps below drop
  report.converged = true;  // what the lane cannot do the schemes may
  report.failure = {};
  to_schemes();
  state.lane.patience = std::clamp(2 * state.lane.patience, kFirst, kMost);
  state.lane.stepping = state.lane.patience;
  if (t1 - state.t < 1e-9 * h) {
    state.t = t1;
    return;
  }
  StepReport rest;
  advance(t1 - state.t, t1, 0, rest);
  add_earlier(rest, report);
  rest.steps = report.steps + 1;
  rest.rejected = report.rejected;
  rest.error = report.error;
  rest.events = static_cast<int>(events.size());
  rest.evaluations = report.evaluations;
  report = rest;
}

}  // namespace saltus

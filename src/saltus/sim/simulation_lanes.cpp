// Intervals of a model with the event lane, and the hand-over of the state between that lane and the schemes. In the lane a
// state holds physical q and v; each scheme starts from them and gives them back. What the change of the measure of energy
// makes is booked as the scheme's.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

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
  const EventLane::End end = lane->advance(state, t1, report, events);
  report.events = static_cast<int>(events.size());  // a take_back among them
  if (end == EventLane::End::reached) {
    state.lane.patience /= 2;
    touched = true;
    if (reacts) {  // between the ends of the interval
      ends = state.groups;
      lane->remember(contacts);
      std::swap(state.groups, start);
      const double t = state.t;
      state.t = t1 - h;
      react(h);
      state.t = t;
      std::swap(state.groups, start);
    }
    return;
  }
  if (!model.options().events.hand_over) {
    report.converged = false;
    if (end == EventLane::End::busy)
      report.failure =
          "more events in an interval, or contacts closed, than the event lane may have";
    return;
  }
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

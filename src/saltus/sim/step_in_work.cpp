#include "saltus/sim/step_in_work.h"

#include <algorithm>

#include "saltus/assembly/joint_angles.h"
#include "saltus/assembly/stored_energy.h"

namespace saltus {

std::vector<std::unique_ptr<Prepared>> prepare(const Model& model, double h) {
  std::vector<std::unique_ptr<Prepared>> prepared;
  for (const Group& group : model.groups())
    prepared.push_back(group.scheme->prepare(*group.dynamics, h));
  return prepared;
}

void start_schemes(const Model& model, const State& state, std::vector<GroupState>& groups) {
  const auto tables = prepare(model, state.h);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const Group& group = model.groups()[g];
    groups[g].memory.clear();
    group.scheme->start(*group.dynamics, tables[g].get(), state.t, state.h, groups[g]);
  }
}

void add_earlier(StepReport& step, const StepReport& before) {
  step.passes += before.passes;
  step.contacts = std::max(before.contacts, step.contacts);
  step.iterations += before.iterations;
  step.outstanding = std::max(before.outstanding, step.outstanding);
  step.joint_gap = std::max(before.joint_gap, step.joint_gap);
  step.joints += before.joints;
  step.residual = std::max(before.residual, step.residual);
  step.speed = std::max(before.speed, step.speed);
  step.closing = std::max(before.closing, step.closing);
  step.residual_after = std::max(before.residual_after, step.residual_after);
  step.linear_residual = std::max(before.linear_residual, step.linear_residual);
  step.gap = std::min(before.gap, step.gap);
  step.impulse += before.impulse;
  step.impact += before.impact;
  step.friction += before.friction;
  step.unexplained += before.unexplained;
  step.halvings += before.halvings;
}

Energy energy_of(const Model& model, PreparedSchemes prepared, double t, double h,
                 std::span<const GroupState> groups) {
  Energy sum;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const Group& group = model.groups()[g];
    const Energy E = group.scheme->energy(*group.dynamics, prepared[g].get(), t, h, groups[g]);
    sum.kinetic += E.kinetic;
    sum.potential += E.potential;
  }
  return sum;
}

void start_angles(const Model& model, State& state) {
  JointAngles angles(model);
  EventState& events = state.event_state;
  if (angles.known(state.groups) && (events.start.empty() || angles.known(events.start))) return;
  JointSystem joints = all_joints(model);
  if (!angles.known(state.groups)) angles.start(joints, state.t, state.groups);
  if (!events.start.empty() && !angles.known(events.start))
    angles.follow(joints, state.t, state.groups, events.t, events.start);
}

State initial_state(const Model& model) { return state_at(model, 0.0, 0); }

State state_at(const Model& model, double t, std::uint64_t step) {
  State state;
  state.t = t;
  state.step = step;
  state.h = model.options().h;
  state.groups.assign(model.initial().begin(), model.initial().end());
  state.solvers.resize(static_cast<std::size_t>(model.island_count()));
  state.ledger.assign(model.accounts().size(), 0.0);
  state.event_state.active = model.options().mode == TimeMode::events;
  if (!state.event_state.active) {
    const auto prepared = prepare(model, state.h);
    for (std::size_t g = 0; g < state.groups.size(); ++g) {
      const Group& group = model.groups()[g];
      group.scheme->start(*group.dynamics, prepared[g].get(), t, state.h, state.groups[g]);
    }
  }
  start_angles(model, state);
  state.energy = energy_of(model, state);
  state.energy_start = state.energy.total();
  return state;
}

Energy energy_of(const Model& model, const State& state) {
  Springs springs(model);
  return energy_of(model, state, springs);
}

Energy energy_of(const Model& model, const State& state, Springs& springs) {
  Energy energy;
  if (state.event_state.active)
    for (std::size_t g = 0; g < state.groups.size(); ++g) {
      const GroupState& at = state.groups[g];
      const Energy E = model.groups()[g].dynamics->energy(state.t, at.q, at.v);
      energy.kinetic += E.kinetic;
      energy.potential += E.potential;
    }
  else
    energy = energy_of(model, prepare(model, state.h), state.t, state.h, state.groups);
  if (springs.any()) {
    JointSystem joints = all_joints(model);
    energy.potential += springs.stored(joints, state.t, state.groups).all;
  }
  return energy;
}

}  // namespace saltus

// A step between its start and its commit, for functions that evaluate it.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "saltus/assembly/island.h"
#include "saltus/dynamics/scheme.h"
#include "saltus/model/model.h"
#include "saltus/state/state.h"

namespace saltus {

using PreparedSchemes = std::span<const std::unique_ptr<Prepared>>;  ///< one per group
using Islands = std::span<const std::unique_ptr<Island>>;  ///< null: no contact is possible

struct StepInWork {
  const State& state;  ///< at its start
  std::span<Trial> trials;
  std::span<const GroupState> ends;
  PreparedSchemes prepared;
  Islands islands;
};

/// Data that the scheme of each group prepares for steps of h [s].
std::vector<std::unique_ptr<Prepared>> prepare(const Model& model, double h);
/// Kinetic and potential energy of the bodies as their schemes measure it with steps of h.
Energy energy_of(const Model& model, PreparedSchemes prepared, double t, double h,
                 std::span<const GroupState> groups);
/// Converts physical q and v to states of the schemes, with the step length of the state.
void start_schemes(const Model& model, const State& state, std::vector<GroupState>& groups);
/// State at t after `step` steps, with the schemes started from the physical data of the model.
State state_at(const Model& model, double t, std::uint64_t step);
/// Sets the joint angles of a state that has none yet (JointAngles::start()).
void start_angles(const Model& model, State& state);
/// Adds the report of the previous step in the same interval to that of a step.
void add_earlier(StepReport& step, const StepReport& before);

}  // namespace saltus

// Warnings about a finished run, each one line with its remedy.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "saltus/phases/run_loop.h"
#include "saltus/study/scene_setup.h"

namespace saltus {

/// Time of the row at which an extreme occurred [s].
double time_of(const Extreme& extreme, const SceneSetup& setup);

/// Warns about contacts that did positive work, with the option that avoids it; "" if none did. The
/// functions below also return "" if there is nothing to report.
std::string gain_warning(const ContactGain& gain, const State& state, const SceneSetup& setup);
/// Warns about steps that were accepted with unsolved contacts.
std::string unsolved_warning(const LoopReport& loop, const SceneSetup& setup);
/// Warns about a heap whose contacts remained above the tolerance for heaps.
std::string left_warning(const LoopReport& loop, const SceneSetup& setup);
/// Warns about energy that no work term explains, if it is at least a tenth of the energy.
std::string unexplained_warning(const LoopReport& loop, const State& state,
                                const SceneSetup& setup);
/// Warns about contact laws that are violated at the end of steps.
std::string law_warning(const LoopReport& loop, const SceneSetup& setup);
/// Warns about bodies that sank into each other by more than the velocities of the run explain.
std::string sinking_warning(const LoopReport& loop, const SceneSetup& setup);
/// Warns about explicit schemes that added energy: more than loads and prescribed motion did, by a
/// thousandth of the largest of those works and the kinetic energy. kinetic: its largest value [J].
std::string growth_warning(double kinetic, const State& state, const SceneSetup& setup);
/// Warns about position-level joints that were violated by more than 1e-6 of 1 m (or 1 rad) and of
/// the size of their bodies, and about velocity-level joints that drifted by 1e-3 of that size.
/// gap: RunStatistics::joint_gap; state: the last one.
std::string joint_warning(const Extreme& gap, const Model& model, const State& state);
/// Lists the notices of single steps, one line each, at most three of a kind.
std::vector<std::string> notice_warnings(std::span<const Notice> notices);
/// Warns about elements that are inverted in the final state.
std::string inverted_warning(const State& state, const SceneSetup& setup);

}  // namespace saltus

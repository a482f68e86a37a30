// What is doubtful about a finished run, each a line with its remedy.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "saltus/study/run_loop.h"
#include "saltus/study/scene_setup.h"

namespace saltus {

/// Time of the row of an extreme [s].
double time_of(const Extreme& extreme, const SceneSetup& setup);

/// What to say about contacts that did positive work, with the option that avoids it; "" where none
/// did.
std::string gain_warning(const ContactGain& gain, const State& state, const SceneSetup& setup);
/// The same about steps that were accepted although their contacts were not solved.
std::string unsolved_warning(const LoopReport& loop, const SceneSetup& setup);
/// The same about a heap whose contacts were left above the tolerance of heaps.
std::string left_warning(const LoopReport& loop, const SceneSetup& setup);
/// The same about energy that no account explains, where it is a tenth of the energy or more.
std::string unexplained_warning(const LoopReport& loop, const State& state,
                                const SceneSetup& setup);
/// The same about laws that do not hold on the finished states.
std::string law_warning(const LoopReport& loop, const SceneSetup& setup);
/// The same about bodies that sank into each other by more than the velocities of the run explain.
std::string sinking_warning(const LoopReport& loop, const SceneSetup& setup);
/// The same about explicit schemes that fed more than a thousandth into the motion: beyond what
/// loads and prescribed motion did, and of the largest of those works and the kinetic energy;
/// kinetic: its largest value [J].
std::string growth_warning(double kinetic, const State& state, const SceneSetup& setup);
/// The same about joints that are held at their positions and were open, by more than 1e-6 of 1 m
/// (or 1 rad) and of the size of what they hold; about those at level velocity that drifted apart
/// by 1e-3 of it. gap: RunStatistics::joint_gap; state: the last.
std::string joint_warning(const Extreme& gap, const Model& model, const State& state);
/// The same about what single steps met, a line each; of many of a kind the first three.
std::vector<std::string> notice_warnings(std::span<const Notice> notices);
/// The same about elements that are turned inside out in the last state.
std::string inverted_warning(const State& state, const SceneSetup& setup);

}  // namespace saltus

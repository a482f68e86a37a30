// What `saltus run` prints at the end: a table for people, or one JSON object.
#pragma once
#include <string>
#include <vector>

#include "saltus/app/run_loop.h"
#include "saltus/app/scene_setup.h"
#include "saltus/io/convert.h"

namespace saltus::app {

struct RunResult {
  const SceneSetup* setup = nullptr;
  const State* state = nullptr;  ///< the last one
  LoopReport loop;
  bool resumed = false;
  std::string stopped;             ///< why the end was not reached, "" where it was
  std::vector<std::string> files;  ///< written
  std::vector<WavReport> sounds;
  std::vector<std::string> warnings;
};

std::string run_table(const RunResult& result);
std::string run_json(const RunResult& result);

/// What to say about contacts that did positive work, with the option that avoids it; "" where none did.
std::string gain_warning(const ContactGain& gain, const SceneSetup& setup);
/// The same about steps that were accepted although their contacts were not solved.
std::string unsolved_warning(const LoopReport& loop, const SceneSetup& setup);
/// The same about energy that no account explains, where it is a tenth of the energy or more.
std::string unexplained_warning(const LoopReport& loop, const State& state,
                                const SceneSetup& setup);
/// The same about laws that do not hold on the finished states.
std::string law_warning(const LoopReport& loop, const SceneSetup& setup);
/// The same about elements that are turned inside out in the last state.
std::string inverted_warning(const State& state, const SceneSetup& setup);

}  // namespace saltus::app

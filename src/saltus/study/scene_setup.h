// What all that run a scene share: it becomes a model that can be run and whose files can be
// written.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "saltus/model/model.h"
#include "saltus/spec/scene.h"
#include "saltus/study/auto_choice.h"

namespace saltus {

struct SceneSetup {
  Scene scene;
  Model model;
  std::uint64_t steps = 0;  ///< from t = 0 to the end
  /// Of a scene with `time.scheme: auto`, whose trials chose mode, schemes and step of `scene`.
  std::shared_ptr<AutoSearch> search{};
};

/// Reads and builds. `until`: replaces time.end, "" for none. Throws SceneError with place, also
/// for outputs that no run of this scene could write: rates without a WAV rate, one name for two
/// files, samples that are not stored.
SceneSetup set_up(const std::string& file, std::span<const std::string> assignments,
                  const std::string& until = "");

/// The same of a scene that was read. With `time.scheme: auto` trials of a part of the run are
/// made.
SceneSetup set_up(Scene scene, const std::string& until = "");
/// The next scene of a search, as SceneSetup has it.
SceneSetup set_up_next(std::shared_ptr<AutoSearch> search);

/// Numbers in a row of the results: step columns, accounts, probes.
std::size_t row_width(const Model& model);

}  // namespace saltus

// Builds a runnable model from a scene and checks that its outputs can be written.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "saltus/model/model.h"
#include "saltus/phases/phase_models.h"
#include "saltus/spec/scene.h"
#include "saltus/study/auto_choice.h"

namespace saltus {

struct SceneSetup {
  Scene scene;
  Model model;
  std::uint64_t steps = 0;  ///< from t = 0 to the end
  /// If the scene has `time.scheme: auto`: the search whose trials chose mode, schemes and step of
  /// `scene`.
  std::shared_ptr<AutoSearch> search{};
  /// If the scene has phases: their scenes and models, of which `model` is the first.
  std::shared_ptr<const PhaseModels> phases{};
};

/// Reads and builds. `until`: replaces time.end, "" keeps it. Throws SceneError with place, also
/// for outputs that no run of this scene could write: a sample rate that WAV does not support, two
/// files with the same name, samples that are not stored.
SceneSetup set_up(const std::string& file, std::span<const std::string> assignments,
                  const std::string& until = "");

/// Builds a scene that has been read. `time.scheme: auto` runs its trials on a part of the run.
SceneSetup set_up(Scene scene, const std::string& until = "");
/// The setup of the next scene of a search.
SceneSetup set_up_next(std::shared_ptr<AutoSearch> search);

/// Number of values in a row of the results: step columns, work terms, probes.
std::size_t row_width(const Model& model);

}  // namespace saltus

// The scenes of the phases of a run: that of the file with the changes up to and including a phase.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "saltus/spec/scene.h"

namespace saltus {

/// A phase as it is run.
struct PhaseScene {
  std::string name;
  std::string path;             ///< "phases[1]"
  Scene scene;                  ///< without `phases`; only the first has a `start`
  double from = 0.0, to = 0.0;  ///< [s]
  std::uint64_t first = 0;      ///< step at its start
  std::uint64_t last = 0;       ///< step at its end
  bool reached = true;          ///< it begins before time.end; otherwise it has no steps
};

/// All of them, in their order; empty: the scene has no phases. Throws SceneError with the position
/// of the phase: a change that cannot be read, or of what a phase cannot change; a phase shorter
/// than a step.
std::vector<PhaseScene> phase_scenes(const Scene& scene);

}  // namespace saltus

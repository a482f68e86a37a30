// Scenes for runs that are disturbed, and what is asked of the files that they leave.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "command.h"

namespace saltus_test {

struct FaultScene {
  std::string name, text;
};

/// A string over a fret, a mixed scene (balls, a joint, a soft block, friction) and a scene of event-driven integration; each with frames
/// and checkpoints, some tens of milliseconds long.
std::vector<FaultScene> fault_scenes();

bool holds(const std::string& text, const std::string& part);
/// Lines on stderr but for warnings.
int lines_that_are_no_warnings(const std::string& err);
/// Bit for bit, as `saltus compare` does it.
bool same_results(const std::string& a, const std::string& b);
/// Of the newest checkpoint, read with the model of the scene.
std::uint64_t checkpoint_step(const std::string& file, const FaultScene& scene);

}  // namespace saltus_test

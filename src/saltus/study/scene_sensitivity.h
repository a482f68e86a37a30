// Derivatives of the final outputs of a scene with respect to numbers in the scene.
//
//     SceneSensitivity s = scene_sensitivities(read_scene("ball.yaml"),
//         {"contacts[0].law.restitution"});
//     s.value(0, 0);  // d(outputs[0])/d(restitution)
//
// Paths are those of --set; every number of the resolved scene has one. Method:
// sensitivity/sensitivity.h.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "saltus/sensitivity/sensitivity.h"
#include "saltus/spec/scene.h"

namespace saltus {

struct SceneSensitivity {
  struct Parameter {
    std::string path;
    double x = 0.0, delta = 0.0;  ///< value, and the increment of the difference quotient [SI]
  };
  struct Output {
    std::string name, unit;
    double value = 0.0;  ///< at the end
  };
  std::vector<Parameter> to;
  std::vector<Output> of;
  Matrix value;  ///< d of/d to, one row per output [unit of the output/SI]; empty if undefined
  Sensitivity states;  ///< of all states, with validity and reason
};

/// The scene must use event-driven integration. `of`: names of outputs; empty: all except forces,
/// which depend on the last step. Throws SceneError at "sensitivities.to[0]": a path that is not a
/// number, a number that cannot be changed in both directions (a restitution of 1, a friction of
/// 0), one that changes the structure of the model; at "sensitivities.of[0]": no such output.
SceneSensitivity scene_sensitivities(const Scene& scene, std::span<const std::string> to,
                                     std::span<const std::string> of = {});

/// One JSON object; undefined numbers are null.
std::string sensitivities_json(const SceneSensitivity& result);
/// A table as text; each line ends with a line break.
std::string sensitivities_text(const SceneSensitivity& result);

}  // namespace saltus

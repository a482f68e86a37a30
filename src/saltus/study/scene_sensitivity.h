// Derivatives of the outputs of a scene at the end of its run, by numbers of the scene.
//
//     SceneSensitivity s = scene_sensitivities(read_scene("ball.yaml"),
//         {"contacts[0].law.restitution"});
//     s.value(0, 0);  // d(outputs[0])/d(restitution)
//
// Paths are those of --set, and every number of the resolved scene has one. Method:
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
    double x = 0.0, delta = 0.0;  ///< value, and the difference that was taken [SI]
  };
  struct Output {
    std::string name, unit;
    double value = 0.0;  ///< at the end
  };
  std::vector<Parameter> to;
  std::vector<Output> of;
  Matrix value;  ///< d of/d to, a row an output [unit of the output/SI]. Empty where there is none
  Sensitivity states;  ///< of all states, with validity and reason
};

/// The scene is of event-driven integration. `of`: names of outputs; empty: all but forces, which
/// depend on the last step. Throws SceneError at "sensitivities.to[0]": a path that leads to no
/// number, a number that cannot be changed both ways (a restitution of 1, a friction of 0), one
/// that changes what the scene is made of; at "sensitivities.of[0]": no such output.
SceneSensitivity scene_sensitivities(const Scene& scene, std::span<const std::string> to,
                                     std::span<const std::string> of = {});

/// One JSON object; numbers that do not exist are null.
std::string sensitivities_json(const SceneSensitivity& result);
/// A table for people; lines end with a line break.
std::string sensitivities_text(const SceneSensitivity& result);

}  // namespace saltus

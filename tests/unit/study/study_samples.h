// Scenes of the tests of studies.
#pragma once
#include <string>

#include "saltus/scene_file/scene_yaml.h"

namespace study_test {

/// q'' + 4 q = 0 from q = 1 at rest: q = cos 2t; 2 s in steps of 20 ms.
inline const std::string kSwing = R"(saltus: 1
title: A mass on a spring
time: {end: 2 s, step: 20 ms}
bodies:
  - {name: mass, kind: linear, oscillator: {mass: 1, stiffness: 4}, initial: {coordinates: [1]}}
outputs:
  - {probe: mass, name: x, at: 0, quantity: displacement}
)";

/// The same between 0.5 above and a stop at -0.5: one impact at t = pi/3, restitution 0.8.
inline const std::string kStop = kSwing + R"(contacts:
  - {on: mass, against: {stop: {at: -0.5, side: below}}, law: {kind: newton-impact, restitution: 0.8}}
)";

inline saltus::Scene scene(const std::string& text, const std::filesystem::path& folder = {}) {
  return saltus::read_scene_text(text, "scene.yaml", {}, folder);
}

}  // namespace study_test

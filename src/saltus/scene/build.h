// Builds a model from a scene, or reports the faults of the scene with their positions in the file.
#pragma once
#include "saltus/model/model.h"
#include "saltus/spec/scene.h"

namespace saltus {

class Faults;

/// Reads the data files that the scene names. Every SceneError carries file, line and column. A
/// scene with `start` is refused: build_run() (phases/build_run.h) reads it.
Model build(const Scene& scene);

/// build() without its entry `start`, for bodies that then get another state: no warnings about how
/// joints move them to their positions in the scene.
Model build_placed(const Scene& scene);

/// Builds, and adds faults to `faults`: those of all bodies; if there are none, those of all
/// contacts; if there are none either, the first fault of the rest. Paths are those of the scene;
/// file positions are not set.
void build_faults(const Scene& scene, Faults& faults);

}  // namespace saltus

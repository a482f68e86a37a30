// A scene becomes a model, or a SceneError says what is wrong with it and where.
#pragma once
#include "saltus/model/model.h"
#include "saltus/spec/scene.h"

namespace saltus {

class Faults;

/// Reads the data files that the scene names. Every SceneError carries file, line and column.
Model build(const Scene& scene);

/// Builds, and adds what is wrong to `faults`: of all bodies; where those are sound of all
/// contacts; where they are too the first fault of the rest. Paths are those of the scene, places
/// are left out.
void build_faults(const Scene& scene, Faults& faults);

}  // namespace saltus

// Models of scenes that start from the state of a former run.
#pragma once
#include "saltus/model/model.h"
#include "saltus/spec/scene.h"

namespace saltus {

/// build(), then the bodies at the state that the entry `start` of the scene names, if it has one.
/// Every SceneError carries its position in the file.
Model build_run(const Scene& scene);

}  // namespace saltus

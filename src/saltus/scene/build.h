// A scene becomes a model, or a SceneError says what is wrong with it and where.
#pragma once
#include "saltus/scene/model.h"
#include "saltus/scene/scene.h"

namespace saltus {

/// Reads the data files that the scene names. Every SceneError carries file, line and column.
Model build(const Scene& scene);

}  // namespace saltus

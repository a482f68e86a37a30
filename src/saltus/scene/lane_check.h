// What the event lane knows, and what it refuses by name.
#pragma once
#include "saltus/scene/model.h"
#include "saltus/scene/spec.h"

namespace saltus {

/// Laws that speak of steps, of which the lane has none: fremond. Throws SceneError with the path of the law.
void expect_lane_laws(const SceneSpec& spec);
/// The same of the parts of a model whose lane is that of events: laws that restrict gaps at the end of a step, rolling and
/// spinning friction, cohesion, joints that can break, options of steps, bodies without a mass matrix, an implicit integrator
/// for bodies without tangents. Throws SceneError; UsageError where EventOptions are out of range.
void expect_lane(const ModelParts& parts);

}  // namespace saltus

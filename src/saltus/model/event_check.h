// What event-driven integration supports, and what it refuses by name.
#pragma once
#include "saltus/model/model.h"

namespace saltus {

/// Of the parts of a model whose mode is that of events: laws that it does not know
/// (LawFacts::not_by_events), rolling and spinning friction, cohesion, joints that can break,
/// options of steps, bodies without a mass matrix, an implicit integrator for bodies without
/// tangents. Throws SceneError; UsageError where EventOptions are out of range.
void expect_mode(const ModelParts& parts);

}  // namespace saltus

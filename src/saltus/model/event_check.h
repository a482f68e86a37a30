// Checks that event-driven integration supports a model.
#pragma once
#include "saltus/model/model.h"

namespace saltus {

/// For models in event-driven mode. Throws SceneError for laws without support
/// (LawFacts::not_by_events), rolling and spinning friction, cohesion, joints that can break,
/// options of time stepping, bodies without a mass matrix, and an implicit integrator for bodies
/// without tangents; UsageError if EventOptions are out of range.
void expect_mode(const ModelParts& parts);

}  // namespace saltus

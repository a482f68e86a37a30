// Faults of an entry of kind fem: options that do not fit its mesh, its material or its form.
#pragma once
#include <string>

#include "saltus/spec/fem_spec.h"

namespace saltus {

/// Throws SceneError for options that would have no effect: a thickness without plane elements, an
/// area without bars, a tangent of another law, limits of another solver. path: "bodies[0].fem".
void expect_used(const FemSpec& spec, const Mesh& mesh, const std::string& path);

/// Throws SceneError if `stops` are not available: with modes, consistent mass, a law other than
/// linear, or form body_corotational.
void expect_stoppable(const FemSpec& spec, const std::string& path);

/// Throws SceneError for options that a reduced body does not support: a surface, loads and
/// prescribed motion that vary in time, the same place twice. system: the system built from `spec`.
void expect_reducible(const FemSpec& spec, const FemSystem& system, const std::string& path);

}  // namespace saltus

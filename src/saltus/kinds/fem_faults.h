// What an entry of kind fem asks for and its mesh, its material or its form has not.
#pragma once
#include <string>

#include "saltus/spec/fem_spec.h"

namespace saltus {

/// SceneError for what would be passed over: a thickness without plane elements, an area without
/// bars, a tangent of another law, limits of another solver. path: "bodies[0].fem".
void expect_used(const FemSpec& spec, const Mesh& mesh, const std::string& path);

/// SceneError where `stops` cannot be: with modes, consistent mass, another law than linear, form
/// body_corotational.
void expect_stoppable(const FemSpec& spec, const std::string& path);

/// SceneError for what a body in its modes has none of: a surface, loads and prescribed motion that
/// change in time, places twice. system: as it was built from `spec`.
void expect_reducible(const FemSpec& spec, const FemSystem& system, const std::string& path);

}  // namespace saltus

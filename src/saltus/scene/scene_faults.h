// All that is wrong with a scene, for whom the first fault is not enough.
#pragma once
#include "saltus/base/faults.h"
#include "saltus/model/model.h"
#include "saltus/spec/scene.h"

namespace saltus {

/// Adds to `faults`, which hold what reading and checking found, what the rules between entries and
/// building find: entries with a fault are left out together with what refers to them, and the rest
/// is built. Costs a few builds; for scenes with a fault.
void find_faults(const Scene& scene, Faults& faults);

/// build(); where that finds a fault it throws all of them.
Model build_or_find_faults(const Scene& scene);

}  // namespace saltus

// Finds all faults of a scene, instead of the first one only.
#pragma once
#include "saltus/base/faults.h"
#include "saltus/model/model.h"
#include "saltus/spec/scene.h"

namespace saltus {

/// Adds to `faults`, which contain the faults of reading and checking, the faults of rules between
/// entries and of building: faulty entries are left out together with all references to them, and
/// the rest is built. Costs a few builds; meant for scenes with a fault.
void find_faults(const Scene& scene, Faults& faults);

/// Calls build(); if it finds a fault, throws all faults.
Model build_or_find_faults(const Scene& scene);

}  // namespace saltus

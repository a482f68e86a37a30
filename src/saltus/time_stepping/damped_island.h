// A second attempt at steps whose passes did not converge.
#pragma once
#include <memory>
#include <vector>

#include "saltus/assembly/island.h"

namespace saltus {

/// The island, which makes such a step once more with Trial::damp; if that fails too, the report of
/// the first attempt stands. `groups`: those of the island. Islands whose schemes need one pass or
/// accept what they have, and those of runs that accept or control their steps, are returned as
/// they are.
std::unique_ptr<Island> damped_on_failure(const Model& model, std::vector<int> groups,
                                          std::unique_ptr<Island> island);

}  // namespace saltus

// Checks of the loads on rigid and pseudo-rigid bodies of a group.
#pragma once
#include <string>

#include "saltus/base/error.h"

namespace saltus {

/// Throws UsageError that names the load if its body does not exist, or its direction or position
/// is not finite.
template <class Loads>
void check_body_loads(const Loads& loads, int bodies) {
  for (std::size_t k = 0; k < loads.size(); ++k) {
    const auto& l = loads[k];
    if (l.body < 0 || l.body >= bodies) [[unlikely]]
      expects(false, "load " + std::to_string(k) + ": body " + std::to_string(l.body) +
                         " does not exist; there are " + std::to_string(bodies));
    if (!l.direction.allFinite() || !l.at.allFinite()) [[unlikely]]
      expects(false, "load " + std::to_string(k) + ": its direction and position must be finite");
  }
}

}  // namespace saltus

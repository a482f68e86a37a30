// Loads on bodies of a group, of rigid and of pseudo-rigid ones.
#pragma once
#include <string>

#include "saltus/base/error.h"

namespace saltus {

/// Throws UsageError naming the load: its body is not there, its direction or place is not finite.
template <class Loads>
void check_body_loads(const Loads& loads, int bodies) {
  for (std::size_t k = 0; k < loads.size(); ++k) {
    const auto& l = loads[k];
    if (l.body < 0 || l.body >= bodies) [[unlikely]]
      expects(false, "load " + std::to_string(k) + ": body " + std::to_string(l.body) + " of " +
                         std::to_string(bodies));
    if (!l.direction.allFinite() || !l.at.allFinite()) [[unlikely]]
      expects(false, "load " + std::to_string(k) + ": its direction and place are finite");
  }
}

}  // namespace saltus

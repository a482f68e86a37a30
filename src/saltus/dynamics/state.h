// What a group of bodies carries from step to step.
#pragma once
#include <vector>

#include "saltus/base/base.h"

namespace saltus {

/// q [m, rad, quaternion], v [m/s, rad/s] as the scheme holds it (Scheme::velocity gives the
/// physical one), and the scheme's memory: smooth quantities only, because an impulse stored in an
/// acceleration acts twice.
struct GroupState {
  Vector q, v;
  std::vector<Vector> memory;
};

/// [J]
struct Energy {
  double kinetic = 0.0, potential = 0.0;
  double total() const { return kinetic + potential; }
};

}  // namespace saltus

// State that a group of bodies carries from step to step.
#pragma once
#include <vector>

#include "saltus/base/base.h"

namespace saltus {

/// q [m, rad, quaternion], v [m/s, rad/s] as the scheme stores it (Scheme::velocity returns the
/// physical one), and the scheme's memory. Memory contains only smooth quantities, because an
/// impulse stored in an acceleration would act twice.
struct GroupState {
  Vector q, v;
  std::vector<Vector> memory{};
  /// Joint angles that this group stores (Model::angles()), over any number of turns [rad]; within
  /// half a turn of the angles that q determines up to full turns.
  std::vector<double> angles{};
};

/// [J]
struct Energy {
  double kinetic = 0.0, potential = 0.0;
  double total() const { return kinetic + potential; }
};

}  // namespace saltus

// A uniform acceleration that changes in time and acts on all mass: gravity given as a table,
// ground that shakes.
#pragma once
#include <vector>

#include "saltus/bodies/signal.h"
#include "saltus/math/rotation.h"

namespace saltus {

/// a(t) = sum of value(t) direction [m/s^2], in addition to constant gravity. Its forces are loads:
/// they have no potential.
struct UniformField {
  struct Term {
    Vector3 direction = Vector3::Zero();
    Signal signal;
  };
  std::vector<Term> terms{};
};

}  // namespace saltus

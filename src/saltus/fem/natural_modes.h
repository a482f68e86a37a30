// Natural modes of a body about a state:  K x = omega^2 M x.
#pragma once
#include "saltus/dynamics/dynamics.h"

namespace saltus {

struct NaturalModes {
  Vector omega;  ///< [rad/s], increasing; exactly 0 for unrestrained motions
  Matrix shape;  ///< one column x per mode, x.M x = 1, M-orthogonal, largest component positive
  /// largest |K x - omega^2 M x|_(M^-1) over all modes, relative to the last omega^2
  double residual = 0.0;
};

/// The `count` lowest modes at q and rest, multiple modes with their multiplicity, by Lanczos steps
/// on (K - s M)^-1 M with a shift s < 0, so that free bodies need no special treatment; all modes
/// at once where that is cheaper. Holds one factorisation of K - s M at a time. omega^2 below 1e-13
/// of the body's largest counts as 0. The result is reproducible.
/// Throws UsageError: the tangents of the body are not symmetric, count is outside 1 ..
/// velocities(), the state is unstable (omega^2 < 0) or its K is not finite, or modes did not
/// converge.
NaturalModes natural_modes(const Dynamics& body, View q, int count);

}  // namespace saltus

// Natural modes of a body about a state:  K x = omega^2 M x.
#pragma once
#include "saltus/dynamics/dynamics.h"

namespace saltus {

struct NaturalModes {
  Vector omega;  ///< [rad/s], increasing; exactly 0 of motions that nothing holds back
  Matrix shape;  ///< a column x a mode, x.M x = 1, M-orthogonal, its largest component positive
  double residual =
      0.0;  ///< largest |K x - omega^2 M x|_(M^-1) of all modes, as a part of the last omega^2
};

/// The `count` lowest modes at q and rest, multiple ones as often as they are: by Lanczos steps on
/// (K - s M)^-1 M with a shift s < 0, so that free bodies are no exception; all modes at once where
/// that is cheaper. One factor of K - s M at a time. omega^2 below 1e-13 of the largest of the body
/// counts as 0. The same every time.
/// Throws UsageError: the tangents of the body are not symmetric, count outside 1 .. velocities(),
/// a state that is not stable (omega^2 < 0) or whose K is not finite, modes that were not found.
NaturalModes natural_modes(const Dynamics& body, View q, int count);

}  // namespace saltus

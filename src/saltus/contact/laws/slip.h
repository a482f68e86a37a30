// The slip of a contact with velocity-weakening friction: one step of the search.
#pragma once
#include <algorithm>

#include "saltus/contact/laws/friction.h"

namespace saltus {

/// The next slip to assume [m/s] after the contact, solved with friction scaled by f(x), has slip
/// s. A single contact with slip b without impulse, and w = W times its friction at rest [m/s], has
///     s = max(|b| - w f(x), 0)
/// We look for s = x: a root of
///     psi(x) = x + w f(x) - |b|,     psi'(x) = 1 + w f'(x),     psi convex
/// or sticking, x = 0. Where psi increases, Newton's method descends to the largest root from any
/// point above it. Where psi decreases, |b| - w f(infinity) lies above that root if psi < 0;
/// otherwise there is no root below x, and the contact sticks.
inline double next_slip(const VelocityWeakening& f, double w, double x, double s) {
  if (s == 0.0) return 0.0;
  const double rise = 1.0 + w * f.slope(x), behind = s + w * (f.share(x) - f.ratio);
  if (rise > 0.0) return std::clamp(x + (s - x) / rise, 0.0, behind);
  return s > x ? behind : 0.0;
}

}  // namespace saltus

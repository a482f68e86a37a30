// The slip of a contact whose friction falls with it: one step of the search.
#pragma once
#include <algorithm>

#include "saltus/contact/laws/friction.h"

namespace saltus {

/// The next slip to assume [m/s], after the contact solved with friction of the share f(x) has come
/// out with the slip s. One contact has  s = max(|b| - w f(x), 0)  with its slip b without impulse
/// and w = W times its friction at rest [m/s], and wants s = x: a root of
///     psi(x) = x + w f(x) - |b|,     psi'(x) = 1 + w f'(x),     psi convex
/// or sticking, x = 0. Where psi rises, Newton's method comes down to the largest root from every
/// point behind it; where it falls, |b| - w f(infinity) lies behind that root if psi < 0, and if
/// psi > 0 there is none below x: the contact sticks.
inline double next_slip(const VelocityWeakening& f, double w, double x, double s) {
  if (s == 0.0) return 0.0;
  const double rise = 1.0 + w * f.slope(x), behind = s + w * (f.share(x) - f.ratio);
  if (rise > 0.0) return std::clamp(x + (s - x) / rise, 0.0, behind);
  return s > x ? behind : 0.0;
}

}  // namespace saltus

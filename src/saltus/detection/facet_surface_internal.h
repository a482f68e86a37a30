// The nearest point of a facet, used for contact and for depth.
#pragma once
#include <array>
#include <limits>

#include "saltus/base/base.h"

namespace saltus {

/// The point of triangle c closest to x. `at`: 0 in the interior, 1 + i at corner i, 4 + i on the
/// side from corner i to i + 1.
inline Vector3 closest(const std::array<Vector3, 3>& c, const Vector3& n, const Vector3& x,
                       int& at) {
  at = 0;
  double best = std::numeric_limits<double>::infinity();
  Vector3 border = x;
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3;
    const Vector3 e = c[j] - c[i];
    if (e.cross(n).dot(x - c[i]) <= 0.0) continue;
    const double t = e.dot(x - c[i]) / e.squaredNorm();
    const Vector3 y = t <= 0.0 ? c[i] : t >= 1.0 ? c[j] : Vector3(c[i] + t * e);
    const double d2 = (x - y).squaredNorm();
    if (d2 >= best) continue;
    best = d2;
    border = y;
    at = t <= 0.0 ? 1 + i : t >= 1.0 ? 1 + j : 4 + i;
  }
  return at == 0 ? Vector3(x - n.dot(x - c[0]) * n) : border;
}

}  // namespace saltus

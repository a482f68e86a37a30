#include "saltus/model/moving_points.h"

#include <algorithm>
#include <cmath>

namespace saltus {

double motion_along(const PointRows& J, std::size_t i, const Vector3& n) {
  double most = 0.0;
  for (int k = J.offset[i]; k < J.offset[i + 1]; ++k)
    for (int j = 0; j < J.width; ++j) {
      const double* block = &J.value[static_cast<std::size_t>(3 * k * J.width + j)];
      most = std::max(
          most, std::abs(n[0] * block[0] + n[1] * block[J.width] + n[2] * block[2 * J.width]));
    }
  return most;
}

}  // namespace saltus

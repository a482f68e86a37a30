#include "saltus/assembly/path_ratio.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/base/index_internal.h"

namespace saltus {

double path_ratio(const Model& model, const JointSystem& joints, const JointLaw& on,
                  const Scheme& scheme, const CoordinateStep& step) {
  const JointKind kind = model.joints()[at(on.joint)].kind;
  if (kind == JointKind::line) {
    if (scheme.axes_fixed()) return 1.0;  // the rows are not means of both ends
    const double sum = on.sign * (step.y0 + step.y1) + 2.0 * on.offset;  // l0 + l1
    return sum > 0.0 ? 2.0 * joints.coordinate(on.joint, on.coordinate) / sum : 1.0;
  }
  // For other coordinates no rate gives the path if their axes rotate.
  constexpr double kLeast = 1e-5;  // of the angle: below, the ratio has too few digits
  const bool turns =
      is_angle(kind, on.coordinate) && kind != JointKind::universal && kind != JointKind::socket;
  const double by_rate = 0.5 * step.h * (step.u0 + step.u1);
  const double angle =
      std::max({1.0, std::abs(on.sign * step.y0 + on.offset), std::abs(step.y0)});  // [rad]
  if (!turns || !(std::abs(by_rate) > kLeast * angle)) return 1.0;
  // Where the joint reverses, the path is short, and the difference of the ratio from 1 is
  // round-off of the angles: as it changes from pass to pass, the passes would not reach their
  // tolerance.
  const double ratio = (step.y1 - step.y0) / by_rate,
               round_off = 2.0 * std::numeric_limits<double>::epsilon() * angle;
  return std::abs(ratio - 1.0) * std::abs(by_rate) <= round_off ? 1.0 : ratio;
}

}  // namespace saltus

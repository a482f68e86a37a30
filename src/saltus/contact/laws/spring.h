// Springs: the force of a compliant contact, in a step and at an instant.
#pragma once
#include <algorithm>
#include <cmath>

namespace saltus {

/// Force of a compliant contact [N]; y is the gap, u its rate, d = max(-y, 0):
///     N = k d^p - c u >= 0,   c > 0 with p = 1 only
struct ContactSpring {
  /// middle: at (y0 + y1)/2 and (u0 + u1)/2. end: at y1 and u1. mean: k d^p averaged over the
  /// displacement from y0 to y1, c d' over the step.
  enum class At { mean, middle, end };
  double stiffness = 0.0;  ///< k [N/m^p]
  double exponent = 1.0;   ///< p >= 1
  double damping = 0.0;    ///< c [N s/m]
  /// N of either sign, at any gap: a spring, not an obstacle; linear() only.
  At at = At::mean;
  bool pulls = false;
  /// The rate of a coordinate along a direction that turns within the step is not the rate of its
  /// gap at either end: only the mean of both is. False if that may be.
  bool steady = false;

  /// Whether it is one complementarity row, exact in one pass.
  bool linear() const { return exponent == 1.0 && at != At::mean; }
  /// Weight of y1 and u1 in the gap and rate at which a linear spring acts.
  double weight() const { return at == At::middle ? 0.5 : 1.0; }
};

/// F(y) = k d^p [N] and V(y) = k d^(p + 1)/(p + 1) [J], d = max(-y, 0); V = k y^2/2 for a spring
/// that pulls.
inline double spring_force(const ContactSpring& x, double gap) {
  return x.stiffness * std::pow(std::max(-gap, 0.0), x.exponent);
}
inline double spring_energy(const ContactSpring& x, double gap) {
  const double d = x.pulls ? std::abs(gap) : std::max(-gap, 0.0);
  return x.stiffness * std::pow(d, x.exponent + 1.0) / (x.exponent + 1.0);
}

/// Mean force of a step from gap y0 to y1, and how fast it decreases with y1.
struct ForceStep {
  double force = 0.0;  ///< N [N]; no force if it is not above 0
  double slope = 0.0;  ///< -dN/dy1 [N/m]; > 0 where N > 0
};

/// mean: F = (V(y0) - V(y1))/(y1 - y0). Its work over the step is the energy that the spring
/// releases, so that energy is conserved. Without damping.
inline ForceStep spring_step(const ContactSpring& x, double y0, double y1) {
  const auto slope_at = [&](double gap) {
    return gap < 0.0 ? x.exponent * spring_force(x, gap) / -gap : 0.0;
  };
  if (x.at == ContactSpring::At::end) return {spring_force(x, y1), slope_at(y1)};
  const double middle = 0.5 * (y0 + y1), way = y1 - y0;
  if (x.at == ContactSpring::At::middle) return {spring_force(x, middle), 0.5 * slope_at(middle)};
  if (y0 >= 0.0 && y1 >= 0.0) return {};
  if (std::abs(way) <= 1e-3 * std::max(-y0, -y1)) {
    // V is smooth here and its difference is round-off: F(middle) + F'' (y1 - y0)^2/24
    const double F = spring_force(x, middle), p = x.exponent;
    return {F * (1.0 + p * (p - 1.0) * way * way / (24.0 * middle * middle)),
            0.5 * slope_at(middle)};
  }
  const double F = (spring_energy(x, y0) - spring_energy(x, y1)) / way;
  return {F, (F - spring_force(x, y1)) / way};
}

}  // namespace saltus

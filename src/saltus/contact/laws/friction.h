// Dry friction: its strength, which may depend on the speed and direction of the slip.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <variant>

#include "saltus/base/options.h"

namespace saltus {

/// Friction that decreases with the slip s [m/s] from 1 to `ratio` times its strength at rest,
/// along a hyperbola:
///     f(s) = ratio + (1 - ratio) speed/(speed + |s|)
struct VelocityWeakening {
  double ratio = 1.0;  ///< strength at fast slip relative to rest [1]; 1: constant
  double speed = 1.0;  ///< slip at which half of the decrease is reached [m/s]

  bool weakens() const { return ratio != 1.0; }
  double share(double slip) const {
    return ratio + (1.0 - ratio) * speed / (speed + std::abs(slip));
  }
  double slope(double slip) const {  ///< df/d|s| [s/m]
    const double x = speed + std::abs(slip);
    return -(1.0 - ratio) * speed / (x * x);
  }
};

/// Coulomb friction of a contact with tangential rows: P in {|P_T| <= mu P_N}, and
/// -(u1_T + tangential u0_T) along P_T where P is on the boundary. Moments depend on u1 only.
///
/// Directed friction has two coefficients, and its cone is an ellipse:
///     (P_1/mu_1)^2 + (P_2/mu_2)^2 <= P_N^2
/// On tangents of length r_a = mu_a/mu it is the circular cone of mu again:
///     t'_a = r_a t_a,  u'_a = r_a u_a,  P_a = r_a P'_a
/// and a slip -u' along P' is the slip of maximum dissipation:
///     P_a = -mu_a^2 u_a P_N/sqrt((mu_1 u_1)^2 + (mu_2 u_2)^2)
struct Friction {
  double coefficient = 0.0;  ///< mu at rest [1], the larger one if there are two
  double tangential = 0.0;   ///< e_T: 1 for the mean slip of the step
  double rolling = 0.0;      ///< mu_R [m] between bodies that rotate; requires friction
  double spinning = 0.0;     ///< sigma [m] likewise, in space only
  std::array<double, 2> ratio{1.0,
                              1.0};  ///< r_1 along the axis, r_2 across it [1]; one of them is 1
  std::array<double, 3> axis{0.0, 0.0, 0.0};  ///< in the body frame

  /// Whether it depends on the direction of the slip.
  bool directed() const { return ratio[0] != ratio[1]; }
  double along() const { return ratio[0] * coefficient; }   ///< mu_1
  double across() const { return ratio[1] * coefficient; }  ///< mu_2
};

/// Coulomb's friction with one coefficient along an axis and another across it.
struct DirectedFriction {
  std::array<double, 3> along{1.0, 0.0, 0.0};
  std::array<double, 2> values{0.0, 0.0};

  bool operator==(const DirectedFriction&) const = default;
  std::optional<Fault> fault() const {
    if (along == std::array{0.0, 0.0, 0.0})
      return Fault{"along", "has no direction", "for example [1, 0, 0]"};
    if (values == std::array{0.0, 0.0})
      return Fault{"values", "are both 0", "omit friction, or give a value above 0"};
    return {};
  }
  static constexpr auto fields() {
    using T = DirectedFriction;
    return field_rows(
        required("along", &T::along,
                 "axis of any length, in the frame of the body made of the first of `materials`"),
        required("values", &T::values, kNotNegative,
                 "[mu_1, mu_2]: along the axis, and across it in the surface"));
  }
};
using FrictionChoice = std::variant<double, DirectedFriction>;

/// Largest coefficient that makes a difference: contacts that are pressed with a hundred-thousandth
/// of the tangential force do not slip. A larger one would let a body hang on a wall that it merely
/// touches, by a pressure of round-off; it acts as this one.
inline constexpr double kMostFriction = 1e5;

/// The larger coefficient.
inline double coefficient_of(const FrictionChoice& friction) {
  const auto* two = std::get_if<DirectedFriction>(&friction);
  return two ? std::max(two->values[0], two->values[1]) : std::get<double>(friction);
}
/// Friction with the given coefficients and axis.
inline Friction resolved(const FrictionChoice& friction) {
  const double largest = coefficient_of(friction);
  Friction made{.coefficient = std::min(largest, kMostFriction)};
  if (const auto* two = std::get_if<DirectedFriction>(&friction)) {
    made.ratio = {two->values[0] / largest, two->values[1] / largest};
    made.axis = two->along;
  }
  return made;
}

/// Which velocity the tangential rows of a friction law restrict.
enum class Slip { end, mean };
constexpr auto names_of(Slip) {
  using enum Slip;
  return std::array{NamedValue{end, "end"}, NamedValue{mean, "mean"}};
}

/// Friction that decreases with slip speed, like that of rosin.
struct VelocityWeakeningOptions {
  double ratio = 0.0, speed = 0.0;

  bool operator==(const VelocityWeakeningOptions&) const = default;
  static constexpr auto fields() {
    using T = VelocityWeakeningOptions;
    return field_rows(required("ratio", &T::ratio, between(0.0, 1.0),
                               "strength at fast slip relative to the strength at rest"),
                      required("speed", &T::speed, unit::m_per_s, kPositive,
                               "slip at which half of the decrease is reached: strength = ratio + "
                               "(1 - ratio) speed/(speed + slip)"));
  }
};

inline VelocityWeakening resolved(const std::optional<VelocityWeakeningOptions>& given) {
  return given ? VelocityWeakening{given->ratio, given->speed} : VelocityWeakening{};
}

}  // namespace saltus

// Dry friction: its strength, and how that falls with the slip.
#pragma once
#include <array>
#include <cmath>
#include <optional>

#include "saltus/base/options.h"

namespace saltus {

/// Friction that falls with the slip s [m/s] from 1 to `ratio` of its strength at rest, along a hyperbola:
///     f(s) = ratio + (1 - ratio) speed/(speed + |s|)
struct FallingFriction {
  double ratio = 1.0;  ///< of fast slip to rest [1]; 1: the same at every slip
  double speed = 1.0;  ///< half of the fall is done here [m/s]

  bool falls() const { return ratio != 1.0; }
  double share(double slip) const {
    return ratio + (1.0 - ratio) * speed / (speed + std::abs(slip));
  }
  double slope(double slip) const {  ///< df/d|s| [s/m]
    const double x = speed + std::abs(slip);
    return -(1.0 - ratio) * speed / (x * x);
  }
};

/// Coulomb's friction of a contact with tangential rows: P in {|P_T| <= mu P_N} and -(u1_T + tangential u0_T) along P_T
/// where it is on the boundary. Moments see u1 alone.
struct Friction {
  double coefficient = 0.0;  ///< mu at rest [1]
  double tangential = 0.0;   ///< e_T: 1 for the mean slip of the step
  double rolling = 0.0;      ///< mu_R [m] between bodies that turn, with friction only
  double spinning = 0.0;     ///< sigma [m] likewise, in space only
};

/// Which velocity the tangential rows of a friction law restrict.
enum class Slip { end, mean };
constexpr auto names_of(Slip) {
  using enum Slip;
  return std::array{NamedValue{end, "end"}, NamedValue{mean, "mean"}};
}

/// Friction that is weaker the faster it slips, as that of rosin.
struct FallingOptions {
  double ratio = 0.0, speed = 0.0;

  bool operator==(const FallingOptions&) const = default;
  static constexpr auto fields() {
    using T = FallingOptions;
    return field_rows(required("ratio", &T::ratio, between(0.0, 1.0),
                               "strength while it slips fast, of the strength at rest"),
                      required("speed", &T::speed, unit::m_per_s, kPositive,
                               "slip at which half of the fall is done: strength = ratio + "
                               "(1 - ratio) speed/(speed + slip)"));
  }
};

inline FallingFriction resolved(const std::optional<FallingOptions>& given) {
  return given ? FallingFriction{given->ratio, given->speed} : FallingFriction{};
}

}  // namespace saltus

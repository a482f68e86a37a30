// Symmetric compositions, stored as data, of inertial motion (drift) and velocity changes (kicks).
// One step h is
//
//     drift a_1 h, kick b_1 h, drift a_2 h, ..., kick b_s h, drift a_(s+1) h,     sum a = sum b = 1
#pragma once
#include <array>
#include <cstddef>

namespace saltus {

struct Composition {
  static constexpr std::size_t kMost = 14;

  std::size_t kicks = 0;
  int order = 0;
  std::array<double, kMost + 1> drift{};
  std::array<double, kMost> kick{};
};

/// Builds a composition from the first a and b; the middle one of each follows from the sums.
template <std::size_t A, std::size_t B>
constexpr Composition symmetric_composition(int order, const std::array<double, A>& a,
                                            const std::array<double, B>& b) {
  Composition c;
  c.order = order;
  c.kicks = 2 * A;
  static_assert(B + 1 == A && 2 * A <= Composition::kMost);
  double rest = 1.0;
  for (std::size_t i = 0; i < A; ++i) {
    c.drift[i] = c.drift[2 * A - i] = a[i];
    rest -= 2.0 * a[i];
  }
  c.drift[A] = rest;
  rest = 0.5;
  for (std::size_t i = 0; i < B; ++i) {
    c.kick[i] = c.kick[2 * A - 1 - i] = b[i];
    rest -= b[i];
  }
  c.kick[B] = c.kick[2 * A - 1 - B] = rest;
  return c;
}

/// G. Strang 1968; in a vector space the leapfrog scheme with positions at half steps.
inline constexpr Composition kStrang{.kicks = 1, .order = 2, .drift = {0.5, 0.5}, .kick = {1.0}};

/// S. Blanes, P. C. Moan 2002, S6, of order 4 for any two parts.
inline constexpr Composition kBlanesMoan4 =
    symmetric_composition(4, std::array{0.0792036964311957, 0.353172906049774, -0.0420650803577195},
                          std::array{0.209515106613362, -0.143851773179818});

/// S. Blanes, P. C. Moan 2002, the method with 14 stages and order 6 for a kinetic energy that is
/// quadratic in the velocities.
inline constexpr Composition kBlanesMoan6 = symmetric_composition(
    6,
    std::array{0.0378593198406116, 0.102635633102435, -0.0258678882665587, 0.314241403071447,
               -0.130144459517415, 0.106417700369543, -0.00879424312851058},
    std::array{0.09171915262446165, 0.183983170005006, -0.05653436583288827, 0.004914688774712854,
               0.143761127168358, 0.328567693746804});

/// Largest z = h omega with |trace| <= 2 for a step of q' = v, v' = -omega^2 q.
double stability_limit(const Composition& method);

}  // namespace saltus

// Explicit Runge-Kutta methods as data. For y' = f(t, y) one step h is
//
//     k_i = f(t + c_i h, y + h sum_j a_ij k_j),     y1 = y + h sum_i b_i k_i
#pragma once
#include <array>

#include "saltus/base/base.h"

namespace saltus {

struct Tableau {
  static constexpr int kMost = 7;
  using Weights = std::array<double, kMost>;

  int stages = 0;  ///< of the method itself, without the error estimate
  int order = 0;
  std::array<Weights, kMost> a{};  ///< zero on and above the diagonal
  Weights b{}, c{};
  /// Weights of the method of order - 1 that estimates the error; all 0: none. It uses one more
  /// stage, f at the end of the step, which is the first stage of the next step.
  Weights embedded{};
};

/// C. Runge 1895: f at the middle of the step.
inline constexpr Tableau kMidpoint{
    .stages = 2, .order = 2, .a = {{{}, {0.5}}}, .b = {0.0, 1.0}, .c = {0.0, 0.5}};

/// K. Heun 1900: mean of f at the start and at the Euler step.
inline constexpr Tableau kHeun{
    .stages = 2, .order = 2, .a = {{{}, {1.0}}}, .b = {0.5, 0.5}, .c = {0.0, 1.0}};

/// W. Kutta 1901, of order 3 (Simpson's rule).
inline constexpr Tableau kKutta3{.stages = 3,
                                 .order = 3,
                                 .a = {{{}, {0.5}, {-1.0, 2.0}}},
                                 .b = {1.0 / 6.0, 2.0 / 3.0, 1.0 / 6.0},
                                 .c = {0.0, 0.5, 1.0}};

/// W. Kutta 1901, the classical method of order 4.
inline constexpr Tableau kKutta4{.stages = 4,
                                 .order = 4,
                                 .a = {{{}, {0.5}, {0.0, 0.5}, {0.0, 0.0, 1.0}}},
                                 .b = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0},
                                 .c = {0.0, 0.5, 0.5, 1.0}};

/// J. R. Dormand, P. J. Prince 1980: RK5(4)7M.
inline constexpr Tableau kDormandPrince{
    .stages = 6,
    .order = 5,
    .a = {{{},
           {1.0 / 5.0},
           {3.0 / 40.0, 9.0 / 40.0},
           {44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0},
           {19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0},
           {9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0},
           {35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0}}},
    .b = {35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0},
    .c = {0.0, 0.2, 0.3, 0.8, 8.0 / 9.0, 1.0, 1.0},
    .embedded = {5179.0 / 57600.0, 0.0, 7571.0 / 16695.0, 393.0 / 640.0, -92097.0 / 339200.0,
                 187.0 / 2100.0, 1.0 / 40.0}};

/// Largest z for which |R(z m)| <= 1 for both roots m of m^2 + 2 xi m + 1, where
/// R(x) = 1 + sum_k x^k b.a^(k-1) 1 is the stability polynomial: h omega of a mode with damping
/// ratio xi >= 0. 0 if even small steps are unstable.
double stability_limit(const Tableau& method, double xi);

/// sum_i x_i a_ij
Tableau::Weights times_a(const Tableau::Weights& x, const Tableau& method);

/// Nonzero weights only.
struct Terms {
  int count = 0;
  std::array<double, Tableau::kMost> weight{};
  std::array<int, Tableau::kMost> index{};
  Terms() = default;
  explicit Terms(const Tableau::Weights& weights);
};

/// out = base + scale sum_j weight_j x_j, in one pass over the vectors for up to four terms. `base`
/// is a vector or an expression.
template <class Base>
void add_up(Vector& out, const Base& base, double scale, const Terms& terms, const Vector* x) {
  const auto c = [&](int i) { return scale * terms.weight[static_cast<std::size_t>(i)]; };
  const auto X = [&](int i) -> const Vector& {
    return x[terms.index[static_cast<std::size_t>(i)]];
  };
  switch (terms.count) {
    case 0:
      out = base;
      break;
    case 1:
      out = base + c(0) * X(0);
      break;
    case 2:
      out = base + c(0) * X(0) + c(1) * X(1);
      break;
    case 3:
      out = base + c(0) * X(0) + c(1) * X(1) + c(2) * X(2);
      break;
    default:
      out = base + c(0) * X(0) + c(1) * X(1) + c(2) * X(2) + c(3) * X(3);
      for (int i = 4; i < terms.count; ++i) out += c(i) * X(i);
  }
}

}  // namespace saltus

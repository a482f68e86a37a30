// Integrals of polynomials over a part of a step.
#pragma once
#include <array>
#include <span>

#include "saltus/base/base.h"
#include "saltus/math/bernstein.h"

namespace saltus {

/// A polynomial in Bernstein form over a step of length h, integrated between two fractions of the
/// step.
class StepIntegral {
 public:
  StepIntegral(Eigen::Index coefficients, double h, double from, double to)
      : n_(static_cast<std::size_t>(coefficients)), h_(h) {
    bernstein_integral_weights(to, std::span(to_).first(n_));
    bernstein_integral_weights(from, std::span(from_).first(n_));
  }
  template <class Row>
  double operator()(const Row& row) const {
    double to = 0.0, from = 0.0;
    for (std::size_t k = 0; k < n_; ++k) {
      to += to_[k] * row[static_cast<Eigen::Index>(k)];
      from += from_[k] * row[static_cast<Eigen::Index>(k)];
    }
    return h_ * (to - from);
  }

 private:
  static constexpr std::size_t kMostCoefficients = 16;
  std::size_t n_;
  double h_;
  std::array<double, kMostCoefficients> to_, from_;
};

}  // namespace saltus

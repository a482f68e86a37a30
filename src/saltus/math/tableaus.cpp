#include "saltus/math/tableaus.h"

#include <algorithm>
#include <cmath>
#include <complex>

namespace saltus {
namespace {

constexpr std::size_t kDegree = Tableau::kMost;

/// Coefficients of the stability polynomial R.
std::array<double, kDegree + 1> stability_polynomial(const Tableau& m) {
  std::array<double, kDegree + 1> R{1.0};
  Tableau::Weights x{};  // A^(k-1) 1
  x.fill(1.0);
  const auto n = static_cast<std::size_t>(m.stages);
  for (std::size_t k = 1; k <= n; ++k) {
    for (std::size_t i = 0; i < n; ++i) R[k] += m.b[i] * x[i];
    Tableau::Weights Ax{};
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < i; ++j) Ax[i] += m.a[i][j] * x[j];
    x = Ax;
  }
  return R;
}

/// The smallest z at which |R(z m)|^2 - 1 = sum_k e_k z^k becomes positive.
double first_growth(const std::array<double, kDegree + 1>& R, std::complex<double> m) {
  std::array<double, 2 * kDegree + 1> e{};
  const double angle = std::arg(m), size = std::abs(m);
  for (std::size_t i = 0; i <= kDegree; ++i)
    for (std::size_t j = 0; j <= kDegree; ++j)
      e[i + j] += R[i] * R[j] * std::pow(size, static_cast<double>(i + j)) *
                  std::cos((static_cast<double>(i) - static_cast<double>(j)) * angle);
  // Without damping the first coefficients are 0 up to round-off, because of the order of the
  // method. Dividing by the power of z of the first nonzero one keeps small z well conditioned.
  std::size_t first = 1;
  while (first < e.size() && std::abs(e[first]) <= 1e-14) ++first;
  const auto growth = [&](double z) {
    double sum = 0.0;
    for (std::size_t k = e.size(); k-- > first;) sum = sum * z + e[k];
    return sum;
  };
  if (first == e.size() || growth(0.0) > 0.0) return 0.0;
  double below = 0.0, above = 0.0;
  for (const double step = 0.01 / size; growth(above) <= 0.0; above += step) below = above;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (below + above);
    (growth(middle) > 0.0 ? above : below) = middle;
  }
  return below;
}

}  // namespace

double stability_limit(const Tableau& method, double xi) {
  const auto R = stability_polynomial(method);
  const std::complex<double> root = std::sqrt(std::complex<double>(xi * xi - 1.0, 0.0));
  return std::min(first_growth(R, -xi - root), first_growth(R, -xi + root));
}

Tableau::Weights times_a(const Tableau::Weights& x, const Tableau& method) {
  Tableau::Weights y{};
  for (std::size_t i = 0; i < y.size(); ++i)
    for (std::size_t j = 0; j < y.size(); ++j) y[j] += x[i] * method.a[i][j];
  return y;
}

Terms::Terms(const Tableau::Weights& weights) {
  for (std::size_t i = 0; i < weights.size(); ++i)
    if (weights[i] != 0.0) {
      weight[static_cast<std::size_t>(count)] = weights[i];
      index[static_cast<std::size_t>(count++)] = static_cast<int>(i);
    }
}

}  // namespace saltus

#include "saltus/event_driven/ode.h"

#include <algorithm>
#include <array>
#include <limits>

#include "saltus/base/error.h"
#include "saltus/event_driven/embedded.h"
#include "saltus/math/bernstein.h"

namespace saltus {

void dense_output(const OdeStep& step, double theta, Out w, Out v) {
  const auto columns = static_cast<std::size_t>(step.w.cols());
  expects(columns > 0 && columns <= kMostDegree + 1 && step.v.cols() == step.w.cols() &&
              w.size() == step.w.rows() && v.size() == step.v.rows(),
          "the step has no dense output, or one of another size");
  std::array<double, kMostDegree + 1> weights;
  const auto of_degree = std::span(weights).first(columns);
  bernstein_weights(theta, of_degree);
  bernstein_sum(step.w, of_degree, w);
  bernstein_sum(step.v, of_degree, v);
}

namespace embedded {
namespace {

using Values = Eigen::Map<Vector>;
using ConstValues = Eigen::Map<const Vector>;

bool finite(const double* x, long size) {
  double sum = 0.0;  // 0 x is NaN where x is not finite
  for (long i = 0; i < size; ++i) sum += 0.0 * x[i];
  return sum == 0.0;
}

/// Components first .. first + size: a block that stays in registers throughout the sum over
/// stages.
template <int size>
void sum_block(const double* base, double h, const Weights& a, const double* K, long N, long first,
               double* out) {
  double s[size] = {};
  for (int j = 0; j < a.count; ++j) {
    const auto& [stage, weight] = a.term[static_cast<std::size_t>(j)];
    const double* k = K + stage * N + first;
    for (int i = 0; i < size; ++i) s[i] += weight * k[i];
  }
  for (int i = 0; i < size; ++i) out[first + i] = (base ? base[first + i] : 0.0) + h * s[i];
}

double binomial(int n, int k) {
  double value = 1.0;
  for (int i = 1; i <= k; ++i) value = value * (n - k + i) / i;
  return value;
}

/// Coefficients of degree n of  x^a (1 - x)^b  with a = m/2 + 1, b = (m + 1)/2, the factor of F_m.
struct Nested {
  static constexpr int kMost = 7;
  double of[kMost + 1][kMost][kMost + 1] = {};  // n, m, k
  Nested() {
    for (int n = 1; n <= kMost; ++n)
      for (int m = 0; m < n; ++m) {
        const int a = m / 2 + 1, rest = n - m - 1;  // a + b = m + 1
        for (int j = 0; j <= rest; ++j) of[n][m][a + j] = binomial(rest, j) / binomial(n, a + j);
      }
  }
};

}  // namespace

Stages::Stages(OdeStep& step, int n, int count) : step_(step), n_(n), N_(2 * n) {
  expects(step.v0.size() == n && step.dv0.size() == n,
          "v0 and dv0 of a step need one value per component");
  if (step.work.size() < 2) step.work.resize(2);
  step.work[0].resize(count * N_);
  step.work[1].resize(2 * N_);
  for (Vector* x : {&step.w1, &step.v1, &step.dw1, &step.dv1}) x->resize(n_);
  step.error.resize(N_);
  K_ = step.work[0].data();
  y0_ = step.work[1].data();
  for (long i = 0; i < n_; ++i) {
    y0_[i] = 0.0;
    y0_[n_ + i] = step.v0[i];
    K_[i] = step.v0[i];
    K_[n_ + i] = step.dv0[i];
  }
}

Stages::Stages(OdeStep& step)
    : step_(step), n_(step.v0.size()), N_(2 * n_), K_(nullptr), y0_(nullptr) {
  expects(step.work.size() >= 2 && step.work[1].size() == 2 * N_,
          "dense output is available only after a step");
  K_ = step.work[0].data();
  y0_ = step.work[1].data();
}

void Stages::sum(const double* base, const Weights& a, double* out) const {
  long i = 0;
  for (; i + 8 <= N_; i += 8) sum_block<8>(base, step_.h, a, K_, N_, i, out);
  if (i + 4 <= N_) {
    sum_block<4>(base, step_.h, a, K_, N_, i, out);
    i += 4;
  }
  if (i < N_) sum_block<2>(base, step_.h, a, K_, N_, i, out);  // N = 2 n
}

bool Stages::evaluate(SmoothMotion& motion, double t, int i) {
  if (!finite(y(), N_)) {
    std::fill_n(k(i), N_, std::numeric_limits<double>::quiet_NaN());  // no old value may be used
    return false;
  }
  motion.rates(t, ConstValues(y(), n_), ConstValues(y() + n_, n_), Values(k(i), n_),
               Values(k(i) + n_, n_));
  return true;
}

bool Stages::finish(int i) {
  const double *y1 = y(), *rate = k(i);
  for (long j = 0; j < n_; ++j) {
    step_.w1[j] = y1[j];
    step_.v1[j] = y1[n_ + j];
    step_.dw1[j] = rate[j];
    step_.dv1[j] = rate[n_ + j];
  }
  return finite(y1, N_) && finite(rate, N_);
}

void nested_output(Stages& stages, OdeStep& step, int end, std::initializer_list<Weights> F) {
  static const Nested nested;
  const long n = step.v0.size();
  const int degree = 3 + static_cast<int>(F.size());
  expects(degree <= Nested::kMost, "the degree of the dense output is too high");
  step.w.resize(n, degree + 1);
  step.v.resize(n, degree + 1);
  const double *y0 = stages.y0(), *k0 = stages.k(0), *k1 = stages.k(end);
  const auto& T = nested.of[degree];
  for (long i = 0; i < 2 * n; ++i) {
    Matrix& B = i < n ? step.w : step.v;
    const long row = i < n ? i : i - n;
    const double y1 = i < n ? step.w1[row] : step.v1[row];
    double f[Nested::kMost];
    f[0] = y1 - y0[i];
    f[1] = step.h * k0[i] - f[0];
    f[2] = f[0] - step.h * k1[i] - f[1];
    int m = 3;
    for (const Weights& weights : F) {
      double s = 0.0;
      for (int j = 0; j < weights.count; ++j) {
        const auto& [stage, weight] = weights.term[static_cast<std::size_t>(j)];
        s += weight * stages.k(stage)[i];
      }
      f[m++] = step.h * s;
    }
    B(row, 0) = y0[i];
    for (int k = 1; k < degree; ++k) {
      double s = 0.0;
      for (m = 0; m < degree; ++m) s += T[m][k] * f[m];
      B(row, k) = y0[i] + s;
    }
    B(row, degree) = y1;
  }
}

double square_sum(const Vector& e, View scale) {
  expects(e.size() == scale.size(), "give a scale for each component of w and v");
  double sum = 0.0;
  for (long i = 0; i < e.size(); ++i) {
    const double x = e[i] / scale[i];
    sum += x * x;
  }
  return sum;
}

}  // namespace embedded
}  // namespace saltus

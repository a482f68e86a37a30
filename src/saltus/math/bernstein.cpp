#include "saltus/math/bernstein.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "saltus/base/error.h"

namespace saltus {
namespace {

constexpr int kMostNodes = 16;    // largest degree of interpolation
constexpr double kWidth = 1e-15;  // intervals are not divided below this width

struct Coefficients {
  int n = 0;  // degree
  std::array<double, kMostDegree + 1> b;

  explicit Coefficients(int degree) : n(degree) {
    expects(n >= 0 && n <= kMostDegree,
            "a polynomial in Bernstein form must have a degree of 0 .. 32");
  }
  explicit Coefficients(std::span<const double> from)
      : Coefficients(static_cast<int>(from.size()) - 1) {
    std::copy(from.begin(), from.end(), b.begin());
  }
  double& operator[](int k) { return b[static_cast<std::size_t>(k)]; }
  double operator[](int k) const { return b[static_cast<std::size_t>(k)]; }
  double last() const { return (*this)[n]; }

  /// Replaces p by its part on [0, x]; `right`, if not null, gets the part on [x, 1].
  void split(double x, Coefficients* right) {
    Coefficients& c = *this;
    if (right) right->n = n;
    for (int j = 0; j <= n; ++j) {
      if (right) (*right)[n - j] = c[n];
      if (j == n) break;
      for (int k = n; k > j; --k) c[k] = (1.0 - x) * c[k - 1] + x * c[k];
    }
  }
};

template <class Number>
Number binomial(int n, int k) {
  Number value = 1;
  for (int i = 1; i <= k; ++i)
    value = value * static_cast<Number>(n - k + i) / static_cast<Number>(i);
  return value;
}

/// Nodes and, for each degree, the inverse of B_k(x_j), transposed.
struct Interpolation {
  std::vector<double> nodes;
  Matrix to_coefficients;

  explicit Interpolation(int n) {
    const auto rows = static_cast<std::size_t>(n + 1);
    using Row = std::vector<long double>;
    for (int k = 0; k <= n; ++k)
      nodes.push_back(k == n
                          ? 1.0
                          : static_cast<double>(
                                0.5L * (1.0L - std::cos(std::numbers::pi_v<long double> * k / n))));
    // Gauss-Jordan elimination with pivoting on [B | 1]
    std::vector<Row> a(rows, Row(2 * rows, 0.0L));
    for (std::size_t j = 0; j < rows; ++j) {
      const long double x = nodes[j];
      for (int k = 0; k <= n; ++k)
        a[j][static_cast<std::size_t>(k)] = binomial<long double>(n, k) *
                                            std::pow(x, static_cast<long double>(k)) *
                                            std::pow(1.0L - x, static_cast<long double>(n - k));
      a[j][rows + j] = 1.0L;
    }
    for (std::size_t i = 0; i < rows; ++i) {
      std::size_t pivot = i;
      for (std::size_t j = i + 1; j < rows; ++j)
        if (std::abs(a[j][i]) > std::abs(a[pivot][i])) pivot = j;
      std::swap(a[i], a[pivot]);
      const long double d = 1.0L / a[i][i];
      for (long double& x : a[i]) x *= d;
      for (std::size_t j = 0; j < rows; ++j) {
        if (j == i || a[j][i] == 0.0L) continue;
        const long double factor = a[j][i];
        for (std::size_t k = 0; k < 2 * rows; ++k) a[j][k] -= factor * a[i][k];
      }
    }
    to_coefficients.resize(n + 1, n + 1);
    for (std::size_t k = 0; k < rows; ++k)
      for (std::size_t j = 0; j < rows; ++j)
        to_coefficients(static_cast<long>(j), static_cast<long>(k)) =
            static_cast<double>(a[k][rows + j]);
    // The ends are nodes: b_0 and b_n equal the values there, bit for bit.
    to_coefficients.col(0).setZero();
    to_coefficients.col(n).setZero();
    to_coefficients(0, 0) = to_coefficients(n, n) = 1.0;
  }
};

const Interpolation& interpolation(int n) {
  expects(n >= 1 && n <= kMostNodes, "interpolation at Lobatto nodes needs a degree of 1 .. 16");
  static const std::vector<Interpolation> all = [] {
    std::vector<Interpolation> made;
    for (int degree = 1; degree <= kMostNodes; ++degree) made.emplace_back(degree);
    return made;
  }();
  return all[static_cast<std::size_t>(n - 1)];
}

/// Number of sign changes in the sequence, without zeros: p has this number of roots in (0, 1), or
/// fewer by an even number.
int sign_changes(const Coefficients& c) {
  int changes = 0;
  double before = 0.0;
  for (int k = 0; k <= c.n; ++k) {
    if (c[k] == 0.0) continue;
    if (before != 0.0 && (c[k] < 0.0) != (before < 0.0)) ++changes;
    before = c[k];
  }
  return changes;
}

/// Some x with p(x) < 0 and p >= 0 up to the root before x, for p on [from, to]; -1 if p is nowhere
/// negative.
double first_below(Coefficients c, double from, double to) {
  const double least = *std::min_element(c.b.begin(), c.b.begin() + c.n + 1);
  if (least >= 0.0) return -1.0;
  int first = 0;
  while (c[first] == 0.0) ++first;
  if (c[first] < 0.0) return from;
  if (c.last() < 0.0 && sign_changes(c) == 1) return to;
  const double middle = 0.5 * (from + to);
  if (to - from < kWidth) return c.last() < 0.0 ? to : -1.0;
  Coefficients right(c.n);
  c.split(0.5, &right);
  const double x = first_below(c, from, middle);
  return x >= 0.0 ? x : first_below(right, middle, to);
}

/// The only root of p on [0, 1], with p >= 0 before and p < 0 after it; returns the side with
/// p >= 0.
double only_root(const Coefficients& c, double width) {
  double a = 0.0, b = 1.0;
  double fa = c[0], fb = c.last();
  const std::span<const double> p(c.b.data(), static_cast<std::size_t>(c.n + 1));
  bool halve = fa <= 0.0;
  for (int i = 0; i < 200 && (b - a) * width > 0.25 * kWidth; ++i) {
    // Linear interpolation between the ends, at least half the required width away from them;
    // bisection in the next iteration if that has not halved the bracket.
    const double margin = 0.125 * kWidth / width;
    double x = halve ? 0.5 * (a + b) : a + (b - a) * fa / (fa - fb);
    x = std::clamp(x, a + std::min(margin, 0.5 * (b - a)), b - std::min(margin, 0.5 * (b - a)));
    if (x <= a || x >= b) break;
    const double fx = bernstein_value(p, x), before = b - a;
    if (fx >= 0.0) {
      a = x;
      fa = fx;
    } else {
      b = x;
      fb = fx;
    }
    halve = fa <= 0.0 || b - a > 0.5 * before;
  }
  return a;
}

/// The last x on [from, to] where p changes from + to -; -1 if p <= 0 everywhere. p(to) <= 0 is
/// known, unless c indicates otherwise.
double last_fall(Coefficients c, double from, double to) {
  if (c.last() >= 0.0) return to;
  if (*std::max_element(c.b.begin(), c.b.begin() + c.n + 1) <= 0.0) return -1.0;
  if (sign_changes(c) == 1) return from + (to - from) * only_root(c, to - from);
  if (to - from < kWidth) return c[0] >= 0.0 ? from : -1.0;
  const double middle = 0.5 * (from + to);
  Coefficients right(c.n);
  c.split(0.5, &right);
  const double x = last_fall(right, middle, to);
  return x >= 0.0 ? x : last_fall(c, from, middle);
}

}  // namespace

std::span<const double> lobatto_nodes(int n) { return interpolation(n).nodes; }

void bernstein_through(const Matrix& values, Matrix& B) {
  const Interpolation& to = interpolation(static_cast<int>(values.cols()) - 1);
  expects(&values != &B, "the coefficients must not overwrite the values");
  B.resize(values.rows(), values.cols());
  B.noalias() = values.lazyProduct(to.to_coefficients);
}

double bernstein_value(std::span<const double> b, double x) {
  Coefficients c(b);
  for (int last = c.n; last > 0; --last)
    for (int k = 0; k < last; ++k) c[k] = (1.0 - x) * c[k] + x * c[k + 1];
  return c[0];
}

void bernstein_weights(double x, std::span<double> out) {
  expects(!out.empty(), "a polynomial in Bernstein form needs at least one coefficient");
  out[0] = 1.0;
  for (std::size_t d = 1; d < out.size(); ++d) {  // degree d from degree d - 1
    out[d] = x * out[d - 1];
    for (std::size_t k = d - 1; k > 0; --k) out[k] = (1.0 - x) * out[k] + x * out[k - 1];
    out[0] *= 1.0 - x;
  }
}

void bernstein_values(const Matrix& B, double x, Out values) {
  std::array<double, kMostDegree + 1> weights;
  expects(B.cols() <= kMostDegree + 1,
          "a polynomial in Bernstein form must have a degree of 0 .. 32");
  const auto of_degree = std::span(weights).first(static_cast<std::size_t>(B.cols()));
  bernstein_weights(x, of_degree);
  bernstein_sum(B, of_degree, values);
}

void bernstein_sum(const Matrix& B, std::span<const double> weights, Out values) {
  expects(static_cast<std::size_t>(B.cols()) == weights.size() && values.size() == B.rows(),
          "one weight per column and one value per row are required");
  const auto rows = [&]<int count>(Eigen::Index first) {  // processed in registers
    Eigen::Array<double, count, 1> sum = Eigen::Array<double, count, 1>::Zero();
    for (Eigen::Index k = 0; k < B.cols(); ++k)
      sum += weights[static_cast<std::size_t>(k)] * B.col(k).template segment<count>(first).array();
    values.template segment<count>(first) = sum;
  };
  Eigen::Index i = 0;
  for (; i + 8 <= B.rows(); i += 8) rows.template operator()<8>(i);
  for (; i + 2 <= B.rows(); i += 2) rows.template operator()<2>(i);
  if (i < B.rows()) rows.template operator()<1>(i);
}

void bernstein_integral_weights(double x, std::span<double> out) {
  // The integral has degree n + 1; its coefficients are 0 and the partial sums of b over n + 1.
  std::array<double, kMostDegree + 1> weights;
  const std::size_t n = out.size();
  expects(n <= kMostDegree, "the integral needs a polynomial of degree 0 .. 31");
  bernstein_weights(x, std::span(weights).first(n + 1));
  double sum = 0.0;
  for (std::size_t k = n; k > 0; --k) out[k - 1] = (sum += weights[k]) / static_cast<double>(n);
}

void bernstein_derivative(std::span<const double> b, std::span<double> out) {
  expects(b.size() > 1 && out.size() + 1 == b.size(), "p' must have one coefficient fewer than p");
  const double n = static_cast<double>(out.size());
  for (std::size_t k = 0; k < out.size(); ++k) out[k] = n * (b[k + 1] - b[k]);
}

double bernstein_integral(std::span<const double> b, double x) {
  // The integral has degree n + 1; its coefficients are 0 and the partial sums of b over n + 1.
  expects(b.size() <= static_cast<std::size_t>(kMostDegree),
          "the integral needs a polynomial of degree 0 .. 31");
  Coefficients c(static_cast<int>(b.size()));
  double sum = 0.0;
  c[0] = 0.0;
  for (int k = 1; k <= c.n; ++k) c[k] = (sum += b[static_cast<std::size_t>(k - 1)]) / c.n;
  return bernstein_value({c.b.data(), static_cast<std::size_t>(c.n + 1)}, x);
}

void bernstein_part(std::span<const double> b, double from, double to, std::span<double> out) {
  expects(out.size() == b.size(),
          "a part of a polynomial must have as many coefficients as the polynomial");
  expects(0.0 <= from && from <= to && to <= 1.0, "the part must lie in [0, 1]");
  Coefficients c(b);
  if (to < 1.0) c.split(to, nullptr);
  if (from > 0.0) {
    Coefficients right(c.n);
    c.split(from / to, &right);
    c = right;
  }
  std::copy_n(c.b.begin(), out.size(), out.begin());
}

std::optional<double> first_negative(std::span<const double> b, double noise) {
  expects(noise >= 0.0, "noise must be >= 0");
  if (std::all_of(b.begin(), b.end(), [&](double x) { return x >= -noise; })) return std::nullopt;
  expects(std::all_of(b.begin(), b.end(), [](double x) { return std::isfinite(x); }),
          "coefficients must be finite");
  Coefficients p(b);
  int m = 0;
  for (; m <= p.n && std::abs(p[m]) <= noise; ++m) p[m] = 0.0;

  // The first dip of p below -noise; smaller dips before it are ignored.
  Coefficients raised = p;
  for (int k = 0; k <= p.n; ++k) raised[k] += noise;
  const double below = first_below(raised, 0.0, 1.0);
  if (below < 0.0) return std::nullopt;
  if (below == 0.0) return 0.0;

  // The last zero crossing before that dip: p(x) = x^m r(x), where r does not have the root at 0.
  Coefficients r(p.n - m);
  for (int k = 0; k <= r.n; ++k)
    r[k] = p[k + m] * (binomial<double>(p.n, k + m) / binomial<double>(r.n, k));
  r.split(below, nullptr);
  return std::max(0.0, last_fall(r, 0.0, below));
}

}  // namespace saltus

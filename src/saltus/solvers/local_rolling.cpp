// A part of the cone, such as the rows R, that turns with  lambda p_R = -u_R,  lambda >= 0,  has
//     p_R = -(W_RR + lambda 1)^-1 (b_R + W_RX p_X),   X = the other rows,                       (1)
// and without it X is a contact with one part less and
//     W' = W_XX - W_XR (W_RR + lambda 1)^-1 W_RX,   b' = b_X - W_XR (W_RR + lambda 1)^-1 b_R,   (2)
// solved exactly (local_coulomb.h). There remains one equation for lambda, mu_R p_N = |p_R|; lambda
// = 0 if p_R is in its disc there. T, R and S have the same law, so each of them can be the outer
// part. S by itself has three states that need no lambda (spin_states.h).
#include "saltus/solvers/local_rolling.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/contact/cone.h"
#include "saltus/solvers/local_coulomb.h"
#include "saltus/solvers/rolling_newton.h"
#include "saltus/solvers/spin_states.h"

namespace saltus {
namespace {

constexpr double kRollingEpsilon = std::numeric_limits<double>::epsilon();

/// One contact, with the rows in the order N, inner parts, outer part.
class Rolling {
  int rows, X, outer;            ///< X: number of rows N and inner, also the first outer row
  int order[kContactRows];       ///< position of each row in the given contact
  double mu_in[2] = {}, mu_out;  ///< radii
  double W[kContactRows * kContactRows], b[kContactRows];
  double p[kContactRows] = {};
  double size_out = 0.0;  ///< |p| of the outer part

 public:
  Rolling(const Cone& K, const double* all, const double* velocity, int part)
      : rows(K.size()), X(rows - K.rows[part]), outer(K.rows[part]), mu_out(K.radius[part]) {
    int begin[Cone::kParts] = {1, 1 + K.rows[0], 1 + K.rows[0] + K.rows[1]};
    int count = 0, parts = 0;
    order[count++] = 0;
    for (int k = 0; k < K.kParts; ++k) {
      if (k == part || K.rows[k] == 0) continue;
      mu_in[parts++] = K.radius[k];
      for (int i = 0; i < K.rows[k]; ++i) order[count++] = begin[k] + i;
    }
    for (int i = 0; i < outer; ++i) order[count++] = begin[part] + i;
    for (int i = 0; i < rows; ++i) {
      b[i] = velocity[order[i]];
      for (int j = 0; j < rows; ++j) W[i * rows + j] = all[order[i] * rows + order[j]];
    }
  }
  void write(double* to) const {
    for (int i = 0; i < rows; ++i) to[order[i]] = p[i];
  }
  /// p for a sticking outer part, projected onto its disc. Returns whether it was inside.
  bool stick() {
    if (!(mu_out > 0.0)) return false;
    const bool inside = at_lambda(lowest()) >= 0.0;
    clip();
    return inside;
  }
  void solve() {
    if (mu_out > 0.0) {
      find();
      return clip();
    }
    double W_X[25];
    for (int i = 0; i < X; ++i)
      for (int j = 0; j < X; ++j) W_X[i * X + j] = at(i, j);
    within(W_X, b);
  }

 private:
  double at(int i, int j) const { return W[i * rows + j]; }

  /// Solves the rows X, which have one inner part or two.
  void within(const double* W_X, const double* b_X) {
    if (X <= 3)
      solve_coulomb(X, W_X, b_X, mu_in[0], p);
    else if (X == 4)
      solve_rolling(X, W_X, b_X, mu_in[0], 0.0, mu_in[1], p);
    else
      solve_rolling(X, W_X, b_X, mu_in[0], mu_in[1], 0.0, p);
  }

  /// Computes p from (1), (2) at lambda; returns mu_out p_N/|p_out| - 1, negative outside the disc.
  double at_lambda(double lambda) {
    double M[2][2] = {}, Y[2][kContactRows];
    for (int i = 0; i < outer; ++i) {
      for (int j = 0; j < outer; ++j) M[i][j] = at(X + i, X + j);
      M[i][i] += lambda;
      for (int j = 0; j < X; ++j) Y[i][j] = at(X + i, j);
      Y[i][X] = b[X + i];
    }
    if (outer == 1) {
      for (int j = 0; j <= X; ++j) Y[0][j] /= M[0][0];
    } else {  // the larger diagonal entry first
      const int r = M[0][0] >= M[1][1] ? 0 : 1, s = 1 - r;
      const double factor = M[s][r] / M[r][r], schur = M[s][s] - factor * M[r][s];
      for (int j = 0; j <= X; ++j) {
        Y[s][j] = (Y[s][j] - factor * Y[r][j]) / schur;
        Y[r][j] = (Y[r][j] - M[r][s] * Y[s][j]) / M[r][r];
      }
    }
    double W_X[25], b_X[5];
    for (int i = 0; i < X; ++i) {
      for (int j = 0; j <= X; ++j) {
        double value = j < X ? at(i, j) : b[i];
        for (int k = 0; k < outer; ++k) value -= at(i, X + k) * Y[k][j];
        (j < X ? W_X[i * X + j] : b_X[i]) = value;
      }
    }
    W_X[0] = std::max(W_X[0], 16.0 * kRollingEpsilon * at(0, 0));
    within(W_X, b_X);
    double size2 = 0.0;
    for (int i = 0; i < outer; ++i) {
      p[X + i] = -Y[i][X];
      for (int j = 0; j < X; ++j) p[X + i] -= Y[i][j] * p[j];
      size2 += p[X + i] * p[X + i];
    }
    size_out = std::sqrt(size2);
    const double radius = mu_out * p[0];
    return size_out <= radius ? (size_out > 0.0 ? radius / size_out - 1.0 : 0.0)
                              : radius / size_out - 1.0;
  }

  /// Smallest lambda. A part without mobility sticks only up to round-off: u_R = -lambda p_R.
  double lowest() const {
    double trace = 0.0;
    for (int i = X; i < rows; ++i) trace += at(i, i);
    return std::max(4.0 * kRollingEpsilon * trace, 1e-290);
  }

  /// Finds p at the root of h; if h jumps across the edge of the disc instead, p on the far side.
  void find() {
    double trace = 0.0, slip2 = 0.0;
    const double push = -b[0] / at(0, 0);
    for (int i = X; i < rows; ++i) {
      trace += at(i, i);
      const double c = b[i] + at(i, 0) * push;
      slip2 += c * c;
    }
    double low = lowest();
    double h_low = at_lambda(low);
    if (h_low >= 0.0) return;

    double high = std::sqrt(slip2) / (mu_out * push) - trace / outer;
    if (!(high > 2.0 * low)) high = std::max(trace, 2.0 * low);
    double h_high = at_lambda(high);
    for (int i = 0; i < 200 && h_high < 0.0; ++i) {
      low = high;
      h_low = h_high;
      high *= 4.0;
      h_high = at_lambda(high);
    }
    if (!(h_high >= 0.0)) return;
    // h is nearly straight: false position, reduced weight for a fixed end (Anderson, Bjoerck 1973)
    double h = h_high, lambda = high;
    for (int i = 0, bisect = 0; i < 120 && std::abs(h) > 4.0 * kRollingEpsilon; ++i) {
      const double width = high - low;
      if (width <= 2.0 * kRollingEpsilon * high) break;
      lambda = bisect > 3 ? (low > 0.0 && high > 4.0 * low ? std::sqrt(low) * std::sqrt(high)
                                                           : 0.5 * (low + high))
                          : low + width * (-h_low / (h_high - h_low));
      if (!(lambda > low && lambda < high)) lambda = 0.5 * (low + high);
      h = at_lambda(lambda);
      if (h < 0.0) {
        const double weight = 1.0 - h / h_low;
        h_high *= weight > 0.0 ? weight : 0.5;
        low = lambda;
        h_low = h;
      } else {
        const double weight = 1.0 - h / h_high;
        h_low *= weight > 0.0 ? weight : 0.5;
        high = lambda;
        h_high = h;
      }
      bisect = high - low > 0.5 * width ? bisect + 1 : 0;
    }
    if (h < 0.0) at_lambda(high);
  }

  /// Moves p to the edge of the disc if it is outside by round-off or for lack of a solution.
  void clip() {
    if (!(size_out > mu_out * p[0])) return;
    const double scale = mu_out * p[0] / size_out;
    for (int i = X; i < rows; ++i) p[i] *= scale;
  }
};

}  // namespace

void solve_rolling(int rows, const double* W, const double* b, double mu, double mu_R, double sigma,
                   double* p) {
  double zero = 0.0;  // NaN if an entry of W or b is: the search for lambda would not end
  for (int i = 0; i < rows * rows; ++i) zero += 0.0 * W[i];
  for (int i = 0; i < rows; ++i) zero += 0.0 * b[i];
  if (std::isnan(zero)) {
    std::fill(p, p + rows, zero);
    return;
  }
  constexpr double kSolved = 16.0 * kRollingEpsilon;
  std::fill_n(p, rows, 0.0);
  if (!(b[0] < 0.0)) return;  // opens without an impulse
  double best = std::numeric_limits<double>::infinity(), q[kContactRows];
  const auto take = [&](double off) {
    if (off < best) {
      best = off;
      std::copy_n(q, rows, p);
    }
    return best <= kSolved;
  };
  const auto defect = [&] { return rolling_defect(rows, W, b, mu, mu_R, sigma, q); };
  const auto refined = [&](int rounds = 40) {
    return refine_rolling(rows, W, b, mu, mu_R, sigma, q, rounds);
  };
  const Cone K(
      {.kind = LawKind::rolling, .size = rows, .friction = mu, .rolling = mu_R, .spinning = sigma});
  if (K.rows[2] > 0) {
    SpinStates states(rows, W, b, mu, mu_R, sigma);
    double tried[3][kContactRows];
    for (int k = 0; k < 3; ++k) {
      states.solve(k, tried[k]);
      std::copy_n(tried[k], rows, q);
      if (take(defect())) return;
    }
    for (const double* from : tried) {
      std::copy_n(from, rows, q);
      if (take(refined())) return;
    }
  }
  for (const int part : {1, 0, 2}) {
    if (K.rows[part] == 0) continue;
    Rolling x(K, W, b, part);
    if (part == 1 && mu_R > 0.0) {  // Newton's method from here usually takes 2 to 4 steps
      const bool inside = x.stick();
      x.write(q);
      if (take(inside ? defect() : refined(6))) return;
    }
    x.solve();
    x.write(q);
    if (take(defect()) || take(refined())) return;
  }
  // last resort: start from sliding and turning in several directions
  const double push = -b[0] / W[0];
  int directions = rows == 3 ? 0 : 1;
  for (const int count : K.rows) directions *= count == 2 ? 4 : count == 1 ? 2 : 1;
  for (int k = 0; k < directions; ++k) {
    constexpr double kSides[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    q[0] = push;
    int side = k;
    for (int part = 0, i = 1; part < K.kParts; i += K.rows[part++]) {
      const double radius = K.radius[part] * push;
      if (K.rows[part] == 1) q[i] = side % 2 == 0 ? radius : -radius;
      for (int j = 0; K.rows[part] == 2 && j < 2; ++j) q[i + j] = radius * kSides[side % 4][j];
      side /= 2 * std::max(K.rows[part], 1);
    }
    if (take(refined())) return;
  }
}

}  // namespace saltus

// A pair of rows R that spins by  lambda p_R = -u_R,  lambda >= 0, has
//     p_R = -(W_RR + lambda 1)^-1 (b_R + W_RX p_X),   X = (N, T),                                  (1)
// and without it X is a contact of Coulomb with
//     W' = W_XX - W_XR (W_RR + lambda 1)^-1 W_RX,   b' = b_X - W_XR (W_RR + lambda 1)^-1 b_R,       (2)
// solved exactly (local_coulomb.h). What is left is one equation, mu_R p_N = |p_R|, for lambda; lambda = 0 if p_R is in
// its disc there. T and R have the same law, so that they may change places.
#include "saltus/solvers/local_rolling.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/solvers/local_coulomb.h"
#include "saltus/solvers/rolling_newton.h"

namespace saltus {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

/// One contact, rows in the order N, then the pair solved within, then the pair solved around it. A pair in the plane is
/// one row.
class Rolling {
  int pair, rows;
  bool swapped;  ///< T around R
  double mu_in, mu_out, W[25], b[5];
  double p[5] = {};
  double size_out = 0.0;  ///< |p| of the outer pair

 public:
  Rolling(int n, const double* all, const double* velocity, double mu, double mu_R, bool swap)
      : pair((n - 1) / 2),
        rows(n),
        swapped(swap),
        mu_in(swap ? mu_R : mu),
        mu_out(swap ? mu : mu_R) {
    for (int i = 0; i < n; ++i) {
      b[i] = velocity[row(i)];
      for (int j = 0; j < n; ++j) W[i * n + j] = all[row(i) * n + row(j)];
    }
  }
  int row(int i) const { return i == 0 || !swapped ? i : i <= pair ? i + pair : i - pair; }
  void write(double* to) const {
    for (int i = 0; i < rows; ++i) to[row(i)] = p[i];
  }
  /// p where the outer pair sticks, drawn into its disc. True if it was there.
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
    double W_X[9];
    for (int i = 0; i <= pair; ++i)
      for (int j = 0; j <= pair; ++j) W_X[i * (1 + pair) + j] = at(i, j);
    solve_coulomb(1 + pair, W_X, b, mu_in, p);
  }

 private:
  double at(int i, int j) const { return W[i * rows + j]; }

  /// (1) and (2) at lambda, p of all rows; mu_out p_N/|p_out| - 1, negative outside the disc.
  double at_lambda(double lambda) {
    const int X = 1 + pair;  // also the first row of the outer pair
    double M[2][2] = {}, Y[2][4];
    for (int i = 0; i < pair; ++i) {
      for (int j = 0; j < pair; ++j) M[i][j] = at(X + i, X + j);
      M[i][i] += lambda;
      for (int j = 0; j < X; ++j) Y[i][j] = at(X + i, j);
      Y[i][X] = b[X + i];
    }
    if (pair == 1) {
      for (int j = 0; j <= X; ++j) Y[0][j] /= M[0][0];
    } else {  // the larger diagonal first
      const int r = M[0][0] >= M[1][1] ? 0 : 1, s = 1 - r;
      const double factor = M[s][r] / M[r][r], schur = M[s][s] - factor * M[r][s];
      for (int j = 0; j <= X; ++j) {
        Y[s][j] = (Y[s][j] - factor * Y[r][j]) / schur;
        Y[r][j] = (Y[r][j] - M[r][s] * Y[s][j]) / M[r][r];
      }
    }
    double W_X[9], b_X[3];
    for (int i = 0; i < X; ++i) {
      for (int j = 0; j <= X; ++j) {
        double value = j < X ? at(i, j) : b[i];
        for (int k = 0; k < pair; ++k) value -= at(i, X + k) * Y[k][j];
        (j < X ? W_X[i * X + j] : b_X[i]) = value;
      }
    }
    W_X[0] = std::max(W_X[0], 16.0 * kEpsilon * at(0, 0));
    solve_coulomb(X, W_X, b_X, mu_in, p);
    double size2 = 0.0;
    for (int i = 0; i < pair; ++i) {
      p[X + i] = -Y[i][X];
      for (int j = 0; j < X; ++j) p[X + i] -= Y[i][j] * p[j];
      size2 += p[X + i] * p[X + i];
    }
    size_out = std::sqrt(size2);
    const double radius = mu_out * p[0];
    return size_out <= radius ? (size_out > 0.0 ? radius / size_out - 1.0 : 0.0)
                              : radius / size_out - 1.0;
  }

  /// A pair that cannot move sticks by round-off: u_R = -lambda p_R.
  double lowest() const {
    double trace = 0.0;
    for (int i = 1 + pair; i < rows; ++i) trace += at(i, i);
    return std::max(4.0 * kEpsilon * trace, 1e-290);
  }

  /// p of the root of h; where it jumps over the edge of the disc instead, p of the far side.
  void find() {
    const int X = 1 + pair;
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

    double high = std::sqrt(slip2) / (mu_out * push) - trace / pair;
    if (!(high > 2.0 * low)) high = std::max(trace, 2.0 * low);
    double h_high = at_lambda(high);
    for (int i = 0; i < 200 && h_high < 0.0; ++i) {
      low = high;
      h_low = h_high;
      high *= 4.0;
      h_high = at_lambda(high);
    }
    if (!(h_high >= 0.0)) return;
    // h is nearly straight: false position, the end that stays weighed down (Anderson, Bjoerck 1973)
    double h = h_high, lambda = high;
    for (int i = 0, bisect = 0; i < 120 && std::abs(h) > 4.0 * kEpsilon; ++i) {
      const double width = high - low;
      if (width <= 2.0 * kEpsilon * high) break;
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

  /// To the edge of the disc, if outside by round-off or for want of a solution.
  void clip() {
    if (!(size_out > mu_out * p[0])) return;
    const double scale = mu_out * p[0] / size_out;
    for (int i = 1 + pair; i < rows; ++i) p[i] *= scale;
  }
};

}  // namespace

void solve_rolling(int rows, const double* W, const double* b, double mu, double mu_R, double* p) {
  constexpr double kSolved = 16.0 * kEpsilon;
  std::fill_n(p, rows, 0.0);
  if (!(b[0] < 0.0)) return;  // opens by itself
  double best = std::numeric_limits<double>::infinity(), q[5];
  const auto take = [&](double defect) {
    if (!(defect < best)) return;
    best = defect;
    std::copy_n(q, rows, p);
  };
  for (const bool swapped : {false, true}) {
    Rolling x(rows, W, b, mu, mu_R, swapped);
    if (!swapped && mu_R > 0.0) {  // Newton's method from there takes 2 to 4 steps, as a rule
      const bool inside = x.stick();
      x.write(q);
      take(inside ? rolling_defect(rows, W, b, mu, mu_R, q)
                  : refine_rolling(rows, W, b, mu, mu_R, q, 6));
      if (best <= kSolved) return;
    }
    x.solve();
    x.write(q);
    take(rolling_defect(rows, W, b, mu, mu_R, q));
    if (best <= kSolved) return;
    take(refine_rolling(rows, W, b, mu, mu_R, q));
    if (best <= kSolved) return;
  }
  // the last resort: from sliding and spinning in directions all round
  const double push = -b[0] / W[0];
  const int pair = (rows - 1) / 2, directions = pair == 2 ? 16 : 0;
  for (int k = 0; k < directions && best > kSolved; ++k) {
    constexpr double kSides[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    q[0] = push;
    for (int i = 0; i < 2; ++i) {
      q[1 + i] = mu * push * kSides[k % 4][i];
      q[3 + i] = mu_R * push * kSides[k / 4][i];
    }
    take(refine_rolling(rows, W, b, mu, mu_R, q));
  }
}

}  // namespace saltus

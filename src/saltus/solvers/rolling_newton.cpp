#include "saltus/solvers/rolling_newton.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace saltus {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

/// The contact in numbers without units: moments as impulses p_R/L, W with mean diagonal 1, b as an impulse.
struct Contact {
  int rows, pair;
  double W[5][5], b[5], mu, mu_R;
  double L = 1.0, size_b = 0.0;

  Contact(int n, const double* W_rows, const double* b_rows, double friction, double rolling)
      : rows(n), pair((n - 1) / 2), mu(friction) {
    double mean = 0.0, mean_R = 0.0;
    for (int i = 0; i <= pair; ++i) mean += W_rows[i * n + i] / (1 + pair);
    for (int i = 1 + pair; i < n; ++i) mean_R += W_rows[i * n + i] / pair;
    L = mean_R > 0.0 ? std::sqrt(mean / mean_R) : rolling > 0.0 ? rolling : 1.0;
    mu_R = rolling / L;
    const auto unit = [&](int i) { return i > pair ? L : 1.0; };
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) W[i][j] = unit(i) * unit(j) * W_rows[i * n + j] / mean;
      b[i] = unit(i) * b_rows[i] / mean;
      size_b += b[i] * b[i];
    }
    size_b = std::sqrt(size_b);
  }

  void velocity(const double* p, double* u) const {
    for (int i = 0; i < rows; ++i) {
      u[i] = b[i];
      for (int j = 0; j < rows; ++j) u[i] += W[i][j] * p[j];
    }
  }
  static double size(const double* x, int count) {
    double sum = 0.0;
    for (int i = 0; i < count; ++i) sum += x[i] * x[i];
    return std::sqrt(sum);
  }

  /// q = Proj_K(p - step u^): q_N is the largest root of four lines, see residual().
  void project(const double* p, const double* u, double step, double* q) const {
    double x[5];
    for (int i = 0; i < rows; ++i) x[i] = p[i] - step * u[i];
    x[0] -= step * (mu * size(u + 1, pair) + mu_R * size(u + 1 + pair, pair));
    const double slip = size(x + 1, pair), spin = size(x + 1 + pair, pair);
    const double T = 1.0 + mu * mu, R = 1.0 + mu_R * mu_R;
    double N = std::max({x[0], (x[0] + mu * slip) / T, (x[0] + mu_R * spin) / R, 0.0});
    N = std::max(N, (x[0] + mu * slip + mu_R * spin) / (T + R - 1.0));
    q[0] = N;
    const double scale_T = slip <= mu * N ? 1.0 : mu * N / slip;
    const double scale_R = spin <= mu_R * N ? 1.0 : mu_R * N / spin;
    for (int i = 1; i < rows; ++i) q[i] = (i <= pair ? scale_T : scale_R) * x[i];
  }

  double defect(const double* p) const {
    double u[5], q[5];
    velocity(p, u);
    project(p, u, 1.0, q);
    for (int i = 0; i < rows; ++i) q[i] -= p[i];
    const double scale = std::max(size(p, rows), size_b);
    return scale > 0.0 ? size(q, rows) / scale : size(q, rows);
  }

  /// Step of Newton's method on
  ///     u_N = 0,   p_T - s = 0 if |s| <= mu p_N, else p_T - mu p_N s/|s| = 0,   s = p_T - u_T,
  /// and R likewise (Alart, Curnier 1991), where pivots of round-off are left out.
  void newton(const double* p, double* step) const {
    double u[5], J[5][6];
    velocity(p, u);
    for (int j = 0; j < rows; ++j) J[0][j] = W[0][j];
    J[0][rows] = -u[0];
    for (int first = 1; first < rows; first += pair) {
      const double friction = first == 1 ? mu : mu_R, radius = friction * std::max(p[0], 0.0);
      double s[2] = {}, e[2];
      for (int i = 0; i < pair; ++i) s[i] = p[first + i] - u[first + i];
      const double length = size(s, pair);
      if (length <= radius) {
        for (int i = first; i < first + pair; ++i) {
          for (int j = 0; j < rows; ++j) J[i][j] = W[i][j];
          J[i][rows] = -u[i];
        }
        continue;
      }
      for (int i = 0; i < pair; ++i) e[i] = s[i] / length;
      for (int i = 0; i < pair; ++i) {
        double* const row = J[first + i];
        row[rows] = radius * e[i] - p[first + i];
        for (int j = 0; j < rows; ++j) row[j] = j == first + i ? 1.0 : 0.0;
        row[0] -= friction * e[i];
        for (int k = 0; k < pair; ++k) {  // G = (radius/|s|)(1 - e e^T)
          const double G = radius / length * ((i == k ? 1.0 : 0.0) - e[i] * e[k]);
          row[first + k] -= G;
          for (int j = 0; j < rows; ++j) row[j] += G * W[first + k][j];
        }
      }
    }
    solve(J, step);
  }

  /// In the plane: p with u_N = 0 where T and R each stick (0) or are on one of the two edges (+-1) of the cone.
  void state(int T, int R, double* p) const {
    double J[5][6];
    const int edge[3] = {0, T, R};
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) J[i][j] = edge[i] == 0 ? W[i][j] : i == j ? 1.0 : 0.0;
      if (edge[i] != 0) J[i][0] = -edge[i] * (i == 1 ? mu : mu_R);
      J[i][3] = edge[i] == 0 ? -b[i] : 0.0;
    }
    solve(J, p);
  }

  /// Gauss elimination with the largest pivot.
  void solve(double (&J)[5][6], double* x) const {
    int column[5] = {0, 1, 2, 3, 4}, rank = 0;
    double first = 0.0;
    for (; rank < rows; ++rank) {
      int r = rank, c = rank;
      for (int i = rank; i < rows; ++i)
        for (int j = rank; j < rows; ++j)
          if (std::abs(J[i][j]) > std::abs(J[r][c])) r = i, c = j;
      const double pivot = J[r][c];
      if (rank == 0) first = std::abs(pivot);
      if (!(std::abs(pivot) > 16.0 * kEpsilon * first)) break;
      std::swap(J[rank], J[r]);
      std::swap(column[rank], column[c]);
      for (int i = 0; i < rows; ++i) std::swap(J[i][rank], J[i][c]);
      for (int i = rank + 1; i < rows; ++i) {
        const double factor = J[i][rank] / pivot;
        for (int j = rank; j <= rows; ++j) J[i][j] -= factor * J[rank][j];
      }
    }
    for (int i = rows - 1; i >= 0; --i) {
      double value = 0.0;
      if (i < rank) {
        value = J[i][rows];
        for (int j = i + 1; j < rank; ++j) value -= J[i][j] * x[column[j]];
        value /= J[i][i];
      }
      x[column[i]] = value;
    }
  }

  /// Largest sum of a row: a step by its inverse does not overshoot.
  double bound() const {
    double most = 0.0;
    for (int i = 0; i < rows; ++i) {
      double sum = 0.0;
      for (int j = 0; j < rows; ++j) sum += std::abs(W[i][j]);
      most = std::max(most, sum);
    }
    return most;
  }

  void units(double* p, double factor) const {
    for (int i = 1 + pair; i < rows; ++i) p[i] *= factor;
  }
};

}  // namespace

double rolling_defect(int rows, const double* W, const double* b, double mu, double mu_R,
                      const double* p) {
  const Contact x(rows, W, b, mu, mu_R);
  double q[5];
  std::copy_n(p, rows, q);
  x.units(q, 1.0 / x.L);
  return x.defect(q);
}

// In the plane all nine states are tried. Newton's method, halved until the defect falls; where no half does, steps of the projected fixed point
// p <- Proj_K(p - u^/bound).
double refine_rolling(int rows, const double* W, const double* b, double mu, double mu_R, double* p,
                      int rounds) {
  constexpr int kProjections = 20;
  constexpr double kRound = 8.0 * kEpsilon;
  const Contact x(rows, W, b, mu, mu_R);
  const double fixed_step = 1.0 / x.bound();
  double now[5], best[5], step[5], next[5], u[5];
  std::copy_n(p, rows, now);
  x.units(now, 1.0 / x.L);
  std::copy_n(now, rows, best);
  double defect = x.defect(now), least = defect;
  const auto keep = [&] {
    if (!(defect < least)) return;
    least = defect;
    std::copy_n(now, rows, best);
  };
  for (int k = 0; x.pair == 1 && k < 9 && !(least <= 16.0 * kEpsilon); ++k) {
    x.state(k % 3 - 1, k / 3 - 1, next);
    defect = x.defect(next);
    if (!(defect < least)) continue;
    std::copy_n(next, rows, now);
    keep();
  }
  std::copy_n(best, rows, now);
  defect = least;
  for (int round = 0; round < rounds && !(least <= kRound); ++round) {
    x.newton(now, step);
    bool lower = false;
    for (double t = 1.0; t > 0.02 && !lower; t *= 0.5) {
      for (int i = 0; i < rows; ++i) next[i] = now[i] + t * step[i];
      const double there = x.defect(next);
      lower = there < (1.0 - 0.1 * t) * defect;
      if (!lower) continue;
      defect = there;
      std::copy_n(next, rows, now);
    }
    keep();
    if (lower) continue;
    if (least <= 16.0 * kEpsilon) break;
    for (int k = 0; k < kProjections; ++k) {
      x.velocity(now, u);
      x.project(now, u, fixed_step, next);
      std::copy_n(next, rows, now);
    }
    defect = x.defect(now);
    keep();
  }
  std::copy_n(best, rows, p);
  x.units(p, x.L);
  return least;
}

}  // namespace saltus

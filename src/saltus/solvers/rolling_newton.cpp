#include "saltus/solvers/rolling_newton.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "saltus/contact/cone.h"

namespace saltus {
namespace {

constexpr double kNewtonEpsilon = std::numeric_limits<double>::epsilon();

/// The contact without units: moments as impulses p/L, W with mean diagonal 1, b as an impulse.
struct Contact {
  static constexpr int kMost = kContactRows;
  int rows, forces;
  double W[kMost][kMost], b[kMost];
  double L = 1.0, size_b = 0.0;
  Cone K;

  Contact(const Law& law, const double* W_rows, const double* b_rows)
      : rows(law.size), forces(law.forces()) {
    const int n = rows;
    double mean = 0.0, mean_R = 0.0;
    for (int i = 0; i < forces; ++i) mean += W_rows[i * n + i] / forces;
    for (int i = forces; i < n; ++i) mean_R += W_rows[i * n + i] / (n - forces);
    L = mean_R > 0.0         ? std::sqrt(mean / mean_R)
        : law.rolling > 0.0  ? law.rolling
        : law.spinning > 0.0 ? law.spinning
                             : 1.0;
    K = Cone(law, L);
    const auto unit = [&](int i) { return i >= forces ? L : 1.0; };
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

  /// q = Proj_K(p - step u^)
  void project(const double* p, const double* u, double step, double* q) const {
    for (int i = 0; i < rows; ++i) q[i] = p[i] - step * u[i];
    q[0] -= step * K.raised(0.0, u);
    K.project(q, q);
  }

  double defect(const double* p) const {
    double u[kMost], q[kMost];
    velocity(p, u);
    project(p, u, 1.0, q);
    for (int i = 0; i < rows; ++i) q[i] -= p[i];
    const double scale = std::max(size(p, rows), size_b);
    return scale > 0.0 ? size(q, rows) / scale : size(q, rows);
  }

  /// One step of Newton's method on
  ///     u_N = 0,   p_T - s = 0 if |s| <= mu p_N, else p_T - mu p_N s/|s| = 0,   s = p_T - u_T,
  /// R and S likewise (Alart, Curnier 1991); pivots that are round-off are left out.
  void newton(const double* p, double* step) const {
    double u[kMost], J[kMost][kMost + 1];
    velocity(p, u);
    for (int j = 0; j < rows; ++j) J[0][j] = W[0][j];
    J[0][rows] = -u[0];
    for (int part = 0, first = 1; part < K.kParts; first += K.rows[part++]) {
      const int count = K.rows[part];
      const double friction = K.radius[part], radius = friction * std::max(p[0], 0.0);
      double s[2] = {}, e[2];
      for (int i = 0; i < count; ++i) s[i] = p[first + i] - u[first + i];
      const double length = size(s, count);
      if (length <= radius) {
        for (int i = first; i < first + count; ++i) {
          for (int j = 0; j < rows; ++j) J[i][j] = W[i][j];
          J[i][rows] = -u[i];
        }
        continue;
      }
      for (int i = 0; i < count; ++i) e[i] = s[i] / length;
      for (int i = 0; i < count; ++i) {
        double* const row = J[first + i];
        row[rows] = radius * e[i] - p[first + i];
        for (int j = 0; j < rows; ++j) row[j] = j == first + i ? 1.0 : 0.0;
        row[0] -= friction * e[i];
        for (int k = 0; k < count; ++k) {  // G = (radius/|s|)(1 - e e^T)
          const double G = radius / length * ((i == k ? 1.0 : 0.0) - e[i] * e[k]);
          row[first + k] -= G;
          for (int j = 0; j < rows; ++j) row[j] += G * W[first + k][j];
        }
      }
    }
    solve(J, step);
  }

  /// In 2D: p with u_N = 0, where T and R each stick (0) or are on an edge (+-1) of the cone.
  void state(int T, int R, double* p) const {
    double J[kMost][kMost + 1];
    const int edge[3] = {0, T, R};
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) J[i][j] = edge[i] == 0 ? W[i][j] : i == j ? 1.0 : 0.0;
      if (edge[i] != 0) J[i][0] = -edge[i] * K.radius[i - 1];
      J[i][3] = edge[i] == 0 ? -b[i] : 0.0;
    }
    solve(J, p);
  }

  /// Gaussian elimination with complete pivoting.
  void solve(double (&J)[kMost][kMost + 1], double* x) const {
    int column[kMost] = {0, 1, 2, 3, 4, 5}, rank = 0;
    double first = 0.0;
    for (; rank < rows; ++rank) {
      int r = rank, c = rank;
      for (int i = rank; i < rows; ++i)
        for (int j = rank; j < rows; ++j)
          if (std::abs(J[i][j]) > std::abs(J[r][c])) r = i, c = j;
      const double pivot = J[r][c];
      if (rank == 0) first = std::abs(pivot);
      if (!(std::abs(pivot) > 16.0 * kNewtonEpsilon * first)) break;
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

  /// Largest absolute row sum: a step by its inverse does not overshoot.
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
    for (int i = forces; i < rows; ++i) p[i] *= factor;
  }
};

Law law_of(int rows, double mu, double mu_R, double sigma) {
  return {
      .kind = LawKind::rolling, .size = rows, .friction = mu, .rolling = mu_R, .spinning = sigma};
}

}  // namespace

double rolling_defect(int rows, const double* W, const double* b, double mu, double mu_R,
                      double sigma, const double* p) {
  const Contact x(law_of(rows, mu, mu_R, sigma), W, b);
  double q[Contact::kMost];
  std::copy_n(p, rows, q);
  x.units(q, 1.0 / x.L);
  return x.defect(q);
}

// In 2D all nine states are tried. Then Newton's method, with steps halved until the defect falls;
// if no step does, steps of the projected fixed point iteration p <- Proj_K(p - u^/bound).
double refine_rolling(int rows, const double* W, const double* b, double mu, double mu_R,
                      double sigma, double* p, int rounds) {
  constexpr int kProjections = 20;
  constexpr double kRound = 8.0 * kNewtonEpsilon;
  const Contact x(law_of(rows, mu, mu_R, sigma), W, b);
  const double fixed_step = 1.0 / x.bound();
  constexpr int kMost = Contact::kMost;
  double now[kMost], best[kMost], step[kMost], next[kMost], u[kMost];
  std::copy_n(p, rows, now);
  x.units(now, 1.0 / x.L);
  std::copy_n(now, rows, best);
  double defect = x.defect(now), least = defect;
  const auto keep = [&] {
    if (!(defect < least)) return;
    least = defect;
    std::copy_n(now, rows, best);
  };
  for (int k = 0; rows == 3 && k < 9 && !(least <= 16.0 * kNewtonEpsilon); ++k) {
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
    if (least <= 16.0 * kNewtonEpsilon) break;
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

// The set K of the impulses that a contact law admits: projection, dual cone, excess.
#pragma once
#include <algorithm>
#include <cmath>

#include "saltus/contact/contact_solver.h"

namespace saltus {

/// K of one contact with friction, or of one row of a law without friction:
///     equality: R.   unilateral: R+.   box: [-bound, bound].
///     coulomb, rolling: {|p_k| <= radius_k p_N, k = T, R, S} on the rows N, T, R, S:
///         discs of 2 rows, intervals of 1, or none.
/// With moments expressed as impulses p/L and spins as velocities L u, the radii of R and S are
/// mu_R/L and sigma/L. Every law has the form
///     p = Proj_K(p - rho u^),   u^ = u + sum radius_k |u_k| n,   for any rho > 0
struct Cone {
  static constexpr int kParts = 3;
  LawKind kind = LawKind::unilateral;
  double bound = 0.0;     ///< of a box [N s]
  int rows[kParts] = {};  ///< numbers of rows T, R, S
  double radius[kParts] = {};

  Cone() = default;
  explicit Cone(const Law& law, double L = 1.0)
      : kind(law.kind),
        bound(law.bound),
        rows{law.tangents(), law.rollings(), law.spinnings()},
        radius{law.friction, law.rolling / L, law.spinning / L} {}

  int size() const { return 1 + rows[0] + rows[1] + rows[2]; }
  /// Whether the law requires u_N >= 0: its first row is then the separation velocity.
  bool has_normal() const { return kind != LawKind::equality && kind != LawKind::box; }
  static double length(const double* x, int n) {
    return n == 0 ? 0.0 : n == 1 ? std::abs(x[0]) : std::sqrt(x[0] * x[0] + x[1] * x[1]);
  }

  /// start + sum radius_k |u_k|: for start = u_N the u^_N of De Saxce's form of the law.
  double raised(double start, const double* u) const {
    for (int k = 0, first = 1; k < kParts; first += rows[k++])
      start += radius[k] * length(u + first, rows[k]);
    return start;
  }

  /// Proj_K(x) of one row without friction. NaN stays NaN.
  double project(double x) const {
    if (kind == LawKind::equality) return x;
    if (kind == LawKind::box) return x < -bound ? -bound : x > bound ? bound : x;
    return std::max(x, 0.0);
  }
  /// y = Proj_K(x); y may alias x.
  void project(const double* x, double* y) const {
    if (kind == LawKind::coulomb)
      project_disc(x, y);
    else if (kind == LawKind::rolling)
      project_discs(x, y);
    else
      y[0] = project(x[0]);
  }

  /// Largest violation of an inequality of K: negative inside, 0 on the boundary, NaN if p is NaN.
  double excess(const double* p) const {
    if (kind == LawKind::equality) return 0.0 * p[0];
    if (kind == LawKind::box) return std::abs(p[0]) - bound;
    double most = -p[0];
    for (int k = 0, first = 1; k < kParts; first += rows[k++]) {
      const double over = length(p + first, rows[k]) - radius[k] * p[0];
      if (rows[k] > 0 && !(over <= most) && !std::isnan(most)) most = over;
    }
    return most;
  }
  bool contains(const double* p, double tolerance = 0.0) const { return excess(p) <= tolerance; }

  /// Violation of the dual cone K* = {v: v . p >= 0 for all p of K} by v, negative inside:
  ///     R+: v >= 0.   discs: v_N >= sum radius_k |v_k|.   R, [-bound, bound]: v = 0.
  double dual_excess(const double* v) const {
    return has_normal() ? raised(-v[0], v) : std::abs(v[0]);
  }
  /// dual_excess(u^), where the sums cancel: u^ is in K* if u_N >= 0.
  double closing(const double* u) const { return has_normal() ? -u[0] : std::abs(u[0]); }

  /// Proj_K of a cone with the disc T only:
  ///     0                        if mu |x_T| <= -x_N
  ///     x                        if |x_T| <= mu x_N
  ///     (N, mu N x_T/|x_T|)      otherwise,  N = (x_N + mu |x_T|)/(1 + mu^2)
  void project_disc(const double* x, double* y) const {
    const double mu = radius[0], slip = length(x + 1, rows[0]);
    double N = x[0], scale = 1.0;
    if (mu * slip <= -N) {
      N = scale = 0.0;
    } else if (!(slip <= mu * N)) {
      N = (N + mu * slip) / (1.0 + mu * mu);
      scale = mu * N / slip;
    }
    y[0] = N;
    for (int t = 1; t <= rows[0]; ++t) y[t] = scale * x[t];
  }

  /// Proj_K for any discs:  y_k = min(1, radius_k N/|x_k|) x_k, and N >= 0 is the root of
  ///     f(N) = N - x_N - sum radius_k max(|x_k| - radius_k N, 0),   or 0 where f(0) > 0.
  /// f is increasing and concave: Newton's method from 0 increases to the root in at most one step
  /// per part. With one disc the result differs from project_disc() in the last bit near the
  /// boundary of K.
  void project_discs(const double* x, double* y) const {
    double size[kParts];
    for (int k = 0, first = 1; k < kParts; first += rows[k++]) size[k] = length(x + first, rows[k]);
    double N = 0.0;
    for (bool climbs = true; climbs;) {
      double slope = 1.0, sum = x[0];
      for (int k = 0; k < kParts; ++k)
        if (size[k] > radius[k] * N) {
          slope += radius[k] * radius[k];
          sum += radius[k] * size[k];
        }
      const double next = sum / slope;
      climbs = next > N;
      N = std::max(next, N);  // max(NaN, .) is NaN
    }
    y[0] = N;
    for (int k = 0, i = 1; k < kParts; ++k) {
      const double scale = size[k] <= radius[k] * N ? 1.0 : radius[k] * N / size[k];
      for (const int end = i + rows[k]; i < end; ++i) y[i] = scale * x[i];
    }
  }
};

}  // namespace saltus

#include "saltus/solvers/contact_map.h"

#include <algorithm>
#include <cmath>

namespace saltus {
namespace {

/// k below which a contact slides in direction e whatever its p_T
constexpr double kNoSlope = 1e-10;

/// Phi of a disc: p - Proj(x).
void disc(int n, double radius, const double* rho, const double* u, const double* p, double* Phi) {
  double x[2] = {};
  for (int t = 0; t < n; ++t) x[t] = p[t] - rho[t] * u[t];
  const double slip = Cone::length(x, n);
  const double scale = slip <= radius ? 1.0 : radius / slip;
  for (int t = 0; t < n; ++t) Phi[t] = slip <= radius ? rho[t] * u[t] : p[t] - scale * x[t];
}

/// Contribution of one disc of a sliding contact: column N, and column e_perp if it is kept.
void slide(int n, int first, double mu, const double* x, double x_N, const double* rho,
           const double* u, const double* p, int size, ContactSlope& out) {
  if (n == 0) return;
  const double slip = Cone::length(x, n), radius = mu * x_N;
  int& kept = out.kept;
  const auto C = [&](int i, int j) -> double& { return out.C[kContactRows * i + j]; };
  const auto R = [&](int i, int j) -> double& { return out.R[size * i + j]; };
  if (slip <= radius) {
    for (int t = 0; t < n; ++t) {
      C(first + t, kept) = R(kept, first + t) = 1.0;
      out.E[kept] = 0.0;
      out.right[kept++] = -u[first + t];
    }
    return;
  }
  double e[2] = {};
  for (int t = 0; t < n; ++t) e[t] = x[t] / slip;
  const double along = n == 1 ? p[first] * e[0] : p[first] * e[0] + p[first + 1] * e[1];
  for (int t = 0; t < n; ++t) {
    out.d[first + t] = (mu * p[0] - along) * e[t];
    C(first + t, 0) = mu * e[t];
  }
  if (n == 1) return;
  const double k = radius / slip;
  if (k < kNoSlope) {
    for (int t = 0; t < n; ++t) out.d[first + t] = mu * p[0] * e[t] - p[first + t];
    return;
  }
  const double perp[2] = {-e[1], e[0]};
  for (int t = 0; t < n; ++t) C(first + t, kept) = R(kept, first + t) = perp[t];
  out.E[kept] = (1.0 - k) / (k * rho[first]);
  out.right[kept++] = -(u[first] * perp[0] + u[first + 1] * perp[1]) / k;
}

}  // namespace

double contact_map(const GroupedContact& c, const double* rho, const double* u, const double* p,
                   double* Phi) {
  const double x = p[0] - rho[0] * u[0];
  switch (c.cone.kind) {  // rho u if x is in K: p - x without its round-off
    case LawKind::equality:
      Phi[0] = rho[0] * u[0];
      break;
    case LawKind::box:
      Phi[0] = std::abs(x) <= c.cone.bound ? rho[0] * u[0] : p[0] - c.cone.project(x);
      break;
    default:
      Phi[0] = x <= 0.0 ? p[0] : rho[0] * u[0];
  }
  const double normal = std::max(x, 0.0);
  for (int k = 0, i = 1; k < c.cone.kParts; i += c.cone.rows[k++])
    disc(c.cone.rows[k], c.cone.radius[k] * normal, rho + i, u + i, p + i, Phi + i);
  double sum = 0.0;
  for (int i = 0; i < c.size; ++i) sum += Phi[i] * Phi[i] / rho[i];
  return sum;
}

double natural_map2(const Cone& K, double rho, const double* u, const double* p) {
  double F = 0.0;
  switch (K.kind) {
    case LawKind::equality:  // p - (p - rho u) without its round-off
      F = rho * u[0];
      return F * F;
    case LawKind::unilateral:  // p - max(0, p - rho u), likewise
      F = std::min(p[0], rho * u[0]);
      return F * F;
    case LawKind::box:
      F = p[0] - K.project(p[0] - rho * u[0]);
      return F * F;
    default:
      break;
  }
  const int size = K.size();
  double x[kContactRows];
  for (int i = 0; i < size; ++i) x[i] = p[i] - rho * u[i];
  x[0] -= rho * K.raised(0.0, u);
  K.project_discs(x, x);  // also for one disc: project() differs in the last bits near its edge
  double sum = 0.0;
  for (int i = 0; i < size; ++i) {
    F = p[i] - x[i];
    sum += F * F;
  }
  return sum;
}

void contact_slope(const GroupedContact& c, const double* rho, const double* u, const double* p,
                   ContactSlope& out) {
  double x[kContactRows] = {};
  for (int i = 0; i < c.size; ++i) {
    x[i] = p[i] - rho[i] * u[i];
    out.d[i] = 0.0;
  }
  const auto all = [&] {
    out.kept = c.size;
    out.whole = true;
    for (int i = 0; i < c.size; ++i) out.E[i] = 0.0, out.right[i] = -u[i];
  };
  const auto none = [&](double to) {
    out.kept = 0;
    out.whole = false;
    for (int i = 0; i < c.size; ++i) out.d[i] = -p[i];
    out.d[0] += to;
  };
  const Cone& K = c.cone;
  switch (K.kind) {
    case LawKind::equality:
      return all();
    case LawKind::box:
      return std::abs(x[0]) <= K.bound ? all() : none(K.project(x[0]));
    default:
      break;
  }
  if (!(x[0] > 0.0)) return none(0.0);  // also if it is not a number
  bool sticks = true;
  for (int k = 0, i = 1; k < K.kParts; i += K.rows[k++])
    sticks = sticks && K.length(x + i, K.rows[k]) <= K.radius[k] * x[0];
  if (sticks) return all();
  out.whole = false;
  out.kept = 1;
  std::fill(std::begin(out.C), std::end(out.C), 0.0);
  std::fill(std::begin(out.R), std::end(out.R), 0.0);
  out.C[0] = out.R[0] = 1.0;
  out.E[0] = 0.0;
  out.right[0] = -u[0];
  for (int k = 0, i = 1; k < K.kParts; i += K.rows[k++])
    slide(K.rows[k], i, K.radius[k], x + i, x[0], rho, u, p, c.size, out);
}

}  // namespace saltus

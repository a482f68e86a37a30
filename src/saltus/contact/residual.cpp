#include "saltus/contact/residual.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "saltus/base/error.h"

namespace saltus {
namespace {

/// |F_c|^2 of a Coulomb contact, rows (N, T1[, T2]), by the De Saxce form of the law:
///     u^ = u + mu |u_T| n,  x = p - rho u^,  F = p - Proj_Kc(x),  Kc = {|p_T| <= mu p_N}
///     Proj_Kc(x) = 0                            if mu |x_T| <= -x_N
///                  x                            if |x_T| <= mu x_N
///                  (N, mu N x_T/|x_T|)          otherwise,  N = (x_N + mu |x_T|)/(1 + mu^2)
double coulomb_defect(const Law& law, double rho, const double* u, const double* p) {
  const double mu = law.friction;
  const int tangents = law.size - 1;
  double x_T[2] = {0.0, 0.0}, u_T2 = 0.0, x_T2 = 0.0;
  for (int t = 0; t < tangents; ++t) {
    x_T[t] = p[1 + t] - rho * u[1 + t];
    u_T2 += u[1 + t] * u[1 + t];
    x_T2 += x_T[t] * x_T[t];
  }
  const double x_N = p[0] - rho * (u[0] + mu * std::sqrt(u_T2));
  const double slip = std::sqrt(x_T2);

  double normal = x_N, scale = 1.0;  // Proj_Kc(x) = (normal, scale x_T)
  if (mu * slip <= -x_N) {
    normal = scale = 0.0;
  } else if (!(slip <= mu * x_N)) {
    normal = (x_N + mu * slip) / (1.0 + mu * mu);
    scale = mu * normal / slip;
  }
  double F2 = (p[0] - normal) * (p[0] - normal);
  for (int t = 0; t < tangents; ++t) {
    const double F_t = p[1 + t] - scale * x_T[t];
    F2 += F_t * F_t;
  }
  return F2;
}

/// |F_c|^2 of one contact; u and p point at its first row.
double defect(const Law& law, const double* rho, const double* u, const double* p) {
  double F2 = 0.0;
  switch (law.kind) {
    case LawKind::equality:  // K = R: F = rho u
      for (int i = 0; i < law.size; ++i) F2 += rho[i] * u[i] * rho[i] * u[i];
      return F2;
    case LawKind::unilateral:  // K = R+: F = p - max(0, p - rho u)
      for (int i = 0; i < law.size; ++i) {
        const double x = p[i] - rho[i] * u[i];
        const double F = x <= 0.0 ? p[i] : p[i] - x;
        F2 += F * F;
      }
      return F2;
    case LawKind::box:  // K = [-bound, bound]
      for (int i = 0; i < law.size; ++i) {
        const double x = p[i] - rho[i] * u[i];
        const double F = p[i] - (x < -law.bound ? -law.bound : x > law.bound ? law.bound : x);
        F2 += F * F;
      }
      return F2;
    case LawKind::coulomb:
      expects(law.size >= 1 && law.size <= 3, "a coulomb contact has 1 to 3 rows");
      return coulomb_defect(law, rho[0], u, p);
    case LawKind::rolling:
      break;
  }
  expects(false, "no residual is defined for rolling contacts");
  return F2;
}

/// Grows only, so that a step that has run once allocates nothing.
double* workspace(std::size_t count) {
  thread_local std::vector<double> data;
  if (data.size() < count) data.resize(count);
  return data.data();
}

}  // namespace

double natural_map(std::span<const Law> laws, View rho, View u, View b, View p, double floor) {
  const Eigen::Index n = p.size();
  expects(rho.size() == n && u.size() == n && b.size() == n, "rho, u, b and p differ in length");
  double F2 = 0.0;
  Eigen::Index next = 0;
  for (const Law& law : laws) {
    expects(law.first == next && law.size > 0, "laws must cover the rows in order, without holes");
    next += law.size;
    expects(next <= n, "laws have more rows than the problem");
    F2 += defect(law, rho.data() + law.first, u.data() + law.first, p.data() + law.first);
  }
  expects(next == n, "laws have fewer rows than the problem");

  double p2 = 0.0, b2 = 0.0;
  for (Eigen::Index i = 0; i < n; ++i) {
    p2 += p[i] * p[i];
    b2 += rho[i] * b[i] * rho[i] * b[i];
  }
  const double scale = std::max(std::sqrt(std::max(p2, b2)), floor);
  return scale == 0.0 ? std::sqrt(F2) : std::sqrt(F2) / scale;
}

double residual(const ContactProblem& problem, View p) {
  const Eigen::Index n = problem.b.size();
  expects(problem.W.rows() == n && p.size() == n, "W, b and p differ in size");
  double* const data = workspace(2 * static_cast<std::size_t>(n));
  Eigen::Map<Vector> rho(data, n), u(data + n, n);

  // rho_c = (rows of c)/tr W_cc. A contact nothing can move (W_cc = 0) takes the mean over all
  // contacts, rows/tr W, so that its violations are seen in the same unit; W = 0 takes 1 kg.
  double trace = 0.0;
  for (const Law& law : problem.laws) {
    expects(law.first >= 0 && law.size > 0 && law.first + law.size <= n,
            "a law lies outside the rows of the problem");
    double trace_c = 0.0;
    for (int i = law.first; i < law.first + law.size; ++i) trace_c += problem.W.entry(i, i);
    rho.segment(law.first, law.size).setConstant(trace_c > 0.0 ? law.size / trace_c : 0.0);
    if (trace_c > 0.0) trace += trace_c;
  }
  const double mean = trace > 0.0 ? static_cast<double>(n) / trace : 1.0;
  for (Eigen::Index i = 0; i < n; ++i)
    if (rho[i] == 0.0) rho[i] = mean;

  problem.W.apply(p, u);
  u += problem.b;
  return natural_map(problem.laws, rho, u, problem.b, p);
}

}  // namespace saltus

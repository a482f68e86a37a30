#include "saltus/contact/residual.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "saltus/base/error.h"
#include "saltus/contact/friction_cone.h"

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

/// L_c [m] by which the moments of a rolling contact are read: p/L and L u are an impulse and a velocity. Where the
/// steps are the inverses of the mean diagonals of W over N, T and over R, S, L^2 is the ratio of these.
double contact_length(double rho, double rho_R) { return std::sqrt(rho_R / rho); }

/// |F_c|^2 of a rolling contact, moments and spins read by L:
///     u^ = u + (mu |u_T| + mu_R |u_R| + sigma |u_S|) n,  x = p - rho u^,  F = p - Proj_K(x)
double rolling_defect(const Law& law, double rho, double rho_R, const double* u, const double* p) {
  const int forces = law.forces();
  const double L = contact_length(rho, rho_R);
  const FrictionCone K(law, L);
  double q[kContactRows], v[kContactRows], x[kContactRows];  // p as impulses, u as velocities
  for (int i = 0; i < law.size; ++i) {
    q[i] = i < forces ? p[i] : p[i] / L;
    v[i] = i < forces ? u[i] : L * u[i];
  }
  v[0] = K.raised(v[0], v);
  for (int i = 0; i < law.size; ++i) x[i] = q[i] - rho * v[i];
  K.project(x, x);
  double F2 = 0.0;
  for (int i = 0; i < law.size; ++i) F2 += (q[i] - x[i]) * (q[i] - x[i]);
  return F2;
}

/// |F_c|^2 of one contact; u and p point at its first row, rho(i) is the step of its row i.
template <class Steps>
double defect(const Law& law, const Steps& rho, const double* u, const double* p) {
  double F2 = 0.0;
  switch (law.kind) {
    case LawKind::equality:  // K = R: F = rho u
      for (int i = 0; i < law.size; ++i) F2 += rho(i) * u[i] * rho(i) * u[i];
      return F2;
    case LawKind::unilateral:  // K = R+: F = p - max(0, p - rho u)
      for (int i = 0; i < law.size; ++i) {
        const double x = p[i] - rho(i) * u[i];
        const double F = x <= 0.0 ? p[i] : p[i] - x;
        F2 += F * F;
      }
      return F2;
    case LawKind::box:  // K = [-bound, bound]
      for (int i = 0; i < law.size; ++i) {
        const double x = p[i] - rho(i) * u[i];
        const double F = p[i] - (x < -law.bound ? -law.bound : x > law.bound ? law.bound : x);
        F2 += F * F;
      }
      return F2;
    case LawKind::coulomb:
      return coulomb_defect(law, rho(0), u, p);
    case LawKind::rolling:
      return rolling_defect(law, rho(0), rho(law.forces()), u, p);
  }
  return F2;
}

void expect_rows(const Law& law) {
  expects(law.kind != LawKind::coulomb || (law.size >= 1 && law.size <= 3),
          "a coulomb contact has 1 to 3 rows");
  expects(law.kind != LawKind::rolling || (law.size >= 3 && law.size <= kContactRows),
          "a rolling contact has 3 to 6 rows");
}

/// Grows only, so that a step that has run once allocates nothing.
double* workspace(std::size_t count) {
  thread_local std::vector<double> data;  // written before it is read
  if (data.size() < count) data.resize(count);
  return data.data();
}

/// natural_map() with the steps rho(c, i) of row i of contact c.
template <class Steps>
double map_of(std::span<const Law> laws, const Steps& rho, View u, View b, View p, double floor) {
  const Eigen::Index n = p.size();
  expects(u.size() == n && b.size() == n, "u, b and p differ in length");
  double F2 = 0.0, p2 = 0.0, b2 = 0.0;
  Eigen::Index next = 0;
  for (std::size_t c = 0; c < laws.size(); ++c) {
    const Law& law = laws[c];
    expects(law.first == next && law.size > 0, "laws must cover the rows in order, without holes");
    expect_rows(law);
    next += law.size;
    expects(next <= n, "laws have more rows than the problem");
    const auto rho_c = [&](int i) { return rho(c, i); };
    F2 += defect(law, rho_c, u.data() + law.first, p.data() + law.first);
    const int forces = law.forces();
    for (int i = 0; i < forces; ++i) {
      const double p_i = p[law.first + i], b_i = b[law.first + i];
      p2 += p_i * p_i;
      b2 += rho_c(i) * b_i * rho_c(i) * b_i;
    }
    if (forces == law.size) continue;
    const double L = contact_length(rho_c(0), rho_c(forces));
    for (int i = forces; i < law.size; ++i) {
      const double p_i = p[law.first + i], b_i = b[law.first + i];
      p2 += p_i / L * (p_i / L);
      b2 += rho_c(i) * b_i / L * (rho_c(i) * b_i / L);
    }
  }
  expects(next == n, "laws have fewer rows than the problem");

  const double scale = std::max(std::sqrt(std::max(p2, b2)), floor);
  return scale == 0.0 ? std::sqrt(F2) : std::sqrt(F2) / scale;
}

}  // namespace

double natural_map(std::span<const Law> laws, View rho, View u, View b, View p, double floor) {
  expects(rho.size() == p.size(), "rho and p differ in length");
  return map_of(
      laws, [&](std::size_t c, int i) { return rho[laws[c].first + i]; }, u, b, p, floor);
}

double residual(const ContactProblem& problem, View p) {
  const Eigen::Index n = problem.b.size();
  const auto laws = problem.laws;
  expects(problem.W.rows() == n && p.size() == n, "W, b and p differ in size");
  double* const rho = workspace(2 * laws.size() + static_cast<std::size_t>(n));
  Eigen::Map<Vector> u(rho + 2 * laws.size(), n);

  // rho_c = (rows of c)/tr W_cc. A contact nothing can move (W_cc = 0) takes the mean over all
  // contacts, rows/tr W, so that its violations are seen in the same unit; W = 0 takes 1 kg.
  // Moments have a step of their own, in 1/(kg m^2), by the same rule.
  double trace = 0.0, trace_R = 0.0;
  Eigen::Index moments = 0;
  for (std::size_t c = 0; c < laws.size(); ++c) {
    const Law& law = laws[c];
    expects(law.first >= 0 && law.size > 0 && law.first + law.size <= n,
            "a law lies outside the rows of the problem");
    expect_rows(law);
    const auto step = [&](int begin, int end, double& sum) {
      double trace_c = 0.0;
      for (int i = begin; i < end; ++i) trace_c += problem.W.entry(i, i);
      if (trace_c > 0.0) sum += trace_c;
      return trace_c > 0.0 ? (end - begin) / trace_c : 0.0;
    };
    const int moment = law.first + law.forces(), end = law.first + law.size;
    rho[2 * c] = step(law.first, moment, trace);
    rho[2 * c + 1] = moment < end ? step(moment, end, trace_R) : 0.0;
    moments += end - moment;
  }
  const double mean = trace > 0.0 ? static_cast<double>(n - moments) / trace : 1.0;
  const double mean_R = trace_R > 0.0 ? static_cast<double>(moments) / trace_R : 0.0;
  for (std::size_t c = 0; c < laws.size(); ++c) {
    const Law& law = laws[c];
    double &rho_c = rho[2 * c], &rho_R = rho[2 * c + 1];
    if (rho_c == 0.0) rho_c = mean;
    // nothing can be turned at all: mu_R or sigma is the one length there is, else 1 m
    const double length = law.rolling > 0.0 ? law.rolling : law.spinning > 0.0 ? law.spinning : 1.0;
    if (rho_R == 0.0) rho_R = mean_R > 0.0 ? mean_R : rho_c * length * length;
  }

  problem.W.apply(p, u);
  u += problem.b;
  const auto step_of = [&](std::size_t c, int i) {
    return rho[2 * c + (i < laws[c].forces() ? 0 : 1)];
  };
  return map_of(laws, step_of, u, problem.b, p, 0.0);
}

}  // namespace saltus

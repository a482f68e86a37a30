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

/// L_c [m] by which the rows R of a rolling contact are read: p_R/L and L u_R are an impulse and a velocity. Where the
/// steps are the inverses of the mean diagonals of W over N, T and over R, L^2 = rho_R/rho_T is the ratio of these.
double contact_length(const Law& law, const double* rho) {
  return std::sqrt(rho[1 + law.tangents()] / rho[0]);
}

/// |F_c|^2 of a contact that rolls, rows (N, T1, T2, R1, R2) or (N, T, R), moments and spins read by L:
///     u^ = u + (mu |u_T| + mu_R |u_R|) n,  x = p - rho u^,  K = {|p_T| <= mu p_N, |p_R| <= mu_R p_N}
/// The nearest point of K has p_T = min(1, mu N/|x_T|) x_T, p_R likewise, and N >= 0 is the root of
///     N - x_N - mu max(|x_T| - mu N, 0) - mu_R max(|x_R| - mu_R N, 0) = 0.
/// The left side is the least of four increasing lines, so that N is the largest of their roots.
double rolling_defect(const Law& law, const double* rho_rows, const double* u, const double* p) {
  const int tangents = law.tangents(), first_R = 1 + tangents;
  const double L = contact_length(law, rho_rows), rho = rho_rows[0];
  const double mu = law.friction, mu_R = law.rolling / L;
  double x[5], q[5], u_T2 = 0.0, u_R2 = 0.0, x_T2 = 0.0, x_R2 = 0.0;  // q: p as impulses
  for (int t = 1; t < first_R; ++t) {
    q[t] = p[t];
    x[t] = p[t] - rho * u[t];
    u_T2 += u[t] * u[t];
    x_T2 += x[t] * x[t];
  }
  for (int r = first_R; r < law.size; ++r) {
    const double v = L * u[r];
    q[r] = p[r] / L;
    x[r] = q[r] - rho * v;
    u_R2 += v * v;
    x_R2 += x[r] * x[r];
  }
  const double x_N = p[0] - rho * (u[0] + mu * std::sqrt(u_T2) + mu_R * std::sqrt(u_R2));
  const double slip = std::sqrt(x_T2), spin = std::sqrt(x_R2);

  double N = std::max(x_N, (x_N + mu * slip) / (1.0 + mu * mu));  // max(NaN, .) is NaN
  N = std::max(N, (x_N + mu_R * spin) / (1.0 + mu_R * mu_R));
  N = std::max(N, (x_N + mu * slip + mu_R * spin) / (1.0 + mu * mu + mu_R * mu_R));
  N = std::max(N, 0.0);
  const double scale_T = slip <= mu * N ? 1.0 : mu * N / slip;
  const double scale_R = spin <= mu_R * N ? 1.0 : mu_R * N / spin;
  double F2 = (p[0] - N) * (p[0] - N);
  for (int i = 1; i < law.size; ++i) {
    const double F_i = q[i] - (i < first_R ? scale_T : scale_R) * x[i];
    F2 += F_i * F_i;
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
      expects(law.size == 3 || law.size == 5, "a rolling contact has 3 or 5 rows");
      return rolling_defect(law, rho, u, p);
  }
  return F2;
}

/// Rows of a law whose p are impulses [N s]; the others are moments.
int force_rows(const Law& law) {
  return law.kind == LawKind::rolling ? 1 + law.tangents() : law.size;
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
  double F2 = 0.0, p2 = 0.0, b2 = 0.0;
  Eigen::Index next = 0;
  for (const Law& law : laws) {
    expects(law.first == next && law.size > 0, "laws must cover the rows in order, without holes");
    next += law.size;
    expects(next <= n, "laws have more rows than the problem");
    F2 += defect(law, rho.data() + law.first, u.data() + law.first, p.data() + law.first);
    const int force = force_rows(law);
    for (Eigen::Index i = law.first; i < law.first + force; ++i) {
      p2 += p[i] * p[i];
      b2 += rho[i] * b[i] * rho[i] * b[i];
    }
    if (force == law.size) continue;
    const double L = contact_length(law, rho.data() + law.first);
    for (Eigen::Index i = law.first + force; i < next; ++i) {
      p2 += p[i] / L * (p[i] / L);
      b2 += rho[i] * b[i] / L * (rho[i] * b[i] / L);
    }
  }
  expects(next == n, "laws have fewer rows than the problem");

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
  // Moments have a step of their own, in 1/(kg m^2), by the same rule.
  double trace = 0.0, trace_R = 0.0;
  Eigen::Index moments = 0;
  for (const Law& law : problem.laws) {
    expects(law.first >= 0 && law.size > 0 && law.first + law.size <= n,
            "a law lies outside the rows of the problem");
    const int force = force_rows(law);
    const auto step = [&](int begin, int end, double& sum) {
      double trace_c = 0.0;
      for (int i = begin; i < end; ++i) trace_c += problem.W.entry(i, i);
      rho.segment(begin, end - begin).setConstant(trace_c > 0.0 ? (end - begin) / trace_c : 0.0);
      if (trace_c > 0.0) sum += trace_c;
    };
    step(law.first, law.first + force, trace);
    if (force == law.size) continue;
    step(law.first + force, law.first + law.size, trace_R);
    moments += law.size - force;
  }
  const double mean = trace > 0.0 ? static_cast<double>(n - moments) / trace : 1.0;
  const double mean_R = trace_R > 0.0 ? static_cast<double>(moments) / trace_R : 0.0;
  for (const Law& law : problem.laws) {
    const int force = force_rows(law);
    for (int i = law.first; i < law.first + force; ++i)
      if (rho[i] == 0.0) rho[i] = mean;
    // nothing can be turned at all: mu_R is the one length there is, else 1 m
    const double length = law.rolling > 0.0 ? law.rolling : 1.0;
    for (int i = law.first + force; i < law.first + law.size; ++i)
      if (rho[i] == 0.0) rho[i] = mean_R > 0.0 ? mean_R : rho[law.first] * length * length;
  }

  problem.W.apply(p, u);
  u += problem.b;
  return natural_map(problem.laws, rho, u, problem.b, p);
}

}  // namespace saltus

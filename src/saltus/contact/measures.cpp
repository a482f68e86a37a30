#include "saltus/contact/measures.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/contact/cone.h"
#include "saltus/contact/residual.h"

namespace saltus {
namespace {

/// Below this fraction of max(|p|, |rho b|) an impulse, or rho times a slip, counts as round-off.
constexpr double kNoise = 1e-8;

/// The physical measures of one contact with a normal; u and p point to its first row.
void add(const Cone& K, double rho, double scale, const double* u, const double* p,
         ContactMeasures& m) {
  const auto worst = [](double& most, double value) {
    if (!(value <= most)) most = value;  // NaN counts
  };
  const int tangents = K.rows[0];
  const double *u_T = u + 1, *p_T = p + 1;
  const double slip = K.length(u_T, tangents), push_T = K.length(p_T, tangents);
  worst(m.penetration, K.closing(u));
  worst(m.cone, K.excess(p));
  m.gap += p[0] * K.raised(u[0], u);
  for (int i = 1; i < K.size(); ++i) m.gap += p[i] * u[i];

  if (!(p[0] - rho * u[0] > 0.0)) {
    ++m.open;
    return;
  }
  const bool slides = rho * slip > kNoise * scale;
  ++(slides || tangents == 0 ? m.sliding : m.sticking);
  if (!slides || !(push_T > kNoise * scale)) return;
  double along = 0.0, across = 0.0;  // components of p_T relative to -u_T
  for (int t = 0; t < tangents; ++t) along -= u_T[t] * p_T[t];
  if (tangents == 2) across = u_T[0] * p_T[1] - u_T[1] * p_T[0];
  worst(m.angle, std::atan2(std::abs(across), along));
}

}  // namespace

ContactMeasures measure(const ContactProblem& problem, View p) {
  const Eigen::Index n = problem.b.size();
  ContactMeasures m;
  m.residual = residual(problem, p);  // checks the problem as well
  Vector u(n);
  problem.W.apply(p, u);
  u += problem.b;

  // natural_map() with rho = 1 divides by max(|p|, |b|) or by its last argument, whichever is
  // larger
  const double b2 = problem.b.norm(), all = std::max({b2, p.norm(), u.norm()});
  const Vector one = Vector::Ones(n);
  const double F_all = natural_map(problem.laws, one, u, problem.b, p, all);
  const double F = all > 0.0 ? F_all * all : F_all;
  m.siconos = all > std::numeric_limits<double>::epsilon() ? F_all : F;
  m.fclib = F / (1.0 + std::sqrt(b2));

  const auto rho_of = [&](const Law& law) {  // rho of the rows N and T
    const int rows = law.forces();
    double trace = 0.0;
    for (int i = law.first; i < law.first + rows; ++i) trace += problem.W.entry(i, i);
    return trace > 0.0 ? rows / trace : 0.0;
  };
  double p2 = 0.0, rho_b2 = 0.0;
  for (const Law& law : problem.laws) {
    const int rows = law.forces();
    const double rho = rho_of(law);
    for (Eigen::Index i = law.first; i < law.first + rows; ++i) {
      p2 += p[i] * p[i];
      rho_b2 += rho * problem.b[i] * rho * problem.b[i];
    }
  }
  const double scale = std::sqrt(std::max(p2, rho_b2));
  for (const Law& law : problem.laws) {
    const Cone K(law);
    if (!K.has_normal()) continue;
    const double rho = rho_of(law);
    for (int i = law.first; i < law.first + law.size; i += K.size())
      add(K, rho, scale, u.data() + i, p.data() + i, m);
  }
  m.gap = std::abs(m.gap);
  return m;
}

}  // namespace saltus

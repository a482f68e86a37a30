#include "saltus/contact/residual.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "saltus/base/error.h"
#include "saltus/contact/cone.h"
#include "saltus/linear_algebra/blocks_internal.h"

namespace saltus {
namespace {

/// L_c [m], which converts the moments of a rolling contact: p/L is an impulse and L u a velocity.
/// If the steps are the inverses of the mean diagonals of W over N, T and over R, S, L^2 is their
/// ratio.
double contact_length(double rho, double rho_R) { return std::sqrt(rho_R / rho); }

/// |F|^2 of a contact with friction:  x = p - rho u^,  F = p - Proj_K(x)
///
/// kRows: largest number of rows. With kRows = 3, a Coulomb contact takes 20 ns inlined and 33 ns
/// as a call.
template <int kRows>
[[gnu::always_inline]] inline double coupled_defect(const Cone& K, double rho, const double* u,
                                                    const double* p) {
  const int size = K.size();
  double x[kRows];
  x[0] = p[0] - rho * K.raised(u[0], u);
  for (int i = 1; i < size; ++i) x[i] = p[i] - rho * u[i];
  K.project(x, x);
  double F2 = (p[0] - x[0]) * (p[0] - x[0]);
  for (int i = 1; i < size; ++i) F2 += (p[i] - x[i]) * (p[i] - x[i]);
  return F2;
}

/// The same for a rolling contact, with moments and spins converted by L.
double rolling_defect(const Law& law, double rho, double rho_R, const double* u, const double* p) {
  const int forces = law.forces();
  const double L = contact_length(rho, rho_R);
  double q[kContactRows], v[kContactRows];  // p as impulses, u as velocities
  for (int i = 0; i < law.size; ++i) {
    q[i] = i < forces ? p[i] : p[i] / L;
    v[i] = i < forces ? u[i] : L * u[i];
  }
  return coupled_defect<kContactRows>(Cone(law, L), rho, v, q);
}

/// |F_c|^2 of one contact; u and p point to its first row, rho(i) is the step of its row i.
template <class Steps>
double defect(const Law& law, const Steps& rho, const double* u, const double* p) {
  if (law.kind == LawKind::rolling) return rolling_defect(law, rho(0), rho(law.forces()), u, p);
  if (law.kind == LawKind::coulomb) return coupled_defect<3>(Cone(law), rho(0), u, p);
  const Cone K(law);
  double F2 = 0.0;
  for (int i = 0; i < law.size; ++i) {
    const double F = p[i] - K.project(p[i] - rho(i) * u[i]);
    // F = rho u for an equality, without the round-off of p - (p - rho u)
    F2 += law.kind == LawKind::equality ? rho(i) * u[i] * rho(i) * u[i] : F * F;
  }
  return F2;
}

void expect_rows(const Law& law) {
  expects(law.kind != LawKind::coulomb || (law.size >= 1 && law.size <= 3),
          "a coulomb contact has 1 to 3 rows");
  expects(law.kind != LawKind::rolling || (law.size >= 3 && law.size <= kContactRows),
          "a rolling contact has 3 to 6 rows");
}

/// Never shrinks, so that nothing is allocated once a problem size has occurred.
template <int use>
double* residual_workspace(std::size_t count) {
  thread_local std::vector<double> data;  // written before it is read
  if (data.size() < count) data.resize(count);
  return data.data();
}

/// natural_map() with the step rho(c, i) for row i of contact c.
template <class Steps>
double map_of(std::span<const Law> laws, const Steps& rho, View u, View b, View p, double floor) {
  const Eigen::Index n = p.size();
  expects(u.size() == n && b.size() == n, "u, b and p differ in length");
  Eigen::Index next = 0;
  for (const Law& law : laws) {
    expects(law.first == next && law.size > 0, "laws must cover the rows in order, without holes");
    expect_rows(law);
    next += law.size;
    expects(next <= n, "laws have more rows than the problem");
  }
  expects(next == n, "laws have fewer rows than the problem");
  double* const F2_of = residual_workspace<1>(laws.size());
  in_blocks(laws.size(), [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t c = begin; c < end; ++c) {
      const Law& law = laws[c];
      F2_of[c] = defect(
          law, [&](int i) { return rho(c, i); }, u.data() + law.first, p.data() + law.first);
    }
  });
  double F2 = 0.0, p2 = 0.0, b2 = 0.0;
  for (std::size_t c = 0; c < laws.size(); ++c) {
    const Law& law = laws[c];
    const auto rho_c = [&](int i) { return rho(c, i); };
    F2 += F2_of[c];
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
  const double* u = nullptr;
  return residual(problem, p, u);
}

double residual(const ContactProblem& problem, View p, const double*& velocities) {
  const Eigen::Index n = problem.b.size();
  const auto laws = problem.laws;
  expects(problem.W.rows() == n && p.size() == n, "W, b and p differ in size");
  double* const rho = residual_workspace<0>(2 * laws.size() + static_cast<std::size_t>(n));
  Eigen::Map<Vector> u(rho + 2 * laws.size(), n);

  // rho_c = (rows of c)/tr W_cc. For a contact that nothing can move (W_cc = 0) it is the mean over
  // all contacts, rows/tr W, so that its violations are measured in the same unit; for W = 0 it is
  // 1 kg. Moments have their own step [kg m^2], by the same rule.
  double trace = 0.0, trace_R = 0.0;
  Eigen::Index moments = 0;
  for (const Law& law : laws) {
    expects(law.first >= 0 && law.size > 0 && law.first + law.size <= n,
            "a law lies outside the rows of the problem");
    expect_rows(law);
  }
  const auto traces = [&](std::size_t, std::size_t from, std::size_t to) {
    for (std::size_t c = from; c < to; ++c) {
      const Law& law = laws[c];
      const auto sum = [&](int begin, int end) {
        double trace_c = 0.0;
        for (int i = begin; i < end; ++i) trace_c += problem.W.scale(i);
        return trace_c;
      };
      const int moment = law.first + law.forces();
      rho[2 * c] = sum(law.first, moment);
      rho[2 * c + 1] = sum(moment, law.first + law.size);
    }
  };
  if (problem.W.bodies())
    in_blocks(laws.size(), traces);
  else
    traces(0, 0, laws.size());
  for (std::size_t c = 0; c < laws.size(); ++c) {
    const int forces = laws[c].forces(), others = laws[c].size - forces;
    const auto step = [](int count, double trace_c, double& sum) {
      if (!(trace_c > 0.0)) return 0.0;
      sum += trace_c;
      return count / trace_c;
    };
    rho[2 * c] = step(forces, rho[2 * c], trace);
    rho[2 * c + 1] = step(others, rho[2 * c + 1], trace_R);
    moments += others;
  }
  const double mean = trace > 0.0 ? static_cast<double>(n - moments) / trace : 1.0;
  const double mean_R = trace_R > 0.0 ? static_cast<double>(moments) / trace_R : 0.0;
  for (std::size_t c = 0; c < laws.size(); ++c) {
    const Law& law = laws[c];
    double &rho_c = rho[2 * c], &rho_R = rho[2 * c + 1];
    if (rho_c == 0.0) rho_c = mean;
    // nothing can rotate at all: mu_R or sigma is the only length available, else 1 m
    const double length = law.rolling > 0.0 ? law.rolling : law.spinning > 0.0 ? law.spinning : 1.0;
    if (rho_R == 0.0) rho_R = mean_R > 0.0 ? mean_R : rho_c * length * length;
  }

  problem.W.apply(p, u);
  u += problem.b;
  velocities = u.data();
  const auto step_of = [&](std::size_t c, int i) {
    return rho[2 * c + (i < laws[c].forces() ? 0 : 1)];
  };
  return map_of(laws, step_of, u, problem.b, p, 0.0);
}

}  // namespace saltus

#include <algorithm>
#include <cmath>

#include "saltus/base/error.h"
#include "saltus/contact/residual.h"
#include "saltus/solvers/local_coulomb.h"
#include "saltus/solvers/solvers.h"

namespace saltus {
namespace {

/// Proj_K(x) of one row.
double project(const Law& law, double x) {
  switch (law.kind) {
    case LawKind::unilateral:
      return x > 0.0 ? x : 0.0;
    case LawKind::box:
      return x < -law.bound ? -law.bound : x > law.bound ? law.bound : x;
    default:
      return x;
  }
}

/// Projected Gauss-Seidel, rows in their fixed order i = 0, 1, ...:
///     p_i <- Proj_K(p_i - u_i/W_ii),     u <- u + W(:, i) (change of p_i)
/// Rows with W_ii <= 0 keep p_i = Proj_K(p_i): no impulse changes them. The rows of a contact with friction are solved
/// together, with b_c = u_c - W_cc p_c (local_coulomb.h).
class GaussSeidel final : public ContactSolver {
 public:
  std::string_view name() const override { return "gauss-seidel"; }
  bool handles(LawKind kind) const override { return kind != LawKind::rolling; }
  bool needs_symmetric() const override { return false; }

  SolveReport solve(const ContactProblem& problem, Limits limits, SolverMemory& memory,
                    Out p) const override {
    const Eigen::Index n = problem.b.size();
    expects(problem.W.rows() == n && p.size() == n, "W, b and p differ in size");
    const auto count = static_cast<std::size_t>(n);
    if (memory.scratch.size() < 6 * count) memory.scratch.resize(6 * count);
    Eigen::Map<Vector> u(memory.scratch.data(), n);
    Eigen::Map<Vector> diagonal(memory.scratch.data() + n, n);
    Eigen::Map<Vector> best(memory.scratch.data() + 2 * n, n);
    double* const blocks =
        memory.scratch.data() + 3 * n;  // W_cc of contacts with friction, 3 rows of 3

    for (const Law& law : problem.laws) {
      expects(handles(law.kind), "gauss-seidel does not handle rolling friction");
      for (int i = law.first; i < law.first + law.size; ++i) {
        diagonal[i] = problem.W.entry(i, i);
        p[i] = project(law, p[i]);
      }
      if (law.kind != LawKind::coulomb) continue;
      expects(law.size <= 3, "a coulomb contact has 1 to 3 rows");
      for (int i = 0; i < law.size; ++i)
        for (int j = 0; j < law.size; ++j)
          blocks[3 * law.first + i * law.size + j] = problem.W.entry(law.first + i, law.first + j);
    }
    SolveReport report{false, 0, residual(problem, p)};
    best = p;
    while (!(report.residual <= limits.tolerance) && report.iterations < limits.iterations) {
      problem.W.apply(p, u);  // afresh: u below collects round-off
      u += problem.b;
      for (int k = 0; k < kSweeps && report.iterations < limits.iterations; ++k) {
        for (const Law& law : problem.laws)
          if (law.kind == LawKind::coulomb)
            sweep_contact(problem.W, law, blocks + 3 * law.first, u, p);
          else
            sweep(problem.W, law, diagonal, u, p);
        ++report.iterations;
      }
      const double now = residual(problem, p);
      if (!(now < report.residual)) continue;
      report.residual = now;
      best = p;
    }
    p = best;
    report.converged = report.residual <= limits.tolerance;
    return report;
  }

 private:
  static constexpr int kSweeps = 10;  ///< between two residuals

  static void sweep(const Delassus& W, const Law& law, View diagonal, Out u, Out p) {
    for (int i = law.first; i < law.first + law.size; ++i) {
      if (!(diagonal[i] > 0.0)) continue;
      const double p_i = project(law, p[i] - u[i] / diagonal[i]), change = p_i - p[i];
      if (change == 0.0) continue;
      W.column(i, change, u);
      p[i] = p_i;
    }
  }

  static void sweep_contact(const Delassus& W, const Law& law, const double* block, Out u, Out p) {
    if (!(block[0] > 0.0)) return;
    double b[3], next[3];
    for (int i = 0; i < law.size; ++i) {
      b[i] = u[law.first + i];
      for (int j = 0; j < law.size; ++j) b[i] -= block[i * law.size + j] * p[law.first + j];
    }
    solve_coulomb(law.size, block, b, law.friction, next);
    for (int i = 0; i < law.size; ++i) {
      const double change = next[i] - p[law.first + i];
      if (change == 0.0) continue;
      W.column(law.first + i, change, u);
      p[law.first + i] = next[i];
    }
  }
};

}  // namespace

std::unique_ptr<ContactSolver> make_gauss_seidel() { return std::make_unique<GaussSeidel>(); }

}  // namespace saltus

#include <algorithm>
#include <cmath>

#include "saltus/base/error.h"
#include "saltus/contact/residual.h"
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
/// Rows with W_ii <= 0 keep p_i = Proj_K(p_i): no impulse changes them.
class GaussSeidel final : public ContactSolver {
 public:
  std::string_view name() const override { return "gauss-seidel"; }
  bool handles(LawKind kind) const override {
    return kind == LawKind::equality || kind == LawKind::unilateral || kind == LawKind::box;
  }
  bool needs_symmetric() const override { return false; }

  SolveReport solve(const ContactProblem& problem, Limits limits, SolverMemory& memory,
                    Out p) const override {
    const Eigen::Index n = problem.b.size();
    expects(problem.W.rows() == n && p.size() == n, "W, b and p differ in size");
    const auto count = static_cast<std::size_t>(n);
    if (memory.scratch.size() < 3 * count) memory.scratch.resize(3 * count);
    Eigen::Map<Vector> u(memory.scratch.data(), n);
    Eigen::Map<Vector> diagonal(memory.scratch.data() + n, n);
    Eigen::Map<Vector> best(memory.scratch.data() + 2 * n, n);

    for (const Law& law : problem.laws) {
      expects(handles(law.kind), "gauss-seidel handles equality, unilateral and box rows only");
      for (int i = law.first; i < law.first + law.size; ++i) {
        diagonal[i] = problem.W.entry(i, i);
        p[i] = project(law, p[i]);
      }
    }
    SolveReport report{false, 0, residual(problem, p)};
    best = p;
    while (!(report.residual <= limits.tolerance) && report.iterations < limits.iterations) {
      problem.W.apply(p, u);  // afresh: u below collects round-off
      u += problem.b;
      for (int k = 0; k < kSweeps && report.iterations < limits.iterations; ++k) {
        for (const Law& law : problem.laws) sweep(problem.W, law, diagonal, u, p);
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
};

}  // namespace

std::unique_ptr<ContactSolver> make_gauss_seidel() { return std::make_unique<GaussSeidel>(); }

}  // namespace saltus

#include <algorithm>

#include "saltus/base/error.h"
#include "saltus/contact/residual.h"
#include "saltus/solvers/cone_problem.h"
#include "saltus/solvers/equality_elimination.h"
#include "saltus/solvers/solver_around.h"

namespace saltus {
namespace {

struct EliminationWork final : SolverWork {
  EqualityElimination elimination;
  SolverMemory inner;  ///< exchanges active, factor and changes with the caller's
  Vector p, full;
};

class Eliminating final : public SolverAround {
 public:
  using SolverAround::SolverAround;
  bool handles(LawKind kind) const override {
    return kind == LawKind::equality || inner_->handles(kind);
  }

  SolveReport solve(const ContactProblem& problem, Limits limits, SolverMemory& memory,
                    Out p) const override {
    const Eigen::Index n = problem.b.size();
    expects(problem.W.rows() == n && p.size() == n, "W, b and p differ in size");
    if (at_rest(problem)) {
      p.setZero();
      return {true, 0, residual(problem, p)};
    }
    EliminationWork& work = memory.work.get<EliminationWork>();
    swap_state(memory, work.inner);
    const SolveReport report = work.elimination.reduce(problem)
                                   ? solve_reduced(problem, limits, work, p)
                                   : inner_->solve(problem, limits, work.inner, p);
    swap_state(memory, work.inner);
    return report;
  }

 private:
  static constexpr int kTightened = 4;

  static void swap_state(SolverMemory& a, SolverMemory& b) {
    a.active.swap(b.active);
    a.factor.swap(b.factor);
    std::swap(a.changes, b.changes);
  }

  /// The residuals of the whole and the reduced problem are scaled differently: the reduced one is
  /// solved again from its last solution, to a tolerance that compensates for the difference.
  SolveReport solve_reduced(const ContactProblem& problem, Limits limits, EliminationWork& work,
                            Out p) const {
    const EqualityElimination& others = work.elimination;
    const ContactProblem part{others.W(), others.b(), others.laws(), others.ids()};
    SolveReport report{false, 0, residual(problem, p)};
    work.p.resize(part.b.size());
    work.full.resize(p.size());
    work.elimination.restrict(p, work.p);
    Limits inner = limits;
    for (int k = 0; k < kTightened && !(report.residual <= limits.tolerance); ++k) {
      inner.iterations = limits.iterations - report.iterations;
      SolveReport done{true, 0, 0.0};
      if (part.b.size() > 0) done = inner_->solve(part, inner, work.inner, work.p);
      work.elimination.recover(work.p, work.full);
      const double now = residual(problem, work.full);
      report.iterations += done.iterations;
      report.attempts = done.attempts;
      report.attempted = done.attempted;
      if (now < report.residual) {
        report.residual = now;
        p = work.full;
      }
      if (!done.converged || part.b.size() == 0 || report.iterations >= limits.iterations) break;
      if (limits.stopped()) break;
      inner.tolerance =
          0.3 * std::min(inner.tolerance, done.residual) * std::min(1.0, limits.tolerance / now);
    }
    report.converged = report.residual <= limits.tolerance;
    return report;
  }
};

}  // namespace

std::unique_ptr<ContactSolver> make_eliminating(std::unique_ptr<ContactSolver> inner) {
  return std::make_unique<Eliminating>(std::move(inner));
}

}  // namespace saltus

// Last resort for problems with friction: continuation of the coefficients from 0 to their values.
#include <algorithm>

#include "saltus/base/error.h"
#include "saltus/contact/residual.h"
#include "saltus/solvers/solver_around.h"
#include "saltus/solvers/solvers.h"

namespace saltus {
namespace {

constexpr int kSteps = 20;
constexpr double kRough = 1e-6;  ///< tolerance of the intermediate problems

/// Solves the problems with (mu, mu_R, sigma)_k = (k/K) (mu, mu_R, sigma), k = 0 .. K, each from
/// the solution of the previous one. The first is frictionless: its energy has a minimum, and a
/// branch of solutions leads from there to one with friction.
class FrictionContinuation final : public SolverAround {
 public:
  using SolverAround::SolverAround;
  std::string_view name() const override { return "continuation"; }

  SolveReport solve(const ContactProblem& problem, Limits limits, SolverMemory& memory,
                    Out p) const override {
    expects(problem.W.rows() == problem.b.size() && p.size() == problem.b.size(),
            "W, b and p differ in size");
    Work& work = memory.work.get<Work>();
    work.p.setZero(p.size());
    work.laws.assign(problem.laws.begin(), problem.laws.end());
    SolveReport report{false, 0, residual(problem, p)};
    for (int k = 0; k <= kSteps && report.iterations < limits.iterations; ++k) {
      if (limits.stopped()) break;
      const double part = static_cast<double>(k) / kSteps;
      for (std::size_t c = 0; c < work.laws.size(); ++c) {
        work.laws[c].friction = part * problem.laws[c].friction;
        work.laws[c].rolling = part * problem.laws[c].rolling;
        work.laws[c].spinning = part * problem.laws[c].spinning;
      }
      const Limits rest{
          .tolerance = k < kSteps ? std::max(kRough, limits.tolerance) : limits.tolerance,
          .iterations = std::min(kMost, limits.iterations - report.iterations),
          .stop = limits.stop};
      const SolveReport now =
          inner_->solve({problem.W, problem.b, work.laws, problem.ids}, rest, work.memory, work.p);
      report.iterations += now.iterations;
    }
    const double now = residual(problem, work.p);
    if (now < report.residual) {
      report.residual = now;
      p = work.p;
    }
    report.converged = report.residual <= limits.tolerance;
    return report;
  }

 private:
  static constexpr int kMost = 2000;  ///< iterations of an intermediate problem
  struct Work final : SolverWork {
    SolverMemory memory;
    std::vector<Law> laws;
    Vector p;
  };
};

}  // namespace

std::unique_ptr<ContactSolver> make_continuation(std::unique_ptr<ContactSolver> inner) {
  return std::make_unique<FrictionContinuation>(std::move(inner));
}

}  // namespace saltus

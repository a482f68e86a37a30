// Redundant contacts whose geometry is slightly inconsistent: contacts with a compliance that is
// reduced step by step.
#include <algorithm>
#include <cmath>

#include "saltus/base/error.h"
#include "saltus/base/index_internal.h"
#include "saltus/contact/block_delassus.h"
#include "saltus/contact/residual.h"
#include "saltus/solvers/solver_around.h"
#include "saltus/solvers/solvers.h"

namespace saltus {
namespace {

constexpr double kYieldAlpha = 1e-8;  ///< smallest alpha, ...
constexpr double kAbove = 10.0;       ///< ... also as a multiple of the tolerance
constexpr double kYieldCloser = 0.1;  ///< tolerance of (1), as a multiple of the tolerance
constexpr int kYieldOuter = 15;

/// A proximal point method around `inner`, from p_0 = 0:
///     p_{k+1} solves the problem of  (W + alpha D, b - alpha D p_k),   D = diag(W_NN)          (1)
/// If W is singular, an interior point method may have no limit point; for (1) it has one. Rolling
/// wheels with a dozen redundant contacts are inconsistent in the last digits of the contact
/// points: p then drifts until those contacts slip that must.
class YieldingContacts final : public SolverAround {
 public:
  using SolverAround::SolverAround;

  SolveReport solve(const ContactProblem& problem, Limits limits, SolverMemory& memory,
                    Out p) const override {
    expects(problem.W.rows() == problem.b.size() && p.size() == problem.b.size(),
            "W, b and p differ in size");
    Work& work = memory.work.get<Work>();
    const double alpha = std::max(kYieldAlpha, kAbove * limits.tolerance);
    yield(problem, alpha, work);
    work.p.setZero(p.size());
    work.b = problem.b;
    SolveReport report{false, 0, residual(problem, p)};
    // |F| has to fall, not F relative to impulses that grow without bound if there is no solution
    double least = report.residual * size(problem, work, p);
    for (int k = 0; k < kYieldOuter && report.residual > limits.tolerance; ++k) {
      const Limits rest{.tolerance = kYieldCloser * limits.tolerance,
                        .iterations = limits.iterations - report.iterations,
                        .stop = limits.stop};
      if (rest.iterations <= 0 || limits.stopped()) break;
      report.iterations +=
          inner_->solve({work.W, work.b, problem.laws, problem.ids}, rest, work.memory, work.p)
              .iterations;
      work.b = problem.b - alpha * work.D.cwiseProduct(work.p);
      const double now = residual(problem, work.p);
      if (!(now * size(problem, work, work.p) < least)) continue;
      least = now * size(problem, work, work.p);
      report.residual = now;
      p = work.p;
    }
    report.converged = report.residual <= limits.tolerance;
    return report;
  }

 private:
  struct Work final : SolverWork {
    BlockDelassus W;
    Vector D, b, p;
    SolverMemory memory;
  };

  /// max(|p|, |rho b|)
  static double size(const ContactProblem& problem, const Work& work, View p) {
    double rho_b2 = 0.0;
    for (Eigen::Index i = 0; i < p.size(); ++i)
      if (work.D[i] > 0.0) rho_b2 += std::pow(problem.b[i] / work.D[i], 2);
    return std::sqrt(std::max(p.squaredNorm(), rho_b2));
  }

  /// W + alpha D
  static void yield(const ContactProblem& problem, double alpha, Work& work) {
    BlockMatrix& W = work.W.W;
    blocks_of(problem, W);
    work.W.is_symmetric = problem.W.symmetric();
    work.W.index();
    work.D.resize(problem.b.size());
    for (int c = 0; c < W.contacts(); ++c) {
      const int n = W.size(c);
      double* const W_cc = &W.value[W.start[at(W.find(c, c))]];
      const double D = W_cc[0];
      for (int i = 0; i < n; ++i) W_cc[i * n + i] += alpha * D;
      work.D.segment(W.first[at(c)], n).setConstant(D);
    }
  }
};

}  // namespace

std::unique_ptr<ContactSolver> make_yielding(std::unique_ptr<ContactSolver> inner) {
  return std::make_unique<YieldingContacts>(std::move(inner));
}

}  // namespace saltus

#include <algorithm>
#include <cmath>

#include "saltus/base/error.h"
#include "saltus/contact/certificate.h"
#include "saltus/contact/residual.h"
#include "saltus/solvers/body_sweeps.h"
#include "saltus/solvers/rigid_sweeps.h"
#include "saltus/solvers/solvers.h"

namespace saltus {
namespace {

/// Gauss-Seidel sweeps with Nesterov's extrapolation,
///     t' = (1 + sqrt(1 + 4 t^2))/2,   y = x + (t - 1)/t' (x - x_old),   x <- sweep from y,
/// restarted (t = 1) if the step and the extrapolation have opposite directions (B. O'Donoghue, E.
/// Candes, Found. Comput. Math. 15 (2015) 715-732, with the diagonal of W as metric). Sweeps by
/// colours have nearly real contraction factors, which the extrapolation needs: with sweeps in the
/// order of the contacts it diverges on heaps. The natural map controls the iteration: the best x
/// is stored; the extrapolation restarts if the map exceeds kFar times its best value, and x
/// returns to the best one if it exceeds kLost times that value. Near the end the extrapolation may
/// keep x at a distance from the best one indefinitely: if kStall sweeps gain less than a tenth,
/// plain sweeps continue from the best x. If contacts slide, plain sweeps may circle around the
/// solution indefinitely, whatever the relaxation; then another solver has to continue.
class BodyGaussSeidel final : public ContactSolver {
 public:
  /// all: performs all sweeps allowed by the limits. stalled: also gives up when plain sweeps gain
  /// nothing. hopeless: also gives up when the rate over the last half of the sweeps shows that the
  /// remaining ones will not suffice.
  enum class Until { all, stalled, hopeless };
  explicit BodyGaussSeidel(Until until) : until_(until) {}
  std::string_view name() const override { return "body-gauss-seidel"; }
  bool handles(LawKind kind) const override { return other_->handles(kind); }
  bool needs_symmetric() const override { return false; }

  SolveReport solve(const ContactProblem& problem, Limits limits, SolverMemory& memory,
                    Out p) const override {
    expects(problem.W.rows() == problem.b.size() && p.size() == problem.b.size(),
            "W, b and p differ in size");
    if (!BodySweeps::fits(problem)) return other_->solve(problem, limits, memory, p);
    for (const Law& law : problem.laws)
      expects(handles(law.kind), "body-gauss-seidel does not handle a law of the problem");

    if (!p.allFinite()) p.setZero();
    if (RigidSweeps::fits(problem))
      return iterate(memory.work.get<RigidSweeps>(), problem, limits, p);
    return iterate(memory.work.get<BodySweeps>(), problem, limits, p);
  }

 private:
  template <class Sweeps>
  SolveReport iterate(Sweeps& sweeps, const ContactProblem& problem, Limits limits, Out p) const {
    const ThreadPool::Shift together(sweeps.thread_pool(),
                                     problem.laws.size() < kTogether ? 0 : kTogether);
    sweeps.assign(problem, p, limits.stop);
    double best = sweeps.natural_map(), t = 1.0, beta = 0.0;
    SolveReport report{false, 0, best};  // if stopped at once: p unchanged
    double half = best;                  // best residual at half the sweeps of the next rate check
    int look = kLook;
    double mark = best;  // best residual kStall sweeps ago
    bool plain = false;
    bool looked = true;   // since the previous sweep
    bool closes = false;  // the tolerance is met, but contacts close
    for (int check = 1, checks = 0;;) {
      if (limits.stopped()) return report;
      bool last = report.iterations >= limits.iterations;
      if (until_ == Until::hopeless && report.iterations >= look) {
        last = last || !will_do(report.iterations, half, best, limits);
        half = best;
        look = 2 * report.iterations;
      }
      if (report.iterations > 0 && report.iterations % kStall == 0) {
        const bool gains = best <= kGain * mark;
        mark = best;
        last = last || ((closes || (plain && !gains)) && until_ != Until::all);
        if (!gains && !plain) {
          plain = true;
          sweeps.restart(p);
          beta = 0.0;
        }
      }
      if ((looked && best <= limits.tolerance) || last) {
        const double* u = nullptr;
        report.residual = residual(problem, p, u);
        closes = false;
        if (report.residual <= limits.tolerance) {
          const Certificate found = certify(problem, p, u);
          report.speed = found.speed;
          report.closing = found.closing;
          report.growth = found.growth;
          closes = !(std::isinf(limits.closing) || found.closing <= limits.closing);
        }
        report.judged = report.residual <= limits.tolerance;
        report.converged = report.residual <= limits.tolerance && !closes;
        if (report.converged || last) return report;
        best = report.residual;  // the sweeps accumulate round-off
        if (!closes) sweeps.velocities();
      }
      looked = false;
      if (sweeps.sweep(beta) > 0.0) t = 1.0;
      if (!plain) {
        const double next = 0.5 * (1.0 + std::sqrt(1.0 + 4.0 * t * t));
        beta = (t - 1.0) / next;
        t = next;
      }
      ++report.iterations;
      if (report.iterations < check && report.iterations < limits.iterations) continue;
      check = report.iterations + std::clamp(report.iterations / 4, 1, kCheck);
      if (++checks % kRefresh == 0) sweeps.velocities();
      const double now = sweeps.natural_map();
      looked = true;
      if (now < best || (closes && now <= limits.tolerance)) {
        best = now;
        sweeps.copy(p);
        continue;
      }
      if (!(now <= kLost * best)) sweeps.restart(p);
      if (!(now <= kFar * best)) {
        t = 1.0;
        beta = 0.0;
      }
    }
  }

  /// Whether the best residual will fall below the tolerance within the limits if it continues to
  /// fall at the rate from sweep k/2, where it was `half`, to sweep k.
  static bool will_do(int k, double half, double best, Limits limits) {
    if (best <= limits.tolerance) return true;
    return best < half && 0.5 * k * std::log(limits.tolerance / best) / std::log(best / half) <=
                              limits.iterations - k;
  }

  Until until_;
  /// Number of contacts from which two threads are faster than one
  static constexpr std::size_t kTogether = 512;
  static constexpr int kLook = 16;    ///< sweeps until the rate is first examined
  static constexpr int kCheck = 10;   ///< most sweeps between two natural maps
  static constexpr int kRefresh = 5;  ///< natural maps between two products A^-1 H^T x
  static constexpr int kStall = 500;
  static constexpr double kGain = 0.9;
  static constexpr double kFar = 1.3, kLost = 1000.0;

  // for W that is not stored by bodies
  std::unique_ptr<ContactSolver> other_ = make_gauss_seidel();
};

}  // namespace

std::unique_ptr<ContactSolver> make_body_gauss_seidel() {
  return std::make_unique<BodyGaussSeidel>(BodyGaussSeidel::Until::all);
}
std::unique_ptr<ContactSolver> make_stalling_sweeps() {
  return std::make_unique<BodyGaussSeidel>(BodyGaussSeidel::Until::stalled);
}
std::unique_ptr<ContactSolver> make_first_sweeps() {
  return std::make_unique<BodyGaussSeidel>(BodyGaussSeidel::Until::hopeless);
}

}  // namespace saltus

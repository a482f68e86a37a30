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

/// Sweeps with Nesterov's extrapolation,
///     t' = (1 + sqrt(1 + 4 t^2))/2,   y = x + (t - 1)/t' (x - x_old),   x <- sweep from y,
/// begun anew (t = 1) when the step and the extrapolation disagree (B. O'Donoghue, E. Candes,
/// Found. Comput. Math. 15 (2015) 715-732, with the diagonal of W as metric). By colours the sweeps
/// have nearly real contraction factors, which it needs: in the order of the contacts the same
/// extrapolation diverges on heaps. The natural map decides: the best x is kept, kFar times its map
/// begins anew and kLost times its map returns to it. Near the end the extrapolation may keep x at
/// some distance from the best one for good: where kStall sweeps gain less than a tenth, plain
/// sweeps go on from the best. Of contacts that slide these may turn about the solution for good,
/// which no relaxation changes; then others have to go on.
class BodyGaussSeidel final : public ContactSolver {
 public:
  /// all: makes all the sweeps that the limits allow. stalled: gives up where plain sweeps gain
  /// nothing either. hopeless: also where those allowed, at the rate of the last half of its
  /// sweeps, would not do.
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
    SolveReport report{false, 0, best};  // where it is stopped: as p was
    double half = best;                  // the best at half the sweeps of the next look
    int look = kLook;
    double mark = best;  // the best kStall sweeps ago
    bool plain = false;
    bool looked = true;   // since the last sweep
    bool closes = false;  // the tolerance is met, and contacts close
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
        best = report.residual;  // the sweeps carry round-off
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

  /// Whether best falls below the tolerance within the limits if it goes on falling as from sweep
  /// k/2, with `half`, to k.
  static bool will_do(int k, double half, double best, Limits limits) {
    if (best <= limits.tolerance) return true;
    return best < half && 0.5 * k * std::log(limits.tolerance / best) / std::log(best / half) <=
                              limits.iterations - k;
  }

  Until until_;
  /// Contacts, from where two threads are quicker than one
  static constexpr std::size_t kTogether = 512;
  static constexpr int kLook = 16;    ///< sweeps before the first look at the rate
  static constexpr int kCheck = 10;   ///< sweeps between two natural maps, at most
  static constexpr int kRefresh = 5;  ///< natural maps between two products A^-1 H^T x
  static constexpr int kStall = 500;
  static constexpr double kGain = 0.9;
  static constexpr double kFar = 1.3, kLost = 1000.0;

  std::unique_ptr<ContactSolver> other_ = make_gauss_seidel();  // for W that bodies do not hold
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

// Friction by a proximal point method around Newton's method, for each group of coupled contacts:
//     p_{k+1} solves the problem of  (W + alpha_k D, b - alpha_k D p_k),   D = diag(1/rho)      (1)
// which makes singular W harmless and keeps Newton's steps short. alpha is reduced while Newton's
// method converges within a few steps and increased when it does not; (1) is then retried from p_k,
// not from the p of smallest residual, because p_k drifts in directions that W hardly affects while
// the residual stays constant.
#include <algorithm>
#include <cmath>

#include "saltus/base/error.h"
#include "saltus/base/index_internal.h"
#include "saltus/contact/certificate.h"
#include "saltus/contact/residual.h"
#include "saltus/solvers/group_newton.h"
#include "saltus/solvers/solvers.h"

namespace saltus {
namespace {

constexpr double kFirst = 1e-3, kLargest = 1.0, kSmallest = 1e-11;  ///< alpha [1]
constexpr int kOuter = 300;                                         ///< problems (1) for one group
constexpr int kOuterFirst = 100;               ///< for a solver that gives up early
constexpr int kStarts = 12, kOuterAgain = 60;  ///< other starts if the first one fails
constexpr int kInner = 12;                     ///< Newton steps for one problem (1)
constexpr int kHalvings = 8;                   ///< step halvings in the line search
constexpr int kWindow = 4;                     ///< a step may reach the largest of this many merits
constexpr int kSweepsSmall = 2, kSweeps = 5;   ///< sweeps before Newton's method
constexpr int kSmall = 8, kLarge = 100;        ///< contacts of a small and of a large group
constexpr int kRescue = 10;                    ///< sweeps if alpha is at its maximum
constexpr int kFewSweeps = 12;                 ///< sweeps that cost less than Newton's method
constexpr int kPasses = 3;
constexpr int kCloser = 6;  ///< further passes if the tolerance is met but contacts close
constexpr double kLooseNewton =
    1e-6;  ///< tolerance from which the initial p has the magnitude of a solution

struct ProximalNewtonWork final : SolverWork {
  ContactGroups groups;
  GroupNewton newton;
  std::vector<double> best;
};

/// Solves one group, until |F|^2 <= target.
class GroupSolve {
 public:
  GroupSolve(GroupNewton& newton, std::vector<double>& best, double target, Limits limits,
             int outer)
      : G_(newton), best_(best), target_(target), limits_(limits), outer_(outer) {}

  int iterations() const { return iterations_; }

  /// Returns true if the group is solved. `again`: also tries other starts if the first one fails.
  bool run(bool again) {
    G_.velocities();
    if (look()) return true;
    if (sweep(G_.contacts() < kSmall ? kSweepsSmall : kSweeps)) return true;
    if (outer(outer_)) return true;
    // with strong friction there may be few solutions, far away: try other starts
    const int starts = again && G_.contacts() <= kStartedAgain ? kStarts : 0;
    for (int start = 0; start < starts && left(); ++start) {
      G_.start_again(start);
      G_.velocities();
      if (look() || sweep(kSweepsSmall) || outer(kOuterAgain)) return true;
    }
    restore();
    return false;
  }

 private:
  /// Computes |F|^2 at p and stores p if it is clearly the smallest so far: if there is no
  /// solution, p diverges with constant |F|, which relative to |p| would look like convergence.
  /// Returns true if it is small enough.
  bool look() {
    now_ = G_.natural2();
    if (now_ <= target_ || now_ < 0.99 * least_) {
      least_ = now_;
      std::copy(G_.p.begin() + G_.first_row(), G_.p.begin() + G_.end_row(),
                best_.begin() + G_.first_row());
    }
    return now_ <= target_;
  }
  void restore() {
    if (!(now_ <= target_))
      std::copy(best_.begin() + G_.first_row(), best_.begin() + G_.end_row(),
                G_.p.begin() + G_.first_row());
  }
  bool left() const { return iterations_ < limits_.iterations && !limits_.stopped(); }

  /// Performs `count` sweeps, in a large group while they halve F, then single ones if few suffice.
  bool sweep(int count) {
    double last = HUGE_VAL;
    do {
      last = now_;
      for (int k = 0; k < count && left(); ++k) G_.sweep(), ++iterations_;
      G_.velocities();
      if (look()) return true;
    } while (G_.contacts() >= kLarge && now_ < 0.25 * last && left());
    for (int k = 0; k < kFewSweeps && left(); ++k) {
      const double before = now_;
      G_.sweep(), ++iterations_;
      G_.velocities();
      if (look()) return true;
      const double rate = now_ / before;
      if (!(rate < 1.0) || std::log(target_ / now_) / std::log(rate) > kFewSweeps) return false;
    }
    return false;
  }

  bool outer(int most) {
    double alpha = kFirst;
    for (int k = 0; k < most && left(); ++k) {
      alpha = std::clamp(alpha, kSmallest, kLargest);
      std::copy(G_.p.begin() + G_.first_row(), G_.p.begin() + G_.end_row(),
                G_.centre.begin() + G_.first_row());
      const double before = now_;
      int steps = 0;
      const bool solved = inner(alpha, steps);
      G_.velocities();  // recomputed: steps accumulate round-off
      if (look()) return true;
      if (solved) {
        alpha *= steps <= 1 ? 0.1 : steps <= 2 ? 0.3 : steps <= 4 ? 0.5 : steps <= 8 ? 0.8 : 1.0;
        continue;
      }
      if (now_ > 0.25 * before) {
        std::copy(G_.centre.begin() + G_.first_row(), G_.centre.begin() + G_.end_row(),
                  G_.p.begin() + G_.first_row());
        if (alpha >= kLargest)
          for (int s = 0; s < kRescue && left(); ++s) G_.sweep(), ++iterations_;
        G_.velocities();
        if (look()) return true;
      }
      alpha *= 4.0;
    }
    return false;
  }

  /// Newton's method for (1) with a nonmonotone line search; returns true if it converged.
  bool inner(double alpha, int& steps) {
    const double start = G_.merit(0.0), size = G_.size2();
    const double e = std::sqrt(start / size);
    const double e_goal =
        std::min(0.1 * e, std::max(0.1 * e * alpha / (1.0 + alpha), 0.02 * e * std::min(1.0, e)));
    const double goal = e_goal * e_goal * size;
    double merits[kWindow], merit = start;
    std::fill(merits, merits + kWindow, start);
    for (steps = 0; steps < kInner && left() && !(merit <= goal); ++steps) {
      ++iterations_;
      if (!G_.direction(alpha)) return false;
      const double highest = *std::max_element(merits, merits + kWindow);
      double t = 1.0, next = 0.0;
      int halvings = 0;
      for (; halvings < kHalvings; ++halvings, t *= 0.5) {
        next = G_.merit_at(alpha, t);
        if (next <= highest * (1.0 - 1e-4 * t)) break;
      }
      if (halvings == kHalvings) return false;
      G_.step(t);
      merit = merits[steps % kWindow] = next;
      if (look()) return true;
    }
    return merit <= goal;
  }

  GroupNewton& G_;
  std::vector<double>& best_;
  double target_, now_ = 0.0, least_ = HUGE_VAL;
  Limits limits_;
  int outer_, iterations_ = 0;
};

class ProximalNewton final : public ContactSolver {
 public:
  /// patient: groups are restarted from other points, and retried with a tighter tolerance.
  explicit ProximalNewton(bool patient) : patient_(patient) {}
  std::string_view name() const override { return "proximal-newton"; }
  bool handles(LawKind) const override { return true; }
  bool needs_symmetric() const override { return false; }

  SolveReport solve(const ContactProblem& problem, Limits limits, SolverMemory& memory,
                    Out p) const override {
    const Eigen::Index n = problem.b.size();
    expects(problem.W.rows() == n && p.size() == n, "W, b and p differ in size");
    ProximalNewtonWork& work = memory.work.get<ProximalNewtonWork>();
    SolveReport report{false, 0, residual(problem, p)};
    bool met = report.residual <= limits.tolerance;
    if (met && keeps_apart(problem, limits, p)) {
      report.converged = true;
      return report;
    }
    ContactGroups& groups = work.groups;
    GroupNewton& newton = work.newton;
    groups.assign(problem);
    newton.begin(groups, limits.stop);
    work.best.resize(newton.p.size());
    gather(groups, p, newton.p);

    // |F| <= tolerance max(|p|, |rho b|), divided among the groups by their number of contacts
    double b2 = 0.0;
    for (std::size_t i = 0; i < groups.b.size(); ++i)
      b2 += groups.natural_rho[i] * groups.b[i] * groups.natural_rho[i] * groups.b[i];
    double share = 0.5;
    for (int pass = 0;
         pass < kPasses + (met ? kCloser : 0) && report.iterations < limits.iterations; ++pass) {
      double p2 = 0.0;
      if (pass > 0 || limits.tolerance >= kLooseNewton)
        for (const double x : newton.p) p2 += x * x;
      const double F = limits.tolerance * limits.tolerance * std::max(p2, b2) * share /
                       static_cast<double>(groups.contacts.size());
      int most = 0;
      bool solved = true;
      Limits rest = limits;
      rest.iterations -= report.iterations;
      for (int g = 0; g < groups.groups() && !limits.stopped(); ++g) {
        newton.choose(g);
        GroupSolve group(newton, work.best, F * newton.contacts(), rest,
                         patient_ ? kOuter : kOuterFirst);
        solved = group.run(patient_ && pass == 0) && solved;
        most += group.iterations();
      }
      report.iterations += most;
      const double now = accept(problem, groups, newton.p, report.residual, memory, p);
      if (now < report.residual) report.residual = now;
      met = report.residual <= limits.tolerance;
      if (limits.stopped() ||
          (met ? !solved || keeps_apart(problem, limits, p) : most == 0 || !(solved || patient_)))
        break;
      share *= 0.25;
    }
    report.converged = report.residual <= limits.tolerance;
    return report;
  }

 private:
  static void gather(const ContactGroups& groups, View p, std::vector<double>& out) {
    for (const GroupedContact& c : groups.contacts)
      for (int i = 0; i < c.size; ++i) out[at(c.first + i)] = p[c.row + i] / c.scale(i);
  }
  /// Copies the p of the groups to p if its residual, which is returned, is below `best`.
  static double accept(const ContactProblem& problem, const ContactGroups& groups,
                       const std::vector<double>& from, double best, SolverMemory& memory, Out p) {
    if (memory.scratch.size() < from.size()) memory.scratch.resize(from.size());
    Eigen::Map<Vector> next(memory.scratch.data(), p.size());
    for (const GroupedContact& c : groups.contacts)
      for (int i = 0; i < c.size; ++i) next[c.row + i] = from[at(c.first + i)] * c.scale(i);
    const double now = residual(problem, next);
    if (now < best) p = next;
    return now;
  }

  bool patient_;
};

}  // namespace

std::unique_ptr<ContactSolver> make_proximal_newton() {
  return std::make_unique<ProximalNewton>(true);
}
std::unique_ptr<ContactSolver> make_first_newton() {
  return std::make_unique<ProximalNewton>(false);
}

}  // namespace saltus

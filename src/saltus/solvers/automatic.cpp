#include <algorithm>
#include <array>
#include <vector>

#include "saltus/base/error.h"
#include "saltus/contact/body_delassus.h"
#include "saltus/contact/certificate.h"
#include "saltus/contact/residual.h"
#include "saltus/contact/velocity_delassus.h"
#include "saltus/solvers/body_system.h"
#include "saltus/solvers/even_load.h"
#include "saltus/solvers/few_contacts.h"
#include "saltus/solvers/solvers.h"
#include "saltus/solvers/squeezed_bodies.h"

namespace saltus {
namespace {

/// most rows for which W is formed as a matrix if there are joints
constexpr int kDenseJointed = 900;
constexpr int kDenseVelocities =
    1500;  ///< most rows for which W is formed as a matrix if it is stored by velocities
constexpr int kFactorRows = 6000;  ///< most rows in that case for factors in body velocities
/// above this W stored by bodies is solved by sweeps, not factorised
constexpr int kManyContacts = 20'000;
constexpr int kSweepsFirst = 500;  ///< most sweeps before W stored by bodies is factorised, ...
constexpr int kSweepsFaces = 100;  ///< ... and if contacts form faces
constexpr int kShared = 64;        ///< most contacts whose load is distributed evenly
constexpr int kFactorsRedundant = 500;  ///< factorisations for contacts that may be inconsistent
/// Newton steps for few contacts before the interior-point method is tried
constexpr int kNewtonFew = 200;
/// factorisations for more than kStartedAgain contacts without faces
constexpr int kFactorsPile = 40;
constexpr int kNewtonLoose = 300;   ///< Newton steps at a loose tolerance, ...
constexpr int kNewtonHeap = 50;     ///< ... and if a larger residual is enough
constexpr double kNearPile = 1e-7;  ///< residual below which few factorisations suffice for piles
constexpr double kLoose = 1e-6;  ///< from this tolerance on, few contacts are also swept as piles

/// Whether bodies are in contact through faces and edges: half of the contacts are between the same
/// bodies as the previous contact.
bool in_faces(const BodyRows& H) {
  const auto bodies = [&](int c) {
    const auto begin = static_cast<std::size_t>(H.offset[static_cast<std::size_t>(c)]);
    const auto end = static_cast<std::size_t>(H.offset[static_cast<std::size_t>(c) + 1]);
    return std::span(H.body).subspan(begin, end - begin);
  };
  int same = 0;
  for (int c = 1; c < H.contacts(); ++c) same += std::ranges::equal(bodies(c - 1), bodies(c));
  return 2 * same >= H.contacts();
}

/// Runs suitable solvers until one meets the tolerance, each starting from the best p so far.
class Automatic final : public ContactSolver {
 public:
  std::string_view name() const override { return "auto"; }
  bool handles(LawKind kind) const override { return newton_->handles(kind); }
  bool needs_symmetric() const override { return false; }

  SolveReport solve(const ContactProblem& problem, Limits limits, SolverMemory& memory,
                    Out p) const override {
    SolveReport report = ask_all(problem, limits, memory, p);
    if (limits.even && report.converged && !limits.stopped() && report.iterations > 0 &&
        std::ssize(problem.laws) <= kShared && !handles_laws(*pivoting_, problem))
      share(problem, limits, memory, report, p);
    return report;
  }

 private:
  SolveReport ask_all(const ContactProblem& problem, Limits limits, SolverMemory& memory,
                      Out p) const {
    const bool friction = !handles_laws(*pivoting_, problem);
    const BodyRows* const H = problem.W.bodies();
    const bool large = H != nullptr && std::ssize(problem.laws) > kManyContacts;
    Run run{problem, limits, memory, p, {}};
    if (ask_by_velocities(run) || ask_by_joints(run)) return run.report;
    if (!friction) {
      ask_without_friction(run, H != nullptr, large);
      return run.report;
    }
    const bool faces =
        H && in_faces(*H) && fits(*body_interior_, problem) && BodySystem::fits(problem);
    if (large && !faces) {
      run.ask(limits.enough > 0.0 ? *stalling_ : *bodies_, 2);
      run.settle(*first_newton_, *stalling_, 2);
      return run.report;
    }
    if (are_few(problem)) {
      share_load(problem, p);
      if (run.few()) return run.report;
    }
    // Bodies at rest need a few sweeps from the impulses of the previous step, and each sweep costs
    // less than forming W. Contacts of faces are redundant: sweeps converge slowly there, and a
    // factorisation in body velocities is cheap.
    if (H && fits(*bodies_, problem) &&
        run.ask_within(faces ? kSweepsFaces : kSweepsFirst, *sweeps_, 2))
      return run.report;
    if (faces && run.ask(*body_interior_, 3)) return run.report;
    if (large) {
      run.ask(*bodies_, 2);
      return run.report;
    }
    // Piles: a factorisation by contacts fills in and costs more than thousands of sweeps.
    const bool loose = limits.tolerance >= kLoose || limits.enough > 0.0;
    const bool pile = H && fits(*bodies_, problem) &&
                      (loose || (!faces && std::ssize(problem.laws) > kStartedAgain));
    if (pile && ask_sweeps_of_pile(run, loose)) return run.report;
    ask_contact_factors(run, !faces && !pile && fits(*interior_, problem));
    return run.report;
  }

  /// Replaces p, which solves the problem, by the solution with an even load distribution.
  void share(const ContactProblem& problem, Limits limits, SolverMemory& memory,
             SolveReport& report, Out p) const {
    Work& work = memory.work.get<Work>();
    report.judged = false;
    if (work.even.share(problem, limits, report, p) != EvenLoad::Shared::no) return;
    work.kept.assign(p.begin(), p.end());
    p.setZero();
    Run run{problem, limits, memory, p, report};
    run.limits.iterations = std::min(limits.iterations, kFactorsRedundant);
    if (fits(*yielding_, problem) && run.ask(*yielding_, 5)) {
      report = run.report;
      return;
    }
    report.iterations = run.report.iterations;
    std::ranges::copy(work.kept, p.begin());
  }

  /// The work space of every solver that may be used.
  struct Work final : SolverWork {
    std::array<SolverWorkPlace, 7> of;
    std::vector<double> mark, kept;
    EvenLoad even;
    SqueezedBodies squeezed;
  };

  struct Run {
    const ContactProblem& problem;
    Limits limits;
    SolverMemory& memory;
    Out p;
    SolveReport report;
    bool kept = false;  ///< set by ask_from_mark(): the previous p was better

    void mark() { memory.work.get<Work>().mark.assign(p.begin(), p.end()); }
    /// Like ask(), but from the marked p; restores the previous p if that was better.
    bool ask_from_mark(const ContactSolver& solver, std::size_t place) {
      const double before = report.residual;
      Work& work = memory.work.get<Work>();
      work.kept.assign(p.begin(), p.end());
      std::ranges::copy(work.mark, p.begin());
      if (ask(solver, place)) return true;
      kept = before < report.residual;
      if (kept) {
        std::ranges::copy(memory.work.get<Work>().kept, p.begin());
        report.residual = before;
        report.judged = false;
      }
      return false;
    }

    /// Returns true if the tolerance is met.
    bool few() {
      const SolveReport now = solve_few(problem, limits, p);
      if (now.converged) {
        report = now;
        report.attempt("gauss-seidel", now);
      }
      return now.converged;
    }

    /// Accepts a small enough residual if contacts do not close, or can be kept from closing.
    void settle(const ContactSolver& newton, const ContactSolver& sweeps, std::size_t place) {
      if (limits.stopped()) return;
      const bool met = report.residual <= limits.tolerance;
      if (!met) limits.tolerance = std::max(limits.tolerance, limits.enough);
      if (!(report.residual <= limits.tolerance)) return;
      const bool apart = keeps_apart(problem, limits, p) || part(newton, sweeps, place);
      // if no larger residual is enough, solve_certified() requests a tighter tolerance
      report.converged = apart || (met && !(limits.enough > 0.0));
    }

    /// Whether the tolerance is met although contacts close; solve_certified() then tightens it.
    bool met() {
      report.converged = report.residual <= limits.tolerance && !(limits.enough > 0.0);
      return report.converged;
    }
    /// Whether the residual is small enough and contacts do not close.
    bool accepts() {
      report.converged = report.residual <= limits.enough && keeps_apart(problem, limits, p);
      return report.converged;
    }

    /// Calls use() with the work space of that place in `memory`.
    template <class Use>
    auto with_place(std::size_t place, const Use& use) {
      SolverWorkPlace outer = std::move(memory.work);
      SolverWorkPlace& own = outer.get<Work>().of[place];
      memory.work = std::move(own);
      auto result = use();
      own = std::move(memory.work);
      memory.work = std::move(outer);
      return result;
    }

    /// For light bodies between heavy ones whose contacts close although the tolerance is met:
    /// returns true if they no longer close.
    bool part(const ContactSolver& newton, const ContactSolver& sweeps, std::size_t place) {
      Work& work = memory.work.get<Work>();
      return with_place(place, [&] {
        return work.squeezed.part(problem, limits, newton, sweeps, memory, p, report);
      });
    }

    /// Like ask(), with at most `most` iterations.
    bool ask_within(int most, const ContactSolver& solver, std::size_t place) {
      const int iterations = limits.iterations;
      limits.iterations = std::min(iterations, most);
      const bool met = ask(solver, place);
      limits.iterations = iterations;
      return met;
    }

    /// Returns true if the tolerance is met. `place`: index of the work space.
    bool ask(const ContactSolver& solver, std::size_t place) {
      if (limits.stopped()) return false;
      const SolveReport now =
          with_place(place, [&] { return solver.solve(problem, limits, memory, p); });
      report.attempt(solver.name(), now);
      report.iterations += now.iterations;
      report.residual = now.residual;
      report.converged = now.converged;
      report.speed = now.speed;
      report.closing = now.closing;
      report.growth = now.growth;
      report.judged = now.judged;
      return report.converged;
    }
  };

  // The parts of ask_all(). True: the tolerance is met, or the other solvers would cost too much.

  /// For W stored by velocities.
  bool ask_by_velocities(Run& run) const {
    const ContactProblem& problem = run.problem;
    const VelocityDelassus* const W = problem.W.velocities();
    if (!W || !fits(*velocity_, problem)) return false;
    if (run.ask(*velocity_, 6) || run.met()) return true;
    if (BodySystem::fits(problem) && W->rows() <= kFactorRows) {
      const int most = run.limits.enough > 0.0 ? kFactorsPile : run.limits.iterations;
      if (run.ask_within(most, *body_interior_, 3)) return true;
    }
    if (run.accepts()) return true;
    return W->rows() > kDenseVelocities;  // the other solvers form W as a matrix
  }

  /// For joints between the bodies of many contacts: a factorisation in body velocities, never
  /// sweeps, which would ignore the coupling through the joints.
  bool ask_by_joints(Run& run) const {
    const ContactProblem& problem = run.problem;
    if (problem.W.jointed() == nullptr || !fits(*body_interior_, problem) ||
        !BodySystem::fits(problem))
      return false;
    if (run.ask(*body_interior_, 3)) return true;
    // The other solvers form W as a matrix and cost its rows cubed: minutes for thousands of rows.
    return problem.W.rows() > kDenseJointed;
  }

  void ask_without_friction(Run& run, bool by_bodies, bool large) const {
    const bool sweeps =
        by_bodies && run.limits.tolerance >= kLoose && fits(*stalling_, run.problem);
    if (sweeps && run.ask(*stalling_, 2)) return;
    if (!run.ask(run.problem.W.symmetric() ? *pivoting_ : *lemke_, 0) && !large)
      run.ask(*newton_, 1);
  }

  bool ask_sweeps_of_pile(Run& run, bool loose) const {
    if (run.ask(*stalling_, 2)) return true;
    if (run.report.residual <= kNearPile && fits(*body_interior_, run.problem) &&
        BodySystem::fits(run.problem) && run.ask_within(kFactorsPile, *body_interior_, 3))
      return true;
    if (!loose) return false;
    // halving the step gives another problem, at less cost than more iterations on this one
    run.limits.iterations =
        std::min(run.limits.iterations, run.limits.enough > 0.0 ? kNewtonHeap : kNewtonLoose);
    run.ask(*newton_, 1);
    run.settle(*first_newton_, *stalling_, 2);
    return true;
  }

  /// Factorisations by contacts; interior: including an interior point.
  void ask_contact_factors(Run& run, bool interior) const {
    if (interior && std::ssize(run.problem.laws) <= kStartedAgain) {
      // If Newton's method is slow, an interior point costs less than more steps and other starts.
      run.mark();
      const int most = are_few(run.problem) ? kNewtonFew : run.limits.iterations;
      if (run.ask_within(most, *first_newton_, 1)) return;
      if (run.ask(*interior_, 3)) return;
      if (run.ask_within(kFactorsRedundant, *redundant_, 3)) return;
      if (run.ask_from_mark(*newton_, 1)) return;
      if (run.kept && run.ask(*newton_, 1)) return;
    } else {
      if (run.ask(*newton_, 1)) return;
      const double before = run.report.residual;
      if (interior && run.ask(*interior_, 3)) return;
      if (run.report.residual < before && run.ask(*newton_, 1)) return;
    }
    run.ask(*continuation_, 4);
  }

  static bool handles_laws(const ContactSolver& solver, const ContactProblem& problem) {
    for (const Law& law : problem.laws)
      if (!solver.handles(law.kind)) return false;
    return true;
  }
  static bool fits(const ContactSolver& solver, const ContactProblem& problem) {
    return handles_laws(solver, problem) && (problem.W.symmetric() || !solver.needs_symmetric());
  }

  std::unique_ptr<ContactSolver> pivoting_ = make_principal_pivoting();
  std::unique_ptr<ContactSolver> lemke_ = make_lemke();
  std::unique_ptr<ContactSolver> newton_ = make_proximal_newton();
  std::unique_ptr<ContactSolver> first_newton_ = make_first_newton();
  std::unique_ptr<ContactSolver> bodies_ = make_body_gauss_seidel();
  std::unique_ptr<ContactSolver> sweeps_ = make_first_sweeps();
  std::unique_ptr<ContactSolver> stalling_ = make_stalling_sweeps();
  std::unique_ptr<ContactSolver> body_interior_ = make_interior_point();
  std::unique_ptr<ContactSolver> interior_ = make_by_groups(make_interior_point());
  std::unique_ptr<ContactSolver> redundant_ = make_by_groups(make_redundant_interior());
  std::unique_ptr<ContactSolver> yielding_ =
      make_by_groups(make_yielding(make_redundant_interior()));
  std::unique_ptr<ContactSolver> velocity_ = make_velocity_newton();
  std::unique_ptr<ContactSolver> continuation_ =
      make_by_groups(make_continuation(make_proximal_newton()));
};

}  // namespace

std::unique_ptr<ContactSolver> make_automatic() { return std::make_unique<Automatic>(); }

}  // namespace saltus

// One nonsmooth problem in contact space, and the interface of its solvers.
//
//     u = W p + b,     law_i(u_i, p_i) holds at every contact i                       (1)
//
// b already contains restitution and prescribed motion. This is all that a solver gets: no bodies,
// no schemes, no geometry.
#pragma once
#include <array>
#include <limits>
#include <memory>
#include <string_view>
#include <vector>

#include "saltus/base/base.h"
#include "saltus/base/stop.h"
#include "saltus/contact/delassus.h"

namespace saltus {

///     equality:          u = 0
///     unilateral:        0 <= u perp p >= 0
///     box:               -p in bound Sgn(u)
///     coulomb, rolling:  cones (cone.h)
enum class LawKind { equality, unilateral, box, coulomb, rolling };

/// Rows first .. first + size - 1 of the problem, in this order:
///     coulomb: N, T1, T2 in space (3), N, T in the plane (2), N (1)
///     rolling: N, T1, T2, R1, R2 (5); with spinning friction N, T1, T2, R1, R2, S (6) or
///              N, T1, T2, S (4); N, T, R in the plane (3)
/// R are the moments [N m s] about the tangents, S is the one about the normal, with the relative
/// angular velocities [rad/s]:
///     |p_T| <= mu p_N,  |p_R| <= mu_R p_N,  |p_S| <= sigma p_N,
///     u + (mu |u_T| + mu_R |u_R| + sigma |u_S|) n   in the dual cone
struct Law {
  LawKind kind = LawKind::unilateral;
  int first = 0, size = 1;
  double friction = 0.0;  ///< mu [1]
  double rolling = 0.0;   ///< mu_R [m]
  double bound = 0.0;     ///< of a box [N s]
  double spinning = 0.0;  ///< sigma [m]

  /// Whether its rows form one cone (cone.h); with other laws every row is a set of its own.
  bool coupled() const { return kind == LawKind::coulomb || kind == LawKind::rolling; }
  /// Number of rows T of a coulomb or rolling law.
  int tangents() const {
    return kind == LawKind::rolling ? (size == 3 ? 1 : 2) : kind == LawKind::coulomb ? size - 1 : 0;
  }
  /// Numbers of rows R and S of a rolling law.
  int rollings() const { return kind != LawKind::rolling || size == 4 ? 0 : size == 3 ? 1 : 2; }
  int spinnings() const { return kind == LawKind::rolling && size % 2 == 0 ? 1 : 0; }
  /// Number of leading rows whose p are impulses; those of the other rows are moments.
  int forces() const { return kind == LawKind::rolling ? 1 + tangents() : size; }
};

/// Largest number of rows of a contact with friction.
inline constexpr int kContactRows = 6;

struct ContactProblem {
  const Delassus& W;          ///< [1/kg]
  View b;                     ///< [m/s], order (n, t1, t2) in each contact
  std::span<const Law> laws;  ///< one per contact, rows in order and without holes
  std::span<const int> ids;   ///< stable identifier of each row, increasing; used by SolverMemory
};

struct Limits {
  double tolerance = 1e-12;  ///< limit of residual() [1]
  int iterations = 10'000;
  /// Where contacts slide and bodies do not determine the impulses, return those of least size:
  /// even_load.h. Only `auto` uses this.
  bool even = false;
  /// Closing velocity that may remain, relative to that of the step [1]: certificate.h. Sweeps and
  /// Newton's method continue until they reach it too; other solvers stop at the tolerance.
  double closing = std::numeric_limits<double>::infinity();
  /// Residual above the tolerance that counts as converged if sweeps and Newton's method make no
  /// more progress; 0: none. Only `auto` uses this.
  double enough = 0.0;
  /// Length of this step as a fraction of a whole step: in a shorter one closing bodies penetrate
  /// less, so they may close faster.
  double share = 1.0;
  /// Checked in every iteration of each loop that may take long. When a stop is requested the solve
  /// ends at once, and neither p nor the report is valid.
  Stop* stop = nullptr;

  bool stopped() const { return stop_requested(stop); }
};

/// One solver that was tried, and its result.
struct Attempt {
  std::string_view solver;
  int iterations = 0;
  double residual = 0.0;
};

struct SolveReport {
  bool converged = false;
  int iterations = 0;     ///< pivots, sweeps or Newton steps, over all attempts
  double residual = 0.0;  ///< always residual(problem, p), never the solver's own measure
  double speed = 0.0;     ///< V, the velocity that contacts must correct [m/s]: certificate.h
  double closing = 0.0;   ///< remaining closing velocity relative to V [1]: certificate.h
  double growth = 0.0;    ///< growth of the impulses, third number of the certificate [1]
  bool judged = false;    ///< the solver has set these three, for the p that it returns
  bool certified = true;  ///< the certificate holds; set by solvers of make_certified()
  bool stopped = false;   ///< ended by Limits::stop; set by solvers of make_certified()
  /// Attempts of a solver that delegates, in order; the last one that reduced the residual gave p.
  std::array<Attempt, 8> attempts{};
  int attempted = 0;

  void attempt(std::string_view solver, const SolveReport& report) {
    if (attempted < std::ssize(attempts))
      attempts[static_cast<std::size_t>(attempted++)] = {solver, report.iterations,
                                                         report.residual};
  }
};

/// Data that a solver keeps to save time in the next solve: symbolic factors, work space. Losing it
/// at any moment does not change a single bit of the results.
struct SolverWork {
  virtual ~SolverWork() = default;
};

/// Owner of a SolverWork. A copy is empty: states are values, and work space is not part of them.
class SolverWorkPlace {
 public:
  SolverWorkPlace() = default;
  SolverWorkPlace(const SolverWorkPlace&) {}
  SolverWorkPlace& operator=(const SolverWorkPlace&) { return *this; }
  SolverWorkPlace(SolverWorkPlace&&) = default;
  SolverWorkPlace& operator=(SolverWorkPlace&&) = default;
  ~SolverWorkPlace() = default;

  /// The present work space if it is of type W, else a new one.
  template <class W>
  W& get() {
    if (auto* found = dynamic_cast<W*>(work_.get())) return *found;
    auto made = std::make_unique<W>();
    W& work = *made;
    work_ = std::move(made);
    return work;
  }

 private:
  std::unique_ptr<SolverWork> work_;
};

/// State that a solver carries from one step to the next. `active` and `factor` are part of the
/// State and of every checkpoint: the same memory gives the same bits. `scratch` is work space
/// only.
struct SolverMemory {
  std::vector<int> active;  ///< ids of the rows in the factor, in the order of the factor
  std::vector<double>
      factor;  ///< packed lower triangle, row by row, of the Cholesky factor of W(active, active)
  std::uint64_t changes = 0;  ///< updates and downdates since the last complete factorisation
  std::vector<double> scratch;
  std::vector<int> scratch_rows;
  SolverWorkPlace work;
};

class ContactSolver {
 public:
  virtual ~ContactSolver() = default;
  virtual std::string_view name() const = 0;
  virtual bool handles(LawKind kind) const = 0;
  virtual bool needs_symmetric() const = 0;
  /// p: warm start on entry; on return impulses [N s], the best found even if not converged.
  /// Allocates nothing once `memory` has been used for a problem of this size.
  virtual SolveReport solve(const ContactProblem& problem, Limits limits, SolverMemory& memory,
                            Out p) const = 0;
};

}  // namespace saltus

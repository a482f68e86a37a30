// One nonsmooth problem in contact space, and who may solve it.
//
//     u = W p + b,     law_i(u_i, p_i) holds at every contact i                       (1)
//
// b already contains restitution and prescribed motion. A solver sees nothing else: no bodies, no
// schemes, no geometry.
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

/// equality: u = 0.  unilateral: 0 <= u perp p >= 0.  box: -p in bound Sgn(u).  coulomb, rolling:
/// cones.
enum class LawKind { equality, unilateral, box, coulomb, rolling };

/// Rows first .. first + size - 1 of the problem. coulomb: N, T1, T2 in space (3), N, T in the
/// plane (2), N (1).
/// rolling: N, T1, T2, R1, R2 (5), with spinning friction N, T1, T2, R1, R2, S (6) or N, T1, T2, S
/// (4), N, T, R in the plane (3). R are the moments [N m s] about the tangents, S that about the
/// normal, with the relative angular velocities [rad/s]:
///     |p_T| <= mu p_N,  |p_R| <= mu_R p_N,  |p_S| <= sigma p_N,
///     u + (mu |u_T| + mu_R |u_R| + sigma |u_S|) n   in the dual cone
struct Law {
  LawKind kind = LawKind::unilateral;
  int first = 0, size = 1;
  double friction = 0.0;  ///< mu [1]
  double rolling = 0.0;   ///< mu_R [m]
  double bound = 0.0;     ///< box [N s]
  double spinning = 0.0;  ///< sigma [m]

  /// Whether its rows share one cone (cone.h); the rows of other laws are sets of one row each.
  bool coupled() const { return kind == LawKind::coulomb || kind == LawKind::rolling; }
  /// Rows T of a coulomb or rolling law.
  int tangents() const {
    return kind == LawKind::rolling ? (size == 3 ? 1 : 2) : kind == LawKind::coulomb ? size - 1 : 0;
  }
  /// Rows R and S of a rolling law.
  int rollings() const { return kind != LawKind::rolling || size == 4 ? 0 : size == 3 ? 1 : 2; }
  int spinnings() const { return kind == LawKind::rolling && size % 2 == 0 ? 1 : 0; }
  /// The first rows, of which p are impulses; those of the others are moments.
  int forces() const { return kind == LawKind::rolling ? 1 + tangents() : size; }
};

/// Most rows of a contact with friction.
inline constexpr int kContactRows = 6;

struct ContactProblem {
  const Delassus& W;          ///< [1/kg]
  View b;                     ///< [m/s], order (n, t1, t2) in each contact
  std::span<const Law> laws;  ///< one a contact, rows in order and without holes
  std::span<const int> ids;   ///< stable name of each row, increasing; used by SolverMemory
};

struct Limits {
  double tolerance = 1e-12;  ///< on residual() [1]
  int iterations = 10'000;
  /// Of impulses that bodies do not determine those of least size, where contacts slide:
  /// even_load.h; `auto` alone heeds it.
  bool even = false;
  /// Closing velocity that may be left, over that of the step [1]: certificate.h. Sweeps and
  /// Newton's method go on until it is met too; others end with the tolerance.
  double closing = std::numeric_limits<double>::infinity();
  /// Residual above the tolerance that will do where sweeps and Newton's method gain nothing more,
  /// and which counts as converged then; 0: none. `auto` alone heeds it.
  double enough = 0.0;
  /// Of a whole step that this one is: in a part of it bodies that close go in by so much less, and
  /// may close faster.
  double share = 1.0;
  /// Asked in each turn of every loop that may take long. Where it is requested the solve ends at
  /// once, and neither p nor the report count.
  Stop* stop = nullptr;

  bool stopped() const { return stop_requested(stop); }
};

/// One solver that was asked, and how far it came.
struct Attempt {
  std::string_view solver;
  int iterations = 0;
  double residual = 0.0;
};

struct SolveReport {
  bool converged = false;
  int iterations = 0;     ///< pivots, sweeps or Newton steps, of all attempts
  double residual = 0.0;  ///< always residual(problem, p), never the solver's own measure
  double speed = 0.0;     ///< what the step asks of contacts, V [m/s]: certificate.h
  double closing =
      0.0;              ///< closing velocity left, relative to those of the step [1]: certificate.h
  double growth = 0.0;  ///< of the impulses, the third of the certificate [1]
  bool judged = false;  ///< the solver has found these three, of p as it is
  bool certified = true;  ///< the certificate holds; those that make_certified() wraps find it
  bool stopped = false;  ///< Limits::stop ended it; those that make_certified() wraps find that too
  /// What a solver that delegates did, in order; the last attempt that was better gave p.
  std::array<Attempt, 8> attempts{};
  int attempted = 0;

  void attempt(std::string_view solver, const SolveReport& report) {
    if (attempted < std::ssize(attempts))
      attempts[static_cast<std::size_t>(attempted++)] = {solver, report.iterations,
                                                         report.residual};
  }
};

/// What a solver keeps for the next solve to save time, and may lose at any moment without a change
/// of a single bit of its results: symbolic factors, work space.
struct SolverWork {
  virtual ~SolverWork() = default;
};

/// Owner of a SolverWork. A copy is empty: states are values, work space is not part of them.
class SolverWorkPlace {
 public:
  SolverWorkPlace() = default;
  SolverWorkPlace(const SolverWorkPlace&) {}
  SolverWorkPlace& operator=(const SolverWorkPlace&) { return *this; }
  SolverWorkPlace(SolverWorkPlace&&) = default;
  SolverWorkPlace& operator=(SolverWorkPlace&&) = default;
  ~SolverWorkPlace() = default;

  /// The work space of kind W that is there, else a new one.
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

/// What a solver carries from one step to the next. `active` and `factor` are part of the State and
/// of every checkpoint: the same memory gives the same bits. `scratch` is work space only.
struct SolverMemory {
  std::vector<int> active;  ///< ids of the rows in the factor, in the order of the factor
  std::vector<double>
      factor;  ///< packed lower triangle, row by row, of the Cholesky factor of W(active, active)
  std::uint64_t changes = 0;  ///< up- and down-dates since the factor was last made afresh
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
  /// p: warm start on entry, impulses [N s] on return, the best found even if not converged.
  /// Allocates nothing once `memory` has seen a problem of this size.
  virtual SolveReport solve(const ContactProblem& problem, Limits limits, SolverMemory& memory,
                            Out p) const = 0;
};

}  // namespace saltus

// One nonsmooth problem in contact space, and who may solve it.
//
//     u = W p + b,     law_i(u_i, p_i) holds at every contact i                       (1)
//
// b already contains restitution and prescribed motion. A solver sees nothing else: no bodies, no
// schemes, no geometry.
#pragma once
#include <string_view>
#include <vector>

#include "saltus/base/base.h"
#include "saltus/contact/delassus.h"

namespace saltus {

/// equality: u = 0.  unilateral: 0 <= u perp p >= 0.  box: -p in bound Sgn(u).  coulomb, rolling: cones.
enum class LawKind { equality, unilateral, box, coulomb, rolling };

/// Rows first .. first + size - 1 of the problem: N, then T1, T2, then R1, R2, then S.
struct Law {
  LawKind kind = LawKind::unilateral;
  int first = 0, size = 1;
  double friction = 0.0;  ///< mu [1]
  double rolling = 0.0;   ///< mu_R [m]
  double spinning = 0.0;  ///< moment about n [m]
  double bound = 0.0;     ///< box [N s]
};

struct ContactProblem {
  const Delassus& W;          ///< [1/kg]
  View b;                     ///< [m/s], order (n, t1, t2) in each contact
  std::span<const Law> laws;  ///< one a contact, rows in order and without holes
  std::span<const int> ids;   ///< stable name of each row, increasing; used by SolverMemory
};

struct Limits {
  double tolerance = 1e-12;  ///< on residual() [1]
  int iterations = 10'000;
};

struct SolveReport {
  bool converged = false;
  int iterations = 0;     ///< pivots, sweeps or Newton steps
  double residual = 0.0;  ///< always residual(problem, p), never the solver's own measure
};

/// What a solver carries from one step to the next. `active` and `factor` are part of the State and of
/// every checkpoint: the same memory gives the same bits. `scratch` is work space only.
struct SolverMemory {
  std::vector<int> active;  ///< ids of the rows in the factor, in the order of the factor
  std::vector<double>
      factor;  ///< packed lower triangle, row by row, of the Cholesky factor of W(active, active)
  std::uint64_t changes = 0;  ///< up- and down-dates since the factor was last made afresh
  std::vector<double> scratch;
  std::vector<int> scratch_rows;
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

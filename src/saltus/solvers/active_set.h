// The rows in the basis of a linear complementarity problem, with the factor of their W.
#pragma once
#include <span>

#include "saltus/contact/contact_solver.h"
#include "saltus/linear_algebra/packed_cholesky.h"

namespace saltus {

/// Active rows a have u_a = 0, all others p = 0:
///     W_aa p_a = -b_a,     u = b + W(:, a) p_a                                            (1)
/// Equality rows are free: always active, with p of any sign, unless they depend on other equality
/// rows. The order of the active rows is that of SolverMemory::active; a place is an index into it.
class ActiveSet {
 public:
  /// Round-off allowed in u_i: kNoise (|b_i| + sqrt(W_ii) sum_j sqrt(W_jj) |p_j|), of which the
  /// bracket bounds every sum in (1) because W_ij^2 <= W_ii W_jj.
  static constexpr double kNoise = 8 * 2.220446049250313e-16;

  /// Uses the scratch of `memory`, which nobody else may touch meanwhile. Where `stop` is requested
  /// factors are left as far as they are.
  ActiveSet(const ContactProblem& problem, SolverMemory& memory, Stop* stop = nullptr);

  /// Takes over the rows and the factor of `memory` when W is constant, else the rows with p > 0.
  void begin(View p);
  /// Starts again from the rows with p > 0.
  void restart(View p);
  /// Makes the factor afresh on the present rows; those that depend on others fall out.
  void refactor();

  int size() const { return factor_.rows(); }
  int row(int place) const { return row_[place]; }
  bool active(int row) const { return place_[row] >= 0; }
  bool free(int row) const { return free_[row] != 0; }
  /// False, and nothing is changed, when the row depends on the active ones.
  bool insert(int row);
  /// c = W_aa^-1 W(a, row), by place, of the row that insert() has just refused. Entries that are
  /// zero but for round-off are returned as 0: without them the row would still depend on the rest.
  std::span<const double> dependence(int row);
  void erase(int place);

  /// Solves (1) for p_a.
  void solve_impulses();
  /// Evaluates u of (1); one step of iterative refinement of p_a if u_a exceeds round-off.
  void solve_velocities();
  double impulse(int place) const { return p_[place]; }
  double velocity(int row) const { return u_[row]; }
  double noise(int row) const;  ///< round-off allowed in u_row [m/s]
  double depth(int row) const;  ///< -u_row/sqrt(W_row,row): the same order of rows in any units

  /// n integers of work space that no member function touches.
  std::span<int> work() { return {work_, static_cast<std::size_t>(n_)}; }

  /// p of all rows; not below 0 except on free rows.
  void write(Out p) const;

 private:
  void adopt();
  void insert_free_rows();
  int find(int id) const;
  /// Returns max |u_a|/round-off.
  double evaluate_velocities();

  const ContactProblem& problem_;
  SolverMemory& memory_;
  Stop* stop_;
  PackedCholesky factor_;
  int n_;
  double *p_, *root_, *column_, *rotations_, *u_;  ///< root: sqrt(W_jj) by place
  int *row_, *place_, *free_, *spare_, *work_;
  double sum_ = 0.0;  ///< sum_j sqrt(W_jj) |p_j|
};

}  // namespace saltus

// The active rows of a linear complementarity problem, with the factor of their W.
#pragma once
#include <span>

#include "saltus/contact/contact_solver.h"
#include "saltus/linear_algebra/packed_cholesky.h"

namespace saltus {

/// Active rows a have u_a = 0, all others p = 0:
///     W_aa p_a = -b_a,     u = b + W(:, a) p_a                                            (1)
/// Equality rows are free: always active, with p of any sign, unless they depend on other equality
/// rows. The active rows are in the order of SolverMemory::active; a place is an index into it.
class ActiveSet {
 public:
  /// Round-off allowed in u_i: kNoise (|b_i| + sqrt(W_ii) sum_j sqrt(W_jj) |p_j|). The bracket
  /// bounds every sum in (1) because W_ij^2 <= W_ii W_jj.
  static constexpr double kNoise = 8 * 2.220446049250313e-16;

  /// Has exclusive use of the scratch memory. If `stop` is requested, factors are left incomplete.
  ActiveSet(const ContactProblem& problem, SolverMemory& memory, Stop* stop = nullptr);

  /// Continues with rows and factor of `memory` if W is constant, else starts from rows with p > 0.
  void begin(View p);
  /// Restarts from the rows with p > 0.
  void restart(View p);
  /// Recomputes the factor for the current rows; dependent rows are removed.
  void refactor();

  int size() const { return factor_.rows(); }
  int row(int place) const { return row_[place]; }
  bool active(int row) const { return place_[row] >= 0; }
  bool free(int row) const { return free_[row] != 0; }
  /// Returns false and changes nothing if the row depends on the active rows.
  bool insert(int row);
  /// c = W_aa^-1 W(a, row), by place, for the row that insert() has just rejected. Entries that are
  /// zero up to round-off are returned as 0: without their rows the row would still be dependent.
  std::span<const double> dependence(int row);
  void erase(int place);

  /// Solves (1) for p_a.
  void solve_impulses();
  /// Evaluates u of (1); performs one step of iterative refinement of p_a if u_a exceeds round-off.
  void solve_velocities();
  double impulse(int place) const { return p_[place]; }
  double velocity(int row) const { return u_[row]; }
  double noise(int row) const;  ///< round-off allowed in u_row [m/s]
  double depth(int row) const;  ///< -u_row/sqrt(W_row,row): ranks rows independently of units

  /// n integers of work space that no member function uses.
  std::span<int> work() { return {work_, static_cast<std::size_t>(n_)}; }

  /// Writes p of all rows; never negative except on free rows.
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

// L D L^T of a symmetric positive semidefinite matrix of small blocks, and the least solution where
// rows depend on others.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "saltus/base/base.h"
#include "saltus/linear_algebra/dependent_rows.h"
#include "saltus/linear_algebra/front_layout.h"

namespace saltus {

/// S = L D L^T front by front, without exchanges: S is positive, so any order is as accurate. Rows
/// that depend on others are left out. Where S_ii = 0 the whole row is zero: it is not looked at,
/// depends on none and carries nothing. With B the rows that are kept, D the others and C = S_DB
/// S_BB^-1, all solutions of  S_BB x_B + S_BD x_D = b_B  are x_B = S_BB^-1 b_B - C^T x_D,  and
/// solve() gives the one with the least sum of w_i x_i^2. Work space and factors are kept from call
/// to call; nothing is taken from the heap once sizes have been seen.
///
/// Of rows that depend on each other some are chosen. Put aside at first are the rows P whose pivot
/// falls to `threshold` of S_ii, or to 10^-3 of it where another row is coupled to it more than 32
/// times as strongly in units of sqrt(S_ii S_jj). They are eliminated last, the largest T_ii/S_ii
/// first, and those that fall to the threshold then are D. Rows are exchanged between B and D until
/// no |C_ij| sqrt(S_jj/S_ii) is above 2: wherever the coefficients of a dependence pass zero, B is
/// as far from being dependent as its rows allow.
class BlockLdlt {
 public:
  using Blocks = SymmetricBlocks;
  /// weight: w of each row, > 0. False: an entry is not finite.
  bool factorise(const Blocks& S, View weight, double threshold = 1e-11);
  /// Makes no choice: leaves out the rows whose pivot falls to `threshold` of S_ii in the order of
  /// elimination.
  bool factorise_in_order(const Blocks& S, View weight, double threshold = 1e-11);
  /// For an S near that of the last factorise(), of as many rows. Leaves out the same rows, and
  /// others where their pivot falls to `threshold`. Of all solutions it takes the one with  N^T W x
  /// = 0,  N and W those of the last factorise(): null vectors of rows that depend on each other
  /// only nearly would differ with D. weight: of rows left out now.
  bool factorise_again(const Blocks& S, View weight, double threshold = 1e-14);
  int rows() const { return layout_.rows(); }
  /// Rows left out, increasing.
  std::span<const int> dependent() const { return dependent_; }
  /// X <- the least solution of S X = X, column by column; a column has the same bits whatever
  /// others stand beside it. Uses work space of this object: one thread at a time.
  void solve(Eigen::Ref<Matrix> X) const;
  /// Numbers kept for L, and for C: what a solution costs.
  std::size_t entries() const { return layout_.stored(); }
  std::size_t dependence_entries() const { return left_out_.entries(); }

 private:
  struct Update {
    std::size_t begin;
    int front;
  };
  struct Entry {
    int place;
    double value;
  };
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  void begin(const Blocks& S, View weight);
  bool eliminate(const Blocks& S, bool choosing, double threshold);
  void assemble(int s, const Blocks& S);
  void extend(const Update& child, const FrontLayout::Front& front);
  bool eliminate_front(int s, bool choosing, double threshold);
  template <class F>
  void each_column(int s, int row, int width, F&& f) const;
  bool grows(int s, int row, const double* U, int width) const;
  void keep_rest(int s, int row, const double* U, int width);
  template <int K>
  void gather(int s, const double* x) const;
  template <int K>
  void forward(int s, double* x) const;
  template <int K>
  void backward(int s, double* x) const;
  template <int K>
  void solve_columns(Eigen::Ref<Matrix> X) const;
  bool silent(int s, const double* x, bool border) const;
  void find_null_vectors();
  double sweep_rest(const DependentRows::Dropped& d, double* x);
  void finish(bool of_choice);

  FrontLayout layout_;
  DependentRows left_out_;
  std::vector<int> dependent_, row_of_;       // row_of_: of each place
  std::vector<int> local_;                    // of each node in the front at hand
  std::vector<double> S_, weight_, inverse_;  // of each place: S_ii, w_i, 1 / D_ii or 0
  std::vector<double> factor_;                // L^T
  std::vector<double> stack_, F22_;           // updates of fronts whose parent is to come
  std::vector<Update> updates_;
  std::vector<std::size_t> offset_;    // of column 0 of each pivot row of a front in factor_
  std::vector<int> index_;             // rows of a child in its parent
  std::vector<double> scaled_;         // L of a panel
  std::vector<char> out_;              // of each place: left out whatever its pivot
  std::vector<Entry> rest_;            // what is left of rows left out at their pivot
  mutable std::vector<double> x_, z_;  // a factor belongs to one simulation
};

}  // namespace saltus

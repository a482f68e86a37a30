// L D L^T of a symmetric positive semidefinite matrix of small blocks, and the minimum-norm
// solution where rows are linearly dependent.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "saltus/base/base.h"
#include "saltus/linear_algebra/dependent_rows.h"
#include "saltus/linear_algebra/front_layout.h"

namespace saltus {

/// S = L D L^T, front by front and without pivoting: S is positive semidefinite, so every order is
/// equally accurate. Rows that depend on others are left out. If S_ii = 0, the whole row is zero:
/// it is skipped, no other row depends on it, and its x_i is 0. Let B be the rows that are kept, D
/// the rows left out and C = S_DB S_BB^-1. All solutions of  S_BB x_B + S_BD x_D = b_B  are
///     x_B = S_BB^-1 b_B - C^T x_D,
/// and solve() returns the one with the smallest sum of w_i x_i^2. Work space and factors are
/// reused between calls; nothing is allocated once the sizes have occurred.
///
/// Choice of the rows left out among dependent rows: first, rows P are set aside if their pivot
/// falls to `threshold` of S_ii, or to 10^-3 of it while another row is coupled to them more than
/// 32 times as strongly in units of sqrt(S_ii S_jj). They are eliminated last, in order of
/// decreasing T_ii/S_ii, and those that fall to the threshold then form D. Rows are exchanged
/// between B and D until no |C_ij| sqrt(S_jj/S_ii) is above 2: even where coefficients of a
/// dependence pass through zero, B then stays as far from dependent as its rows allow.
class BlockLdlt {
 public:
  using Blocks = SymmetricBlocks;
  /// weight: w of each row, > 0. Returns false if an entry is not finite.
  bool factorise(const Blocks& S, View weight, double threshold = 1e-11);
  /// Makes no choice: leaves out the rows whose pivot falls to `threshold` of S_ii in elimination
  /// order.
  bool factorise_in_order(const Blocks& S, View weight, double threshold = 1e-11);
  /// For an S close to that of the last factorise() and with as many rows. Leaves out the same
  /// rows, and any others whose pivot falls to `threshold`. Of all solutions it selects the one
  /// with  N^T W x = 0,  with N and W of the last factorise(): null vectors of rows that are only
  /// nearly dependent would vary with D. weight: for rows that are left out only now.
  bool factorise_again(const Blocks& S, View weight, double threshold = 1e-14);
  int rows() const { return layout_.rows(); }
  /// Rows that are left out, in increasing order.
  std::span<const int> dependent() const { return dependent_; }
  /// Replaces each column b of X by the minimum-norm solution of S x = b; each result is bitwise
  /// independent of the other columns. Uses work space of this object, so it is not thread-safe.
  void solve(Eigen::Ref<Matrix> X) const;
  /// Numbers stored for L, and for C: a measure of the cost of a solution.
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
  std::vector<int> dependent_, row_of_;       // row_of_: row of each place
  std::vector<int> local_;                    // position of each node in the current front
  std::vector<double> S_, weight_, inverse_;  // for each place: S_ii, w_i, and 1 / D_ii or 0
  std::vector<double> factor_;                // L^T
  std::vector<double> stack_, F22_;           // updates of fronts whose parent is not yet done
  std::vector<Update> updates_;
  std::vector<std::size_t> offset_;  // position in factor_ of column 0 of each pivot row of a front
  std::vector<int> index_;           // rows of a child in its parent
  std::vector<double> scaled_;       // L of a panel
  std::vector<char> out_;            // for each place: leave it out whatever its pivot
  std::vector<Entry> rest_;          // remainders of rows that are left out, at their pivot
  mutable std::vector<double> x_, z_;  // each factor belongs to one simulation
};

}  // namespace saltus

// L D L^T of a symmetric positive semidefinite matrix of small blocks, and the least solution where rows depend on others.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "saltus/base/base.h"
#include "saltus/linear_algebra/block_pattern.h"

namespace saltus {

/// S = L D L^T front by front, without exchanges: S is positive, so any order is as accurate. Rows that depend on others
/// are left out. Where S_ii = 0 the whole row is zero: it is not looked at, depends on none and carries nothing. With B the
/// rows that are kept, D the others and C = S_DB S_BB^-1, all solutions of  S_BB x_B + S_BD x_D = b_B  are
/// x_B = S_BB^-1 b_B - C^T x_D,  and solve() gives the one with the least sum of w_i x_i^2. Work space and factors are kept
/// from call to call; nothing is taken from the heap once sizes have been seen.
///
/// Of rows that depend on each other some are chosen. Put aside at first are the rows P whose pivot falls to `threshold`
/// of S_ii, or to 10^-3 of it where another row is coupled to it more than 32 times as strongly in units of
/// sqrt(S_ii S_jj). They are eliminated last, the largest T_ii/S_ii first, and those that fall to the threshold then are
/// D. Rows are exchanged between B and D until no |C_ij| sqrt(S_jj/S_ii) is above 2: wherever the coefficients of a
/// dependence pass zero, B is as far from being dependent as its rows allow.
class BlockLdlt {
 public:
  /// S as the blocks of a graph. Block k of the one that was analysed, (i, j), stands at value + start[k], size[i] x
  /// size[j], row by row; only one of (i, j) and (j, i) is read. Rows of node i are row(i) .. row(i) + size[i] - 1 of
  /// vectors, nodes in their own order. `pattern` is used until the next call.
  struct Blocks {
    const BlockPattern& pattern;
    const int* size;
    const double* value;
    const std::size_t* start;
  };
  /// weight: w of each row, > 0. False: an entry is not finite.
  bool factorise(const Blocks& S, View weight, double threshold = 1e-11);
  /// Makes no choice: leaves out the rows whose pivot falls to `threshold` of S_ii in the order of elimination.
  bool factorise_in_order(const Blocks& S, View weight, double threshold = 1e-11);
  /// For an S near that of the last factorise(), of as many rows. Leaves out the same rows, and others where their pivot
  /// falls to `threshold`. Of all solutions it takes the one with  N^T W x = 0,  N and W those of the last factorise():
  /// null vectors of rows that depend on each other only nearly would differ with D. weight: of rows left out now.
  bool factorise_again(const Blocks& S, View weight, double threshold = 1e-14);
  int rows() const { return row_.empty() ? 0 : row_.back(); }
  /// Rows left out, increasing.
  std::span<const int> dependent() const { return dependent_; }
  /// X <- the least solution of S X = X, column by column; a column has the same bits whatever others stand beside it.
  /// Uses work space of this object: one thread at a time.
  void solve(Eigen::Ref<Matrix> X) const;
  /// Numbers kept for L, and for C: what a solution costs.
  std::size_t entries() const { return stored_; }
  std::size_t dependence_entries() const { return dependence_.size(); }

 private:
  // A row in the order of elimination is a place; rows of zeros have none. Rows and columns of a front are numbered from 0,
  // pivots first.
  struct Front {
    int place;   // of its first pivot
    int p, q;    // rows of pivots and of the border
    int fronts;  // of the subtree that ends with it
    int panels;  // end of its panels; they begin where those of the front before end
  };
  /// Rows first .. first + rows - 1 of a front, columns first .. first + width - 1: right of them L^T is zero.
  struct Panel {
    std::size_t begin;
    int first, rows, width;
  };
  struct Update {
    std::size_t begin;
    int front;
  };
  struct Entry {
    int place;
    double value;
  };
  /// A row left out, in the order of elimination.
  struct Dropped {
    int place, front;
    std::size_t rest,
        end;       // of rest_ and dependence_; they begin where those of the row before end
    double pivot;  // after the rows before it, then after all that are kept
    int first;     // dropped row of its block of M
    int of_last;   // its null vector of the last choice, -1: none
  };
  /// T_ij of two rows left out, i < j, after all that are kept.
  struct Coupling {
    int i, j;
    double value;
  };
  /// Of M = V^T W N: rows group_[begin], ... whose null vectors have places in common.
  struct Block {
    int begin, size;
    std::size_t M;
  };
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  int places() const { return static_cast<int>(active_.size()); }
  void begin(const Blocks& S, View weight);
  void find_zeros(const Blocks& S);
  void place_panels(int s);
  bool eliminate(const Blocks& S, bool choosing, double threshold);
  void assemble(int s, const Blocks& S);
  void extend(const Update& child, const Front& front);
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
  void find_dependence();
  double sweep_rest(const Dropped& d, double* x);
  std::span<const Entry> null_vector(int dropped) const;
  std::span<const Entry> kept_vector(int dropped) const;
  void keep_choice();
  void take_choice();
  void join_dependence();
  void finish_dependence(bool again);
  void fill_rows();
  bool choose(double threshold);
  void choose(const Block& block, std::span<const Coupling> couplings, double threshold);
  void factorise_least(const Block& block);
  void add_least(double* x, int stride) const;

  const BlockPattern* pattern_ = nullptr;
  std::vector<int> row_, dependent_;
  std::vector<int> size_, place_, local_, end_;  // of each node; size: without rows of zeros
  std::vector<int> active_, active_begin_;       // rows that have a place, node by node
  std::vector<int> zeros_;                       // and those that have none
  std::vector<double> S_, weight_, inverse_;     // of each place: S_ii, w_i, 1 / D_ii or 0
  std::vector<Front> fronts_;
  std::vector<Panel> panels_;
  std::vector<double> factor_;  // L^T
  std::size_t stored_ = 0;
  std::vector<double> stack_, F22_;  // updates of fronts whose parent is to come
  std::vector<Update> updates_;
  std::vector<std::size_t> offset_;  // of column 0 of each pivot row of a front in factor_
  std::vector<int> index_;           // rows of a child in its parent
  std::vector<double> scaled_;       // L of a panel

  std::vector<Dropped> dropped_;
  std::vector<Coupling> couplings_;
  std::vector<char> out_;                 // of each place: left out whatever its pivot
  std::vector<Entry> rest_, dependence_;  // what is left of dropped rows at their pivot; -C
  /// W N of the last choice: rows left out, and the others by rows and by places.
  struct Kept {
    int row;
    double weight;
    std::size_t end;
  };
  std::vector<Kept> kept_;
  std::vector<Entry> kept_rows_, kept_entries_;
  std::vector<int> owner_, group_;
  std::vector<double> T_, N_;  // of a block: pivots of P, and its null vectors side by side
  std::vector<int> column_, own_;
  std::vector<Block> blocks_;
  std::vector<double> M_;
  std::vector<int> exchange_;                  // of the rows of M
  mutable std::vector<double> x_, z_, least_;  // a factor belongs to one simulation
};

}  // namespace saltus

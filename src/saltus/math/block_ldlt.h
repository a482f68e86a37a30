// L D L^T of a symmetric positive semidefinite matrix of small blocks, and the least solution where rows depend on others.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "saltus/base/base.h"
#include "saltus/math/block_pattern.h"

namespace saltus {

/// S = L D L^T front by front, without exchanges. A row whose pivot falls to `threshold` of its diagonal S_ii depends on
/// the rows before it and is left out; with S_ii = 0 too. With B the rows that are kept, D the others and
/// C = S_DB S_BB^-1, all solutions of  S_BB x_B + S_BD x_D = b_B  are  x_B = S_BB^-1 b_B - C^T x_D,  and solve() gives the
/// one with the least sum of w_i x_i^2. Work space and factors are kept from call to call; nothing is taken from the heap
/// once sizes have been seen.
class BlockLdlt {
 public:
  /// Block k of the graph that was analysed, (i, j), stands at value + start[k], size[i] x size[j], row by row; only one of
  /// (i, j) and (j, i) is read. Rows of node i are row(i) .. row(i) + size[i] - 1 of vectors, nodes in their own order.
  /// weight: w of each row, > 0. `pattern` is used until the next call. False: an entry is not finite.
  bool factorise(const BlockPattern& pattern, const int* size, const double* value,
                 const std::size_t* start, View weight, double threshold = 1e-11);
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
  // A row in the order of elimination is a place. Rows and columns of a front are numbered from 0, pivots first.
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
        end;    // of rest_ and dependence_; they begin where those of the row before end
    int first;  // dropped row of its block of M
  };
  /// Of M = W_D + C W_B C^T = L L^T: rows group_[begin], ... whose null vectors have places in common.
  struct Block {
    int begin, size;
    std::size_t M;
  };
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  void begin(const int* size);
  void place_panels(int s);
  void assemble(int s, const double* value, const std::size_t* start);
  void extend(const Update& child, const Front& front);
  bool eliminate_front(int s, double threshold);
  void keep_rest(int s, int place, int row, const double* U, int width);
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
  std::span<const Entry> null_vector(int dropped) const;
  void join_dependence();
  void factorise_least(const Block& block);
  void add_least(double* x, int stride) const;

  const BlockPattern* pattern_ = nullptr;
  std::vector<int> row_, dependent_;
  std::vector<int> size_, place_, local_, end_;  // of each node
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
  std::vector<Entry> rest_, dependence_;  // what is left of dropped rows at their pivot; -C
  std::vector<int> owner_, group_;
  std::vector<Block> blocks_;
  std::vector<double> M_;
  mutable std::vector<double> x_, z_, least_;
};

}  // namespace saltus

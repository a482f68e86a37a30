// Linearly dependent rows of a semidefinite matrix: the choice of rows to leave out, and the
// minimum-norm solution.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "saltus/base/base.h"

namespace saltus {

/// A row D that is left out has the null vector N_D = (-C^T e_D, e_D) of S, with C = S_DB S_BB^-1
/// and B the rows that are kept: all solutions of  S_BB x_B + S_BD x_D = b_B  are
///     x_B = S_BB^-1 b_B - C^T x_D.
/// The one with the smallest sum of w_i x_i^2 has  M x_D = -N^T W x_B,  M = N^T W N.  The null
/// vectors of two loops without a common body have no row in common, so vectors are stored sparse
/// and M in blocks: N loops in a chain cost O(N). Rows are identified by their place in an
/// elimination order; memory is reused between calls.
class DependentRows {
 public:
  struct Entry {
    int place;
    double value;
  };
  /// A row that is left out, in elimination order.
  struct Dropped {
    int place, front;
    // ends of its remainder (stored by the caller) and of its null vector; both begin where those
    // of the previous row end
    std::size_t rest, end;
    double pivot;  // after the previous rows, then after all rows that are kept
    int first;     // first dropped row of its block of M
    int of_last;   // index of its null vector in the last choice, -1: none
  };

  // -- elimination
  void clear();
  bool empty() const { return dropped_.empty(); }
  void add(int place, int front, std::size_t rest, double pivot) {
    dropped_.push_back({place, front, rest, 0, pivot, 0, -1});
  }
  std::span<Dropped> dropped() { return dropped_; }
  /// T_ij of two rows that are left out, i < j, after all rows that are kept.
  void couple(int i, int j, double T) { couplings_.push_back({i, j, T}); }
  /// N_D of the dropped rows in order, without D itself: first the entries, then the end of each.
  void add_entry(int place, double value) { entries_.push_back({place, value}); }
  void end_vector(Dropped& d) { d.end = entries_.size(); }
  std::span<const Entry> null_vector(int dropped) const;
  std::size_t entries() const { return entries_.size(); }

  // -- choice
  /// Sets out to 1 at the places of the rows to leave out. S: diagonal of the matrix; row_of: row
  /// of each place. Returns false if these are the rows that were dropped.
  bool choose(double threshold, const double* S, std::span<const int> row_of,
              std::vector<char>& out);
  /// Stores W N by rows, for later eliminations.
  void keep_choice(const double* weight, std::span<const int> row_of);
  bool has_choice() const { return !kept_.empty(); }
  /// Converts the stored W N to places, for a matrix with as many `rows`; sets out to 1 at its
  /// rows.
  void take_choice(int rows, std::span<const int> row_of, std::vector<char>& out);

  // -- minimum-norm solution
  /// Factorises M of the dropped rows; of_choice: with  N^T W x = 0  of the stored choice, for rows
  /// that it contains. x: work space of zeros, one per place.
  void factorise(const double* weight, std::span<const int> row_of, bool of_choice, double* x);
  /// x_D, and x_B <- x_B + N_B x_D, where x contains every `stride`th number.
  void add_least(const double* weight, double* x, int stride) const;

 private:
  struct Coupling {
    int i, j;
    double value;
  };
  /// Block of M = V^T W N: the rows group_[begin], ... whose null vectors have places in common.
  struct Block {
    int begin, size;
    std::size_t M;
  };
  /// W N of the last choice: the rows left out; the other entries are stored by rows and by places.
  struct Kept {
    int row;
    double weight;
    std::size_t end;
  };
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  const Dropped& dropped_of(const Block& block, int a) const {
    return dropped_[at(group_[at(block.begin + a)])];
  }
  double* T(int a, int k) { return T_.data() + at(a) * at(k); }
  double* N(int a) { return N_.data() + at(a) * column_.size(); }
  std::span<const Entry> kept_vector(int dropped) const;
  void join(std::size_t places);
  void number_blocks();
  void choose(const Block& block, std::span<const Coupling> couplings, double threshold,
              const double* S, std::span<const int> row_of, std::vector<char>& out);
  void gather(const Block& block, std::span<const Coupling> couplings, const double* S);
  void eliminate_by_pivots(const Block& block, double threshold, std::span<const int> row_of);
  void exchange_rows(const Block& block);
  void factorise(const Block& block, const double* weight, double* x);

  std::vector<Dropped> dropped_;
  std::vector<Coupling> couplings_;
  std::vector<Entry> entries_;  // -C
  std::vector<Kept> kept_;
  std::vector<Entry> kept_rows_, kept_entries_;
  std::vector<int> owner_, group_;
  std::vector<double> T_, N_;  // of a block: T over P, and its null vectors side by side
  std::vector<int> column_, own_;
  std::vector<Block> blocks_;
  std::vector<double> M_;
  std::vector<int> exchange_;          // row exchanges of M
  mutable std::vector<double> least_;  // each factor belongs to one simulation
};

}  // namespace saltus

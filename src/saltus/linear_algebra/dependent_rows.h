// The rows of a semidefinite matrix that depend on others: which of them are left out, and the
// least solution.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "saltus/base/base.h"

namespace saltus {

/// Left out of S, row D has the null vector N_D = (-C^T e_D, e_D) of S, C = S_DB S_BB^-1 with B the
/// rows that are kept: all solutions of  S_BB x_B + S_BD x_D = b_B  are  x_B = S_BB^-1 b_B - C^T
/// x_D,  and the one with the least sum of w_i x_i^2 has M x_D = -N^T W x_B,  M = N^T W N. Of two
/// loops that share no body the vectors share no row, so they are kept sparse and M in blocks: N
/// loops in a chain cost O(N). Rows are counted by places in an order of elimination; memory is
/// kept from call to call.
class DependentRows {
 public:
  struct Entry {
    int place;
    double value;
  };
  /// A row left out, in the order of elimination.
  struct Dropped {
    int place, front;
    std::size_t rest,
        end;  // of what is left of it (the caller's) and of its null vector; they begin where those
              // before end
    double pivot;  // after the rows before it, then after all that are kept
    int first;     // dropped row of its block of M
    int of_last;   // its null vector of the last choice, -1: none
  };

  // -- an elimination
  void clear();
  bool empty() const { return dropped_.empty(); }
  void add(int place, int front, std::size_t rest, double pivot) {
    dropped_.push_back({place, front, rest, 0, pivot, 0, -1});
  }
  std::span<Dropped> dropped() { return dropped_; }
  /// T_ij of two rows left out, i < j, after all that are kept.
  void couple(int i, int j, double T) { couplings_.push_back({i, j, T}); }
  /// N_D of the dropped rows in order, without D itself: entries, then the end of each.
  void add_entry(int place, double value) { entries_.push_back({place, value}); }
  void end_vector(Dropped& d) { d.end = entries_.size(); }
  std::span<const Entry> null_vector(int dropped) const;
  std::size_t entries() const { return entries_.size(); }

  // -- the choice
  /// out <- 1 at the places of the rows to leave out, of S with the diagonal S; row_of: each place.
  /// False: these are those that were dropped.
  bool choose(double threshold, const double* S, std::span<const int> row_of,
              std::vector<char>& out);
  /// Stores W N by rows, for the eliminations that follow.
  void keep_choice(const double* weight, std::span<const int> row_of);
  bool has_choice() const { return !kept_.empty(); }
  /// The stored W N by places, of as many `rows`; out <- 1 at its rows.
  void take_choice(int rows, std::span<const int> row_of, std::vector<char>& out);

  // -- the least solution
  /// M of the dropped rows; of_choice: with  N^T W x = 0  of the stored choice, for rows that it
  /// has. x: zeros, a place each.
  void factorise(const double* weight, std::span<const int> row_of, bool of_choice, double* x);
  /// x_D, and x_B <- x_B + N_B x_D,  of which x holds every `stride`th number.
  void add_least(const double* weight, double* x, int stride) const;

 private:
  struct Coupling {
    int i, j;
    double value;
  };
  /// Of M = V^T W N: rows group_[begin], ... whose null vectors have places in common.
  struct Block {
    int begin, size;
    std::size_t M;
  };
  /// W N of the last choice: rows left out, and the others by rows and by places.
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
  std::vector<double> T_, N_;  // of a block: pivots of P, and its null vectors side by side
  std::vector<int> column_, own_;
  std::vector<Block> blocks_;
  std::vector<double> M_;
  std::vector<int> exchange_;          // of the rows of M
  mutable std::vector<double> least_;  // a factor belongs to one simulation
};

}  // namespace saltus

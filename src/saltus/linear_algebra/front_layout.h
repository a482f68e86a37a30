// Where the rows of a symmetric matrix of small blocks are stored while its fronts are eliminated,
// and which of them have entries.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "saltus/linear_algebra/block_pattern.h"

namespace saltus {

/// The blocks of a symmetric matrix S with a given graph. Block k of the analysed graph, (i, j), is
/// stored at value + start[k], size[i] x size[j], row by row; only one of (i, j) and (j, i) is
/// read. Node i has the rows row(i) .. row(i) + size[i] - 1 of vectors, with the nodes in their own
/// order.
struct SymmetricBlocks {
  const BlockPattern& pattern;
  const int* size;
  const double* value;
  const std::size_t* start;
};

/// A place is the position of a row in elimination order. Zero rows have no place: in spatial
/// models of planar mechanisms they are more than half of all rows, and eliminating them each time
/// would be wasteful. Rows and columns of a front are numbered from 0, pivots first.
class FrontLayout {
 public:
  struct Front {
    int place;   // place of its first pivot
    int p, q;    // number of pivot rows and of border rows
    int fronts;  // number of fronts in the subtree that ends with it
    int panels;  // end of its panels; they begin at the end of the previous front
  };
  /// Rows first .. first + rows - 1 of a front, columns first .. first + width - 1; L^T is zero
  /// right of them.
  struct Panel {
    std::size_t begin;
    int first, rows, width;
  };

  /// Reads sizes and the diagonal of S. S.pattern must stay valid until the next call; memory is
  /// reused.
  void make(const SymmetricBlocks& S);

  const BlockPattern& pattern() const { return *pattern_; }
  int rows() const { return row_.empty() ? 0 : row_.back(); }
  int places() const { return static_cast<int>(active_.size()); }
  const std::vector<Front>& fronts() const { return fronts_; }
  const std::vector<Panel>& panels() const { return panels_; }
  int first_panel(int s) const { return s == 0 ? 0 : fronts_[at(s) - 1].panels; }
  /// For node i: its first row, its first place, the number of its places, and the rows at these
  /// places.
  int row(int i) const { return row_[at(i)]; }
  int place(int i) const { return place_[at(i)]; }
  int size(int i) const { return size_[at(i)]; }
  const int* active(int i) const { return active_.data() + active_begin_[at(i)]; }
  /// rows without a place, in increasing order
  std::span<const int> zeros() const { return zeros_; }
  /// rows <- the row of each place
  void rows_of_places(std::vector<int>& rows) const;

  std::size_t stored() const { return stored_; }    ///< total number of values in all panels
  std::size_t deepest() const { return deepest_; }  ///< most values of pending updates at any time
  int widest() const { return widest_; }            ///< largest number of rows of a front
  int border() const { return border_; }            ///< largest number of rows of a border

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  void find_zeros(const SymmetricBlocks& S);
  int reach_of_child(int child, int p);
  void place_panels(int s);

  struct Update {
    std::size_t begin;
    int front;
  };
  const BlockPattern* pattern_ = nullptr;
  std::vector<int> row_;
  std::vector<int> size_, place_, local_, end_;  // for each node; size_: without zero rows
  std::vector<int> active_, active_begin_;       // rows that have a place, node by node
  std::vector<int> zeros_;
  std::vector<Front> fronts_;
  std::vector<Panel> panels_;
  std::vector<Update> updates_;
  std::size_t stored_ = 0, deepest_ = 0;
  int widest_ = 0, border_ = 0;
};

}  // namespace saltus

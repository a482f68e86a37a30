// What the factor P A P^T = L L^T holds, for its solves and half solves.
#pragma once
#include <span>
#include <vector>

#include "saltus/linear_algebra/sparse_internal.h"

namespace saltus {

/// Work space of SparseCholesky::response(), kept from call to call.
struct HalfSolves {
  struct Given {
    int row, column;  ///< of L, of the right-hand sides
    double value;
  };
  std::vector<std::vector<int>>
      active;  ///< of each supernode: right-hand sides that reach it, increasing
  std::vector<std::vector<Given>> given;  ///< their entries in its columns
  std::vector<int> seen, at, place;
  std::vector<double> front, transposed, product, waiting;
};

struct SparseCholesky::Impl {
  int n = 0;
  std::vector<int> order;  ///< row of A of each row of L
  // The lower triangle of P A P^T by columns; `source` counts the entries of A
  std::vector<int> offset, row, source;
  std::vector<int> first;            ///< columns of the supernodes, and n
  std::vector<std::size_t> rows_at;  ///< their rows in `rows`, and the end
  std::vector<int> rows;
  std::vector<std::size_t> panel_at;  ///< their panels in `panel`, by columns
  std::vector<int> rank,
      supernode_of;  ///< of each row of A its row in L; of each row of L its supernode
  std::vector<std::vector<int>> children;
  std::size_t deepest = 0;                      ///< room for the updates that wait
  std::vector<double> panel, updates, inverse;  ///< inverse: of the diagonal of L
  std::vector<int> place;                       ///< of a row in the panel at work
  // Of solves
  mutable Matrix work;  // right-hand sides in the order of L; a factor belongs to one simulation
  mutable Vector part;  // rows below a supernode; likewise
  mutable HalfSolves half;  // likewise

  int supernodes() const { return static_cast<int>(first.size()) - 1; }
  int width(int s) const {
    return first[static_cast<std::size_t>(s) + 1] - first[static_cast<std::size_t>(s)];
  }
  std::span<const int> rows_of(int s) const {
    return std::span(rows).subspan(
        rows_at[static_cast<std::size_t>(s)],
        rows_at[static_cast<std::size_t>(s) + 1] - rows_at[static_cast<std::size_t>(s)]);
  }
  /// Where the first row below a supernode is one of the columns; -1: none is below.
  int parent(int s) const {
    const auto own = rows_of(s);
    return own.size() == static_cast<std::size_t>(width(s))
               ? -1
               : supernode_of[static_cast<std::size_t>(own[static_cast<std::size_t>(width(s))])];
  }
  void analyse(const SparseMatrix& A);
  void arrange(const SparseMatrix& A, const std::vector<int>& new_order, LowerPattern& by_rows);
  int factorise(const SparseMatrix& A);
};

}  // namespace saltus

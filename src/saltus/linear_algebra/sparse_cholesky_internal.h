// Data of the factor P A P^T = L L^T for full and half solves.
#pragma once
#include <span>
#include <vector>

#include "saltus/linear_algebra/sparse_internal.h"

namespace saltus {

/// Work space of SparseCholesky::response(), reused between calls.
struct HalfSolves {
  struct Given {
    int row, column;  ///< row of L, index of the right-hand side
    double value;
  };
  std::vector<std::vector<int>>
      active;  ///< for each supernode: right-hand sides that reach it, in increasing order
  std::vector<std::vector<Given>> given;  ///< the entries of right-hand sides in its columns
  std::vector<int> seen, at, place;
  std::vector<double> front, transposed, product, waiting;
};

struct SparseCholesky::Impl {
  int n = 0;
  std::vector<int> order;  ///< row of A for each row of L
  // The lower triangle of P A P^T by columns; `source`: index of the entry of A
  std::vector<int> offset, row, source;
  std::vector<int> first;            ///< first column of each supernode, and n
  std::vector<std::size_t> rows_at;  ///< start of the rows of each supernode in `rows`, and the end
  std::vector<int> rows;
  std::vector<std::size_t> panel_at;  ///< start of each panel in `panel`, stored by columns
  std::vector<int> rank,
      supernode_of;  ///< row of L for each row of A; supernode of each row of L
  std::vector<std::vector<int>> children;
  std::size_t deepest = 0;                      ///< room for pending updates
  std::vector<double> panel, updates, inverse;  ///< inverse: 1 / diagonal of L
  std::vector<int> place;                       ///< position of each row in the current panel
  // Work space of solves
  mutable Matrix work;  // right-hand sides in the order of L; each factor belongs to one simulation
  mutable Vector part;  // rows below a supernode; not thread-safe either
  mutable HalfSolves half;  // not thread-safe either

  int supernodes() const { return static_cast<int>(first.size()) - 1; }
  int width(int s) const {
    return first[static_cast<std::size_t>(s) + 1] - first[static_cast<std::size_t>(s)];
  }
  std::span<const int> rows_of(int s) const {
    return std::span(rows).subspan(
        rows_at[static_cast<std::size_t>(s)],
        rows_at[static_cast<std::size_t>(s) + 1] - rows_at[static_cast<std::size_t>(s)]);
  }
  /// Supernode that has the first row below this one among its columns; -1: there are no rows
  /// below.
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

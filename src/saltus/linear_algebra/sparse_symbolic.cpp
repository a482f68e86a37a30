// The elimination tree of a sparse matrix, and results that depend only on its pattern.
//
// Source: J. W. H. Liu, The role of elimination trees in sparse factorization, SIAM J. Matrix Anal.
// Appl. 11 (1990).
#include "saltus/linear_algebra/sparse_internal.h"

#include "saltus/base/index_internal.h"

namespace saltus {
std::vector<int> elimination_tree(const LowerPattern& A) {
  std::vector<int> parent(index(A.size()), -1), ancestor = parent;
  for (int i = 0; i < A.size(); ++i)
    for (int k = A.offset[index(i)]; k < A.offset[index(i) + 1]; ++k)
      for (int j = A.column[index(k)]; j >= 0 && j < i;) {  // up to the root, with path compression
        const int up = ancestor[index(j)];
        ancestor[index(j)] = i;
        if (up < 0) parent[index(j)] = i;
        j = up;
      }
  return parent;
}

std::vector<int> postorder(const std::vector<int>& parent) {
  const auto n = static_cast<int>(parent.size());
  std::vector<int> head(parent.size(), -1), next(parent.size(), -1), order, stack;
  order.reserve(parent.size());
  std::vector<int> roots;
  for (int j = n; j-- > 0;) {
    if (parent[index(j)] < 0) {
      roots.push_back(j);
    } else {
      next[index(j)] = head[index(parent[index(j)])];
      head[index(parent[index(j)])] = j;
    }
  }
  while (!roots.empty()) {
    stack.push_back(roots.back());
    roots.pop_back();
    while (!stack.empty()) {
      const int j = stack.back();
      if (const int child = head[index(j)]; child >= 0) {
        head[index(j)] = next[index(child)];
        stack.push_back(child);
      } else {
        order.push_back(j);
        stack.pop_back();
      }
    }
  }
  return order;
}

// Number of entries in each column of L: column j has row i if j is on the path up the tree from an
// entry of row i of A.
std::vector<int> column_counts(const LowerPattern& A, const std::vector<int>& parent) {
  std::vector<int> count(parent.size(), 1), seen(parent.size(), -1);
  for (int i = 0; i < A.size(); ++i) {
    seen[index(i)] = i;
    for (int k = A.offset[index(i)]; k < A.offset[index(i) + 1]; ++k)
      for (int j = A.column[index(k)]; seen[index(j)] != i; j = parent[index(j)]) {
        seen[index(j)] = i;
        ++count[index(j)];
      }
  }
  return count;
}

double cholesky_operations(const LowerPattern& A) {
  const std::vector<int> order = elimination_order(A);
  const int n = A.size();
  std::vector<int> place(index(n));
  for (int k = 0; k < n; ++k) place[index(order[index(k)])] = k;
  LowerPattern P;  // pattern of the rows in that order
  P.offset.assign(index(n) + 1, 0);
  const auto each = [&](const auto& use) {
    for (int i = 0; i < n; ++i)
      for (int k = A.offset[index(i)]; k < A.offset[index(i) + 1]; ++k) {
        const int a = place[index(i)], b = place[index(A.column[index(k)])];
        use(std::max(a, b), std::min(a, b));
      }
  };
  each([&](int i, int) { ++P.offset[index(i) + 1]; });
  for (std::size_t i = 1; i < P.offset.size(); ++i) P.offset[i] += P.offset[i - 1];
  P.column.resize(index(P.offset.back()));
  std::vector<int> next(P.offset.begin(), P.offset.end() - 1);
  each([&](int i, int j) { P.column[index(next[index(i)]++)] = j; });
  double sum = 0.0;
  for (const int count : column_counts(P, elimination_tree(P)))
    sum += static_cast<double>(count) * static_cast<double>(count);
  return sum;
}

// Consecutive columns with the same pattern form a supernode; neighbours in the tree are then
// merged if that adds few zeros.
std::vector<int> first_columns(const std::vector<int>& parent, const std::vector<int>& count) {
  struct Group {
    int first, end, rows;
    double entries;  ///< number of entries of L
  };
  std::vector<Group> fundamental, joined;
  for (int j = 0; j < static_cast<int>(parent.size()); ++j) {
    const bool joins =
        j > 0 && parent[index(j) - 1] == j && count[index(j) - 1] == count[index(j)] + 1;
    if (!joins) fundamental.push_back({j, j, count[index(j)], 0.0});
    fundamental.back().end = j + 1;
    fundamental.back().entries += count[index(j)];
  }
  for (std::size_t s = fundamental.size(); s-- > 0;) {  // parents before children
    const Group& a = fundamental[s];
    const int up = parent[index(a.end) - 1];
    if (!joined.empty() && up >= 0 && up < joined.back().end) {
      Group& b = joined.back();
      const int width = b.end - a.first, rows = b.first - a.first + b.rows;
      const double room = width * (rows - 0.5 * (width - 1.0)), entries = a.entries + b.entries;
      const double zeros = 1.0 - entries / room;
      // Fewer, wider panels add zeros: these limits were the best for both solves and factors
      // (measured on grids, beams and solids)
      if (zeros < (width <= 4 ? 0.4 : width <= 16 ? 0.2 : width <= 48 ? 0.1 : 0.05)) {
        b = {a.first, b.end, rows, entries};
        continue;
      }
    }
    joined.push_back(a);
  }
  std::vector<int> first;
  for (std::size_t s = joined.size(); s-- > 0;) first.push_back(joined[s].first);
  first.push_back(static_cast<int>(parent.size()));
  return first;
}

}  // namespace saltus

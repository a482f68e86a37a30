// The order in which a sparse matrix of small blocks is eliminated, and the dense fronts that this
// fills.
#pragma once
#include <span>
#include <vector>

namespace saltus {

/// Pattern of a matrix of n x n blocks: row i has the columns column[k] - base, k = offset[i] ..
/// offset[i + 1] - 1, increasing, its diagonal among them, and (j, i) wherever (i, j). Blocks may
/// be of any size, also 0.
struct BlockGraph {
  int n = 0;
  const int* offset = nullptr;  ///< n + 1
  const int* column = nullptr;  ///< column[k] with k as in offset
  int base = 0;
  int last = 0;   ///< nodes n - last .. n - 1 are eliminated after all others
  int small = 4;  ///< nodes of two fronts that are always one
};

/// Symbolic factorisation by fronts: front s eliminates the nodes pivots(s) and updates border(s),
/// which are pivots or border of its parent. Approximate minimum degree on the graph; fronts that
/// cost little more together are one.
class BlockPattern {
 public:
  /// Takes nothing from the heap if the graph is that of the last call.
  void analyse(const BlockGraph& graph);

  int nodes() const { return static_cast<int>(offset_.size()) - 1; }
  int fronts() const { return static_cast<int>(children_.size()); }
  std::span<const int> pivots(int s) const { return range(pivot_, pivot_begin_, s); }
  std::span<const int> border(int s) const { return range(border_, border_begin_, s); }
  /// Fronts that come just before front s on the stack of updates.
  int children(int s) const { return children_[at(s)]; }

  /// Blocks of node i at or after it in the order of elimination, itself first: (i, to) is block
  /// `out`, (to, i) is block `in`, counted from offset[0].
  struct Coupling {
    int to, out, in;
  };
  std::span<const Coupling> couplings(int i) const { return range(coupling_, coupling_begin_, i); }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  template <class T>
  static std::span<const T> range(const std::vector<T>& of, const std::vector<int>& begin, int i) {
    return {of.data() + begin[at(i)], of.data() + begin[at(i) + 1]};
  }
  bool known(const BlockGraph& graph) const;
  std::vector<int> order_of(int n) const;
  void make_fronts(const std::vector<int>& order);
  void couple(const std::vector<int>& place);

  std::vector<int> offset_{0}, column_;  // the graph, from 0
  int last_ = 0, small_ = 0;
  std::vector<int> pivot_, pivot_begin_, border_, border_begin_, children_;
  std::vector<Coupling> coupling_;
  std::vector<int> coupling_begin_;
};

}  // namespace saltus

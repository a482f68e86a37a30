// Elimination order of a sparse matrix of small blocks, and the dense fronts that result from it.
#pragma once
#include <span>
#include <vector>

namespace saltus {

/// Pattern of a matrix of n x n blocks: row i has the columns column[k] - base, k = offset[i] ..
/// offset[i + 1] - 1, in increasing order. It must contain the diagonal, and (j, i) for every
/// (i, j). Blocks may have any size, including 0.
struct BlockGraph {
  int n = 0;
  const int* offset = nullptr;  ///< n + 1 entries
  const int* column = nullptr;  ///< indexed by k from `offset`
  int base = 0;
  int last = 0;   ///< nodes n - last .. n - 1 are eliminated after all others
  int small = 4;  ///< fronts with at most this many nodes in total are always merged
};

/// Symbolic multifrontal factorisation: front s eliminates the nodes pivots(s) and updates
/// border(s), which are pivots or border of its parent. The order is approximate minimum degree on
/// the graph; fronts are merged where that costs little.
class BlockPattern {
 public:
  /// Allocates nothing if the graph is that of the last call.
  void analyse(const BlockGraph& graph);

  int nodes() const { return static_cast<int>(offset_.size()) - 1; }
  int fronts() const { return static_cast<int>(children_.size()); }
  std::span<const int> pivots(int s) const { return range(pivot_, pivot_begin_, s); }
  std::span<const int> border(int s) const { return range(border_, border_begin_, s); }
  /// Number of fronts on top of the update stack that belong to front s.
  int children(int s) const { return children_[at(s)]; }

  /// Blocks that couple node i with itself (first) and with nodes eliminated later: (i, to) is
  /// block `out`, (to, i) is block `in`, counted from offset[0].
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

  std::vector<int> offset_{0}, column_;  // the graph, counted from 0
  int last_ = 0, small_ = 0;
  std::vector<int> pivot_, pivot_begin_, border_, border_begin_, children_;
  std::vector<Coupling> coupling_;
  std::vector<int> coupling_begin_;
};

}  // namespace saltus

// Symmetric matrices of meshes with three degrees of freedom per node: rows of 3 x 3 blocks.
#pragma once
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "saltus/base/thread_pool.h"
#include "saltus/math/aligned_array.h"

namespace saltus {

/// Pairs of nodes with a common block. Row i has the columns column[offset[i]] ..
/// column[offset[i + 1] - 1], in increasing order and including i.
struct NodeGraph {
  std::vector<int> offset{0}, column;
  std::vector<int> diagonal;  ///< index of the entry (i, i)
  std::vector<int> mirror;    ///< for the entry (i, j): index of the entry (j, i)

  NodeGraph() = default;
  /// Elements given by their nodes, `n` each; each list of `elements` has its own n. Each pair of
  /// nodes in an element has a block.
  NodeGraph(int nodes, std::span<const std::pair<int, std::span<const int>>> elements);
  int nodes() const { return static_cast<int>(diagonal.size()); }
  int entries() const { return static_cast<int>(column.size()); }
  int find(int row, int column) const;  ///< index of the entry, -1: none
};

/// Blocks stored by columns, 9 numbers per entry. Products sum in one fixed order, which depends
/// neither on the number of threads nor on the register width.
class NodeMatrix {
 public:
  NodeMatrix() = default;
  explicit NodeMatrix(std::shared_ptr<const NodeGraph> graph);

  bool empty() const { return graph_ == nullptr; }
  const NodeGraph& graph() const { return *graph_; }
  const std::shared_ptr<const NodeGraph>& shared_graph() const { return graph_; }
  double* block(int entry) { return value_.data() + 9 * static_cast<std::size_t>(entry); }
  const double* block(int entry) const {
    return value_.data() + 9 * static_cast<std::size_t>(entry);
  }
  void set_zero(ThreadPool& thread_pool);
  /// Sets the blocks (i, j) with j < i from those with j > i.
  void mirror_upper(ThreadPool& thread_pool);
  /// y = (A x)_i only for the nodes i = begin .. end - 1; 3 numbers per node.
  void multiply_rows(int begin, int end, const double* x, double* y) const;
  /// y += scale A x, for all nodes.
  void multiply_add(ThreadPool& thread_pool, double scale, const double* x, double* y) const;

 private:
  std::shared_ptr<const NodeGraph> graph_;
  AlignedArray value_;  ///< one extra number: registers read past the last block
};

}  // namespace saltus

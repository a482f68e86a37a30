// Symmetric matrices of meshes, three degrees of freedom a node: rows of 3 x 3 blocks.
#pragma once
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "saltus/base/thread_pool.h"
#include "saltus/math/aligned_array.h"

namespace saltus {

/// Which nodes share a block. Row i has the columns column[offset[i]] .. column[offset[i + 1] - 1],
/// rising, i among them.
struct NodeGraph {
  std::vector<int> offset{0}, column;
  std::vector<int> diagonal;  ///< entry (i, i)
  std::vector<int> mirror;    ///< of the entry (i, j): the entry (j, i)

  NodeGraph() = default;
  /// Elements by their nodes, `n` each; every list of the vector has its own n. Nodes of one
  /// element share blocks.
  NodeGraph(int nodes, std::span<const std::pair<int, std::span<const int>>> elements);
  int nodes() const { return static_cast<int>(diagonal.size()); }
  int entries() const { return static_cast<int>(column.size()); }
  int find(int row, int column) const;  ///< the entry, -1: none
};

/// Blocks by columns, 9 numbers an entry. Products have one order of their sums, which depends
/// neither on the threads nor on the width of registers.
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
  /// Blocks (i, j) with j < i from those with j > i.
  void mirror_upper(ThreadPool& thread_pool);
  /// y = (A x)_i of the nodes i = begin .. end - 1 alone; 3 numbers a node.
  void multiply_rows(int begin, int end, const double* x, double* y) const;
  /// y += scale A x, all nodes.
  void multiply_add(ThreadPool& thread_pool, double scale, const double* x, double* y) const;

 private:
  std::shared_ptr<const NodeGraph> graph_;
  AlignedArray value_;  ///< one number more than entries, which registers read past the last block
};

}  // namespace saltus

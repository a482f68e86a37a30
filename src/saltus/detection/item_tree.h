// Bounding-box trees over moving items: the tree is built once, and its boxes are refitted to new
// positions.
#pragma once
#include <algorithm>
#include <numeric>
#include <vector>

#include "saltus/shapes/shape.h"

namespace saltus {

/// Layout as in TriangleMesh: the root first, children after their parent.
struct ItemTree {
  using Node = TriangleMesh::Node;
  std::vector<Node> nodes;
  std::vector<int> order;

  /// Splits at the median along the longest side of the box of the centres, down to `leaf` items.
  void build(std::span<const Vector3> middle, int leaf) {
    nodes.clear();
    order.resize(middle.size());
    std::iota(order.begin(), order.end(), 0);
    if (middle.empty()) return;
    nodes.emplace_back();
    split(middle, leaf, 0, 0, static_cast<int>(order.size()));
  }

 private:
  void split(std::span<const Vector3> middle, int leaf, std::size_t node, int first, int count) {
    const auto begin = order.begin() + first, end = begin + count;
    if (count <= leaf) {
      std::sort(begin, end);
      nodes[node].first = first;
      nodes[node].count = count;
      return;
    }
    const auto place = [&](int i) -> const Vector3& { return middle[static_cast<std::size_t>(i)]; };
    Vector3 low = place(*begin), high = low;
    for (auto i = begin; i != end; ++i) {
      low = low.cwiseMin(place(*i));
      high = high.cwiseMax(place(*i));
    }
    Eigen::Index axis = 0;
    (high - low).maxCoeff(&axis);
    const int half = count / 2;
    std::nth_element(begin, begin + half, end, [&](int i, int j) {
      const double x = place(i)[axis], y = place(j)[axis];
      return x != y ? x < y : i < j;
    });
    const auto children = nodes.size();
    nodes[node].first = static_cast<int>(children);
    nodes.resize(children + 2);
    split(middle, leaf, children, first, half);
    split(middle, leaf, children + 1, first + half, count - half);
  }
};

/// Boxes of all nodes, from the boxes box(i) of the items.
template <class Box>
void refit(std::vector<TriangleMesh::Node>& nodes, std::span<const int> order, const Box& box) {
  for (std::size_t k = nodes.size(); k-- > 0;) {
    TriangleMesh::Node& node = nodes[k];
    const auto first = static_cast<std::size_t>(node.first);
    if (node.count == 0) {
      node.low = nodes[first].low.cwiseMin(nodes[first + 1].low);
      node.high = nodes[first].high.cwiseMax(nodes[first + 1].high);
      continue;
    }
    Bounds all = box(order[first]);
    for (std::size_t i = 1; i < static_cast<std::size_t>(node.count); ++i) {
      const Bounds one = box(order[first + i]);
      all.low = all.low.cwiseMin(one.low);
      all.high = all.high.cwiseMax(one.high);
    }
    node.low = all.low;
    node.high = all.high;
  }
}

/// Calls use(item) for the leaves below all nodes with `wanted(node)`, in the order of the tree.
template <class Wanted, class Use>
void visit(std::span<const TriangleMesh::Node> nodes, std::span<const int> order,
           const Wanted& wanted, const Use& use) {
  if (nodes.empty()) return;
  std::array<int, 64> open{};  // a median tree is no deeper than 32
  std::size_t waiting = 1;
  while (waiting > 0) {
    const TriangleMesh::Node& node = nodes[static_cast<std::size_t>(open[--waiting])];
    if (!wanted(node)) continue;
    if (node.count == 0) {
      open[waiting++] = node.first + 1;
      open[waiting++] = node.first;
    }
    for (int k = node.first; k < node.first + node.count; ++k)
      use(order[static_cast<std::size_t>(k)]);
  }
}

inline bool overlap(const TriangleMesh::Node& node, const Bounds& box) {
  return (node.low.array() <= box.high.array()).all() &&
         (box.low.array() <= node.high.array()).all();
}

}  // namespace saltus

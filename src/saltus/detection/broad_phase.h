// Pairs of overlapping boxes, found by trees of boxes along a space-filling curve
// (docs/decisions/0022).
#pragma once
#include <functional>

#include "saltus/shapes/shape.h"

namespace saltus {

/// A tree over boxes, ordered along a Morton curve through their centres. It is rebuilt for every
/// set of boxes, so that it depends on nothing else.
class BoxTree {
 public:
  void build(std::span<const Bounds> boxes, std::span<const int> which);
  std::size_t size() const { return sorted_.size(); }
  /// Box k in the order of the curve, and its number.
  const Bounds& box(std::size_t k) const { return sorted_[k]; }
  int number(std::size_t k) const { return order_[k].number; }
  /// Calls use(k), in increasing order, for the boxes k >= from in the order of the curve that
  /// overlap `box`.
  template <class Use>
  void overlapping(const Bounds& box, std::size_t from, const Use& use) const;

 private:
  /// Boxes first .. last; the children are `child` and `child + 1`, child = -1 for a leaf.
  struct Node {
    Bounds box;
    int first = 0, last = 0, child = -1;
  };
  struct Place {
    std::uint64_t code = 0;
    int number = 0;
  };
  void sort();
  void split(std::size_t node, int first, int last);

  std::vector<Place> order_, other_;
  std::vector<Bounds> sorted_;
  std::vector<Node> nodes_;
};

/// Overlapping pairs among boxes, some of which never move.
class BroadPhase {
 public:
  using Pair = std::array<int, 2>;

  /// fixed[i]: box i stays as in `boxes`; pairs of two fixed boxes are not reported.
  BroadPhase(std::span<const char> fixed, std::span<const Bounds> boxes);
  /// Appends each pair once. The order of a pair and of the list depends only on the boxes. Boxes
  /// that touch count as overlapping; a box that is not finite overlaps nothing.
  /// wanted: whether a pair is to be reported; called from any number of threads.
  void find(std::span<const Bounds> boxes, std::vector<Pair>& pairs,
            const std::function<bool(int, int)>& wanted = {});

 private:
  std::vector<int> moving_;
  BoxTree fixed_tree_, tree_;
  std::vector<std::vector<Pair>> found_;  ///< one for each block of boxes
};

}  // namespace saltus

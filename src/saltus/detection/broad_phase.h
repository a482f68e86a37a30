// Pairs of boxes that overlap, by trees of boxes along a space-filling curve (docs/decisions/0022).
#pragma once
#include <functional>

#include "saltus/shapes/shape.h"

namespace saltus {

/// A tree over boxes in the order of Morton's curve through their centres: built anew for every
/// set, so that it depends on nothing else.
class BoxTree {
 public:
  void build(std::span<const Bounds> boxes, std::span<const int> which);
  std::size_t size() const { return sorted_.size(); }
  /// Box k of the order of the curve, and its number.
  const Bounds& box(std::size_t k) const { return sorted_[k]; }
  int number(std::size_t k) const { return order_[k].number; }
  /// use(k) for the boxes k >= from of the order of the curve that overlap `box`, by increasing k.
  template <class Use>
  void overlapping(const Bounds& box, std::size_t from, const Use& use) const;

 private:
  /// Boxes first .. last; children are `child` and the one after it, -1 for a leaf.
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

/// Overlapping pairs among boxes of which some never move.
class BroadPhase {
 public:
  using Pair = std::array<int, 2>;

  /// fixed[i]: box i stays as it is in `boxes`, and pairs of two fixed boxes are not wanted.
  BroadPhase(std::span<const char> fixed, std::span<const Bounds> boxes);
  /// Appends each pair once, in any order of the two, in an order that depends on the boxes alone.
  /// Boxes that touch overlap; one that is not finite overlaps nothing.
  /// wanted: whether a pair is; asked by any number of threads.
  void find(std::span<const Bounds> boxes, std::vector<Pair>& pairs,
            const std::function<bool(int, int)>& wanted = {});

 private:
  std::vector<int> moving_;
  BoxTree fixed_tree_, tree_;
  std::vector<std::vector<Pair>> found_;  ///< of each block of boxes
};

}  // namespace saltus

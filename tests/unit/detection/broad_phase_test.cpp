#include "saltus/detection/broad_phase.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

using namespace saltus;

namespace {

using Pairs = std::vector<BroadPhase::Pair>;

Pairs pairs_of(const std::vector<Bounds>& boxes) {
  Pairs pairs;
  BroadPhase(std::vector<char>(boxes.size(), 0), boxes).find(boxes, pairs);
  return pairs;
}

/// Boxes of many sizes, so that each meets a few others.
std::vector<Bounds> scattered(int count) {
  std::mt19937_64 random(static_cast<std::uint64_t>(count) + 1);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  const double side = std::cbrt(count + 1.0);
  std::vector<Bounds> boxes;
  for (int i = 0; i < count; ++i) {
    const Vector3 low = side * Vector3(unit(random), unit(random), unit(random));
    boxes.push_back({low, low + Vector3::Constant(0.2 + unit(random))});
  }
  return boxes;
}

Pairs overlapping(const std::vector<Bounds>& boxes) {
  Pairs pairs;
  for (std::size_t i = 0; i < boxes.size(); ++i)
    for (std::size_t j = i + 1; j < boxes.size(); ++j)
      if ((boxes[i].low.array() <= boxes[j].high.array()).all() &&
          (boxes[j].low.array() <= boxes[i].high.array()).all())
        pairs.push_back({static_cast<int>(i), static_cast<int>(j)});
  return pairs;
}

}  // namespace

// Few boxes are sorted in another way than many: 2000 is where that changes.
TEST_CASE("the pairs found are the boxes that overlap, each once, however many boxes there are") {
  for (const int count : {0, 1, 2, 5, 33, 500, 1999, 2000, 3000}) {
    CAPTURE(count);
    const std::vector<Bounds> boxes = scattered(count);
    Pairs found = pairs_of(boxes);
    for (BroadPhase::Pair& pair : found) std::ranges::sort(pair);
    std::ranges::sort(found);
    CHECK(found == overlapping(boxes));
    CHECK((count < 5 || !found.empty()));
  }
}

TEST_CASE("boxes in one place are met in the order of their numbers, however many they are") {
  for (const int count : {3, 100, 1999, 2000}) {
    CAPTURE(count);
    const std::vector<Bounds> boxes(static_cast<std::size_t>(count),
                                    {Vector3::Zero(), Vector3::Ones()});
    CHECK(pairs_of(boxes) == overlapping(boxes));
  }
}

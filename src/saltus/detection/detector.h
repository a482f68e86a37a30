// Contact points of placed colliders: broad phase, narrow phase, stable keys.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <limits>

#include "saltus/detection/narrow_phase.h"

namespace saltus {

/// A shape fixed in a frame. Frames are numbered; negative numbers denote the fixed world.
struct Collider {
  Shape shape;
  Pose local;  ///< pose in its frame
  int frame = -1;
  int material = 0;  ///< index in the caller's table
};

/// Bits of the key of a contact, from the highest: a + 1, b, the feature. Keys are never below
/// 2^40.
struct KeyLayout {
  int shape = 20, feature = 24;

  static constexpr std::size_t kMostShapes = (std::size_t{1} << 24) - 1;
  /// 20, 20 and 24 bits if the shapes fit; otherwise 24, 24 and 16.
  static constexpr KeyLayout of(std::size_t shapes) {
    return shapes < std::size_t{1} << 20 ? KeyLayout{} : KeyLayout{24, 16};
  }
  constexpr std::uint64_t key(int a, int b, std::uint32_t f) const {
    return (static_cast<std::uint64_t>(a + 1) << (shape + feature)) |
           (static_cast<std::uint64_t>(b) << feature) | f;
  }
  constexpr int a(std::uint64_t key) const {
    return static_cast<int>(key >> (shape + feature)) - 1;
  }
  constexpr int b(std::uint64_t key) const {
    return static_cast<int>((key >> feature) & ((std::uint64_t{1} << shape) - 1));
  }
};
/// Key for at most 2^20 - 1 shapes.
constexpr std::uint64_t contact_key(int a, int b, std::uint32_t feature) {
  return KeyLayout{}.key(a, b, feature);
}

/// A contact point of collider a against collider b, a < b.
struct DetectedContact {
  int a = 0, b = 0;
  ContactPoint point;
  std::uint64_t key = 0;  ///< for (a, b, feature), increasing along the list
};

/// Least distance between shapes if none are in contact [m]; +inf if there are none.
struct Clearance {
  double known = std::numeric_limits<double>::infinity();  ///< least gap that was measured
  /// no other gap is below this one, a distance of boxes around surfaces
  double possible = std::numeric_limits<double>::infinity();
  double least() const {
    return known <= possible ? known : std::numeric_limits<double>::infinity();
  }
  void add(const Clearance& other) {
    known = std::min(known, other.known);
    possible = std::min(possible, other.possible);
  }
};

/// Detection for a fixed list of colliders. Results depend only on the poses of the present call.
/// Data kept between calls (sorted axes, separating axes) saves time and never changes a result.
class Detector {
 public:
  /// Takes at most KeyLayout::kMostShapes colliders. Two colliders of one frame, of the world, or
  /// of an excluded pair of frames are never in contact.
  Detector(std::vector<Collider> colliders, double margin,
           std::vector<std::array<int, 2>> excluded_frames);
  ~Detector();
  Detector(Detector&&) noexcept;

  std::span<const Collider> colliders() const;
  KeyLayout keys() const;
  double margin() const;
  /// Finds all contact points with gap <= margin, by increasing key. frames: pose of each frame.
  void detect(std::span<const Pose> frames, std::vector<DetectedContact>& contacts);
  /// As detect(), but only for the pairs of colliders that the last detect() found near each other,
  /// without a broad phase.
  void refine(std::span<const Pose> frames, std::vector<DetectedContact>& contacts);
  /// As refine(), but only for the pairs of colliders (a, b), a < b, in increasing order, and with
  /// gap <= margin.
  void refine(std::span<const Pose> frames, std::span<const std::array<int, 2>> pairs,
              double margin, std::vector<DetectedContact>& contacts);
  /// Clearance of the pairs (a, b), a < b, with meet(a, b), at the poses of the last detect() or
  /// refine(), provided that no pair was within the margin.
  Clearance clearance(const std::function<bool(int, int)>& meet);

 private:
  struct Search;
  std::unique_ptr<Search> search_;
};

}  // namespace saltus

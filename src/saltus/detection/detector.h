// From placed colliders to contact points: broad phase, narrow phase, stable keys.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <limits>

#include "saltus/detection/narrow_phase.h"

namespace saltus {

/// A shape fixed in a frame. Frames are numbered; those below 0 are the fixed world.
struct Collider {
  Shape shape;
  Pose local;  ///< in its frame
  int frame = -1;
  int material = 0;  ///< index of the caller's table
};

/// Bits of the key of a contact, from above: a + 1, b, the feature. Never below 2^40.
struct KeyLayout {
  int shape = 20, feature = 24;

  static constexpr std::size_t kMostShapes = (std::size_t{1} << 24) - 1;
  /// 20, 20 and 24 bits as long as they do; 24, 24 and 16 of more shapes.
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
/// That of up to 2^20 - 1 shapes.
constexpr std::uint64_t contact_key(int a, int b, std::uint32_t feature) {
  return KeyLayout{}.key(a, b, feature);
}

/// A contact point of collider a against collider b, a < b.
struct DetectedContact {
  int a = 0, b = 0;
  ContactPoint point;
  std::uint64_t key = 0;  ///< of (a, b, feature), increasing along the list
};

/// How far apart things are of which none touch [m]; +inf where there are none.
struct Clearance {
  double known = std::numeric_limits<double>::infinity();  ///< the least gap that was measured
  double possible = std::numeric_limits<
      double>::infinity();  ///< no other gap is below: that of boxes around surfaces
  double least() const {
    return known <= possible ? known : std::numeric_limits<double>::infinity();
  }
  void add(const Clearance& other) {
    known = std::min(known, other.known);
    possible = std::min(possible, other.possible);
  }
};

/// Detection over a fixed list of colliders. Results depend on the poses of this call only, not on
/// those before: what it keeps between calls (sorted axes, separating axes) saves time and changes
/// no bit.
class Detector {
 public:
  /// At most KeyLayout::kMostShapes colliders. Two colliders of one frame, of the world, or of an
  /// excluded pair of frames never touch.
  Detector(std::vector<Collider> colliders, double margin,
           std::vector<std::array<int, 2>> excluded_frames);
  ~Detector();
  Detector(Detector&&) noexcept;

  std::span<const Collider> colliders() const;
  KeyLayout keys() const;
  double margin() const;
  /// All contact points with gap <= margin, by increasing key. frames: pose of each frame.
  void detect(std::span<const Pose> frames, std::vector<DetectedContact>& contacts);
  /// The same for the pairs of colliders that the last detect() found near each other, without a
  /// broad phase.
  void refine(std::span<const Pose> frames, std::vector<DetectedContact>& contacts);
  /// Of pairs (a, b), a < b, that meet, where the last detect() or refine() had them and none was
  /// within the margin.
  Clearance clearance(const std::function<bool(int, int)>& meet);

 private:
  struct Search;
  std::unique_ptr<Search> search_;
};

}  // namespace saltus

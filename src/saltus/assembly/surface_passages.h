// Bodies that passed through another one in a step: contacts are detected at one instant of a step,
// and a body that is already beyond another one by then can only be found by its path.
#pragma once
#include <array>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "saltus/assembly/surface_frames.h"
#include "saltus/detection/broad_phase.h"
#include "saltus/detection/passage.h"
#include "saltus/detection/surface_detector.h"

namespace saltus {

class SurfacePassages {
 public:
  using Configurations = SurfaceFrames::Configurations;
  /// Two bodies of which one passed through the other in a step: numbers as in Surfaces::excluded.
  struct Passed {
    int a = 0, b = 0;
    double motion = 0.0;  ///< relative motion in the step [m]
    /// Largest motion in a step for which no contact between them is missed [m].
    double room = 0.0;
    bool inside = false;  ///< it did not pass, but ends deep in the other one
    double start = 0.0;   ///< fraction of the step before they nearly touch
    double share = 1.0;   ///< fraction of the step in the middle of which they touch
    bool turns = false;   ///< one of them turns by more than a radian
  };
  /// Pairs of such numbers, the smaller first, sorted, whose contacts carried an impulse in the
  /// step.
  using ActedPairs = std::function<std::span<const std::array<int, 2>>()>;
  using Use = std::function<void(const Passed&)>;
  /// Positions of the frames and of the vertices of each boundary surface at the end of the step;
  /// not changed.
  struct End {
    std::span<const Pose> poses;
    SurfaceDetector* boundaries;  ///< null if there are none
  };

  /// frames and colliders must outlive this object; colliders refer to the frames of `frames`.
  SurfacePassages(const Model& model, SurfaceFrames& frames, std::span<const Collider> colliders);

  /// Start of the step: q and v of each member.
  struct Start {
    double t, h;  ///< [s]
    Configurations q, v;
  };
  /// Checks the step from `start` to `end`: reports bodies that moved by more than half their
  /// thickness and passed through another one without an impulse, reached its far side or ended
  /// deep in it despite one; one call of `use` per pair of bodies, that of the earliest contact of
  /// each kind. acted() is called if something moved that far.
  void find(const Start& start, const End& end, const ActedPairs& acted, const Use& use);
  /// Half the thickness of a collider [m]; infinite for surfaces, which have none.
  double half_thickness(int collider) const {
    return collider_half_[static_cast<std::size_t>(collider)];
  }

 private:
  /// Path of a boundary surface in the step.
  struct BoundaryPath {
    std::vector<Vector3> start;
    double half = 0.0, motion = 0.0;
    Bounds box;
    bool fast = false;
  };
  /// Arguments of find() for one step.
  struct Step {
    const End& end;
    std::span<const std::array<int, 2>> acted;
    const Use& use;
  };
  bool place_shapes(const Start& start, const End& end);
  bool place_boundaries(const Start& start, const End& end);
  double angle(std::size_t frame, const End& end) const;
  void measure_motions(const End& end);
  void sweep_boxes(const End& end);
  void find_shapes(const Step& step);
  void find_by_shapes(const Step& step, std::size_t k);
  void find_by_boundaries(const Step& step, std::size_t k);
  void find_pair(const Step& step, int a, int b);
  double passed(const Step& step, std::size_t k, std::size_t i);
  double crosses(const Step& step, std::size_t k, const Vector3& from, const Vector3& to) const;
  void report(const Passed& passed);
  MovingShape moving(const End& end, int collider) const;
  bool fast(int frame) const { return frame >= 0 && fast_[static_cast<std::size_t>(frame)] != 0; }
  int number_of(std::size_t boundary) const;
  bool excluded(const Step& step, int a, int b) const;
  int law_of(int material, int other) const {
    const Surfaces& surfaces = model_.surfaces();
    return surfaces.law[static_cast<std::size_t>(material * surfaces.materials + other)];
  }
  bool lawful(int material, int other) const { return law_of(material, other) >= 0; }

  const Model& model_;
  SurfaceFrames& frames_;
  std::span<const Collider> colliders_;
  /// For each frame: half the thickness of its thinnest shape, the distance of its farthest point
  /// (0 if rotation moves nothing), and its motion in the step [m].
  std::vector<double> half_, reach_, motion_;
  std::vector<char> fast_;
  std::vector<Pose> start_;
  std::vector<Vector3> spin_;                   ///< of each rigid frame at the start, times h [rad]
  std::vector<double> collider_half_, radius_;  ///< one per collider; radius about its own origin
  std::vector<int> bounded_;                    ///< colliders other than planes
  std::vector<int> planes_;                     ///< the others
  std::vector<Bounds> boxes_;                   ///< boxes of these, over the step
  std::unique_ptr<BroadPhase> broad_;
  std::vector<std::array<int, 2>> pairs_;
  std::vector<std::array<int, 2>> excluded_;  ///< numbers as in Passed, the smaller first, sorted
  std::vector<BoundaryPath> boundaries_;
  std::vector<ContactPoint> points_;
  std::vector<Passed> found_;  ///< in this step, one per pair of bodies
};

/// Name of a body by its number in Surfaces::excluded.
std::string surface_name(const Surfaces& surfaces, int number);

}  // namespace saltus

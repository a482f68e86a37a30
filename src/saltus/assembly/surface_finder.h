// Contacts between the surfaces of one island: shapes in frames, and boundary surfaces of
// deformable bodies.
#pragma once
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "saltus/assembly/surface_frames.h"
#include "saltus/assembly/surface_motion.h"
#include "saltus/assembly/surface_passages.h"
#include "saltus/detection/surface_detector.h"
#include "saltus/model/model.h"

namespace saltus {

class SurfaceFinder {
 public:
  /// Law of a contact, and the members of its sides; -1: the world.
  struct Heading {
    int law = 0;
    std::array<int, 2> member{-1, -1};
  };
  /// A contact between two surfaces. If a rigid body is involved, both sides are at the same place;
  /// between two boundary surfaces each side is a point of its own surface.
  struct Touch {
    struct Side {
      int member = -1;  ///< of the island; -1: the world
      PointRef ref;
      Vector3 place = Vector3::Zero();  ///< [m]
      int runs = -1;  ///< its surface, index in Model::running(); -1: it does not run
      Vector3 along = Vector3::Zero();  ///< RunningSurface::along in space
    };
    std::uint64_t key = 0;              ///< increasing along the list
    int law = 0;                        ///< index into Model::laws()
    Vector3 normal = Vector3::UnitZ();  ///< from side 1 to side 0
    double gap = 0.0;                   ///< [m]
    std::array<Side, 2> side;
    Vector3 axis = Vector3::Zero();     ///< axis of direction-dependent friction, in space
    Vector3 carried = Vector3::Zero();  ///< SurfaceMotion::Carried::rate [m/s^2]

    Heading heading() const { return {law, {side[0].member, side[1].member}}; }
  };
  using Configurations = SurfaceFrames::Configurations;

  /// groups: those of the island, in the order of its members. Throws SceneError for an invalid
  /// boundary surface.
  SurfaceFinder(const Model& model, std::vector<int> groups, double margin);

  bool empty() const { return !shapes_ && !boundaries_; }
  /// Adds the laws that may act to `laws`.
  void add_laws(std::vector<int>& laws) const;
  /// Finds all contacts at t up to the margin, by increasing key, and returns their number;
  /// touch(k) is valid until the next call. A Touch of shapes is made on request, from any number
  /// of threads. course: Touch is that in the middle of this step, with PointRef::local referring
  /// to the poses there.
  std::size_t find(double t, Configurations q, const SurfaceCourse* course = nullptr);
  Touch touch(std::size_t k) const;
  /// Law of touch(k) and the members of its sides, at lower cost.
  Heading heading(std::size_t k) const;
  /// Calls use(key, gap) for every contact at t, of shapes only those that were near each other in
  /// the last find(); by increasing key, shapes first. Invalidates the contacts of find().
  template <class Use>
  void each_gap(double t, Configurations q, const Use& use) {
    refine(t, q);
    for (const DetectedContact& found : found_)
      if (acts(found.a, found.b)) use(found.key, found.point.gap);
    for (const Touch& touch : touches_) use(touch.key, touch.gap);
  }
  /// The least of these gaps [m]; without contacts, that of the nearest pair. +inf: unknown, as for
  /// boundary surfaces that may be nearer to a shape other than a plane, and for meshes.
  double least_gap(double t, Configurations q);
  /// Finds bodies that passed through another one in the step from `start` to the configuration of
  /// the last least_gap() (SurfacePassages::find()).
  void find_passed(const SurfacePassages::Start& start, const SurfacePassages::ActedPairs& acted,
                   const std::function<void(const SurfacePassages::Passed&)>& use);
  /// The two bodies of the contact with this key: numbers as in Surfaces::excluded, the smaller
  /// first.
  std::array<int, 2> bodies_of(std::uint64_t key) const;
  /// Thickness of the thinner of the two shapes of a contact [m], ignoring shapes without one;
  /// infinite for deformable surfaces. Valid after find_passed().
  double size_of(std::uint64_t key) const;

 private:
  void make_detector(double margin);
  void make_boundary_detector(double margin);
  void place(double t, Configurations q);
  void refine(double t, Configurations q);
  int law_of(int material, int other) const {
    return model_.surfaces()
        .law[static_cast<std::size_t>(material * model_.surfaces().materials + other)];
  }
  bool acts(int a, int b) const;
  bool acts(const Touch& touch, Configurations q);
  void put_side(Touch::Side& side, int collider, const Vector3& x) const;
  void put_to_middle(Touch& touch, const SurfaceCourse& course, int collider);
  Vector3 axis_of(int law, int a, int b) const;
  void take_boundaries(double t, Configurations q, const SurfaceCourse* course = nullptr);
  int material_of(const SurfaceSide& side) const;

  const Model& model_;
  SurfaceFrames frames_;
  SurfaceMotion motion_{frames_};
  std::optional<Detector> shapes_;
  std::optional<SurfaceDetector> boundaries_;
  std::vector<Pose> poses_;              ///< one per frame
  std::span<const Collider> colliders_;  ///< of shapes_, or own_colliders_ if there are none
  std::vector<Collider> own_colliders_;
  std::vector<int> runs_;  ///< of each collider: index in Model::running(); empty: no surface runs
  std::vector<DetectedContact> found_;  ///< between shapes
  std::vector<SurfaceContact> found_boundaries_;
  std::vector<Touch> touches_;                     ///< between boundary surfaces
  Vector places_;                                  ///< positions of refs_
  std::vector<PointRef> refs_;                     ///< points of one member on boundary surfaces
  std::vector<std::array<std::size_t, 2>> asked_;  ///< touch and side of each of refs_
  std::vector<std::size_t> asked_begin_;
  PointRows rows_;  ///< work space of acts()
  std::unique_ptr<SurfacePassages> passages_;
};

}  // namespace saltus

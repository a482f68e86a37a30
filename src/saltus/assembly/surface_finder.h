// What touches between the surfaces of one island: shapes in frames, and boundary surfaces of bodies that deform.
#pragma once
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "saltus/detection/surface_detector.h"
#include "saltus/model/model.h"

namespace saltus {

class SurfaceFinder {
 public:
  /// A contact between two surfaces. Rigid bodies and what they touch meet in one place; of two boundary surfaces each side is a point
  /// of its own surface.
  /// Law of a contact, and the members of its sides; -1: the world.
  struct Heading {
    int law = 0;
    std::array<int, 2> member{-1, -1};
  };
  struct Touch {
    struct Side {
      int member = -1;  ///< of the island; -1: the world
      PointRef ref;
      Vector3 place = Vector3::Zero();  ///< [m]
      int runs = -1;                    ///< its surface, index into Model::running(); -1: it rests
      Vector3 along = Vector3::Zero();  ///< RunningSurface::along in space
    };
    std::uint64_t key = 0;              ///< increasing along the list
    int law = 0;                        ///< index into Model::laws()
    Vector3 normal = Vector3::UnitZ();  ///< from side 1 to side 0
    double gap = 0.0;                   ///< [m]
    std::array<Side, 2> side;
    Vector3 axis = Vector3::Zero();  ///< of friction that depends on its direction, in space

    Heading heading() const { return {law, {side[0].member, side[1].member}}; }
  };
  /// Configuration of each member.
  using Configurations = std::span<const Vector* const>;

  /// groups: those of the island, its members in this order. Throws SceneError for a boundary surface that is none.
  SurfaceFinder(const Model& model, std::vector<int> groups, double margin);

  bool empty() const { return !shapes_ && !boundaries_; }
  /// Laws that may act, added to `laws`.
  void add_laws(std::vector<int>& laws) const;
  /// Finds all contacts known at t, by increasing key, and returns their number; touch(k) is good until the next call. Of
  /// shapes a Touch is made when it is asked for, by any number of threads.
  std::size_t find(double t, Configurations q);
  Touch touch(std::size_t k) const;
  /// Of touch(k), for less: its law, and the members of its sides.
  Heading heading(std::size_t k) const;
  /// use(key, gap) for every contact known at t, of shapes among those that the last find() had near each other; by
  /// increasing key, shapes first. What find() returned is no longer good.
  template <class Use>
  void each_gap(double t, Configurations q, const Use& use) {
    refine(t, q);
    for (const DetectedContact& found : found_)
      if (acts(found.a, found.b)) use(found.key, found.point.gap);
    for (const Touch& touch : touches_) use(touch.key, touch.gap);
  }
  /// The least of these gaps [m]; where no contact is known, that of the nearest pair. +inf: not known, as of boundary surfaces that
  /// may be nearer to what is no plane, or of meshes.
  double least_gap(double t, Configurations q);
  /// Two bodies of which one passed through the other in a step: numbers as in Surfaces::excluded.
  struct Passed {
    int a = 0, b = 0;
    double motion = 0.0;  ///< of one relative to the other [m]
    double room =
        0.0;  ///< that they may move in a step so that no contact between them is missed [m]
  };
  /// Pairs of such numbers, the smaller first, sorted, whose contacts carried an impulse in the step.
  using ActedPairs = std::function<std::span<const std::array<int, 2>>()>;
  /// Of the step from (t0, q0) to where the last least_gap() was: what moved by more than half its thickness and passed
  /// through another without an impulse, or to its far side all the same. acted() is called when something moved that far.
  void find_passed(double t0, Configurations q0, const ActedPairs& acted,
                   const std::function<void(const Passed&)>& use);
  /// The two bodies of the contact of a key, as in Passed.
  std::array<int, 2> bodies_of(std::uint64_t key) const;
  /// Thickness of the thinner of the two shapes of a contact [m], of those that have one; infinite with surfaces that deform.
  /// Good after find_passed().
  double size_of(std::uint64_t key) const;

 private:
  struct Paths;
  const Dynamics& dynamics(std::size_t member) const {
    return *model_.groups()[static_cast<std::size_t>(groups_[member])].dynamics;
  }
  void place(double t, Configurations q);
  void refine(double t, Configurations q);
  /// False for the world and for bodies that only follow a prescribed motion.
  bool moves(int frame) const {
    return frame >= 0 &&
           moves_[static_cast<std::size_t>(frame_of_[static_cast<std::size_t>(frame)][0])] != 0;
  }
  int member_of(int frame) const {
    return frame < 0 ? -1 : frame_of_[static_cast<std::size_t>(frame)][0];
  }
  int law_of(int material, int other) const {
    return model_.surfaces()
        .law[static_cast<std::size_t>(material * model_.surfaces().materials + other)];
  }
  bool acts(int a, int b) const;
  bool acts(const Touch& touch, Configurations q);
  void put_side(Touch::Side& side, int collider, const Vector3& x) const;
  Vector3 axis_of(int law, int a, int b) const;
  void take_boundaries(double t, Configurations q);
  int material_of(const SurfaceSide& side) const;

  const Model& model_;
  std::vector<int> groups_;
  std::optional<Detector> shapes_;
  std::optional<SurfaceDetector> boundaries_;
  /// Of each frame of the detectors: member and body; first frame of each member; poses.
  std::vector<std::array<int, 2>> frame_of_;
  std::vector<int> first_frame_;
  std::vector<Pose> poses_, member_poses_;
  std::span<const Collider> colliders_;  ///< of shapes_, or own_colliders_ where there are none
  std::vector<Collider> own_colliders_;
  std::vector<int> runs_;  ///< of each collider: index into Model::running(); empty: all rest
  std::vector<DetectedContact> found_;  ///< of shapes
  std::vector<SurfaceContact> found_boundaries_;
  std::vector<Touch> touches_;  ///< of boundary surfaces
  std::vector<char> moves_;     ///< of each member: it has velocities
  /// Boundary surfaces of the island: member, number in Surfaces::boundary surfaces. Places of their vertices.
  std::vector<std::array<int, 2>> boundary_of_;
  Vector places_;
  std::vector<PointRef> refs_;                     ///< points of one member on boundary surfaces
  std::vector<std::array<std::size_t, 2>> asked_;  ///< touch and side of each
  std::vector<std::size_t> asked_begin_;
  PointRows rows_;                   ///< scratch of acts()
  std::vector<int> frame_in_model_;  ///< of each frame: its index in Surfaces::frames
  std::shared_ptr<Paths> paths_;     ///< of find_passed()
};

/// Name of a body by its number in Surfaces::excluded.
std::string surface_name(const Surfaces& surfaces, int number);

}  // namespace saltus

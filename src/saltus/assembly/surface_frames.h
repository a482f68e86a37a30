// The frames in which shapes are fixed to the bodies of one island, and the boundary surfaces of
// its deformable bodies.
#pragma once
#include <array>
#include <span>
#include <vector>

#include "saltus/model/model.h"

namespace saltus {

/// Converts between numbers of the island and of the model. A frame below 0 is fixed in space.
class SurfaceFrames {
 public:
  /// Configuration of each member.
  using Configurations = std::span<const Vector* const>;

  /// groups: those of the island, in the order of its members.
  SurfaceFrames(const Model& model, std::vector<int> groups);

  std::size_t members() const { return groups_.size(); }
  const Dynamics& dynamics(std::size_t member) const {
    return *model_.groups()[static_cast<std::size_t>(groups_[member])].dynamics;
  }
  std::size_t count() const { return frame_.size(); }
  int member(int frame) const { return frame < 0 ? -1 : of(frame).member; }
  int body(int frame) const { return of(frame).body; }  ///< body of its member; requires frame >= 0
  /// Index in Surfaces::frames.
  int in_model(int frame) const { return frame < 0 ? frame : of(frame).in_model; }
  /// The frame that corresponds to one of the model; -1: it belongs to another island.
  int of_model(int frame) const {
    return frame < 0 ? frame : of_model_[static_cast<std::size_t>(frame)];
  }
  /// False for the world and for bodies that only follow a prescribed motion.
  bool moves(int frame) const {
    return frame >= 0 && moves_[static_cast<std::size_t>(of(frame).member)] != 0;
  }
  /// Poses of all frames at t.
  void place(double t, Configurations q, std::span<Pose> poses);
  /// Poses a time dt after `poses`, those at t: of bodies with the velocities v, which then stay
  /// constant, and of others by their prescribed motion.
  void place_ahead(double t, double dt, Configurations q, Configurations v,
                   std::span<const Pose> poses, std::span<Pose> ahead);

  struct Boundary {
    int member, in_model;  ///< in_model: index in Surfaces::boundaries
  };
  std::span<const Boundary> boundaries() const { return boundaries_; }
  const Surfaces::DeformingBoundary& of(const Boundary& boundary) const {
    return model_.surfaces().boundaries[static_cast<std::size_t>(boundary.in_model)];
  }
  /// Positions of the vertices of boundary k at t.
  void place(double t, Configurations q, std::size_t k, std::span<Vector3> vertices);

 private:
  struct Frame {
    int member, body, in_model;
  };
  const Frame& of(int frame) const { return frame_[static_cast<std::size_t>(frame)]; }

  const Model& model_;
  std::vector<int> groups_;
  std::vector<Frame> frame_;
  std::vector<int> first_;     ///< first frame of each member
  std::vector<int> of_model_;  ///< for each of Surfaces::frames
  std::vector<char> moves_;    ///< for each member: whether it has velocities
  std::vector<Boundary> boundaries_;
  std::vector<Pose> member_poses_;  ///< work space
  Vector places_;
};

}  // namespace saltus

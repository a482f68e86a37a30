// Builds joints, couplings and laws on coordinates from JointSpec and CouplingSpec.
#pragma once
#include <array>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "saltus/kinds/build_body.h"
#include "saltus/spec/joint_spec.h"

namespace saltus {

/// Adds the joints and couplings of the scene to the parts, whose groups, states and pairs are
/// complete. Throws SceneError with the name of the joint.
void add_joints(const Scene& scene, std::span<const BuiltBody> bodies, ModelParts& parts);

/// Positions of the bodies of the groups at t = 0; the frames of a group are computed once.
class StartFrames {
 public:
  explicit StartFrames(const ModelParts& parts) : parts_(parts), frames_(parts.groups.size()) {}
  const ModelParts& parts() const { return parts_; }
  /// True for bodies that have a frame: rigid or moved ones.
  bool has(int group) const;
  bool moves(int group) const;  ///< moved by forces; false for the world, -1
  const Pose& of(int group, int body);
  /// A point of a body in space.
  Vector3 point(int group, const PointRef& ref);

 private:
  const ModelParts& parts_;
  std::vector<std::vector<Pose>> frames_;
};

/// The places and axes of a joint in the initial configuration.
struct PlacedJoint {
  Joint joint;
  JointFrame a, b;                      ///< in space
  std::array<std::string, 2> body;      ///< names as written in the scene
  std::array<const BodySpec*, 2> spec;  ///< null: the world
};
/// path: "joints[0]".
PlacedJoint place_joint(const Scene& scene, std::span<const BuiltBody> bodies, StartFrames& frames,
                        const JointSpec& spec, const std::string& path);

}  // namespace saltus

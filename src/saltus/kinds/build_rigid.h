// From RigidSpec to bodies with their mass, their place and what they touch with.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "saltus/bodies/moving.h"
#include "saltus/bodies/rigid.h"
#include "saltus/model/model.h"
#include "saltus/shapes/shape.h"
#include "saltus/spec/scene.h"

namespace saltus {

/// A shape of a rigid body, in the frame that the body's Dynamics gives: its origin is the mass
/// centre of a body that moves by forces, that of the user for the others.
struct PlacedShape {
  Shape shape;
  Pose at;
  std::string material, path;  ///< path: the entry it comes from
  std::optional<RunningSurface> runs = {};
};

/// One rigid body of a scene. What does not belong to its kind (free, moved, fixed) is left at its
/// default.
struct RigidPart {
  std::string name, path;  ///< path: "bodies[0]"
  std::vector<PlacedShape> shapes;
  Vector3 centre = Vector3::Zero();  ///< origin of its frame in that of the user
  Pose place;                        ///< of its frame at t = 0
  Quaternion rotation{1.0, 0.0, 0.0, 0.0};

  RigidBody body;
  Vector3 velocity = Vector3::Zero(), spin = Vector3::Zero();
  std::vector<RigidLoad> loads;  ///< `body` is filled in when the group is made

  PrescribedMotion motion;
};

/// The body of an entry of kind rigid, or its copies. entry: index in `bodies`. Throws SceneError
/// naming the body.
std::vector<RigidPart> rigid_parts(const Scene& scene, std::size_t entry);

/// Where the copies of an entry are; one at the place of the entry where it has none. path:
/// "bodies[0].rigid.copies".
struct CopyPlace {
  Vector3 shift = Vector3::Zero();      ///< added to `position`
  Quaternion turn{1.0, 0.0, 0.0, 0.0};  ///< before `rotation`
  double size = 1.0;
};
std::vector<CopyPlace> copy_places(const Scene& scene, const std::optional<CopiesSpec>& copies,
                                   const std::string& path);

/// The loads of a body at t = 0 given in its frame. path: "bodies[0]".
std::vector<RigidLoad> rigid_loads(const Scene& scene, const BodySpec& body, const Vector3& centre,
                                   const std::string& path);
/// The motion that `motion` prescribes for a body that starts at `place`. path:
/// "bodies[0].rigid.motion".
PrescribedMotion motion_of(const Scene& scene, const MotionSpec& spec, const Vector3& place,
                           const Quaternion& rotation, const std::string& path);

}  // namespace saltus

// Builds rigid bodies from RigidSpec: mass, placement and contact shapes.
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

/// A shape of a rigid body, in the frame that the body's Dynamics uses: for free bodies its origin
/// is the mass centre, for others the origin of the user's frame.
struct PlacedShape {
  Shape shape;
  Pose at;
  std::string material, path;  ///< path: of the entry that defines the shape
  std::optional<RunningSurface> runs = {};
};

/// One rigid body of a scene. Members that its type (free, moved, fixed) does not use keep their
/// defaults.
struct RigidPart {
  std::string name, path;  ///< path: "bodies[0]"
  std::vector<PlacedShape> shapes;
  Vector3 centre = Vector3::Zero();  ///< origin of its frame in the user's frame
  Pose place;                        ///< of its frame at t = 0
  Quaternion rotation{1.0, 0.0, 0.0, 0.0};

  RigidBody body;
  Vector3 velocity = Vector3::Zero(), spin = Vector3::Zero();
  std::vector<RigidLoad> loads;  ///< `body` is set when the group is built

  PrescribedMotion motion;
};

/// The body of an entry of kind rigid, or its copies. entry: index in `bodies`. Throws SceneError
/// with the name of the body.
std::vector<RigidPart> rigid_parts(const Scene& scene, std::size_t entry);

/// Placement of the copies of an entry; one identity placement if it has no copies. path:
/// "bodies[0].rigid.copies".
struct CopyPlace {
  Vector3 shift = Vector3::Zero();      ///< added to `position`
  Quaternion turn{1.0, 0.0, 0.0, 0.0};  ///< left factor of `rotation`
  double size = 1.0;
};
std::vector<CopyPlace> copy_places(const Scene& scene, const std::optional<CopiesSpec>& copies,
                                   const std::string& path);

/// The loads of a body at t = 0, in its frame. path: "bodies[0]".
std::vector<RigidLoad> rigid_loads(const Scene& scene, const BodySpec& body, const Vector3& centre,
                                   const std::string& path);
/// The motion that `motion` prescribes for a body that starts at `place`. path:
/// "bodies[0].rigid.motion".
PrescribedMotion motion_of(const Scene& scene, const MotionSpec& spec, const Vector3& place,
                           const Quaternion& rotation, const std::string& path);

}  // namespace saltus

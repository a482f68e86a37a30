// What `at` means on each kind of body: the points that touch and are listened to.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "saltus/scene/build_body.h"

namespace saltus {

/// A point of a body as contacts see it.
struct TouchPoint {
  PointRef ref;
  std::string
      name;  ///< for messages: "degree of freedom 3", "particle 0", "bob", "x = 0.3 m", "[0, 0, 0.1]"
  std::string path;  ///< of the entry that asked for it
};

/// A body that contacts or outputs name: one, or one copy of several rigid ones.
struct NamedBuilt {
  const BuiltBody& built;
  const BodySpec& body;
  int copy = 0;
  std::string name;  ///< as it was written
};
/// path: of the entry that names it. Throws SceneError where there is no such body, or where it is fixed.
NamedBuilt named_built(const Scene& scene, std::span<const BuiltBody> bodies,
                       const std::string& name, const std::string& path);

/// The point that `at` names: degree of freedom (linear), particle, name of a point (lagrangian), place in m (modal, beam),
/// node or set of one node (fem), or place [x, y, z] in the frame of the body (rigid, pseudo-rigid, fem). Throws SceneError at `path` where there is none.
TouchPoint touch_point(const NamedBuilt& of, const PlaceSpec& at, const std::string& path);

/// Those of a list, of sets all nodes. Without one: every degree of freedom that is free, every particle, every named point. path: "contacts[0]".
std::vector<TouchPoint> touch_points(const NamedBuilt& of, const std::optional<AtSpec>& at,
                                     const std::string& path);

/// The whole number that `at` must be, 0 .. count - 1; `what`: "degree of freedom".
int index_at(const NumberOrName& at, int count, const char* what, const std::string& path);

/// Names of the points of a lagrangian body.
std::vector<std::string> point_names(const Lagrangian& body);

}  // namespace saltus

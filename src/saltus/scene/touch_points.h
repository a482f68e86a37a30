// What `at` means on each kind of body: the points that touch and are listened to.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "saltus/scene/build_body.h"

namespace saltus {

/// A point of a body as contacts see it.
struct TouchPoint {
  PointRef ref;
  std::string name;  ///< for messages: "degree of freedom 3", "particle 0", "bob", "x = 0.3 m"
  std::string path;  ///< of the entry that asked for it
};

/// The point that `at` names: degree of freedom (linear), particle, name of a point (lagrangian) or place in m (modal).
/// Throws SceneError at `path` where there is none.
TouchPoint touch_point(const BuiltBody& built, const BodySpec& body, const NumberOrName& at,
                       const std::string& path);

/// Those of a list. Without one: every degree of freedom that is free, every particle, every named point. path: "contacts[0]".
std::vector<TouchPoint> touch_points(const BuiltBody& built, const BodySpec& body,
                                     const std::optional<AtSpec>& at, const std::string& path);

/// The whole number that `at` must be, 0 .. count - 1; `what`: "degree of freedom".
int index_at(const NumberOrName& at, int count, const char* what, const std::string& path);

/// Names of the points of a lagrangian body.
std::vector<std::string> point_names(const Lagrangian& body);

}  // namespace saltus

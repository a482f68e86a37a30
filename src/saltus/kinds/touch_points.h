// What `at` means on each kind of body: the points of contacts, joints and outputs.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "saltus/kinds/build_body.h"
#include "saltus/kinds/built_kind.h"

namespace saltus {

/// path: of the entry that names it. Throws SceneError where there is no such body, or where it is
/// fixed.
NamedBuilt named_built(const Scene& scene, std::span<const BuiltBody> bodies,
                       const std::string& name, const std::string& path);

/// The point that `at` names: degree of freedom (linear), particle, name of a point (lagrangian),
/// place in m (modal, beam), node or set of one node (fem), or place [x, y, z] in the frame of the
/// body (rigid, pseudo-rigid, fem). Throws SceneError at `path` where there is none.
TouchPoint touch_point(const NamedBuilt& of, const PlaceSpec& at, const std::string& path);

/// Those of a list, of sets all nodes. Without one: every degree of freedom that is free, every
/// particle, every named point. path: "contacts[0]".
std::vector<TouchPoint> touch_points(const NamedBuilt& of, const std::optional<AtSpec>& at,
                                     const std::string& path);

// -- what kinds share

/// The whole number that `at` must be, 0 .. count - 1; `what`: "degree of freedom".
int index_at(const NumberOrName& at, int count, const char* what, const std::string& path);
/// `at` of a kind that has no places [x, y, z]. Throws SceneError where it is one.
const NumberOrName& number_or_name(const NamedBuilt& of, const PlaceSpec& at,
                                   const std::string& path);
/// The point numbered `at` of `count`; `what`: "particle".
TouchPoint numbered_point(const NamedBuilt& of, const PlaceSpec& at, int count, const char* what,
                          const std::string& path);
/// A place [x, y, z] in the frame in which a body with mass centre BuiltBody::origins was given.
TouchPoint frame_point(const NamedBuilt& of, const PlaceSpec& at, const std::string& path);
/// Throws SceneError: a contact needs the place in that frame.
[[noreturn]] void expect_place(const NamedBuilt& of, const std::string& path);

}  // namespace saltus

// Meaning of `at` for each kind of body: the points of contacts, joints and outputs.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "saltus/kinds/build_body.h"
#include "saltus/kinds/built_kind.h"

namespace saltus {

/// path: of the entry that names the body. Throws SceneError if there is no such body, or if it is
/// fixed.
NamedBuilt named_built(const Scene& scene, std::span<const BuiltBody> bodies,
                       const std::string& name, const std::string& path);

/// The point that `at` names: degree of freedom (linear), particle, name of a point (lagrangian),
/// place in m (modal, beam), node or set of one node (fem), or place [x, y, z] in the frame of the
/// body (rigid, pseudo-rigid, fem). Throws SceneError at `path` if there is none.
TouchPoint touch_point(const NamedBuilt& of, const PlaceSpec& at, const std::string& path);

/// The points of a list, with all nodes of sets. Without a list: every free degree of freedom,
/// every particle, every named point. path: "contacts[0]".
std::vector<TouchPoint> touch_points(const NamedBuilt& of, const std::optional<AtSpec>& at,
                                     const std::string& path);

// -- shared by several kinds

/// The integer that `at` must be, 0 .. count - 1; `what`: "degree of freedom".
int index_at(const NumberOrName& at, int count, const char* what, const std::string& path);
/// `at` of a kind that has no places [x, y, z]. Throws SceneError if it is such a place.
const NumberOrName& number_or_name(const NamedBuilt& of, const PlaceSpec& at,
                                   const std::string& path);
/// The point numbered `at` of `count`; `what`: "particle".
TouchPoint numbered_point(const NamedBuilt& of, const PlaceSpec& at, int count, const char* what,
                          const std::string& path);
/// A place [x, y, z] in the frame in which the body was given, with mass centre BuiltBody::origins.
TouchPoint frame_point(const NamedBuilt& of, const PlaceSpec& at, const std::string& path);
/// Throws SceneError: a contact needs a place in that frame.
[[noreturn]] void expect_place(const NamedBuilt& of, const std::string& path);

}  // namespace saltus

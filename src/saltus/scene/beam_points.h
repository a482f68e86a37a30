// Places along beams: what `at` means on them.
#pragma once
#include <string>
#include <vector>

#include "saltus/scene/touch_points.h"

namespace saltus {

/// x along a beam of this length [m]: `start`, `end` or a number. name: of the beam; path: of the entry. Throws SceneError
/// where it is not on the beam.
double beam_place(double length, const NumberOrName& at, const std::string& name,
                  const std::string& path);

TouchPoint beam_point(const NamedBuilt& of, const PlaceSpec& at, const std::string& path);
/// Its nodes that can move. path: of the entry that has no `at`.
std::vector<TouchPoint> beam_nodes(const NamedBuilt& of, const std::string& path);

}  // namespace saltus

// Contacts by rows over coordinates: y = H q + b, slips T q, for one body or between two.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "saltus/bodies/coordinate_point.h"
#include "saltus/kinds/touch_points.h"

namespace saltus {

/// The points that contacts with `row` define on a body of `dofs` coordinates. Rows with faults
/// give points that row_pair() rejects.
struct RowPoints {
  std::vector<CoordinatePoint> points;
  std::vector<std::size_t> contacts;  ///< contact of each point
};
RowPoints row_points(const SceneSpec& scene, const std::string& body, int dofs);

/// The pair of contact `index`, without its key and law. `other`: the second body, or null.
///     gap = H_on q_on + H_other q_other + offset
/// Throws SceneError for wrong lengths or coordinates, rows that are 0 or that no impulse can
/// change, and tangents parallel to the normal or to each other.
ContactPair row_pair(const SceneSpec& scene, std::size_t index, const NamedBuilt& on,
                     const NamedBuilt* other);

/// The gap of a pair of row_pair() at the start [m].
double row_gap(const ContactPair& pair, std::span<const GroupState> initial,
               std::span<const Group> groups);

}  // namespace saltus

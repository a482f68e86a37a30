#include "saltus/model/surface_setup.h"

namespace saltus {

DeformingShape shape_at_start(const Surfaces::DeformingBoundary& boundary, const Dynamics& body,
                              const GroupState& start) {
  DeformingShape shape;
  shape.material = boundary.material;
  shape.self = boundary.self;
  Vector places(3 * static_cast<Eigen::Index>(boundary.boundary.vertices.size()));
  body.points(0.0, start.q, boundary.boundary.vertices, places);
  for (Eigen::Index i = 0; i < places.size(); i += 3)
    shape.vertices.emplace_back(places.segment<3>(i));
  for (const BoundaryFacet& facet : boundary.boundary.facets) shape.facets.push_back(facet.vertex);
  return shape;
}

std::vector<std::array<int, 2>> excluded_boundaries(const Surfaces& surfaces,
                                                    std::span<const Collider> colliders,
                                                    std::span<const int> frame_number,
                                                    std::span<const int> boundaries) {
  const auto frames = static_cast<int>(surfaces.frames.size());
  const auto numbers = [&](int entry) {
    std::vector<int> list;
    if (entry >= frames) {
      for (std::size_t k = 0; k < boundaries.size(); ++k)
        if (boundaries[k] == entry - frames) list.push_back(static_cast<int>(colliders.size() + k));
      return list;
    }
    const int frame = entry < 0 ? entry : frame_number[static_cast<std::size_t>(entry)];
    if (entry >= 0 && frame < 0) return list;
    for (std::size_t c = 0; c < colliders.size(); ++c)
      if (colliders[c].frame == frame) list.push_back(static_cast<int>(c));
    return list;
  };
  std::vector<std::array<int, 2>> excluded;
  for (const auto& [f, g] : surfaces.excluded) {
    if (f < frames && g < frames) continue;
    for (const int a : numbers(f))
      for (const int b : numbers(g)) excluded.push_back({a, b});
  }
  return excluded;
}

}  // namespace saltus

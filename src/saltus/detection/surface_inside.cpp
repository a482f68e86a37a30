// Finds points of surfaces that lie inside others, at any depth: for a warning, not for contact.
#include "saltus/detection/surface_detector_internal.h"

namespace saltus {

void SurfaceDetector::inside(const std::function<void(const Inside&)>& use) const {
  const Search& w = *search_;
  // vertices of `points`, at pose `at`, inside `solid`, at pose `in`
  const auto vertices = [&](int a, const FacetSurface& points, const Pose& at, bool of_boundary,
                            int b, const FacetSurface& solid, const Pose& in) {
    if (!solid.closed()) return;
    const Pose to_points = at.inverse() * in;
    points.vertices_in(placed(solid.box(), to_points), [&](int v) {
      const Vector3 x = at * points.place(v);
      const double depth = solid.depth_of(in.inverse() * x);
      if (depth > 0.0) use({{a, b}, of_boundary ? v : -1, x, depth});
    });
  };
  const int boundaries = static_cast<int>(w.boundaries.size()),
            others = static_cast<int>(w.others.size());
  for (int s = 0; s < boundaries; ++s) {
    const FacetSurface& boundary = w.boundaries[static_cast<std::size_t>(s)].surface;
    for (int c = 0; c < others; ++c) {
      const Search::Other& other = w.others[static_cast<std::size_t>(c)];
      if (!w.wanted(s, c, other.collider.material)) continue;
      if (other.surface) {
        vertices(w.number(s), boundary, {}, true, c, *other.surface, other.at);
        vertices(c, *other.surface, other.at, false, w.number(s), boundary, {});
      } else if (!std::holds_alternative<Plane>(other.collider.shape)) {
        const Bounds box = bounds(other.collider.shape, other.at);
        const Vector3 middle = 0.5 * (box.low + box.high);
        const double depth = boundary.depth_of(middle);
        if (depth > 0.0) use({{c, w.number(s)}, -1, middle, depth});
      }
    }
    for (int r = s + 1; r < boundaries; ++r) {
      const Search::BoundarySurface& second = w.boundaries[static_cast<std::size_t>(r)];
      if (!w.wanted(s, w.number(r), second.material)) continue;
      vertices(w.number(s), boundary, {}, true, w.number(r), second.surface, {});
      vertices(w.number(r), second.surface, {}, true, w.number(s), boundary, {});
    }
  }
}

}  // namespace saltus

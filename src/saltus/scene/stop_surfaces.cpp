#include "saltus/scene/stop_surfaces.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "saltus/kinds/build_body.h"

namespace saltus {
namespace {

struct FlatFace {
  Vector3 x, normal;
};

/// Planes and sides of boxes.
std::vector<FlatFace> flat_faces(const Shape& shape, const Pose& at) {
  if (std::holds_alternative<Plane>(shape)) return {{at.x, at.R.col(2)}};
  std::vector<FlatFace> faces;
  if (const auto* box = std::get_if<Box>(&shape))
    for (int k = 0; k < 3; ++k)
      for (const double sign : {-1.0, 1.0}) {
        const Vector3 n = sign * at.R.col(k);
        faces.push_back({at.x + box->half[k] * n, n});
      }
  return faces;
}

bool in_plane(const NodeStop& stop, const Vector3& x, const Vector3& normal, double size) {
  return (stop.normal - normal).norm() <= 1e-6 &&
         std::abs(stop.normal.dot(stop.place - x)) <= 1e-6 * size;
}

/// Checks one body with stops.
struct StopCheck {
  const BuiltBody& body;
  const BodySpec& spec;
  const BodyStops& of;
  const RigidAssembly& rigid;
  ModelParts& parts;

  std::span<const NodeStop> stops() const { return of.stop; }

  void by_contacts() const {
    for (const ContactPair& pair : parts.pairs) {
      if (pair.a.group != body.group || pair.b.group >= 0) continue;
      for (std::size_t k = 0; k < stops().size(); ++k) {
        const NodeStop& stop = stops()[k];
        if (pair.a.ref.feature != stop.node ||
            !in_plane(stop, pair.b.ref.local, pair.normal, of.size))
          continue;
        const std::string& law = parts.law_path[static_cast<std::size_t>(pair.law)];
        throw SceneError(of.path[k],
                         fmt::format("node {} of '{}' is also in contact with the same plane by {}",
                                     stop.node, spec.name, law.substr(0, law.rfind('.'))),
                         "leave one of the two out");
      }
    }
  }

  void by_surface(const Surfaces::DeformingBoundary& boundary, int boundary_number) const {
    const Surfaces& surfaces = parts.surfaces;
    std::set<int> nodes;
    for (const PointRef& vertex : boundary.boundary.vertices) nodes.insert(vertex.feature);
    for (std::size_t c = 0; c < surfaces.colliders.size(); ++c) {
      const Collider& collider = surfaces.colliders[c];
      const auto law =
          static_cast<std::size_t>(boundary.material * surfaces.materials + collider.material);
      const std::array pair{collider.frame, boundary_number};
      if (collider.frame >= 0 || surfaces.law[law] < 0 ||
          std::ranges::find(surfaces.excluded, pair) != surfaces.excluded.end())
        continue;
      for (const FlatFace& face : flat_faces(collider.shape, collider.local))
        on_face(boundary, nodes, rigid.owner(c), face);
    }
  }

 private:
  void on_face(const Surfaces::DeformingBoundary& boundary, const std::set<int>& nodes,
               const RigidPart& floor, const FlatFace& face) const {
    std::optional<std::size_t> same;
    for (std::size_t k = 0; k < stops().size(); ++k) {
      const NodeStop& stop = stops()[k];
      if (!in_plane(stop, face.x, face.normal, of.size)) continue;
      if (nodes.contains(stop.node))
        throw SceneError(
            of.path[k],
            fmt::format("node {} of '{}' is also in contact with the same plane by its surface, "
                        "which has a law with '{}' ({})",
                        stop.node, boundary.name, floor.name, floor.path),
            fmt::format("leave one of the two out: `ignore: [[{}, {}]]`, or fem.surface.on",
                        boundary.name, floor.name));
      if (!same) same = k;
    }
    if (same && !nodes.empty())
      parts.warnings.push_back(
          fmt::format("{}: the surface of '{}' has contact with '{}' ({}) in the same plane: its "
                      "nodes lose momentum in impacts, those of the stops do not",
                      of.path[*same], boundary.name, floor.name, floor.path));
  }
};

}  // namespace

void expect_single_stops(const Scene& scene, std::span<const BuiltBody> bodies,
                         const RigidAssembly& rigid, ModelParts& parts) {
  // numbered as in Surfaces::excluded
  int boundary = static_cast<int>(parts.surfaces.frames.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const BuiltBody& body = bodies[i];
    const BodySpec& spec = scene.spec.bodies[i];
    if (const BodyStops stops = body.kind->stops(spec, fmt::format("bodies[{}]", i));
        !stops.stop.empty()) {
      StopCheck check{body, spec, stops, rigid, parts};
      check.by_contacts();
      for (std::size_t k = 0; k < body.boundaries.size(); ++k)
        check.by_surface(parts.surfaces.boundaries[next + k], boundary + static_cast<int>(k));
    }
    boundary += static_cast<int>(body.boundaries.size());
    next += body.boundaries.size();
  }
}

}  // namespace saltus

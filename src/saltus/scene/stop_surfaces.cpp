#include "saltus/scene/stop_surfaces.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "saltus/scene/build_fem_mesh.h"

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

/// One body with stops.
struct StopCheck {
  const BuiltBody& body;
  const BodySpec& spec;
  std::string path;  ///< "bodies[0]"
  const RigidAssembly& rigid;
  ModelParts& parts;
  std::vector<std::string> entry = {};  ///< of each stop: "bodies[0].fem.stops[0]"
  double size = 0.0;

  std::span<const NodeStop> stops() const { return body.massless->stops(); }

  void name_entries() {
    const Mesh& mesh = body.fem->mesh();
    const auto& given = spec.fem->stops;
    for (std::size_t i = 0; i < given.size(); ++i) {
      const std::string at = fmt::format("{}.fem.stops[{}]", path, i);
      const std::size_t nodes =
          given[i].at ? 1
                      : nodes_asked(mesh, {given[i].set, given[i].nodes, given[i].at}, at).size();
      entry.insert(entry.end(), nodes, at);
    }
    size = (mesh.nodes.rowwise().maxCoeff() - mesh.nodes.rowwise().minCoeff()).norm();
  }

  void by_contacts() const {
    for (const ContactPair& pair : parts.pairs) {
      if (pair.a.group != body.group || pair.b.group >= 0) continue;
      for (std::size_t k = 0; k < stops().size(); ++k) {
        const NodeStop& stop = stops()[k];
        if (pair.a.ref.feature != stop.node || !in_plane(stop, pair.b.ref.local, pair.normal, size))
          continue;
        const std::string& law = parts.law_path[static_cast<std::size_t>(pair.law)];
        throw SceneError(entry[k],
                         fmt::format("node {} of '{}' meets the same plane by {}", stop.node,
                                     spec.name, law.substr(0, law.rfind('.'))),
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
      if (!in_plane(stop, face.x, face.normal, size)) continue;
      if (nodes.contains(stop.node))
        throw SceneError(
            entry[k],
            fmt::format("node {} of '{}' meets the same plane by its surface, which touches '{}' "
                        "({})",
                        stop.node, boundary.name, floor.name, floor.path),
            fmt::format("leave one of the two out: `ignore: [[{}, {}]]`, or fem.surface.on",
                        boundary.name, floor.name));
      if (!same) same = k;
    }
    if (same && !nodes.empty())
      parts.warnings.push_back(fmt::format(
          "{}: the surface of '{}' touches '{}' ({}) in the same plane: its nodes lose momentum in "
          "impacts, those of the stops do not",
          entry[*same], boundary.name, floor.name, floor.path));
  }
};

}  // namespace

void expect_single_stops(const Scene& scene, std::span<const BuiltBody> bodies,
                         const RigidAssembly& rigid, ModelParts& parts) {
  int boundary = static_cast<int>(parts.surfaces.frames.size());  // as in Surfaces::excluded
  std::size_t next = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const BuiltBody& body = bodies[i];
    if (body.massless) {
      StopCheck check{body, scene.spec.bodies[i], fmt::format("bodies[{}]", i), rigid, parts};
      check.name_entries();
      check.by_contacts();
      for (std::size_t k = 0; k < body.boundaries.size(); ++k)
        check.by_surface(parts.surfaces.boundaries[next + k], boundary + static_cast<int>(k));
    }
    boundary += static_cast<int>(body.boundaries.size());
    next += body.boundaries.size();
  }
}

}  // namespace saltus

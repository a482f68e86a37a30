#include "saltus/scene/surface_overlaps.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

#include "saltus/kinds/build_shape.h"
#include "saltus/model/moving_points.h"
#include "saltus/model/surface_setup.h"

namespace saltus {
namespace {

class SurfaceOverlaps {
 public:
  SurfaceOverlaps(std::span<const BuiltBody> bodies, const RigidAssembly& rigid,
                  const ModelParts& parts)
      : rigid_(rigid), parts_(parts) {
    for (const BuiltBody& body : bodies)
      for (const BuiltBoundary& boundary : body.boundaries) built_.push_back(&boundary);
  }

  void find() {
    const Surfaces& surfaces = parts_.surfaces;
    for (const Surfaces::DeformingBoundary& boundary : surfaces.boundaries)
      shapes_.push_back(shape_at_start(boundary, body_of(boundary), start_of(boundary)));
    std::vector<int> frames(surfaces.frames.size()), boundaries(surfaces.boundaries.size());
    std::iota(frames.begin(), frames.end(), 0);
    std::iota(boundaries.begin(), boundaries.end(), 0);
    std::vector<char> meets;
    for (const int law : surfaces.law) meets.push_back(law >= 0 ? 1 : 0);
    SurfaceDetector detector(shapes_, surfaces.colliders, 0.0, surfaces.materials, meets,
                             excluded_boundaries(surfaces, surfaces.colliders, frames, boundaries));
    std::vector<SurfaceContact> contacts;
    detector.detect(rigid_.starts(), contacts);
    for (const SurfaceContact& c : contacts)
      if (c.gap < 0.0 && (moves(c.a, c.normal) || moves(c.b, c.normal)))
        add(number(c.a), number(c.b), -c.gap, place(c.a));
    detector.inside([&](const SurfaceDetector::Inside& in) {
      const auto [a, b] = in.number;
      SurfaceSide point;
      point.boundary = a - colliders();
      point.vertex = in.vertex;
      const bool world = b < colliders() && !moves(b);
      if (!world || in.vertex < 0 || std::ranges::any_of(std::array{0, 1, 2}, [&](int axis) {
            return moves(point, Vector3::Unit(axis));
          }))
        add(a, b, in.depth, in.x);
    });
  }

  std::optional<std::string> text() const {
    if (deepest_.empty()) return std::nullopt;
    const auto& [pair, worst] =
        *std::ranges::max_element(deepest_, {}, [](const auto& x) { return x.second.depth; });
    const auto& [a, b] = pair;
    const std::string who =
        a == b ? fmt::format("'{}' overlaps itself by {:.3g} mm at the start", a, 1e3 * worst.depth)
               : fmt::format("'{}' and '{}' overlap by {:.3g} mm at the start", a, b,
                             1e3 * worst.depth);
    std::string text = fmt::format("{}: {} at [{:.4g}, {:.4g}, {:.4g}] m", worst.path, who,
                                   worst.x[0], worst.x[1], worst.x[2]);
    if (deepest_.size() == 2) text += ", and so does one more pair of bodies";
    if (deepest_.size() > 2)
      text += fmt::format(", and so do {} more pairs of bodies", deepest_.size() - 1);
    return text;
  }

 private:
  struct Deepest {
    double depth = 0.0;
    Vector3 x = Vector3::Zero();
    std::string path;
  };

  int colliders() const { return static_cast<int>(parts_.surfaces.colliders.size()); }
  int number(const SurfaceSide& side) const {
    return side.boundary >= 0 ? colliders() + side.boundary : side.collider;
  }
  const Dynamics& body_of(const Surfaces::DeformingBoundary& boundary) const {
    return *parts_.groups[static_cast<std::size_t>(boundary.group)].dynamics;
  }
  const GroupState& start_of(const Surfaces::DeformingBoundary& boundary) const {
    return parts_.initial[static_cast<std::size_t>(boundary.group)];
  }
  const BuiltBoundary& boundary_of(int number) const {
    return *built_[static_cast<std::size_t>(number - colliders())];
  }
  const std::string& name_of(int number) const {
    return number < colliders() ? rigid_.owner(static_cast<std::size_t>(number)).name
                                : boundary_of(number).name;
  }
  double thickness_of(int number) const {
    return number < colliders()
               ? thickness(parts_.surfaces.colliders[static_cast<std::size_t>(number)].shape)
               : boundary_of(number).thickness;
  }
  /// A collider of a body that forces can move.
  bool moves(int collider) const {
    const int frame = parts_.surfaces.colliders[static_cast<std::size_t>(collider)].frame;
    if (frame < 0) return false;
    const int group = parts_.surfaces.frames[static_cast<std::size_t>(frame)].group;
    return parts_.groups[static_cast<std::size_t>(group)].dynamics->velocities() > 0;
  }
  bool moves(const SurfaceSide& side, const Vector3& n) const {
    if (side.boundary < 0) return moves(side.collider);
    const Surfaces::DeformingBoundary& of =
        parts_.surfaces.boundaries[static_cast<std::size_t>(side.boundary)];
    const PointRef ref =
        side.vertex >= 0
            ? of.boundary.vertices[static_cast<std::size_t>(side.vertex)]
            : of.boundary.facets[static_cast<std::size_t>(side.facet)].point(side.weight);
    const Vector& q = start_of(of).q;
    PointRows J;
    body_of(of).point_rows(q, q, std::span(&ref, 1), J);
    return motion_along(J, 0, n) > kStillAlong;
  }
  Vector3 place(const SurfaceSide& side) const {
    const DeformingShape& shape = shapes_[static_cast<std::size_t>(side.boundary)];
    if (side.vertex >= 0) return shape.vertices[static_cast<std::size_t>(side.vertex)];
    Vector3 x = Vector3::Zero();
    const auto& corners = shape.facets[static_cast<std::size_t>(side.facet)];
    for (std::size_t k = 0; k < 3; ++k)
      if (corners[k] >= 0)
        x += side.weight[static_cast<Eigen::Index>(k)] *
             shape.vertices[static_cast<std::size_t>(corners[k])];
    return x;
  }
  void add(int a, int b, double depth, const Vector3& x) {
    if (!(depth > kSmallShare * std::min(thickness_of(a), thickness_of(b)))) return;
    if (a > b) std::swap(a, b);
    const int boundary = b;  // boundary surfaces have the larger numbers
    const int other = a;
    Deepest& known = deepest_[{name_of(boundary), name_of(other)}];
    if (depth > known.depth) known = {depth, x, boundary_of(boundary).path};
  }

  const RigidAssembly& rigid_;
  const ModelParts& parts_;
  std::vector<const BuiltBoundary*> built_;  ///< one per boundary surface
  std::vector<DeformingShape> shapes_;
  std::map<std::array<std::string, 2>, Deepest> deepest_;  ///< by the names of two bodies
};

}  // namespace

void warn_of_boundary_overlaps(std::span<const BuiltBody> bodies, const RigidAssembly& rigid,
                               ModelParts& parts) {
  if (parts.surfaces.boundaries.empty()) return;
  SurfaceOverlaps overlaps(bodies, rigid, parts);
  overlaps.find();
  if (const auto text = overlaps.text()) parts.warnings.push_back(*text);
}

}  // namespace saltus

// Bodies of kind rigid: several entries form one group; joints can use their places and axes.
#include <fmt/format.h>

#include <algorithm>

#include "saltus/bodies/rigid.h"
#include "saltus/kinds/build_kinds.h"
#include "saltus/kinds/build_rigid.h"
#include "saltus/kinds/build_shape.h"
#include "saltus/kinds/touch_points.h"

namespace saltus {
namespace {

unsigned rigid_traits(bool ball) {
  RigidBody body;
  body.mass = 1.0;
  body.inertia = Vector3(1.0, 1.0, ball ? 1.0 : 1.5).asDiagonal();
  RigidSystem system;
  system.bodies.push_back(body);
  return Rigid(std::move(system)).traits();
}

class RigidKind final : public BuiltKind {
 public:
  TouchPoint point(const NamedBuilt& of, const PlaceSpec& at,
                   const std::string& path) const override {
    return frame_point(of, at, path);
  }
  std::vector<TouchPoint> all_points(const NamedBuilt& of, const std::string& path) const override {
    expect_place(of, path);
  }
  bool takes_places() const override { return true; }
  bool has_axes() const override { return true; }
  Pose fixed_frame(const Scene& scene, const NamedBody& body,
                   const std::string& path) const override;
  double spin(const BuiltBody& built, const BodySpec& spec,
              const GroupState& initial) const override;
  SurfaceLack surface_lack(const BodySpec&) const override { return {.by_choice = true}; }
};

/// The frame in which the user gives the shapes.
Pose RigidKind::fixed_frame(const Scene& scene, const NamedBody& body,
                            const std::string& path) const {
  const RigidSpec& spec = *scene.spec.bodies[body.entry].rigid;
  const std::vector<CopyPlace> places =
      copy_places(scene, spec.copies, fmt::format("bodies[{}].rigid.copies", body.entry));
  if (body.copy >= static_cast<int>(places.size()))
    throw SceneError(path, "there is no such copy", fmt::format("there are {}", places.size()));
  const CopyPlace& copy = places[static_cast<std::size_t>(body.copy)];
  return {to_vector3(spec.position) + copy.shift,
          (copy.turn * rotation_of(spec.rotation)).toRotationMatrix()};
}

double RigidKind::spin(const BuiltBody& built, const BodySpec& spec,
                       const GroupState& initial) const {
  if (spec.rigid->motion) return 0.0;
  double spin = 0.0;
  for (std::size_t k = 0; k < built.origins.size(); ++k) {
    const auto at = 6 * (built.first + static_cast<Eigen::Index>(k)) + 3;
    spin = std::max(spin, initial.v.segment<3>(at).stableNorm());
  }
  return spin;
}

BuiltBody build_rigid(const BodyEntry& entry) {
  BuiltBody built;
  built.kind = std::make_shared<const RigidKind>();
  entry.rigid.add(entry.index, built);
  return built;
}

}  // namespace

KindRow rigid_kind() {
  return {.kind = BodyKind::rigid,
          .name = "rigid",
          .summary = "rigid bodies with shapes",
          .entries = "rigid",
          .points = "places [x, y, z] in the frame of the body",
          .cases = {{"", rigid_traits(false)}, {"that are spheres", rigid_traits(true)}},
          .build = build_rigid,
          .places = true,
          .copies = true};
}

}  // namespace saltus

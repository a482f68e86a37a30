// Pseudo-rigid bodies: one entry is one group, its copies are the bodies of the group.
#include <fmt/format.h>

#include "saltus/fem/boundary_surface.h"
#include "saltus/kinds/build_kinds.h"
#include "saltus/kinds/build_rigid.h"
#include "saltus/kinds/build_shape.h"
#include "saltus/kinds/probe_request.h"
#include "saltus/kinds/touch_points.h"
#include "saltus/spec/body_names.h"

namespace saltus {
namespace {

Matrix3 skew(const Vector3& w) {
  Matrix3 S;
  S << 0.0, -w[2], w[1], w[2], 0.0, -w[0], -w[1], w[0], 0.0;
  return S;
}

/// Rotates the points of a boundary surface from the frame of its shape to that of the body.
void turn(BoundarySurface& boundary, const Matrix3& R) {
  for (PointRef& vertex : boundary.vertices) vertex.local = R * vertex.local;
  for (BoundaryFacet& facet : boundary.facets)
    for (Vector3& x : facet.local) x = R * x;
}

/// One body of the entry.
struct DeformingCopy {
  CopyPlace place;
  SolidMoments solid;  ///< for density 1, in the frame of the body
};

void put_state(const PseudoRigidSpec& spec, const DeformingCopy& copy, Eigen::Index body,
               GroupState& state) {
  const Matrix3 R = (copy.place.turn * rotation_of(spec.rotation)).toRotationMatrix();
  const Matrix3 D = to_vector3(spec.stretch).asDiagonal();
  const Matrix3 F = R * D, rate = R * skew(to_vector3(spec.spin)) * D;
  const Vector3 x = to_vector3(spec.position) + copy.place.shift + R * copy.solid.centre;
  for (int i = 0; i < 3; ++i) {
    state.q.segment<3>(12 * body + 3 * i) = F.row(i);
    state.v.segment<3>(12 * body + 3 * i) = rate.row(i);
  }
  state.q.segment<3>(12 * body + 9) = x;
  state.v.segment<3>(12 * body + 9) = to_vector3(spec.velocity);
}

BuiltBoundary boundary_of_copy(const BodySpec& body, const BuiltShape& shape,
                               const DeformingCopy& copy, int number, const std::string& path) {
  const PseudoRigidSpec& spec = *body.pseudo_rigid;
  const Shape solid = scaled(shape.pieces.front(), copy.place.size);
  BuiltBoundary built;
  built.name = copy_name(body, number);
  built.path = path + ".shape";
  built.material = spec.shape.material;
  built.thickness = thickness(solid);
  // the mass centre in the frame of the shape
  const Vector3 centre =
      shape.at.R.transpose() * (copy.solid.centre - copy.place.size * shape.at.x);
  try {
    built.boundary =
        boundary_of(solid, number, centre, spec.facet.value_or(0.25 * built.thickness));
  } catch (const UsageError& error) {
    throw SceneError(path + (spec.facet ? ".facet" : ".shape"), usage_text(error));
  }
  turn(built.boundary, shape.at.R);
  return built;
}

unsigned pseudo_rigid_traits(bool strain_rate) {
  PseudoRigidSystem system;
  system.bodies.push_back({1.0, 1.0, Matrix3::Identity(), {}});
  if (strain_rate) {
    system.eta = 1.0;
    system.viscosity = Viscosity::strain_rate;
  }
  return PseudoRigid(std::move(system)).traits();
}

class PseudoRigidKind final : public BuiltKind {
 public:
  TouchPoint point(const NamedBuilt& of, const PlaceSpec& at,
                   const std::string& path) const override {
    return frame_point(of, at, path);
  }
  std::vector<TouchPoint> all_points(const NamedBuilt& of, const std::string& path) const override {
    expect_place(of, path);
  }
  bool takes_places() const override { return true; }
  double spin(const BuiltBody&, const BodySpec& spec, const GroupState&) const override {
    return to_vector3(spec.pseudo_rigid->spin).stableNorm();
  }
  SurfaceLack surface_lack(const BodySpec&) const override { return {.by_choice = true}; }
  void set_field(const ProbeRequest& a, Probe& probe) const override {
    const auto body = std::dynamic_pointer_cast<const PseudoRigid>(a.built.dynamics);
    expects(body != nullptr, "a pseudo-rigid body is one");
    const bool strain = a.spec.quantity == OutputSpec::Quantity::strain;
    probe.field = [body, strain, spec = a.spec, i = probe.point.body](double, View q, View) {
      if (!strain) return component_of(spec, body->stress(q, i));
      const Matrix3 F = body->deformation(q, i);
      return component_of(spec, 0.5 * (F.transpose() * F - Matrix3::Identity()));
    };
  }
};

/// path: "bodies[0]".
BuiltBody build_pseudo_rigid(const Scene& scene, const BodySpec& body, const std::string& path) {
  const PseudoRigidSpec& spec = body.pseudo_rigid.value();
  const std::string at = path + ".pseudo_rigid";
  ShapeUse use{body.name, true, true};
  use.deforms = true;
  const BuiltShape shape = build_shape(scene, spec.shape, use, at + ".shape");
  const std::vector<CopyPlace> places = copy_places(scene, spec.copies, at + ".copies");
  PseudoRigidSystem system;
  system.gravity = to_vector3(spec.gravity.value_or(scene.spec.steady_gravity()));
  system.eta = spec.eta;
  system.viscosity = spec.viscosity;
  BuiltBody built;
  const auto count = static_cast<Eigen::Index>(places.size());
  built.dofs = static_cast<int>(12 * count);
  built.initial = {Vector(12 * count), Vector(12 * count), {}};
  for (Eigen::Index i = 0; i < count; ++i) {
    const auto number = static_cast<int>(i);
    DeformingCopy copy{places[static_cast<std::size_t>(i)], {}};
    copy.solid = scaled(shape.solid, copy.place.size);
    copy.solid.centre = copy.place.size * shape.at.x + shape.at.R * copy.solid.centre;
    copy.solid.inertia = shape.at.R * copy.solid.inertia * shape.at.R.transpose();
    system.bodies.push_back(pseudo_rigid_body(copy.solid, spec.material.material()));
    for (PseudoRigidLoad load : pseudo_rigid_loads(scene, body, copy.solid.centre, path)) {
      load.body = number;
      system.loads.push_back(std::move(load));
    }
    for (const UniformField::Term& term : field_of(scene, spec.gravity.has_value()).terms) {
      PseudoRigidLoad load;
      load.body = number;
      load.direction = system.bodies.back().mass * term.direction;
      load.signal = term.signal;
      system.loads.push_back(std::move(load));
    }
    put_state(spec, copy, i, built.initial);
    built.origins.push_back(copy.solid.centre);
    if (spec.copies) built.copies.push_back(copy_name(body, number));
    if (spec.touches) built.boundaries.push_back(boundary_of_copy(body, shape, copy, number, at));
  }
  return built_at(at, [&] {
    built.dynamics = std::make_shared<const PseudoRigid>(std::move(system));
    built.kind = std::make_shared<const PseudoRigidKind>();
    return std::move(built);
  });
}

}  // namespace

KindRow pseudo_rigid_kind() {
  return {.kind = BodyKind::pseudo_rigid,
          .name = "pseudo-rigid",
          .summary = "bodies with shapes that rotate, stretch and shear homogeneously",
          .entries = "pseudo_rigid",
          .points = "places [x, y, z] in the frame of the undeformed body",
          .cases = {{"", pseudo_rigid_traits(false)},
                    {"with strain-rate damping", pseudo_rigid_traits(true)}},
          .build = [](const BodyEntry& e) { return build_pseudo_rigid(e.scene, e.body, e.path); },
          .places = true,
          .copies = true};
}

}  // namespace saltus

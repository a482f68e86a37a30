#include "saltus/kinds/build_rigid.h"

#include <fmt/format.h>

#include <cmath>

#include "saltus/kinds/build_kinds.h"
#include "saltus/kinds/build_shape.h"
#include "saltus/math/dense.h"
#include "saltus/spec/body_names.h"

namespace saltus {
namespace {

/// Mass, mass centre in the user's frame, and inertia about it along the axes of that frame.
struct MassProperties {
  double mass = 0.0;
  Vector3 centre = Vector3::Zero();
  Matrix3 inertia = Matrix3::Zero();
};

/// An entry of kind rigid during its construction.
struct RigidMaking {
  const Scene& scene;
  const BodySpec& body;
  const RigidSpec& spec;
  std::string path;  ///< "bodies[0]"
  std::vector<BuiltShape> shapes;
  std::vector<double> densities;  ///< [kg/m^3], or 1 if the mass is given
  std::vector<std::string> materials, shape_paths;
  std::vector<std::optional<RunningSurface>> runs;

  std::string at(const std::string& key) const { return path + ".rigid." + key; }
};

void build_shapes(RigidMaking& m) {
  const RigidSpec& spec = m.spec;
  const ShapeUse use{m.body.name, !spec.fixed, spec.free() && spec.inertia.empty()};
  const auto add = [&](const ShapeSpec& shape, const std::string& path) {
    m.shapes.push_back(build_shape(m.scene, shape, use, path));
    m.densities.push_back(shape.density.value_or(spec.density.value_or(1.0)));
    m.materials.push_back(shape.material);
    m.shape_paths.push_back(path);
    m.runs.emplace_back();
    if (shape.surface_velocity)
      m.runs.back() = running_surface(m.scene, *shape.surface_velocity, path + ".surface_velocity");
  };
  if (spec.shape) add(*spec.shape, m.at("shape"));
  for (std::size_t i = 0; i < spec.shapes.size(); ++i)
    add(spec.shapes[i], m.at(fmt::format("shapes[{}]", i)));
}

Matrix3 given_inertia(const std::vector<double>& J) {  // xx, yy, zz, optionally xy, xz, yz
  Matrix3 inertia = Vector3(J[0], J[1], J[2]).asDiagonal();
  if (J.size() == 6) {
    inertia(0, 1) = inertia(1, 0) = J[3];
    inertia(0, 2) = inertia(2, 0) = J[4];
    inertia(1, 2) = inertia(2, 1) = J[5];
  }
  return inertia;
}

MassProperties mass_of(const RigidMaking& m, double size) {
  const RigidSpec& spec = m.spec;
  if (!spec.inertia.empty()) {
    const Vector3 centre = spec.centre ? to_vector3(*spec.centre) : Vector3(Vector3::Zero());
    return {*spec.mass, centre, given_inertia(spec.inertia)};
  }
  std::vector<SolidMoments> pieces;
  std::vector<Pose> poses;
  for (std::size_t i = 0; i < m.shapes.size(); ++i) {
    SolidMoments piece = scaled(m.shapes[i].solid, size);
    piece.volume *= m.densities[i];  // mass moments are volume moments times density
    piece.inertia *= m.densities[i];
    pieces.push_back(piece);
    poses.push_back({size * m.shapes[i].at.x, m.shapes[i].at.R});
  }
  SolidMoments all;
  if (pieces.size() == 1) {
    all = {pieces[0].volume, poses[0] * pieces[0].centre,
           poses[0].R * pieces[0].inertia * poses[0].R.transpose()};
  } else {
    all = joined(pieces, poses);
  }
  if (!spec.mass) return {all.volume, all.centre, all.inertia};
  return {*spec.mass, all.centre, *spec.mass / all.volume * all.inertia};
}

/// Checks that the principal moments belong to some mass distribution.
void expect_physical(const RigidMaking& m, const MassProperties& mass) {
  const auto refuse = [&](const std::string& what, const std::string& hint) {
    throw SceneError(m.spec.inertia.empty() ? m.path + ".rigid" : m.at("inertia"),
                     fmt::format("the inertia of '{}' {}", m.body.name, what), hint);
  };
  if (!(mass.mass > 0.0) || !std::isfinite(mass.mass) || !mass.inertia.allFinite())
    throw SceneError(m.path + ".rigid",
                     fmt::format("'{}' has the mass {:.4g} kg", m.body.name, mass.mass),
                     "change the density or the size of the shapes");
  const Vector3 J = symmetric_values(mass.inertia);
  const std::string moments = fmt::format("{:.4g}, {:.4g}, {:.4g} kg m^2", J[0], J[1], J[2]);
  if (!(J[0] > 0.0)) refuse("has the principal moments " + moments, "all three must be > 0");
  if (J[2] > (J[0] + J[1]) * (1.0 + 1e-12))
    refuse("has the principal moments " + moments + ", which no mass distribution has",
           "none of them may exceed the sum of the other two");
}

/// The axis of the body that is normal to the plane of the scene.
int axis_across(const RigidMaking& m, const Matrix3& R, int world) {
  for (int k = 0; k < 3; ++k)
    if (std::abs(std::abs(R(world, k)) - 1.0) <= 1e-12) return k;
  constexpr const char* kAxis[] = {"x", "y", "z"};
  throw SceneError(m.at("rotation"),
                   fmt::format("no axis of '{}' is normal to the plane of the scene", m.body.name),
                   fmt::format("`planar` needs one along {}", kAxis[world]));
}

/// Locks of one body, including those of a planar scene; locked motions start at rest.
void lock(const RigidMaking& m, RigidPart& part) {
  for (Freedom f : m.spec.locked) part.body.locked[static_cast<std::size_t>(f)] = true;
  if (const auto planar = m.scene.spec.planar) {
    const int world = across(*planar), own = axis_across(m, part.place.R, world);
    const auto refuse = [&](const char* key, const char* which) {
      throw SceneError(m.at(key),
                       fmt::format("'{}' starts with a {} out of the plane {} of the scene",
                                   m.body.name, which, name_of(*planar)),
                       "leave it out, or `planar`");
    };
    if (part.velocity[world] != 0.0) refuse("velocity", "velocity");
    part.body.locked[static_cast<std::size_t>(world)] = true;
    for (int k = 0; k < 3; ++k) {
      if (k == own) continue;
      if (part.spin[k] != 0.0) refuse("spin", "rotation");
      part.body.locked[static_cast<std::size_t>(3 + k)] = true;
    }
  }
  for (int k = 0; k < 3; ++k) {
    const auto held = [&](const char* key, const char* what) {
      throw SceneError(m.at(key),
                       fmt::format("'{}' starts with a {} that is locked", m.body.name, what),
                       "leave it out, or its entry in `locked`");
    };
    if (part.body.locked[static_cast<std::size_t>(k)] && part.velocity[k] != 0.0)
      held("velocity", "velocity");
    if (part.body.locked[static_cast<std::size_t>(3 + k)] && part.spin[k] != 0.0)
      held("spin", "rotation");
  }
}

RigidPart make_part(const RigidMaking& m, const CopyPlace& copy, int number) {
  const RigidSpec& spec = m.spec;
  RigidPart part;
  part.name = copy_name(m.body, number);
  part.path = m.path;
  part.rotation = copy.turn * rotation_of(spec.rotation);
  const Matrix3 R = part.rotation.toRotationMatrix();
  Vector3 origin = to_vector3(spec.position) + copy.shift;
  if (spec.free()) {
    const MassProperties mass = mass_of(m, copy.size);
    expect_physical(m, mass);
    part.centre = mass.centre;
    part.body.mass = mass.mass;
    part.body.inertia = 0.5 * (mass.inertia + mass.inertia.transpose());
    part.velocity = to_vector3(spec.velocity);
    part.spin = to_vector3(spec.spin);
  }
  part.place = {origin + R * part.centre, R};
  if (spec.free()) {
    lock(m, part);
    part.loads = rigid_loads(m.scene, m.body, part.centre, m.path);
  } else if (spec.motion) {
    part.motion = motion_of(m.scene, *spec.motion, origin, part.rotation, m.at("motion"));
  }
  if (!spec.touches) return part;
  for (std::size_t i = 0; i < m.shapes.size(); ++i)
    for (const Shape& piece : m.shapes[i].pieces)
      part.shapes.push_back({scaled(piece, copy.size),
                             Pose{copy.size * m.shapes[i].at.x - part.centre, m.shapes[i].at.R},
                             m.materials[i], m.shape_paths[i], m.runs[i]});
  return part;
}

}  // namespace

std::vector<RigidPart> rigid_parts(const Scene& scene, std::size_t entry) {
  const BodySpec& body = scene.spec.bodies[entry];
  RigidMaking m{scene, body, body.rigid.value(), fmt::format("bodies[{}]", entry), {}, {}, {},
                {},    {}};
  build_shapes(m);
  const std::vector<CopyPlace> places = copy_places(scene, m.spec.copies, m.at("copies"));
  std::vector<RigidPart> parts;
  for (const CopyPlace& place : places) {
    if (place.size != 1.0 && (m.spec.mass || m.spec.fixed))
      throw SceneError(m.at("copies.file"),
                       fmt::format("the copies of '{}' have different sizes", body.name),
                       m.spec.fixed ? "only moving bodies can have different sizes"
                                    : "give `density` instead of `mass`");
    parts.push_back(make_part(m, place, static_cast<int>(parts.size())));
  }
  return parts;
}

}  // namespace saltus

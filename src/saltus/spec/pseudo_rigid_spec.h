// Pseudo-rigid bodies in a scene file. All values SI.
#pragma once
#include <array>
#include <optional>
#include <tuple>

#include "saltus/base/options.h"
#include "saltus/spec/material_spec.h"
#include "saltus/spec/rigid_spec.h"
#include "saltus/spec/shape_spec.h"

namespace saltus {

/// A body with homogeneous deformation. Its frame is the one in which its shape is given.
struct PseudoRigidSpec {
  ShapeSpec shape;
  MaterialSpec material;
  double eta = 0.0;
  Viscosity viscosity = Viscosity::current_tangent;
  std::array<double, 3> position{0, 0, 0};
  RotationSpec rotation;
  std::array<double, 3> stretch{1, 1, 1};
  std::array<double, 3> velocity{0, 0, 0}, spin{0, 0, 0};
  std::optional<CopiesSpec> copies;
  std::optional<std::array<double, 3>> gravity;
  std::optional<double> facet;
  bool touches = true;

  bool operator==(const PseudoRigidSpec&) const = default;
  std::optional<Fault> fault() const;
  static constexpr auto fields() {
    using T = PseudoRigidSpec;
    return field_rows(
        required("shape", &T::shape,
                 "undeformed shape; its `material` is the name that `surfaces` uses"),
        required("material", &T::material, "elastic material"),
        field("eta", &T::eta, unit::s, kNotNegative,
              "stiffness-proportional damping: a small vibration of angular frequency w has the "
              "damping ratio eta w/2"),
        field("viscosity", &T::viscosity,
              "form of this damping: current_tangent, as in Solfec; strain_rate: does not damp "
              "rigid rotations"),
        field("position", &T::position, unit::m, kAnyNumber,
              "position of the body's origin at t = 0"),
        field("rotation", &T::rotation, "rotation of the body at t = 0"),
        field("stretch", &T::stretch, kPositive,
              "stretch along the axes of the body at t = 0, about the mass centre"),
        field("velocity", &T::velocity, unit::m_per_s, kAnyNumber,
              "velocity of the mass centre at t = 0"),
        field("spin", &T::spin, unit::rad_per_s, kAnyNumber,
              "angular velocity at t = 0, along the axes of the body"),
        field("copies", &T::copies, "makes many equal bodies: name.0, name.1, ..."),
        field("gravity", &T::gravity, unit::m_per_s2, kAnyNumber,
              "acceleration of gravity on this body; `gravity` of the scene when not given"),
        field("facet", &T::facet, unit::m, kPositive,
              "largest side of the flat facets that approximate a round surface for contact; a "
              "quarter of the smallest extent of the shape when not given"),
        field("touches", &T::touches, "false: only `contacts` act on the body"));
  }
};

}  // namespace saltus

// Pseudo-rigid bodies as a scene writes them. All values SI.
#pragma once
#include <array>
#include <optional>
#include <tuple>

#include "saltus/base/options.h"
#include "saltus/spec/material_spec.h"
#include "saltus/spec/rigid_spec.h"
#include "saltus/spec/shape_spec.h"

namespace saltus {

/// A body that deforms as a whole. Its frame is that in which its shape is given.
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
        required("shape", &T::shape, "undeformed; its `material` is the name that `surfaces` uses"),
        required("material", &T::material, "what it is made of"),
        field(
            "eta", &T::eta, unit::s, kNotNegative,
            "damping by stiffness: a small vibration of angular frequency w has the ratio eta w/2"),
        field("viscosity", &T::viscosity,
              "form of this damping: current_tangent, as Solfec; strain_rate leaves rigid turns "
              "alone"),
        field("position", &T::position, unit::m, kAnyNumber, "of the body's origin at t = 0"),
        field("rotation", &T::rotation, "of the body at t = 0"),
        field("stretch", &T::stretch, kPositive,
              "along the axes of the body at t = 0, about the mass centre"),
        field("velocity", &T::velocity, unit::m_per_s, kAnyNumber, "of the mass centre at t = 0"),
        field("spin", &T::spin, unit::rad_per_s, kAnyNumber,
              "angular velocity at t = 0, along the axes of the body"),
        field("copies", &T::copies, "many such bodies: name.0, name.1, ..."),
        field("gravity", &T::gravity, unit::m_per_s2, kAnyNumber,
              "on this body; `gravity` of the scene when not given"),
        field("facet", &T::facet, unit::m, kPositive,
              "largest side of the flat pieces that stand for a round surface where it touches; a "
              "quarter of the least extent of the shape when not given"),
        field("touches", &T::touches, "false: touches nothing but by `contacts`"));
  }
};

}  // namespace saltus

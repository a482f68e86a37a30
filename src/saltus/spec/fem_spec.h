// Finite-element bodies in a scene file. All values SI.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "saltus/base/options.h"
#include "saltus/fem/fem.h"
#include "saltus/spec/fem_mesh_spec.h"
#include "saltus/spec/material_spec.h"
#include "saltus/spec/shape_spec.h"
#include "saltus/spec/signal_spec.h"

namespace saltus {

constexpr auto names_of(PlaneState) {
  using enum PlaneState;
  return std::array{NamedValue{strain, "strain"}, NamedValue{stress, "stress"}};
}
constexpr auto names_of(MassForm) {
  using enum MassForm;
  return std::array{NamedValue{lumped, "lumped"}, NamedValue{consistent, "consistent"}};
}

constexpr auto names_of(FemForm) {
  using enum FemForm;
  return std::array{NamedValue{total_lagrangian, "total_lagrangian"},
                    NamedValue{body_corotational, "body_corotational"}};
}
constexpr auto names_of(CorotatedTangent) {
  using enum CorotatedTangent;
  return std::array{NamedValue{exact, "exact"}, NamedValue{warped, "warped"}};
}
constexpr auto names_of(FemSolver::Kind) {
  using enum FemSolver::Kind;
  return std::array{NamedValue{automatic, "auto"}, NamedValue{direct, "direct"},
                    NamedValue{conjugate_gradients, "conjugate_gradients"},
                    NamedValue{conjugate_gradients, "cg"}};
}

/// How the linear systems of a step are solved.
struct FemSolverSpec {
  FemSolver::Kind kind = FemSolver::Kind::automatic;
  double tolerance = 1e-10;
  int iterations = 2000;

  bool operator==(const FemSolverSpec&) const = default;
  static constexpr auto fields() {
    using T = FemSolverSpec;
    return field_rows(
        field("kind", &T::kind,
              "direct: by a sparse factorisation; conjugate_gradients: iteratively, without one; "
              "auto: the cheaper of the two; iterative for large meshes with small steps"),
        field("tolerance", &T::tolerance, Range{.low = 0.0, .high = 1.0, .high_open = true},
              "conjugate_gradients: residual relative to the right-hand side; 0: do exactly the "
              "given number of iterations"),
        field("iterations", &T::iterations, at_least(1),
              "conjugate_gradients: largest number of iterations"));
  }
};

enum class SpaceAxis { x, y, z };
constexpr auto names_of(SpaceAxis) {
  using enum SpaceAxis;
  return std::array{NamedValue{x, "x"}, NamedValue{y, "y"}, NamedValue{z, "z"}};
}

/// The material of a set of elements.
struct SetMaterialSpec {
  std::string set;
  MaterialSpec material;
  std::optional<double> thickness, area;

  bool operator==(const SetMaterialSpec&) const = default;
  static constexpr auto fields() {
    using T = SetMaterialSpec;
    return field_rows(
        required("set", &T::set, "set of elements: a physical group of the file, or `all`"),
        required("material", &T::material, "material of these elements"),
        field("thickness", &T::thickness, unit::m, kPositive,
              "thickness of these plane elements; that of the body when not given"),
        field("area", &T::area, unit::m2, kPositive,
              "cross-section area of these bars; that of the body when not given"));
  }
};

namespace option {
inline constexpr std::string_view kNodeSet = "set of nodes or faces: x0, or a physical group";
inline constexpr std::string_view kNodes = "numbers of nodes, from 0";
inline constexpr std::string_view kNodeAt = "position of one node in the frame of the mesh";
}  // namespace option

/// Fixed nodes.
struct FixedNodesSpec {
  std::optional<std::string> set;
  std::vector<int> nodes;
  std::optional<std::array<double, 3>> at;
  std::vector<SpaceAxis> axes;

  bool operator==(const FixedNodesSpec&) const = default;
  static constexpr auto rules() { return std::array{exactly_one("set", "nodes", "at")}; }
  static constexpr auto fields() {
    using T = FixedNodesSpec;
    return field_rows(
        field("set", &T::set, option::kNodeSet),
        field("nodes", &T::nodes, kNotNegative, option::kNodes),
        field("at", &T::at, unit::m, kAnyNumber, option::kNodeAt),
        field("axes", &T::axes,
              "axes of space along which the nodes are fixed: x, y, z; all when not given"));
  }
};

/// Nodes with prescribed motion.
struct LedNodesSpec {
  std::optional<std::string> set;
  std::vector<int> nodes;
  std::optional<std::array<double, 3>> at;
  std::optional<CourseSpec<unit::m>> x, y, z;

  bool operator==(const LedNodesSpec&) const = default;
  static constexpr auto rules() {
    return std::array{exactly_one("set", "nodes", "at"), at_least_one("x", "y", "z")};
  }
  static constexpr auto fields() {
    using T = LedNodesSpec;
    return field_rows(field("set", &T::set, option::kNodeSet),
                      field("nodes", &T::nodes, kNotNegative, option::kNodes),
                      field("at", &T::at, unit::m, kAnyNumber, option::kNodeAt),
                      field("x", &T::x, "displacement from the undeformed position along x"),
                      field("y", &T::y, "along y"), field("z", &T::z, "along z"));
  }
};

/// Massless nodes that are stopped by a fixed plane.
struct FemStopSpec {
  std::optional<std::string> set;
  std::vector<int> nodes;
  std::optional<std::array<double, 3>> at;
  PlaneSpec plane;

  bool operator==(const FemStopSpec&) const = default;
  static constexpr auto rules() { return std::array{exactly_one("set", "nodes", "at")}; }
  static constexpr auto fields() {
    using T = FemStopSpec;
    return field_rows(
        field("set", &T::set, option::kNodeSet),
        field("nodes", &T::nodes, kNotNegative, option::kNodes),
        field("at", &T::at, unit::m, kAnyNumber, option::kNodeAt),
        required("plane", &T::plane, "a plane in space that the nodes may not penetrate"));
  }
};

/// A force on faces or nodes; its direction is fixed in space.
struct FemLoadSpec {
  std::optional<std::string> set;
  std::vector<int> nodes;
  std::optional<std::array<double, 3>> at;
  std::optional<double> pressure;
  std::optional<std::array<double, 3>> traction, force;
  std::optional<CourseSpec<unit::one>> factor;

  bool operator==(const FemLoadSpec&) const = default;
  std::optional<Fault> fault() const;
  static constexpr auto rules() {
    return std::array{exactly_one("set", "nodes", "at"),
                      exactly_one("pressure", "traction", "force"), needs("pressure", "set"),
                      needs("traction", "set")};
  }
  static constexpr auto fields() {
    using T = FemLoadSpec;
    return field_rows(
        field("set", &T::set, "set of faces; for a force also a set of nodes"),
        field("nodes", &T::nodes, kNotNegative,
              "numbers of the nodes over which a force is distributed"),
        field("at", &T::at, unit::m, kAnyNumber,
              "for a force: point of application in the mesh, in the frame of the mesh"),
        field("pressure", &T::pressure, unit::Pa, kAnyNumber,
              "pressure against the outward normal of the undeformed faces"),
        field("traction", &T::traction, unit::Pa, kAnyNumber,
              "[x, y, z], per area of the undeformed faces"),
        field("force", &T::force, unit::N, kAnyNumber,
              "[x, y, z], total force; distributed evenly over faces, in equal parts over nodes"),
        field("factor", &T::factor, "factor as a function of time; 1 when not given"));
  }
};

/// The contact surface of a mesh.
struct FemSurfaceSpec {
  std::vector<std::string> on;
  std::string material = "default";
  bool self = false;

  bool operator==(const FemSurfaceSpec&) const = default;
  std::optional<Fault> fault() const;
  static constexpr auto fields() {
    using T = FemSurfaceSpec;
    return field_rows(
        field("on", &T::on, "sets of faces in contact; the whole boundary when not given"),
        field("material", &T::material,
              "material name; `surfaces` gives the law between two materials"),
        field("self", &T::self, "detect contact of the surface with itself"));
  }
};

/// Nodes whose displacements a reduced body keeps as degrees of freedom.
struct KeptNodesSpec {
  std::optional<std::string> set;
  std::vector<int> nodes;
  std::optional<std::array<double, 3>> at;
  std::vector<SpaceAxis> axes;

  bool operator==(const KeptNodesSpec&) const = default;
  static constexpr auto rules() { return std::array{exactly_one("set", "nodes", "at")}; }
  static constexpr auto fields() {
    using T = KeptNodesSpec;
    return field_rows(
        field("set", &T::set, option::kNodeSet),
        field("nodes", &T::nodes, kNotNegative, option::kNodes),
        field("at", &T::at, unit::m, kAnyNumber, option::kNodeAt),
        field("axes", &T::axes,
              "axes of space along which they are kept: x, y, z; all when not given"));
  }
};

/// A mesh reduced to its lowest modes.
struct FemModesSpec {
  int count = 0;
  std::vector<std::array<double, 3>> at;
  std::array<double, 3> direction{0, 0, 1};
  std::vector<KeptNodesSpec> keep;

  bool operator==(const FemModesSpec&) const = default;
  std::optional<Fault> fault() const;
  static constexpr auto rules() { return std::array{exactly_one("at", "keep")}; }
  static constexpr auto fields() {
    using T = FemModesSpec;
    return field_rows(
        required("count", &T::count, kNotNegative,
                 "number of lowest modes, including rigid-body modes; with `keep` the lowest modes "
                 "with the kept degrees of freedom fixed, where 0 leaves the static response only"),
        field("at", &T::at, unit::m, kAnyNumber,
              "places of contacts and outputs, in the frame of the mesh and on a straight line; "
              "contacts and outputs refer to them by place or by number"),
        field("direction", &T::direction,
              "direction in which the places of `at` move, of any length"),
        field("keep", &T::keep,
              "nodes whose displacements stay degrees of freedom (Craig and Bampton); contacts, "
              "with friction, and outputs use them like nodes of a mesh; with `fixed` they must "
              "restrain the body"));
  }
};

/// A body of finite elements.
struct FemSpec {
  FemMeshSpec mesh;
  std::optional<MaterialSpec> material;
  std::vector<SetMaterialSpec> materials;
  PlaneState plane = PlaneState::strain;
  double thickness = 1.0, area = 1.0;
  FemForm form = FemForm::total_lagrangian;
  CorotatedTangent tangent = CorotatedTangent::exact;
  FemSolverSpec solver;
  MassForm mass = MassForm::lumped;
  Viscosity viscosity = Viscosity::current_tangent;
  std::array<double, 3> position{0, 0, 0};
  RotationSpec rotation;
  std::array<double, 3> velocity{0, 0, 0}, spin{0, 0, 0};
  std::optional<std::string> start;
  std::optional<std::array<double, 3>> gravity;
  std::vector<FixedNodesSpec> fixed;
  std::vector<LedNodesSpec> prescribed;
  std::vector<FemLoadSpec> loads;
  std::vector<FemStopSpec> stops;
  FemSurfaceSpec surface;
  bool touches = true;
  std::optional<FemModesSpec> modes;

  bool operator==(const FemSpec&) const = default;
  static constexpr auto rules() { return std::array{exactly_one("material", "materials")}; }
  static constexpr auto fields() {
    using T = FemSpec;
    return field_rows(
        required("mesh", &T::mesh, "geometry and its division into elements"),
        field("material", &T::material, "material of all elements"),
        field("materials", &T::materials,
              "materials of sets of elements; each element belongs to one set"),
        field("plane", &T::plane, "plane elements: plane strain or plane stress"),
        field("thickness", &T::thickness, unit::m, kPositive, "thickness of plane elements"),
        field("area", &T::area, unit::m2, kPositive, "cross-section area of bars"),
        field("form", &T::form,
              "total_lagrangian: any strain; body_corotational: small strains about one rotation "
              "of the whole body, with one factorisation for all steps; linear material"),
        field("tangent", &T::tangent,
              "tangent for law corotated: exact, or warped, which is cheaper and never indefinite"),
        field("solver", &T::solver, "solver of the linear systems of a step"),
        field("mass", &T::mass,
              "lumped at the nodes, or consistent with the shape functions; explicit schemes are "
              "fast only with lumped masses"),
        field("viscosity", &T::viscosity,
              "form of rayleigh.stiffness: current_tangent: r_K K(q) v, as in Solfec; strain_rate: "
              "does not damp rigid rotations"),
        field("position", &T::position, unit::m, kAnyNumber,
              "position of the origin of the mesh; places and sets refer to the frame of the mesh"),
        field("rotation", &T::rotation, "rotation of the mesh about its origin"),
        field("velocity", &T::velocity, unit::m_per_s, kAnyNumber,
              "velocity of the mass centre at t = 0"),
        field("spin", &T::spin, unit::rad_per_s, kAnyNumber,
              "angular velocity at t = 0 about the mass centre, along the axes of the mesh"),
        field("start", &T::start,
              "CSV file of displacements at t = 0, one row per node: ux, uy, uz [m], optionally "
              "vx, vy, vz [m/s], added to `velocity` and `spin`; along the axes of space"),
        field("gravity", &T::gravity, unit::m_per_s2, kAnyNumber,
              "acceleration of gravity on this body; `gravity` of the scene when not given"),
        field("fixed", &T::fixed, "fixed nodes"),
        field("prescribed", &T::prescribed, "nodes with prescribed motion"),
        field("loads", &T::loads, "forces on faces and nodes"),
        field("stops", &T::stops,
              "mass redistribution: massless nodes against fixed planes, for contact without "
              "impacts and without spurious oscillations; for linear material and lumped mass; "
              "without contact law"),
        field("surface", &T::surface, "the contact surface and its material"),
        field("touches", &T::touches, "false: only `contacts` act on the body"),
        field("modes", &T::modes,
              "reduction of the body to its lowest modes, linearised about the undeformed state; "
              "it starts undeformed and is in contact only through `contacts` at chosen places"));
  }
};

}  // namespace saltus

// Bodies of finite elements as a scene writes them. All values SI.
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
        field(
            "kind", &T::kind,
            "direct: by a sparse factor; conjugate_gradients: without one; auto: without one where "
            "that costs less, as for large meshes at small steps"),
        field("tolerance", &T::tolerance, Range{.low = 0.0, .high = 1.0, .high_open = true},
              "of conjugate_gradients: residual over the right side; 0: as many iterations as "
              "given"),
        field("iterations", &T::iterations, at_least(1), "of conjugate_gradients, at most"));
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
        required("set", &T::set, "of elements: a physical group of the file, or `all`"),
        required("material", &T::material, "of these elements"),
        field("thickness", &T::thickness, unit::m, kPositive,
              "of these plane elements; that of the body when not given"),
        field("area", &T::area, unit::m2, kPositive,
              "of these bars; that of the body when not given"));
  }
};

namespace option {
inline constexpr std::string_view kNodeSet = "of nodes or faces: x0, or a physical group";
inline constexpr std::string_view kNodes = "their numbers, from 0";
inline constexpr std::string_view kNodeAt = "place of one node in the frame of the mesh";
}  // namespace option

/// Nodes that stay where they are.
struct FixedNodesSpec {
  std::optional<std::string> set;
  std::vector<int> nodes;
  std::optional<std::array<double, 3>> at;
  std::vector<SpaceAxis> axes;

  bool operator==(const FixedNodesSpec&) const = default;
  static constexpr auto rules() { return std::array{exactly_one("set", "nodes", "at")}; }
  static constexpr auto fields() {
    using T = FixedNodesSpec;
    return field_rows(field("set", &T::set, option::kNodeSet),
                      field("nodes", &T::nodes, kNotNegative, option::kNodes),
                      field("at", &T::at, unit::m, kAnyNumber, option::kNodeAt),
                      field("axes", &T::axes, "of space: x, y, z; all when not given"));
  }
};

/// Nodes that move as they are told.
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
                      field("x", &T::x, "way from the undeformed place along x"),
                      field("y", &T::y, "along y"), field("z", &T::z, "along z"));
  }
};

/// Nodes without mass that a fixed plane stops.
struct FemStopSpec {
  std::optional<std::string> set;
  std::vector<int> nodes;
  std::optional<std::array<double, 3>> at;
  PlaneSpec plane;

  bool operator==(const FemStopSpec&) const = default;
  static constexpr auto rules() { return std::array{exactly_one("set", "nodes", "at")}; }
  static constexpr auto fields() {
    using T = FemStopSpec;
    return field_rows(field("set", &T::set, option::kNodeSet),
                      field("nodes", &T::nodes, kNotNegative, option::kNodes),
                      field("at", &T::at, unit::m, kAnyNumber, option::kNodeAt),
                      required("plane", &T::plane, "in space, which they may not pass"));
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
        field("set", &T::set, "of faces; of a force also of nodes"),
        field("nodes", &T::nodes, kNotNegative, "numbers of the nodes that share a force"),
        field("at", &T::at, unit::m, kAnyNumber,
              "of a force: place in the mesh, in the frame of the mesh"),
        field("pressure", &T::pressure, unit::Pa, kAnyNumber,
              "against the outward normal of the undeformed faces"),
        field("traction", &T::traction, unit::Pa, kAnyNumber,
              "[x, y, z], for each area of the undeformed faces"),
        field("force", &T::force, unit::N, kAnyNumber,
              "[x, y, z] together; evenly over faces, in equal parts over nodes"),
        field("factor", &T::factor, "function of time; 1 when not given"));
  }
};

/// What touches.
struct FemSurfaceSpec {
  std::vector<std::string> on;
  std::string material = "default";
  bool self = false;

  bool operator==(const FemSurfaceSpec&) const = default;
  std::optional<Fault> fault() const;
  static constexpr auto fields() {
    using T = FemSurfaceSpec;
    return field_rows(
        field("on", &T::on, "sets of faces; the whole boundary when not given"),
        field("material", &T::material, "a name; `surfaces` says which laws hold between two"),
        field("self", &T::self, "it may touch itself"));
  }
};

/// Nodes that a body in its modes keeps as they are.
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
        field("axes", &T::axes, "of space along which they are kept: x, y, z; all when not given"));
  }
};

/// A mesh that moves in its lowest modes.
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
                 "the lowest, rigid motions included; with `keep` those of the rest while what is "
                 "kept is held, and 0 of them keeps its static answer alone"),
        field("at", &T::at, unit::m, kAnyNumber,
              "places where it is met and heard, in the frame of the mesh and on a straight line; "
              "contacts and outputs name them by place or by number"),
        field("direction", &T::direction, "along which the places of `at` move, of any length"),
        field("keep", &T::keep,
              "nodes whose displacements stay degrees of freedom (Craig and Bampton): it is met "
              "and heard there as a mesh is, with friction; with `fixed` they must hold the body"));
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
        required("mesh", &T::mesh, "what it fills, cut into elements"),
        field("material", &T::material, "of all elements"),
        field("materials", &T::materials, "of sets of elements; each element is in one of them"),
        field("plane", &T::plane, "of plane elements: strain across the plane, or stress, is zero"),
        field("thickness", &T::thickness, unit::m, kPositive, "of plane elements"),
        field("area", &T::area, unit::m2, kPositive, "of the cross section of bars"),
        field(
            "form", &T::form,
            "total_lagrangian: any strain; body_corotational: small strains about one rotation of "
            "the whole body, with one factor for all steps; linear material"),
        field("tangent", &T::tangent,
              "of law corotated: exact, or warped, which is cheaper and never indefinite"),
        field("solver", &T::solver, "of the linear systems of a step"),
        field("mass", &T::mass,
              "lumped at the nodes, or consistent with the shape functions; explicit schemes are "
              "fast with lumped masses alone"),
        field("viscosity", &T::viscosity,
              "form of rayleigh.stiffness: current_tangent r_K K(q) v, as Solfec; strain_rate "
              "leaves rigid turns alone"),
        field("position", &T::position, unit::m, kAnyNumber,
              "of the origin of the mesh; places and sets keep the frame of the mesh"),
        field("rotation", &T::rotation, "of the mesh, about its origin"),
        field("velocity", &T::velocity, unit::m_per_s, kAnyNumber, "of the mass centre at t = 0"),
        field("spin", &T::spin, unit::rad_per_s, kAnyNumber,
              "angular velocity at t = 0 about the mass centre, along the axes of the mesh"),
        field("start", &T::start,
              "CSV file of displacements at t = 0, one row a node: ux, uy, uz [m], perhaps vx, vy, "
              "vz [m/s], added to `velocity` and `spin`; along the axes of space"),
        field("gravity", &T::gravity, unit::m_per_s2, kAnyNumber,
              "on this body; `gravity` of the scene when not given"),
        field("fixed", &T::fixed, "nodes that stay where they are"),
        field("prescribed", &T::prescribed, "nodes whose motion is given"),
        field("loads", &T::loads, "forces on faces and nodes"),
        field("stops", &T::stops,
              "nodes whose mass goes to the others, against fixed planes: contact without impacts "
              "and without ripple, for linear material and lumped mass; no law of contact"),
        field("surface", &T::surface, "what touches, and what it is made of"),
        field("touches", &T::touches, "false: touches nothing but by `contacts`"),
        field("modes", &T::modes,
              "the body is linearised where it is undeformed, and moves in its lowest modes alone; "
              "it starts undeformed and touches by `contacts` at chosen places"));
  }
};

}  // namespace saltus

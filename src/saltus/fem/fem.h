// Finite elements in the reference configuration: M v' = loads + M g - f_int(u) - C v + r.
#pragma once
#include <memory>
#include <vector>

#include "saltus/bodies/material.h"
#include "saltus/bodies/nodal_body.h"
#include "saltus/bodies/uniform_field.h"
#include "saltus/fem/mass_redistribution.h"
#include "saltus/mesh/mesh.h"

namespace saltus {

/// Whether the strain or the stress along z vanishes in plane elements.
enum class PlaneState { strain, stress };

/// Material and cross-section of elements; ElementBlock::material is an index of these.
struct FemMaterial {
  Material material;
  PlaneState plane = PlaneState::strain;
  double thickness = 1.0;  ///< of plane elements [m]
  double area = 1.0;       ///< of bars [m^2], which are free to contract laterally
};

/// lumped: row sums; for quadratic elements the diagonal scaled to the mass of the element (HRZ).
enum class MassForm { lumped, consistent };

/// total_lagrangian: f_a = int P grad0 N_a dV with any law, for large strains and rotations.
/// body_corotational: one rotation R of the whole body, the best fit to its nodes, and K0 of the
/// linear law:
///     f = R Q^T K0 d,   d = R^T (x - xc) - (X - Xc),
/// where Q removes rigid motion from d (docs/theory/fem.md, section 10). For small strains about
/// any rigid motion; A = R (m M + k K0) R^T is factorised once for each (m, k).
enum class FemForm { total_lagrangian, body_corotational };

/// K of elements with the law `corotated`. exact: the derivative of the force; it may be indefinite
/// in elements under compression. warped: R K_e R^T, without the change of R; it is never
/// indefinite and cheaper, but Newton's method needs more iterations. Forces and energy are the
/// same in both cases.
enum class CorotatedTangent { exact, warped };

/// How A x = b is solved. conjugate_gradients: preconditioned by the diagonal blocks of the nodes;
/// only A itself is stored. If a solve does not reach the tolerance, record(Factor) reports it and
/// the step ends. automatic: conjugate gradients where A of a large mesh changes in every step and
/// M and A indicate that they cost a fraction of a factorisation; a factorisation where they do not
/// converge.
struct FemSolver {
  enum class Kind { automatic, direct, conjugate_gradients } kind = Kind::automatic;
  /// |b - A x| <= tolerance |b|; 0: always `iterations` iterations, and never a failure
  double tolerance = 1e-10;
  int iterations = 2000;  ///< maximum
};

struct FemSystem {
  Mesh mesh;
  std::vector<FemMaterial> materials;
  FemForm form = FemForm::total_lagrangian;
  CorotatedTangent tangent = CorotatedTangent::exact;
  FemSolver solver;
  MassForm mass = MassForm::lumped;
  Rayleigh rayleigh;
  Viscosity viscosity = Viscosity::current_tangent;
  Vector3 gravity = Vector3::Zero();  ///< [m/s^2], along the dimensions of the mesh
  UniformField field;                 ///< likewise
  std::vector<Load> loads;            ///< degree of freedom 3 node + axis
  std::vector<Prescribed> prescribed;
  /// Nodes whose mass goes to other nodes (fem/mass_redistribution.h); requires lumped masses. Used
  /// by RedistributedMass: on its own such a body has no inverse of M.
  std::vector<int> massless = {};
};

/// Dead load of `stress` [Pa] per reference area: int N_a stress dA at the nodes of these faces.
/// thickness [m] is that of plane meshes.
Load traction_load(const Mesh& mesh, std::span<const MeshFace> faces, const Vector3& stress,
                   const Signal& signal, double thickness = 1.0);
/// Traction load with the stress -pressure n, where n is the outward normal of the reference.
Load pressure_load(const Mesh& mesh, std::span<const MeshFace> faces, double pressure,
                   const Signal& signal, double thickness = 1.0);
/// Fixes the given axes of these nodes at zero displacement.
std::vector<Prescribed> fixed_nodes(std::span<const int> nodes, std::span<const int> axes);

/// [N], [N m]
struct Resultant {
  Vector3 force = Vector3::Zero(), moment = Vector3::Zero();
};

struct MotionBound;

/// q = displacements [m] of the degrees of freedom that are not prescribed, by nodes, then axes.
///
/// C is exact. K is the derivative of the stored energy, exact except where FemForm or
/// CorotatedTangent say otherwise. The contribution of configuration-dependent damping to K is
/// omitted, which keeps K symmetric; Newton schemes need more iterations but lose no accuracy.
///
/// Loops over elements process eight elements at once in SIMD registers, on the threads of the
/// caller's tbb::task_arena. Sums have a fixed order: results are bit-identical for any number of
/// threads and any register width.
class Fem final : public NodalBody {
 public:
  /// Throws UsageError: whatever check(mesh) and check(material) find, a material that does not
  /// exist, thickness or area <= 0, negative Rayleigh factors, gravity, loads or prescribed motion
  /// outside the dimensions of the mesh, numbers that are not finite, a degree of freedom that does
  /// not exist or is prescribed twice, or no free one; body_corotational with a law other than the
  /// linear one, with prescribed motion, or on a mesh along a line; a solver tolerance outside
  /// [0, 1), iterations < 1.
  explicit Fem(FemSystem system);
  ~Fem() override;

  const Mesh& mesh() const;
  /// tangents, second_order, constant_mass, symmetric, potential, fixed_points; affine where all
  /// laws are linear and the form is total Lagrangian.
  unsigned traits() const override;
  void multiply(Combination s, double t, View q, View v, View x, Out y) const override;
  /// Diagonal for lumped masses without stiffness; otherwise as `solver` specifies, but always
  /// direct for consistent masses without stiffness. The pattern is found once, values are refilled
  /// in place.
  void factorise(Combination s, double t, View q, View v, Factor& A) const override;
  Rayleigh rayleigh() const override;
  void prescribed_columns(Combination s, double t, View q, View v,
                          Eigen::Ref<Matrix> columns) const override;

  /// PointRef::feature: a node, or the number of nodes plus an element, with its natural
  /// coordinates in `local`.
  PointRef node_point(int node) const;
  PointRef element_point(int element, const Vector3& xi) const;

  // -- results. Stress is the Cauchy stress in spatial axes without the viscous part; for the
  // linear law it refers to the reference configuration.
  int stress_points(int element) const;
  /// Position in the reference [m] of an integration point of the stiffness rule.
  Vector3 stress_place(int element, int point) const;
  Matrix3 stress(double t, View q, int element, int point) const;
  /// Stress at integration points, extrapolated to the nodes of each element by a low-degree fit,
  /// then averaged at each node over its elements, weighted by volume: xx, yy, zz, xy, yz, zx [Pa],
  /// 6 x nodes. Allocates memory.
  void nodal_stress(double t, View q, Eigen::Ref<Matrix> stress) const;
  /// The same at some nodes only, 6 x nodes. `elements`: all that contain one of them.
  void nodal_stress(double t, View q, std::span<const int> elements, std::span<const int> nodes,
                    Eigen::Ref<Matrix> stress) const;
  /// Resultant of the stress of these elements on these nodes: force, and moment about a point,
  /// both in spatial axes.
  Resultant resultant(double t, View q, std::span<const int> elements, std::span<const int> nodes,
                      const Vector3& about) const;
  /// Linear momentum [N s] and angular momentum about the origin [N m s] of all nodes.
  Resultant momentum(double t, View q, View v) const;
  double total_mass() const;  ///< [kg]
  /// Minimum of det F over the integration points: <= 0 where an element is inverted, which the
  /// laws `linear` and St Venant-Kirchhoff do not detect. Bars: 1.
  double least_volume_ratio(double t, View q) const;
  /// with the masses of FemSystem::massless redistributed; all moments if there are none
  MomentsKept moments_kept() const;

 private:
  friend MotionBound motion_bound(const Fem& body, double t, View q);  ///< fem/critical_step.h
  struct Elements;
  Elements* elements_;  ///< nodes_, as its derived type
};

}  // namespace saltus

// Finite elements in the reference configuration: M v' = loads + M g - f_int(u) - C v + r.
#pragma once
#include <memory>
#include <vector>

#include "saltus/bodies/material.h"
#include "saltus/bodies/nodal_body.h"
#include "saltus/fem/mass_redistribution.h"
#include "saltus/mesh/mesh.h"

namespace saltus {

/// Where strain or stress along z vanishes in plane elements.
enum class PlaneState { strain, stress };

/// What elements are made of; ElementBlock::material is an index of these.
struct FemMaterial {
  Material material;
  PlaneState plane = PlaneState::strain;
  double thickness = 1.0;  ///< of plane elements [m]
  double area = 1.0;       ///< of bars [m^2], which are free to contract sideways
};

/// lumped: row sums, of quadratic elements the diagonal scaled to the mass of the element (HRZ).
enum class MassForm { lumped, consistent };

/// total_lagrangian: f_a = int P grad0 N_a dV of any law, for large strains and turns.
/// body_corotational: one rotation R of the whole body, that which fits its nodes best, and K0 of
/// the linear law:
/// f = R Q^T K0 d, d = R^T (x - xc) - (X - Xc), Q what d loses of rigid motion (docs/theory/fem.md,
/// section 10). For small strains about any rigid motion; A = R (m M + k K0) R^T, whose factor is
/// made once for each (m, k).
enum class FemForm { total_lagrangian, body_corotational };

/// K of elements of the law `corotated`. exact: the slope of the force; where elements are pressed
/// it may be indefinite. warped: without the change of R, R K_e R^T; never indefinite and cheaper,
/// and Newton's method takes more passes. Forces and energy are those of the law in both.
enum class CorotatedTangent { exact, warped };

/// How A x = b is solved. conjugate_gradients: preconditioned by the blocks of the nodes; nothing
/// but A itself in memory. Solves that do not reach the tolerance are told by record(Factor), which
/// ends the step. automatic: by conjugate gradients where A of a large mesh changes in every step
/// and they cost a fraction of a factor, as far as M and A tell; where they do not get there a
/// factor is made.
struct FemSolver {
  enum class Kind { automatic, direct, conjugate_gradients } kind = Kind::automatic;
  double tolerance =
      1e-10;  ///< |b - A x| <= tolerance |b|; 0: as many iterations as given, and no failure
  int iterations = 2000;  ///< at most
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
  std::vector<Load> loads;            ///< degree of freedom 3 node + axis
  std::vector<Prescribed> prescribed;
  /// Nodes whose mass goes to the others (fem/mass_redistribution.h), of lumped masses alone; for
  /// RedistributedMass: by itself such a body has no inverse of M.
  std::vector<int> massless = {};
};

/// Dead load of `stress` [Pa] on an area of the reference: int N_a stress dA at the nodes of these
/// faces. thickness [m] of plane meshes.
Load traction_load(const Mesh& mesh, std::span<const MeshFace> faces, const Vector3& stress,
                   const Signal& signal, double thickness = 1.0);
/// The same with the stress -pressure n, n the outward normal of the reference.
Load pressure_load(const Mesh& mesh, std::span<const MeshFace> faces, double pressure,
                   const Signal& signal, double thickness = 1.0);
/// The axes of these nodes held where they are.
std::vector<Prescribed> fixed_nodes(std::span<const int> nodes, std::span<const int> axes);

/// [N], [N m]
struct Resultant {
  Vector3 force = Vector3::Zero(), moment = Vector3::Zero();
};

struct MotionBound;

/// q = displacements [m] of the degrees of freedom that are not prescribed, by nodes, then axes.
///
/// C is exact. K is that of the stored energy, exact but where FemForm or CorotatedTangent say
/// otherwise; what damping adds to it with its change of configuration is left out, which keeps it
/// symmetric and costs Newton schemes passes, no accuracy.
///
/// Loops over elements run in registers of eight elements and on the threads of the caller's
/// tbb::task_arena. Sums have one order: no bit depends on the threads or on the width of the
/// registers.
class Fem final : public NodalBody {
 public:
  /// Throws UsageError: what check(mesh) and check(material) find, a material that is not there,
  /// thickness or area <= 0, negative Rayleigh factors, gravity, loads or prescribed motion across
  /// the dimension of the mesh, numbers that are not finite, a degree of freedom that is not there
  /// or prescribed twice, all of them prescribed; body_corotational with another law than the
  /// linear one, with prescribed motion, or on a mesh along a line; a tolerance of the solver
  /// outside [0, 1), no iterations.
  explicit Fem(FemSystem system);
  ~Fem() override;

  const Mesh& mesh() const;
  /// tangents, second_order, constant_mass, symmetric, potential, fixed_points; affine where all
  /// laws are linear and the form is total Lagrangian.
  unsigned traits() const override;
  void multiply(Combination s, double t, View q, View v, View x, Out y) const override;
  /// Diagonal for lumped masses alone; otherwise what `solver` says, of consistent masses alone
  /// always direct. The pattern is found once, values are refilled in place.
  void factorise(Combination s, double t, View q, View v, Factor& A) const override;
  Rayleigh rayleigh() const override;
  void prescribed_columns(Combination s, double t, View q, View v,
                          Eigen::Ref<Matrix> columns) const override;

  /// PointRef::feature: a node, or from the number of nodes on an element, with its natural
  /// coordinates in local.
  PointRef node_point(int node) const;
  PointRef element_point(int element, const Vector3& xi) const;

  // -- results. Stress is Cauchy's without the viscous part, in space; of the linear law that of
  // the reference.
  int stress_points(int element) const;
  /// Place in the reference [m] of a point of the stiffness rule.
  Vector3 stress_place(int element, int point) const;
  Matrix3 stress(double t, View q, int element, int point) const;
  /// Stress of the points carried to the nodes of each element by a fit of low degree, at nodes the
  /// mean of their elements weighted by their volume: xx, yy, zz, xy, yz, zx [Pa], 6 x nodes. Takes
  /// memory.
  void nodal_stress(double t, View q, Eigen::Ref<Matrix> stress) const;
  /// What the stress of these elements does to these nodes: force, and moment about a place, both
  /// in space.
  Resultant resultant(double t, View q, std::span<const int> elements, std::span<const int> nodes,
                      const Vector3& about) const;
  /// Linear momentum [N s] and angular momentum about the origin [N m s] of all nodes.
  Resultant momentum(double t, View q, View v) const;
  double total_mass() const;  ///< [kg]
  /// Least det F over the points of integration: <= 0 where an element is turned inside out, of
  /// which the laws `linear` and St Venant-Kirchhoff take no notice. Bars: 1.
  double least_volume_ratio(double t, View q) const;
  MomentsKept moments_kept() const;  ///< by the masses of FemSystem::massless; without them all

 private:
  friend MotionBound motion_bound(const Fem& body, double t, View q);  ///< fem/critical_step.h
  struct Elements;
  Elements* elements_;  ///< nodes_ as what it is
};

}  // namespace saltus

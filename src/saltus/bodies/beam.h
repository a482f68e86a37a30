// Thin elastic beams in space without shear and torsion, for large rotations: cubic elements
// between nodes that have a position and a slope.
//
//     V = int EA/2 (|r'| - 1)^2 + EI/2 |r' x r''|^2/|r'|^4 dx,
//         M r'' = loads + M g - dV/dr - C r'
#pragma once
#include <memory>
#include <vector>

#include "saltus/bodies/signal.h"
#include "saltus/bodies/uniform_field.h"
#include "saltus/dynamics/dynamics.h"

namespace saltus {

/// All > 0. The bending stiffness is the same about both axes of the section.
struct BeamSection {
  double axial = 1.0;      ///< EA [N]
  double bending = 1.0;    ///< EI [N m^2]
  double line_mass = 1.0;  ///< rho A [kg/m]
};
BeamSection round_section(double young, double density, double diameter);

/// Straight in the reference configuration. Degree of freedom 6 node + i is component i of the
/// position r, 6 node + 3 + i that of the slope dr/dx, in the frame of the beam: axis 0 along it, 1
/// `across`, 2 the third axis of a right-handed frame.
struct BeamSystem {
  BeamSection section;
  double length = 1.0;  ///< [m]
  int elements = 10;
  Vector3 origin = Vector3::Zero();                            ///< position of x = 0 [m]
  Vector3 axis = Vector3::UnitX(), across = Vector3::UnitY();  ///< unit vectors, perpendicular
  Rayleigh rayleigh;                                           ///< rM M + rK K(q)
  Vector3 gravity = Vector3::Zero();                           ///< [m/s^2], in space
  UniformField field;                                          ///< likewise
  /// [N] on positions, [N m] on slopes
  std::vector<Load> loads;
  std::vector<int> held;  ///< degrees of freedom fixed at their reference values
};
/// Degrees of freedom to hold at a node: clamped_node() fixes position and direction but not the
/// stretch, pinned_node() fixes the position only (a ball joint).
std::vector<int> clamped_node(int node);
std::vector<int> pinned_node(int node);

/// q = displacements of the degrees of freedom that are not held, in ascending order; v = q'.
/// Positions and slopes form a vector space: M is constant (consistent), and V depends only on q.
/// r'' = d^2r/dx^2 is continuous within elements, r' everywhere. Bending is measured by the
/// rotation of the tangent per unit of x, |dt/dx|: a closed form of the Kirchhoff rod, exact for
/// large rotations and stretches. Bending is integrated with two Gauss points, stretching with
/// three Lobatto points, the outer two shared with the neighbouring elements: with three Gauss
/// points slender beams lock (docs/theory/beam.md). C is exact. K is the Hessian of V; the
/// derivative of the damping r_K K(q) v is left out, which keeps K symmetric.
class ElasticBeam final : public Dynamics {
 public:
  /// Throws UsageError if a value of the section, the length or the number of elements is not
  /// positive, an axis is not a unit vector, a Rayleigh factor is negative, a degree of freedom
  /// does not exist or is held twice, or all of them are held.
  explicit ElasticBeam(BeamSystem system);
  ~ElasticBeam() override;
  const BeamSystem& system() const;
  int nodes() const;

  int positions() const override;
  int velocities() const override { return positions(); }
  /// tangents, second_order, constant_mass, symmetric, potential, fixed_points.
  unsigned traits() const override;
  int free_index(int dof) const;  ///< component of q, -1: held

  void force(double t, View q, View v, Out f) const override;
  void potential_force(double t, View q, Out f) const override;
  void multiply(Combination s, double t, View q, View v, View x, Out y) const override;
  /// Sparse, with blocks near the diagonal; the pattern is computed once.
  void factorise(Combination s, double t, View q, View v, Factor& A) const override;
  Rayleigh rayleigh() const override;

  /// PointRef::feature is the element, local.x() its xi in [0, 1].
  PointRef point(double x) const;  ///< the point at x along the beam [m]
  void points(double t, View q, std::span<const PointRef> at, Out x) const override;
  void point_rows(View q, View axes, std::span<const PointRef> at, PointRows& J) const override;
  std::unique_ptr<PointTable> table(std::span<const PointRef> at,
                                    std::span<const Vector3> direction) const override;

  /// |r'| - 1 and r' x r''/|r'|^2 in space [1/m] at a point; the axial force is EA times the
  /// stretch, the bending moment EI times the curvature.
  struct Strain {
    double stretch;
    Vector3 curvature;
  };
  Strain strain(View q, const PointRef& at) const;

  /// "elastic", "gravity" (both with a potential), "damping", "load": those that exist. The
  /// potential of gravity is 0 in the reference configuration.
  std::span<const Source> sources() const override;
  void breaks(Breaks& out) const override;
  Energy energy(double t, View q, View v) const override;
  void power(double t, std::optional<double> held, View q, View v, View w,
             std::span<double> by_source) const override;

 private:
  struct Elements;
  std::unique_ptr<Elements> elements_;
};

}  // namespace saltus

// Thin elastic beams without shear and torsion, in space, under large turns: cubic elements between
// nodes that carry a place and a slope.
//
//     V = int EA/2 (|r'| - 1)^2 + EI/2 |r' x r''|^2/|r'|^4 dx,
//         M r'' = loads + M g - dV/dr - C r'
#pragma once
#include <memory>
#include <vector>

#include "saltus/bodies/signal.h"
#include "saltus/dynamics/dynamics.h"

namespace saltus {

/// All > 0. Bending is the same about both axes of the section.
struct BeamSection {
  double axial = 1.0;      ///< EA [N]
  double bending = 1.0;    ///< EI [N m^2]
  double line_mass = 1.0;  ///< rho A [kg/m]
};
BeamSection round_section(double young, double density, double diameter);

/// Straight in the reference. A degree of freedom is 6 node + i of the place r, 6 node + 3 + i of
/// the slope dr/dx, i the axis of the beam's frame: 0 along it, 1 `across`, 2 the third of a
/// right-handed frame.
struct BeamSystem {
  BeamSection section;
  double length = 1.0;  ///< [m]
  int elements = 10;
  Vector3 origin = Vector3::Zero();                            ///< of x = 0 [m]
  Vector3 axis = Vector3::UnitX(), across = Vector3::UnitY();  ///< unit, at right angles
  Rayleigh rayleigh;                                           ///< rM M + rK K(q)
  Vector3 gravity = Vector3::Zero();                           ///< [m/s^2], in space
  std::vector<Load> loads;                                     ///< [N] on places, [N m] on slopes
  std::vector<int> held;  ///< degrees of freedom that stay where they are in the reference
};
/// Place and direction of a node held, free to stretch: a clamped end. The place alone: a ball.
std::vector<int> clamped_node(int node);
std::vector<int> pinned_node(int node);

/// q = displacements of the degrees of freedom that are not held, in their order; v = q'. Position
/// and slope are a vector space: M is constant (consistent), and V depends on q alone. r'' =
/// d^2r/dx^2 is continuous within elements, r' over all. Bending is measured by the turn of the
/// tangent a unit of x, |dt/dx|: a closed form of the Kirchhoff rod, exact for large turns and
/// stretches. Bending is summed over two points of Gauss, stretching over three of Lobatto, two of
/// which neighbours share: with three of Gauss slender beams lock (docs/theory/beam.md).
/// C is exact. K is the Hessian of V; what the damping r_K K(q) v adds to it is left out, which
/// keeps it symmetric.
class ElasticBeam final : public Dynamics {
 public:
  /// Throws UsageError: a section, length or number of elements that is not positive, an axis that
  /// is not unit, negative
  /// Rayleigh factors, a degree of freedom that is not there or held twice, all of them held.
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
  /// Sparse, by blocks next to the diagonal; the pattern is found once.
  void factorise(Combination s, double t, View q, View v, Factor& A) const override;
  Rayleigh rayleigh() const override;

  /// PointRef::feature is the element, local.x() its xi in [0, 1].
  PointRef point(double x) const;  ///< of the place x along the beam [m]
  void points(double t, View q, std::span<const PointRef> at, Out x) const override;
  void point_rows(View q, View axes, std::span<const PointRef> at, PointRows& J) const override;
  std::unique_ptr<PointTable> table(std::span<const PointRef> at,
                                    std::span<const Vector3> direction) const override;

  /// |r'| - 1 and r' x r''/|r'|^2 in space [1/m] at a point; axial force is EA times the one, the
  /// bending moment EI times the other.
  struct Strain {
    double stretch;
    Vector3 curvature;
  };
  Strain strain(View q, const PointRef& at) const;

  /// "elastic", "gravity" (both with a potential), "damping", "load": those there are. Gravity has
  /// its zero at the reference.
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

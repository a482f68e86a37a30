// Pseudo-rigid bodies: homogeneous deformation,  x + F (X - X0),  12 degrees of freedom per body.
//
//     F'' E0 = -V P(F) - V P_v(F, F') + sum f (X - X0)^T,      m x'' = m g + sum f
//
// q = (F row by row, x), v = q'. x is the position of the centre of mass, X0 that of the undeformed
// body; E0 is the Euler tensor int rho (X - X0)(X - X0)^T dV. The equations are those of
// docs/theory/pseudo_rigid.md.
#pragma once
#include <memory>
#include <vector>

#include "saltus/bodies/material.h"
#include "saltus/bodies/signal.h"
#include "saltus/dynamics/dynamics.h"
#include "saltus/shapes/shape.h"

namespace saltus {

struct PseudoRigidBody {
  double mass = 0.0, volume = 0.0;  ///< of the undeformed body, > 0 [kg], [m^3]
  Matrix3 euler = Matrix3::Zero();  ///< E0 [kg m^2], symmetric, positive definite
  Material material;                ///< its density is not used
};

/// A body of this material that fills the solid; X0 is the centre of the moments. For a shape, use
/// moments(shape).
PseudoRigidBody pseudo_rigid_body(const SolidMoments& solid, const Material& material);

/// A force [N] on a material point: f = value(t) direction in space, or convected, f = value(t) F
/// direction.
struct PseudoRigidLoad {
  int body = 0;
  bool convected = false;
  Vector3 direction = Vector3::UnitZ();  ///< times the value of the signal
  Vector3 at = Vector3::Zero();          ///< X - X0 [m]
  Signal signal;
};

struct PseudoRigidSystem {
  std::vector<PseudoRigidBody> bodies;
  Vector3 gravity = Vector3::Zero();  ///< [m/s^2]
  double eta = 0.0;                   ///< [s]
  Viscosity viscosity = Viscosity::current_tangent;
  std::vector<PseudoRigidLoad> loads;
};

/// C is exact. K is exact, except that for current_tangent d(dP/dF F')/dF is left out, as in
/// Solfec, which keeps it symmetric.
class PseudoRigid final : public Dynamics {
 public:
  /// Throws UsageError that names the body if a mass, volume or modulus is not positive, poisson is
  /// outside (-1, 0.5), E0 is not symmetric or not positive definite, a load acts on a body that
  /// does not exist, or a number is not finite.
  explicit PseudoRigid(PseudoRigidSystem system);
  ~PseudoRigid() override;
  const PseudoRigidSystem& system() const;

  int bodies() const override;
  int positions() const override { return 12 * bodies(); }
  int velocities() const override { return 12 * bodies(); }
  /// tangents, second_order, constant_mass, potential, fixed_points; symmetric without convected
  /// loads and strain-rate damping; affine if, in addition, every material is linear.
  unsigned traits() const override;

  void force(double t, View q, View v, Out f) const override;
  void potential_force(double t, View q, Out f) const override;
  void multiply(Combination s, double t, View q, View v, View x, Out y) const override;
  /// One 9 x 9 matrix and a scalar per body; for M only, one 3 x 3 matrix and a scalar.
  void factorise(Combination s, double t, View q, View v, Factor& A) const override;
  Rayleigh rayleigh() const override;

  /// PointRef::local is X - X0.
  void points(double t, View q, std::span<const PointRef> at, Out x) const override;
  void point_rows(View q, View axes, std::span<const PointRef> at, PointRows& J) const override;
  std::unique_ptr<PointTable> table(std::span<const PointRef> at,
                                    std::span<const Vector3> direction) const override;

  Matrix3 deformation(View q, int body = 0) const;  ///< F
  Matrix3 stress(View q, int body = 0) const;       ///< elastic Cauchy stress [Pa]
  /// About the centre of mass, in space [kg m^2/s].
  Vector3 angular_momentum(View q, View v, int body = 0) const;

  /// "elastic", "gravity" (both with a potential), "damping", "load": those that exist.
  std::span<const Source> sources() const override;
  void breaks(Breaks& out) const override;
  /// The potential of gravity is 0 at the origin.
  Energy energy(double t, View q, View v) const override;
  Energy energy_of_body(int body, double t, View q, View v) const override;
  void power(double t, std::optional<double>, View q, View v, View w,
             std::span<double> by_source) const override;

 private:
  struct Bodies;
  std::unique_ptr<const Bodies> bodies_;
};

}  // namespace saltus

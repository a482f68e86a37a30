// Pseudo-rigid bodies: homogeneous deformation,  x + F (X - X0),  12 degrees of freedom a body.
//
//     F'' E0 = -V P(F) - V P_v(F, F') + sum f (X - X0)^T,      m x'' = m g + sum f
//
// q = (F row by row, x), v = q'. x is the place of the mass centre, X0 that of the undeformed body;
// E0 the Euler tensor int rho (X - X0)(X - X0)^T dV. The equations are those of
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
  Material material;                ///< its density is not read
};

/// A body of this material that fills the solid; X0 is the centre of the moments. For a shape:
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

/// C is exact. K is exact, but for current_tangent without d(dP/dF F')/dF, as in Solfec, which
/// keeps it symmetric.
class PseudoRigid final : public Dynamics {
 public:
  /// Throws UsageError naming the body: mass, volume or moduli not positive, poisson outside (-1,
  /// 0.5), E0 not symmetric or not positive definite, a load on a body that is not there, numbers
  /// that are not finite.
  explicit PseudoRigid(PseudoRigidSystem system);
  ~PseudoRigid() override;
  const PseudoRigidSystem& system() const;

  int bodies() const override;
  int positions() const override { return 12 * bodies(); }
  int velocities() const override { return 12 * bodies(); }
  /// tangents, second_order, constant_mass, potential, fixed_points; symmetric without convected
  /// loads and strain-rate damping; affine where moreover every material is linear.
  unsigned traits() const override;

  void force(double t, View q, View v, Out f) const override;
  void potential_force(double t, View q, Out f) const override;
  void multiply(Combination s, double t, View q, View v, View x, Out y) const override;
  /// One 9 x 9 and a scalar a body; M alone: one 3 x 3 and a scalar.
  void factorise(Combination s, double t, View q, View v, Factor& A) const override;
  Rayleigh rayleigh() const override;

  /// PointRef::local is X - X0.
  void points(double t, View q, std::span<const PointRef> at, Out x) const override;
  void point_rows(View q, View axes, std::span<const PointRef> at, PointRows& J) const override;
  std::unique_ptr<PointTable> table(std::span<const PointRef> at,
                                    std::span<const Vector3> direction) const override;

  Matrix3 deformation(View q, int body = 0) const;  ///< F
  Matrix3 stress(View q, int body = 0) const;       ///< elastic Cauchy stress [Pa]
  /// About the mass centre, in space [kg m^2/s].
  Vector3 angular_momentum(View q, View v, int body = 0) const;

  /// "elastic", "gravity" (both with a potential), "damping", "load": those there are.
  std::span<const Source> sources() const override;
  /// Gravity has its zero at the origin.
  void breaks(Breaks& out) const override;
  Energy energy(double t, View q, View v) const override;
  void power(double t, std::optional<double>, View q, View v, View w,
             std::span<double> by_source) const override;

 private:
  struct Bodies;
  std::unique_ptr<const Bodies> bodies_;
};

}  // namespace saltus

// Rigid bodies:  m v' = f,   J Omega' = T - Omega x J Omega,   x' = v,   Q' = Q Omega^/2
//
// q = (x, Q = w x y z), 7 per body; v = (v, Omega), 6 per body: v in space, Omega in the body
// frame. x is the centre of mass. retract normalises Q. Forces act in space at the centre of mass,
// torques in the body frame; loads may be given in either.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "saltus/bodies/signal.h"
#include "saltus/dynamics/dynamics.h"

namespace saltus {

struct RigidBody {
  double mass = 0.0;  ///< [kg] > 0
  /// About the centre of mass, body frame [kg m^2]; symmetric, positive definite.
  Matrix3 inertia = Matrix3::Zero();
  /// Locked components of (v, Omega), which stay 0: x, y, z in space, then about the body axes.
  std::array<bool, 6> locked{};
};

/// A force [N] or torque [N m] that depends on time: value(t) direction, fixed in space or in the
/// body.
struct RigidLoad {
  int body = 0;
  bool torque = false, in_body = false;
  Vector3 direction = Vector3::UnitZ();  ///< times the value of the signal
  Vector3 at = Vector3::Zero();  ///< where a force acts, body frame, from the centre of mass [m]
  Signal signal;
};

struct RigidSystem {
  std::vector<RigidBody> bodies;
  Vector3 gravity = Vector3::Zero();  ///< [m/s^2]
  double drag = 0.0;                  ///< force -drag v [N s/m]
  double spin_drag = 0.0;             ///< torque -spin_drag Omega [N m s]
  std::vector<RigidLoad> loads;
};

/// Throws UsageError that names the body if a mass or inertia is not positive, an inertia is not
/// symmetric or has principal moments that no distribution of mass has (one exceeds the sum of the
/// other two by more than round-off), or a load acts on a body that does not exist.
///
/// Sources: "gravity", "damping" (both drags), "load", "gyroscopic", those that exist. symmetric if
/// every inertia is that of a ball and no load depends on the rotation. separable without drags,
/// unless a locked axis of rotation is coupled to the free ones by products of inertia. multiply()
/// ignores locks; inverses of factorise() are 0 along locked components, so that their velocity
/// stays exactly 0.
class Rigid final : public Dynamics {
 public:
  explicit Rigid(RigidSystem system);
  ~Rigid() override;
  const RigidSystem& system() const;

  int bodies() const override;
  int positions() const override { return 7 * bodies(); }
  int velocities() const override { return 6 * bodies(); }
  unsigned traits() const override;

  void retract(View q, View w, Out out) const override;
  void increment_rate(View w, View v, Out rate) const override;
  void force(double t, View q, View v, Out f) const override;
  void multiply(Combination s, double t, View q, View v, View x, Out y) const override;
  void factorise(Combination s, double t, View q, View v, Factor& A) const override;
  void potential_force(double t, View q, Out f) const override;
  void load(double t, View q, View v, Out f) const override;
  void coast(double h, Out q, Out v) const override;
  const RigidData* rigid() const override;
  void frames(double t, View q, std::span<Pose> out) const override;

  void points(double t, View q, std::span<const PointRef> at, Out x) const override;
  void point_rows(View q, View axes, std::span<const PointRef> at, PointRows& J) const override;
  void spin_rows(View q, View axes, std::span<const PointRef> at, PointRows& J) const override;

  std::span<const Source> sources() const override;
  void breaks(Breaks& out) const override;
  Energy energy(double t, View q, View v) const override;
  Energy energy_of_body(int body, double t, View q, View v) const override;
  void power(double t, std::optional<double>, View q, View v, View w,
             std::span<double> by_source) const override;

 private:
  struct Bodies;
  std::unique_ptr<Bodies> bodies_;
};

}  // namespace saltus

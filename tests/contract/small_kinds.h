// Small kinds of bodies, each complete: what the registry's kinds do not have and every scheme must still get right.
//
//     rail pendulum  M(q), inertial forces of v^2, tangents unsymmetric, rows that depend on q
//     bead           first order, M v' = F(t, v), M and C full matrices, C unsymmetric
//     rigid body     q = (x, quaternion), v = (x' world, Omega body), SO(3), gyroscopic moments
#pragma once
#include <array>
#include <limits>

#include "saltus/dynamics/dynamics.h"

namespace saltus::contract {

/// Units in which the data of a body are written: 1 kg, 1 m, 1 s are mass, length, time of them.
struct Units {
  double mass = 1.0, length = 1.0, time = 1.0;
  double velocity() const { return length / time; }
  double acceleration() const { return length / (time * time); }
  double force() const { return mass * acceleration(); }
  double energy() const { return force() * length; }
};

/// A <- dense, in the storage that A has.
void refill(const Matrix& dense, Factor& A);

/// A block on a vertical rail, held by a spring and a dashpot, from which a bob hangs on a rod: q = (z, phi),
///     M = [m_block + m_bob, m_bob l sin phi; m_bob l sin phi, m_bob l^2]
///     F = (-(m_block + m_bob) g - k z - d z' - m_bob l cos phi phi'^2, -m_bob g l sin phi)
/// Points: feature 0 the block, 1 the bob; the pendulum swings in the plane of x and z.
class RailPendulum final : public Dynamics {
 public:
  struct Data {
    double block = 1.7, bob = 0.6, rod = 0.45, gravity = 9.81, spring = 140.0, dashpot = 0.0;
  };
  RailPendulum(Data data, Units units);

  int positions() const override { return 2; }
  int velocities() const override { return 2; }
  unsigned traits() const override { return Trait::tangents | Trait::second_order; }
  void force(double t, View q, View v, Out f) const override;
  void multiply(Combination s, double, View q, View v, View x, Out y) const override;
  void factorise(Combination s, double, View q, View v, Factor& A) const override;
  void points(double t, View q, std::span<const PointRef> at, Out x) const override;
  void point_rows(View q, View axes, std::span<const PointRef> at, PointRows& J) const override;
  std::span<const Source> sources() const override { return sources_; }
  Energy energy(double t, View q, View v) const override;
  void power(double t, std::optional<double>, View q, View v, View w,
             std::span<double> by_source) const override;

 private:
  Eigen::Matrix2d combine(Combination s, View q, View v) const;
  Data d_;
  std::array<Source, 4> sources_;
};

/// A bead in a turning viscous fluid: M v' = pull + drive sin(rate t) - C v, q the place it has reached. Its points are
/// local + q, on a plate that moves with `drift` in the direction z.
class Bead final : public Dynamics {
 public:
  struct Data {
    Vector3 pull = {0.0, 0.0, -9.0};   ///< [N]
    Vector3 drive = {2.0, -1.0, 1.5};  ///< [N]
    double rate = 3.0;                 ///< [1/s]
    double viscosity = 1.0;            ///< scale of C, 1 or 0
    double drift = 0.0;                ///< prescribed velocity of the points along z [m/s]
    bool fixed_points = true;          ///< offer a table
    double breaks = std::numeric_limits<
        double>::infinity();  ///< from this time on the force is not a number [s]
  };
  Bead(Data data, Units units);

  int positions() const override { return 3; }
  int velocities() const override { return 3; }
  unsigned traits() const override;
  void force(double t, View q, View v, Out f) const override;
  void multiply(Combination s, double, View q, View v, View x, Out y) const override;
  void factorise(Combination s, double, View q, View v, Factor& A) const override;
  void points(double t, View q, std::span<const PointRef> at, Out x) const override;
  void point_rows(View q, View axes, std::span<const PointRef> at, PointRows& J) const override;
  void point_drift(double t, View q, std::span<const PointRef> at, Out d) const override;
  std::unique_ptr<PointTable> table(std::span<const PointRef> at,
                                    std::span<const Vector3> direction) const override;
  std::span<const Source> sources() const override { return sources_; }
  Energy energy(double t, View q, View v) const override;
  void power(double t, std::optional<double>, View q, View v, View w,
             std::span<double> by_source) const override;

 private:
  Vector3 load(double t) const;
  Data d_;
  Eigen::Matrix3d M_, C_;
  std::array<Source, 2> sources_{{{"drag", false}, {"load", false}}};
};

/// A rigid body in gravity: J Omega' = -Omega x J Omega. PointRef::local is a place X in the body, x + R X.
class Rigid final : public Dynamics {
 public:
  /// exact: C = Omega^ J - (J Omega)^, unsymmetric.  symmetrised: C = 0 on the rotations, a quasi-Newton matrix.
  enum class Tangent { exact, symmetrised };
  struct Data {
    double mass = 1.3, gravity = 9.81;
    Vector3 inertia = {0.021, 0.034, 0.047};  ///< principal moments [kg m^2]
    Tangent tangent = Tangent::exact;
  };
  Rigid(Data data, Units units);

  int positions() const override { return 7; }
  int velocities() const override { return 6; }
  unsigned traits() const override;
  void retract(View q, View w, Out out) const override;
  void increment_rate(View w, View v, Out rate) const override;
  void force(double t, View q, View v, Out f) const override;
  void multiply(Combination s, double, View q, View v, View x, Out y) const override;
  void factorise(Combination s, double, View q, View v, Factor& A) const override;
  void points(double t, View q, std::span<const PointRef> at, Out x) const override;
  void point_rows(View q, View axes, std::span<const PointRef> at, PointRows& J) const override;
  std::span<const Source> sources() const override { return sources_; }
  Energy energy(double t, View q, View v) const override;
  void power(double t, std::optional<double>, View q, View v, View w,
             std::span<double> by_source) const override;

  /// R of a configuration: body to world.
  static Eigen::Matrix3d rotation(View q);
  /// J Omega in the world [kg m^2/s].
  Vector3 angular_momentum(View q, View v) const;

 private:
  Eigen::Matrix<double, 6, 6> combine(Combination s, View v) const;
  Data d_;
  std::array<Source, 2> sources_{{{"gravity", true}, {"gyroscopic", false}}};
};

}  // namespace saltus::contract

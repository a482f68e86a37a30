// What a group of equal bodies must provide:  M(q) v' = F(t, q, v) + r,  r = H^T P  the contact
// impulses.
//
// Dynamics knows no scheme. Every operation is a batch over the group. `out` never aliases an
// argument.
//
// What an operation gives depends on its arguments alone, and any number of threads may call it at
// once: simulations of one model share its bodies. One that needs room to work in borrows it
// (base/work_pool.h, docs/decisions/0035).
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "saltus/base/base.h"
#include "saltus/dynamics/point_table.h"
#include "saltus/dynamics/state.h"
#include "saltus/linear_algebra/factor.h"
#include "saltus/math/rotation.h"

namespace saltus {

/// m M + c C + k K with C = -dF/dv and K = -dF/dq (F total, dq an increment of retract). The only
/// thing a scheme asks to be inverted.
struct Combination {
  double m = 1.0, c = 0.0, k = 0.0;
};

/// What a kind can do; compared with what a scheme needs when the scene is built.
/// tangents: C and K are given.  affine: F affine in (q, v), M constant.  modal: modal() is given.
/// rotations: positions() != velocities() or retract is not a sum.  symmetric: C and K are
/// symmetric.
/// fixed_points: point rows do not depend on q, table() is given.
/// second_order: forces depend on q; without it the group is M v' = F(t, v).
/// constant_mass: M does not depend on q.  potential: potential_force() is given, F minus it does
/// no work that a potential accounts for.  rigid: 6 velocities and 7 positions a body, rigid(),
/// load(), frames() and spin_rows() are given.
/// separable: M is constant, F without the gyroscopic moment does not depend on v, and coast() is
/// the motion without it. driven: V, and so energy() and potential_force(), depend on t, by
/// prescribed motion.
enum class Trait : unsigned {
  tangents = 1,
  affine = 2,
  modal = 4,
  rotations = 8,
  symmetric = 16,
  fixed_points = 32,
  second_order = 64,
  constant_mass = 128,
  potential = 256,
  rigid = 512,
  separable = 1024,
  driven = 2048
};
constexpr unsigned operator|(Trait a, Trait b) {
  return static_cast<unsigned>(a) | static_cast<unsigned>(b);
}
constexpr unsigned operator|(unsigned a, Trait b) { return a | static_cast<unsigned>(b); }
constexpr bool has(unsigned traits, Trait t) { return (traits & static_cast<unsigned>(t)) != 0; }
/// "modal, affine": names of the bits, for messages.
std::string trait_names(unsigned traits);

/// Modes  mass (q'' + 2 sigma q' + omega^2 q) = load + r.
struct ModalData {
  Vector mass;      ///< [kg] (of the modal coordinate)
  Vector omega;     ///< [rad/s], >= 0
  Vector sigma;     ///< [1/s], >= 0
  int damping = 0;  ///< index of the damping source in sources()
  int load = -1;    ///< index of the load source, -1: no load. The load at t is force(t, 0, 0).
};

/// Rayleigh damping Rd = mass M + stiffness K, a part of C (and -Rd v a part of F) of every group
/// that has it.
struct Rayleigh {
  double mass = 0.0;       ///< r_M [1/s]
  double stiffness = 0.0;  ///< r_K [s]
};

/// Rigid bodies, q = (x, Q = w x y z) and v = (v in space, Omega in the body frame) a body.
/// Inverses are 0 along what is locked; J^-1 is that of the block that is free.
struct RigidData {
  std::vector<Vector3> mass_inverse;              ///< [1/kg]
  std::vector<double> mass;                       ///< [kg]
  std::vector<Matrix3> inertia, inertia_inverse;  ///< J, about the mass centre, body frame [kg m^2]
  bool steady_load = false;                       ///< load() is the same for every t, q and v
};

/// A force of which the ledger keeps an account. Work of a force with a potential is in
/// Energy::potential.
struct Source {
  std::string name;  ///< "elastic", "gravity", "damping", "load", "gyroscopic"
  bool potential = false;
};

/// x' = J v + d for a list of points: three rows a point, stored by blocks of columns. The block of
/// entry k covers columns column[k] .. column[k] + width - 1; entries offset[i] .. offset[i+1] - 1
/// belong to point i; its values are value[3 width k ..], row by row.
struct PointRows {
  int width = 1;
  std::vector<int> offset, column;
  std::vector<double> value;
};

/// Times of functions of time that are given by points [s], in no order.
struct Breaks {
  /// Two of them that are closer, relative to the time, are one.
  static constexpr double kSameInstant = 64.0 * 0x1p-52;

  std::vector<double>
      ends;  ///< steps of controlled error end there: they would pass over what is between two
             ///< others
  std::vector<double> jumps;  ///< d of point_drift() and spin_drift() jumps
};

class Dynamics {
 public:
  virtual ~Dynamics() = default;
  virtual int bodies() const { return 1; }
  virtual int positions() const = 0;
  virtual int velocities() const = 0;
  virtual unsigned traits() const = 0;

  // -- motion
  /// q (+) w: the configuration moved by the increment w (size velocities()). Default: q + w.
  virtual void retract(View q, View w, Out out) const;
  /// dw/dt for q(t) = q0 (+) w(t) moving with v. Default: v.
  virtual void increment_rate(View w, View v, Out rate) const;
  /// F(t, q, v) [N, N m], all smooth forces together.
  virtual void force(double t, View q, View v, Out f) const = 0;
  /// y = (m M + c C + k K)(t, q, v) x.
  virtual void multiply(Combination s, double t, View q, View v, View x, Out y) const = 0;
  /// A <- factor of (m M + c C + k K)(t, q, v), storage of A kept where possible.
  virtual void factorise(Combination s, double t, View q, View v, Factor& A) const = 0;
  /// A <- factor of (m M + c C + k K + weight d(M x)/dq)(t, q, v): with it Newton's method on an
  /// equation that contains M(q) x is exact. Default, right where M is constant: factorise(s, t, q,
  /// v, A).
  virtual void factorise_exact(Combination s, double weight, View x, double t, View q, View v,
                               Factor& A) const;
  /// The force with a potential alone, -dV/dq with V = energy(t, q, v).potential [N]. With
  /// Trait::potential.
  virtual void potential_force(double t, View q, Out f) const;
  /// F without the gyroscopic moment -Omega x J Omega [N, N m]. Default: force().
  virtual void load(double t, View q, View v, Out f) const;
  /// q, v <- those after a motion of h [s], of either sign, under inertia alone. With
  /// Trait::separable. Default: q + h v.
  virtual void coast(double h, Out q, Out v) const;
  virtual const RigidData* rigid() const { return nullptr; }  ///< non-null with Trait::rigid
  /// The part of C that is Rayleigh damping; only schemes in a `compat` form tell it from other
  /// damping.
  virtual Rayleigh rayleigh() const { return {}; }

  /// Number of prescribed degrees of freedom. They are no part of q and v: their motion acts as a
  /// load.
  virtual int prescribed() const { return 0; }
  /// Forces [N] that hold the prescribed degrees of freedom while the others move with (q, v, a).
  virtual void reactions(double t, View q, View v, View a, Out forces) const;
  /// The same for forces f [N] on points, three a point, that reach the prescribed degrees of
  /// freedom: forces -= J_p^T f.
  virtual void point_reactions(double t, View q, std::span<const PointRef> at, View f,
                               Out forces) const;

  /// Columns of m M + c C + k K of the unreduced system that belong to the prescribed degrees of
  /// freedom, at (t, q, v): velocities() rows of the free ones, then prescribed() rows of their
  /// own. UsageError where the kind has prescribed degrees of freedom and does not give them.
  virtual void prescribed_columns(Combination s, double t, View q, View v,
                                  Eigen::Ref<Matrix> columns) const;

  // -- contact. `axes` is the configuration whose body axes carry angular impulses
  // (Scheme::axes_at).
  /// World positions [m], 3 rows a point: x[3 i .. 3 i + 2].
  virtual void points(double t, View q, std::span<const PointRef> at, Out x) const = 0;
  /// x' = J v + d, pulled back on the axes of `axes`.
  virtual void point_rows(View q, View axes, std::span<const PointRef> at, PointRows& J) const = 0;
  /// omega = J v in space [rad/s] of the bodies that `at` names, pulled back like point_rows. With
  /// Trait::rigid.
  virtual void spin_rows(View q, View axes, std::span<const PointRef> at, PointRows& J) const;
  /// Where the bodies are, one frame each, in which PointRef::local and shapes are given: of bodies
  /// with Trait::rigid, and of those that only follow a prescribed motion (velocities() = 0).
  virtual void frames(double t, View q, std::span<Pose> out) const;
  /// Prescribed part of the angular velocity of the bodies that `at` names, in space [rad/s].
  /// Default: 0.
  virtual void spin_drift(double t, View q, std::span<const PointRef> at, Out d) const;
  /// Prescribed part d of the velocity of the points at t [m/s]. Default: 0.
  virtual void point_drift(double t, View q, std::span<const PointRef> at, Out d) const;
  /// Appends those of its forces and of what it is told to follow. Default: none.
  virtual void breaks(Breaks& out) const;
  /// With Trait::fixed_points: H of these points along these unit directions, constant in time.
  virtual std::unique_ptr<PointTable> table(std::span<const PointRef> at,
                                            std::span<const Vector3> direction) const;

  // -- accounts
  virtual std::span<const Source> sources() const = 0;
  /// V with the prescribed degrees of freedom where they are at t. A step holds them at its start
  /// t0, so that it books exactly, and moves them at its end: V(u1) - V(u0) is work of the
  /// prescribed motion.
  virtual Energy energy(double t, View q, View v) const = 0;
  /// by_source[s] = F_s(t, q, v) . w [W]; the sum over s is F . w. Forces of inertia (M' of M(q),
  /// gyroscopic) count as
  /// a source with a potential: their energy is the kinetic one. Of F what belongs to V counts with
  /// prescribed degrees of freedom where they are at `held`, the rest of it as "prescribed".
  /// Without `held` they are where they are at t, and what their motion changes of V is a power
  /// too, of "prescribed": with w = v the sum of those without a potential is dE/dt.
  virtual void power(double t, std::optional<double> held, View q, View v, View w,
                     std::span<double> by_source) const = 0;

  virtual const ModalData* modal() const { return nullptr; }  ///< non-null with Trait::modal

  // -- bounds
  /// No |d| of point_drift() is larger in [from, to], of points up to `reach` [m] from the origin
  /// of their frame, and of vertices of boundary surfaces [m/s]. Default: 0.
  virtual double fastest_drift(double from, double to, double reach) const;
  /// Forces are rounded as if every coordinate were this far from 0, q itself aside: the largest
  /// coordinate of what they are measured from, and length. Default: 0.
  virtual double offset() const { return 0.0; }
};

}  // namespace saltus

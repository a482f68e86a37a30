// Interface of a group of equal bodies:  M(q) v' = F(t, q, v) + r,  where r = H^T P are the contact
// impulses.
//
// Dynamics does not depend on a scheme. Every operation is a batch over the group. `out` never
// aliases an argument.
//
// The result of an operation depends only on its arguments, and any number of threads may call it
// concurrently, because simulations of one model share its bodies. An operation that needs work
// space borrows it from a pool (base/work_pool.h, docs/decisions/0035).
#pragma once
#include <algorithm>
#include <iterator>
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

/// m M + c C + k K with C = -dF/dv and K = -dF/dq (F total, dq an increment of retract). Schemes
/// request no inverse of any other matrix.
struct Combination {
  double m = 1.0, c = 0.0, k = 0.0;
};

/// Capabilities of a kind of body. They are compared with the needs of the scheme when the scene is
/// built.
/// - tangents: C and K are available.
/// - affine: F is affine in (q, v), and M is constant.
/// - modal: modal() is available.
/// - rotations: positions() != velocities(), or retract is not a sum.
/// - symmetric: C and K are symmetric.
/// - fixed_points: point rows do not depend on q, and table() is available.
/// - second_order: forces depend on q; without this trait the group is M v' = F(t, v).
/// - constant_mass: M does not depend on q.
/// - potential: potential_force() is available, and the rest of F has no potential.
/// - rigid: 6 velocities and 7 positions per body; rigid(), load(), frames() and spin_rows() are
///   available.
/// - separable: M is constant, F without the gyroscopic moment does not depend on v, and coast() is
///   the motion under inertia only.
/// - driven: V, and therefore energy() and potential_force(), depend on t through prescribed
///   motion.
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

/// Rayleigh damping Rd = mass M + stiffness K. It is a part of C (and -Rd v is a part of F) in
/// every group that has it.
struct Rayleigh {
  double mass = 0.0;       ///< r_M [1/s]
  double stiffness = 0.0;  ///< r_K [s]
};

/// Rigid bodies: per body, q = (x, Q = w x y z) and v = (v in space, Omega in the body frame).
/// Inverses are 0 along locked directions; J^-1 is the inverse of the free block.
struct RigidData {
  std::vector<Vector3> mass_inverse;              ///< [1/kg]
  std::vector<double> mass;                       ///< [kg]
  std::vector<Matrix3> inertia, inertia_inverse;  ///< J, about the mass centre, body frame [kg m^2]
  bool steady_load = false;                       ///< load() is the same for every t, q and v
};

/// A force whose work has its own entry in the energy balance. The work of a force with a potential
/// is in Energy::potential.
struct Source {
  std::string name;  ///< "elastic", "gravity", "damping", "load", "gyroscopic"
  bool potential = false;
};

/// x' = J v + d for a list of points: three rows per point, stored by blocks of columns. The block
/// of entry k covers columns column[k] .. column[k] + width - 1. Point i has the entries offset[i]
/// .. offset[i+1] - 1; the values of entry k are value[3 width k ..], stored row by row.
struct PointRows {
  int width = 1;
  std::vector<int> offset, column;
  std::vector<double> value;
};

/// Breakpoints of tabulated functions of time [s], unsorted.
struct Breaks {
  /// Two times closer than this, relative to the time, count as one.
  static constexpr double kSameInstant = 64.0 * 0x1p-52;

  /// error-controlled steps end at these times, which they could otherwise step over
  std::vector<double> ends;
  std::vector<double> jumps;  ///< times at which d of point_drift() or spin_drift() jumps
  std::vector<double> turns;  ///< times at which the force or acceleration of a motor jumps

  /// jumps and turns, in order if both are.
  std::vector<double> restarts() const {
    std::vector<double> all;
    std::ranges::set_union(jumps, turns, std::back_inserter(all));
    return all;
  }
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
  /// F(t, q, v) [N, N m], the sum of all smooth forces.
  virtual void force(double t, View q, View v, Out f) const = 0;
  /// y = (m M + c C + k K)(t, q, v) x.
  virtual void multiply(Combination s, double t, View q, View v, View x, Out y) const = 0;
  /// A <- factor of (m M + c C + k K)(t, q, v). Reuses the storage of A where possible.
  virtual void factorise(Combination s, double t, View q, View v, Factor& A) const = 0;
  /// A <- factor of (m M + c C + k K + weight d(M x)/dq)(t, q, v): the exact Newton matrix of an
  /// equation that contains M(q) x. Default, exact if M is constant: factorise(s, t, q, v, A).
  virtual void factorise_exact(Combination s, double weight, View x, double t, View q, View v,
                               Factor& A) const;
  /// Only the force with a potential, -dV/dq with V = energy(t, q, v).potential [N]. Requires
  /// Trait::potential.
  virtual void potential_force(double t, View q, Out f) const;
  /// F without the gyroscopic moment -Omega x J Omega [N, N m]. Default: force().
  virtual void load(double t, View q, View v, Out f) const;
  /// Replaces q, v by their values after a motion of duration h [s] (of either sign) under inertia
  /// only. Requires Trait::separable. Default: q + h v.
  virtual void coast(double h, Out q, Out v) const;
  virtual const RigidData* rigid() const { return nullptr; }  ///< non-null with Trait::rigid
  /// The part of C that is Rayleigh damping; only schemes in a `compat` form distinguish it from
  /// other damping.
  virtual Rayleigh rayleigh() const { return {}; }

  /// Number of prescribed degrees of freedom. They are not part of q and v: their motion acts as a
  /// load.
  virtual int prescribed() const { return 0; }
  /// Reaction forces [N] at the prescribed degrees of freedom while the free ones move with
  /// (q, v, a).
  virtual void reactions(double t, View q, View v, View a, Out forces) const;
  /// Adds the reactions to forces f [N] on points, three components per point, at the prescribed
  /// degrees of freedom: forces -= J_p^T f.
  virtual void point_reactions(double t, View q, std::span<const PointRef> at, View f,
                               Out forces) const;

  /// Columns of m M + c C + k K of the unreduced system that belong to the prescribed degrees of
  /// freedom, at (t, q, v): first velocities() rows of the free ones, then prescribed() rows of the
  /// prescribed ones. UsageError if the kind has prescribed degrees of freedom but does not
  /// implement this.
  virtual void prescribed_columns(Combination s, double t, View q, View v,
                                  Eigen::Ref<Matrix> columns) const;

  // -- contact. `axes` is the configuration whose body axes angular impulses refer to
  // (Scheme::axes_at).
  /// World positions [m], 3 rows per point: x[3 i .. 3 i + 2].
  virtual void points(double t, View q, std::span<const PointRef> at, Out x) const = 0;
  /// x' = J v + d, with angular columns referred to the body axes of `axes`.
  virtual void point_rows(View q, View axes, std::span<const PointRef> at, PointRows& J) const = 0;
  /// omega = J v in space [rad/s] of the bodies named in `at`, referred to `axes` like point_rows.
  /// Requires Trait::rigid.
  virtual void spin_rows(View q, View axes, std::span<const PointRef> at, PointRows& J) const;
  /// Poses of the bodies, one frame each; PointRef::local and shapes are given in these frames. For
  /// bodies with Trait::rigid and for those that only follow a prescribed motion
  /// (velocities() = 0).
  virtual void frames(double t, View q, std::span<Pose> out) const;
  /// Prescribed part of the angular velocity of the bodies named in `at`, in space [rad/s].
  /// Default: 0.
  virtual void spin_drift(double t, View q, std::span<const PointRef> at, Out d) const;
  /// Prescribed part d of the velocity of the points at t [m/s]. Default: 0.
  virtual void point_drift(double t, View q, std::span<const PointRef> at, Out d) const;
  /// Appends the breakpoints of the body's forces and prescribed motions. Default: none.
  virtual void breaks(Breaks& out) const;
  /// With Trait::fixed_points: H of these points along these unit directions, constant in time.
  virtual std::unique_ptr<PointTable> table(std::span<const PointRef> at,
                                            std::span<const Vector3> direction) const;

  // -- energy
  virtual std::span<const Source> sources() const = 0;
  /// V with the prescribed degrees of freedom at their values at t. During a step they keep their
  /// values at the start t0, so that the energy balance is exact, and change at its end:
  /// V(u1) - V(u0) is work of the prescribed motion.
  virtual Energy energy(double t, View q, View v) const = 0;
  /// Part of one body of a group of rigid or pseudo-rigid bodies; of other kinds energy().
  virtual Energy energy_of_body(int /*body*/, double t, View q, View v) const {
    return energy(t, q, v);
  }
  /// by_source[s] = F_s(t, q, v) . w [W]; the sum over s is F . w. Inertial forces (M' of M(q),
  /// gyroscopic) count as a source with a potential, because their energy is the kinetic one. The
  /// part of F that derives from V is evaluated with the prescribed degrees of freedom at their
  /// values at `held`; the remainder counts as "prescribed". Without `held` they have their values
  /// at t, and the rate at which their motion changes V also counts as power of "prescribed": with
  /// w = v the sum over the sources without a potential is dE/dt.
  virtual void power(double t, std::optional<double> held, View q, View v, View w,
                     std::span<double> by_source) const = 0;

  virtual const ModalData* modal() const { return nullptr; }  ///< non-null with Trait::modal

  // -- bounds
  /// Upper bound of |d| of point_drift() in [from, to] [m/s], for points up to `reach` [m] from the
  /// origin of their frame and for vertices of boundary surfaces. Default: 0.
  virtual double fastest_drift(double from, double to, double reach) const;
  /// Upper bound of |d| of spin_drift() in [from, to] [rad/s]. Default: 0.
  virtual double fastest_spin_drift(double from, double to) const;
  /// Forces have the round-off of coordinates of this size, apart from q itself: the largest
  /// reference coordinate or length that they are computed from. Default: 0.
  virtual double offset() const { return 0.0; }
};

}  // namespace saltus

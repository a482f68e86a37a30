// How fast a body can move about a state, from above and from below, and the steps that explicit
// schemes may take there.
#pragma once
#include <optional>

#include "saltus/bodies/pseudo_rigid.h"
#include "saltus/dynamics/scheme.h"
#include "saltus/fem/fem.h"

namespace saltus {

/// Upper bounds over all motions x about a state, of omega^2 = x.K x/x.M x and of c = x.C x/x.M x
/// (2 xi omega of a mode).
struct MotionBound {
  double omega =
      0.0;  ///< [rad/s]; 0: no motion is held back; not a number where K is not, infinite without
            ///< mass
  double damping = 0.0;  ///< [1/s]
  /// Set where C = mass M + stiffness K, so that a mode has c = mass + stiffness omega^2.
  std::optional<Rayleigh> proportional;
  int at = -1;         ///< element, or body of a group, that gives omega
  bool exact = false;  ///< omega is that of a mode, not only a bound
};

/// By elements: with M = sum M_e and K = sum K_e,  x.K x/x.M x <= max_e max_x x.K_e x/x.M_e x.  M_e
/// is the element's own part of the consistent mass, or its share of the lumped one. Prescribed
/// degrees of freedom are left out, the others taken with those at t = 0. One or two eigenvalue
/// problems an element. On distorted meshes up to 1.44 times the largest omega with lumped masses,
/// 1.92 with consistent ones (docs/theory/critical_step.md). What strain-rate damping and moving
/// tangents add to K is not counted.
MotionBound motion_bound(const Fem& body, double t, View q);
/// By eigenvalues of each body, 9 x 9; of convected loads the symmetric part of their K.
MotionBound motion_bound(const PseudoRigid& body, double t, View q);
/// The same for any kind, nothing where there is no bound of it.
std::optional<MotionBound> motion_bound(const Dynamics& body, double t, View q);

/// A motion x close to the fastest one.
struct MotionEstimate {
  double omega = 0.0;    ///< of x, so never above the fastest [rad/s]; 0: no motion is held back
  double damping = 0.0;  ///< x.C x/x.M x [1/s]
  /// |K x - omega^2 M x| in the norm of M^-1, as a part of omega^2 |x|_M: some omega_j^2 is as
  /// close to omega^2.
  double residual = 0.0;
  int products = 0;  ///< with K
};
/// The larger of M^-1 K, K symmetric (UsageError else), by conjugate gradients on x.K x/x.M x until
/// the residual is `tolerance` or `most` products are made. Memory of 9 vectors. The same every
/// time.
MotionEstimate motion_estimate(const Dynamics& body, double t, View q, View v,
                               double tolerance = 1e-2, int most = 300);

/// Longest step [s] with h omega_j <= Scheme::stability_limit(xi_j) for every motion within the
/// bound; infinite: no limit. For schemes with the limit h^2 omega^2 + 2 h c <= 4 (def-exp,
/// symplectic Euler) and 2 (central differences) this is safe for any symmetric K >= 0 and C >= 0,
/// with modes or without; for others it is the least over samples of modes.
double critical_step(const Scheme& scheme, const MotionBound& bound);
/// The limit of the motion x: where K >= 0 and C >= 0 are symmetric, no step of those schemes
/// beyond it is stable.
double critical_step(const Scheme& scheme, const MotionEstimate& estimate);

}  // namespace saltus

// Upper and lower bounds of the fastest motion of a body about a state, and the critical steps of
// explicit schemes.
#pragma once
#include <optional>

#include "saltus/bodies/pseudo_rigid.h"
#include "saltus/dynamics/scheme.h"
#include "saltus/fem/fem.h"

namespace saltus {

/// Upper bounds, over all motions x about a state, of omega^2 = x.K x/x.M x and of c = x.C x/x.M x
/// (2 xi omega for a mode).
struct MotionBound {
  /// [rad/s]; 0: no motion is restrained; NaN if K is not finite, infinite without mass
  double omega = 0.0;
  double damping = 0.0;  ///< [1/s]
  /// Set where C = mass M + stiffness K, so that a mode has c = mass + stiffness omega^2.
  std::optional<Rayleigh> proportional;
  int at = -1;         ///< element, or body of a group, that determines omega
  bool exact = false;  ///< omega belongs to a mode and is not only a bound
};

/// Bound by elements: with M = sum M_e and K = sum K_e,
///   x.K x/x.M x <= max_e max_x x.K_e x/x.M_e x.
/// M_e is the element's own part of the consistent mass, or its fraction of the lumped one.
/// Prescribed degrees of freedom are left out; the configuration uses their values at t = 0. Costs
/// one or two eigenvalue problems per element. On distorted meshes the bound is up to 1.44 times
/// the largest omega with lumped masses, and up to 1.92 times with consistent ones
/// (docs/theory/critical_step.md). What strain-rate damping and configuration-dependent tangents
/// add to K is not counted.
MotionBound motion_bound(const Fem& body, double t, View q);
/// Bound by the eigenvalues of each body, 9 x 9; convected loads enter with the symmetric part of
/// their K.
MotionBound motion_bound(const PseudoRigid& body, double t, View q);
/// Bound for a body of any kind; empty if no bound is available for that kind.
std::optional<MotionBound> motion_bound(const Dynamics& body, double t, View q);

/// A motion x close to the fastest one.
struct MotionEstimate {
  double omega = 0.0;    ///< of x, so never above the fastest [rad/s]; 0: no motion is restrained
  double damping = 0.0;  ///< x.C x/x.M x [1/s]
  /// |K x - omega^2 M x| in the norm of M^-1, relative to omega^2 |x|_M: some omega_j^2 is this
  /// close to omega^2.
  double residual = 0.0;
  int products = 0;  ///< number of products with K
};
/// Approximates the largest eigenvalue of M^-1 K, K symmetric (UsageError otherwise), by conjugate
/// gradients on x.K x/x.M x, until the residual is `tolerance` or `most` products have been made.
/// Needs memory for 9 vectors. The result is reproducible.
MotionEstimate motion_estimate(const Dynamics& body, double t, View q, View v,
                               double tolerance = 1e-2, int most = 300);

/// Longest step [s] with h omega_j <= Scheme::stability_limit(xi_j) for every motion within the
/// bound; infinite: no limit. For schemes with the limit h^2 omega^2 + 2 h c <= 4 (def-exp,
/// symplectic Euler) or 2 (central differences) this step is stable for any symmetric K >= 0 and C
/// >= 0, with or without modes; for other schemes it is the minimum over sampled modes.
double critical_step(const Scheme& scheme, const MotionBound& bound);
/// The limit for the motion x: where K >= 0 and C >= 0 are symmetric, any longer step is unstable
/// with those schemes.
double critical_step(const Scheme& scheme, const MotionEstimate& estimate);

}  // namespace saltus

// Solves with the mass matrix, for schemes that need accelerations beside their step operator A.
#pragma once
#include "saltus/dynamics/scheme.h"

namespace saltus {

/// True where M is the same in every configuration.
inline bool constant_mass(const Dynamics& body) {
  return has(body.traits(), Trait::constant_mass) || has(body.traits(), Trait::affine);
}

/// The factor of a constant M, made once for (group, h); of M(q) nothing is kept.
struct MassFactor : Prepared {
  explicit MassFactor(const Dynamics& body);
  Factor M;
  bool constant = false;
};

/// x <- A^-1 x for one vector; a diagonal A is one product of arrays.
void solve_vector(const Factor& A, Out x);

/// x <- M(q)^-1 x inside a step. Trial::M is refilled where M is not constant.
void solve_mass(const Dynamics& body, Trial& trial, double t, View q, View v, Out x);
/// The same outside a step (start, velocity): `prepared` is the scheme's own, a MassFactor.
void solve_mass(const Dynamics& body, const Prepared* prepared, double t, View q, View v, Out x);

/// memory[0] = memory[1] = M^-1 f at the start, for schemes that carry two accelerations.
void start_accelerations(const Dynamics& body, const Prepared* prepared, double t,
                         GroupState& state);

}  // namespace saltus

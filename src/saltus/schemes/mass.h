// Solves with the mass matrix, for schemes that need accelerations besides their step operator A.
#pragma once
#include "saltus/dynamics/scheme.h"

namespace saltus {

/// True if M is the same in every configuration.
inline bool constant_mass(const Dynamics& body) {
  return has(body.traits(), Trait::constant_mass) || has(body.traits(), Trait::affine);
}

/// Factor of a constant M, computed once per (group, h); empty if M depends on q.
struct MassFactor : Prepared {
  explicit MassFactor(const Dynamics& body);
  Factor M;
  bool constant = false;
};

/// x <- A^-1 x for one vector; a diagonal A is one product of arrays.
void solve_vector(const Factor& A, Out x);

/// x <- M(q)^-1 x inside a step. If M is not constant, Trial::M is factorised again.
void solve_mass(const Dynamics& body, Trial& trial, double t, View q, View v, Out x);
/// x <- M(q)^-1 x outside a step (start, velocity); `prepared` is the scheme's own MassFactor.
void solve_mass(const Dynamics& body, const Prepared* prepared, double t, View q, View v, Out x);

/// memory[0] = memory[1] = M^-1 f at the start, for schemes that store two accelerations.
void start_accelerations(const Dynamics& body, const Prepared* prepared, double t,
                         GroupState& state);
/// The same for steps of `ratio` times the length of those that led to the state: memory[0] is
/// q''(t + c h) + O(h^2) with a constant c, so its difference from M^-1 f is multiplied by the
/// ratio.
void scale_accelerations(const Dynamics& body, const Prepared* prepared, double t, double ratio,
                         GroupState& state);

}  // namespace saltus

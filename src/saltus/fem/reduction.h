// Bodies of few degrees of freedom that move like a large one: by its natural modes, or by those
// with an interface held and the static shapes of that interface (Craig-Bampton).
#pragma once
#include <memory>

#include "saltus/bodies/linear.h"
#include "saltus/bodies/modal.h"
#include "saltus/fem/fem.h"
#include "saltus/fem/natural_modes.h"

namespace saltus {

struct ModalReduction {
  int modes = 20;  ///< the lowest, those of omega = 0 included
  /// Where the reduced body is met or heard, on a straight line at the state, in any order and all
  /// apart.
  std::vector<PointRef> points;
  Vector3 direction =
      Vector3::UnitZ();  ///< unit, along which those points move; their motion across is lost
};

struct ModalReduced {
  std::unique_ptr<Modal> body;
  std::vector<double>
      place;           ///< x along the body of each point [m]: PointRef::local.x(), or Modal::probe
  NaturalModes modes;  ///< increments of q of the full body are shape times q of the reduced one
  /// Largest |x_i.C x_j| of two modes beside the root of x_i.C x_i x_j.C x_j, which the reduced
  /// body leaves out; 0: the damping does not couple modes, as Rayleigh's.
  double coupling = 0.0;
};

/// The body linearised at q and rest, in its lowest modes: mass 1 kg each, 2 sigma_j = x_j.C x_j,
/// and the force at t = 0 as a constant load. omega_j of the modes kept are those of the full body;
/// what the others would give in statics is lost. UsageError: natural_modes(), no points, points
/// that do not lie on a line or coincide, a direction that is not unit.
ModalReduced reduce_to_modes(const Dynamics& body, View q, const ModalReduction& reduction);

struct CraigBampton {
  /// First the degrees of freedom kept, in their order, then one a mode. Points of those kept are
  /// the nodes where they are at the state, along the axis.
  LinearSystem system;
  Vector omega;  ///< [rad/s] of the modes with what is kept held
  Matrix
      basis;  ///< 3 a node: displacements of all nodes from the state, by the degrees of freedom of
              ///< `system`
};

/// The finite elements `system` linearised at the displacements u (3 a node; prescribed ones are
/// those of t = 0), with the degrees of freedom `kept` (3 node + axis) kept whole and `modes` (0 or
/// more) of the rest. M, C and K are those of the full body on the basis  [ I 0; -K_ii^-1 K_ib  Phi
/// ]: the response to static loads on what is kept is exact, and frequencies come down to those of
/// the full body as modes are added. Loads keep their signals.
/// UsageError: what Fem refuses, no dofs kept, kept twice or prescribed, prescribed motion that
/// changes in time, rest of the body not held by what is kept.
CraigBampton craig_bampton(FemSystem system, View u, std::span<const int> kept, int modes);

}  // namespace saltus

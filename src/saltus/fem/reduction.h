// Reduced bodies that approximate a large one: by natural modes, or by modes with a fixed interface
// and the static shapes of that interface (Craig-Bampton).
#pragma once
#include <memory>

#include "saltus/bodies/linear.h"
#include "saltus/bodies/modal.h"
#include "saltus/fem/fem.h"
#include "saltus/fem/natural_modes.h"

namespace saltus {

struct ModalReduction {
  int modes = 20;  ///< the lowest modes, including those with omega = 0
  /// Contact and output points of the reduced body; at the state they lie on a straight line, in
  /// any order, and do not coincide.
  std::vector<PointRef> points;
  /// unit vector along which those points move; their motion across it is lost
  Vector3 direction = Vector3::UnitZ();
};

struct ModalReduced {
  std::unique_ptr<Modal> body;
  /// x along the body for each point [m]: PointRef::local.x(), or Modal::probe
  std::vector<double> place;
  NaturalModes modes;  ///< increments of q of the full body are shape times q of the reduced one
  /// Largest |x_i.C x_j| relative to sqrt(x_i.C x_i x_j.C x_j) over pairs of modes, a coupling that
  /// the reduced body neglects; 0: the damping does not couple modes, for example Rayleigh damping.
  double coupling = 0.0;
};

/// The body linearised at q and rest, in its lowest modes: mass 1 kg each, 2 sigma_j = x_j.C x_j,
/// and the force at t = 0 as a constant load. omega_j of the modes kept are those of the full body;
/// the static contribution of the other modes is lost. Throws UsageError: whatever natural_modes()
/// throws, no points, points that do not lie on a line or coincide, a direction that is not a unit
/// vector.
ModalReduced reduce_to_modes(const Dynamics& body, View q, const ModalReduction& reduction);

struct CraigBampton {
  /// First the kept degrees of freedom, in their order, then one per mode. Points of the kept ones
  /// are their nodes, at the positions of the state, along the axis.
  LinearSystem system;
  Vector omega;  ///< [rad/s] of the modes with the kept degrees of freedom fixed
  /// 3 rows per node: displacements of all nodes from the state, per degree of freedom of `system`
  Matrix basis;
};

/// Linearises the finite elements `system` at the displacements u (3 per node; prescribed ones take
/// their values at t = 0) and reduces them to the degrees of freedom `kept` (3 node + axis) and
/// `modes` (0 or more) of the rest. M, C and K are those of the full body on the basis
/// [ I 0; -K_ii^-1 K_ib  Phi ]: the response to static loads on the kept degrees of freedom
/// is exact, and frequencies converge from above to those of the full body as modes are added.
/// Loads keep their signals.
/// Throws UsageError: whatever Fem throws, no kept degrees of freedom, one that is kept twice or
/// prescribed, prescribed motion that changes in time, a body that is not restrained by the kept
/// and prescribed degrees of freedom.
CraigBampton craig_bampton(FemSystem system, View u, std::span<const int> kept, int modes);

}  // namespace saltus

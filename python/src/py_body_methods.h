// Methods of Dynamics that a class of Python may give, and those beside the contract of which defaults are made.
#pragma once
#include <array>

namespace saltus::python::body_methods {

enum Method {
  kBodies,
  kPositions,
  kVelocities,
  kTraits,
  kRetract,
  kIncrementRate,
  kForce,
  kMultiply,
  kFactorise,
  kFactoriseExact,
  kPotentialForce,
  kLoad,
  kCoast,
  kRigid,
  kRayleigh,
  kPrescribed,
  kReactions,
  kPointReactions,
  kPrescribedColumns,
  kPoints,
  kPointRows,
  kSpinRows,
  kFrames,
  kSpinDrift,
  kPointDrift,
  kSources,
  kEnergy,
  kPower,
  kModal,
  // beside the contract
  kCombination,
  kMass,
  kDamping,
  kStiffness,
  kPotential,
  kInertial,
  kPoint,
  kPointJacobian
};
inline constexpr std::array kNames{
    "bodies", "positions", "velocities", "traits", "retract",
    "increment_rate", "force", "multiply", "factorise", "factorise_exact",
    "potential_force", "load", "coast", "rigid", "rayleigh",
    "prescribed", "reactions", "point_reactions", "prescribed_columns", "points",
    "point_rows", "spin_rows", "frames", "spin_drift", "point_drift",
    "sources", "energy", "power", "modal", "combination",
    "mass", "damping", "stiffness", "potential", "inertial",
    "point", "point_jacobian"};
static_assert(kNames.size() == kPointJacobian + 1);

}  // namespace saltus::python::body_methods

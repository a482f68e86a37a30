// Methods of Dynamics that a Python class can define, and additional ones from which defaults are
// derived.
#pragma once
#include <array>

#include "python_side.h"

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
  // additional methods
  kCombination,
  kMass,
  kDamping,
  kStiffness,
  kPotential,
  kInertial,
  kPoint,
  kPointJacobian
};
inline constexpr std::array kNames{"bodies",
                                   "positions",
                                   "velocities",
                                   "traits",
                                   "retract",
                                   "increment_rate",
                                   "force",
                                   "multiply",
                                   "factorise",
                                   "factorise_exact",
                                   "potential_force",
                                   "load",
                                   "coast",
                                   "rigid",
                                   "rayleigh",
                                   "prescribed",
                                   "reactions",
                                   "point_reactions",
                                   "prescribed_columns",
                                   "points",
                                   "point_rows",
                                   "spin_rows",
                                   "frames",
                                   "spin_drift",
                                   "point_drift",
                                   "sources",
                                   "energy",
                                   "power",
                                   "modal",
                                   "combination",
                                   "mass",
                                   "damping",
                                   "stiffness",
                                   "potential",
                                   "inertial",
                                   "point",
                                   "point_jacobian"};
static_assert(kNames.size() == kPointJacobian + 1);

inline constexpr std::array<MethodTable::Timed, 7> kTimed{{
    {kMultiply, 5, "multiply(s, q, v, x, y)", "multiply(s, t, q, v, x, y)"},
    {kFactorise, 4, "factorise(s, q, v, A)", "factorise(s, t, q, v, A)"},
    {kFactoriseExact, 6, "factorise_exact(s, weight, x, q, v, A)",
     "factorise_exact(s, weight, x, t, q, v, A)"},
    {kPrescribedColumns, 4, "prescribed_columns(s, q, v, columns)",
     "prescribed_columns(s, t, q, v, columns)"},
    {kCombination, 3, "combination(s, q, v)", "combination(s, t, q, v)"},
    {kDamping, 2, "damping(q, v)", "damping(t, q, v)"},
    {kStiffness, 2, "stiffness(q, v)", "stiffness(t, q, v)"},
}};

}  // namespace saltus::python::body_methods

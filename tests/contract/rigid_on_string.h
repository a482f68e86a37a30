// A rigid body whose point falls on a string, in a frame turned as a whole: two kinds, two schemes, one contact.
#pragma once
#include "cases.h"

namespace saltus::contract {

struct RigidOnString {
  std::shared_ptr<const Scheme> rigid, string;
  AnyLaw law = SignoriniPosition{};
  double h = 1e-3;
  bool gravity = true;
};

/// Group 0 the rigid body, group 1 the string; the normal points from the string to the body.
ModelParts rigid_on_string(const RigidOnString& scene);

inline PointRef tip_of_rigid() { return {0, 0, Vector3(0.03, -0.02, -0.05)}; }
inline PointRef place_on_string() { return {0, 0, Vector3(0.37, 0.0, 0.0)}; }
Vector3 string_normal();  ///< unit, slanted against the vertical

}  // namespace saltus::contract

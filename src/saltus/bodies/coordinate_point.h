// Points whose places are affine in the coordinates of a body. Contacts with rows of their own meet
// them: along z the gap
// H q + b, along x and y the slips of its tangents.
#pragma once
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "saltus/base/base.h"
#include "saltus/base/error.h"

namespace saltus {

/// x = place + sum of q_dof direction over its terms; dof counts all coordinates, prescribed ones
/// too.
struct CoordinatePoint {
  struct Term {
    int dof = 0;
    Vector3 direction = Vector3::Zero();  ///< [m] a unit of the coordinate
  };
  Vector3 place = Vector3::Zero();  ///< where all coordinates are 0 [m]
  std::vector<Term> terms;

  /// place + sum of value(dof) direction
  template <class Value>
  Vector3 at(const Value& value) const {
    Vector3 x = place;
    for (const Term& term : terms) x += value(term.dof) * term.direction;
    return x;
  }
};

/// Throws UsageError: a coordinate that is not there, numbers that are not finite.
inline void expect_points(std::span<const CoordinatePoint> points, int dofs) {
  for (const CoordinatePoint& point : points) {
    expects(point.place.allFinite(), "places of points are finite");
    for (const CoordinatePoint::Term& term : point.terms) {
      expects(
          term.dof >= 0 && term.dof < dofs,
          "a point follows coordinate " + std::to_string(term.dof) + " of " + std::to_string(dofs));
      expects(term.direction.allFinite(), "directions of points are finite");
    }
  }
}

}  // namespace saltus

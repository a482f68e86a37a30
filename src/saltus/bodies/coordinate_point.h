// Points whose positions are affine in the coordinates of a body, for contacts with explicitly
// given rows: the z component is the gap H q + b, x and y are the slips along its tangents.
#pragma once
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "saltus/base/base.h"
#include "saltus/base/error.h"

namespace saltus {

/// x = place + sum of q_dof direction over its terms; dof is an index among all coordinates,
/// including prescribed ones.
struct CoordinatePoint {
  struct Term {
    int dof = 0;
    Vector3 direction = Vector3::Zero();  ///< [m] per unit of the coordinate
  };
  Vector3 place = Vector3::Zero();  ///< position where all coordinates are 0 [m]
  std::vector<Term> terms;

  /// place + sum of value(dof) direction
  template <class Value>
  Vector3 at(const Value& value) const {
    Vector3 x = place;
    for (const Term& term : terms) x += value(term.dof) * term.direction;
    return x;
  }
};

/// Throws UsageError if a coordinate does not exist or a number is not finite.
inline void expect_points(std::span<const CoordinatePoint> points, int dofs) {
  for (const CoordinatePoint& point : points) {
    expects(point.place.allFinite(), "positions of points must be finite");
    for (const CoordinatePoint::Term& term : point.terms) {
      expects(term.dof >= 0 && term.dof < dofs, "a point depends on coordinate " +
                                                    std::to_string(term.dof) + ", but there are " +
                                                    std::to_string(dofs));
      expects(term.direction.allFinite(), "directions of points must be finite");
    }
  }
}

}  // namespace saltus

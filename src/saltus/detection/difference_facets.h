// The normal along which two polyhedra are farthest apart, found on the difference a - b near the
// origin only.
#pragma once
#include <optional>

#include "saltus/detection/separating_axes.h"

namespace saltus {

/// What a search took.
struct FacetWork {
  int corners = 0;  ///< of the polytope in a - b
  int looked = 0;   ///< vertices compared while climbing to them
  int tried = 0;    ///< axes compared
};

/// separating_axis() of polyhedra with faces and edges of any number. Its s is proven up to 1e-11
/// of the size. Empty where a - b is flat, or round-off leaves the search open.
std::optional<Axis> nearest_facet(const Polyhedron& a, const Polyhedron& b, double tie,
                                  double limit, FacetWork* work = nullptr);

}  // namespace saltus

// The normal along which two polyhedra are farthest apart, found by examining the difference a - b
// only near the origin.
#pragma once
#include <optional>

#include "saltus/detection/separating_axes.h"

namespace saltus {

/// Work done by a search.
struct FacetWork {
  int corners = 0;  ///< of the polytope in a - b
  int looked = 0;   ///< vertices compared in the search for them
  int tried = 0;    ///< axes compared
};

/// separating_axis() for polyhedra with any number of faces and edges. The returned s is proven to
/// within 1e-11 of the size. Empty if a - b is flat, or if round-off leaves the search undecided.
std::optional<Axis> nearest_facet(const Polyhedron& a, const Polyhedron& b, double tie,
                                  double limit, FacetWork* work = nullptr);

}  // namespace saltus

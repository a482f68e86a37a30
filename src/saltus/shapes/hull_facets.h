// Polygons of a convex surface as computed by Qhull, and maximal faces built from them.
#pragma once
#include <compare>
#include <span>
#include <string>
#include <vector>

#include "saltus/base/base.h"

namespace saltus {

/// Corners of polygon f, counter-clockwise as seen from outside: corner[first[f]] .. corner[first[f
/// + 1] - 1].
struct Polygons {
  std::vector<int> first{0}, corner;

  int count() const { return static_cast<int>(first.size()) - 1; }
  std::span<const int> operator[](int f) const {
    return std::span(corner).subspan(static_cast<std::size_t>(first[f]),
                                     static_cast<std::size_t>(first[f + 1] - first[f]));
  }
};

/// Facets of the hull of points of size 1 that span space. On failure, Qhull's message goes to
/// `fault`, and the result is empty.
Polygons hull_facets(std::span<const Vector3> points, std::string& fault);

struct Faces {
  Polygons polygons;
  std::vector<int> facet;  ///< the largest facet of each face
};
/// Joins facets that lie within `flat` of the plane of the largest among them, and leaves out
/// vertices that are not corners of three faces. Empty if the result is not a closed surface with
/// the topology of a sphere.
Faces maximal_faces(std::span<const Vector3> points, const Polygons& facets, double flat);

/// Sum of x_k x x_k+1 around a polygon, with positions relative to its first corner: twice its area
/// along its normal.
Vector3 polygon_area(std::span<const Vector3> points, std::span<const int> polygon);

/// Unit normal of a polygon, exact up to round-off in the positions of its corners, even for a
/// narrow polygon.
Vector3 polygon_normal(std::span<const Vector3> points, std::span<const int> polygon);

/// A directed edge of polygon f.
struct DirectedEdge {
  int from = 0, to = 0, polygon = 0;
  auto operator<=>(const DirectedEdge&) const = default;
};
/// All directed edges, in increasing order.
std::vector<DirectedEdge> directed_edges(const Polygons& polygons);
/// The polygon with the directed edge from `from` to `to`; -1 if there is none, or more than one.
int polygon_along(std::span<const DirectedEdge> edges, int from, int to);

}  // namespace saltus

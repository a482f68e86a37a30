// Polygons of a convex surface as Qhull finds them, and maximal faces made of them.
#pragma once
#include <compare>
#include <span>
#include <string>
#include <vector>

#include "saltus/base/base.h"

namespace saltus {

/// Corners of polygon f, counter-clockwise seen from outside: corner[first[f]] .. corner[first[f +
/// 1] - 1].
struct Polygons {
  std::vector<int> first{0}, corner;

  int count() const { return static_cast<int>(first.size()) - 1; }
  std::span<const int> operator[](int f) const {
    return std::span(corner).subspan(static_cast<std::size_t>(first[f]),
                                     static_cast<std::size_t>(first[f + 1] - first[f]));
  }
};

/// Facets of the hull of points of a size of 1 that span space. What Qhull says against it goes to
/// `fault`, and the result is empty.
Polygons hull_facets(std::span<const Vector3> points, std::string& fault);

struct Faces {
  Polygons polygons;
  std::vector<int> facet;  ///< the largest of each face
};
/// Joins facets that lie within `flat` of the plane of the largest among them, and leaves out
/// vertices that are no corner of three faces. Empty where what remains is no closed surface of a
/// ball.
Faces maximal_faces(std::span<const Vector3> points, const Polygons& facets, double flat);

/// Sum of x_k x x_k+1 around a polygon, places counted from its first corner: twice its area along
/// its normal.
Vector3 polygon_area(std::span<const Vector3> points, std::span<const int> polygon);

/// Its unit normal, exact up to round-off of the places of its corners also where it is narrow.
Vector3 polygon_normal(std::span<const Vector3> points, std::span<const int> polygon);

/// A directed edge of polygon f.
struct DirectedEdge {
  int from = 0, to = 0, polygon = 0;
  auto operator<=>(const DirectedEdge&) const = default;
};
/// All of them, in increasing order.
std::vector<DirectedEdge> directed_edges(const Polygons& polygons);
/// The polygon that runs from `from` to `to`; -1 where there is none, or more than one.
int polygon_along(std::span<const DirectedEdge> edges, int from, int to);

}  // namespace saltus

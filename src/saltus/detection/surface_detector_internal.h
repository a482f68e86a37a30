// Internals of SurfaceDetector: surfaces with their boxes, and one function for each kind of pair.
#pragma once
#include <algorithm>

#include "saltus/detection/facet_surface.h"
#include "saltus/detection/surface_detector.h"

namespace saltus {

/// A weight within this distance of 1 means a vertex, of 0 an edge.
inline constexpr double kAtCorner = 1e-6;

inline void widen(Bounds& box, double by) {
  box.low.array() -= by;
  box.high.array() += by;
}
/// Bounding box of a box after the transformation `at`.
inline Bounds placed(const Bounds& box, const Pose& at) {
  const Vector3 middle = at * Vector3(0.5 * (box.low + box.high)),
                half = at.R.cwiseAbs() * (0.5 * (box.high - box.low));
  return {middle - half, middle + half};
}

struct SurfaceDetector::Search {
  struct BoundarySurface {
    FacetSurface surface;
    int material;
    bool self;
    Bounds box;                ///< box of everything that can be in contact with it
    std::vector<int> touched;  ///< for each vertex, the pair of its last contact
  };
  struct Other {
    Collider collider;
    Pose at;
    Bounds box;
    std::unique_ptr<FacetSurface> surface;  ///< of a mesh or height field
  };
  /// Kind of contact, stored in the feature of the key: a vertex of the first boundary surface,
  /// edges of both, or the roles exchanged.
  static constexpr std::uint32_t kEdges = 1u << 22, kOtherWay = 1u << 23;
  /// Features have 22 or 23 bits. Contacts with equal features are sorted by this number, which is
  /// unique within a pair: keys depend only on the configuration, not on the order of the search.
  struct Found {
    SurfaceContact contact;
    std::uint64_t order;
  };

  std::vector<BoundarySurface> boundaries;
  std::vector<Other> others;
  double margin = 0.0;
  int materials = 1;
  std::vector<char> meets;
  std::vector<std::array<int, 2>> excluded;  ///< pairs of numbers, the smaller one first, sorted
  int pair = 0;
  std::vector<Found> found;
  std::vector<SurfaceTouch> touches_found;

  bool wanted(int s, int other, int material) const {
    const int own = boundaries[static_cast<std::size_t>(s)].material;
    if (meets[static_cast<std::size_t>(own * materials + material)] == 0) return false;
    if (excluded.empty()) return true;
    const int a = number(s);
    return !std::ranges::binary_search(excluded,
                                       std::array{std::min(a, other), std::max(a, other)});
  }
  void place(Other& other);
  void on_plane(int s, int c);
  void on_convex(int s, int c);
  void facets_on_convex(int s, int c);
  void on_surface(int s, int c);
  void on_boundary(int s, int r);
  void on_itself(int s);
  template <class Take>
  void cross_edges(const FacetSurface& first, const Bounds& box, const FacetSurface& second,
                   const Pose& at, const Take& take) const;

  /// Colliders are numbered as given, boundary surfaces after them.
  int number(int boundary) const { return static_cast<int>(others.size()) + boundary; }
  void add(int s, int other, const SurfaceSide& a, const SurfaceSide& b, const Vector3& normal,
           double gap, std::uint32_t feature, std::uint64_t order) {
    found.push_back({{a, b, normal, gap, contact_key(number(s), other, feature)}, order});
  }
  /// Adds a contact of vertex v of boundary surface s.
  void add_vertex(int s, int v, int other, const SurfaceSide& b, const Vector3& normal,
                  double gap) {
    SurfaceSide a;
    a.boundary = s;
    a.vertex = v;
    add(s, other, a, b, normal, gap, static_cast<std::uint32_t>(v), 0);
  }
  /// Adds a contact of edge i of boundary surface s with edge j of `count`.
  void add_edges(int s, int i, int other, int j, std::size_t count, const SurfaceSide& a,
                 const SurfaceSide& b, const Vector3& normal, double gap) {
    const std::uint64_t f = static_cast<std::uint64_t>(i) * count + static_cast<std::uint64_t>(j);
    add(s, other, a, b, normal, gap, kEdges | static_cast<std::uint32_t>(f % kEdges), f);
  }
  void take_keys(std::vector<SurfaceContact>& contacts);

  /// The point a (1 - s) + b s on an edge from a to b.
  static SurfaceSide on_edge(int boundary, const FacetSurface& surface,
                             const FacetSurface::Edge& edge, double s) {
    SurfaceSide side;
    side.boundary = boundary;
    side.facet = surface.facet(edge.triangle);
    side.weight[edge.side] = 1.0 - s;
    side.weight[(edge.side + 1) % 3] = s;
    return side;
  }
  static SurfaceSide side_of(int boundary, const FacetSurface& surface,
                             const FacetSurface::Point& point) {
    SurfaceSide side;
    side.boundary = boundary;
    side.facet = surface.facet(point.triangle);
    side.weight = surface.weights(point.triangle, point.y);
    return side;
  }
  /// The vertex of its facet at which a point lies, or -1.
  static int at_vertex(const FacetSurface& surface, const SurfaceSide& side) {
    Eigen::Index k = 0;
    return side.weight.maxCoeff(&k) >= 1.0 - kAtCorner
               ? surface.corners(side.facet)[static_cast<std::size_t>(k)]
               : -1;
  }
};

}  // namespace saltus

// A facet surface with moving vertices: finds the point of it that is in contact with a vertex of
// another surface.
//
// For a vertex x and a facet with outward normal n, let y be the point of the facet closest to x:
//
//     gap = n . (x - y)        where x lies over the facet,
//     gap = |x - y|            in front of an edge or corner, along (x - y)/|x - y|,
//     gap = -|x - y|           behind a concave edge and all facets adjacent to it.
//
// Of the facets that face the vertex, the one with the shortest distance measured against the
// vertex's own normals is used, so that blocks lying flush on each other are in contact at the
// faces they rest on and not at their sides. A vertex x behind a facet is in contact up to a depth
// of half the longest side of the facet, and at most a quarter of the thickness behind it, so that
// the far side is never reached.
#pragma once
#include <limits>

#include "saltus/detection/item_tree.h"

namespace saltus {

class FacetSurface {
 public:
  /// Facets are given by their vertices; the third is -1 for an edge in the plane of x and y with
  /// the outside on its right. `vertices` are the initial positions. width [m] > 0: edges are
  /// treated as strips of this width to both sides. Throws UsageError like triangle_mesh().
  FacetSurface(std::vector<Vector3> vertices, std::span<const std::array<int, 3>> facets,
               double width);
  /// A surface that does not deform, in its own frame.
  explicit FacetSurface(const TriangleMesh& mesh);
  explicit FacetSurface(const HeightField& field);

  int vertices() const { return static_cast<int>(place_.size()); }
  int facets() const { return static_cast<int>(facets_.size()); }
  /// Positions of the vertices [m]; call refit() after setting them.
  std::vector<Vector3>& places() { return place_; }
  const Vector3& place(int vertex) const { return place_[vertex]; }
  /// Updates normals and boxes for the present positions, without allocation. A facet of zero area
  /// has no normal, is never in contact and is ignored among the facets at a vertex.
  void refit();
  bool has_area(int triangle) const { return !mesh_.normal[triangle].isZero(0.0); }
  /// How far behind an open surface a vertex may be in contact with it [m]; 0 for a closed surface,
  /// whose box contains everything behind it.
  double beyond() const { return mesh_.closed ? 0.0 : deepest_; }
  /// Bounding box of all vertices.
  Bounds box() const { return {vertex_tree_.nodes[0].low, vertex_tree_.nodes[0].high}; }
  /// Strips represent edges; facet() maps a triangle of the mesh to its facet.
  const TriangleMesh& mesh() const { return mesh_; }
  int facet(int triangle) const { return flat_ ? triangle / 2 : triangle; }
  const std::array<int, 3>& corners(int facet) const { return facets_[facet]; }
  /// Barycentric weights of the facet's vertices for the point x of a triangle, >= 0 with sum 1.
  Vector3 weights(int triangle, const Vector3& x) const;

  /// How much the surface at a vertex faces d (unit): the maximum of n . d over the normals of its
  /// facets and their mean; 1 without facets, or if none has an area.
  double looks(int vertex, const Vector3& d) const;
  /// True if the vertex was initially behind the facet, no farther from it than the longest side of
  /// the facet: such a pair is never in contact.
  bool was_behind(int vertex, int facet) const;
  /// Initial size; points closer than 1e-9 of it coincide.
  double size() const { return size_; }
  /// Vertices adjacent to a vertex along facets.
  std::span<const int> beside(int vertex) const {
    return std::span(beside_).subspan(first_beside_[vertex],
                                      first_beside_[vertex + 1] - first_beside_[vertex]);
  }
  /// Calls use(vertex) for the vertices in a box.
  template <class Use>
  void vertices_in(const Bounds& box, const Use& use) const {
    visit(
        vertex_tree_.nodes, vertex_tree_.order,
        [&](const TriangleMesh::Node& node) { return overlap(node, box); },
        [&](int v) {
          if ((place_[v].array() >= box.low.array()).all() &&
              (place_[v].array() <= box.high.array()).all())
            use(v);
        });
  }
  /// Calls use(vertex) for the vertices with height(x) <= most, height = n . x - offset.
  template <class Use>
  void vertices_below(const Vector3& n, double most, const Use& use) const {
    visit(
        vertex_tree_.nodes, vertex_tree_.order,
        [&](const TriangleMesh::Node& node) {
          const Vector3 middle = 0.5 * (node.low + node.high), half = 0.5 * (node.high - node.low);
          return n.dot(middle) - n.cwiseAbs().dot(half) <= most;
        },
        [&](int v) {
          if (n.dot(place_[v]) <= most) use(v);
        });
  }

  struct Point {
    int triangle = -1;
    Vector3 y, normal;
    double gap = 0.0;
  };
  /// Finds the point in contact with a vertex at x, gap <= margin; false if there is none.
  /// looks(d): FacetSurface::looks() for the vertex. skipped(facet): true for a facet to ignore.
  template <class Looks, class Skipped>
  bool nearest(const Vector3& x, double margin, const Looks& looks, const Skipped& skipped,
               Point& found) const {
    if (mesh_.triangles.empty()) return false;
    double best = std::numeric_limits<double>::infinity(), most = 0.0;
    const double reach = std::max(margin, deepest_);
    const auto away = [&](const TriangleMesh::Node& node) {
      return (node.low - x).cwiseMax(x - node.high).cwiseMax(0.0).norm();
    };
    visit(
        mesh_.tree, mesh_.order,
        [&](const TriangleMesh::Node& node) { return away(node) <= std::min(reach, best + tie_); },
        [&](int t) {
          Point point;
          if (!meet(t, x, margin, point) || skipped(facet(t))) return;
          const double against = looks(-point.normal);
          if (!(against > kAgainst)) return;
          const double way = std::abs(point.gap) / against;
          const bool closer = way < best - tie_,
                     equal =
                         !closer && way <= best + tie_ &&
                         (against > most + 1e-6 || (against >= most - 1e-6 && t < found.triangle));
          if (!closer && !equal) return;
          best = std::min(best, way);
          most = against;
          found = point;
        });
    return best < std::numeric_limits<double>::infinity();
  }

  /// Sides where the facets initially form a ridge of more than 20 degrees: they are in contact
  /// with those of another surface where they cross.
  struct Edge {
    int triangle = 0, side = 0, beside = 0;  ///< from corner `side` of the triangle to the next one
  };
  std::span<const Edge> edges() const { return edges_; }
  /// Calls use(edge) for the edges whose box overlaps a box.
  template <class Use>
  void edges_in(const Bounds& box, const Use& use) const {
    visit(
        edge_tree_.nodes, edge_tree_.order,
        [&](const TriangleMesh::Node& node) { return overlap(node, box); }, use);
  }
  Bounds box_of(const Edge& edge) const {
    const auto [a, b] = ends(edge);
    return {place_[a].cwiseMin(place_[b]), place_[a].cwiseMax(place_[b])};
  }
  std::array<int, 2> ends(const Edge& edge) const {
    const auto& corners = mesh_.triangles[edge.triangle];
    return {corners[edge.side], corners[(edge.side + 1) % 3]};
  }
  /// True if d (unit, perpendicular to the edge) lies between the normals of its two facets, or
  /// within 15 degrees of them.
  bool stands_out(const Edge& edge, const Vector3& d) const;
  /// True if the surface continues beyond this side of a triangle, at present bent by less than 20
  /// degrees.
  bool goes_on(int triangle, int side) const;
  double depth(int triangle) const { return depth_[triangle]; }
  /// True if the surface has no border and therefore an inside.
  bool closed() const;
  /// Distance [m] from the surface to a point inside; 0 for a point outside, and if the surface is
  /// not closed.
  double depth_of(const Vector3& x) const;
  double deepest() const { return deepest_; }

  /// Least n . d with which a vertex must face the facet it is in contact with.
  static constexpr double kAgainst = 0.25;

 private:
  void prepare();
  void set_depths();
  void find_edges();
  bool meet(int t, const Vector3& x, double margin, Point& point) const;
  double thickness(int t) const;
  bool crosses_oddly(const Vector3& x, const Vector3& d) const;

  TriangleMesh mesh_;  ///< of strips if flat_
  bool flat_ = false;
  double width_ = 0.0, size_ = 0.0, tie_ = 0.0;
  std::vector<Vector3> place_, start_;
  std::vector<std::array<int, 3>> facets_;
  std::vector<double> depth_, longest_;  ///< for each triangle [m]
  double deepest_ = 0.0;
  ItemTree vertex_tree_, edge_tree_;
  std::vector<Edge> edges_;
  std::vector<std::size_t> first_beside_, first_about_;
  std::vector<int> beside_, about_;  ///< adjacent vertices, and triangles at each vertex
};

}  // namespace saltus

// A surface of facets whose vertices move: which point of it a vertex of another surface touches.
//
// Between a vertex x and a facet of outward normal n, y the point of the facet closest to x:
//
//     gap = n . (x - y)        where x lies over the facet,
//     gap = |x - y|            in front of an edge or corner, along (x - y)/|x - y|,
//     gap = -|x - y|           behind a hollow edge, behind all facets about it.
//
// Of the facets that look against the vertex the one on the shortest way against the vertex' own
// normals counts, so that blocks that lie flush on each other touch by the faces they rest on and
// not by their sides. x behind a facet touches it up to a depth of half the longest side of the
// facet, at most a quarter of what lies behind it: the far side is never met.
#pragma once
#include <limits>

#include "saltus/detection/item_tree.h"

namespace saltus {

class FacetSurface {
 public:
  /// Facets by their vertices, the third -1 of an edge in the plane of x and y with the outside on
  /// its right; `vertices` are their places at the start. width [m] > 0: edges are met as strips so
  /// far to both sides. Throws UsageError like triangle_mesh().
  FacetSurface(std::vector<Vector3> vertices, std::span<const std::array<int, 3>> facets,
               double width);
  /// One that does not deform, in its own frame.
  explicit FacetSurface(const TriangleMesh& mesh);
  explicit FacetSurface(const HeightField& field);

  int vertices() const { return static_cast<int>(place_.size()); }
  int facets() const { return static_cast<int>(facets_.size()); }
  /// To be set before refit() [m].
  std::vector<Vector3>& places() { return place_; }
  const Vector3& place(int vertex) const { return place_[vertex]; }
  /// Normals and boxes for the present places; nothing is allocated. A facet whose area is 0 has no
  /// normal, and neither touches nor counts among those about a vertex.
  void refit();
  bool has_area(int triangle) const { return !mesh_.normal[triangle].isZero(0.0); }
  /// How far behind an open surface a vertex may touch it [m]; 0 of a closed one, whose box holds
  /// all that is behind it.
  double beyond() const { return mesh_.closed ? 0.0 : deepest_; }
  /// Of all vertices.
  Bounds box() const { return {vertex_tree_.nodes[0].low, vertex_tree_.nodes[0].high}; }
  /// Strips stand for edges; triangle of the mesh -> facet().
  const TriangleMesh& mesh() const { return mesh_; }
  int facet(int triangle) const { return flat_ ? triangle / 2 : triangle; }
  const std::array<int, 3>& corners(int facet) const { return facets_[facet]; }
  /// Weights of the vertices of the facet of point x of a triangle, >= 0 and of sum 1.
  Vector3 weights(int triangle, const Vector3& x) const;

  /// How much the surface at a vertex looks along d (unit): the most of n . d over the normals of
  /// its facets and the mean of them; 1 without facets, or with none that has an area.
  double looks(int vertex, const Vector3& d) const;
  /// A vertex lay behind a facet at the start, no farther from it than the longest side of the
  /// facet: they never touch.
  bool was_behind(int vertex, int facet) const;
  /// Of the start, in units of length: what is closer than 1e-9 of it is in one place.
  double size() const { return size_; }
  /// Vertices beside a vertex along facets.
  std::span<const int> beside(int vertex) const {
    return std::span(beside_).subspan(first_beside_[vertex],
                                      first_beside_[vertex + 1] - first_beside_[vertex]);
  }
  /// use(vertex) of those in a box.
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
  /// use(vertex) of those with height(x) <= most, height = n . x - offset.
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
  /// The point that the vertex at x touches with gap <= margin; false where there is none.
  /// looks(d): of the vertex. skipped(facet): not to be met.
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

  /// Sides between facets that stand out by more than 20 degrees at the start: they touch those of
  /// another surface where they cross.
  struct Edge {
    int triangle = 0, side = 0, beside = 0;  ///< from corner `side` of the triangle to the next one
  };
  std::span<const Edge> edges() const { return edges_; }
  /// use(edge) of those whose box reaches into a box.
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
  /// d (unit, across the edge) lies between the normals of its two facets, or within 15 degrees of
  /// them.
  bool stands_out(const Edge& edge, const Vector3& d) const;
  /// The surface goes on beside this side of a triangle, bent by less than 20 degrees now.
  bool goes_on(int triangle, int side) const;
  double depth(int triangle) const { return depth_[triangle]; }
  /// The surface has no rim: it has an inside.
  bool closed() const;
  /// Distance [m] from the surface to a point inside; 0 of one outside, and where the surface is
  /// not closed.
  double depth_of(const Vector3& x) const;
  double deepest() const { return deepest_; }

  /// The least n . d by which a vertex looks against what it touches.
  static constexpr double kAgainst = 0.25;

 private:
  void prepare();
  void set_depths();
  void find_edges();
  bool meet(int t, const Vector3& x, double margin, Point& point) const;
  double thickness(int t) const;
  bool crosses_oddly(const Vector3& x, const Vector3& d) const;

  TriangleMesh mesh_;  ///< of strips where flat_
  bool flat_ = false;
  double width_ = 0.0, size_ = 0.0, tie_ = 0.0;
  std::vector<Vector3> place_, start_;
  std::vector<std::array<int, 3>> facets_;
  std::vector<double> depth_, longest_;  ///< of each triangle [m]
  double deepest_ = 0.0;
  ItemTree vertex_tree_, edge_tree_;
  std::vector<Edge> edges_;
  std::vector<std::size_t> first_beside_, first_about_;
  std::vector<int> beside_, about_;  ///< vertices beside, triangles about each vertex
};

}  // namespace saltus

// K = a - b is the set of all w = x - y with points x of a and y of b. h(u) = max u . w over K is
// the width of the overlap along u, and s(n) = -h(-n). For overlapping bodies, the minimum of h
// over all u belongs to a face of K: a face of a or of b, or a pair of edges, one of each.
//
// A polytope in K (InnerPolytope) is extended to the farthest point of K along the normal of its
// nearest triangle, until that triangle lies in a face of K. h is nowhere below the value of the
// nearest triangle, so the first triangle that cannot be extended proves the depth; further
// triangles within the tie are examined as well. Each extension shrinks the triangles around the
// minimum of h by some factor. Hence the number of extensions grows with the logarithm of the
// number of faces if one face is the nearest, and with the number of faces if all are equally near,
// as for balls with a common centre.
//
// For separated bodies s(n) <= distance. A face of K that reaches this value contains the closest
// point, and the corners whose weighted mean is the closest point are corners of that face.
#include "saltus/detection/difference_facets.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <tuple>

#include "saltus/detection/inner_polytope.h"
#include "saltus/shapes/convex.h"

namespace saltus {
namespace {

// relative to the size
constexpr double kRoundOff = 1e-13;  // a triangle this close to the boundary of K lies in it
constexpr double kProof = 1e-11;
// four points span space if one is this far from the plane of the others
constexpr double kSpans = 1e-9;
constexpr double kInFace = 1e-7;  // edges with ends this close to a face plane are tried first
// faces closer than the distance by this cannot contain the closest point
constexpr double kBeyond = 1e-3;

/// A candidate for the best axis: from a face of a (kind 0), of b (1), or two edges (2).
struct Candidate {
  int kind;
  Axis axis;
  auto order() const { return std::tuple(kind, axis.of_a, axis.of_b); }
};

/// Keeps its memory between pairs; one per thread.
struct SearchStore {
  InnerPolytope polytope;
  std::vector<Candidate> candidates;
  std::vector<int> edges_a, edges_b;
};
SearchStore& search_store() {
  static thread_local SearchStore store;  // written before it is read
  return store;
}

class FacetSearch {
 public:
  FacetSearch(const Polyhedron& a, const Polyhedron& b, double tie, double limit)
      : a_(a),
        b_(b),
        tie_(tie),
        limit_(limit),
        size_(a.size + b.size),
        reach_(size_ + (a.centre - b.centre).norm()),
        most_corners_(2 * (a.vertices() + b.vertices()) + 100),
        slack_(2.0 * tie + kProof * reach_ + 4.0 * (a.uneven + b.uneven)),
        store_(search_store()) {
    store_.candidates.clear();
  }

  std::optional<Axis> run() {
    if (!start()) return {};
    for (int f = P().nearest(); f >= 0; f = P().nearest()) {
      const InnerPolytope::Face face = P().face(f);
      if (face.h > 2.0 * tie_ - best_) break;
      const std::array corner{P().corner(face.corner[0]), P().corner(face.corner[1]),
                              P().corner(face.corner[2])};
      const Corner far = farthest(face.n, corner[0]);
      const double h = face.n.dot(far.w);
      if (h < -kRoundOff * reach_) {
        if (h < -limit_) return Axis{-h, -face.n, -1, -1};
        return apart(-face.n);
      }
      const bool raises =
          h - face.h > kRoundOff * reach_ && std::ranges::find(corner, far) == corner.end();
      if (raises) {
        if (P().corners() > most_corners_) return {};
        P().raise(f, far, kRoundOff * reach_);
      } else if (!try_features(corner, face)) {
        return {};
      }
    }
    return choice();
  }

  FacetWork work() const { return {P().corners(), looked_, tried_}; }

 private:
  using Corner = InnerPolytope::Corner;
  using Triple = std::array<Corner, 3>;
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  InnerPolytope& P() const { return store_.polytope; }

  Corner farthest(const Vector3& u, const Corner& near = {{}, -1, -1}) {
    Corner c;
    c.of_a = a_.farthest(u, near.of_a, &looked_);
    c.of_b = b_.farthest(-u, near.of_b, &looked_);
    c.w = a_.vertex[c.of_a] - b_.vertex[c.of_b];
    return c;
  }

  /// Four corners: two along the line of the centres, the other two beside it. False if K is flat.
  bool start() {
    std::array<Corner, 4> c;
    const Vector3 centres = b_.centre - a_.centre;
    const double far = centres.norm();
    const Vector3 u = far > kSpans * size_ ? Vector3(centres / far) : Vector3::UnitZ();
    c[0] = farthest(u);
    c[1] = farthest(-u);
    Vector3 e = c[1].w - c[0].w;
    if (!(e.norm() > kSpans * size_)) return false;
    e.normalize();
    Eigen::Index least = 0;
    e.cwiseAbs().minCoeff(&least);
    const Vector3 q = e.cross(Vector3::Unit(least)).normalized(), r = e.cross(q);
    double across = 0.0;
    for (const Vector3& d : {q, r, Vector3(-q), Vector3(-r)}) {
      const Corner x = farthest(d);
      const double there = (x.w - c[0].w).cross(e).norm();
      if (there > across) {
        across = there;
        c[2] = x;
      }
    }
    if (!(across > kSpans * size_)) return false;
    const Vector3 n = e.cross(c[2].w - c[0].w).normalized();
    const Corner above = farthest(n), below = farthest(-n);
    const double up = n.dot(above.w - c[0].w), down = n.dot(c[0].w - below.w);
    c[3] = up > down ? above : below;
    if (!(std::max(up, down) > kSpans * size_)) return false;
    P().start(c);
    return true;
  }

  /// The best axis at the corners whose mean is the closest point; n separates the bodies. Empty if
  /// round-off hides the closest point.
  std::optional<Axis> apart(const Vector3& n) {
    const Closest close = closest_points(convex(a_), convex(b_), limit_, 1e-15);
    if (!close.apart) return {};
    if (close.distance > limit_) return Axis{close.distance, n, -1, -1};
    Triple corner;
    for (std::size_t k = 0; k < 3; ++k) {
      const DifferencePoint& p = close.simplex[std::min(k, at(close.count - 1))];
      corner[k] = {p.w, p.corner_a, p.corner_b};
    }
    const double least = close.distance - kBeyond * size_;
    try_faces(corner, least);
    try_edges(corner, Vector3::Zero(), 0.0, least);
    return store_.candidates.empty() ? Axis{close.distance, n, -1, -1} : choice();
  }

  /// Tries the axes of faces and edges of a and b that form the face of K containing the triangle.
  /// False if the first triangle has no axis as good as its own value; corners of a hull face may
  /// lie below the plane of that face.
  bool try_features(const Triple& corner, const InnerPolytope::Face& face) {
    const bool first = store_.candidates.empty();
    const double enough = -face.h - kProof * reach_, least = std::max(best_, -face.h) - slack_;
    found_ = -std::numeric_limits<double>::infinity();
    try_faces(corner, least);
    if (found_ < enough) try_edges(corner, face.n, kInFace * size_, least);
    if (found_ < enough) try_edges(corner, Vector3::Zero(), 0.0, least);
    return !first || found_ >= least;
  }

  /// Upper bound of s(n): at most n . w for any w of K.
  static double bound(const Triple& corner, const Vector3& n) {
    return std::min({n.dot(corner[0].w), n.dot(corner[1].w), n.dot(corner[2].w)});
  }

  void propose(int kind, const Axis& axis, double least) {
    ++tried_;
    found_ = std::max(found_, axis.s);
    if (!(axis.s >= least)) return;
    best_ = std::max(best_, axis.s);
    store_.candidates.push_back({kind, axis});
  }

  void try_faces(const Triple& corner, double least) {
    for (const Corner& c : corner) {
      try_faces_at(c.of_a, c.of_b, true, corner, least);
      try_faces_at(c.of_b, c.of_a, false, corner, least);
    }
  }

  /// Tries the faces at vertex v of a, or of b; `near` is a vertex of the other body.
  void try_faces_at(int v, int near, bool of_a, const Triple& corner, double least) {
    const Polyhedron &body = of_a ? a_ : b_, &other = of_a ? b_ : a_;
    if (body.faces() == 0) return;
    body.for_edges_at(v, [&](int e, int) {
      for (const int f : body.edge_faces[e]) {
        const Vector3 m = body.normal[f], n = of_a ? Vector3(-m) : m;
        if (!(bound(corner, n) >= least)) continue;
        const double s = -other.reach(-m, near) - body.face_offset(f);
        propose(of_a ? 0 : 1, {s, n, of_a ? f : -1, of_a ? -1 : f}, least);
      }
    });
  }

  /// Edges at the corners that are perpendicular to m up to `close`.
  void edges_across(const Triple& corner, const Vector3& m, double close, bool of_a,
                    std::vector<int>& edges) const {
    const Polyhedron& body = of_a ? a_ : b_;
    edges.clear();
    for (const Corner& c : corner) {
      const int v = of_a ? c.of_a : c.of_b;
      body.for_edges_at(v, [&](int e, int end) {
        if (std::abs(m.dot(body.vertex[end] - body.vertex[v])) <= close) edges.push_back(e);
      });
    }
    std::ranges::sort(edges);
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  }

  void try_edges(const Triple& corner, const Vector3& m, double close, double least) {
    edges_across(corner, m, close, true, store_.edges_a);
    edges_across(corner, m, close, false, store_.edges_b);
    for (const int e : store_.edges_a)
      for (const int f : store_.edges_b) {
        Vector3 n;
        if (!edge_normal(a_, e, b_, f, n) || !(bound(corner, n) >= least)) continue;
        const double s = -a_.reach(-n, a_.edge[e][0]) - b_.reach(n, b_.edge[f][0]);
        propose(2, {s, n, e, f}, least);
      }
  }

  /// The first of the axes that are equal up to the tie.
  Axis choice() {
    std::vector<Candidate>& all = store_.candidates;
    std::erase_if(all, [&](const Candidate& c) { return !(c.axis.s >= best_ - 2.0 * tie_); });
    std::ranges::sort(all, {}, &Candidate::order);
    Axis best[3];
    for (const Candidate& c : all) {
      Axis& here = best[c.kind];
      if (c.kind == 2) here.s = std::max({here.s, best[0].s, best[1].s});
      if (c.axis.s > here.s + tie_) here = c.axis;
    }
    if (best[2].of_a >= 0) return best[2];
    return best[0].s >= best[1].s - tie_ ? best[0] : best[1];
  }

  const Polyhedron &a_, &b_;
  double tie_, limit_, size_;
  double reach_;  ///< no point of K is farther from 0 than this
  int most_corners_;
  double slack_;  ///< for the axis that is searched
  SearchStore& store_;
  double best_ = -std::numeric_limits<double>::infinity();   ///< largest s so far
  double found_ = -std::numeric_limits<double>::infinity();  ///< largest s of one triangle
  int looked_ = 0, tried_ = 0;
};

}  // namespace

std::optional<Axis> nearest_facet(const Polyhedron& a, const Polyhedron& b, double tie,
                                  double limit, FacetWork* work) {
  FacetSearch search(a, b, tie, limit);
  const std::optional<Axis> axis = search.run();
  if (work) *work = search.work();
  return axis;
}

}  // namespace saltus

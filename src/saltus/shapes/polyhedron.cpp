#include "saltus/shapes/polyhedron.h"

#include <algorithm>
#include <limits>

namespace saltus {
namespace {

constexpr std::array<int, 7> kBoxFirst{0, 4, 8, 12, 16, 20, 24};
constexpr std::array<int, 24> kBoxCorner{0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4,
                                         2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};
constexpr std::array<std::array<int, 2>, 12> kBoxEdge{{{0, 1},
                                                       {0, 2},
                                                       {0, 4},
                                                       {1, 3},
                                                       {1, 5},
                                                       {2, 3},
                                                       {2, 6},
                                                       {3, 7},
                                                       {4, 5},
                                                       {4, 6},
                                                       {5, 7},
                                                       {6, 7}}};

/// For the edge between vertices i and i | 2^k: the faces of the other two axes, on the sides given
/// by the bits of i; first the face to the left of the direction from i to i | 2^k.
constexpr std::array<std::array<int, 2>, 12> box_edge_faces() {
  std::array<std::array<int, 2>, 12> faces{};
  for (std::size_t e = 0; e < 12; ++e) {
    const int i = kBoxEdge[e][0], step = kBoxEdge[e][1] - i;
    const int k = step == 1 ? 0 : step == 2 ? 1 : 2;
    const int u = (k + 1) % 3, v = (k + 2) % 3;
    const int side_u = (i >> u) & 1, side_v = (i >> v) & 1;
    const int face_u = 2 * u + side_u, face_v = 2 * v + side_v;
    // seen from outside and looking along k, u lies to the left if both sides are +
    faces[e] =
        side_u == side_v ? std::array<int, 2>{face_u, face_v} : std::array<int, 2>{face_v, face_u};
  }
  return faces;
}
constexpr auto kBoxEdgeFaces = box_edge_faces();

constexpr int kFewVertices = 100;  // of a hull: comparing all of them is as fast
constexpr int kSamples = 16;     // sampled vertices, the farthest of which is the start of a climb
constexpr double kLevel = 1e-7;  // of the size; larger than the unevenness of a face of a hull

constexpr std::array<std::array<int, 2>, 1> kSegmentEdge{{{0, 1}}};
constexpr std::array<int, 3> kTriangleFirst{0, 3, 6};
constexpr std::array<int, 6> kTriangleCorner{0, 1, 2, 0, 2, 1};
constexpr std::array<std::array<int, 2>, 3> kTriangleEdge{{{0, 1}, {0, 2}, {1, 2}}};
constexpr std::array<std::array<int, 2>, 3> kTriangleEdgeFaces{{{0, 1}, {1, 0}, {0, 1}}};

}  // namespace

int Polyhedron::farthest(const Vector3& d, int start, int* looked) const {
  if (star_first.empty() || (start < 0 && vertices() <= kFewVertices)) {
    int best = 0;
    double most = d.dot(vertex[0]);
    for (int i = 1; i < vertices(); ++i) {
      const double reach = d.dot(vertex[i]);
      if (reach > most) {
        most = reach;
        best = i;
      }
    }
    if (looked) *looked += vertices();
    return best;
  }
  int best = std::max(start, 0), from = -1;
  double most = d.dot(vertex[best]), next = 0.0;
  for (int i = vertices() / kSamples; start < 0 && i < vertices(); i += vertices() / kSamples) {
    const double reach = d.dot(vertex[i]);
    if (looked) ++*looked;
    if (!(reach > most)) continue;
    most = reach;
    best = i;
  }
  while (best != from) {
    from = best;
    next = -std::numeric_limits<double>::infinity();
    for (int k = star_first[from]; k < star_first[from + 1]; ++k) {
      const double reach = d.dot(vertex[star[k].end]);
      next = std::max(next, reach);
      if (!(reach > most)) continue;
      most = reach;
      best = star[k].end;
    }
    if (looked) *looked += star_first[from + 1] - star_first[from];
  }
  // corners of one face may hide each other because a face is not exactly flat, and round-off
  // separates those that are equally far
  const double slack = kLevel * size * d.norm();
  if (next < most - slack) return best;
  for (const int i : level(d, best, slack)) {
    const double reach = d.dot(vertex[i]);
    if (reach < most || (reach == most && i > best)) continue;
    most = reach;
    best = i;
  }
  return best;
}

std::span<const int> Polyhedron::level(const Vector3& d, int from, double slack) const {
  static thread_local std::vector<int> found, seen;  // `seen` is 0 between calls
  const double least = d.dot(vertex[from]) - slack;
  found.reserve(64);
  found.assign(1, from);
  if (seen.size() < vertex.size()) seen.resize(vertex.size(), 0);
  seen[from] = 1;
  for (std::size_t k = 0; k < found.size(); ++k)
    for_edges_at(found[k], [&](int, int end) {
      if (seen[end] != 0 || !(d.dot(vertex[end]) >= least)) return;
      seen[end] = 1;
      found.push_back(end);
    });
  for (const int i : found) seen[i] = 0;
  std::ranges::sort(found);
  return found;
}

int Polyhedron::edge_between(int i, int j) const {
  const std::array<int, 2> ends{std::min(i, j), std::max(i, j)};
  const auto found = std::lower_bound(edge.begin(), edge.end(), ends);
  return found != edge.end() && *found == ends ? static_cast<int>(found - edge.begin()) : -1;
}

Polyhedron polyhedron(const Box& box, PolyhedronStore& store) {
  store.vertex.resize(8);
  store.normal.resize(6);
  store.offset.resize(6);
  for (int i = 0; i < 8; ++i)
    for (int k = 0; k < 3; ++k) store.vertex[i][k] = (i >> k) & 1 ? box.half[k] : -box.half[k];
  for (int f = 0; f < 6; ++f) {
    store.normal[f].setZero();
    store.normal[f][f / 2] = f % 2 ? 1.0 : -1.0;
    store.offset[f] = box.half[f / 2];
  }
  Polyhedron P;
  P.vertex = Moved(store.vertex);
  P.first = kBoxFirst;
  P.corner = kBoxCorner;
  P.normal = Moved(store.normal);
  P.offset = store.offset;
  P.edge = kBoxEdge;
  P.edge_faces = kBoxEdgeFaces;
  P.size = box.half.norm();
  P.box = true;
  return P;
}

Polyhedron polyhedron(const ConvexHull& hull, PolyhedronStore&) {
  Polyhedron P;
  P.vertex = Moved(hull.vertices);
  P.first = hull.first;
  P.corner = hull.corner;
  P.normal = Moved(hull.normal);
  P.offset = hull.offset;
  P.edge = hull.edge;
  P.edge_faces = hull.edge_faces;
  P.star_first = hull.star_first;
  P.star = hull.star;
  P.centre = hull.centre;
  P.uneven = hull.uneven;
  P.size = P.centre.norm() + hull.radius;
  return P;
}

Polyhedron polyhedron(const Capsule& capsule, PolyhedronStore& store) {
  store.vertex.resize(2);
  store.vertex[0] = {0.0, 0.0, -capsule.half_length};
  store.vertex[1] = {0.0, 0.0, capsule.half_length};
  Polyhedron P;
  P.vertex = Moved(store.vertex);
  P.edge = kSegmentEdge;
  P.size = capsule.half_length;
  return P;
}

Polyhedron triangle_polyhedron(const std::array<Vector3, 3>& corners, const Vector3& normal,
                               PolyhedronStore& store) {
  store.vertex.assign(corners.begin(), corners.end());
  store.normal = {normal, -normal};
  const double offset = normal.dot(corners[0]);
  store.offset = {offset, -offset};
  Polyhedron P;
  P.vertex = Moved(store.vertex);
  P.first = kTriangleFirst;
  P.corner = kTriangleCorner;
  P.normal = Moved(store.normal);
  P.offset = store.offset;
  P.edge = kTriangleEdge;
  P.edge_faces = kTriangleEdgeFaces;
  P.centre = (corners[0] + corners[1] + corners[2]) / 3.0;
  for (const Vector3& x : corners) P.size = std::max(P.size, (x - P.centre).norm());
  return P;
}

Polyhedron placed(const Polyhedron& shape, const Pose& at, PolyhedronStore& store) {
  const std::size_t vertices = shape.vertex.size(), faces = shape.normal.size();
  store.vertex.resize(vertices);
  store.normal.resize(faces);
  store.offset.resize(faces);
  for (int i = 0; i < shape.vertices(); ++i) store.vertex[i] = at * shape.vertex[i];
  for (int f = 0; f < shape.faces(); ++f) {
    store.normal[f] = at.R * shape.normal[f];
    store.offset[f] = shape.offset[f] + store.normal[f].dot(at.x);
  }
  Polyhedron P = shape;
  P.vertex = Moved(store.vertex);
  P.normal = Moved(store.normal);
  P.offset = store.offset;
  P.centre = at * shape.centre;
  return P;
}

Polyhedron placed_when_read(const Polyhedron& shape, const Pose& at, PolyhedronStore& store) {
  if (shape.star_first.empty() || shape.vertices() <= kFewVertices) return placed(shape, at, store);
  Polyhedron P = shape;
  P.vertex = shape.vertex.moved(at, true);
  P.normal = shape.normal.moved(at, false);
  P.at = &at;
  P.centre = at * shape.centre;
  return P;
}

}  // namespace saltus

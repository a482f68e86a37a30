// Vertices and facets of a boundary surface in contact with planes and convex shapes.
#include <cmath>
#include <limits>

#include "saltus/detection/surface_detector_internal.h"
#include "saltus/shapes/plain_internal.h"

namespace saltus {
namespace {

constexpr double kSameContactPlace = 1e-9;  // of the size of a shape
constexpr double kFaced = 0.95;  // cosine: a face of a shape this parallel lies on a facet

using Looks = std::function<double(const Vector3&)>;

// Heights over the faces of convex shapes with edges; the other shapes are round.
struct FaceHeights {
  const Looks& looks;
  const Pose& at;
  double tie;
  VertexTouch best{};
  double highest = -std::numeric_limits<double>::infinity(),
         way = std::numeric_limits<double>::infinity(), most = 0.0;

  void add(const Vector3& n, double height) {  // n in the frame of the shape
    highest = std::max(highest, height);
    const Vector3 normal = at.R * n;
    const double against = looks(-normal);
    if (!(against > FacetSurface::kAgainst)) return;
    const double x = -height / against;
    if (x < way - tie || (x <= way + tie && against > most + 1e-6)) {
      way = x;
      most = against;
      best = {normal, height};
    }
  }
};

double size_of(const Box& box) { return box.half.norm(); }
double size_of(const Cylinder& c) { return std::hypot(c.radius, c.half_length); }
double size_of(const ConvexHull& hull) { return hull.radius; }

void add_faces(const Box& box, const Vector3& x, FaceHeights& heights) {
  for (int k = 0; k < 3; ++k)
    for (const double sign : {-1.0, 1.0})
      heights.add(sign * Vector3::Unit(k), sign * x[k] - box.half[k]);
}
void add_faces(const Cylinder& c, const Vector3& x, FaceHeights& heights) {
  const double rho = std::hypot(x.x(), x.y());
  heights.add(rho > 0.0 ? Vector3(x.x() / rho, x.y() / rho, 0.0) : Vector3::UnitX(),
              rho - c.radius);
  for (const double sign : {-1.0, 1.0})
    heights.add(sign * Vector3::UnitZ(), sign * x.z() - c.half_length);
}
void add_faces(const ConvexHull& hull, const Vector3& x, FaceHeights& heights) {
  for (int f = 0; f < hull.faces(); ++f)
    heights.add(hull.normal[f], hull.normal[f].dot(x) - hull.offset[f]);
}

}  // namespace

bool touch_convex(const Vector3& x, const Shape& shape, const Pose& at, double margin,
                  const Looks& looks, VertexTouch& found) {
  bool within = false, touches = false;
  std::visit(
      [&](const auto& any) {
        const auto& s = plain(any);
        if constexpr (requires(FaceHeights & h) { add_faces(s, x, h); }) {
          const double tie = kSameContactPlace * size_of(s);
          FaceHeights heights{looks, at, tie};
          add_faces(s, at.R.transpose() * (x - at.x), heights);
          within = heights.highest <= tie;
          touches = within && heights.most > 0.0;
          found = heights.best;
        }
      },
      shape);
  if (within) return touches;
  static thread_local std::vector<ContactPoint> points;  // written before it is read
  points.clear();
  collide(Sphere{0.0}, {x, Matrix3::Identity()}, shape, at, margin, points);
  if (points.empty() || !(looks(-points.front().normal) > FacetSurface::kAgainst)) return false;
  found = {points.front().normal, points.front().gap};
  return true;
}

void SurfaceDetector::Search::on_plane(int s, int c) {
  const FacetSurface& boundary = boundaries[static_cast<std::size_t>(s)].surface;
  const Pose& at = others[static_cast<std::size_t>(c)].at;
  const Vector3 n = at.R.col(2);
  const double offset = n.dot(at.x);
  SurfaceSide b;
  b.collider = c;
  boundary.vertices_below(n, offset + margin, [&](int v) {
    const double gap = n.dot(boundary.place(v) - at.x);
    if (gap <= margin && boundary.looks(v, -n) > FacetSurface::kAgainst)
      add_vertex(s, v, c, b, n, gap);
  });
}

Clearance SurfaceDetector::clearance() const {
  const Search& w = *search_;
  Clearance least;
  const int boundaries = static_cast<int>(w.boundaries.size());
  for (int s = 0; s < boundaries; ++s) {
    const FacetSurface& boundary = w.boundaries[static_cast<std::size_t>(s)].surface;
    for (int c = 0; c < static_cast<int>(w.others.size()); ++c) {
      const Search::Other& other = w.others[static_cast<std::size_t>(c)];
      if (!w.wanted(s, c, other.collider.material)) continue;
      if (!std::holds_alternative<Plane>(other.collider.shape)) {
        least.possible = std::min(least.possible, distance(boundary.box(), other.box));
        continue;
      }
      const Vector3 n = other.at.R.col(2);
      boundary.vertices_below(n, least.known + n.dot(other.at.x), [&](int v) {
        const double gap = n.dot(boundary.place(v) - other.at.x);
        if (gap > w.margin && boundary.looks(v, -n) > FacetSurface::kAgainst)
          least.known = std::min(least.known, gap);
      });
    }
    for (int r = s + 1; r < boundaries; ++r) {
      const Search::BoundarySurface& second = w.boundaries[static_cast<std::size_t>(r)];
      if (w.wanted(s, w.number(r), second.material))
        least.possible = std::min(least.possible, distance(boundary.box(), second.surface.box()));
    }
  }
  return least;
}

void SurfaceDetector::Search::on_convex(int s, int c) {
  BoundarySurface& own = boundaries[static_cast<std::size_t>(s)];
  const FacetSurface& boundary = own.surface;
  const Other& other = others[static_cast<std::size_t>(c)];
  SurfaceSide b;
  b.collider = c;
  boundary.vertices_in(other.box, [&](int v) {
    VertexTouch touch;
    if (touch_convex(
            boundary.place(v), other.collider.shape, other.at, margin,
            [&](const Vector3& d) { return boundary.looks(v, d); }, touch))
      add_vertex(s, v, c, b, touch.normal, touch.gap);
  });
  facets_on_convex(s, c);
}

// Corners of facets are handled by the vertices. If a face of the shape lies on the boundary
// surface, its corners are in contact; its sides only where they cross a sharp edge, because
// elsewhere the vertices around the crossing carry the contact.
void SurfaceDetector::Search::facets_on_convex(int s, int c) {
  const FacetSurface& boundary = boundaries[static_cast<std::size_t>(s)].surface;
  const Other& other = others[static_cast<std::size_t>(c)];
  if (boundary.facets() == 0) return;
  touches(boundary.mesh(), other.collider.shape, other.at, margin, touches_found);
  const auto faced = [&](const Vector3& n) {
    const Vector3 d = other.at.R.transpose() * n;
    if (std::holds_alternative<Box>(other.collider.shape)) return d.cwiseAbs().maxCoeff() > kFaced;
    if (const auto* hull = std::get_if<std::shared_ptr<const ConvexHull>>(&other.collider.shape))
      return std::ranges::any_of((*hull)->normal,
                                 [&](const Vector3& face) { return face.dot(d) < -kFaced; });
    return false;
  };
  const std::size_t first = found.size();
  for (const SurfaceTouch& touch : touches_found) {
    const ContactPoint& p = touch.point;
    // a slab that extends past a side of the boundary surface appears behind that side, at a depth
    // of its own width; its contact is from below
    if (!boundary.has_area(touch.triangle) || p.gap < -boundary.depth(touch.triangle)) continue;
    const FacetSurface::Point point{touch.triangle, p.x - 0.5 * p.gap * p.normal, p.normal, p.gap};
    SurfaceSide a = side_of(s, boundary, point);
    if (at_vertex(boundary, a) >= 0) continue;
    const int corners = boundary.corners(a.facet)[2] < 0 ? 2 : 3;
    Eigen::Index away = 0;  // the corner opposite to the side in contact
    if (!touch.corner && corners == 3 && a.weight.minCoeff(&away) <= kAtCorner && faced(p.normal) &&
        boundary.goes_on(touch.triangle, static_cast<int>(away + 1) % 3))
      continue;
    // facets on both sides of an edge give the same point
    const double same = kAtCorner * boundary.size();
    Vector3 x = Vector3::Zero();
    for (int k = 0; k < corners; ++k)
      x += a.weight[k] * boundary.place(boundary.corners(a.facet)[k]);
    bool again = false;
    for (std::size_t i = first; i < found.size() && !again; ++i) {
      const SurfaceContact& known = found[i].contact;
      Vector3 y = Vector3::Zero();
      for (int k = 0; k < corners; ++k)
        y += known.a.weight[k] * boundary.place(boundary.corners(known.a.facet)[k]);
      again = (x - y).norm() <= same && known.normal.dot(p.normal) < 0.0;
    }
    if (again) continue;
    SurfaceSide b;
    b.collider = c;
    add(s, c, a, b, -p.normal, p.gap, kOtherWay | (p.feature & (kOtherWay - 1)),
        (static_cast<std::uint64_t>(touch.triangle) << 24) | p.feature);
  }
}

}  // namespace saltus

#include "saltus/shapes/skin_detector.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "saltus/base/error.h"
#include "saltus/shapes/skin_surface.h"

namespace saltus {
namespace {

constexpr double kSamePlace = 1e-9;  // of the size of a shape
constexpr double kCorner = 1e-6;  // weights within this of 1 are those of a vertex, of 0 of an edge
constexpr double kFaced = 0.95;   // cosine: a face of a shape lies on a facet
constexpr double kCrossing = 0.02;  // sine of the least angle at which edges cross
// In features: the skin is touched, not its vertex; edges cross.
constexpr std::uint32_t kOtherWay = 1u << 23, kEdges = 1u << 22;

using Looks = std::function<double(const Vector3&)>;

// Heights over the faces of a convex shape whose surface has edges; the rest is round.
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
    if (!(against > SkinSurface::kAgainst)) return;
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

template <class S>
const S& plain(const S& shape) {
  return shape;
}
template <class S>
const S& plain(const std::shared_ptr<const S>& shape) {
  return *shape;
}

void widen(Bounds& box, double by) {
  box.low.array() -= by;
  box.high.array() += by;
}

/// The box of a box that is placed.
Bounds placed(const Bounds& box, const Pose& at) {
  const Vector3 middle = at * Vector3(0.5 * (box.low + box.high)),
                half = at.R.cwiseAbs() * (0.5 * (box.high - box.low));
  return {middle - half, middle + half};
}
Pose inverse(const Pose& at) { return {at.R.transpose() * -at.x, at.R.transpose()}; }

bool disjoint(const Bounds& a, const Bounds& b) {
  return !((a.low.array() <= b.high.array()).all() && (b.low.array() <= a.high.array()).all());
}

}  // namespace

bool touch_convex(const Vector3& x, const Shape& shape, const Pose& at, double margin,
                  const Looks& looks, VertexTouch& found) {
  bool within = false, touches = false;
  std::visit(
      [&](const auto& any) {
        const auto& s = plain(any);
        if constexpr (requires(FaceHeights & h) { add_faces(s, x, h); }) {
          const double tie = kSamePlace * size_of(s);
          FaceHeights heights{looks, at, tie};
          add_faces(s, at.R.transpose() * (x - at.x), heights);
          within = heights.highest <= tie;
          touches = within && heights.most > 0.0;
          found = heights.best;
        }
      },
      shape);
  if (within) return touches;
  static thread_local std::vector<ContactPoint> points;
  points.clear();
  collide(Sphere{0.0}, {x, Matrix3::Identity()}, shape, at, margin, points);
  if (points.empty() || !(looks(-points.front().normal) > SkinSurface::kAgainst)) return false;
  found = {points.front().normal, points.front().gap};
  return true;
}

struct SkinDetector::Work {
  struct Skin {
    SkinSurface surface;
    int material;
    bool self;
    Bounds box;                ///< of all that may touch it
    std::vector<int> touched;  ///< of each vertex: the pair in which it touched last
  };
  struct Other {
    Collider collider;
    Pose at;
    Bounds box;
    std::unique_ptr<SkinSurface> surface;  ///< of a mesh or height field
  };
  std::vector<Skin> skins;
  std::vector<Other> others;
  double margin = 0.0;
  int materials = 1;
  std::vector<char> meets;
  int pair = 0;
  std::vector<SkinContact>* out = nullptr;
  std::vector<SurfaceTouch> touches_found;

  bool wanted(int a, int b) const {
    return meets[static_cast<std::size_t>(a * materials + b)] != 0;
  }
  void place(Other& other);
  void on_plane(int s, int c);
  void on_convex(int s, int c);
  void facets_on_convex(int s, int c);
  void on_surface(int s, int c);
  void on_skin(int s, int r);
  void on_itself(int s);
  template <class Take>
  void cross_edges(const SkinSurface& first, const Bounds& box, const SkinSurface& second,
                   const Pose& at, const Take& take) const;
  void add(int s, int v, int other, const SkinSide& b, const Vector3& normal, double gap,
           std::uint32_t feature) {
    SkinSide a;
    a.skin = s;
    a.vertex = v;
    out->push_back({a, b, normal, gap, key(s, other, feature)});
  }
  std::uint64_t key(int s, int other, std::uint32_t feature) const {
    return contact_key(static_cast<int>(others.size()) + s, other, feature);
  }
  int number(int skin) const { return static_cast<int>(others.size()) + skin; }
  /// The point a (1 - s) + b s of an edge from a to b.
  static SkinSide on_edge(int skin, const SkinSurface& surface, const SkinSurface::Edge& edge,
                          double s) {
    SkinSide side;
    side.skin = skin;
    side.facet = surface.facet(edge.triangle);
    side.weight[edge.side] = 1.0 - s;
    side.weight[(edge.side + 1) % 3] = s;
    return side;
  }
  static std::uint32_t edge_feature(int i, std::size_t count, int j) {
    const std::uint64_t f = static_cast<std::uint64_t>(i) * count + static_cast<std::uint64_t>(j);
    return kEdges | static_cast<std::uint32_t>(f % kEdges);
  }
  static SkinSide side_of(int skin, const SkinSurface& surface, const SkinSurface::Point& point) {
    SkinSide side;
    side.skin = skin;
    side.facet = surface.facet(point.triangle);
    side.weight = surface.weights(point.triangle, point.y);
    return side;
  }
  /// The vertex of a facet that a point of it is at, -1: at none.
  static int at_vertex(const SkinSurface& surface, const SkinSide& side) {
    Eigen::Index k = 0;
    return side.weight.maxCoeff(&k) >= 1.0 - kCorner
               ? surface.corners(side.facet)[static_cast<std::size_t>(k)]
               : -1;
  }
};

SkinDetector::SkinDetector(std::vector<DeformingShape> skins, std::span<const Collider> colliders,
                           double margin, int materials, const std::vector<char>& meets)
    : work_(std::make_unique<Work>()) {
  constexpr int kMostVertices = 1 << 22;
  expects(margin >= 0.0, "the margin of detection is below 0");
  expects(skins.size() + colliders.size() < (std::size_t{1} << 20), "more than 1048575 shapes");
  Work& w = *work_;
  w.margin = margin;
  w.materials = materials;
  w.meets = meets;
  double widest = 0.0;  // of what edges in the plane must reach past
  for (const Collider& collider : colliders) {
    Work::Other other{collider, collider.local, {}, nullptr};
    if (const auto* mesh = std::get_if<std::shared_ptr<const TriangleMesh>>(&collider.shape))
      other.surface = std::make_unique<SkinSurface>(**mesh);
    else if (const auto* field = std::get_if<std::shared_ptr<const HeightField>>(&collider.shape))
      other.surface = std::make_unique<SkinSurface>(**field);
    else if (!std::holds_alternative<Plane>(collider.shape)) {
      const Bounds box = bounds(collider.shape, Pose{});
      widest = std::max(widest, (box.high - box.low).norm());
    }
    if (other.surface)
      expects(other.surface->vertices() <= kMostVertices,
              "a surface of more than 4194304 vertices");
    w.others.push_back(std::move(other));
  }
  for (DeformingShape& skin : skins) {
    expects(!skin.vertices.empty() && skin.vertices.size() <= kMostVertices,
            fmt::format("a skin of {} vertices (1 to {})", skin.vertices.size(), kMostVertices));
    Bounds box{skin.vertices.front(), skin.vertices.front()};
    for (const Vector3& x : skin.vertices) {
      box.low = box.low.cwiseMin(x);
      box.high = box.high.cwiseMax(x);
    }
    std::vector<int> none(skin.vertices.size(), -1);
    w.skins.push_back(
        {SkinSurface(std::move(skin.vertices), skin.facets, widest + (box.high - box.low).norm()),
         skin.material, skin.self, box, std::move(none)});
  }
  for (Work::Other& other : w.others)
    if (other.collider.frame < 0) w.place(other);
}

SkinDetector::~SkinDetector() = default;
SkinDetector::SkinDetector(SkinDetector&&) noexcept = default;

int SkinDetector::skins() const { return static_cast<int>(work_->skins.size()); }
std::vector<Vector3>& SkinDetector::vertices(int skin) {
  return work_->skins[static_cast<std::size_t>(skin)].surface.places();
}

void SkinDetector::Work::place(Other& other) {
  if (other.surface) {
    other.box = placed(other.surface->box(), other.at);
    widen(other.box, margin + other.surface->beyond());
  } else if (!std::holds_alternative<Plane>(other.collider.shape)) {
    other.box = bounds(other.collider.shape, other.at);
    widen(other.box, margin);
  }
}

void SkinDetector::Work::on_plane(int s, int c) {
  const SkinSurface& skin = skins[static_cast<std::size_t>(s)].surface;
  const Pose& at = others[static_cast<std::size_t>(c)].at;
  const Vector3 n = at.R.col(2);
  const double offset = n.dot(at.x);
  SkinSide b;
  b.collider = c;
  skin.vertices_below(n, offset + margin, [&](int v) {
    const double gap = n.dot(skin.place(v) - at.x);
    if (gap <= margin && skin.looks(v, -n) > SkinSurface::kAgainst)
      add(s, v, c, b, n, gap, static_cast<std::uint32_t>(v));
  });
}

void SkinDetector::Work::on_convex(int s, int c) {
  Skin& own = skins[static_cast<std::size_t>(s)];
  const SkinSurface& skin = own.surface;
  const Other& other = others[static_cast<std::size_t>(c)];
  SkinSide b;
  b.collider = c;
  skin.vertices_in(other.box, [&](int v) {
    VertexTouch touch;
    if (touch_convex(
            skin.place(v), other.collider.shape, other.at, margin,
            [&](const Vector3& d) { return skin.looks(v, d); }, touch))
      add(s, v, c, b, touch.normal, touch.gap, static_cast<std::uint32_t>(v));
  });
  facets_on_convex(s, c);
}

// Corners of facets are left to the vertices. Where a face of the shape lies on the skin its corners touch, and its sides
// only where they cross a sharp edge: else what they cross is held by the vertices about it.
void SkinDetector::Work::facets_on_convex(int s, int c) {
  const SkinSurface& skin = skins[static_cast<std::size_t>(s)].surface;
  const Other& other = others[static_cast<std::size_t>(c)];
  if (skin.facets() == 0) return;
  touches(skin.mesh(), other.collider.shape, other.at, margin, touches_found);
  const auto faced = [&](const Vector3& n) {
    const Vector3 d = other.at.R.transpose() * n;
    if (std::holds_alternative<Box>(other.collider.shape)) return d.cwiseAbs().maxCoeff() > kFaced;
    if (const auto* hull = std::get_if<std::shared_ptr<const ConvexHull>>(&other.collider.shape))
      return std::ranges::any_of((*hull)->normal,
                                 [&](const Vector3& face) { return face.dot(d) < -kFaced; });
    return false;
  };
  const std::size_t first = out->size();
  for (const SurfaceTouch& touch : touches_found) {
    const ContactPoint& p = touch.point;
    const SkinSurface::Point point{touch.triangle, p.x - 0.5 * p.gap * p.normal, p.normal, p.gap};
    SkinSide a = side_of(s, skin, point);
    if (at_vertex(skin, a) >= 0) continue;
    const int corners = skin.corners(a.facet)[2] < 0 ? 2 : 3;
    Eigen::Index away = 0;  // the corner opposite to the side that is touched
    if (!touch.corner && corners == 3 && a.weight.minCoeff(&away) <= kCorner && faced(p.normal) &&
        skin.goes_on(touch.triangle, static_cast<int>(away + 1) % 3))
      continue;
    // facets on both sides of an edge find one point
    const double same = kCorner * skin.size();
    Vector3 x = Vector3::Zero();
    for (int k = 0; k < corners; ++k) x += a.weight[k] * skin.place(skin.corners(a.facet)[k]);
    bool again = false;
    for (std::size_t i = first; i < out->size() && !again; ++i) {
      const SkinContact& known = (*out)[i];
      Vector3 y = Vector3::Zero();
      for (int k = 0; k < corners; ++k)
        y += known.a.weight[k] * skin.place(skin.corners(known.a.facet)[k]);
      again = (x - y).norm() <= same && known.normal.dot(p.normal) < 0.0;
    }
    if (again) continue;
    SkinSide b;
    b.collider = c;
    out->push_back({a, b, -p.normal, p.gap, key(s, c, kOtherWay | (p.feature & (kOtherWay - 1)))});
  }
}

// Edges of a skin in the world against those of a surface placed by `at`: with p + s u and q + r w on them
//
//     n = +- u x w/|u x w|,   from the second to the first,   -n between the normals beside the first, n beside the second,
//     gap = n . (p + s u - q - r w),   0 < s, r < 1.
template <class Take>
void SkinDetector::Work::cross_edges(const SkinSurface& first, const Bounds& box,
                                     const SkinSurface& second, const Pose& at,
                                     const Take& take) const {
  if (first.edges().empty() || second.edges().empty()) return;
  const Pose back = inverse(at);
  const double reach = std::max({margin, first.deepest(), second.deepest()});
  first.edges_in(box, [&](int i) {
    const SkinSurface::Edge& e = first.edges()[static_cast<std::size_t>(i)];
    const auto [a, b] = first.ends(e);
    const Vector3 p = first.place(a), u = first.place(b) - p;
    Bounds near = first.box_of(e);
    widen(near, reach);
    second.edges_in(placed(near, back), [&](int j) {
      const SkinSurface::Edge& f = second.edges()[static_cast<std::size_t>(j)];
      const auto [c, d] = second.ends(f);
      const Vector3 q = at * second.place(c), w = at.R * (second.place(d) - second.place(c)),
                    across = u.cross(w);
      const double sine2 = across.squaredNorm(), uu = u.squaredNorm(), ww = w.squaredNorm();
      if (!(sine2 > kCrossing * kCrossing * uu * ww)) return;
      const double s = (q - p).cross(w).dot(across) / sine2,
                   r = (q - p).cross(u).dot(across) / sine2;
      if (!(std::min(s, r) > kCorner && std::max(s, r) < 1.0 - kCorner)) return;
      Vector3 n = across / std::sqrt(sine2);
      if (!first.stands_out(e, -n)) n = -n;
      if (!first.stands_out(e, -n) || !second.stands_out(f, at.R.transpose() * n)) return;
      const double gap = n.dot(p + s * u - q - r * w);
      if (gap <= margin && gap >= -std::min(first.depth(e.triangle), second.depth(f.triangle)))
        take(i, s, j, r, n, gap);
    });
  });
}

// A mesh or height field that does not deform: vertices of the skin on it, in its frame, then its own on the skin.
void SkinDetector::Work::on_surface(int s, int c) {
  Skin& own = skins[static_cast<std::size_t>(s)];
  const SkinSurface& skin = own.surface;
  const Other& other = others[static_cast<std::size_t>(c)];
  const SkinSurface& surface = *other.surface;
  const Matrix3& R = other.at.R;
  const auto any = [](int) { return false; };
  SkinSurface::Point point;
  skin.vertices_in(other.box, [&](int v) {
    if (!surface.nearest(
            R.transpose() * (skin.place(v) - other.at.x), margin,
            [&](const Vector3& d) { return skin.looks(v, R * d); }, any, point))
      return;
    own.touched[static_cast<std::size_t>(v)] = pair;
    SkinSide b;
    b.collider = c;
    add(s, v, c, b, R * point.normal, point.gap, static_cast<std::uint32_t>(v));
  });
  if (skin.facets() == 0) return;
  surface.vertices_in(placed(own.box, inverse(other.at)), [&](int v) {
    if (!skin.nearest(
            other.at * surface.place(v), margin,
            [&](const Vector3& d) { return surface.looks(v, R.transpose() * d); }, any, point))
      return;
    const SkinSide a = side_of(s, skin, point);
    const int vertex = at_vertex(skin, a);
    if (vertex >= 0 && own.touched[static_cast<std::size_t>(vertex)] == pair) return;
    SkinSide b;
    b.collider = c;
    out->push_back(
        {a, b, -point.normal, point.gap, key(s, c, kOtherWay | static_cast<std::uint32_t>(v))});
  });
  cross_edges(skin, other.box, surface, other.at,
              [&](int i, double along, int j, double, const Vector3& n, double gap) {
                SkinSide b;
                b.collider = c;
                out->push_back({on_edge(s, skin, skin.edges()[static_cast<std::size_t>(i)], along),
                                b, n, gap, key(s, c, edge_feature(i, surface.edges().size(), j))});
              });
}

void SkinDetector::Work::on_skin(int s, int r) {
  Skin &first = skins[static_cast<std::size_t>(s)], &second = skins[static_cast<std::size_t>(r)];
  const auto any = [](int) { return false; };
  SkinSurface::Point point;
  first.surface.vertices_in(second.box, [&](int v) {
    if (!second.surface.nearest(
            first.surface.place(v), margin,
            [&](const Vector3& d) { return first.surface.looks(v, d); }, any, point))
      return;
    first.touched[static_cast<std::size_t>(v)] = pair;
    add(s, v, number(r), side_of(r, second.surface, point), point.normal, point.gap,
        static_cast<std::uint32_t>(v));
  });
  second.surface.vertices_in(first.box, [&](int v) {
    if (!first.surface.nearest(
            second.surface.place(v), margin,
            [&](const Vector3& d) { return second.surface.looks(v, d); }, any, point))
      return;
    const SkinSide a = side_of(s, first.surface, point);
    const int vertex = at_vertex(first.surface, a);
    if (vertex >= 0 && first.touched[static_cast<std::size_t>(vertex)] == pair) return;
    SkinSide b;
    b.skin = r;
    b.vertex = v;
    out->push_back({a, b, -point.normal, point.gap,
                    key(s, number(r), kOtherWay | static_cast<std::uint32_t>(v))});
  });
  cross_edges(
      first.surface, second.box, second.surface, Pose{},
      [&](int i, double along, int j, double beside, const Vector3& n, double gap) {
        const auto e = static_cast<std::size_t>(i), f = static_cast<std::size_t>(j);
        out->push_back({on_edge(s, first.surface, first.surface.edges()[e], along),
                        on_edge(r, second.surface, second.surface.edges()[f], beside), n, gap,
                        key(s, number(r), edge_feature(i, second.surface.edges().size(), j))});
      });
}

// Of two vertices that touch each other the first one counts.
void SkinDetector::Work::on_itself(int s) {
  Skin& own = skins[static_cast<std::size_t>(s)];
  const SkinSurface& skin = own.surface;
  SkinSurface::Point point;
  for (int v = 0; v < skin.vertices(); ++v) {
    const std::span<const int> beside = skin.beside(v);
    if (beside.empty()) continue;
    const auto near = [&](int facet) {
      for (const int w : skin.corners(facet))
        if (w == v || (w >= 0 && std::binary_search(beside.begin(), beside.end(), w))) return true;
      return skin.was_behind(v, facet);
    };
    if (!skin.nearest(
            skin.place(v), margin, [&](const Vector3& d) { return skin.looks(v, d); }, near, point))
      continue;
    const SkinSide b = side_of(s, skin, point);
    const int vertex = at_vertex(skin, b);
    if (vertex >= 0 && vertex < v && own.touched[static_cast<std::size_t>(vertex)] == pair)
      continue;
    own.touched[static_cast<std::size_t>(v)] = pair;
    add(s, v, number(s), b, point.normal, point.gap, static_cast<std::uint32_t>(v));
  }
}

void SkinDetector::detect(std::span<const Pose> frames, std::vector<SkinContact>& contacts) {
  Work& w = *work_;
  contacts.clear();
  w.out = &contacts;
  w.pair = 0;
  for (Work::Other& other : w.others)
    if (other.collider.frame >= 0) {
      other.at = frames[static_cast<std::size_t>(other.collider.frame)] * other.collider.local;
      w.place(other);
    }
  const int skins = static_cast<int>(w.skins.size()), others = static_cast<int>(w.others.size());
  for (Work::Skin& skin : w.skins) {
    skin.surface.refit();
    skin.box = skin.surface.box();
    widen(skin.box, w.margin + skin.surface.beyond());
    std::ranges::fill(skin.touched, -1);
  }
  for (int s = 0; s < skins; ++s) {
    const Work::Skin& skin = w.skins[static_cast<std::size_t>(s)];
    for (int c = 0; c < others; ++c, ++w.pair) {
      const Work::Other& other = w.others[static_cast<std::size_t>(c)];
      if (!w.wanted(skin.material, other.collider.material)) continue;
      if (std::holds_alternative<Plane>(other.collider.shape))
        w.on_plane(s, c);
      else if (disjoint(skin.box, other.box))
        continue;
      else if (other.surface)
        w.on_surface(s, c);
      else
        w.on_convex(s, c);
    }
    for (int r = s; r < skins; ++r, ++w.pair) {
      const Work::Skin& second = w.skins[static_cast<std::size_t>(r)];
      if (!w.wanted(skin.material, second.material)) continue;
      if (r == s && skin.self) w.on_itself(s);
      if (r > s && !disjoint(skin.box, second.box)) w.on_skin(s, r);
    }
  }
  std::ranges::sort(contacts, {}, &SkinContact::key);
  for (std::size_t i = 1; i < contacts.size(); ++i)
    if (contacts[i].key <= contacts[i - 1].key) contacts[i].key = contacts[i - 1].key + 1;
}

}  // namespace saltus

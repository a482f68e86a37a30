#include "saltus/detection/narrow_phase.h"

#include <algorithm>
#include <cmath>

#include "saltus/detection/contact_rules.h"
#include "saltus/shapes/plain_internal.h"

namespace saltus {
namespace {

/// Storage for the vertices of a pair of polyhedra; one per thread.
struct PairStores {
  PolyhedronStore a, a_placed, b, b_placed;
};
PairStores& pair_stores() {
  static thread_local PairStores stores;  // written before it is read
  return stores;
}

double ball_of(const Capsule& capsule) { return capsule.radius; }
double ball_of(const Box&) { return 0.0; }
double ball_of(const ConvexHull&) { return 0.0; }

template <class A, class B>
void as_polyhedra(const A& a, const B& b, const Pose& at_b, double margin, ContactPoints& out) {
  PairStores& stores = pair_stores();
  const Polyhedron P = polyhedron(a, stores.a);
  const Polyhedron Q = placed_when_read(polyhedron(b, stores.b), at_b, stores.b_placed);
  polyhedron_contacts(P, ball_of(a), Q, ball_of(b), margin, out);
}

Convex core(const Sphere& sphere, const Pose& at, PolyhedronStore& store, PolyhedronStore&) {
  store.vertex.assign(1, at.x);
  Polyhedron point;
  point.vertex = Moved(store.vertex);
  point.centre = at.x;
  return convex(point, sphere.radius);
}
Convex core(const Ellipsoid& e, const Pose& at, PolyhedronStore&, PolyhedronStore&) {
  return convex(e, at);
}
Convex core(const Cylinder& c, const Pose& at, PolyhedronStore&, PolyhedronStore&) {
  return convex(c, at);
}
template <class S>
Convex core(const S& shape, const Pose& at, PolyhedronStore& store, PolyhedronStore& moved) {
  return convex(placed(polyhedron(shape, store), at, moved), ball_of(shape));
}

template <class A, class B>
void as_convex(const A& a, const B& b, const Pose& at_b, double margin, ContactPoints& out) {
  PairStores& stores = pair_stores();
  const Convex P = core(a, Pose{}, stores.a, stores.a_placed);
  const Convex Q = core(b, at_b, stores.b, stores.b_placed);
  smooth_contacts(P, Q, margin, out);
}

template <class S>
constexpr bool kPolyhedral =
    std::is_same_v<S, Capsule> || std::is_same_v<S, Box> || std::is_same_v<S, ConvexHull>;
template <class S>
constexpr bool kSmooth = std::is_same_v<S, Ellipsoid> || std::is_same_v<S, Cylinder>;
template <class S>
constexpr bool kConvex = std::is_same_v<S, Sphere> || kPolyhedral<S> || kSmooth<S>;

template <class A, class B>
requires(kPolyhedral<A>&& kPolyhedral<B>) void contacts(const A& a, const B& b, const Pose& B_,
                                                        double margin, ContactPoints& out) {
  as_polyhedra(a, b, B_, margin, out);
}
template <class A, class B>
requires(kConvex<A>&& kConvex<B> &&
         (kSmooth<A> || kSmooth<B>)) void contacts(const A& a, const B& b, const Pose& B_,
                                                   double margin, ContactPoints& out) {
  as_convex(a, b, B_, margin, out);
}

template <class Surface, class S>
requires((std::is_same_v<Surface, TriangleMesh> ||
          std::is_same_v<Surface, HeightField>)&&kConvex<S>) void contacts(const Surface& a,
                                                                           const S& b,
                                                                           const Pose& B,
                                                                           double margin,
                                                                           ContactPoints& out) {
  PairStores& stores = pair_stores();
  const std::size_t begin = out.size();
  surface_contacts(a, core(b, B, stores.b, stores.b_placed), margin, out);
  for (std::size_t i = begin; i < out.size(); ++i) out[i].normal = -out[i].normal;
}

/// Transforms points from out[begin] on from the frame F to the world.
void to_world(const Pose& F, bool flip, std::size_t begin, ContactPoints& out) {
  for (std::size_t i = begin; i < out.size(); ++i) {
    ContactPoint& c = out[i];
    c.x = F * c.x;
    c.normal = F.R * c.normal;
    if (flip) c.normal = -c.normal;
  }
}

/// Sorts by feature and makes features distinct.
void order(std::size_t begin, ContactPoints& out) {
  const auto first = out.begin() + static_cast<std::ptrdiff_t>(begin);
  // few points: insertion sort, stable and without extra memory
  for (auto i = first; i != out.end(); ++i)
    for (auto j = i; j != first && j->feature < (j - 1)->feature; --j) std::iter_swap(j, j - 1);
  for (auto i = first; i != out.end(); ++i)
    if (i != first && i->feature <= (i - 1)->feature) i->feature = (i - 1)->feature + 1;
}

}  // namespace

std::uint32_t feature_pair(int code_a, int codes_a, int code_b, int codes_b) {
  constexpr std::uint64_t kFeatures = std::uint64_t{1} << 24;
  const std::uint64_t all =
      static_cast<std::uint64_t>(codes_a) * static_cast<std::uint64_t>(codes_b);
  std::uint64_t f = static_cast<std::uint64_t>(code_a) * static_cast<std::uint64_t>(codes_b) +
                    static_cast<std::uint64_t>(code_b);
  // hashed; collisions within a pair are rare, and order() resolves them
  if (all > kFeatures - 8) {
    f = (f ^ (f >> 31)) * 0x9E3779B97F4A7C15u;
    f = (f >> 40) % (kFeatures - 8);
  }
  return static_cast<std::uint32_t>(f);
}

void fold_features(int bits, std::size_t begin, std::vector<ContactPoint>& out) {
  const std::uint64_t features = (std::uint64_t{1} << bits) - 8;  // order() may increase some
  bool any = false;
  for (std::size_t i = begin; i < out.size(); ++i) {
    const std::uint64_t f = out[i].feature;
    if (f < features) continue;
    out[i].feature = static_cast<std::uint32_t>(((f * 0x9E3779B97F4A7C15u) >> 40) % features);
    any = true;
  }
  if (any) order(begin, out);
}

void keep_eight(ContactPoints& out, std::size_t begin, double tolerance) {
  constexpr std::size_t kMost = 8;
  const std::size_t count = out.size() - begin;
  if (count <= kMost) return;
  std::sort(out.begin() + static_cast<std::ptrdiff_t>(begin), out.end(),
            [](const ContactPoint& p, const ContactPoint& q) { return p.feature < q.feature; });
  const ContactPoint* const p = out.data() + begin;
  // axes perpendicular to the normal, fixed in the frame of a
  const Vector3& n = p[0].normal;
  Eigen::Index axis = 0;
  n.cwiseAbs().minCoeff(&axis);
  const Vector3 u = n.cross(Vector3::Unit(axis)).normalized(), v = n.cross(u);
  std::array<std::size_t, kMost> kept{};
  std::size_t kept_count = 0;
  const auto keep_first_largest = [&](const auto& value) {
    std::size_t best = 0;
    double most = value(p[0]);
    for (std::size_t i = 1; i < count; ++i)
      if (value(p[i]) > most + tolerance) {
        most = value(p[i]);
        best = i;
      }
    const auto end = kept.begin() + static_cast<std::ptrdiff_t>(kept_count);
    if (std::find(kept.begin(), end, best) == end && kept_count < kMost) kept[kept_count++] = best;
  };
  keep_first_largest([](const ContactPoint& c) { return -c.gap; });
  for (int k = 0; k < 8; ++k) {  // opposite directions follow each other
    const double angle = (k / 2) * 0.25 * 3.14159265358979323846 + (k % 2) * 3.14159265358979323846;
    const Vector3 d = std::cos(angle) * u + std::sin(angle) * v;
    keep_first_largest([&](const ContactPoint& c) { return d.dot(c.x); });
  }
  std::sort(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(kept_count));
  for (std::size_t i = 0; i < kept_count; ++i) out[begin + i] = out[begin + kept[i]];
  out.resize(begin + kept_count);
}

void collide(const Shape& a, const Pose& at_a, const Shape& b, const Pose& at_b, double margin,
             std::vector<ContactPoint>& out) {
  const std::size_t begin = out.size();
  // a fixed order of kinds gives the same bits for (a, b) and (b, a)
  const bool turned = a.index() > b.index();
  const Shape &first = turned ? b : a, &second = turned ? a : b;
  const Pose &F = turned ? at_b : at_a, &S = turned ? at_a : at_b;
  std::visit(
      [&](const auto& shape_f, const auto& shape_s) {
        const auto& f = plain(shape_f);
        const auto& s = plain(shape_s);
        // differences of positions first, so that no digits are lost far from the origin
        if constexpr (requires { contacts(f, s, S, margin, out); }) {
          contacts(f, s, {F.R.transpose() * (S.x - F.x), F.R.transpose() * S.R}, margin, out);
          to_world(F, turned, begin, out);
        } else if constexpr (requires { contacts(s, f, F, margin, out); }) {
          contacts(s, f, {S.R.transpose() * (F.x - S.x), S.R.transpose() * F.R}, margin, out);
          to_world(S, !turned, begin, out);
        }
      },
      first, second);
  order(begin, out);
}

void touches(const TriangleMesh& mesh, const Shape& shape, const Pose& at, double margin,
             std::vector<SurfaceTouch>& out) {
  out.clear();
  std::visit(
      [&](const auto& any) {
        const auto& s = plain(any);
        PairStores& stores = pair_stores();
        if constexpr (kConvex<std::decay_t<decltype(s)>>)
          surface_touches(mesh, core(s, at, stores.b, stores.b_placed), margin, out);
      },
      shape);
}

}  // namespace saltus

// The search for the depth of polyhedra finds what trying all faces and all pairs of edges finds, at a cost that hardly
// grows with their number.
#include <doctest/doctest.h>

#include <functional>
#include <numbers>

#include "saltus/detection/detector.h"
#include "saltus/detection/difference_facets.h"
#include "tests/unit/detection/detection_samples.h"

using namespace saltus;
using namespace saltus::testing;
namespace {

using Hull = std::shared_ptr<const ConvexHull>;

Hull on_ball(Sampler& sample, int points, double radius = 1.0) {
  std::vector<Vector3> x;
  while (static_cast<int>(x.size()) < points) x.push_back(radius * sample.vector(1.0).normalized());
  return convex_hull(x);
}
Hull in_cube(Sampler& sample, int points) {
  std::vector<Vector3> x;
  while (static_cast<int>(x.size()) < points) x.push_back(sample.vector(1.0));
  return convex_hull(x);
}
/// A drum of `around` sides, or a cone where top is 0.
Hull drum(int around, double height, double top = 1.0) {
  std::vector<Vector3> x;
  for (int k = 0; k < around; ++k) {
    const double angle = 2.0 * std::numbers::pi * k / around;
    x.emplace_back(std::cos(angle), std::sin(angle), -height);
    x.emplace_back(top * std::cos(angle), top * std::sin(angle), height);
  }
  return convex_hull(x);
}
Hull stretched(const Hull& hull, const Vector3& by) {
  std::vector<Vector3> x;
  for (const Vector3& v : hull->vertices) x.push_back(by.cwiseProduct(v));
  return convex_hull(x);
}

struct Pair {
  Shape a, b;
  bool aligned = false;
};
const struct {
  const char* name;
  std::function<Pair(Sampler&)> make;
} kFamilies[] = {
    {"hulls of points on balls",
     [](Sampler& s) {
       return Pair{on_ball(s, 8 + static_cast<int>(s.between(0, 150))), on_ball(s, 60)};
     }},
    {"hulls of 600 points in a cube",
     [](Sampler& s) {
       return Pair{in_cube(s, 600), in_cube(s, 600)};
     }},
    {"tetrahedra",
     [](Sampler& s) {
       return Pair{in_cube(s, 4), in_cube(s, 4)};
     }},
    {"tetrahedron and hull",
     [](Sampler& s) {
       return Pair{in_cube(s, 4), on_ball(s, 150)};
     }},
    {"drums",
     [](Sampler& s) {
       return Pair{drum(3 + static_cast<int>(s.between(0, 40)), 0.4), drum(24, 0.6)};
     }},
    {"parallel drums",
     [](Sampler& s) {
       return Pair{drum(3 + static_cast<int>(s.between(0, 40)), 0.4), drum(24, 0.6), true};
     }},
    {"parallel cones",
     [](Sampler&) {
       return Pair{drum(40, 0.4, 0.0), drum(24, 0.6, 0.0), true};
     }},
    {"parallel cubes",
     [](Sampler&) {
       return Pair{drum(4, 0.7), drum(4, 0.35), true};
     }},
    {"flat hulls",
     [](Sampler& s) {
       return Pair{stretched(on_ball(s, 60), {1, 1, 1e-3}),
                   stretched(on_ball(s, 60), {1, 1, 1e-3})};
     }},
    {"a small and a large hull",
     [](Sampler& s) {
       return Pair{stretched(on_ball(s, 50), Vector3::Constant(1e-3)), on_ball(s, 80)};
     }},
    {"hulls of 1e-3 m",
     [](Sampler& s) {
       return Pair{on_ball(s, 50, 1e-3), on_ball(s, 70, 1e-3)};
     }},
    {"hulls of 1e3 m",
     [](Sampler& s) {
       return Pair{on_ball(s, 50, 1e3), on_ball(s, 70, 1e3)};
     }},
    {"box and hull",
     [](Sampler& s) {
       return Pair{Box{{0.5, 0.7, 0.3}}, on_ball(s, 100)};
     }},
    {"capsule and hull",
     [](Sampler& s) {
       return Pair{Capsule{0.2, 0.6}, on_ball(s, 100)};
     }},
};

Polyhedron polyhedron_of(const Shape& shape, PolyhedronStore& store) {
  if (const auto* box = std::get_if<Box>(&shape)) return polyhedron(*box, store);
  if (const auto* capsule = std::get_if<Capsule>(&shape)) return polyhedron(*capsule, store);
  return polyhedron(*std::get<Hull>(shape), store);
}

/// b at many places against a: from deep in it to grazing, some of them far from the origin.
template <class Use>
void for_overlaps(int poses, unsigned seed, const Use& use) {
  for (const auto& family : kFamilies) {
    CAPTURE(family.name);
    Sampler sample(seed);
    for (int k = 0; k < poses; ++k) {
      const auto [a, b, aligned] = family.make(sample);
      PolyhedronStore of_a, of_b, of_placed;
      const Polyhedron A = polyhedron_of(a, of_a), B = polyhedron_of(b, of_b);
      const double size = A.size + B.size;
      Pose P{sample.vector(0.3 * size), aligned ? Matrix3::Identity() : sample.rotation()};
      if (k % 5 == 4) P.x *= 1e-3;  // centre in centre
      const Axis out = best_of_all_axes(A, placed(B, P, of_placed), kAxisTie * size, 1e3 * size);
      const double depth[] = {0.0, 1e-9, 1e-6, 1e-3, 0.05};
      if (k % 2 == 0) P.x += (out.s + depth[k / 2 % 5] * size) * out.n;
      if (k % 3 == 0) {  // seen from a place far away
        const Pose F{sample.vector(1e4), sample.rotation()}, there = F * P;
        P = {F.R.transpose() * (there.x - F.x), F.R.transpose() * there.R};
      }
      use(A, placed(B, P, of_placed), size);
    }
  }
}

TEST_CASE("the search for the depth finds the axis that trying all of them finds") {
  int overlapping = 0, features = 0;
  double worst = 0.0, worst_normal = 0.0;
  for_overlaps(20, 3, [&](const Polyhedron& a, const Polyhedron& b, double size) {
    const double tie = kAxisTie * size;
    const Axis all = best_of_all_axes(a, b, tie, 0.0);
    if (all.s > 0.0) return;
    const auto found = nearest_facet(a, b, tie, 0.0);
    REQUIRE(found.has_value());
    ++overlapping;
    worst = std::max(worst, std::abs(found->s - all.s) / size);
    if (found->of_a != all.of_a || found->of_b != all.of_b) return;
    ++features;
    worst_normal = std::max(worst_normal, (found->n - all.n).norm());
  });
  MESSAGE(overlapping, " pairs, ", features, " with the same features");
  CHECK(overlapping > 200);
  CHECK(features == overlapping);
  CHECK(worst <= 1e-15);
  CHECK(worst_normal == 0.0);
}

TEST_CASE("climbing along edges leads to the vertex that comparing all of them finds") {
  Sampler sample(21);
  const Hull hulls[] = {on_ball(sample, 300), in_cube(sample, 500), drum(80, 0.4),
                        drum(120, 1.0, 0.0), stretched(on_ball(sample, 200), {1, 1, 1e-4})};
  for (const Hull& hull : hulls) {
    PolyhedronStore store;
    const Polyhedron P = polyhedron(*hull, store);
    Polyhedron all = P;
    all.star_first = {};  // no edges to climb along
    for (int k = 0; k < 2000; ++k) {
      // many of them across a face or an edge, where several vertices are equally far
      Vector3 d = sample.vector(1.0);
      if (k % 3 == 0) d = P.normal[k % P.faces()];
      if (k % 3 == 1)
        d = P.normal[P.edge_faces[k % P.edges()][0]] + P.normal[P.edge_faces[k % P.edges()][1]];
      CHECK(P.farthest(d, k % P.vertices()) == all.farthest(d));
    }
  }
}

TEST_CASE("hulls of many points that are apart have their distance as gap") {
  Sampler sample(8);
  double worst_s = 0.0, worst_point = 0.0;
  for (int k = 0; k < 200; ++k) {
    const Shape a = k % 2 ? on_ball(sample, 150) : drum(40, 0.5), b = in_cube(sample, 400);
    const Pose A{sample.vector(1.0).normalized() * (k % 4 == 0 ? 1e3 : 3.0), sample.rotation()};
    const auto points = contacts_of(a, A, b, {}, 1e4);
    REQUIRE_FALSE(points.empty());
    const ContactPoint& p = deepest(points);
    CHECK(p.gap > 0.0);
    worst_s =
        std::max(worst_s, std::abs(separation_along(a, A, b, {}, p.normal) - p.gap) / A.x.norm());
    worst_point = std::max({worst_point, outside(a, A.inverse() * on_a(p)) / A.x.norm(),
                            outside(b, on_b(p)) / A.x.norm()});
  }
  CHECK(worst_s <= 1e-14);
  CHECK(worst_point <= 1e-14);
}

bool same_bits(const std::vector<DetectedContact>& a, const std::vector<DetectedContact>& b) {
  return std::ranges::equal(a, b, [](const DetectedContact& p, const DetectedContact& q) {
    return p.key == q.key && p.point.gap == q.point.gap && p.point.x == q.point.x &&
           p.point.normal == q.point.normal;
  });
}

TEST_CASE("hulls that move have the contacts of hulls that are put where they are") {
  Sampler sample(12);
  const std::vector<Collider> colliders{{on_ball(sample, 300), {}, 0, 0},
                                        {in_cube(sample, 200), {}, 1, 0}};
  Detector along(colliders, 0.01, {});
  std::vector<std::vector<Pose>> frames;
  std::vector<std::vector<DetectedContact>> found;
  for (int k = 0; k < 400; ++k) {
    const double t = 0.005 * k;
    frames.push_back({{{1.6 - 0.5 * t, 0.3 * std::sin(t), 0.0},
                       exp_rotation({t, 0.5 * t, 0.0}).toRotationMatrix()},
                      {}});
    found.emplace_back();
    along.detect(frames.back(), found.back());
  }
  std::size_t touching = 0;
  for (std::size_t k = frames.size(); k-- > 0;) {
    Detector fresh(colliders, 0.01, {});
    std::vector<DetectedContact> here;
    fresh.detect(frames[k], here);
    CHECK(same_bits(here, found[k]));
    if (!here.empty()) ++touching;
  }
  CHECK(touching > 100);
}

TEST_CASE("the work of the search grows by less than the root of the number of points") {
  double before = 0.0, points_before = 0.0;
  for (const int points : {50, 200, 600}) {
    Sampler sample(4);
    double work = 0.0;
    int corners = 0, overlapping = 0;
    Hull a, b;
    for (int k = 0; k < 100; ++k) {
      if (k % 25 == 0) {
        a = on_ball(sample, points, 0.1);
        b = on_ball(sample, points, 0.1);
      }
      PolyhedronStore of_a, of_b, of_placed;
      const Pose P{0.185 * sample.vector(1.0).normalized(), sample.rotation()};
      FacetWork w;
      const auto axis = nearest_facet(polyhedron(*a, of_a),
                                      placed(polyhedron(*b, of_b), P, of_placed), 4e-11, 0.0, &w);
      REQUIRE(axis.has_value());
      if (axis->s > 0.0) continue;
      ++overlapping;
      work += w.looked + w.tried;
      corners += w.corners;
    }
    REQUIRE(overlapping > 50);
    work /= overlapping;
    MESSAGE(points, " points: ", work, " vertices and axes compared, ", corners / overlapping,
            " corners");
    if (before > 0.0) CHECK(work <= before * std::sqrt(points / points_before));
    before = work;
    points_before = points;
  }
}

}  // namespace

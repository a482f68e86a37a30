// Every pair of convex shapes at random places. No second collision code is needed: the deepest gap is proved from both
// sides. s(n) along the normal found bounds the distance from below; the two points found, being on the shapes, bound it
// from above. In penetration no direction of a dense set, refined, separates with less.
#include <doctest/doctest.h>

#include "tests/unit/detection/detection_samples.h"

using namespace saltus;
using namespace saltus::testing;
namespace {

constexpr double kMargin = 0.4;
constexpr int kPoses = 60;

template <class Use>
void for_pairs(const Use& use) {
  for (int i = 0; i < kConvexKinds; ++i)
    for (int j = 0; j < kConvexKinds; ++j) {
      CAPTURE(convex_name(i));
      CAPTURE(convex_name(j));
      use(i, j, static_cast<unsigned>(100 * i + j));
    }
}

TEST_CASE(
    "the deepest gap of two convex shapes is their distance or depth, proved by a direction and "
    "two points") {
  for_pairs([](int i, int j, unsigned seed) {
    Sampler sample(seed);
    int apart = 0, overlapping = 0;
    double worst_s = 0.0, worst_point = 0.0, worst_sampled = 0.0;
    for (int k = 0; k < kPoses; ++k) {
      const Shape a = random_convex(i, sample), b = random_convex(j, sample);
      const Pose A = sample.pose(1.0), B = sample.pose(1.0);
      const auto points = contacts_of(a, A, b, B, kMargin);
      if (points.empty()) {  // then some direction shows a gap above the margin
        CHECK(sampled_separation(a, A, b, B, seed) > kMargin - 1e-4);
        continue;
      }
      const ContactPoint& p = deepest(points);
      worst_s = std::max(worst_s, std::abs(separation_along(a, A, b, B, p.normal) - p.gap));
      (p.gap > 0.0 ? apart : overlapping)++;
      if (p.gap > 0.0) {
        worst_point = std::max(
            {worst_point, outside(a, A.inverse() * on_a(p)), outside(b, B.inverse() * on_b(p))});
      } else {
        worst_sampled = std::max(worst_sampled, sampled_separation(a, A, b, B, seed) - p.gap);
      }
    }
    CHECK(worst_s <= 1e-12);
    CHECK(worst_point <= 1e-12);
    CHECK(worst_sampled <= 1e-12);
    CHECK(apart >= 5);
    CHECK(overlapping >= 5);
  });
}

TEST_CASE(
    "contact points are on both surfaces, midway between them, and have unit normals and "
    "distinct features") {
  for_pairs([](int i, int j, unsigned seed) {
    Sampler sample(seed + 7);
    double worst = 0.0, worst_normal = 0.0;
    for (int k = 0; k < kPoses; ++k) {
      const Shape a = random_convex(i, sample), b = random_convex(j, sample);
      const Pose A = sample.pose(1.0), B = sample.pose(1.0);
      const auto points = contacts_of(a, A, b, B, kMargin);
      CHECK(points.size() <= 8);
      for (std::size_t m = 0; m < points.size(); ++m) {
        const ContactPoint& p = points[m];
        CHECK(p.gap <= kMargin);
        CHECK(p.feature < (1u << 24));
        if (m > 0) CHECK(points[m - 1].feature < p.feature);
        worst_normal = std::max(worst_normal, std::abs(p.normal.norm() - 1.0));
        worst = std::max({worst, std::abs(outside(a, A.inverse() * on_a(p))),
                          std::abs(outside(b, B.inverse() * on_b(p)))});
      }
    }
    CHECK(worst_normal <= 1e-14);
    CHECK(worst <= 1e-6);  // points within 1e-7 of the size beyond a side count as on it
  });
}

TEST_CASE("swapping the shapes turns the normals and changes nothing else") {
  for_pairs([](int i, int j, unsigned seed) {
    Sampler sample(seed + 13);
    double worst = 0.0;
    for (int k = 0; k < kPoses; ++k) {
      const Shape a = random_convex(i, sample), b = random_convex(j, sample);
      const Pose A = sample.pose(1.0), B = sample.pose(1.0);
      const auto there = contacts_of(a, A, b, B, kMargin), back = contacts_of(b, B, a, A, kMargin);
      REQUIRE(there.size() == back.size());
      for (const ContactPoint& p : there) {
        double nearest = 1e300;
        for (const ContactPoint& q : back)
          nearest = std::min(
              nearest, (p.x - q.x).norm() + std::abs(p.gap - q.gap) + (p.normal + q.normal).norm());
        worst = std::max(worst, nearest);
      }
    }
    CHECK(worst <= (i == j ? 1e-11 : 0.0));
  });
}

TEST_CASE("contacts move with the frame") {
  for_pairs([](int i, int j, unsigned seed) {
    Sampler sample(seed + 17);
    double worst = 0.0;
    for (int k = 0; k < kPoses; ++k) {
      const Shape a = random_convex(i, sample), b = random_convex(j, sample);
      const Pose A = sample.pose(1.0), B = sample.pose(1.0), F = sample.pose(1.0);
      const auto here = contacts_of(a, A, b, B, kMargin);
      const auto there = contacts_of(a, F * A, b, F * B, kMargin);
      REQUIRE(here.size() == there.size());
      for (std::size_t m = 0; m < here.size(); ++m) {
        CHECK(here[m].feature == there[m].feature);
        worst = std::max(worst, std::abs(here[m].gap - there[m].gap));
      }
    }
    CHECK(worst <= 1e-13);
  });
}

TEST_CASE("coincident centres give a contact and a unit normal") {
  for_pairs([](int i, int j, unsigned seed) {
    Sampler sample(seed + 19);
    for (int k = 0; k < 4; ++k) {
      const Shape a = random_convex(i, sample), b = k == 3 && i == j ? a : random_convex(j, sample);
      const Pose A{sample.vector(1.0), Matrix3::Identity()};
      const Pose B{A.x, k == 1 ? sample.rotation() : Matrix3::Identity()};
      const auto points = contacts_of(a, A, b, B, 0.01);
      REQUIRE_FALSE(points.empty());
      for (const ContactPoint& p : points) {
        CHECK(p.x.allFinite());
        CHECK(std::isfinite(p.gap));
        CHECK(p.normal.norm() == doctest::Approx(1.0).epsilon(1e-14));
      }
      CHECK(deepest(points).gap < 0.0);
    }
  });
}

TEST_CASE("sizes that differ by 1e6 and lengths of 1e-6 m or 1e6 m change nothing but the scale") {
  for_pairs([](int i, int j, unsigned seed) {
    Sampler sample(seed + 23);
    for (const double scale : {1e-6, 1e6}) {
      const auto scaled = [&](Shape s) {
        if (auto* p = std::get_if<Sphere>(&s)) p->radius *= scale;
        if (auto* p = std::get_if<Ellipsoid>(&s)) p->radii *= scale;
        if (auto* p = std::get_if<Capsule>(&s)) *p = {p->radius * scale, p->half_length * scale};
        if (auto* p = std::get_if<Cylinder>(&s)) *p = {p->radius * scale, p->half_length * scale};
        if (auto* p = std::get_if<Box>(&s)) p->half *= scale;
        if (auto* p = std::get_if<std::shared_ptr<const ConvexHull>>(&s)) {
          std::vector<Vector3> x;
          for (const Vector3& v : (*p)->vertices) x.push_back(scale * v);
          *p = convex_hull(x);
        }
        return s;
      };
      for (int k = 0; k < 10; ++k) {
        const Shape a = random_convex(i, sample), b = random_convex(j, sample);
        const Pose A = sample.pose(1.0), B = sample.pose(1.0);
        const auto plain = contacts_of(a, A, b, B, kMargin);
        const auto other = contacts_of(scaled(a), {scale * A.x, A.R}, scaled(b), {scale * B.x, B.R},
                                       scale * kMargin);
        REQUIRE(plain.empty() == other.empty());
        if (plain.empty()) continue;
        CHECK(std::abs(deepest(other).gap / scale - deepest(plain).gap) <= 1e-12);
      }
    }
  });
}

}  // namespace

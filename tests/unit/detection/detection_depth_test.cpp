// Depths of ellipsoids and cylinders are the least ones: against a root that is known in closed form, against a dense
// set of directions, and by what the narrow phase says of them itself.
#include <doctest/doctest.h>

#include <cmath>

#include "tests/unit/detection/detection_samples.h"

using namespace saltus;
using namespace saltus::testing;
namespace {

/// Distance of a point inside an ellipsoid from its surface. The closest point is x_k = r_k^2 X_k/(r_k^2 - m), where m
/// in [0, least r^2] is the root of sum (r_k X_k/(r_k^2 - m))^2 = 1; no component of X is 0.
double depth_in_ellipsoid(const Vector3& radii, const Vector3& X) {
  using Long = long double;
  const Long least = radii.minCoeff();
  const auto excess = [&](Long m) {
    Long sum = -1.0L;
    for (int k = 0; k < 3; ++k) {
      const Long r = radii[k], f = r * X[k] / (r * r - m);
      sum += f * f;
    }
    return sum;
  };
  Long low = 0.0L, high = least * least;
  for (int k = 0; k < 200; ++k) {
    const Long middle = 0.5L * (low + high);
    if (middle == low || middle == high) break;
    (excess(middle) < 0.0L ? low : high) = middle;
  }
  Long sum = 0.0L;
  for (int k = 0; k < 3; ++k) {
    const Long r = radii[k], d = low * X[k] / (r * r - low);
    sum += d * d;
  }
  return static_cast<double>(std::sqrt(sum));
}

TEST_CASE("a sphere with its centre in an ellipsoid is as deep as the closest surface point says") {
  Sampler sample(5);
  double worst = 0.0, doubt = 0.0;
  int inside = 0;
  for (int k = 0; k < 20000; ++k) {
    const Ellipsoid e{sample.lengths(0.2, 1.0)};
    const Sphere s{sample.between(0.01, 1.0)};
    const Vector3 X = e.radii.cwiseProduct(sample.vector(1.0));
    const Pose E = sample.pose(1.0), S{E * X, sample.rotation()};
    if (X.cwiseQuotient(e.radii).norm() > 0.999 || X.cwiseAbs().minCoeff() < 1e-3) continue;
    ++inside;
    const auto points = contacts_of(s, S, e, E, 0.0);
    REQUIRE(points.size() == 1);
    worst = std::max(worst, std::abs(points[0].gap + s.radius + depth_in_ellipsoid(e.radii, X)));
    doubt = std::max(doubt, points[0].doubt);
  }
  MESSAGE("largest difference ", worst, " m of ", inside, " pairs");
  CHECK(inside > 5000);
  CHECK(worst <= 1e-14);
  CHECK(doubt == 0.0);
}

/// Pairs that overlap at random, and how much less than the depth reported some direction needs.
struct Depths {
  int overlapping = 0;
  double too_deep = -1e300, doubt = 0.0;
};
Depths random_depths(int i, int j, int pairs, unsigned seed, bool sampled) {
  Sampler sample(seed);
  Depths found;
  for (int k = 0; k < pairs; ++k) {
    const Shape a = random_convex(i, sample), b = random_convex(j, sample);
    const Pose A = sample.pose(0.8), B = sample.pose(0.8);
    const auto points = contacts_of(a, A, b, B, 0.0);
    if (points.empty()) continue;
    ++found.overlapping;
    found.doubt = std::max(found.doubt, deepest(points).doubt);
    if (sampled)
      found.too_deep =
          std::max(found.too_deep, sampled_separation(a, A, b, B, seed + 1) - deepest(points).gap);
  }
  return found;
}

TEST_CASE("no direction out of many leads an ellipsoid out of a hull by less than the depth") {
  const Depths found = random_depths(1, 5, 3000, 15, true);
  MESSAGE("the best direction needs ", found.too_deep, " m less, ", found.overlapping, " pairs");
  CHECK(found.overlapping > 1500);
  CHECK(found.too_deep <= 1e-12);
  CHECK(found.doubt == 0.0);
}

TEST_CASE("the depth of every pair with an ellipsoid or cylinder is proven") {
  for (int i = 0; i < kConvexKinds; ++i)
    for (int j = i; j < kConvexKinds; ++j) {
      if (i != 1 && i != 3 && j != 1 && j != 3) continue;
      CAPTURE(convex_name(i));
      CAPTURE(convex_name(j));
      const Depths found = random_depths(i, j, 1000, static_cast<unsigned>(31 * i + j), false);
      CHECK(found.overlapping > 300);
      CHECK(found.doubt == 0.0);
    }
}

TEST_CASE("the rims of tilted cylinders over each other cross in points of both") {
  Sampler sample(77);
  double worst = 0.0;
  int manifolds = 0;
  for (int k = 0; k < 2000; ++k) {
    const Cylinder a{sample.between(0.5, 1.0), 0.3}, b{sample.between(0.5, 1.0), 0.3};
    const Matrix3 tilt = exp_rotation(0.03 * sample.vector(1.0)).toRotationMatrix();
    const Vector3 beside(sample.between(0.2, 1.0), sample.between(-0.3, 0.3), 0.6);
    const auto points = contacts_of(a, {beside, tilt}, b, {}, 0.2);
    if (points.size() > 2) ++manifolds;
    for (const ContactPoint& p : points)
      worst = std::max({worst, std::abs(outside(a, (Pose{beside, tilt}).inverse() * on_a(p))),
                        std::abs(outside(b, on_b(p)))});
  }
  CHECK(manifolds > 1000);
  CHECK(worst <= 1e-6);  // points within 1e-7 of the size beyond a side count as on it
}

TEST_CASE("where a circle of directions is equally good, the depth is right and in doubt") {
  const Cylinder can{0.5, 2.0};
  const auto points = contacts_of(can, {}, can, {}, 0.0);
  REQUIRE_FALSE(points.empty());
  CHECK(std::abs(deepest(points).gap + 1.0) <= 1e-15);
  CHECK(deepest(points).doubt > 0.0);
  CHECK(deepest(points).doubt < 1.0);
}

TEST_CASE("concentric balls given as ellipsoids are as deep as their radii") {
  const Ellipsoid ball{{0.5, 0.5, 0.5}};
  const auto points = contacts_of(ball, {}, ball, {}, 0.0);
  REQUIRE(points.size() == 1);
  CHECK(std::abs(points[0].gap + 1.0) <= 1e-15);
  CHECK(points[0].doubt == 0.0);
}

}  // namespace

// Random convex shapes, and what proves a contact without another collision code: membership and separating directions.
#pragma once
#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "saltus/detection/narrow_phase.h"
#include "saltus/math/rotation.h"

namespace saltus::testing {

struct Sampler {
  std::mt19937 random;
  explicit Sampler(unsigned seed) : random(seed) {}
  double between(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  }
  Vector3 vector(double size) {
    return {between(-size, size), between(-size, size), between(-size, size)};
  }
  Matrix3 rotation() {
    std::normal_distribution<double> normal;
    Quaternion Q(normal(random), normal(random), normal(random), normal(random));
    Q.normalize();
    return Q.toRotationMatrix();
  }
  Pose pose(double reach) { return {vector(reach), rotation()}; }
  Vector3 lengths(double low, double high) {
    return {between(low, high), between(low, high), between(low, high)};
  }
  std::shared_ptr<const ConvexHull> hull(int points) {
    std::vector<Vector3> x;
    for (int i = 0; i < points; ++i) x.push_back(vector(0.8));
    return convex_hull(x);
  }
};

inline constexpr int kConvexKinds = 6;
inline std::string convex_name(int kind) {
  constexpr const char* kNames[] = {"sphere", "ellipsoid", "capsule", "cylinder", "box", "hull"};
  return kNames[kind];
}
inline Shape random_convex(int kind, Sampler& sample) {
  switch (kind) {
    case 0:
      return Sphere{sample.between(0.2, 1.0)};
    case 1:
      return Ellipsoid{sample.lengths(0.2, 1.0)};
    case 2:
      return Capsule{sample.between(0.2, 0.6), sample.between(0.2, 1.0)};
    case 3:
      return Cylinder{sample.between(0.2, 1.0), sample.between(0.2, 1.0)};
    case 4:
      return Box{sample.lengths(0.2, 1.0)};
    default:
      return sample.hull(12);
  }
}

/// How far X lies outside the surface of a convex shape, in its frame; 0 on it, below 0 inside. Exact distances but for
/// the ellipsoid, where it is right to first order, and outside of edges, where it is a lower bound.
inline double outside(const Shape& shape, const Vector3& X) {
  if (const auto* s = std::get_if<Sphere>(&shape)) return X.norm() - s->radius;
  if (const auto* s = std::get_if<Capsule>(&shape)) {
    const double z = std::clamp(X.z(), -s->half_length, s->half_length);
    return (X - Vector3(0.0, 0.0, z)).norm() - s->radius;
  }
  if (const auto* s = std::get_if<Cylinder>(&shape))
    return std::max(std::hypot(X.x(), X.y()) - s->radius, std::abs(X.z()) - s->half_length);
  if (const auto* s = std::get_if<Box>(&shape)) return (X.cwiseAbs() - s->half).maxCoeff();
  if (const auto* s = std::get_if<Ellipsoid>(&shape)) {
    const Vector3 scaled = X.cwiseQuotient(s->radii);
    const double f = scaled.norm();
    return (f - 1.0) * f / scaled.cwiseQuotient(s->radii).norm();
  }
  const auto& hull = *std::get<std::shared_ptr<const ConvexHull>>(shape);
  double most = -1e300;
  for (int f = 0; f < hull.faces(); ++f)
    most = std::max(most, hull.normal[f].dot(X) - hull.offset[f]);
  return most;
}

/// s(n) = min n . x over a - max n . x over b: a lower bound of the distance; its largest value is minus the depth.
inline double separation_along(const Shape& a, const Pose& A, const Shape& b, const Pose& B,
                               const Vector3& n) {
  return n.dot(A * support(a, A.R.transpose() * -n) - B * support(b, B.R.transpose() * n));
}

/// The largest s(n) of some 1500 directions, the best of which are moved at random as long as that helps.
inline double sampled_separation(const Shape& a, const Pose& A, const Shape& b, const Pose& B,
                                 unsigned seed, int refined = 6) {
  static const std::vector<Vector3> kDirections = [] {
    std::vector<Vector3> d;
    constexpr int kCount = 1500;
    for (int i = 0; i < kCount; ++i) {
      const double z = 1.0 - (2.0 * i + 1.0) / kCount, angle = i * 2.399963229728653;
      const double across = std::sqrt(1.0 - z * z);
      d.push_back({across * std::cos(angle), across * std::sin(angle), z});
    }
    return d;
  }();
  std::vector<std::pair<double, Vector3>> tried;
  for (const Vector3& n : kDirections) tried.emplace_back(separation_along(a, A, b, B, n), n);
  std::partial_sort(tried.begin(), tried.begin() + refined, tried.end(),
                    [](const auto& p, const auto& q) { return p.first > q.first; });
  double best = tried.front().first;
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  for (int k = 0; k < refined; ++k) {
    auto [s, n] = tried[static_cast<std::size_t>(k)];
    int failures = 0;
    for (double step = 0.05; step > 1e-8;) {
      const Vector3 m =
          (n + step * Vector3(normal(random), normal(random), normal(random))).normalized();
      const double t = separation_along(a, A, b, B, m);
      if (t > s) {
        s = t;
        n = m;
        step *= 1.3;
        failures = 0;
      } else if (++failures > 12) {
        step *= 0.5;
        failures = 0;
      }
    }
    best = std::max(best, s);
  }
  return best;
}

inline std::vector<ContactPoint> contacts_of(const Shape& a, const Pose& A, const Shape& b,
                                             const Pose& B, double margin) {
  std::vector<ContactPoint> points;
  collide(a, A, b, B, margin, points);
  return points;
}
inline const ContactPoint& deepest(const std::vector<ContactPoint>& points) {
  return *std::min_element(points.begin(), points.end(),
                           [](const auto& p, const auto& q) { return p.gap < q.gap; });
}
inline Vector3 on_a(const ContactPoint& p) { return p.x + 0.5 * p.gap * p.normal; }
inline Vector3 on_b(const ContactPoint& p) { return p.x - 0.5 * p.gap * p.normal; }

}  // namespace saltus::testing

// Features of resting and moving bodies are the same from step to step, and depths of polyhedra are those of the best axis.
#include <doctest/doctest.h>

#include <numbers>

#include "saltus/math/dense.h"
#include "tests/unit/detection/detection_samples.h"

using namespace saltus;
using namespace saltus::testing;
namespace {

constexpr int kSteps = 1000;

struct Noise {
  Sampler sample{5};
  Pose operator()(const Pose& P) {
    const Vector3 w = sample.vector(1e-12);
    return {P.x + sample.vector(1e-12), exp_rotation(w).toRotationMatrix() * P.R};
  }
};

std::vector<std::uint32_t> features(const std::vector<ContactPoint>& points) {
  std::vector<std::uint32_t> f;
  for (const ContactPoint& p : points) f.push_back(p.feature);
  return f;
}

/// Changes of the features of a on b in 1000 steps along a motion that keeps them.
template <class Motion>
int changes(const Shape& a, const Shape& b, const Pose& B, std::size_t expected,
            const Motion& motion) {
  Noise noise;
  std::vector<std::uint32_t> last;
  int count = 0;
  for (int k = 0; k < kSteps; ++k) {
    const auto points =
        contacts_of(a, noise(motion(static_cast<double>(k) / kSteps)), b, noise(B), 0.01);
    CHECK(points.size() == expected);
    const auto now = features(points);
    if (k > 0 && now != last) ++count;
    last = now;
  }
  return count;
}

std::shared_ptr<const TriangleMesh> floor_mesh(int cells, double size) {
  std::vector<Vector3> vertices;
  std::vector<std::array<int, 3>> triangles;
  for (int j = 0; j <= cells; ++j)
    for (int i = 0; i <= cells; ++i)
      vertices.emplace_back((i - cells / 2.0) * size, (j - cells / 2.0) * size, 0.0);
  for (int j = 0; j < cells; ++j)
    for (int i = 0; i < cells; ++i) {
      const int v = i + (cells + 1) * j;
      triangles.push_back({v, v + 1, v + cells + 2});
      triangles.push_back({v, v + cells + 2, v + cells + 1});
    }
  return triangle_mesh(vertices, triangles);
}

TEST_CASE("a resting body keeps the features of its contacts") {
  const Box brick{{0.1, 0.05, 0.05}}, cube{{0.5, 0.5, 0.5}};
  const Cylinder can{0.5, 0.5};
  const auto hull = Sampler(2).hull(20);
  const Matrix3 lying =
      Eigen::AngleAxisd(std::numbers::pi / 2, Vector3::UnitY()).toRotationMatrix();
  const auto still = [](const Vector3& x, const Matrix3& R = Matrix3::Identity()) {
    return [x, R](double) { return Pose{x, R}; };
  };
  const Pose here;
  for (const double gap : {0.0, -1e-6, 1e-4}) {
    CAPTURE(gap);
    CHECK(changes(cube, Plane{}, here, 4, still({0, 0, 0.5 + gap})) == 0);
    CHECK(changes(cube, cube, here, 4, still({0, 0, 1 + gap})) == 0);
    CHECK(changes(cube, cube, here, 4, still({0.25, 0, 1 + gap})) == 0);
    CHECK(changes(brick, brick, here, 4, still({0.1, 0, 0.1 + gap})) ==
          0);  // on bricks: half over each of two
    CHECK(changes(brick, brick, here, 4, still({-0.1, 0, 0.1 + gap})) == 0);
    CHECK(changes(brick, brick, here, 4, still({0.2 + gap, 0, 0})) == 0);  // beside each other
    CHECK(changes(cube, floor_mesh(2, 2.0), here, 4, still({0, 0, 0.5 + gap})) == 0);
    CHECK(changes(cube, floor_mesh(7, 0.25), here, 4, still({0, 0, 0.5 + gap})) == 0);
    CHECK(changes(can, Plane{}, here, 4, still({0, 0, 0.5 + gap})) == 0);
    CHECK(changes(can, can, here, 4, still({0, 0, 1 + gap})) == 0);
    CHECK(changes(can, cube, here, 4, still({0, 0, 1 + gap})) == 0);
    CHECK(changes(can, Plane{}, here, 2, still({0, 0, 0.5 + gap}, lying)) == 0);
    CHECK(changes(can, cube, here, 2, still({0, 0, 1 + gap}, lying)) == 0);
    CHECK(changes(Capsule{0.5, 0.5}, cube, here, 2, still({0, 0, 1 + gap}, lying)) == 0);
    CHECK(changes(Capsule{0.5, 0.5}, Capsule{0.5, 0.5}, here, 2, still({0, 1 + gap, 0})) == 0);
    CHECK(changes(Sphere{0.5}, floor_mesh(2, 1.0), here, 1, still({0, 0, 0.5 + gap})) ==
          0);  // over a vertex
  }
  // a hull on its largest face
  int f = 0;
  for (int g = 0; g < hull->faces(); ++g)
    if (hull->first[g + 1] - hull->first[g] > hull->first[f + 1] - hull->first[f]) f = g;
  const Quaternion Q = turn_between(hull->normal[f], Vector3(0, 0, -1));
  const auto corners = static_cast<std::size_t>(hull->first[f + 1] - hull->first[f]);
  const Pose on_face{{0, 0, hull->offset[f] + 0.5}, Q.toRotationMatrix()};
  CHECK(changes(hull, Box{{5, 5, 0.5}}, here, corners, [&](double) { return on_face; }) == 0);
}

TEST_CASE(
    "a sliding box, and one that turns about the vertical, keep their features while these are the "
    "same") {
  const Box cube{{0.5, 0.5, 0.5}}, table{{3, 3, 0.5}};
  const Pose here;
  const auto slide = [](double t) { return Pose{{t, 0.5 * t, 1.0}, Matrix3::Identity()}; };
  const auto turn = [](double t) {
    return Pose{{0, 0, 1.0}, Eigen::AngleAxisd(7.0 * t, Vector3::UnitZ()).toRotationMatrix()};
  };
  const auto lower = [](const auto& motion) {
    return [motion](double t) {
      Pose P = motion(t);
      P.x.z() -= 0.5;
      return P;
    };
  };
  CHECK(changes(cube, table, here, 4, slide) == 0);
  CHECK(changes(cube, table, here, 4, turn) == 0);
  CHECK(changes(cube, Plane{}, here, 4, lower(slide)) == 0);
  CHECK(changes(cube, Plane{}, here, 4, lower(turn)) == 0);
  CHECK(changes(cube, floor_mesh(1, 10.0), {{2, 0, 0}, Matrix3::Identity()}, 4, lower([](double t) {
                  return Pose{{t + 3.5, -3.0, 1.0}, Matrix3::Identity()};
                })) == 0);
  // on an equal one, while the overlap is made of the same edges
  CHECK(changes(cube, cube, here, 4, [](double t) {
          return Pose{{0.1 + 0.8 * t, 0.05, 1.0}, Matrix3::Identity()};
        }) == 0);
}

/// Largest separation over all faces and all pairs of edges.
double separation_of_axes(const ConvexHull& a, const Pose& A, const ConvexHull& b, const Pose& B) {
  const Shape sa = std::make_shared<const ConvexHull>(a),
              sb = std::make_shared<const ConvexHull>(b);
  double best = -1e300;
  const auto attempt = [&](const Vector3& n) {
    for (const double sign : {1.0, -1.0})
      best = std::max(best, separation_along(sa, A, sb, B, sign * n));
  };
  for (const Vector3& n : a.normal) attempt(A.R * n);
  for (const Vector3& n : b.normal) attempt(B.R * n);
  for (const auto& [i, j] : a.edge)
    for (const auto& [k, m] : b.edge) {
      const Vector3 n =
          (A.R * (a.vertices[j] - a.vertices[i])).cross(B.R * (b.vertices[m] - b.vertices[k]));
      if (n.norm() > 1e-12) attempt(n.normalized());
    }
  return best;
}

TEST_CASE("the depth of polyhedra is the least over all faces and all pairs of edges") {
  Sampler sample(9);
  int overlapping = 0;
  double worst = 0.0;
  for (int k = 0; k < 300; ++k) {
    const auto a = sample.hull(4 + k % 20), b = sample.hull(4 + k % 7);
    const Pose A = sample.pose(0.5), B = sample.pose(0.5);
    const double s = separation_of_axes(*a, A, *b, B);
    if (s > 0.0) continue;
    ++overlapping;
    const auto points = contacts_of(a, A, b, B, 0.0);
    REQUIRE_FALSE(points.empty());
    worst = std::max(worst, std::abs(deepest(points).gap - s));
  }
  CHECK(overlapping > 100);
  CHECK(worst <= 1e-13);
}

TEST_CASE(
    "a face of many corners is held by at most eight points that span it, the deepest included") {
  std::vector<Vector3> x;
  for (int k = 0; k < 40; ++k)
    for (const double z : {-0.5, 0.5})
      x.emplace_back(std::cos(k * std::numbers::pi / 20), std::sin(k * std::numbers::pi / 20), z);
  const auto drum = convex_hull(x);
  const Pose A{{0, 0, 1.0},
               Eigen::AngleAxisd(1e-3, Vector3(1, 0.3, 0).normalized()).toRotationMatrix()};
  for (const Shape& below : {Shape(Box{{2, 2, 0.5}}), Shape(Plane{})}) {
    const bool plane = std::holds_alternative<Plane>(below);
    const Pose B{{0, 0, plane ? 0.5 : 0.0}, Matrix3::Identity()};
    const auto points = contacts_of(drum, A, below, B, 0.1);
    CHECK(points.size() >= 4);
    CHECK(points.size() <= 8);
    double lowest = 1e300;
    for (const Vector3& v : drum->vertices) lowest = std::min(lowest, (A * v).z() - 0.5);
    CHECK(std::abs(deepest(points).gap - lowest) <= 1e-7);
    Vector3 low = points[0].x, high = low;
    for (const ContactPoint& p : points) {
      low = low.cwiseMin(p.x);
      high = high.cwiseMax(p.x);
    }
    CHECK(high.x() - low.x() > 1.9);
    CHECK(high.y() - low.y() > 1.9);
    CHECK(changes(drum, below, B, points.size(), [&](double) { return A; }) == 0);
  }
}

}  // namespace

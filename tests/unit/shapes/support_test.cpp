#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "unit/shapes/shape_samples.h"

using namespace saltus;
using namespace saltus::samples;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Sampled {
  std::string name;
  Shape shape;
  double size;
  std::vector<Vector3> surface;  // dense, with the extreme points along the axes of the shape
};

// n points of the unit sphere by rings, poles and axes among them.
std::vector<Vector3> sphere_points(int n) {
  std::vector<Vector3> points;
  for (int i = 0; i <= n; ++i)
    for (int k = 0; k < 2 * n; ++k) {
      const double a = std::numbers::pi * (1.0 * i / n - 0.5), b = std::numbers::pi * k / n;
      points.emplace_back(std::cos(a) * std::cos(b), std::cos(a) * std::sin(b), std::sin(a));
    }
  return points;
}

std::vector<Sampled> sampled_shapes() {
  const std::vector<Vector3> ball = sphere_points(120);
  const auto made = [&](const std::function<Vector3(const Vector3&)>& map) {
    std::vector<Vector3> points;
    for (const Vector3& u : ball) points.push_back(map(u));
    return points;
  };
  const Vector3 radii(0.3, 1.1, 0.6), half(0.3, 0.8, 0.5);
  const auto capsule = [](const Vector3& u) {
    return Vector3(0.4 * u + std::copysign(0.9, u.z()) * Vector3::UnitZ());
  };
  const auto cylinder = [](const Vector3& u) {
    const double r = std::hypot(u.x(), u.y());
    return Vector3(0.4 * u.x() / r, 0.4 * u.y() / r, std::copysign(0.9, u.z()));
  };
  const auto box = [=](const Vector3& u) {
    return Vector3(half.cwiseProduct(u) / u.cwiseAbs().maxCoeff());
  };
  Random random(11);
  std::vector<Vector3> cloud;
  for (int i = 0; i < 300; ++i) cloud.push_back(random.in_cube() + Vector3(2, 0, 0));
  std::vector<Vector3> corners = box_surface(half).vertices, box_points = made(box);
  box_points.insert(box_points.end(), corners.begin(), corners.end());
  return {{"sphere", Sphere{0.7}, 0.7, made([](const Vector3& u) { return Vector3(0.7 * u); })},
          {"ellipsoid", Ellipsoid{radii}, 1.1,
           made([&](const Vector3& u) { return Vector3(radii.cwiseProduct(u)); })},
          {"capsule", Capsule{0.4, 0.9}, 1.3, made(capsule)},
          {"cylinder", Cylinder{0.4, 0.9}, 1.0, made(cylinder)},
          {"box", Box{half}, 1.0, box_points},
          {"convex hull", convex_hull(cloud), 3.0, cloud}};
}

// How far x is outside of the shape, by its equation; 0 on the surface.
double above_surface(const Shape& shape, const Vector3& x) {
  if (const auto* s = std::get_if<Sphere>(&shape)) return x.norm() - s->radius;
  if (const auto* s = std::get_if<Ellipsoid>(&shape)) return x.cwiseQuotient(s->radii).norm() - 1.0;
  if (const auto* s = std::get_if<Capsule>(&shape)) {
    const double z = std::clamp(x.z(), -s->half_length, s->half_length);
    return (x - Vector3(0, 0, z)).norm() - s->radius;
  }
  if (const auto* s = std::get_if<Cylinder>(&shape))
    return std::max(std::hypot(x.x(), x.y()) - s->radius, std::abs(x.z()) - s->half_length);
  if (const auto* s = std::get_if<Box>(&shape)) return (x.cwiseAbs() - s->half).maxCoeff();
  const ConvexHull& hull = *std::get<std::shared_ptr<const ConvexHull>>(shape);
  double most = -kInfinity;
  for (int f = 0; f < hull.faces(); ++f)
    most = std::max(most, hull.normal[f].dot(x) - hull.offset[f]);
  return most;
}

std::vector<Vector3> directions(Random& random) {
  std::vector<Vector3> all;
  for (int k = 0; k < 60; ++k) all.push_back(random.direction());
  for (int i = 0; i < 3; ++i) {
    all.push_back(Vector3::Unit(i));
    all.push_back(-Vector3::Unit(i));
    all.push_back(Vector3::Ones() - Vector3::Unit(i));
  }
  return all;
}

}  // namespace

TEST_CASE("the support point is on the shape, and no point of it is farther") {
  Random random(12);
  for (const Sampled& s : sampled_shapes())
    for (const Vector3& d : directions(random)) {
      CAPTURE(s.name);
      const Vector3 x = support(s.shape, d);
      CHECK(std::abs(above_surface(s.shape, x)) <= 4e-15);
      double most = -kInfinity;
      for (const Vector3& y : s.surface) most = std::max(most, d.dot(y));
      CHECK(d.dot(x) >= most - 4e-16 * s.size * d.norm());
      CHECK(d.dot(x) <= most + 1e-3 * s.size * d.norm());  // the samples are dense
    }
}

TEST_CASE("the support point depends on the direction, not on its length") {
  Random random(13);
  for (const Sampled& s : sampled_shapes()) {
    CAPTURE(s.name);
    const Vector3 d = random.direction();
    for (double scale : {0x1p-500, 0x1p-1000, 0x1p500, 0x1p1000})
      CHECK((support(s.shape, scale * d) - support(s.shape, d)).norm() <= 4e-16 * s.size);
    CHECK(std::abs(above_surface(s.shape, support(s.shape, Vector3::Zero()))) <= 4e-15);
  }
  CHECK_THROWS_AS(support(Plane{}, Vector3::UnitX()), UsageError);
  CHECK_THROWS_AS(support(box_surface({1, 1, 1}).mesh(), Vector3::UnitX()), UsageError);
}

TEST_CASE("where several points are farthest the support point is a corner of them") {
  CHECK(support(Box{{1, 2, 3}}, {1, 0, 0}).cwiseAbs() == Vector3(1, 2, 3));
  CHECK(support(Cylinder{1, 2}, {0, 0, -1}) == Vector3(1, 0, -2));
  const std::vector<Vector3> cube = box_surface({1, 1, 1}).vertices;
  CHECK(support(convex_hull(cube), {0, 0, 1}) == Vector3(-1, -1, 1));
}

TEST_CASE("bounds hold the placed shape and touch it on all six sides") {
  Random random(14);
  for (const Sampled& s : sampled_shapes())
    for (int k = 0; k < 20; ++k) {
      CAPTURE(s.name);
      const Pose at = k == 0 ? Pose{} : random.pose(2.0);
      const Bounds box = bounds(s.shape, at);
      double most = -kInfinity;  // outside of the box
      for (const Vector3& X : s.surface) {
        const Vector3 x = at * X;
        most = std::max({most, (box.low - x).maxCoeff(), (x - box.high).maxCoeff()});
      }
      CHECK(most <= 4e-15);
      for (int i = 0; i < 3; ++i) {
        const Vector3 row = at.R.row(i).transpose();
        CHECK((at * support(s.shape, row))[i] == doctest::Approx(box.high[i]).epsilon(4e-15));
        CHECK((at * support(s.shape, -row))[i] == doctest::Approx(box.low[i]).epsilon(4e-15));
      }
    }
}

TEST_CASE("bounds of a mesh are those of its vertices, and of a height field those of its box") {
  Random random(15);
  const Surface ring = torus(1.0, 0.3, 40, 24);
  const auto mesh = ring.mesh();
  HeightField field{5, 4, 0.5, 0.25, -1.0, 2.0, {}, 0.0, 0.0};
  for (int k = 0; k < 20; ++k) field.height.push_back(random.between(-0.2, 0.3));
  const auto heights = height_field(field);
  for (int k = 0; k < 20; ++k) {
    const Pose at = k == 0 ? Pose{} : random.pose(2.0);
    Bounds expected{Vector3::Constant(kInfinity), Vector3::Constant(-kInfinity)};
    for (const Vector3& X : ring.vertices) {
      expected.low = expected.low.cwiseMin(at * X);
      expected.high = expected.high.cwiseMax(at * X);
    }
    const Bounds box = bounds(mesh, at);
    CHECK((box.low - expected.low).norm() <= 2e-15);
    CHECK((box.high - expected.high).norm() <= 2e-15);
    const Bounds around = bounds(heights, at);
    for (int t = 0; t < heights->triangles(); ++t)
      for (const Vector3& X : height_triangle(*heights, t)) {
        CHECK((around.low - at * X).maxCoeff() <= 2e-15);
        CHECK((at * X - around.high).maxCoeff() <= 2e-15);
      }
  }
  CHECK(bounds(heights, Pose{}).high == Vector3(1.0, 2.75, heights->highest));
  CHECK(bounds(heights, Pose{}).low == Vector3(-1.0, 2.0, heights->lowest));
}

TEST_CASE("bounds of a plane end only along the axis that is its normal") {
  const Bounds level = bounds(Plane{}, {{1, 2, 3}, Matrix3::Identity()});
  CHECK(level.high == Vector3(kInfinity, kInfinity, 3.0));
  CHECK(level.low == Vector3::Constant(-kInfinity));
  Matrix3 turned;  // z of the plane along -x
  turned << 0, 0, -1, 0, 1, 0, 1, 0, 0;
  const Bounds wall = bounds(Plane{}, {{1, 2, 3}, turned});
  CHECK(wall.low == Vector3(1.0, -kInfinity, -kInfinity));
  CHECK(wall.high == Vector3::Constant(kInfinity));
  const Bounds tilted = bounds(Plane{}, Random(16).pose(1.0));
  CHECK(tilted.high == Vector3::Constant(kInfinity));
}

TEST_CASE("names, and what can move") {
  const Surface cube = box_surface({1, 1, 1});
  const Shape field = height_field({2, 2, 1.0, 1.0, 0.0, 0.0, {0, 0, 0, 0}, 0.0, 0.0});
  const std::vector<std::pair<Shape, std::string_view>> moving{
      {Sphere{1}, "sphere"},      {Ellipsoid{{1, 1, 1}}, "ellipsoid"},
      {Capsule{1, 1}, "capsule"}, {Cylinder{1, 1}, "cylinder"},
      {Box{{1, 1, 1}}, "box"},    {convex_hull(cube.vertices), "convex hull"}};
  for (const auto& [shape, name] : moving) {
    CHECK(shape_name(shape) == name);
    CHECK(can_move(shape));
    CHECK_NOTHROW(check(shape));
  }
  const std::vector<std::pair<Shape, std::string_view>> still{
      {Plane{}, "plane"}, {cube.mesh(), "triangle mesh"}, {field, "height field"}};
  for (const auto& [shape, name] : still) {
    CHECK(shape_name(shape) == name);
    CHECK_FALSE(can_move(shape));
    CHECK_NOTHROW(check(shape));
  }
}

TEST_CASE("dimensions that are no lengths are refused by name") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::pair<Shape, std::string>> bad{
      {Sphere{0.0}, "the radius must be positive and finite, not 0"},
      {Sphere{-1.0}, "the radius must be positive and finite, not -1"},
      {Sphere{kInfinity}, "the radius must be positive and finite, not inf"},
      {Sphere{1e-60}, "the radius must lie between 1e-50 m and 1e+50 m, not 1e-60"},
      {Ellipsoid{{1, nan, 1}}, "the radii must be positive and finite, not nan"},
      {Capsule{1, 0}, "the half length must be positive and finite, not 0"},
      {Cylinder{-2, 1}, "the radius must be positive and finite, not -2"},
      {Box{{1, 1, 0}}, "the half lengths must be positive and finite, not 0"},
      {std::shared_ptr<const ConvexHull>(), "the convex hull is empty"},
      {std::shared_ptr<const TriangleMesh>(), "the triangle mesh is empty"},
      {std::make_shared<const HeightField>(), "the height field is empty"}};
  for (const auto& [shape, text] : bad) CHECK(fault([&] { check(shape); }) == text);
}

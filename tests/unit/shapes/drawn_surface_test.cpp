// Shapes as triangles: closed, outwards, and as large as the shape.
#include "saltus/shapes/drawn_surface.h"

#include <doctest/doctest.h>

#include <map>

#include "unit/shapes/shape_samples.h"

using namespace saltus;

namespace {

/// Six times the volume, by tetrahedra from the origin.
double volume(const DrawnSurface& s, const Vector3& scale) {
  double sum = 0.0;
  for (const auto& [a, b, c] : s.triangles) {
    const auto at = [&](int i) -> Vector3 {
      return scale.cwiseProduct(s.points[static_cast<std::size_t>(i)]);
    };
    sum += at(a).dot(at(b).cross(at(c))) / 6.0;
  }
  return sum;
}

/// Every edge is walked once in each direction.
bool closed(const DrawnSurface& s) {
  std::map<std::array<int, 2>, int> walked;
  for (const auto& [a, b, c] : s.triangles)
    for (const auto& way : {std::array{a, b}, std::array{b, c}, std::array{c, a}}) ++walked[way];
  for (const auto& [way, count] : walked)
    if (count != 1 || walked.count({way[1], way[0]}) == 0) return false;
  return !s.triangles.empty();
}

std::vector<Vector3> corners(const Vector3& half) { return samples::box_surface(half).vertices; }

}  // namespace

TEST_CASE("triangles of a solid close it, look outwards and hold its volume") {
  const Vector3 half(0.1, 0.2, 0.3);
  std::vector<Vector3> points = corners(half);
  points.emplace_back(0.0, 0.0, 0.5);
  struct Row {
    const char* name;
    Shape shape;
    double error;
    std::size_t edges;
  };
  for (const Row& row : std::vector<Row>{
           {"box", Box{half}, 1e-14, 12},
           {"cylinder", Cylinder{0.2, 0.7}, 3e-3, 2 * 48},
           {"capsule", Capsule{0.2, 0.7}, 1e-2, 0},
           {"hull", convex_hull(points), 1e-14, 16},
           {"mesh", samples::box_surface(half).mesh(), 1e-14, 12},
       }) {
    INFO(row.name);
    const DrawnShape shape = drawn(row.shape);
    const double exact = moments(row.shape).volume;
    CHECK(shape.surface.kind == DrawnSurface::Kind::mesh);
    CHECK(closed(shape.surface));
    CHECK(volume(shape.surface, shape.scale) == doctest::Approx(exact).epsilon(row.error));
    CHECK(volume(shape.surface, shape.scale) <= exact * (1.0 + 1e-14));  // corners on the surface
    CHECK(shape.surface.edges.size() == row.edges);
  }
}

TEST_CASE("shapes that differ in size alone are one surface, stretched") {
  CHECK(drawn(Box{{1.0, 2.0, 3.0}}).surface == drawn(Box{{4.0, 0.5, 1.0}}).surface);
  CHECK(drawn(Cylinder{1.0, 2.0}).surface == drawn(Cylinder{0.1, 7.0}).surface);
  const DrawnShape ball = drawn(Sphere{0.3}), egg = drawn(Ellipsoid{{0.1, 0.2, 0.3}});
  CHECK(ball.surface == egg.surface);
  CHECK(ball.surface.kind == DrawnSurface::Kind::sphere);
  CHECK(ball.scale == Vector3(0.3, 0.3, 0.3));
  CHECK(egg.scale == Vector3(0.1, 0.2, 0.3));
  CHECK(drawn(Plane{}).surface.kind == DrawnSurface::Kind::plane);
  CHECK(drawn(Capsule{0.2, 0.7}).surface.triangles.size() == 2 * 32 * 16);
}

TEST_CASE("a height field is drawn as it is, with its border and its ridge") {
  HeightField field;
  field.columns = 3;
  field.rows = 2;
  field.spacing_x = 1.0;
  field.spacing_y = 2.0;
  field.origin_x = -1.0;
  field.height = {0.0, 1.0, 0.0, 0.0, 1.0, 0.0};
  const auto made = height_field(field);
  const DrawnSurface s = drawn(made).surface;
  REQUIRE(s.triangles.size() == 4);
  for (int t = 0; t < 4; ++t)
    for (std::size_t k = 0; k < 3; ++k)
      CHECK(s.points[static_cast<std::size_t>(s.triangles[static_cast<std::size_t>(t)][k])] ==
            height_triangle(*made, t)[k]);
  CHECK(s.edges.size() == 6 + 1);
  CHECK(std::ranges::count(s.edges, std::array{1, 4}) == 1);
}

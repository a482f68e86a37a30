// Convex shapes against meshes and height fields.
#include <doctest/doctest.h>

#include "tests/unit/detection/detection_samples.h"
#include "tests/unit/shapes/shape_samples.h"

using namespace saltus;
using namespace saltus::testing;
namespace {

using Mesh = std::shared_ptr<const TriangleMesh>;
using Field = std::shared_ptr<const HeightField>;

Field field_of(int columns, int rows, double spacing, double roughness, unsigned seed) {
  Sampler sample(seed);
  HeightField f;
  f.columns = columns;
  f.rows = rows;
  f.spacing_x = spacing;
  f.spacing_y = 1.1 * spacing;
  f.origin_x = -0.5 * spacing * (columns - 1);
  f.origin_y = -0.55 * spacing * (rows - 1);
  for (int k = 0; k < columns * rows; ++k)
    f.height.push_back(sample.between(-roughness, roughness));
  return height_field(f);
}

Mesh mesh_of(const HeightField& f) {
  std::vector<Vector3> vertices;
  std::vector<std::array<int, 3>> triangles;
  for (int j = 0; j < f.rows; ++j)
    for (int i = 0; i < f.columns; ++i)
      vertices.emplace_back(f.origin_x + i * f.spacing_x, f.origin_y + j * f.spacing_y,
                            f.height[static_cast<std::size_t>(i + f.columns * j)]);
  for (int j = 0; j + 1 < f.rows; ++j)
    for (int i = 0; i + 1 < f.columns; ++i) {
      const int v = i + f.columns * j;
      triangles.push_back({v, v + 1, v + 1 + f.columns});
      triangles.push_back({v, v + 1 + f.columns, v + f.columns});
    }
  return triangle_mesh(vertices, triangles);
}

TEST_CASE("a flat surface of triangles acts as a plane: no edge inside it is felt") {
  const Field flat = field_of(30, 30, 0.17, 0.0, 1);
  const Mesh mesh = mesh_of(*flat);
  Sampler sample(2);
  for (int kind = 0; kind < kConvexKinds; ++kind) {
    CAPTURE(convex_name(kind));
    for (int k = 0; k < 60; ++k) {
      const Shape shape = random_convex(kind, sample);
      Pose P{{sample.between(-0.6, 0.6), sample.between(-0.6, 0.6), 0.0}, sample.rotation()};
      const Vector3 low = P.R * support(shape, P.R.transpose() * Vector3(0, 0, -1));
      const double gap = k % 3 == 0 ? -1e-3 : k % 3 == 1 ? 1e-3 : -0.05;
      P.x.z() = gap - low.z();
      const auto on_plane = contacts_of(shape, P, Plane{}, {}, 5e-3);
      for (const Shape& surface : {Shape(flat), Shape(mesh)}) {
        const auto points = contacts_of(shape, P, surface, {}, 5e-3);
        REQUIRE_FALSE(points.empty());
        CHECK(std::abs(deepest(points).gap - deepest(on_plane).gap) <= 1e-14);
        CHECK((deepest(points).x - deepest(on_plane).x).norm() <= 1e-6);
        for (const ContactPoint& p : points) CHECK(p.normal.z() >= 1.0 - 1e-12);
      }
    }
  }
}

TEST_CASE("a box sliding flat over many triangles has four contacts, all normal to the floor") {
  const Mesh mesh = mesh_of(*field_of(40, 40, 0.2, 0.0, 1));
  const Box box{{0.33, 0.21, 0.1}};
  for (int k = 0; k < 500; ++k) {
    const double t = k / 500.0;
    const Pose P{{-2.0 + 4.0 * t, 1.0 - 2.0 * t, 0.1 - 1e-4},
                 Eigen::AngleAxisd(3.0 * t, Vector3::UnitZ()).toRotationMatrix()};
    const auto points = contacts_of(box, P, mesh, {}, 0.01);
    CHECK(points.size() == 4);
    for (const ContactPoint& p : points) {
      CHECK(p.normal.z() >= 1.0 - 1e-12);
      CHECK(std::abs(p.gap + 1e-4) <= 1e-14);
    }
  }
}

TEST_CASE("a height field and the mesh of its triangles give the same contacts") {
  Sampler sample(3);
  const Field field = field_of(12, 9, 0.5, 0.2, 4);
  const Mesh mesh = mesh_of(*field);
  for (int k = 0; k < 300; ++k) {
    const Shape shape = random_convex(k % kConvexKinds, sample);
    const Pose P{{sample.between(-2, 2), sample.between(-2, 2), sample.between(0.0, 1.5)},
                 sample.rotation()},
        B = sample.pose(3.0);
    const auto p = contacts_of(shape, B * P, field, B, 0.05),
               q = contacts_of(shape, B * P, mesh, B, 0.05);
    REQUIRE(p.size() == q.size());
    for (std::size_t i = 0; i < p.size(); ++i) {
      CHECK(p[i].feature == q[i].feature);
      CHECK((p[i].x - q[i].x).norm() <= 1e-12);
      CHECK(std::abs(p[i].gap - q[i].gap) <= 1e-12);
    }
  }
}

/// The triangle with a point behind it, far below.
Shape wedge(const TriangleMesh& mesh, int t) {
  const auto& v = mesh.triangles[static_cast<std::size_t>(t)];
  std::vector<Vector3> x;
  for (int i : v) x.push_back(mesh.vertices[static_cast<std::size_t>(i)]);
  x.push_back((x[0] + x[1] + x[2]) / 3.0 - 3.0 * Vector3::UnitZ());
  return convex_hull(x);
}

TEST_CASE("over rough ground the deepest gap is the distance to the closest triangle") {
  Sampler sample(5);
  const Mesh mesh = mesh_of(*field_of(7, 7, 0.6, 0.15, 6));
  std::vector<Shape> wedges;
  for (int t = 0; t < static_cast<int>(mesh->triangles.size()); ++t)
    wedges.push_back(wedge(*mesh, t));
  for (int kind = 0; kind < kConvexKinds; ++kind) {
    CAPTURE(convex_name(kind));
    int apart = 0;
    double worst = 0.0;
    for (int k = 0; k < 120; ++k) {
      const Shape shape = random_convex(kind, sample);
      const Pose P{{sample.between(-0.8, 0.8), sample.between(-0.8, 0.8), sample.between(0.3, 1.6)},
                   sample.rotation()};
      double nearest = 1e300;
      for (const Shape& w : wedges)
        for (const ContactPoint& p : contacts_of(shape, P, w, {}, 0.3))
          nearest = std::min(nearest, p.gap);
      if (nearest <= 0.0) continue;
      const auto points = contacts_of(shape, P, mesh, {}, 0.3);
      REQUIRE(points.empty() == (nearest > 0.3));
      if (points.empty()) continue;
      ++apart;
      worst = std::max(worst, std::abs(deepest(points).gap - nearest));
    }
    CHECK(apart >= 8);
    CHECK(worst <= 1e-12);
  }
}

TEST_CASE("a box given as a mesh touches spheres as the box does, and only from outside") {
  const Vector3 half(0.7, 0.5, 0.3);
  const Mesh mesh = samples::box_surface(half).mesh();
  Sampler sample(7);
  int touching = 0;
  for (int k = 0; k < 2000; ++k) {
    const Vector3 c = sample.vector(1.0);
    const Pose P{c, sample.rotation()};
    if (outside(Box{half}, c) <= 0.0) continue;
    const auto p = contacts_of(Sphere{0.2}, P, Box{half}, {}, 0.1),
               q = contacts_of(Sphere{0.2}, P, mesh, {}, 0.1);
    REQUIRE(p.size() == q.size());
    if (p.empty()) continue;
    ++touching;
    CHECK(std::abs(p[0].gap - q[0].gap) <= 4e-15);
    CHECK((p[0].normal - q[0].normal).norm() <= 1e-13);
    CHECK((p[0].x - q[0].x).norm() <= 4e-15);
  }
  CHECK(touching > 100);
}

TEST_CASE("on a ridge the normal lies between those of the two sides, in a valley both sides act") {
  const auto two = [](double slope) {
    return triangle_mesh(
        {{-1, -1, -slope}, {0, -1, 0}, {0, 1, 0}, {-1, 1, -slope}, {1, -1, -slope}, {1, 1, -slope}},
        {{0, 1, 2}, {0, 2, 3}, {1, 4, 5}, {1, 5, 2}});
  };
  const auto on_ridge =
      contacts_of(Sphere{0.5}, {{0.1, 0.0, 0.5}, Matrix3::Identity()}, two(1.0), {}, 0.1);
  REQUIRE(on_ridge.size() == 1);
  CHECK((on_ridge[0].normal - Vector3(0.1, 0, 0.5).normalized()).norm() <= 1e-15);
  const auto in_valley =
      contacts_of(Sphere{0.5}, {{0.0, 0.0, 0.7}, Matrix3::Identity()}, two(-1.0), {}, 0.1);
  REQUIRE(in_valley.size() == 2);
  for (const ContactPoint& p : in_valley)
    CHECK(std::abs(p.gap - (0.7 / std::sqrt(2.0) - 0.5)) <= 1e-15);
  const auto box = contacts_of(Box{{0.3, 0.3, 0.3}}, {{0, 0, 0.3 + 1e-3}, Matrix3::Identity()},
                               two(1.0), {}, 0.01);
  REQUIRE(box.size() == 2);  // the part of the ridge under the box
  for (const ContactPoint& p : box) {
    CHECK((p.normal - Vector3::UnitZ()).norm() <= 1e-14);
    CHECK(std::abs(std::abs(p.x.y()) - 0.3) <= 1e-14);
    CHECK(std::abs(p.gap - 1e-3) <= 1e-15);
  }
}

TEST_CASE("a thin plate acts on the side where the body is") {
  const Mesh plate = samples::box_surface({1, 1, 1e-3}).mesh();
  for (const double side : {1.0, -1.0}) {
    const auto points = contacts_of(
        Sphere{0.5}, {{0.1, 0.2, side * (0.501 - 1e-4)}, Matrix3::Identity()}, plate, {}, 0.01);
    REQUIRE(points.size() == 1);
    CHECK(points[0].normal.z() == side);
    CHECK(std::abs(points[0].gap + 1e-4) <= 1e-15);
  }
}

TEST_CASE("behind an open surface nothing touches") {
  const Field flat = field_of(8, 8, 0.5, 0.0, 1);
  CHECK(contacts_of(Sphere{0.5}, {{0, 0, -0.6}, Matrix3::Identity()}, flat, {}, 0.2).empty());
  CHECK(contacts_of(Box{{0.5, 0.5, 0.5}}, {{0, 0, -0.6}, Matrix3::Identity()}, mesh_of(*flat), {},
                    0.2)
            .empty());
}

}  // namespace

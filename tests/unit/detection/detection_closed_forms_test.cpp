// Pairs whose contact can be written down.
#include <doctest/doctest.h>

#include <numbers>
#include <string>

#include "tests/unit/detection/detection_samples.h"

using namespace saltus;
using namespace saltus::testing;
namespace {

const Pose kHere;
Pose at(double x, double y, double z) { return {{x, y, z}, Matrix3::Identity()}; }
Pose turned(const Vector3& x, double angle, const Vector3& axis) {
  return {x, Eigen::AngleAxisd(angle, axis.normalized()).toRotationMatrix()};
}
constexpr double kPi = std::numbers::pi;

/// One expected contact.
struct Row {
  std::string name;
  Shape a;
  Pose A;
  Shape b;
  Pose B;
  double gap;
  Vector3 x, normal;
};

TEST_CASE("one point: gap, place and normal follow from the formula") {
  const double d = std::sqrt(3.0) * 0.5;  // from the corner (1/2, 1/2, 1/2) to (1, 1, 1)
  const Vector3 diagonal = Vector3::Ones() / std::sqrt(3.0);
  const double e = std::hypot(0.3, 0.4);
  const std::vector<Row> rows = {
      {"sphere over sphere",
       Sphere{0.5},
       at(0, 0, 2),
       Sphere{1.0},
       kHere,
       0.5,
       {0, 0, 1.25},
       {0, 0, 1}},
      {"spheres in each other",
       Sphere{0.5},
       at(0, 1.2, 0),
       Sphere{1.0},
       kHere,
       -0.3,
       {0, 0.85, 0},
       {0, 1, 0}},
      {"sphere over plane",
       Sphere{0.5},
       at(3, 4, 0.6),
       Plane{},
       kHere,
       0.1,
       {3, 4, 0.05},
       {0, 0, 1}},
      {"plane under sphere",
       Plane{},
       kHere,
       Sphere{0.5},
       at(3, 4, 0.6),
       0.1,
       {3, 4, 0.05},
       {0, 0, -1}},
      {"sphere beside capsule",
       Sphere{0.2},
       at(1, 0, 0.3),
       Capsule{0.3, 1.0},
       kHere,
       0.5,
       {0.55, 0, 0.3},
       {1, 0, 0}},
      {"sphere over the end of a capsule",
       Sphere{0.2},
       at(0, 0, 2),
       Capsule{0.3, 1.0},
       kHere,
       0.5,
       {0, 0, 1.55},
       {0, 0, 1}},
      {"sphere over face of box",
       Sphere{0.5},
       at(0.1, 0.2, 1.1),
       Box{{0.5, 0.5, 0.5}},
       kHere,
       0.1,
       {0.1, 0.2, 0.55},
       {0, 0, 1}},
      {"sphere off corner of box", Sphere{0.5}, at(1, 1, 1), Box{{0.5, 0.5, 0.5}}, kHere, d - 0.5,
       Vector3::Constant(0.5) + 0.5 * (d - 0.5) * diagonal, diagonal},
      {"centre of the sphere in the box",
       Sphere{0.5},
       at(0.4, 0.1, 0),
       Box{{0.5, 0.5, 0.5}},
       kHere,
       -0.6,
       {0.2, 0.1, 0},
       {1, 0, 0}},
      {"sphere off rim of cylinder",
       Sphere{0.3},
       at(1.3, 0, 0.9),
       Cylinder{1.0, 0.5},
       kHere,
       e - 0.3,
       Vector3(1, 0, 0.5) + 0.5 * (e - 0.3) * Vector3(0.6, 0, 0.8),
       {0.6, 0, 0.8}},
      {"sphere beside cylinder",
       Sphere{0.3},
       at(0, 1.5, 0.1),
       Cylinder{1.0, 0.5},
       kHere,
       0.2,
       {0, 1.1, 0.1},
       {0, 1, 0}},
      {"centre of the sphere in the cylinder",
       Sphere{0.3},
       at(0, 0.1, 0.4),
       Cylinder{1.0, 0.5},
       kHere,
       -0.4,
       {0, 0.1, 0.3},
       {0, 0, 1}},
      {"crossing capsules",
       Capsule{0.2, 1.0},
       turned({0.1, 0.2, 0.6}, kPi / 2, Vector3::UnitX()),
       Capsule{0.3, 1.0},
       turned(Vector3::Zero(), kPi / 2, Vector3::UnitY()),
       0.1,
       {0.1, 0, 0.35},
       {0, 0, 1}},
      {"ellipsoid over plane",
       Ellipsoid{{1, 2, 3}},
       at(5, 5, 3.25),
       Plane{},
       kHere,
       0.25,
       {5, 5, 0.125},
       {0, 0, 1}},
      {"ellipsoid over ellipsoid",
       Ellipsoid{{1, 2, 3}},
       at(0, 0, 5),
       Ellipsoid{{3, 1, 1.5}},
       kHere,
       0.5,
       {0, 0, 1.75},
       {0, 0, 1}},
      {"coaxial ellipsoids in each other",
       Ellipsoid{{1, 1, 0.5}},
       at(0, 0, 0.9),
       Ellipsoid{{1, 1, 0.5}},
       kHere,
       -0.1,
       {0, 0, 0.45},
       {0, 0, 1}},
      {"sphere off ellipsoid",
       Sphere{0.5},
       at(2, 0, 0),
       Ellipsoid{{1, 2, 3}},
       kHere,
       0.5,
       {1.25, 0, 0},
       {1, 0, 0}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    const auto points = contacts_of(row.a, row.A, row.b, row.B, 1.0);
    REQUIRE(points.size() == 1);
    CHECK(std::abs(points[0].gap - row.gap) <= 2e-15);
    CHECK((points[0].x - row.x).norm() <= 4e-15);
    CHECK((points[0].normal - row.normal).norm() <= 4e-15);
  }
}

TEST_CASE(
    "the deepest point of an ellipsoid on a tilted plane has the height of the support formula") {
  Sampler sample(3);
  for (int k = 0; k < 200; ++k) {
    const Ellipsoid e{sample.lengths(0.2, 2.0)};
    const Pose A = sample.pose(1.0), B = sample.pose(1.0);
    const Vector3 n = B.R.col(2);
    const double h = (e.radii.asDiagonal() * (A.R.transpose() * n)).norm();
    const auto points = contacts_of(e, A, Plane{}, B, 10.0);
    REQUIRE(points.size() == 1);
    CHECK(std::abs(points[0].gap - (n.dot(A.x - B.x) - h)) <= 4e-15);
  }
}

struct Manifold {
  std::string name;
  Shape a;
  Pose A;
  Shape b;
  double gap;
  std::vector<Vector3> x;  ///< places midway between the surfaces
};

TEST_CASE("flat parts touch in the corners of their overlap, lines in its ends") {
  const Box box{{0.5, 0.5, 0.5}};
  const Cylinder can{0.5, 0.5};
  const auto hull = convex_hull(std::vector<Vector3>{{-0.5, -0.5, -0.5},
                                                     {0.5, -0.5, -0.5},
                                                     {-0.5, 0.5, -0.5},
                                                     {0.5, 0.5, -0.5},
                                                     {-0.5, -0.5, 0.5},
                                                     {0.5, -0.5, 0.5},
                                                     {-0.5, 0.5, 0.5},
                                                     {0.5, 0.5, 0.5}});
  const double g = 1e-3, z = 0.5 + g / 2;
  const Matrix3 lying = Eigen::AngleAxisd(kPi / 2, Vector3::UnitY()).toRotationMatrix();
  const std::vector<Manifold> rows = {
      {"box on plane",
       box,
       at(0, 0, 0.5 + g),
       Plane{},
       g,
       {{-0.5, -0.5, g / 2}, {0.5, -0.5, g / 2}, {-0.5, 0.5, g / 2}, {0.5, 0.5, g / 2}}},
      {"hull on plane",
       hull,
       at(0, 0, 0.5 - g),
       Plane{},
       -g,
       {{-0.5, -0.5, -g / 2}, {0.5, -0.5, -g / 2}, {-0.5, 0.5, -g / 2}, {0.5, 0.5, -g / 2}}},
      {"cylinder on its end",
       can,
       at(0, 0, 0.5 + g),
       Plane{},
       g,
       {{0.5, 0, g / 2}, {-0.5, 0, g / 2}, {0, 0.5, g / 2}, {0, -0.5, g / 2}}},
      {"cylinder on its side",
       can,
       {{0, 0, 0.5 + g}, lying},
       Plane{},
       g,
       {{-0.5, 0, g / 2}, {0.5, 0, g / 2}}},
      {"capsule on plane",
       Capsule{0.5, 1.0},
       {{0, 0, 0.5 - g}, lying},
       Plane{},
       -g,
       {{-1, 0, -g / 2}, {1, 0, -g / 2}}},
      {"box on box",
       box,
       at(0.2, 0.3, 1 + g),
       box,
       g,
       {{-0.3, -0.2, z}, {0.5, -0.2, z}, {-0.3, 0.5, z}, {0.5, 0.5, z}}},
      {"box on hull",
       box,
       at(0.2, 0.3, 1 + g),
       hull,
       g,
       {{-0.3, -0.2, z}, {0.5, -0.2, z}, {-0.3, 0.5, z}, {0.5, 0.5, z}}},
      {"box on equal box",
       box,
       at(0, 0, 1 + g),
       box,
       g,
       {{-0.5, -0.5, z}, {0.5, -0.5, z}, {-0.5, 0.5, z}, {0.5, 0.5, z}}},
      {"boxes edge on edge",
       box,
       at(1 + g / std::sqrt(2.0), 0.2, 1 + g / std::sqrt(2.0)),
       box,
       g,
       {{0.5 + g / std::sqrt(8.0), -0.3, 0.5 + g / std::sqrt(8.0)},
        {0.5 + g / std::sqrt(8.0), 0.5, 0.5 + g / std::sqrt(8.0)}}},
      {"parallel capsules",
       Capsule{0.2, 1.0},
       at(0.5 + g, 0, 0.5),
       Capsule{0.3, 0.8},
       g,
       {{0.3 + g / 2, 0, -0.5}, {0.3 + g / 2, 0, 0.8}}},
      {"capsule lying on box",
       Capsule{0.2, 1.0},
       {{0.7, 0, 0.7 + g}, lying},
       box,
       g,
       {{-0.3, 0, z}, {0.5, 0, z}}},
      {"cylinder standing on box",
       can,
       at(0, 0, 1 + g),
       Box{{1, 1, 0.5}},
       g,
       {{0.5, 0, z}, {-0.5, 0, z}, {0, 0.5, z}, {0, -0.5, z}}},
      {"cylinder over the side of a box",
       can,
       at(0.5, 0, 1 + g),
       Box{{0.5, 1, 0.5}},
       g,
       {{0, 0, z}, {0.5, 0.5, z}, {0.5, -0.5, z}}},
      {"cylinder on equal cylinder",
       can,
       at(0, 0, 1 + g),
       can,
       g,
       {{0.5, 0, z}, {-0.5, 0, z}, {0, 0.5, z}, {0, -0.5, z}}},
      {"cylinder beside cylinder", can, at(1 + g, 0, 0.2), can, g, {{z, 0, -0.3}, {z, 0, 0.5}}},
      {"cylinder lying on box", can, {{0.2, 0, 1 + g}, lying}, box, g, {{-0.3, 0, z}, {0.5, 0, z}}},
      {"cylinder lying on the end of a cylinder",
       Cylinder{0.5, 2.0},
       {{0, 0.3, 1 + g}, lying},
       can,
       g,
       {{-0.4, 0.3, z}, {0.4, 0.3, z}}},
  };
  for (const Manifold& row : rows) {
    CAPTURE(row.name);
    const auto points = contacts_of(row.a, row.A, row.b, kHere, 0.01);
    CHECK(points.size() == row.x.size());
    for (const Vector3& x : row.x) {
      double nearest = 1e300;
      for (const ContactPoint& p : points) nearest = std::min(nearest, (p.x - x).norm());
      CHECK(nearest <= 1e-14);
    }
    for (const ContactPoint& p : points) CHECK(std::abs(p.gap - row.gap) <= 1e-15);
  }
}

TEST_CASE("a tilted disc touches the plane in the deepest point of its rim") {
  for (const double tilt : {1e-6, 1e-3, 0.05, 0.5, 1.5}) {
    CAPTURE(tilt);
    const Cylinder disc{1.0, 0.01};
    const Matrix3 R =
        (Eigen::AngleAxisd(0.3, Vector3::UnitZ()) * Eigen::AngleAxisd(tilt, Vector3::UnitX()) *
         Eigen::AngleAxisd(0.7, Vector3::UnitZ()))
            .toRotationMatrix();
    const double lowest = std::sin(tilt) + 0.01 * std::cos(tilt);
    const auto points = contacts_of(disc, {{0, 0, lowest}, R}, Plane{}, kHere, 1e-3);
    const ContactPoint& p = deepest(points);
    CHECK(std::abs(p.gap) <= 1e-15);
    CHECK(std::abs(p.x.norm() - std::abs(std::cos(tilt) - 0.01 * std::sin(tilt))) <= 1e-9);
  }
}

TEST_CASE("a pair without a rule gives nothing") {
  CHECK(contacts_of(Plane{}, kHere, Plane{}, at(0, 0, -1), 1.0).empty());
}

TEST_CASE("the margin bounds the gaps that are reported") {
  CHECK(contacts_of(Sphere{0.5}, at(0, 0, 1.2), Sphere{0.5}, kHere, 0.1).empty());
  CHECK(contacts_of(Sphere{0.5}, at(0, 0, 1.2), Sphere{0.5}, kHere, 0.21).size() == 1);
}

}  // namespace

// Boundary surfaces against closed forms, each other and themselves.
#include <doctest/doctest.h>

#include <set>

#include "saltus/detection/surface_detector.h"
#include "saltus/math/dense.h"
#include "tests/unit/detection/detection_samples.h"
#include "tests/unit/detection/surface_samples.h"

using namespace saltus;
using namespace saltus::testing;
namespace {

std::vector<SurfaceContact> found(SurfaceDetector& detector, std::span<const Pose> frames = {}) {
  std::vector<SurfaceContact> contacts;
  detector.detect(frames, contacts);
  for (std::size_t i = 1; i < contacts.size(); ++i) CHECK(contacts[i - 1].key < contacts[i].key);
  return contacts;
}
std::vector<SurfaceContact> found(std::vector<DeformingShape> boundaries,
                                  std::vector<Collider> colliders, double margin) {
  SurfaceDetector detector(std::move(boundaries), colliders, margin, 1, kAllMeet);
  return found(detector);
}

Vector3 place(const DeformingShape& boundary, const SurfaceSide& side) {
  if (side.vertex >= 0) return boundary.vertices[side.vertex];
  Vector3 x = Vector3::Zero();
  for (int k = 0; k < 3; ++k)
    if (side.weight[k] > 0.0)
      x += side.weight[k] * boundary.vertices[boundary.facets[side.facet][k]];
  return x;
}

/// Signed distance of a point from a convex shape in its own frame, and its direction; exact forms of other kinds than
/// those of the program: of ellipsoids the distance to many points of the surface.
double distance(const Shape& shape, const Vector3& x) {
  if (const auto* s = std::get_if<Sphere>(&shape)) return x.norm() - s->radius;
  if (const auto* c = std::get_if<Capsule>(&shape))
    return (x - std::clamp(x.z(), -c->half_length, c->half_length) * Vector3::UnitZ()).norm() -
           c->radius;
  if (const auto* b = std::get_if<Box>(&shape)) {
    const Vector3 d = x.cwiseAbs() - b->half;
    return d.cwiseMax(0.0).norm() + std::min(d.maxCoeff(), 0.0);
  }
  if (const auto* c = std::get_if<Cylinder>(&shape)) {
    const Eigen::Vector2d d(x.head<2>().norm() - c->radius, std::abs(x.z()) - c->half_length);
    return d.cwiseMax(0.0).norm() + std::min(d.maxCoeff(), 0.0);
  }
  const auto& e = std::get<Ellipsoid>(shape);  // bisection on  sum (a x/(a^2 + t))^2 = 1
  const Eigen::Array3d a = e.radii.array(), p = x.array();
  const auto F = [&](double t) { return (a * p / (a * a + t)).square().sum() - 1.0; };
  double low = -a.square().minCoeff() + 1e-12, high = a.maxCoeff() * x.norm() + 1.0;
  for (int k = 0; k < 200; ++k) (F(0.5 * (low + high)) > 0.0 ? low : high) = 0.5 * (low + high);
  const Vector3 y = (a * a * p / (a * a + low)).matrix();
  return (F(0.0) > 0.0 ? 1.0 : -1.0) * (x - y).norm();
}

TEST_CASE("a vertex has the distance of a point from every convex shape, outside and inside") {
  Sampler sample(7);
  int inside = 0, outside = 0;
  for (int kind = 0; kind < kConvexKinds - 1; ++kind)
    for (int k = 0; k < 40; ++k) {
      const Shape shape = random_convex(kind, sample);
      const Pose at = sample.pose(1.0);
      DeformingShape points;
      for (int i = 0; i < 20; ++i) points.vertices.push_back(at.x + sample.vector(1.2));
      const auto contacts = found({points}, {{shape, at, -1, 0}}, 0.3);
      std::size_t next = 0;
      for (int v = 0; v < 20; ++v) {
        const Vector3 x = at.R.transpose() * (points.vertices[v] - at.x);
        const double exact = distance(shape, x);
        if (std::abs(exact - 0.3) < 1e-9) continue;
        CAPTURE(convex_name(kind));
        CAPTURE(exact);
        if (exact > 0.3) continue;
        REQUIRE(next < contacts.size());
        const SurfaceContact& c = contacts[next++];
        CHECK(c.a.vertex == v);
        CHECK(c.gap == doctest::Approx(exact).epsilon(1e-9));
        // one step along the normal changes the distance by as much
        const double ahead = distance(shape, x + 1e-6 * (at.R.transpose() * c.normal));
        CHECK((ahead - exact) / 1e-6 == doctest::Approx(1.0).epsilon(1e-3));
        ++(exact < 0.0 ? inside : outside);
      }
      CHECK(next == contacts.size());
    }
  CHECK(inside > 100);
  CHECK(outside > 100);
}

TEST_CASE("a vertex has the distance of a point from a plane, a hull and a mesh") {
  Sampler sample(8);
  const Vector3 half(0.5, 0.4, 0.3);
  std::vector<Vector3> corners;
  for (int i = 0; i < 8; ++i)
    corners.push_back(half.cwiseProduct(Vector3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1)));
  const DeformingShape shell = block(-half, half, 3);
  const Shape shapes[] = {convex_hull(corners), triangle_mesh(shell.vertices, shell.facets)};
  for (const Shape& shape : shapes) {
    const Pose at = sample.pose(1.0);
    DeformingShape points;
    for (int i = 0; i < 400; ++i) points.vertices.push_back(at * Vector3(sample.vector(0.6)));
    std::vector<double> gap(400, 1.0);
    for (const SurfaceContact& c : found({points}, {{shape, at, -1, 0}}, 0.05))
      gap[c.a.vertex] = c.gap;
    int near = 0;
    for (int v = 0; v < 400; ++v) {
      const double exact = distance(Box{half}, at.R.transpose() * (points.vertices[v] - at.x));
      if (std::abs(exact) > 0.05) continue;  // meshes are met to a depth of half a facet
      CHECK(gap[v] == doctest::Approx(exact).epsilon(1e-12));
      ++near;
    }
    CHECK(near > 20);
  }
  DeformingShape points;
  const Pose at = sample.pose(1.0);
  for (int i = 0; i < 50; ++i) points.vertices.push_back(sample.vector(2.0));
  int known = 0;
  for (const SurfaceContact& c : found({points}, {{Plane{}, at, -1, 0}}, 0.1)) {
    CHECK(c.gap == doctest::Approx(at.R.col(2).dot(points.vertices[c.a.vertex] - at.x)));
    CHECK((c.normal - at.R.col(2)).norm() < 1e-15);
    ++known;
  }
  CHECK(known > 10);
}

TEST_CASE("a ball, a corner and an edge touch the facets between vertices") {
  const DeformingShape s = sheet(2, 2.0);
  SUBCASE("a ball over a facet, and over none") {
    const Vector3 c(0.3, 0.2, 0.099);
    const auto contacts = found({s}, {{Sphere{0.1}, {c, Matrix3::Identity()}, -1, 0}}, 0.01);
    REQUIRE(contacts.size() == 1);
    CHECK(contacts[0].gap == doctest::Approx(-0.001));
    CHECK((contacts[0].normal + Vector3::UnitZ()).norm() < 1e-15);
    CHECK((place(s, contacts[0].a) - Vector3(0.3, 0.2, 0)).norm() < 1e-15);
    CHECK(
        found({s}, {{Sphere{0.1}, {{0.3, 0.2, -0.101}, Matrix3::Identity()}, -1, 0}}, 0.0).empty());
  }
  SUBCASE("a ball over a side that two facets share counts once") {
    const auto contacts =
        found({s}, {{Sphere{0.1}, {{0.5, 0.5, 0.1}, Matrix3::Identity()}, -1, 0}}, 0.01);
    CHECK(contacts.size() == 1);
  }
  SUBCASE("a ball over a vertex counts once") {
    const auto contacts =
        found({s}, {{Sphere{0.1}, {{1.0, 1.0, 0.1}, Matrix3::Identity()}, -1, 0}}, 0.01);
    REQUIRE(contacts.size() == 1);
    CHECK(contacts[0].a.vertex == 4);
  }
  SUBCASE("the lowest corner of a tilted box") {
    const Matrix3 R = turn_between(Vector3(-1, -1, -1), -Vector3::UnitZ()).toRotationMatrix();
    const double r = 0.1 * std::sqrt(3.0);
    const auto contacts =
        found({s}, {{Box{Vector3::Constant(0.1)}, {{0.6, 0.2, r - 0.002}, R}, -1, 0}}, 0.001);
    REQUIRE(contacts.size() == 1);
    CHECK(contacts[0].gap == doctest::Approx(-0.002));
    CHECK((place(s, contacts[0].a) - Vector3(0.6, 0.2, 0)).norm() < 1e-12);
  }
  SUBCASE("a box that lies flat has its corners and the vertices below it") {
    const auto contacts =
        found({s}, {{Box{{0.4, 0.3, 0.1}}, {{1.1, 1.05, 0.1}, Matrix3::Identity()}, -1, 0}}, 0.001);
    std::multiset<std::pair<double, double>> at;
    for (const SurfaceContact& c : contacts) {
      CHECK(c.gap == doctest::Approx(0.0));
      const Vector3 x = place(s, c.a);
      at.insert({std::round(1e6 * x.x()) / 1e6, std::round(1e6 * x.y()) / 1e6});
    }
    CHECK(at == std::multiset<std::pair<double, double>>{
                    {0.7, 0.75}, {0.7, 1.35}, {1.0, 1.0}, {1.5, 0.75}, {1.5, 1.35}});
  }
  SUBCASE("a roof edge across a ridge of the boundary surface") {
    DeformingShape ridge = s;
    for (Vector3& x : ridge.vertices)
      if (x.x() == 1.0) x.z() = 0.01;
    const Matrix3 R =
        Eigen::AngleAxisd(0.25 * 3.14159265358979323846, Vector3::UnitX()).toRotationMatrix();
    const double r = 0.1 * std::sqrt(2.0);
    const auto contacts =
        found({ridge}, {{Box{{0.8, 0.1, 0.1}}, {{1.0, 0.25, r + 0.009}, R}, -1, 0}}, 0.001);
    REQUIRE(contacts.size() == 1);
    CHECK(contacts[0].gap == doctest::Approx(-0.001).epsilon(1e-4));
    CHECK((place(ridge, contacts[0].a) - Vector3(1.0, 0.25, 0.01)).norm() < 1e-3);
  }
}

TEST_CASE("blocks that lie flush on each other touch by the faces they rest on") {
  for (const int cells : {1, 2, 5})
    for (const double depth : {0.0, 1e-12, 1e-6, -1e-6}) {
      CAPTURE(cells);
      CAPTURE(depth);
      const DeformingShape low = block({0, 0, 0}, {1, 1, 1}, cells);
      const DeformingShape high = block({0, 0, 1 - depth}, {1, 1, 2 - depth}, cells);
      const auto contacts = found({low, high}, {}, 1e-3);
      // vertices that are in one place count once
      CHECK(contacts.size() == static_cast<std::size_t>((cells + 1) * (cells + 1)));
      for (const SurfaceContact& c : contacts) {
        CHECK((c.normal + Vector3::UnitZ()).norm() < 1e-12);
        CHECK(c.gap == doctest::Approx(-depth));
      }
      const Collider box{
          Box{Vector3::Constant(0.5)}, {{0.5, 0.5, 1.5 - depth}, Matrix3::Identity()}, -1, 0};
      const auto on_box = found({low}, {box}, 1e-3);
      CHECK(on_box.size() == static_cast<std::size_t>((cells + 1) * (cells + 1)));
      for (const SurfaceContact& c : on_box) {
        CHECK((c.normal + Vector3::UnitZ()).norm() < 1e-12);
        CHECK(c.gap == doctest::Approx(-depth));
      }
    }
}

TEST_CASE("blocks of different meshes touch at the vertices of both") {
  const DeformingShape low = block({0, 0, 0}, {1, 1, 1}, 3);
  const DeformingShape high = block({0.1, 0.1, 1}, {0.9, 0.9, 2}, 4);
  const auto contacts = found({low, high}, {}, 1e-3);
  int of_low = 0, of_high = 0;
  for (const SurfaceContact& c : contacts) {
    CHECK((place(low, c.a) - place(high, c.b)).norm() < 1e-12);
    ++(c.a.vertex >= 0 ? of_low : of_high);
  }
  CHECK(of_low == 4);    // the inner ones
  CHECK(of_high == 25);  // all
}

TEST_CASE("bars that cross touch at the edges of both") {
  for (const double depth : {1e-3, -1e-3}) {
    const DeformingShape low = block({-1, -0.1, 0}, {1, 0.1, 0.2}, 1);
    const DeformingShape high = block({-0.1, -1, 0.2 - depth}, {0.1, 1, 0.4 - depth}, 1);
    const auto contacts = found({low, high}, {}, 2e-3);
    const auto on_mesh =
        found({low}, {{triangle_mesh(high.vertices, high.facets), {}, -1, 0}}, 2e-3);
    REQUIRE(contacts.size() == 4);
    REQUIRE(on_mesh.size() == 4);
    for (std::size_t i = 0; i < 4; ++i) {
      const SurfaceContact& c = contacts[i];
      CHECK(c.gap == doctest::Approx(-depth));
      CHECK((c.normal + Vector3::UnitZ()).norm() < 1e-12);
      const Vector3 x = place(low, c.a), y = place(high, c.b);
      CHECK((x.cwiseAbs() - Vector3(0.1, 0.1, 0.2)).norm() < 1e-12);
      CHECK((x - y - Vector3(0, 0, depth)).norm() < 1e-12);
      CHECK((place(low, on_mesh[i].a).cwiseAbs() - Vector3(0.1, 0.1, 0.2)).norm() < 1e-12);
    }
    CHECK(
        found({block({-1, -0.1, 0}, {1, 0.1, 0.2}, 1), block({-0.1, -1, 0.203}, {0.1, 1, 0.4}, 1)},
              {}, 2e-3)
            .empty());
  }
  // two edges at right angles, one above the other
  const double r = std::sqrt(0.5);
  DeformingShape low = block({-1, -1, -1}, {1, 1, 1}, 1), high = low;
  for (Vector3& x : low.vertices) x = {x.x(), r * (x.y() - x.z()), r * (x.y() + x.z())};
  for (Vector3& x : high.vertices)
    x = {r * (x.x() - x.z()) + 0.3, x.y(), r * (x.x() + x.z()) + 4 * r - 0.01};
  const auto contacts = found({low, high}, {}, 1e-3);
  REQUIRE(contacts.size() == 1);
  CHECK(contacts[0].gap == doctest::Approx(-0.01));
  CHECK((place(low, contacts[0].a) - Vector3(0.3, 0, 2 * r)).norm() < 1e-12);
}

TEST_CASE("a thin plate is met from the side that is near") {
  const double thick = 0.01;
  const DeformingShape plate = block({0, 0, 0}, {1, 1, thick}, 4);
  for (const double z : {-0.004, -0.001, 0.001, 0.002, 0.005, 0.008, 0.0095, 0.0105, 0.014}) {
    DeformingShape point;
    point.vertices = {{0.55, 0.45, z}};
    const auto contacts = found({plate, point}, {}, 0.002);
    const double above = z - thick, below = -z;
    const double exact = std::max(above, below);
    CAPTURE(z);
    if (exact > 0.002 || exact < -0.25 * thick) {
      CHECK(contacts.empty());
    } else {
      REQUIRE(contacts.size() == 1);
      CHECK(contacts[0].gap == doctest::Approx(exact));
      CHECK(contacts[0].normal.z() == (above > below ? -1.0 : 1.0));  // from the point to the plate
    }
  }
}

TEST_CASE("a point in a hollow edge is pushed out between its walls") {
  // two walls that meet at 120 degrees of free space along the axis y
  DeformingShape v;
  const double c = 0.5, s = std::sqrt(0.75);
  v.vertices = {{-s, 0, c}, {-s, 1, c}, {0, 0, 0}, {0, 1, 0}, {s, 0, c}, {s, 1, c}};
  v.facets = {{0, 2, 3}, {0, 3, 1}, {2, 4, 5}, {2, 5, 3}};
  DeformingShape point;
  point.vertices = {{0, 0.4, -0.01}};
  const auto contacts = found({v, point}, {}, 1e-3);
  REQUIRE(contacts.size() == 1);
  CHECK(contacts[0].gap == doctest::Approx(-0.01));
  CHECK(std::abs(contacts[0].normal.z()) == doctest::Approx(1.0));
}

TEST_CASE("keys stay while a block slides over the facets of another") {
  const DeformingShape low = block({0, 0, 0}, {1, 1, 0.2}, 7);
  const DeformingShape high = block({0.05, 0.07, 0.2}, {0.25, 0.27, 0.4}, 2);
  SurfaceDetector detector({low, high}, {}, 1e-3, 1, kAllMeet);
  const auto keys_of = [](const std::vector<SurfaceContact>& contacts) {
    std::set<std::uint64_t> keys;
    for (const SurfaceContact& c : contacts)
      if (c.b.vertex >= 0) keys.insert(c.key);
    return keys;
  };
  const std::set<std::uint64_t> first = keys_of(found(detector));
  CHECK(first.size() == 9);
  for (int step = 0; step < 1000; ++step) {
    for (Vector3& x : detector.vertices(1)) x += Vector3(6e-4, 5e-4, 0.0);
    const auto contacts = found(detector);
    REQUIRE(keys_of(contacts) == first);
    // no two contacts in one place
    std::set<std::pair<std::int64_t, std::int64_t>> places;
    for (const SurfaceContact& c : contacts) {
      const Vector3 x =
          c.a.vertex >= 0 ? detector.vertices(0)[c.a.vertex] : detector.vertices(1)[c.b.vertex];
      REQUIRE(places.insert({std::llround(1e7 * x.x()), std::llround(1e7 * x.y())}).second);
    }
  }
}

TEST_CASE("a strip that folds touches itself, a straight one does not") {
  // n rings of four vertices along a half circle whose legs come together
  const auto strip = [](double closing) {
    DeformingShape s;
    const int n = 60;
    const double thick = 0.02, width = 0.1, radius = 0.1, leg = 0.5;
    for (int i = 0; i <= n; ++i) {
      const double along = 2.0 * leg + 3.14159265358979323846 * radius, t = along * i / n;
      Vector3 x, out;  // the middle line, and across it
      if (t < leg) {
        x = {leg - t, 0, -radius + closing * (1 - t / leg)};
        out = -Vector3::UnitZ();
      } else if (t > along - leg) {
        x = {t - along + leg, 0, radius - closing * (1 - (along - t) / leg)};
        out = Vector3::UnitZ();
      } else {
        const double a = (t - leg) / radius;
        out = {-std::sin(a), 0, -std::cos(a)};
        x = radius * out;
      }
      for (const double across : {-0.5, 0.5})
        for (const double y : {-0.5, 0.5})
          s.vertices.push_back(x + across * thick * out + y * width * Vector3::UnitY());
    }
    const auto at = [](int ring, int k) { return 4 * ring + k; };
    for (int i = 0; i < n; ++i)
      for (const auto& [k, m] :
           {std::array{0, 1}, std::array{1, 3}, std::array{3, 2}, std::array{2, 0}}) {
        s.facets.push_back({at(i, k), at(i + 1, m), at(i + 1, k)});
        s.facets.push_back({at(i, k), at(i, m), at(i + 1, m)});
      }
    s.facets.push_back({at(0, 0), at(0, 3), at(0, 1)});
    s.facets.push_back({at(0, 0), at(0, 2), at(0, 3)});
    s.facets.push_back({at(n, 0), at(n, 1), at(n, 3)});
    s.facets.push_back({at(n, 0), at(n, 3), at(n, 2)});
    s.self = true;
    return s;
  };
  const DeformingShape start = strip(0.0);
  CHECK(triangle_mesh(start.vertices, start.facets)->closed);
  SurfaceDetector detector({start}, {}, 2e-3, 1, kAllMeet);
  CHECK(found(detector).empty());
  detector.vertices(0) = strip(0.0895).vertices;  // the ends 1 mm from each other
  const auto near = found(detector);
  CHECK(near.size() >= 2);
  detector.vertices(0) = strip(0.092).vertices;  // 4 mm into each other
  const auto deep = found(detector);
  CHECK(deep.size() >= near.size());
  const std::vector<Vector3> x = detector.vertices(0);
  double deepest = 0.0;
  for (const SurfaceContact& c : deep) {
    deepest = std::min(deepest, c.gap);
    CHECK(x[c.a.vertex].x() > 0.2);  // on the legs
    CAPTURE(c.a.vertex);
    CAPTURE(start.facets[c.b.facet][0]);
    CAPTURE(start.facets[c.b.facet][1]);
    CAPTURE(start.facets[c.b.facet][2]);
    CAPTURE(c.normal.transpose());
    CAPTURE(c.gap);
    CHECK(std::abs(c.normal.z()) > 0.9);
    const int other = start.facets[c.b.facet][0];  // of the other leg
    CHECK((c.a.vertex / 4 < 30) != (other / 4 < 30));
  }
  CHECK(deepest == doctest::Approx(-0.004).epsilon(0.05));
}

TEST_CASE("in a plane a corner, a disc and a vertex touch edges") {
  DeformingShape line;  // the outside, above, is on the right of the way back
  line.vertices = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
  line.facets = {{1, 0, -1}, {2, 1, -1}};
  const auto disc =
      found({line}, {{Sphere{0.1}, {{0.3, 0.099, 0}, Matrix3::Identity()}, -1, 0}}, 0.01);
  REQUIRE(disc.size() == 1);
  CHECK(disc[0].gap == doctest::Approx(-0.001));
  CHECK(disc[0].normal.y() == doctest::Approx(-1.0));
  CHECK(disc[0].a.weight.isApprox(Vector3(0.3, 0.7, 0.0)));
  const auto box =
      found({line}, {{Box{{0.2, 0.1, 0.5}}, {{1.5, 0.1, 0}, Matrix3::Identity()}, -1, 0}}, 0.01);
  REQUIRE(box.size() == 2);
  for (const SurfaceContact& c : box) {
    CHECK(c.gap == doctest::Approx(0.0));
    CHECK(c.normal.y() == doctest::Approx(-1.0));
    CHECK(c.a.facet == 1);
  }
  DeformingShape point;
  point.vertices = {{1.25, -0.01, 0}};
  const auto vertex = found({line, point}, {}, 0.01);
  REQUIRE(vertex.size() == 1);
  CHECK(vertex[0].gap == doctest::Approx(-0.01));
  CHECK(vertex[0].a.weight.isApprox(Vector3(0.25, 0.75, 0.0)));
}

TEST_CASE("materials that do not meet are left out") {
  DeformingShape low = block({0, 0, 0}, {1, 1, 1}, 2), high = block({0, 0, 1}, {1, 1, 2}, 2);
  high.material = 1;
  for (const char meets : {'\0', '\1'}) {
    SurfaceDetector detector({low, high}, std::vector<Collider>{}, 1e-3, 2, {1, meets, meets, 1});
    CHECK(found(detector).empty() == (meets == '\0'));
  }
}

}  // namespace

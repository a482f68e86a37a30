#include <doctest/doctest.h>

#include <functional>

#include "unit/shapes/shape_samples.h"

using namespace saltus;
using namespace saltus::samples;

namespace {

// Gauss rule of eight points on [-1, 1], exact for polynomials of degree 15.
constexpr std::array<double, 4> kNode{0.18343464249564980494, 0.52553240991632898582,
                                      0.79666647741362673959, 0.96028985649753623168};
constexpr std::array<double, 4> kWeight{0.36268378337836198297, 0.31370664587788728734,
                                        0.22238103445337447054, 0.10122853629037625915};

double integral(double low, double high, const std::function<double(double)>& f) {
  const double middle = 0.5 * (low + high), half = 0.5 * (high - low);
  double sum = 0.0;
  for (std::size_t k = 0; k < kNode.size(); ++k)
    sum += kWeight[k] * (f(middle - half * kNode[k]) + f(middle + half * kNode[k]));
  return half * sum;
}

// A solid by its slices z = const: ellipses or rectangles with half axes a(z), b(z).
struct Slices {
  const char* name;
  Shape shape;
  std::vector<double> parts;  // limits between which a^2 and b^2 are polynomials
  std::function<double(double)> a, b;
  bool rectangles = false;
};

//     V = int A dz,   int x^2 dV = int A a^2 m dz,   int z^2 dV = int A z^2 dz,   m = 1/4 (ellipse) or 1/3
SolidMoments by_slices(const Slices& s) {
  const auto area = [&](double z) {
    return (s.rectangles ? 4.0 : std::numbers::pi) * s.a(z) * s.b(z);
  };
  const double m = s.rectangles ? 1.0 / 3.0 : 0.25;
  double V = 0.0, xx = 0.0, yy = 0.0, zz = 0.0;
  for (std::size_t k = 0; k + 1 < s.parts.size(); ++k) {
    const auto sum = [&](const std::function<double(double)>& f) {
      return integral(s.parts[k], s.parts[k + 1], [&](double z) { return area(z) * f(z); });
    };
    V += sum([](double) { return 1.0; });
    xx += sum([&](double z) { return m * s.a(z) * s.a(z); });
    yy += sum([&](double z) { return m * s.b(z) * s.b(z); });
    zz += sum([](double z) { return z * z; });
  }
  SolidMoments result;
  result.volume = V;
  result.inertia.diagonal() << yy + zz, zz + xx, xx + yy;
  return result;
}

std::vector<Slices> solids() {
  const auto round = [](double r, double h) {
    return [=](double z) { return r * std::sqrt(1.0 - z * z / (h * h)); };
  };
  const auto capsule = [](double z) {
    const double over = std::max(std::abs(z) - 0.9, 0.0);
    return std::sqrt(0.4 * 0.4 - over * over);
  };
  const auto constant = [](double x) { return [=](double) { return x; }; };
  return {
      {"sphere", Sphere{0.7}, {-0.7, 0.7}, round(0.7, 0.7), round(0.7, 0.7)},
      {"ellipsoid", Ellipsoid{{0.3, 1.1, 0.6}}, {-0.6, 0.6}, round(0.3, 0.6), round(1.1, 0.6)},
      {"capsule", Capsule{0.4, 0.9}, {-1.3, -0.9, 0.9, 1.3}, capsule, capsule},
      {"cylinder", Cylinder{0.4, 0.9}, {-0.9, 0.9}, constant(0.4), constant(0.4)},
      {"box", Box{{0.3, 1.1, 0.6}}, {-0.6, 0.6}, constant(0.3), constant(1.1), true},
  };
}

// Inscribed polyhedra of a solid of revolution with n rings and 4 n points around.
struct Revolved {
  const char* name;
  Shape shape;
  std::function<std::vector<std::array<double, 2>>(int)> profile;
};

std::vector<Revolved> revolutions() {
  const auto arc = [](double r, double z, double h, int n, double from, double to, auto& out) {
    for (int k = 0; k <= n; ++k) {
      const double a = from + (to - from) * k / n;
      out.push_back({r * std::cos(a), z + h * std::sin(a)});
    }
  };
  const double quarter = std::numbers::pi / 2.0;
  return {
      {"ellipsoid", Ellipsoid{{0.7, 0.7, 1.2}},
       [=](int n) {
         std::vector<std::array<double, 2>> p;
         arc(0.7, 0.0, 1.2, 2 * n, -quarter, quarter, p);
         return p;
       }},
      {"capsule", Capsule{0.5, 0.8},
       [=](int n) {
         std::vector<std::array<double, 2>> p;
         arc(0.5, -0.8, 0.5, n, -quarter, 0.0, p);
         arc(0.5, 0.8, 0.5, n, 0.0, quarter, p);
         return p;
       }},
      {"cylinder", Cylinder{0.5, 0.8},
       [](int) {
         return std::vector<std::array<double, 2>>{
             {0.0, -0.8}, {0.5, -0.8}, {0.5, 0.8}, {0.0, 0.8}};
       }},
  };
}

Eigen::Vector4d numbers(const SolidMoments& m) {
  return {m.volume, m.inertia(0, 0), m.inertia(1, 1), m.inertia(2, 2)};
}

// The sums over tetrahedra from one point in long double, without any care.
SolidMoments long_sums(const Surface& s) {
  using Long3 = Eigen::Matrix<long double, 3, 1>;
  const Long3 origin = s.vertices[0].cast<long double>();
  long double V = 0.0L;
  Long3 first = Long3::Zero();
  Eigen::Matrix<long double, 3, 3> second = Eigen::Matrix<long double, 3, 3>::Zero();
  for (const auto& t : s.triangles) {
    const Long3 a = s.vertices[t[0]].cast<long double>() - origin;
    const Long3 b = s.vertices[t[1]].cast<long double>() - origin;
    const Long3 c = s.vertices[t[2]].cast<long double>() - origin;
    const Long3 sum = a + b + c;
    const long double d = a.dot(b.cross(c));
    V += d / 6.0L;
    first += d / 24.0L * sum;
    second += d / 120.0L *
              (a * a.transpose() + b * b.transpose() + c * c.transpose() + sum * sum.transpose());
  }
  const Long3 centre = first / V;
  second -= V * centre * centre.transpose();
  SolidMoments m;
  m.volume = static_cast<double>(V);
  m.centre = (origin + centre).cast<double>();
  m.inertia =
      (second.trace() * Eigen::Matrix<long double, 3, 3>::Identity() - second).cast<double>();
  return m;
}

// Coordinates as multiples of 2^-20, so that moving them by whole numbers is exact.
Surface rounded(Surface s) {
  for (Vector3& x : s.vertices) x = 0x1p-20 * (0x1p20 * x).array().round();
  return s;
}

}  // namespace

TEST_CASE("moments of round shapes and boxes are the integrals over their slices") {
  for (const Slices& s : solids()) {
    CAPTURE(s.name);
    const SolidMoments m = moments(s.shape), expected = by_slices(s);
    CHECK(difference(m, expected, 1.0) <= 1e-15);
    CHECK(m.centre.norm() == 0.0);
    CHECK((m.euler() - m.euler().transpose()).norm() == 0.0);
    CHECK(m.euler().trace() == doctest::Approx(0.5 * m.inertia.trace()).epsilon(1e-15));
  }
}

TEST_CASE("inscribed polyhedra tend to the closed forms with order two and even powers") {
  for (const Revolved& r : revolutions()) {
    CAPTURE(r.name);
    const Eigen::Vector4d exact = numbers(moments(r.shape));
    std::array<Eigen::Vector4d, 4> m;
    for (std::size_t k = 0; k < m.size(); ++k) {
      const int n = 8 << k;
      m[k] = numbers(moments(revolved(r.profile(n), 4 * n).mesh()));
    }
    const Eigen::Array4d order =
        ((m[2] - exact).cwiseQuotient(m[3] - exact)).array().log() / std::log(2.0);
    CHECK(order.minCoeff() >= 1.99);
    CHECK(order.maxCoeff() <= 2.01);
    // error c2 n^-2 + c4 n^-4 + c6 n^-6 + ...
    double weight = 4.0;
    for (std::size_t level = 1; level < m.size(); ++level, weight *= 4.0)
      for (std::size_t k = m.size() - 1; k >= level; --k)
        m[k] += (m[k] - m[k - 1]) / (weight - 1.0);
    CHECK((m[3] - exact).cwiseQuotient(exact).cwiseAbs().maxCoeff() <= 1e-11);
  }
}

TEST_CASE("a box, its hull and its mesh have the same moments") {
  Random random(3);
  for (int k = 0; k < 200; ++k) {
    const Vector3 half(random.between(0.1, 2), random.between(0.1, 2), random.between(0.1, 2));
    const Surface s = box_surface(half);
    const SolidMoments exact = moments(Box{half});
    CHECK(difference(moments(convex_hull(s.vertices)), exact, half.norm()) <= 1e-15);
    CHECK(difference(moments(s.mesh()), exact, half.norm()) <= 1e-15);
  }
}

TEST_CASE("moments of a polyhedron keep 14 digits far from the origin") {
  for (Surface s : {rounded(torus(1.0, 0.3, 40, 24)), rounded(box_surface({1.0, 0.4, 0.05}))}) {
    const SolidMoments expected = long_sums(s);
    CHECK(difference(moments(s.mesh()), expected, 1.0) <= 1e-14);
    for (const Vector3& place :
         {Vector3(1e3, -2e3, 5e2), Vector3(1e6, 3e6, -2e6), Vector3(3e8, 0.0, 1e8)}) {
      Surface far = s;
      for (Vector3& x : far.vertices) x += place;
      SolidMoments m = moments(far.mesh());
      CHECK((m.centre - place - expected.centre).norm() <= 2e-16 * place.norm());
      m.centre = expected.centre;
      CHECK(difference(m, expected, 1.0) <= 1e-14);
    }
  }
}

TEST_CASE("moments of a mesh of a hundred thousand triangles keep 14 digits") {
  std::vector<std::array<double, 2>> profile;
  for (int k = 0; k <= 224; ++k) {
    const double a = std::numbers::pi * (k / 224.0 - 0.5);
    profile.push_back({std::cos(a), 2.0 * std::sin(a)});
  }
  const Surface s = revolved(profile, 224);
  REQUIRE(s.triangles.size() > 99000);
  CHECK(difference(moments(s.mesh()), long_sums(s), 1.0) <= 1e-14);
}

TEST_CASE("moments turn and move with the points of a hull and of a mesh") {
  Random random(5);
  for (int k = 0; k < 50; ++k) {
    std::vector<Vector3> points;
    for (int i = 0; i < 40; ++i) points.push_back(random.in_cube());
    Surface s = torus(1.0, 0.3, 12, 8);
    const Pose at = random.pose(3.0);
    const SolidMoments hull = moments(convex_hull(points)), mesh = moments(s.mesh());
    for (Vector3& x : points) x = at * x;
    for (Vector3& x : s.vertices) x = at * x;
    const auto moved = [&](const SolidMoments& m) {
      return SolidMoments{m.volume, at * m.centre, at.R * m.inertia * at.R.transpose()};
    };
    CHECK(difference(moments(convex_hull(points)), moved(hull), 1.0) <= 1e-14);
    CHECK(difference(moments(s.mesh()), moved(mesh), 1.0) <= 1e-14);
  }
}

TEST_CASE("a cavity takes its volume and inertia away") {
  Surface s = box_surface({1.0, 1.2, 1.4});
  Surface hole = box_surface({0.5, 0.5, 0.5}, {0.2, 0.0, 0.0});
  turn_inside_out(hole);
  for (auto& t : hole.triangles) s.triangles.push_back({t[0] + 8, t[1] + 8, t[2] + 8});
  s.vertices.insert(s.vertices.end(), hole.vertices.begin(), hole.vertices.end());
  SolidMoments inner = moments(Box{{0.5, 0.5, 0.5}});
  inner.volume = -inner.volume;
  inner.inertia = -inner.inertia;
  const std::array pieces{moments(Box{{1.0, 1.2, 1.4}}), inner};
  const std::array at{Pose{}, Pose{{0.2, 0.0, 0.0}, Matrix3::Identity()}};
  CHECK(difference(moments(s.mesh()), joined(pieces, at), 1.0) <= 1e-15);
}

TEST_CASE("pieces of a solid join to the whole, wherever and however it lies") {
  Random random(7);
  const Vector3 half(0.7, 0.4, 1.3);
  const std::array pieces{moments(Box{{0.7, 0.4, 0.5}}), moments(Box{{0.7, 0.4, 0.8}})};
  for (int k = 0; k < 100; ++k) {
    const Pose at = random.pose(k < 50 ? 1.0 : 1e6);
    const std::array poses{at * Pose{{0, 0, -0.8}, Matrix3::Identity()},
                           at * Pose{{0, 0, 0.5}, Matrix3::Identity()}};
    SolidMoments whole = moments(Box{half});
    whole.inertia = at.R * whole.inertia * at.R.transpose();
    whole.centre = at.x;
    // the places of the pieces carry the round-off of a large number
    CHECK(difference(joined(pieces, poses), whole, 1.0 + at.x.norm()) <=
          4e-15 + 4e-16 * at.x.norm());
  }
  const SolidMoments one = moments(Capsule{0.2, 0.5});
  const std::array twice{one, one};
  const std::array same{Pose{}, Pose{}};
  CHECK(joined(twice, same).volume == 2.0 * one.volume);
  CHECK_THROWS_AS(joined({}, {}), UsageError);
}

TEST_CASE("a shape without a volume says why it has no moments") {
  CHECK(fault([] { moments(Plane{}); }) == "a plane has no volume");
  HeightField field{2, 2, 1.0, 1.0, 0.0, 0.0, {0.0, 0.0, 0.0, 1.0}};
  CHECK(fault([&] { moments(height_field(field)); }) == "a height field has no volume");

  Surface open = box_surface({1, 1, 1});
  open.triangles.pop_back();
  CHECK(fault([&] { moments(open.mesh()); }) ==
        "the mesh has no volume: 3 edges are open, the first from vertex 1 to vertex 5");
  Surface inside_out = box_surface({1, 1, 1});
  turn_inside_out(inside_out);
  CHECK(fault([&] { moments(inside_out.mesh()); }) ==
        "the mesh is turned inside out (volume -8 m^3): order the corners of triangles "
        "counter-clockwise as seen from outside");
  Surface sheet{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}, {0, 2, 1}}};
  CHECK(fault([&] { moments(sheet.mesh()); }) == "the mesh encloses no volume");
}

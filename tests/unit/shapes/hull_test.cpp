#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <map>
#include <thread>

#include "unit/shapes/shape_samples.h"

using namespace saltus;
using namespace saltus::samples;

namespace {

using Hull = std::shared_ptr<const ConvexHull>;

struct Counts {
  int vertices, edges, faces;
  bool operator==(const Counts&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Counts& c) {
  return out << c.vertices << " - " << c.edges << " + " << c.faces;
}

Counts counts(const ConvexHull& hull) {
  return {static_cast<int>(hull.vertices.size()), static_cast<int>(hull.edge.size()), hull.faces()};
}

double size_of(const std::vector<Vector3>& points) {
  double size = 0.0;
  for (const Vector3& x : points) size = std::max(size, (x - points[0]).norm());
  return size;
}

// How far the farthest of points is in front of a face.
double outside(const ConvexHull& hull, const std::vector<Vector3>& points) {
  double most = -1.0;
  for (int f = 0; f < hull.faces(); ++f)
    for (const Vector3& x : points) most = std::max(most, hull.normal[f].dot(x) - hull.offset[f]);
  return most;
}

// How far the corners of faces are behind their planes.
double unevenness(const ConvexHull& hull) {
  double most = 0.0;
  for (int f = 0; f < hull.faces(); ++f)
    for (int k = hull.first[f]; k < hull.first[f + 1]; ++k)
      most = std::max(most, hull.offset[f] - hull.normal[f].dot(hull.vertices[hull.corner[k]]));
  return most;
}

// The tables of a hull belong together: order, edges between the faces that name them, Euler's formula.
void check_tables(const ConvexHull& hull) {
  const auto before = [](const Vector3& a, const Vector3& b) {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
  };
  CHECK(std::is_sorted(hull.vertices.begin(), hull.vertices.end(), before));
  const auto [V, E, F] = counts(hull);
  CHECK(V - E + F == 2);
  REQUIRE(hull.first.size() == hull.normal.size() + 1);
  REQUIRE(hull.first.back() == static_cast<int>(hull.corner.size()));
  REQUIRE(hull.corner.size() == 2 * hull.edge.size());
  std::map<std::array<int, 2>, int> face_along;
  std::vector<int> faces_at(hull.vertices.size(), 0);
  Vector3 middle = Vector3::Zero();
  for (const Vector3& x : hull.vertices) middle += x / V;
  for (int f = 0; f < F; ++f) {
    const int first = hull.first[f], count = hull.first[f + 1] - first;
    CHECK(count >= 3);
    CHECK(std::abs(hull.normal[f].norm() - 1.0) <= 4e-16);
    CHECK(hull.normal[f].dot(middle) < hull.offset[f]);
    Vector3 area = Vector3::Zero();
    for (int k = 0; k < count; ++k) {
      const int i = hull.corner[first + k], j = hull.corner[first + (k + 1) % count];
      CHECK(i >= hull.corner[first]);
      CHECK(face_along.emplace(std::array{i, j}, f).second);
      ++faces_at[i];
      area += (hull.vertices[i] - hull.vertices[hull.corner[first]])
                  .cross(hull.vertices[j] - hull.vertices[hull.corner[first]]);
    }
    CHECK(area.dot(hull.normal[f]) > 0.0);
  }
  CHECK(*std::min_element(faces_at.begin(), faces_at.end()) >= 3);
  CHECK(std::is_sorted(hull.edge.begin(), hull.edge.end()));
  for (std::size_t e = 0; e < hull.edge.size(); ++e) {
    const auto [i, j] = hull.edge[e];
    CHECK(i < j);
    CHECK(face_along.at({i, j}) == hull.edge_faces[e][0]);
    CHECK(face_along.at({j, i}) == hull.edge_faces[e][1]);
  }
  double radius = 0.0;
  for (const Vector3& x : hull.vertices) radius = std::max(radius, x.norm());
  CHECK(hull.radius == doctest::Approx(radius).epsilon(1e-15));
}

bool same_bits(const ConvexHull& a, const ConvexHull& b) {
  return a.vertices == b.vertices && a.first == b.first && a.corner == b.corner &&
         a.normal == b.normal && a.offset == b.offset && a.edge == b.edge &&
         a.edge_faces == b.edge_faces && a.radius == b.radius;
}

std::vector<Vector3> box_grid(const Vector3& half, int cells) {
  std::vector<Vector3> points;
  for (int i = 0; i <= cells; ++i)
    for (int j = 0; j <= cells; ++j)
      for (int k = 0; k <= cells; ++k)
        points.push_back(half.cwiseProduct(
            Vector3(2.0 * i / cells - 1.0, 2.0 * j / cells - 1.0, 2.0 * k / cells - 1.0)));
  return points;
}

std::vector<Vector3> prism(int sides, double half_height) {
  std::vector<Vector3> points;
  for (int k = 0; k < sides; ++k)
    for (double z : {-half_height, 0.0, half_height}) {
      const double a = 2.0 * std::numbers::pi * k / sides;
      points.emplace_back(std::cos(a), std::sin(a), z);
    }
  return points;
}

std::vector<Vector3> dodecahedron() {
  const double g = 0.5 * (1.0 + std::sqrt(5.0));
  std::vector<Vector3> points = box_surface({1, 1, 1}).vertices;
  for (double s : {-1.0, 1.0})
    for (double t : {-g, g}) {
      points.emplace_back(0.0, s / g, t);
      points.emplace_back(s / g, t, 0.0);
      points.emplace_back(t, 0.0, s / g);
    }
  return points;
}

struct Solid {
  std::string name;
  std::vector<Vector3> points;
  Counts counts;
};

std::vector<Solid> solids() {
  return {
      {"tetrahedron", {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}, {0, 0, 0}}, {4, 6, 4}},
      {"cube", box_grid({1, 1, 1}, 4), {8, 12, 6}},
      {"brick", box_grid({0.25, 0.12, 0.06}, 3), {8, 12, 6}},
      {"plate", box_grid({1.0, 0.7, 1e-4}, 2), {8, 12, 6}},
      {"thin plate", box_grid({1.0, 0.7, 1e-7}, 2), {8, 12, 6}},
      {"rod", box_grid({1.0, 1e-4, 1e-4}, 3), {8, 12, 6}},
      {"octahedron",
       {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}, {0.5, 0.5, 0}},
       {6, 12, 8}},
      {"dodecahedron", dodecahedron(), {20, 30, 12}},
      {"prism of 7 sides", prism(7, 0.3), {14, 21, 9}},
      {"prism of 100 sides", prism(100, 0.3), {200, 300, 102}},
  };
}

// What a piece of code writes to the two streams of the process.
class Silence {
 public:
  Silence() : file_(std::tmpfile()) {
    std::fflush(stdout);
    std::fflush(stderr);
    for (int k = 0; k < 2; ++k) {
      kept_[k] = dup(k + 1);
      dup2(fileno(file_), k + 1);
    }
  }
  long end() {
    std::fflush(stdout);
    std::fflush(stderr);
    for (int k = 0; k < 2; ++k) {
      dup2(kept_[k], k + 1);
      close(kept_[k]);
    }
    std::fseek(file_, 0, SEEK_END);
    const long written = std::ftell(file_);
    std::fclose(file_);
    return written;
  }

 private:
  std::FILE* file_;
  std::array<int, 2> kept_{};
};

}  // namespace

TEST_CASE("the hull of a known solid has its corners, edges and faces, however it lies") {
  Random random(1);
  for (const Solid& s : solids())
    for (int k = 0; k < 30; ++k) {
      CAPTURE(s.name);
      CAPTURE(k);
      const Pose at = k == 0 ? Pose{} : random.pose(k < 20 ? 1.0 : 100.0);
      const double scale = k % 3 == 1 ? 1e-20 : k % 3 == 2 ? 1e20 : 1.0;
      std::vector<Vector3> points;
      for (const Vector3& X : s.points) points.push_back(scale * (at * X));
      const Hull hull = convex_hull(points);
      CHECK(counts(*hull) == s.counts);
      check_tables(*hull);
      // the points themselves are known up to the round-off of their places
      const double round_off = 1e-15 * (size_of(points) + scale * at.x.norm());
      CHECK(outside(*hull, points) <= 4.0 * round_off);
      CHECK(unevenness(*hull) <= 4.0 * round_off);
    }
}

TEST_CASE("the faces of a box lie exactly along the axes") {
  const Vector3 half(0.3, 0.7, 1.1);
  const Hull hull = convex_hull(box_grid(half, 4));
  for (int f = 0; f < 6; ++f) {
    const Vector3& n = hull->normal[f];
    CHECK(n.lpNorm<1>() == 1.0);
    CHECK(hull->offset[f] == n.cwiseAbs().dot(half));
    CHECK(hull->first[f + 1] - hull->first[f] == 4);
  }
}

TEST_CASE("the hull of random points holds them all") {
  Random random(2);
  for (int k = 0; k < 20; ++k) {
    std::vector<Vector3> points;
    for (int i = 0; i < 1000; ++i)
      points.push_back(k % 2 == 0 ? random.in_cube() : random.direction());
    const Hull hull = convex_hull(points);
    check_tables(*hull);
    CHECK(outside(*hull, points) <= 2e-15);
    CHECK(unevenness(*hull) <= 2e-15);
    if (k % 2 == 1) CHECK(counts(*hull) == Counts{1000, 2994, 1996});
    for (const Vector3& x : hull->vertices)
      CHECK(std::find(points.begin(), points.end(), x) != points.end());
  }
}

TEST_CASE("the order of the points, and points that repeat, change no bit of the hull") {
  Random random(3);
  for (const Solid& s : solids()) {
    CAPTURE(s.name);
    const Pose at = random.pose(1.0);
    std::vector<Vector3> points;
    for (const Vector3& X : s.points) points.push_back(at * X);
    const Hull hull = convex_hull(points);
    std::mt19937_64 bits(4);
    for (int k = 0; k < 5; ++k) {
      points.push_back(points[k % points.size()]);
      std::shuffle(points.begin(), points.end(), bits);
      CHECK(same_bits(*convex_hull(points), *hull));
    }
  }
}

TEST_CASE("hulls made in several threads at once are those made one by one") {
  Random random(5);
  std::vector<std::vector<Vector3>> clouds(24);
  for (auto& points : clouds)
    for (int i = 0; i < 300; ++i) points.push_back(random.in_cube());
  std::vector<Hull> hulls(clouds.size());
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 3; ++t)
    threads.emplace_back([&, t] {
      for (std::size_t k = t; k < clouds.size(); k += 3) hulls[k] = convex_hull(clouds[k]);
    });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t k = 0; k < clouds.size(); ++k)
    CHECK(same_bits(*hulls[k], *convex_hull(clouds[k])));
}

TEST_CASE("noise below the flatness of faces does not split them, and clusters become corners") {
  Random random(6);
  for (double noise : {1e-16, 1e-15, 1e-14, 1e-13, 1e-12, 1e-11, 1e-10})
    for (int k = 0; k < 20; ++k) {
      CAPTURE(noise);
      const Pose at = random.pose(1.0);
      std::vector<Vector3> grid, clusters;
      for (const Vector3& X : box_grid({1, 1, 1}, 4))
        grid.push_back(at * (X + noise * random.in_cube()));
      for (const Vector3& X : box_surface({1, 1, 1}).vertices)
        for (int i = 0; i < 15; ++i) clusters.push_back(at * (X + noise * random.in_cube()));
      for (const auto& points : {grid, clusters}) {
        const Hull hull = convex_hull(points);
        CHECK(counts(*hull) == Counts{8, 12, 6});
        CHECK(outside(*hull, points) <= 20.0 * noise + 4e-15);
      }
    }
}

TEST_CASE("points with noise of any size have a hull that holds them, and nothing is printed") {
  Random random(7);
  Silence silence;
  std::vector<std::string> faults;
  double most = 0.0;
  for (int k = 0; k < 1000; ++k) {
    const double noise = std::pow(10.0, random.between(-17.0, -2.0));
    const Pose at = random.pose(k % 3 == 0 ? 1e3 : 1.0);
    std::vector<Vector3> points;
    if (k % 4 == 0)
      for (const Vector3& X : box_surface({1, 1, 1}).vertices)
        for (int i = 0; i < 20; ++i) points.push_back(at * (X + noise * random.in_cube()));
    else if (k % 4 == 1)
      for (const Vector3& X : prism(40, 0.5)) points.push_back(at * ((1.0 + noise) * X));
    else if (k % 4 == 2)
      for (const Vector3& X : box_grid({1, 0.7, 0.1}, 3))
        points.push_back(at * (X + noise * random.in_cube()));
    else
      for (int i = 0; i < 60; ++i)
        points.push_back(at * Vector3(random.in_cube().cwiseProduct(Vector3(1, 1, noise))));
    const std::string text =
        fault([&] { most = std::max(most, outside(*convex_hull(points), points)); });
    if (!text.empty() && !(k % 4 == 3 && text == "the points of the convex hull lie in a plane"))
      faults.push_back(text);
  }
  CHECK(silence.end() == 0);
  CHECK(faults == std::vector<std::string>{});
  CHECK(most <= 2e-9);
}

TEST_CASE("points without a hull say what they lack") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const auto text = [](std::vector<Vector3> points) { return fault([&] { convex_hull(points); }); };
  CHECK(text({}) == "a convex hull needs at least 4 points, not 0");
  CHECK(text({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}) == "a convex hull needs at least 4 points, not 3");
  CHECK(text({{0, 0, 0}, {1, 0, 0}, {0, nan, 0}, {0, 0, 1}}) ==
        "vertex 2 is (0, nan, 0): coordinates must be finite and at most 1e50 m");
  CHECK(text({{0, 0, 0}, {1, 0, infinity}, {0, 1, 0}, {0, 0, 1}}) ==
        "vertex 1 is (1, 0, inf): coordinates must be finite and at most 1e50 m");
  CHECK(text({{0, 0, 0}, {1e60, 0, 0}, {0, 1, 0}, {0, 0, 1}}) ==
        "vertex 1 is (1e+60, 0, 0): coordinates must be finite and at most 1e50 m");
  CHECK(text({{1, 2, 3}, {1, 2, 3}, {1, 2, 3}, {1, 2, 3}}) ==
        "all points of the convex hull coincide");
  Random random(8);
  std::vector<Vector3> line, plane;
  const Pose at = random.pose(10.0);
  for (int i = 0; i < 30; ++i) {
    line.push_back(at * Vector3(random.between(-1, 1), 0, 0));
    plane.push_back(at * Vector3(random.between(-1, 1), random.between(-1, 1), 0));
  }
  CHECK(text(line) == "the points of the convex hull lie on a line");
  CHECK(text(plane) == "the points of the convex hull lie in a plane");
}

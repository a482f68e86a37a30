#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <set>

#include "unit/shapes/shape_samples.h"

using namespace saltus;
using namespace saltus::samples;

namespace {

const double kNaN = std::numeric_limits<double>::quiet_NaN();

bool inside(const Vector3& x, const TriangleMesh::Node& node) {
  return (x - node.low).minCoeff() >= 0.0 && (node.high - x).minCoeff() >= 0.0;
}

// Every triangle is in one leaf, boxes hold what is below them and are no larger, children halve.
int check_tree(const TriangleMesh& mesh, int node, std::vector<int>& seen) {
  const TriangleMesh::Node& at = mesh.tree[node];
  if (at.count > 0) {
    CHECK(at.count <= 4);
    Vector3 low = Vector3::Constant(1e300), high = -low;
    for (int k = at.first; k < at.first + at.count; ++k) {
      ++seen[mesh.order[k]];
      if (k > at.first) CHECK(mesh.order[k - 1] < mesh.order[k]);
      for (int v : mesh.triangles[mesh.order[k]]) {
        low = low.cwiseMin(mesh.vertices[v]);
        high = high.cwiseMax(mesh.vertices[v]);
      }
    }
    CHECK(low == at.low);
    CHECK(high == at.high);
    return at.count;
  }
  CHECK(at.first > node);
  const TriangleMesh::Node &a = mesh.tree[at.first], &b = mesh.tree[at.first + 1];
  CHECK(at.low == a.low.cwiseMin(b.low));
  CHECK(at.high == a.high.cwiseMax(b.high));
  const int left = check_tree(mesh, at.first, seen), right = check_tree(mesh, at.first + 1, seen);
  CHECK(std::abs(left - right) <= 1);
  return left + right;
}

}  // namespace

TEST_CASE("in a closed mesh each triangle's neighbours run along its edges the other way") {
  for (const Surface& s : {box_surface({1, 2, 3}), torus(1.0, 0.3, 20, 12)}) {
    const auto mesh = s.mesh();
    CHECK(mesh->closed);
    CHECK(why_open(*mesh).empty());
    for (std::size_t t = 0; t < mesh->triangles.size(); ++t)
      for (int k = 0; k < 3; ++k) {
        const int beside = mesh->neighbour[t][k];
        REQUIRE(beside >= 0);
        const auto& other = mesh->triangles[beside];
        const int from = mesh->triangles[t][k], to = mesh->triangles[t][(k + 1) % 3];
        bool found = false;
        for (int l = 0; l < 3; ++l) found |= other[l] == to && other[(l + 1) % 3] == from;
        CHECK(found);
      }
  }
}

TEST_CASE("a mesh that is not closed tells which edges are at fault") {
  Surface s = box_surface({1, 1, 1});
  const auto text = [&] { return why_open(*s.mesh()); };
  const auto whole = s.triangles;

  s.triangles.erase(s.triangles.begin());
  CHECK_FALSE(s.mesh()->closed);
  CHECK(text() == "3 edges are open, the first from vertex 0 to vertex 2");
  CHECK(std::ranges::count(s.mesh()->neighbour[0], -1) == 1);

  s.triangles = whole;
  std::swap(s.triangles[0][1], s.triangles[0][2]);
  CHECK(
      text() ==
      "3 edges lie between triangles of opposite orientation, the first from vertex 0 to vertex 2");
  CHECK(s.mesh()->neighbour[0] == std::array{-1, -1, -1});

  s.triangles = whole;
  s.vertices.emplace_back(0.0, -3.0, 0.0);
  s.triangles.push_back({0, 8, 1});
  CHECK(text() ==
        "2 edges are open, the first from vertex 0 to vertex 8; 1 edge belongs to more than two "
        "triangles, from vertex 0 to vertex 1");

  Surface apart;  // three corners of its own for every triangle
  for (const auto& t : whole) {
    const int n = static_cast<int>(apart.vertices.size());
    apart.triangles.push_back({n, n + 1, n + 2});
    for (int v : t) apart.vertices.push_back(s.vertices[v]);
  }
  CHECK(why_open(*apart.mesh()) ==
        "36 edges are open, the first from vertex 0 to vertex 1; 28 vertices coincide with another "
        "one");
}

TEST_CASE("bad meshes name the vertex or the triangle") {
  const auto text = [](std::vector<Vector3> vertices, Triangles triangles) {
    return fault([&] { triangle_mesh(vertices, triangles); });
  };
  const std::vector<Vector3> three{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  CHECK(text(three, {}) == "the mesh has no triangles");
  CHECK(text({{0, 0, 0}, {1, 0, kNaN}, {0, 1, 0}}, {{0, 1, 2}}) ==
        "vertex 1 is (1, 0, nan): coordinates must be finite and at most 1e50 m");
  CHECK(text(three, {{0, 1, 2}, {0, 1, 3}}) ==
        "triangle 1 names vertex 3, but there are 3 vertices");
  CHECK(text(three, {{0, -1, 2}}) == "triangle 0 names vertex -1, but there are 3 vertices");
  CHECK(text(three, {{0, 1, 2}, {0, 1, 1}}) ==
        "triangle 1 between the vertices 0, 1 and 1 has no area");
  CHECK(text({{0, 0, 0}, {1, 0, 0}, {0.5, 1e-13, 0}}, {{0, 1, 2}}) ==
        "triangle 0 between the vertices 0, 1 and 2 has no area");
  for (double scale : {1e-30, 1.0, 1e30})
    CHECK(text({{0, 0, 0}, {scale, 0, 0}, {0.5 * scale, 1e-11 * scale, 0}}, {{0, 1, 2}}).empty());
}

TEST_CASE("normals of narrow triangles are normal to both sides") {
  Random random(21);
  for (int k = 0; k < 1000; ++k) {
    const double width = std::pow(10.0, random.between(-9.0, 0.0));
    const Matrix3 R = random.rotation();
    const std::vector<Vector3> v{R * Vector3(-1, 0, 0), R * Vector3(1, 0, 0),
                                 R * Vector3(random.between(-1, 1), width, 0)};
    const auto mesh = triangle_mesh(v, {{0, 1, 2}});
    const Vector3& n = mesh->normal[0];
    CHECK(std::abs(n.norm() - 1.0) <= 4e-16);
    for (int i = 0; i < 3; ++i) CHECK(std::abs(n.dot(v[i] - v[0])) <= 1e-15);
    CHECK(n.dot(R.col(2)) > 0.9);
  }
}

TEST_CASE("the tree of boxes holds every triangle once, whatever the mesh") {
  Surface heap;  // many triangles in one place
  for (int k = 0; k < 100; ++k) {
    heap.vertices.insert(heap.vertices.end(), {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}});
    heap.triangles.push_back({3 * k, 3 * k + 1, 3 * k + 2});
  }
  for (const Surface& s : {box_surface({1, 2, 3}), torus(1.0, 0.3, 50, 33), heap}) {
    const auto mesh = s.mesh();
    std::vector<int> seen(mesh->triangles.size(), 0);
    CHECK(check_tree(*mesh, 0, seen) == static_cast<int>(seen.size()));
    CHECK(std::ranges::count(seen, 1) == static_cast<std::ptrdiff_t>(seen.size()));
    for (const Vector3& x : mesh->vertices) CHECK(inside(x, mesh->tree[0]));
  }
}

TEST_CASE("a mesh is convex if and only if it is the surface of its hull") {
  Random random(22);
  const std::vector<std::array<double, 2>> ball{{0.0, -1.0},  {0.6, -0.8}, {0.96, -0.28},
                                                {0.96, 0.28}, {0.6, 0.8},  {0.0, 1.0}};
  for (int k = 0; k < 20; ++k) {
    const Pose at = random.pose(k < 10 ? 1.0 : 100.0);
    for (Surface s : {box_surface({1, 0.5, 1e-3}), revolved(ball, 12)}) {
      const Surface own = s;
      const auto placed = [&] {
        Surface p = s;
        for (Vector3& x : p.vertices) x = at * x;
        return p.mesh();
      };
      CHECK(is_convex(*placed()));
      const double size = 2.0;
      s.vertices[0] += 0.9e-9 * size * Vector3(0, 0, 1) * (s.vertices[0].z() < 0.0 ? 1 : -1);
      CHECK(is_convex(*placed()));
      s = own;
      turn_inside_out(s);
      CHECK_FALSE(is_convex(*placed()));
      s = own;
      s.triangles.pop_back();
      CHECK_FALSE(is_convex(*placed()));
    }
    // a dent: the middle of a face goes in
    Surface dented = box_surface({1, 1, 1});
    dented.triangles.erase(dented.triangles.begin() + 2, dented.triangles.begin() + 4);
    dented.vertices.emplace_back(0.2, 0.1, 1.0);
    for (const auto& [a, b] : std::vector<std::array<int, 2>>{{4, 5}, {5, 7}, {7, 6}, {6, 4}})
      dented.triangles.push_back({a, b, 8});
    for (double depth : {0.0, 1e-10, 1e-8, 0.1, -1e-10, -0.1}) {
      CAPTURE(depth);
      Surface s = dented;
      s.vertices[8].z() -= depth;
      for (Vector3& x : s.vertices) x = at * x;
      REQUIRE(s.mesh()->closed);
      CHECK(is_convex(*s.mesh()) == (depth < 2e-9));
    }
  }
  CHECK_FALSE(is_convex(*torus(1.0, 0.3, 20, 12).mesh()));
  Surface two = box_surface({1, 1, 1});  // the same surface twice: closed, and twice around
  const Surface again = two;
  for (const auto& t : again.triangles) two.triangles.push_back({t[0] + 8, t[1] + 8, t[2] + 8});
  two.vertices.insert(two.vertices.end(), again.vertices.begin(), again.vertices.end());
  REQUIRE(two.mesh()->closed);
  CHECK_FALSE(is_convex(*two.mesh()));
}

TEST_CASE("the triangles of a height field cover it once, counter-clockwise from above") {
  HeightField given{4, 3, 0.5, 2.0, 1.0, -3.0, {}, 0.0, 0.0};
  for (int k = 0; k < 12; ++k) given.height.push_back(0.1 * k * (k % 3 - 1));
  const auto field = height_field(given);
  CHECK(field->lowest == *std::ranges::min_element(given.height));
  CHECK(field->highest == *std::ranges::max_element(given.height));
  REQUIRE(field->triangles() == 12);
  double area = 0.0;
  std::set<std::array<double, 3>> nodes;
  for (int t = 0; t < field->triangles(); ++t) {
    const auto [a, b, c] = height_triangle(*field, t);
    const double up = (b - a).cross(c - a).z();
    CHECK(up == doctest::Approx(1.0).epsilon(1e-15));
    area += 0.5 * up;
    for (const Vector3& x : {a, b, c}) nodes.insert({x.x(), x.y(), x.z()});
  }
  CHECK(area == doctest::Approx(1.5 * 4.0).epsilon(1e-15));
  REQUIRE(nodes.size() == 12);
  CHECK(nodes.contains({1.0 + 2 * 0.5, -3.0 + 2.0, given.height[2 + 4]}));
  // both triangles of a cell begin on the diagonal from its lowest to its highest indices
  CHECK(height_triangle(*field, 0)[2] == height_triangle(*field, 1)[1]);
  CHECK_THROWS_AS(height_triangle(*field, 12), UsageError);
}

TEST_CASE("bad height fields name what is wrong") {
  HeightField good{2, 2, 1.0, 1.0, 0.0, 0.0, {0, 0, 0, 1}, 0.0, 0.0};
  const auto text = [&](auto change) {
    HeightField field = good;
    change(field);
    return fault([&] { height_field(field); });
  };
  CHECK(text([](HeightField&) {}).empty());
  CHECK(text([](HeightField& f) { f.columns = 1; }) ==
        "a height field needs at least 2 columns and 2 rows, not 1 and 2");
  CHECK(text([](HeightField& f) { f.height.pop_back(); }) ==
        "the height field has 3 heights instead of 2 x 2 = 4");
  CHECK(text([](HeightField& f) { f.spacing_y = 0.0; }) ==
        "the spacing of a height field must be positive and finite, not 0");
  CHECK(text([](HeightField& f) { f.origin_x = kNaN; }) ==
        "the origin of the height field is not finite");
  CHECK(text([](HeightField& f) { f.height[3] = kNaN; }) ==
        "height 3 (column 1, row 1) is nan, not a finite length");
}

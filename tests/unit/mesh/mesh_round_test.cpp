#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "mesh_measures.h"
#include "saltus/base/error.h"

using namespace saltus;
using namespace saltus_test;
using std::numbers::pi;

namespace {

ArchMesh arch_of(ElementKind kind, int n) {
  ArchMesh a;
  a.kind = kind;
  a.inner = 0.8;
  a.outer = 1.1;
  a.angle = 2.4;
  a.width = 0.3;
  a.around = 4 * n;
  a.across = n;
  a.layers = n;
  return a;
}

BallMesh ball_of(ElementKind kind, int n, bool half, double grading = 1.0) {
  BallMesh b;
  b.kind = kind;
  b.radius = 0.7;
  b.half = half;
  b.cells = n;
  b.rings = n;
  b.grading = grading;
  return b;
}

/// Every face of the boundary is in one side, and sides hold no other faces.
void check_sides(const Mesh& mesh) {
  std::size_t sum = 0;
  std::set<std::pair<int, int>> named;
  for (const auto& [name, set] : mesh.face_sets) {
    CHECK(!set.empty());
    sum += set.size();
    for (const MeshFace& f : set) named.insert({f.element, f.face});
    CHECK(mesh.node_sets.at(name) == nodes_of(mesh, set));
  }
  CHECK(named.size() == sum);
  CHECK(boundary(mesh).size() == sum);
}

double order(double coarse, double fine) { return std::log2(coarse / fine); }

}  // namespace

TEST_CASE("arches of every plane and solid kind close, name their sides and stand upright") {
  for (const ElementInfo& kind : element_kinds()) {
    if (kind.dimension == 1) continue;
    CAPTURE(kind.name);
    const Mesh mesh = arch_mesh(arch_of(kind.kind, 2));
    CHECK_NOTHROW(check(mesh));
    for (int part : parts_of(mesh)) CHECK(part == 0);
    check_sides(mesh);
    CHECK(mesh.face_sets.size() == (kind.dimension == 3 ? 6 : 4));
    for (int a : mesh.node_sets.at("left")) {
      CHECK(mesh.nodes(0, a) < 0.0);
      CHECK(std::atan2(-mesh.nodes(0, a), mesh.nodes(1, a)) == doctest::Approx(1.2).epsilon(1e-13));
    }
    for (int a : mesh.node_sets.at("outer"))
      CHECK(mesh.nodes.col(a).head<2>().norm() == doctest::Approx(1.1).epsilon(1e-14));
    double mean = 0.0;
    for (Eigen::Index a = 0; a < mesh.nodes.cols(); ++a) mean += mesh.nodes(0, a);
    CHECK(std::abs(mean) < 1e-12 * static_cast<double>(mesh.nodes.cols()));
  }
}

TEST_CASE("an arch of linear elements reaches its volume with order 2, of quadratic ones with 4") {
  const double exact = 0.5 * 2.4 * (1.1 * 1.1 - 0.8 * 0.8) * 0.3;
  for (const auto& [kind, expected] :
       {std::pair(ElementKind::hex8, 2.0), std::pair(ElementKind::tet4, 2.0),
        std::pair(ElementKind::wedge6, 2.0), std::pair(ElementKind::pyramid5, 2.0),
        std::pair(ElementKind::hex20, 4.0), std::pair(ElementKind::tet10, 4.0)}) {
    CAPTURE(info(kind).name);
    const double coarse = std::abs(volume(arch_mesh(arch_of(kind, 2))) - exact);
    const double fine = std::abs(volume(arch_mesh(arch_of(kind, 4))) - exact);
    CHECK(order(coarse, fine) == doctest::Approx(expected).epsilon(0.05));
  }
  const Mesh mesh = arch_mesh(arch_of(ElementKind::hex20, 4));
  CHECK(area(mesh, mesh.face_sets.at("inner")) == doctest::Approx(2.4 * 0.8 * 0.3).epsilon(1e-6));
  CHECK(area(mesh, mesh.face_sets.at("left")) == doctest::Approx(0.3 * 0.3).epsilon(1e-13));
}

TEST_CASE("balls and half balls close, and their outermost nodes lie on the sphere") {
  for (ElementKind kind : {ElementKind::hex8, ElementKind::hex20, ElementKind::tet4,
                           ElementKind::tet10, ElementKind::pyramid5})
    for (bool half : {false, true})
      for (double grading : {1.0, 8.0}) {
        CAPTURE(info(kind).name);
        CAPTURE(half);
        CAPTURE(grading);
        const Mesh mesh = ball_mesh(ball_of(kind, 3, half, grading));
        CHECK_NOTHROW(check(mesh));
        for (int part : parts_of(mesh)) CHECK(part == 0);
        check_sides(mesh);
        for (int a : mesh.node_sets.at("sphere"))
          CHECK(mesh.nodes.col(a).norm() == doctest::Approx(0.7).epsilon(1e-14));
        CHECK(mesh.face_sets.contains("flat") == half);
        if (!half) continue;
        CHECK(mesh.nodes.row(2).maxCoeff() == 0.0);
        for (int a : mesh.node_sets.at("flat")) CHECK(mesh.nodes(2, a) == 0.0);
      }
}

TEST_CASE("the volume of a ball is reached with order 2 by linear and 4 by quadratic elements") {
  const double exact = 4.0 / 3.0 * pi * 0.7 * 0.7 * 0.7;
  for (const auto& [kind, expected] :
       {std::pair(ElementKind::hex8, 2.0), std::pair(ElementKind::tet4, 2.0),
        std::pair(ElementKind::hex20, 4.0), std::pair(ElementKind::tet10, 4.0)}) {
    CAPTURE(info(kind).name);
    const double coarse = std::abs(volume(ball_mesh(ball_of(kind, 3, false))) - exact);
    const double fine = std::abs(volume(ball_mesh(ball_of(kind, 6, false))) - exact);
    CHECK(order(coarse, fine) == doctest::Approx(expected).epsilon(0.1));
    CHECK(2.0 * volume(ball_mesh(ball_of(kind, 3, true))) ==
          doctest::Approx(volume(ball_mesh(ball_of(kind, 3, false)))).epsilon(1e-13));
  }
}

TEST_CASE("a graded half ball has its smallest cells at the pole, smaller by the grading") {
  BallMesh b = ball_of(ElementKind::hex8, 6, true, 10.0);
  const auto nearest = [](const Mesh& mesh, const Vector3& place) {  // to the node there
    int pole = 0;
    (mesh.nodes.colwise() - place).colwise().squaredNorm().minCoeff(&pole);
    double least = 1.0;
    for (int a = 0; a < mesh.nodes.cols(); ++a)
      if (a != pole) least = std::min(least, (mesh.nodes.col(a) - mesh.nodes.col(pole)).norm());
    return least;
  };
  const Mesh graded = ball_mesh(b);
  b.grading = 1.0;
  const Mesh even = ball_mesh(b);
  const Vector3 pole(0.0, 0.0, -0.7);
  // sizes 10^(i/5), i = 0 .. 5: the first is 1/24.4 of their sum, 6/24.4 of an even one
  const double sum = (std::pow(10.0, 1.2) - 1.0) / (std::pow(10.0, 0.2) - 1.0);
  CHECK(nearest(graded, pole) / nearest(even, pole) == doctest::Approx(6.0 / sum).epsilon(0.3));
  CHECK(graded.elements() == even.elements());
}

TEST_CASE("arches and balls that cannot be meshed are refused") {
  ArchMesh arch;
  arch.inner = 1.2;
  CHECK_THROWS_AS(arch_mesh(arch), UsageError);
  arch = {};
  arch.angle = 7.0;
  CHECK_THROWS_AS(arch_mesh(arch), UsageError);
  arch = {};
  arch.kind = ElementKind::bar2;
  CHECK_THROWS_AS(arch_mesh(arch), UsageError);
  arch = {};
  arch.around = 0;
  CHECK_THROWS_AS(arch_mesh(arch), UsageError);
  BallMesh ball;
  ball.kind = ElementKind::wedge6;
  CHECK_THROWS_AS(ball_mesh(ball), UsageError);
  ball = {};
  ball.grading = 0.5;
  CHECK_THROWS_AS(ball_mesh(ball), UsageError);
  ball = {};
  ball.radius = -1.0;
  CHECK_THROWS_AS(ball_mesh(ball), UsageError);
}

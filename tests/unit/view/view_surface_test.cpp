// What is seen of a mesh.
#include "saltus/view/view_surface.h"

#include <doctest/doctest.h>

#include <Eigen/Geometry>
#include <map>

using namespace saltus;

namespace {

Vector3 corner(const Mesh& mesh, const ViewSurface& s, std::size_t i) {
  return mesh.nodes.col(s.nodes[s.triangles[i]]);
}

/// Area of the triangles, and the volume they enclose where they look outwards.
std::pair<double, double> area_and_volume(const Mesh& mesh, const ViewSurface& s) {
  double area = 0.0, volume = 0.0;
  for (std::size_t i = 0; i + 2 < s.triangles.size(); i += 3) {
    const Vector3 a = corner(mesh, s, i), b = corner(mesh, s, i + 1), c = corner(mesh, s, i + 2);
    area += 0.5 * (b - a).cross(c - a).norm();
    volume += a.dot(b.cross(c)) / 6.0;
  }
  return {area, volume};
}

double length_of_edges(const Mesh& mesh, const ViewSurface& s) {
  double length = 0.0;
  for (std::size_t i = 0; i + 1 < s.edges.size(); i += 2)
    length +=
        (mesh.nodes.col(s.nodes[s.edges[i]]) - mesh.nodes.col(s.nodes[s.edges[i + 1]])).norm();
  return length;
}

}  // namespace

TEST_CASE("the surface of a box of any elements is closed, looks outwards and has twelve edges") {
  for (ElementKind kind : {ElementKind::hex8, ElementKind::hex20, ElementKind::tet4,
                           ElementKind::tet10, ElementKind::wedge6, ElementKind::pyramid5}) {
    BoxMesh box;
    box.kind = kind;
    box.cells = {3, 2, 1};
    box.size = Vector3(3.0, 2.0, 1.0);
    const Mesh mesh = box_mesh(box);
    const ViewSurface s = view_surface(mesh);
    CAPTURE(info(kind).name);
    const auto [area, volume] = area_and_volume(mesh, s);
    CHECK(area == doctest::Approx(22.0).epsilon(1e-12));
    CHECK(volume == doctest::Approx(6.0).epsilon(1e-12));
    CHECK(length_of_edges(mesh, s) == doctest::Approx(24.0).epsilon(1e-12));
    CHECK(!s.chain);
    std::map<std::pair<std::uint32_t, std::uint32_t>, int> sides;
    for (std::size_t i = 0; i + 2 < s.triangles.size(); i += 3)
      for (std::size_t k = 0; k < 3; ++k)
        ++sides[{s.triangles[i + k], s.triangles[i + (k + 1) % 3]}];
    for (const auto& [side, times] : sides) {
      CHECK(times == 1);
      CHECK(sides.count({side.second, side.first}) == 1);
    }
  }
}

TEST_CASE("plane elements are seen as they are, with their border") {
  for (ElementKind kind :
       {ElementKind::tri3, ElementKind::tri6, ElementKind::quad4, ElementKind::quad8}) {
    BoxMesh box;
    box.kind = kind;
    box.cells = {4, 2, 0};
    box.size = Vector3(2.0, 1.0, 0.0);
    const Mesh mesh = box_mesh(box);
    const ViewSurface s = view_surface(mesh);
    CAPTURE(info(kind).name);
    CHECK(area_and_volume(mesh, s).first == doctest::Approx(2.0).epsilon(1e-12));
    CHECK(length_of_edges(mesh, s) == doctest::Approx(6.0).epsilon(1e-12));
  }
}

TEST_CASE("bars one behind the other are a line, in their order; a frame of bars is edges") {
  Mesh mesh;
  mesh.nodes.resize(3, 4);
  mesh.nodes << 0, 2, 1, 3, 0, 0, 0, 0, 0, 0, 0, 0;
  mesh.blocks = {{ElementKind::bar2, 0, {0, 2, 1, 3, 2, 1}}};
  const ViewSurface line = view_surface(mesh);
  CHECK(line.chain);
  CHECK(line.nodes == std::vector<int>{0, 2, 1, 3});
  mesh.blocks = {{ElementKind::bar2, 0, {0, 1, 0, 2, 0, 3}}};
  const ViewSurface star = view_surface(mesh);
  CHECK(!star.chain);
  CHECK(star.triangles.empty());
  CHECK(star.edges.size() == 6);
}

TEST_CASE("an edge is drawn where the surface turns by more than 30 degrees") {
  for (double angle : {20.0, 40.0}) {
    Mesh mesh;
    const double turn = angle * 3.14159265358979 / 180.0;
    mesh.nodes.resize(3, 6);
    mesh.nodes << -1, -1, 0, 0, std::cos(turn), std::cos(turn), 0, 1, 0, 1, 0, 1, 0, 0, 0, 0,
        std::sin(turn), std::sin(turn);
    mesh.blocks = {{ElementKind::quad4, 0, {0, 2, 3, 1, 2, 4, 5, 3}}};
    CHECK(view_surface(mesh).edges.size() == (angle > 30.0 ? 14 : 12));
  }
}

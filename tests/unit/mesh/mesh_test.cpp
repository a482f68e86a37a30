#include "saltus/mesh/mesh.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "mesh_measures.h"
#include "saltus/base/error.h"

using namespace saltus;
using namespace saltus_test;

namespace {

/// The text of the UsageError of check(), "" if there is none.
std::string said(const Mesh& mesh) {
  try {
    check(mesh);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

Mesh box(ElementKind kind, int n = 2) {
  BoxMesh b;
  b.kind = kind;
  b.cells = {n, n + 1, n};
  b.size = Vector3(2.0, 1.0, 0.5);
  b.origin = Vector3(0.1, 0.2, 0.3)
                 .cwiseProduct(Vector3(1.0, info(kind).dimension > 1, info(kind).dimension > 2));
  return box_mesh(b);
}

}  // namespace

TEST_CASE("boxes of every kind fill their volume, close, and name their sides") {
  for (const ElementInfo& kind : element_kinds()) {
    CAPTURE(kind.name);
    const Mesh mesh = box(kind.kind);
    CHECK(said(mesh) == "");
    const Vector3 size(2.0, 1.0, 0.5);
    CHECK(volume(mesh) == doctest::Approx(size.head(kind.dimension).prod()).epsilon(1e-13));
    for (int part : parts_of(mesh)) CHECK(part == 0);
    CHECK(mesh.node_sets.size() == static_cast<std::size_t>(2 * kind.dimension));
    if (kind.dimension == 1) continue;
    const std::vector<MeshFace> outside = boundary(mesh);
    const double around = kind.dimension == 2 ? 2.0 * (2.0 + 1.0) : 2.0 * (2.0 + 1.0 + 0.5);
    CHECK(area(mesh, outside) == doctest::Approx(around).epsilon(1e-13));
    CHECK(area(mesh, mesh.face_sets.at("x1")) ==
          doctest::Approx(kind.dimension == 2 ? 1.0 : 0.5).epsilon(1e-13));
    CHECK(nodes_of(mesh, mesh.face_sets.at("y0")) == mesh.node_sets.at("y0"));
    std::size_t named = 0;
    for (const auto& [name, faces] : mesh.face_sets) named += faces.size();
    CHECK(named == outside.size());
  }
}

TEST_CASE("inner faces of a box belong to two elements that see them from two sides") {
  for (ElementKind kind : {ElementKind::hex8, ElementKind::tet10, ElementKind::wedge6,
                           ElementKind::pyramid5, ElementKind::hex20, ElementKind::tri6}) {
    CAPTURE(info(kind).name);
    const Mesh mesh = box(kind);
    std::size_t all = 0;
    for (int e = 0; e < mesh.elements(); ++e) all += faces(mesh.kind(e)).size();
    CHECK((all - boundary(mesh).size()) % 2 == 0);
    CHECK(all > boundary(mesh).size());
  }
}

TEST_CASE("a cylinder mesh comes to the volume of its cylinder, quadratic elements sooner") {
  for (const auto& [kind, cells] : {std::pair{ElementKind::hex8, 1},
                                    {ElementKind::hex8, 2},
                                    {ElementKind::hex20, 1},
                                    {ElementKind::hex20, 2}}) {
    CylinderMesh c{kind, 0.7, 1.3, cells, cells, 2};
    const Mesh mesh = cylinder_mesh(c);
    CHECK(said(mesh) == "");
    const double exact = std::numbers::pi * 0.49 * 1.3, off = std::abs(volume(mesh) / exact - 1.0);
    CAPTURE(off);
    const double sides = 8.0 * cells, polygon = 1.0 - 0.5 * sides / std::numbers::pi *
                                                          std::sin(2.0 * std::numbers::pi / sides);
    if (kind == ElementKind::hex8)
      CHECK(off == doctest::Approx(polygon).epsilon(1e-10));
    else
      CHECK(off < 0.02 * polygon);
    CHECK(area(mesh, mesh.face_sets.at("z0")) ==
          doctest::Approx(volume(mesh) / 1.3).epsilon(1e-12));
    CHECK(mesh.face_sets.at("side").size() == static_cast<std::size_t>(8 * cells * 2));
  }
  for (ElementKind kind : {ElementKind::tet4, ElementKind::tet10, ElementKind::wedge6}) {
    const Mesh mesh = cylinder_mesh({kind, 1.0, 1.0, 2, 1, 3});
    CHECK(said(mesh) == "");
    CHECK(boundary(mesh).size() == mesh.face_sets.at("side").size() +
                                       mesh.face_sets.at("z0").size() +
                                       mesh.face_sets.at("z1").size());
  }
}

TEST_CASE("a mesh that is not sound is refused with the number of what is wrong") {
  const Mesh good = box(ElementKind::hex8);
  Mesh bad = good;
  std::swap_ranges(bad.blocks[0].nodes.begin() + 24, bad.blocks[0].nodes.begin() + 28,
                   bad.blocks[0].nodes.begin() + 28);  // element 3 upside down
  CHECK(contains(said(bad), "element 3 (hex8) is inverted: its smallest Jacobian is -"));

  bad = good;
  for (int k = 0; k < 4; ++k)  // element 5 flat
    bad.blocks[0].nodes[static_cast<std::size_t>(44 + k)] =
        bad.blocks[0].nodes[static_cast<std::size_t>(40 + k)];
  CHECK(contains(said(bad), "element 5 (hex8) is degenerate"));

  bad = good;
  bad.blocks[0].nodes[17] = 1000;
  CHECK(contains(said(bad), "element 2 (hex8) has node 1000; allowed: 0 to"));

  bad = good;
  bad.nodes.conservativeResize(3, good.nodes.cols() + 1);
  bad.nodes.rightCols(1).setZero();
  CHECK(contains(said(bad), "no element uses node " + std::to_string(good.nodes.cols())));

  bad = good;
  bad.blocks[0].nodes.pop_back();
  CHECK(contains(said(bad), "a whole number of hex8 elements"));

  bad = good;
  bad.nodes(1, 3) = std::numeric_limits<double>::quiet_NaN();
  CHECK(contains(said(bad), "coordinates must be finite"));

  bad = good;
  bad.face_sets["rim"] = {{0, 6}};
  CHECK(contains(said(bad), "group 'rim' has face 6; allowed: 0 to 5"));
  bad.face_sets["rim"] = {{-1, 0}};
  CHECK(contains(said(bad), "group 'rim' has element -1"));

  bad = good;
  bad.blocks.clear();
  bad.face_sets.clear();
  CHECK(contains(said(bad), "there are no elements"));

  bad = box(ElementKind::quad4);
  bad.dimension = 3;
  CHECK(contains(said(bad), "quad4 in dimension 3"));
  bad = box(ElementKind::tri3);
  bad.nodes(2, 4) = 0.1;
  CHECK(contains(said(bad), "lie in the plane of x and y"));
  CHECK_THROWS_AS(box_mesh({ElementKind::tet4, {1, 0, 1}, Vector3::Ones(), Vector3::Zero()}),
                  UsageError);
  CHECK_THROWS_AS(cylinder_mesh({ElementKind::quad4}), UsageError);
  CHECK_THROWS_AS(good.element(good.elements()), UsageError);
}

TEST_CASE("two boxes in one mesh are two parts, which is told and not refused") {
  Mesh two = box(ElementKind::tet4, 1);
  const Mesh other = box(ElementKind::hex8, 1);
  const Eigen::Index n = two.nodes.cols();
  ElementBlock block = other.blocks[0];
  for (int& a : block.nodes) a += static_cast<int>(n);
  two.blocks.push_back(block);
  two.nodes.conservativeResize(3, n + other.nodes.cols());
  two.nodes.rightCols(other.nodes.cols()) = other.nodes.colwise() + Vector3(5.0, 0.0, 0.0);
  CHECK(said(two) == "");
  const std::vector<int> part = parts_of(two);
  for (std::size_t i = 0; i < part.size(); ++i)
    CHECK(part[i] == (static_cast<Eigen::Index>(i) < n ? 0 : 1));
  CHECK(two.kind(two.elements() - 1) == ElementKind::hex8);
  CHECK(volume(two) == doctest::Approx(2.0).epsilon(1e-13));
}

#include "saltus/fem/nodal_fit.h"

#include <doctest/doctest.h>

#include <Eigen/Geometry>

#include "saltus/base/error.h"
#include "saltus/math/rotation.h"

using namespace saltus;

namespace {

Mesh box(ElementKind kind) {
  BoxMesh b;
  b.kind = kind;
  b.cells = {2, 2, 1};
  b.size = Vector3(1.0, 0.8, 0.5);
  Mesh mesh = box_mesh(b);
  if (info(kind).dimension == 3)  // bent cells
    mesh = moved(std::move(mesh), [](const Vector3& X) {
      return Vector3(X + Vector3(0.1 * X.y() * X.z(), 0.05 * X.x() * X.y(), 0.1 * X.x() * X.y()));
    });
  return mesh;
}

Vector displaced(const Mesh& mesh, const Matrix3& F) {
  Vector u(3 * mesh.nodes.cols());
  for (Eigen::Index a = 0; a < mesh.nodes.cols(); ++a)
    u.segment<3>(3 * a) = (F - Matrix3::Identity()) * mesh.nodes.col(a);
  return u;
}

}  // namespace

TEST_CASE("a homogeneous deformation has Green's strain at every node of every kind of element") {
  Matrix3 F;
  F << 1.2, 0.1, -0.05, 0.02, 0.9, 0.15, 0.07, -0.1, 1.1;
  for (const ElementInfo& kind : element_kinds()) {
    CAPTURE(kind.name);
    const Mesh mesh = box(kind.kind);
    Matrix3 G = F;
    if (kind.dimension == 2) G.row(2) = G.col(2).transpose() = Vector3::UnitZ().transpose();
    Matrix3 E = 0.5 * (G.transpose() * G - Matrix3::Identity());
    if (kind.dimension == 1) {
      const double along = E(0, 0);
      E.setZero();
      E(0, 0) = along;
    }
    Matrix strain(6, mesh.nodes.cols());
    nodal_strain(mesh, displaced(mesh, G), strain);
    Vector expected(6);
    expected << E(0, 0), E(1, 1), E(2, 2), E(0, 1), E(1, 2), E(2, 0);
    CHECK((strain.colwise() - expected).cwiseAbs().maxCoeff() < 1e-13);
  }
}

TEST_CASE("a turn has no strain, however large") {
  const Matrix3 R = Eigen::AngleAxisd(2.5, Vector3(1.0, -2.0, 0.5).normalized()).toRotationMatrix();
  for (ElementKind kind : {ElementKind::hex20, ElementKind::tet4, ElementKind::bar2}) {
    const Mesh mesh = box(kind);
    Matrix strain(6, mesh.nodes.cols());
    nodal_strain(mesh, displaced(mesh, R), strain);
    CHECK(strain.cwiseAbs().maxCoeff() < 1e-14 * 10);
  }
}

TEST_CASE("what is linear in xi comes to the nodes of an element as it is") {
  for (const ElementInfo& kind : element_kinds()) {
    CAPTURE(kind.name);
    const Matrix fit = nodal_fit(kind.kind);
    const auto rule = stiffness_rule(kind.kind);
    CHECK(fit.rows() == kind.nodes);
    REQUIRE(fit.cols() == std::ssize(rule));
    const bool linear = rule.size() > 1;
    const auto f = [&](const Vector3& xi) {
      // a pyramid has its points in one plane
      return 2.0 + (linear ? xi.x() - 3.0 * xi.y() : 0.0) +
             (linear && kind.kind != ElementKind::pyramid5 ? 0.5 * xi.z() : 0.0);
    };
    Vector at(fit.cols());
    for (std::size_t p = 0; p < rule.size(); ++p) at[static_cast<Eigen::Index>(p)] = f(rule[p].xi);
    const Vector there = fit * at;
    for (int a = 0; a < kind.nodes; ++a)
      CHECK(
          there[a] ==
          doctest::Approx(f(natural_nodes(kind.kind)[static_cast<std::size_t>(a)])).epsilon(1e-12));
  }
}

TEST_CASE("strain of displacements of another size is refused") {
  const Mesh mesh = box(ElementKind::hex8);
  Matrix strain(6, mesh.nodes.cols());
  CHECK_THROWS_AS(nodal_strain(mesh, Vector::Zero(5), strain), UsageError);
}

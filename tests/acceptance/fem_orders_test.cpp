// Orders in space by manufactured solutions: a displacement u(X) is chosen, the body force -div P(I + grad u) that belongs to it is
// put on the nodes, and the static solution is compared with u in L2. Large strains, curved meshes.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "saltus/fem/fem.h"

using namespace saltus;

namespace {

constexpr double kPi = std::numbers::pi;

/// Dimension d of the field; strains of 0.1.
struct Field {
  int d;
  Material material;

  Vector3 u(const Vector3& X) const {
    Vector3 u =
        0.04 * Vector3(std::sin(kPi * X.x() + 0.3) * std::cos(2.0 * X.y()) + 0.5 * X.z() * X.x(),
                       std::cos(2.0 * X.x() - 0.4) * std::sin(kPi * X.y()) + 0.3 * X.z() * X.z(),
                       std::sin(2.0 * X.x() + X.y()) * std::cos(kPi * X.z()));
    u.tail(3 - d).setZero();
    return u;
  }
  /// du_i/dX_k
  Matrix3 gradient(const Vector3& X) const {
    const double a = kPi * X.x() + 0.3, b = 2.0 * X.x() - 0.4, c = 2.0 * X.x() + X.y(),
                 y = kPi * X.y(), z = kPi * X.z();
    Matrix3 G;
    G << kPi * std::cos(a) * std::cos(2.0 * X.y()) + 0.5 * X.z(),
        -2.0 * std::sin(a) * std::sin(2.0 * X.y()), 0.5 * X.x(), -2.0 * std::sin(b) * std::sin(y),
        kPi * std::cos(b) * std::cos(y), 0.6 * X.z(), 2.0 * std::cos(c) * std::cos(z),
        std::cos(c) * std::cos(z), -kPi * std::sin(c) * std::sin(z);
    Matrix3 out = Matrix3::Zero();
    out.topLeftCorner(d, d) = 0.04 * G.topLeftCorner(d, d);
    return out;
  }
  /// -div P, by differences of the eighth order
  Vector3 body_force(const Vector3& X) const {
    const double h = 0.02;
    Vector3 b = Vector3::Zero();
    for (int k = 0; k < d; ++k) {
      const auto pair = [&](int j) -> Vector3 {
        const Vector3 step = j * h * Vector3::Unit(k);
        return first_piola(material, Matrix3::Identity() + gradient(X + step)).col(k) -
               first_piola(material, Matrix3::Identity() + gradient(X - step)).col(k);
      };
      b -= (4.0 / 5.0 * pair(1) - 1.0 / 5.0 * pair(2) + 4.0 / 105.0 * pair(3) -
            1.0 / 280.0 * pair(4)) /
           h;
    }
    b.tail(3 - d).setZero();
    return b;
  }
};

/// |u_h - u| in L2 on the unit box of n cells along each axis, its inside bent.
double error_of(ElementKind kind, const Material& material, int n) {
  const Field field{info(kind).dimension, material};
  const int d = field.d;
  FemSystem system;
  system.mesh =
      moved(box_mesh({kind, {n, n, n}, Vector3::Ones(), Vector3::Zero()}), [&](const Vector3& X) {
        const double bump = 0.06 * std::sin(kPi * X.x()) * std::sin(kPi * X.y()) *
                            (d == 3 ? std::sin(kPi * X.z()) : 1.0);
        Vector3 at = X + bump * Vector3(1.0, -0.7, 0.8);
        at.tail(3 - d).setZero();
        return at;
      });
  const Mesh& mesh = system.mesh;
  system.materials.push_back({material, PlaneState::strain, 1.0, 1.0});
  const auto points = [&](auto&& visit) {
    for (int e = 0; e < mesh.elements(); ++e)
      for (const RulePoint& p : mass_rule(kind)) {
        const ShapeValues N = shape_values(kind, p.xi);
        Vector3 X = Vector3::Zero();
        for (int a = 0; a < N.size(); ++a)
          X += N[a] * mesh.nodes.col(mesh.element(e)[static_cast<std::size_t>(a)]);
        visit(mesh.element(e), N, X, p.weight * jacobian(mesh, e, p.xi));
      }
  };
  Vector load = Vector::Zero(3 * mesh.nodes.cols());
  points([&](std::span<const int> node, const ShapeValues& N, const Vector3& X, double w) {
    const Vector3 b = w * field.body_force(X);
    for (int a = 0; a < N.size(); ++a)
      load.segment<3>(3 * node[static_cast<std::size_t>(a)]) += N[a] * b;
  });
  Load applied{{}, Signal::constant(1.0)};
  for (Eigen::Index i = 0; i < load.size(); ++i)
    if (i % 3 < d) applied.pattern.emplace_back(static_cast<int>(i), load[i]);
  system.loads.push_back(applied);
  for (int a : nodes_of(mesh, boundary(mesh)))
    for (int axis = 0; axis < d; ++axis)
      system.prescribed.push_back(
          {3 * a + axis, Signal::constant(field.u(mesh.nodes.col(a))[axis])});
  const Fem body(system);
  Vector q(body.positions()), r(q.size());
  for (int a = 0; a < mesh.nodes.cols(); ++a)
    for (int axis = 0; axis < d; ++axis)
      if (const int i = body.free_index(3 * a + axis); i >= 0)
        q[i] = field.u(mesh.nodes.col(a))[axis];
  const Vector still = Vector::Zero(q.size());
  Factor K;
  double change = 1.0;
  for (int k = 0; k < 8 && change > 1e-12; ++k) {
    body.force(0.0, q, still, r);
    body.factorise({0.0, 0.0, 1.0}, 0.0, q, still, K);
    solve(K, r);
    q += r;
    change = r.lpNorm<Eigen::Infinity>();
  }
  CHECK(change <= 1e-12);
  Vector all(3 * mesh.nodes.cols());
  body.full(0.0, q, all);
  double square = 0.0;
  points([&](std::span<const int> node, const ShapeValues& N, const Vector3& X, double w) {
    Vector3 u = -field.u(X);
    for (int a = 0; a < N.size(); ++a)
      u += N[a] * all.segment<3>(3 * node[static_cast<std::size_t>(a)]);
    square += w * u.squaredNorm();
  });
  return std::sqrt(square);
}

}  // namespace

TEST_CASE("displacements of linear elements are of order 2 in L2, of quadratic ones of order 3") {
  Material material;
  material.young = 100.0;
  struct Row {
    ElementKind kind;
    int coarse;
  };
  std::string table;
  for (const Row& row :
       {Row{ElementKind::tri3, 10}, Row{ElementKind::quad4, 10}, Row{ElementKind::tri6, 6},
        Row{ElementKind::quad8, 6}, Row{ElementKind::tet4, 5}, Row{ElementKind::hex8, 4},
        Row{ElementKind::wedge6, 4}, Row{ElementKind::pyramid5, 3}, Row{ElementKind::tet10, 3},
        Row{ElementKind::hex20, 3}}) {
    CAPTURE(info(row.kind).name);
    for (const MaterialLaw law : {MaterialLaw::st_venant_kirchhoff, MaterialLaw::neo_hooke}) {
      if (law == MaterialLaw::neo_hooke && info(row.kind).dimension == 3) continue;
      material.law = law;
      const double coarse = error_of(row.kind, material, row.coarse),
                   fine = error_of(row.kind, material, 2 * row.coarse);
      const double order = std::log2(coarse / fine);
      CHECK(std::abs(order - (info(row.kind).quadratic() ? 3.0 : 2.0)) < 0.2);
      table += fmt::format("{} {}: {:.2f}, error {:.1e}; ", info(row.kind).name, name_of(law),
                           order, fine);
    }
  }
  MESSAGE(table);
}

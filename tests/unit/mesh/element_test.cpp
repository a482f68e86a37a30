#include "saltus/mesh/element.h"

#include <doctest/doctest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "saltus/mesh/mesh.h"
#include "support/dense.h"

using namespace saltus;

namespace {

/// What tables of finite elements say: points of the rules, degree that stiffness rules integrate in all, faces.
struct Row {
  ElementKind kind;
  int stiffness_points, degree, faces;
};
const std::vector<Row> kRows{{ElementKind::bar2, 1, 1, 0},   {ElementKind::bar3, 2, 3, 0},
                             {ElementKind::tri3, 1, 1, 3},   {ElementKind::tri6, 3, 2, 3},
                             {ElementKind::quad4, 4, 3, 4},  {ElementKind::quad8, 9, 5, 4},
                             {ElementKind::tet4, 1, 1, 4},   {ElementKind::tet10, 4, 2, 4},
                             {ElementKind::hex8, 8, 3, 6},   {ElementKind::hex20, 27, 5, 6},
                             {ElementKind::wedge6, 6, 2, 5}, {ElementKind::pyramid5, 4, 1, 5}};

/// Places inside every domain, off all symmetries.
const std::vector<Vector3> kPlaces{{0.21, 0.13, 0.37}, {0.11, 0.45, 0.08}, {0.32, 0.05, 0.29}};

Vector3 within(ElementKind kind, Vector3 xi) {
  xi.tail(3 - info(kind).dimension).setZero();
  return xi;
}

double factorial(int n) { return n < 2 ? 1.0 : n * factorial(n - 1); }

// int over [-1, 1]
double line(int p) { return p % 2 == 0 ? 2.0 / (p + 1) : 0.0; }

/// int xi_1^p xi_2^q xi_3^r over the domain of the element.
double monomial(ElementKind kind, int p, int q, int r) {
  switch (linear_kind(kind)) {
    case ElementKind::bar2:
      return line(p);
    case ElementKind::quad4:
      return line(p) * line(q);
    case ElementKind::hex8:
      return line(p) * line(q) * line(r);
    case ElementKind::tri3:
      return factorial(p) * factorial(q) / factorial(p + q + 2);
    case ElementKind::tet4:
      return factorial(p) * factorial(q) * factorial(r) / factorial(p + q + r + 3);
    case ElementKind::wedge6:
      return factorial(p) * factorial(q) / factorial(p + q + 2) * line(r);
    default:  // x = a (1 - z), y = b (1 - z):  line line int z^r (1 - z)^(p + q + 2)
      return line(p) * line(q) * factorial(r) * factorial(p + q + 2) / factorial(r + p + q + 3);
  }
}

double integral(std::span<const RulePoint> rule, int p, int q, int r) {
  double sum = 0.0;
  for (const RulePoint& at : rule)
    sum += at.weight * std::pow(at.xi.x(), p) * std::pow(at.xi.y(), q) * std::pow(at.xi.z(), r);
  return sum;
}

/// One element whose nodes are an affine image of the natural ones.
Mesh affine_element(ElementKind kind, Eigen::Matrix3d A) {
  const int d = info(kind).dimension;
  for (int k = d; k < 3; ++k) {
    A.row(k).setZero();
    A.col(k).setZero();
  }
  Mesh mesh;
  mesh.dimension = d;
  mesh.nodes.resize(3, info(kind).nodes);
  ElementBlock block{kind, 0, {}};
  for (int a = 0; a < info(kind).nodes; ++a) {
    mesh.nodes.col(a) = A * natural_nodes(kind)[static_cast<std::size_t>(a)];
    block.nodes.push_back(a);
  }
  mesh.blocks.push_back(block);
  return mesh;
}

Eigen::Matrix3d skewed() {
  Eigen::Matrix3d A;
  A << 1.3, 0.2, -0.1, 0.3, 0.9, 0.25, -0.2, 0.15, 1.1;
  return A;
}

}  // namespace

TEST_CASE(
    "the table of elements has a row for each kind, and their numbers in files are told apart") {
  CHECK(kRows.size() == element_kinds().size());
  std::set<int> gmsh;
  for (const Row& row : kRows) {
    const ElementInfo& i = info(row.kind);
    CAPTURE(i.name);
    CHECK(i.kind == row.kind);
    CHECK(static_cast<int>(natural_nodes(row.kind).size()) == i.nodes);
    CHECK(i.nodes - i.corners == static_cast<int>(middle_nodes(row.kind).size()));
    CHECK(element_of_gmsh(i.gmsh) == row.kind);
    gmsh.insert(i.gmsh);
  }
  CHECK(gmsh.size() == kRows.size());
  CHECK_FALSE(element_of_gmsh(15).has_value());
}

TEST_CASE("shape functions are 1 at their node, 0 at the others, and add up to 1 everywhere") {
  for (const Row& row : kRows) {
    CAPTURE(info(row.kind).name);
    const auto nodes = natural_nodes(row.kind);
    for (std::size_t b = 0; b < nodes.size(); ++b) {
      const ShapeValues N = shape_values(row.kind, nodes[b]);
      const auto at = static_cast<Eigen::Index>(b);
      CHECK((N - ShapeValues(Vector::Unit(N.size(), at))).cwiseAbs().maxCoeff() < 1e-15);
      CHECK(inside(row.kind, nodes[b]));
    }
    for (const Vector3& place : kPlaces) {
      const Vector3 xi = within(row.kind, place);
      CHECK(std::abs(shape_values(row.kind, xi).sum() - 1.0) < 1e-15);
      CHECK(shape_gradients(row.kind, xi).rowwise().sum().norm() < 1e-15);
      CHECK(inside(row.kind, xi));
      CHECK_FALSE(inside(row.kind, xi - Vector3(3.0, 0.0, 0.0)));
    }
  }
}

TEST_CASE("shape functions reproduce the coordinates, and quadratic ones their squares") {
  for (const Row& row : kRows) {
    CAPTURE(info(row.kind).name);
    const auto nodes = natural_nodes(row.kind);
    for (const Vector3& place : kPlaces) {
      const Vector3 xi = within(row.kind, place);
      const ShapeValues N = shape_values(row.kind, xi);
      Vector3 first = Vector3::Zero();
      Eigen::Matrix3d second = Eigen::Matrix3d::Zero();
      for (int a = 0; a < N.size(); ++a) {
        const Vector3& node = nodes[static_cast<std::size_t>(a)];
        first += N[a] * node;
        second += N[a] * node * node.transpose();
      }
      CHECK((first - xi).norm() < 1e-15);
      if (info(row.kind).quadratic()) CHECK((second - xi * xi.transpose()).norm() < 1e-15);
    }
  }
}

TEST_CASE("gradients of shape functions are their differences") {
  for (const Row& row : kRows) {
    CAPTURE(info(row.kind).name);
    for (const Vector3& place : kPlaces) {
      const Vector3 xi = within(row.kind, place);
      const ShapeGradients D = shape_gradients(row.kind, xi);
      const double h = 1e-3;
      for (int k = 0; k < info(row.kind).dimension; ++k) {
        const auto at = [&](double s) {
          return shape_values(row.kind, xi + s * h * Vector3::Unit(k));
        };
        const ShapeValues slope = (8.0 * (at(1.0) - at(-1.0)) - (at(2.0) - at(-2.0))) / (12.0 * h);
        CHECK((D.row(k).transpose() - slope).cwiseAbs().maxCoeff() < 1e-11);
      }
      for (int k = info(row.kind).dimension; k < 3; ++k) CHECK(D.row(k).norm() == 0.0);
    }
  }
}

TEST_CASE("the apex of a pyramid has finite values and gradients") {
  const Vector3 apex(0.0, 0.0, 1.0);
  CHECK(shape_values(ElementKind::pyramid5, apex)[4] == 1.0);
  CHECK(shape_gradients(ElementKind::pyramid5, apex).allFinite());
  const Vector3 near(1e-17, -1e-17, 1.0 - 2e-16);
  CHECK(shape_values(ElementKind::pyramid5, near).sum() == doctest::Approx(1.0).epsilon(1e-15));
}

TEST_CASE("rules integrate the monomials of their degree exactly") {
  for (const Row& row : kRows) {
    CAPTURE(info(row.kind).name);
    CHECK(static_cast<int>(stiffness_rule(row.kind).size()) == row.stiffness_points);
    CHECK(row.stiffness_points <= kMaxElementPoints);
    const int d = info(row.kind).dimension;
    const int mass_degree = info(row.kind).quadratic() ? 4 : 3;
    for (int p = 0; p <= mass_degree; ++p)
      for (int q = 0; q <= (d > 1 ? mass_degree - p : 0); ++q)
        for (int r = 0; r <= (d > 2 ? mass_degree - p - q : 0); ++r) {
          const double exact = monomial(row.kind, p, q, r);
          CAPTURE(p);
          CAPTURE(q);
          CAPTURE(r);
          CHECK(std::abs(integral(mass_rule(row.kind), p, q, r) - exact) < 4e-15);
          if (p + q + r <= row.degree)
            CHECK(std::abs(integral(stiffness_rule(row.kind), p, q, r) - exact) < 2e-15);
        }
    for (const auto rule : {stiffness_rule(row.kind), mass_rule(row.kind)})
      for (const RulePoint& p : rule) {
        CHECK(p.weight > 0.0);
        CHECK(inside(row.kind, p.xi, 0.0));
      }
  }
}

TEST_CASE("stiffness rules are exact on affine elements: finer rules give the same sums") {
  for (const Row& row : kRows) {
    CAPTURE(info(row.kind).name);
    const int n = info(row.kind).nodes;
    const auto stiffness = [&](std::span<const RulePoint> rule) {
      Matrix K = Matrix::Zero(n, n);
      for (const RulePoint& p : rule) {
        const ShapeGradients D = shape_gradients(row.kind, p.xi);
        K += p.weight * D.transpose() * skewed() * D;
      }
      return K;
    };
    const Matrix K = stiffness(stiffness_rule(row.kind)), fine = stiffness(mass_rule(row.kind));
    CHECK((K - fine).cwiseAbs().maxCoeff() < 1e-14 * fine.cwiseAbs().maxCoeff());
  }
}

TEST_CASE("affine elements have the volume of their map") {
  for (const Row& row : kRows) {
    CAPTURE(info(row.kind).name);
    const int d = info(row.kind).dimension;
    const Eigen::Matrix3d A = skewed();
    const double exact =
        info(row.kind).volume * std::abs(test::determinant_of(A.topLeftCorner(d, d)));
    const Mesh mesh = affine_element(row.kind, A);
    CHECK(measure(mesh, 0) == doctest::Approx(exact).epsilon(1e-14));
    double sum = 0.0;
    for (const RulePoint& p : stiffness_rule(row.kind)) sum += p.weight * jacobian(mesh, 0, p.xi);
    CHECK(sum == doctest::Approx(exact).epsilon(1e-14));
  }
}

TEST_CASE("faces close: their areas add up to nothing, and their flux of x to the volume") {
  for (const Row& row : kRows) {
    CAPTURE(info(row.kind).name);
    CHECK(static_cast<int>(faces(row.kind).size()) == row.faces);
    if (row.faces == 0) continue;
    const int d = info(row.kind).dimension;
    const Mesh mesh = affine_element(row.kind, skewed());
    Vector3 area = Vector3::Zero();
    double flux = 0.0;
    for (const ElementFace& face : faces(row.kind)) {
      CHECK(info(face.kind).dimension == d - 1);
      for (const RulePoint& p : mass_rule(face.kind)) {
        const ShapeValues N = shape_values(face.kind, p.xi);
        const ShapeGradients D = shape_gradients(face.kind, p.xi);
        Vector3 x = Vector3::Zero();
        Eigen::Matrix3d J = Eigen::Matrix3d::Zero();
        for (int a = 0; a < N.size(); ++a) {
          const Vector3 X = mesh.nodes.col(face.node[static_cast<std::size_t>(a)]);
          x += N[a] * X;
          J += X * D.col(a).transpose();
        }
        const Vector3 normal =
            d == 3 ? Vector3(J.col(0).cross(J.col(1))) : Vector3(J(1, 0), -J(0, 0), 0.0);
        area += p.weight * normal;
        flux += p.weight * normal.dot(x);
      }
    }
    CHECK(area.norm() < 1e-14);
    CHECK(flux / d == doctest::Approx(measure(mesh, 0)).epsilon(1e-14));  // outward: positive
  }
}

// Boundary surfaces: closed, outwards, made of points of the body.
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "saltus/base/error.h"
#include "saltus/bodies/pseudo_rigid.h"
#include "saltus/fem/boundary_surface.h"
#include "saltus/fem/fem.h"

namespace saltus {
namespace {

/// The boundary surface as a mesh in the places of its vertices.
std::shared_ptr<const TriangleMesh> surface(const BoundarySurface& boundary, const Vector& places) {
  std::vector<Vector3> x;
  for (Eigen::Index i = 0; i < places.size(); i += 3) x.emplace_back(places.segment<3>(i));
  std::vector<std::array<int, 3>> triangles;
  for (const BoundaryFacet& facet : boundary.facets) triangles.push_back(facet.vertex);
  return triangle_mesh(std::move(x), std::move(triangles));
}
Vector places(const Dynamics& body, const Vector& q, std::span<const PointRef> at) {
  Vector x(3 * static_cast<Eigen::Index>(at.size()));
  body.points(0.0, q, at, x);
  return x;
}
/// The corners of every facet, as points of the facet, lie at its vertices.
void check_corners(const Dynamics& body, const Vector& q, const BoundarySurface& boundary) {
  const Vector x = places(body, q, boundary.vertices);
  std::vector<PointRef> corners;
  for (const BoundaryFacet& facet : boundary.facets)
    for (int k = 0; k < facet.corners(); ++k) corners.push_back(facet.point(Vector3::Unit(k)));
  const Vector y = places(body, q, corners);
  Eigen::Index next = 0;
  double off = 0.0;
  for (const BoundaryFacet& facet : boundary.facets)
    for (int k = 0; k < facet.corners(); ++k, ++next)
      off = std::max(off, (y.segment<3>(3 * next) -
                           x.segment<3>(3 * facet.vertex[static_cast<std::size_t>(k)]))
                              .norm());
  CHECK(off < 1e-14);
}

TEST_CASE("the boundary surface of a mesh is closed, looks outwards and moves with the nodes") {
  for (const ElementInfo& kind : element_kinds()) {
    if (kind.dimension < 3) continue;
    CAPTURE(kind.name);
    FemSystem system;
    system.mesh = box_mesh({kind.kind, {2, 3, 1}, {1.0, 1.5, 0.5}});
    system.materials = {FemMaterial{}};
    const BoundarySurface boundary = boundary_of(system.mesh, saltus::boundary(system.mesh));
    const Fem body(system);
    Vector q = Vector::Zero(body.positions());
    const auto mesh = surface(boundary, places(body, q, boundary.vertices));
    CHECK(mesh->closed);
    CHECK(moments(Shape(mesh)).volume == doctest::Approx(0.75));
    for (Eigen::Index i = 0; i < q.size(); ++i) q[i] = 0.01 * std::sin(double(7 * i));
    check_corners(body, q, boundary);
  }
}

TEST_CASE("edges of plane elements have the outside on their right, bars have ends") {
  for (const ElementKind kind :
       {ElementKind::tri3, ElementKind::tri6, ElementKind::quad4, ElementKind::quad8}) {
    FemSystem system;
    system.mesh = box_mesh({kind, {3, 2, 0}, {1.0, 2.0, 0.0}});
    system.materials = {FemMaterial{}};
    const BoundarySurface boundary = boundary_of(system.mesh, saltus::boundary(system.mesh));
    const Fem body(system);
    const Vector q = Vector::Zero(body.positions());
    const Vector x = places(body, q, boundary.vertices);
    const Vector3 middle(0.5, 1.0, 0.0);
    double around = 0.0;
    for (const BoundaryFacet& facet : boundary.facets) {
      REQUIRE(facet.corners() == 2);
      const Vector3 a = x.segment<3>(3 * facet.vertex[0]), b = x.segment<3>(3 * facet.vertex[1]);
      CHECK((b - a).cross(Vector3::UnitZ()).dot(0.5 * (a + b) - middle) > 0.0);
      around += (b - a).norm();
    }
    CHECK(around == doctest::Approx(6.0));
    check_corners(body, q, boundary);
  }
  const Mesh bar = box_mesh({ElementKind::bar3, {4, 0, 0}, {1.0, 0.0, 0.0}});
  const BoundarySurface ends = boundary_of(bar, {});
  REQUIRE(ends.vertices.size() == 2);
  CHECK(ends.facets.empty());
  CHECK(bar.nodes(0, ends.vertices[0].feature) == 0.0);
  CHECK(bar.nodes(0, ends.vertices[1].feature) == 1.0);
}

TEST_CASE(
    "round shapes are cut into facets no longer than asked for, with vertices on the surface") {
  const double pi = std::numbers::pi;
  const Sphere sphere{0.5};
  const Ellipsoid ellipsoid{{0.5, 0.3, 0.8}};
  const Capsule capsule{0.2, 0.6};
  const Cylinder cylinder{0.3, 0.4};
  const auto off = [&](const Shape& shape, const Vector3& x) {
    if (std::holds_alternative<Sphere>(shape)) return x.norm() - 0.5;
    if (std::holds_alternative<Ellipsoid>(shape))
      return x.cwiseQuotient(ellipsoid.radii).norm() - 1.0;
    if (std::holds_alternative<Capsule>(shape))
      return (x - std::clamp(x.z(), -0.6, 0.6) * Vector3::UnitZ()).norm() - 0.2;
    return std::max(x.head<2>().norm() - 0.3, std::abs(x.z()) - 0.4);
  };
  const std::pair<Shape, double> shapes[] = {{sphere, 4.0 / 3.0 * pi * 0.125},
                                             {ellipsoid, 4.0 / 3.0 * pi * 0.12},
                                             {capsule, pi * 0.04 * 1.2 + 4.0 / 3.0 * pi * 0.008},
                                             {cylinder, pi * 0.09 * 0.8}};
  for (const auto& [shape, volume] : shapes) {
    CAPTURE(shape_name(shape));
    double missing[2] = {0.0, 0.0};
    for (int fine = 0; fine < 2; ++fine) {
      const double size = fine ? 0.05 : 0.1;
      const BoundarySurface boundary = boundary_of(shape, 0, Vector3::Zero(), size);
      Vector x(3 * static_cast<Eigen::Index>(boundary.vertices.size()));
      double worst = 0.0;
      for (std::size_t i = 0; i < boundary.vertices.size(); ++i) {
        x.segment<3>(3 * static_cast<Eigen::Index>(i)) = boundary.vertices[i].local;
        worst = std::max(worst, std::abs(off(shape, boundary.vertices[i].local)));
      }
      CHECK(worst < 1e-15);
      const auto mesh = surface(boundary, x);
      CHECK(mesh->closed);
      double longest = 0.0;
      for (const auto& t : mesh->triangles)
        for (std::size_t k = 0; k < 3; ++k)
          longest = std::max(longest, (mesh->vertices[static_cast<std::size_t>(t[k])] -
                                       mesh->vertices[static_cast<std::size_t>(t[(k + 1) % 3])])
                                          .norm());
      CHECK(longest <= size * (1.0 + 1e-12));
      CHECK(longest > 0.5 * size);
      missing[fine] = volume - moments(Shape(mesh)).volume;
      CHECK(missing[fine] > 0.0);
    }
    CHECK(missing[0] / missing[1] > 2.5);  // of order 2, as the rings allow
    CHECK(missing[0] / missing[1] < 7.0);
  }
}

TEST_CASE("boxes, hulls and meshes keep their corners, about the centre of mass") {
  const Vector3 half(0.1, 0.2, 0.3), centre(1.0, 2.0, 3.0);
  PseudoRigidSystem system;
  system.bodies.assign(2, pseudo_rigid_body(moments(Box{half}), Material{}));
  const PseudoRigid body(system);
  Vector q(24);
  for (int b = 0; b < 2; ++b) q.segment<12>(12 * b) << 1.1, 0.2, 0, 0, 0.9, 0.1, 0, 0, 1.2, 5, 6, 7;
  std::vector<Vector3> corners;
  for (int i = 0; i < 8; ++i)
    corners.push_back(centre +
                      half.cwiseProduct(Vector3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1)));
  const BoundarySurface box = boundary_of(Box{half}, 1, Vector3::Zero(), 0.0);
  const BoundarySurface hull = boundary_of(convex_hull(corners), 1, centre, 0.0);
  for (const BoundarySurface& boundary : {box, hull}) {
    CHECK(boundary.vertices.size() == 8);
    CHECK(boundary.facets.size() == 12);
    for (const PointRef& v : boundary.vertices) {
      CHECK(v.body == 1);
      CHECK((v.local.cwiseAbs() - half).norm() < 1e-14);
    }
    const auto mesh = surface(boundary, places(body, q, boundary.vertices));
    CHECK(mesh->closed);
    Matrix3 F;
    F << 1.1, 0.2, 0, 0, 0.9, 0.1, 0, 0, 1.2;
    CHECK(moments(Shape(mesh)).volume == doctest::Approx(0.048 * F.determinant()));
    check_corners(body, q, boundary);
  }
}

TEST_CASE("what is no surface of a body is refused") {
  CHECK_THROWS_WITH_AS(boundary_of(Plane{}, 0, Vector3::Zero(), 0.1), doctest::Contains("plane"),
                       UsageError);
  CHECK_THROWS_WITH_AS(boundary_of(Sphere{1.0}, 0, Vector3::Zero(), 0.0), doctest::Contains("size"),
                       UsageError);
  CHECK_THROWS_WITH_AS(boundary_of(Sphere{1.0}, 0, Vector3::Zero(), 1e-5),
                       doctest::Contains("4194304"), UsageError);
  const Mesh mesh = box_mesh({});
  const std::vector<MeshFace> twice{{0, 1}, {0, 1}}, none{{1, 0}};
  CHECK_THROWS_WITH_AS(boundary_of(mesh, twice), doctest::Contains("twice"), UsageError);
  CHECK_THROWS_WITH_AS(boundary_of(mesh, none), doctest::Contains("element 1"), UsageError);
}

}  // namespace
}  // namespace saltus

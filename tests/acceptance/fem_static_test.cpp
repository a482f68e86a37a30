// Static answers of meshes that come to rest: the elastica, the ellipse LE1 of NAFEMS, a thick cylinder under pressure.
#include <doctest/doctest.h>
#include <cmath>
#include <memory>
#include <numbers>
#include <vector>

#include "../support/elastica.h"
#include "saltus/fem/critical_step.h"
#include "saltus/fem/fem.h"
#include "saltus/schemes/registry.h"

using namespace saltus;
using namespace saltus::test;

namespace {

constexpr double pi = std::numbers::pi;

FemSystem plane(Mesh mesh, double young, double poisson, PlaneState state, double thickness) {
  FemSystem system;
  system.mesh = std::move(mesh);
  FemMaterial material;
  material.material.law = MaterialLaw::linear;
  material.material.young = young;
  material.material.poisson = poisson;
  material.plane = state;
  material.thickness = thickness;
  system.materials.push_back(material);
  return system;
}

void hold(FemSystem& system, const std::string& side, int axis) {
  for (const Prescribed& p : fixed_nodes(system.mesh.node_sets.at(side), std::vector<int>{axis}))
    system.prescribed.push_back(p);
}

/// Dynamic relaxation: def-exp at 0.9 of the step that motion_bound() allows, damped by the mass at twice the lowest
/// frequency that the displacements on the way show.
Vector relaxed(FemSystem system, double damping, double tolerance) {
  system.rayleigh.mass = damping;
  const auto body = std::make_shared<Fem>(std::move(system));
  const Vector zero = Vector::Zero(body->positions());
  const double h =
      0.9 * critical_step(*make_scheme(DefExpOptions{}), motion_bound(*body, 0.0, zero));
  const Model model(one_group({body, zero, zero}, DefExpOptions{}, h));
  Simulation sim(model);
  Vector f(zero.size());
  body->force(0.0, zero, zero, f);
  const double load = f.norm();
  for (int step = 0; step < 200000; ++step) {
    sim.advance();
    if (step % 100 != 0) continue;
    body->force(0.0, sim.state().groups[0].q, zero, f);
    if (f.norm() < tolerance * load) return sim.state().groups[0].q;
  }
  FAIL("the mesh did not come to rest");
  return zero;
}

Vector solved(const FemSystem& system) {
  const Fem body(system);
  const Vector zero = Vector::Zero(body.positions());
  Vector u(zero.size());
  body.force(0.0, zero, zero, u);
  Factor K;
  body.factorise({0.0, 0.0, 1.0}, 0.0, zero, zero, K);
  solve(K, u);
  return u;
}

/// NAFEMS LE1: quarter of an elliptic membrane 0.1 m thick, 10 MPa outward on its outer edge; stress in MPa at D = (2, 0).
struct Le1 {
  FemSystem system;
  int D = 0;
};
Le1 le1(ElementKind kind, int radial, int around) {
  Mesh mesh = box_mesh({kind, {radial, around, 0}, Vector3(1.0, 1.0, 0.0), Vector3::Zero()});
  mesh = moved(std::move(mesh), [](const Vector3& s) {
    // finer to the inner edge and to D
    const double out = s.x() * (0.4 + 0.6 * s.x()), angle = 0.5 * pi * s.y() * (0.4 + 0.6 * s.y());
    return Vector3((2.0 + 1.25 * out) * std::cos(angle), (1.0 + 1.75 * out) * std::sin(angle), 0.0);
  });
  Le1 made{plane(std::move(mesh), 210e3, 0.3, PlaneState::stress, 0.1), 0};
  made.system.materials[0].material.density = 7.8e-3;
  hold(made.system, "y0", 1);  // CD
  hold(made.system, "y1", 0);  // AB
  made.system.loads.push_back(pressure_load(made.system.mesh, made.system.mesh.face_sets.at("x1"),
                                            -10.0, Signal::constant(1.0), 0.1));
  (made.system.mesh.nodes.colwise() - Vector3(2.0, 0.0, 0.0)).colwise().norm().minCoeff(&made.D);
  return made;
}

double hoop_at_D(const Le1& made, const Vector& q) {
  const Fem body(made.system);
  Matrix stress(6, made.system.mesh.nodes.cols());
  body.nodal_stress(0.0, q, stress);
  return stress(1, made.D);
}

}  // namespace

TEST_CASE("the tip of the elastica is that of the literature") {
  // K. E. Bisshopp, D. C. Drucker 1945; four digits of the tables of K. Mattiasson 1981
  CHECK(elastica(1.0).y == doctest::Approx(0.30172).epsilon(2e-5));
  CHECK(1.0 - elastica(1.0).x == doctest::Approx(0.05643).epsilon(1e-4));
  CHECK(elastica(10.0).y == doctest::Approx(0.81061).epsilon(1e-5));
  CHECK(1.0 - elastica(10.0).x == doctest::Approx(0.55500).epsilon(1e-5));
}

TEST_CASE(
    "a cantilever bent to 0.8 of its length comes to rest on the elastica, closer on finer "
    "meshes") {
  for (const ElementKind kind : {ElementKind::quad8, ElementKind::tri6}) {
    double before = 1.0;
    for (const int n : {5, 10, 20}) {
      const double off = distance({kind, n, 0.3});
      CAPTURE(n);
      CHECK(off < before / 4.0);
      before = off;
    }
    CHECK(before < 0.005);
  }
}

TEST_CASE(
    "NAFEMS LE1: 92.7 MPa at the inner edge of the ellipse, by dynamic relaxation and by one "
    "solve") {
  for (const ElementKind kind : {ElementKind::quad8, ElementKind::tri6}) {
    double before = 1e9;
    for (const int n : {2, 4, 8, 16}) {
      const Le1 made = le1(kind, n, 2 * n);
      const double off = std::abs(hoop_at_D(made, solved(made.system)) / 92.7 - 1.0);
      CHECK(off < before);
      before = off;
    }
    CHECK(before < 0.01);
  }
  const Le1 made = le1(ElementKind::quad8, 4, 8);
  const Vector q = relaxed(made.system, 1500.0, 1e-8), u = solved(made.system);
  CHECK((q - u).norm() < 1e-6 * u.norm());
  CHECK(hoop_at_D(made, q) == doctest::Approx(92.7).epsilon(0.01));
}

TEST_CASE("a thick cylinder under inner pressure takes the displacements and stresses of Lame") {
  const double a = 1.0, b = 2.0, p = 3.0, E = 100.0, nu = 0.3;
  for (const PlaneState state : {PlaneState::strain, PlaneState::stress})
    for (const ElementKind kind : {ElementKind::quad4, ElementKind::quad8, ElementKind::tri6}) {
      double before_u = 1.0, before_s = 1.0;
      for (const int n : {4, 8, 16}) {
        Mesh mesh = box_mesh({kind, {n, n, 0}, Vector3(1.0, 1.0, 0.0), Vector3::Zero()});
        mesh = moved(std::move(mesh), [&](const Vector3& s) {
          const double r = a + (b - a) * s.x(), angle = 0.5 * pi * s.y();
          return Vector3(r * std::cos(angle), r * std::sin(angle), 0.0);
        });
        FemSystem system = plane(std::move(mesh), E, nu, state, 0.4);
        hold(system, "y0", 1);
        hold(system, "y1", 0);
        system.loads.push_back(pressure_load(system.mesh, system.mesh.face_sets.at("x0"), p,
                                             Signal::constant(1.0), 0.4));
        const Vector q = solved(system);
        const Fem body(system);
        Vector all(3 * system.mesh.nodes.cols());
        body.full(0.0, q, all);
        Matrix stress(6, system.mesh.nodes.cols());
        body.nodal_stress(0.0, q, stress);
        // u_r = (1 + nu)/E p a^2/(b^2 - a^2) [ kappa r + b^2/r ]
        const double kappa = state == PlaneState::strain ? 1.0 - 2.0 * nu : (1.0 - nu) / (1.0 + nu);
        const double scale = p * a * a / (b * b - a * a);
        double off_u = 0.0, off_s = 0.0;
        for (Eigen::Index i = 0; i < system.mesh.nodes.cols(); ++i) {
          const Vector3 X = system.mesh.nodes.col(i), e = X.normalized();
          const double r = X.norm();
          const double exact = (1.0 + nu) / E * scale * (kappa * r + b * b / r);
          off_u = std::max(off_u, (all.segment<3>(3 * i) - exact * e).norm());
          const double hoop = scale * (1.0 + b * b / (r * r));
          const double measured = stress(0, i) * e.y() * e.y() + stress(1, i) * e.x() * e.x() -
                                  2.0 * stress(3, i) * e.x() * e.y();
          off_s = std::max(off_s, std::abs(measured - hoop));
        }
        off_u /= (1.0 + nu) / E * scale * (kappa * a + b * b / a);
        off_s /= scale * (1.0 + b * b / (a * a));
        CHECK(off_u < before_u / 3.0);
        CHECK(off_s < before_s);
        before_u = off_u;
        before_s = off_s;
      }
      CHECK(before_u < 2e-3);
      CHECK(before_s < (kind == ElementKind::quad4 ? 0.05 : 0.01));
    }
}

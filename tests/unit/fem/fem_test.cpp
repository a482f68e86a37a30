#include "saltus/fem/fem.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>
#include <string>
#include <vector>

#include "fem_meshes.h"
#include "saltus/base/error.h"
#include "unit/bodies/body_checks.h"

using namespace saltus;
using namespace saltus::test;

namespace {

/// Worst figure of a table of elements and laws, for the log.
struct Worst {
  double value = 0.0;
  std::string where;
  void add(double error, const std::string& at) {
    if (error > value) {
      value = error;
      where = at;
    }
  }
  std::string text() const { return fmt::format("{:.1e}, {}", value, where); }
};

/// Displacements of a moderate strain that is different everywhere.
Vector shaken(const Fem& body, double size = 0.012) {
  Vector q(body.positions());
  for (Eigen::Index i = 0; i < q.size(); ++i)
    q[i] = size * std::sin(1.7 * static_cast<double>(i * i % 23) + 0.3 * static_cast<double>(i));
  return q;
}

/// Fixed directions in which derivatives are taken.
Vector direction(const Fem& body, int k) {
  Vector w(body.positions());
  for (Eigen::Index i = 0; i < w.size(); ++i)
    w[i] = std::cos(2.3 * static_cast<double>((k + 1) * i) + k);
  return w;
}

/// Derivative at 0 to the eighth order in the step: round-off is all that is left.
template <class Function>
auto derivative(const Function& f, double h) -> decltype(f(h)) {
  return ((4.0 / 5.0 * (f(h) - f(-h)) - 1.0 / 5.0 * (f(2 * h) - f(-2 * h)) +
           4.0 / 105.0 * (f(3 * h) - f(-3 * h)) - 1.0 / 280.0 * (f(4 * h) - f(-4 * h))) /
          h);
}

Vector potential_force(const Fem& body, const Vector& q) {
  Vector f(body.velocities());
  body.potential_force(0.0, q, f);
  return f;
}

Vector product(const Fem& body, Combination s, const Vector& q, const Vector& v, const Vector& x) {
  Vector y(body.velocities());
  body.multiply(s, 0.0, q, v, x, y);
  return y;
}

}  // namespace

TEST_CASE("patch test: distorted meshes of every element and law take up a constant strain") {
  Worst displacement, stress;
  for (const FemCase& c : fem_cases()) {
    CAPTURE(c.name);
    const Matrix3 F = c.stretch();
    FemSystem system = c.system(distorted(c.kind));
    for (int a : outer_nodes(system.mesh))
      for (int axis = 0; axis < system.mesh.dimension; ++axis)
        system.prescribed.push_back(
            {3 * a + axis,
             Signal::constant(((F - Matrix3::Identity()) * system.mesh.nodes.col(a))[axis])});
    const Fem body(system);
    REQUIRE(body.positions() > 0);
    Vector q = shaken(body, 0.02), r(q.size());
    for (int a = 0; a < system.mesh.nodes.cols(); ++a)
      for (int axis = 0; axis < 3; ++axis)
        if (const int i = body.free_index(3 * a + axis); i >= 0)
          q[i] += ((F - Matrix3::Identity()) * system.mesh.nodes.col(a))[axis];
    for (int k = 0; k < 12; ++k) {  // Newton's method
      r = potential_force(body, q);
      Factor A;
      body.factorise({0.0, 0.0, 1.0}, 0.0, q, q, A);
      solve(A, r);
      q += r;
    }
    Vector all(3 * system.mesh.nodes.cols());
    body.full(0.0, q, all);
    double worst = 0.0;
    for (Eigen::Index a = 0; a < system.mesh.nodes.cols(); ++a)
      worst = std::max(
          worst,
          (all.segment<3>(3 * a) - (F - Matrix3::Identity()) * system.mesh.nodes.col(a)).norm());
    CHECK(worst < 1e-12);
    displacement.add(worst, c.name);
    const Matrix3 first = body.stress(0.0, q, 0, 0);
    CHECK(first.norm() > 1.0);
    for (int e = 0; e < body.mesh().elements(); ++e)
      for (int g = 0; g < body.stress_points(e); ++g) {
        const double off = (body.stress(0.0, q, e, g) - first).norm() / first.norm();
        CHECK(off < 1e-10);
        stress.add(off, c.name);
      }
    Matrix nodal(6, system.mesh.nodes.cols());
    body.nodal_stress(0.0, q, nodal);
    CHECK((nodal.row(0).array() - first(0, 0)).abs().maxCoeff() < 1e-9 * first.norm());
    CHECK((nodal.row(3).array() - first(0, 1)).abs().maxCoeff() < 1e-9 * first.norm());
  }
  MESSAGE("displacement " << displacement.text() << "; stress " << stress.text());
}

TEST_CASE("the stress of a patch is that of its law, closed in plane stress and bars") {
  for (const FemCase& c : fem_cases()) {
    CAPTURE(c.name);
    const Matrix3 F = c.stretch();
    const Fem body(c.system(distorted(c.kind)));
    Vector q(body.positions());
    for (int a = 0; a < body.mesh().nodes.cols(); ++a)
      for (int axis = 0; axis < body.mesh().dimension; ++axis)
        q[body.free_index(3 * a + axis)] =
            ((F - Matrix3::Identity()) * body.mesh().nodes.col(a))[axis];
    const Matrix3 sigma = body.stress(0.0, q, 0, 0);
    const Material m = c.material();
    const int d = body.mesh().dimension;
    if (d == 3 || (d == 2 && c.plane == PlaneState::strain)) {
      const Matrix3 P = first_piola(m, F);
      CHECK((sigma - (m.law == MaterialLaw::linear ? P : cauchy(P, F))).norm() <
            1e-12 * sigma.norm());
    } else {
      CHECK(std::abs(sigma(2, 2)) < 1e-12 * sigma.norm());
      if (d == 1) CHECK(std::abs(sigma(1, 1)) < 1e-12 * sigma.norm());
      // small strains: E in a bar, E/(1 - nu^2) across the plane
      const double E = m.mu() * (3.0 * m.lambda() + 2.0 * m.mu()) / (m.lambda() + m.mu()),
                   nu = 0.5 * m.lambda() / (m.lambda() + m.mu()), small = 1e-6;
      Vector tiny = Vector::Zero(body.positions());
      for (int a = 0; a < body.mesh().nodes.cols(); ++a)
        tiny[body.free_index(3 * a)] = small * body.mesh().nodes(0, a);
      const double wanted = (d == 1 ? E : E / (1.0 - nu * nu)) * small;
      CHECK(body.stress(0.0, tiny, 0, 0)(0, 0) == doctest::Approx(wanted).epsilon(1e-5));
    }
  }
}

TEST_CASE("forces are the gradient of the energy, tangents that of the forces, to 1e-10") {
  Worst gradient, tangent;
  for (const FemCase& c : fem_cases()) {
    CAPTURE(c.name);
    FemSystem system = c.system(distorted(c.kind));
    system.gravity.head(system.mesh.dimension).setConstant(-3.0);
    const Fem body(system);
    const Vector q = shaken(body), f = potential_force(body, q), still = Vector::Zero(q.size());
    for (int k = 0; k < 2; ++k) {
      const Vector w = direction(body, k);
      const double slope = derivative(
          [&](double s) { return body.energy(0.0, Vector(q + s * w), still).potential; }, 4e-4);
      const double off = std::abs(slope + f.dot(w)) / (f.norm() * w.norm());
      CHECK(off < 1e-10);
      gradient.add(off, c.name);
      const Vector K = product(body, {0.0, 0.0, 1.0}, q, still, w);
      const Vector change = derivative(
          [&](double s) -> Vector { return potential_force(body, Vector(q + s * w)); }, 4e-4);
      const double away = (K + change).norm() / K.norm();
      CHECK(away < 1e-10);
      tangent.add(away, c.name);
    }
  }
  MESSAGE("gradient " << gradient.text() << "; tangent " << tangent.text());
}

TEST_CASE("bodies at rest have no force to the bit, and small strains are as exact as large ones") {
  Worst force, energy;
  for (const FemForm form : {FemForm::total_lagrangian, FemForm::body_corotational})
    for (const FemCase& c : fem_cases()) {
      if (form == FemForm::body_corotational && c.law != MaterialLaw::linear) continue;
      if (form == FemForm::body_corotational && info(c.kind).dimension == 1) continue;
      CAPTURE(c.name);
      FemSystem system = c.system(distorted(c.kind));
      system.form = form;
      const Fem body(system);
      const Vector still = Vector::Zero(body.positions()), shape = shaken(body, 1.0);
      CHECK((potential_force(body, still).array() == 0.0).all());
      CHECK(body.energy(0.0, still, still).potential == 0.0);
      // Under body_corotational K about rest is that of what turns nothing.
      const Vector K = form == FemForm::total_lagrangian
                           ? product(body, {0.0, 0.0, 1.0}, still, still, shape)
                           : Vector(-1e30 * potential_force(body, Vector(1e-30 * shape)));
      const double twice = shape.dot(K);
      for (const double size : {1e-9, 1e-16, 1e-30}) {
        CAPTURE(size);
        const Vector q = size * shape;
        const double off = (potential_force(body, q) / size + K).norm() / K.norm(),
                     V = body.energy(0.0, q, still).potential,
                     away = std::abs(2.0 * V / (size * size) - twice) / twice;
        CHECK(off <= 1e-13 + 100.0 * size);
        force.add(off - 100.0 * size, c.name);
        if (c.law == MaterialLaw::mooney_rivlin)
          continue;  // its energy is a difference of first order
        CHECK(away <= 1e-13 + 100.0 * size);
        energy.add(away - 100.0 * size, c.name);
      }
    }
  MESSAGE("force " << force.text() << "; energy " << energy.text());
}

TEST_CASE(
    "the assembled operator is the product, symmetric to the bit, and its factor inverts it") {
  for (const FemCase& c : fem_cases()) {
    CAPTURE(c.name);
    for (const MassForm mass : {MassForm::lumped, MassForm::consistent})
      for (const Viscosity viscosity : {Viscosity::current_tangent, Viscosity::strain_rate}) {
        FemSystem system = c.system(distorted(c.kind));
        system.mass = mass;
        system.viscosity = viscosity;
        system.rayleigh = {0.3, 0.02};
        system.prescribed = fixed_nodes(std::vector{0, 1}, std::vector{0});
        const Fem body(system);
        const Vector q = shaken(body), v = direction(body, 5);
        Factor A;
        for (const Combination s : {Combination{1.0, 0.02, 0.005}, Combination{1.0, 0.0, 0.0}}) {
          body.factorise(s, 0.0, q, v, A);
          const Vector w = direction(body, 1);
          Vector x = product(body, s, q, v, w);
          solve(A, x);
          CHECK((x - w).norm() < 1e-11 * w.norm());
          CHECK(symmetric(A));
          CHECK(std::holds_alternative<Diagonal>(A.form) ==
                (mass == MassForm::lumped && s.c == 0.0));
        }
      }
  }
}

TEST_CASE("a large rotation of a strained mesh turns forces and stress and leaves the energy") {
  Worst force, stress, rest, viscous;
  for (const FemCase& c : fem_cases()) {
    if (c.law == MaterialLaw::linear || info(c.kind).dimension == 1) continue;
    CAPTURE(c.name);
    FemSystem system = c.system(distorted(c.kind));
    const int d = system.mesh.dimension;
    system.viscosity = Viscosity::strain_rate;
    system.rayleigh.stiffness = 0.1;
    const Fem body(system);
    const Eigen::Matrix3Xd X = system.mesh.nodes;
    const Matrix3 R =
        exp_rotation(d == 3 ? Vector3(1.4, -1.9, 0.8) : Vector3(0.0, 0.0, 2.4)).toRotationMatrix();
    const Vector q = shaken(body);
    const auto turned = [&](const Vector& u) {
      Vector out(u.size());
      for (Eigen::Index a = 0; a < X.cols(); ++a) {
        Vector3 x = X.col(a);
        x.head(d) += u.segment(d * a, d);
        out.segment(d * a, d) = (R * x - X.col(a) + Vector3(0.7, -0.2, 0.4)).head(d);
      }
      return out;
    };
    const Vector p = turned(q), f = potential_force(body, q), g = potential_force(body, p);
    double off = 0.0;
    for (Eigen::Index a = 0; a < X.cols(); ++a) {
      Vector3 at = Vector3::Zero();
      at.head(d) = f.segment(d * a, d);
      off = std::max(off, ((R * at).head(d) - g.segment(d * a, d)).norm());
    }
    CHECK(off < 1e-10 * f.norm());
    force.add(off / f.norm(), c.name);
    const Vector still = Vector::Zero(q.size());
    CHECK(body.energy(0.0, p, still).potential ==
          doctest::Approx(body.energy(0.0, q, still).potential).epsilon(1e-11));
    const Matrix3 sigma = body.stress(0.0, q, 0, 0), after = body.stress(0.0, p, 0, 0);
    stress.add((after - R * sigma * R.transpose()).norm() / sigma.norm(), c.name);
    CHECK((after - R * sigma * R.transpose()).norm() < 1e-10 * sigma.norm());
    // without strain no force at all
    const double none = potential_force(body, turned(still)).norm() / f.norm();
    CHECK(none < 1e-10);
    rest.add(none, c.name);
    // rigid motion of the strained mesh: v = v0 + omega x x
    Vector v(q.size());
    const Vector3 omega = d == 3 ? Vector3(2.0, -1.0, 3.0) : Vector3(0.0, 0.0, 3.0);
    for (Eigen::Index a = 0; a < X.cols(); ++a) {
      Vector3 x = X.col(a);
      x.head(d) += q.segment(d * a, d);
      v.segment(d * a, d) = (Vector3(0.5, 0.1, -0.3) + omega.cross(x)).head(d);
    }
    const Vector damping = saltus::test::force(body, 0.0, q, v) - f;
    CHECK(damping.norm() < 1e-10 * f.norm());
    viscous.add(damping.norm() / f.norm(), c.name);
  }
  MESSAGE("force " << force.text() << "; stress " << stress.text() << "; at rest " << rest.text()
                   << "; damping " << viscous.text());
}

TEST_CASE("a bar that turns with its load keeps its force along itself") {
  for (const MaterialLaw law : {MaterialLaw::st_venant_kirchhoff, MaterialLaw::neo_hooke,
                                MaterialLaw::mooney_rivlin, MaterialLaw::corotated}) {
    FemCase c{ElementKind::bar3, law, PlaneState::strain, std::string(name_of(law))};
    CAPTURE(c.name);
    FemSystem system = c.system(distorted(c.kind));
    system.mesh.dimension = 3;
    system.viscosity = Viscosity::strain_rate;
    system.rayleigh.stiffness = 0.1;
    const Fem body(system);
    const Matrix3 R = exp_rotation(Vector3(0.4, 1.1, -2.0)).toRotationMatrix();
    Vector along(body.positions()), turned(along.size()), v(along.size());
    const Eigen::Matrix3Xd X = system.mesh.nodes;
    for (Eigen::Index a = 0; a < X.cols(); ++a) {
      along.segment<3>(3 * a) = 0.1 * X.col(a) * X(0, a);
      const Vector3 x = X.col(a) + along.segment<3>(3 * a);
      turned.segment<3>(3 * a) = R * x - X.col(a);
      v.segment<3>(3 * a) = Vector3(1.0, 2.0, -0.5).cross(R * x);
    }
    const Vector f = potential_force(body, along), g = potential_force(body, turned);
    for (Eigen::Index a = 0; a < X.cols(); ++a)
      CHECK((R * f.segment<3>(3 * a) - g.segment<3>(3 * a)).norm() < 1e-12 * f.norm());
    CHECK((force(body, 0.0, turned, v) - g).norm() < 1e-12 * f.norm());
    for (int k = 0; k < 3; ++k) {  // tangents with their turning part
      const Vector w = direction(body, k), K = product(body, {0, 0, 1}, turned, v, w);
      const Vector change = derivative(
          [&](double s) -> Vector { return potential_force(body, Vector(turned + s * w)); }, 5e-4);
      CHECK((K + change).norm() < 1e-10 * K.norm());
    }
  }
}

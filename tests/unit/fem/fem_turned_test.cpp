// Bodies that turn as a whole with small strains (body_corotational).
#include <doctest/doctest.h>

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

constexpr ElementKind kKinds[] = {ElementKind::tet4, ElementKind::hex8, ElementKind::tet10,
                                  ElementKind::tri6, ElementKind::quad4};

FemSystem turning(ElementKind kind, FemForm form = FemForm::body_corotational) {
  const FemCase c{kind, MaterialLaw::linear, PlaneState::strain, ""};
  FemSystem s = c.system(distorted(kind));
  s.form = form;
  return s;
}

Vector wave(Eigen::Index n, double size, double phase) {
  Vector x(n);
  for (Eigen::Index i = 0; i < n; ++i) x[i] = size * std::sin(1.9 * static_cast<double>(i) + phase);
  return x;
}

Vector3 at(const Vector& q, int node, int d) {
  Vector3 x = Vector3::Zero();
  x.head(d) = q.segment(d * node, d);
  return x;
}

Matrix3 turn(int d) {
  return Eigen::AngleAxisd(1.2,
                           d == 2 ? Vector3(0.0, 0.0, 1.0) : Vector3(2.0, -1.0, 0.5).normalized())
      .matrix();
}

/// Every vector of q turned by Q.
Vector turned(const Vector& q, int d, const Matrix3& Q) {
  Vector out(q.size());
  for (int a = 0; a < q.size() / d; ++a) out.segment(d * a, d) = (Q * at(q, a, d)).head(d);
  return out;
}

/// q of the places Q (X + q) + shift.
Vector moved(const Fem& body, const Vector& q, const Matrix3& Q, const Vector3& shift) {
  const int d = body.mesh().dimension;
  Vector out(q.size());
  for (int a = 0; a < q.size() / d; ++a) {
    const Vector3 X = body.mesh().nodes.col(a);
    out.segment(d * a, d) = (Q * (X + at(q, a, d)) + shift - X).head(d);
  }
  return out;
}

}  // namespace

TEST_CASE("a turned body has the turned force, tangent and damping, and the same energy") {
  for (const ElementKind kind : kKinds)
    for (const Viscosity viscosity : {Viscosity::current_tangent, Viscosity::strain_rate}) {
      CAPTURE(info(kind).name);
      FemSystem system = turning(kind);
      system.viscosity = viscosity;
      system.rayleigh = {0.0, 0.02};
      const Fem body(system);
      const int d = body.mesh().dimension;
      const Eigen::Index n = body.positions();
      const Matrix3 Q = turn(d);
      const Vector q = wave(n, 0.02, 0.3), v = wave(n, 0.4, 1.1), zero = Vector::Zero(n);
      const Vector there =
          moved(body, q, Q, d == 2 ? Vector3(3.0, -2.0, 0.0) : Vector3(3.0, -2.0, 5.0));
      const Vector f = force(body, 0.0, q, v);
      CHECK(largest(force(body, 0.0, there, turned(v, d, Q)) - turned(f, d, Q)) <
            1e-12 * largest(f));
      CHECK(body.energy(0.0, there, zero).potential ==
            doctest::Approx(body.energy(0.0, q, zero).potential).epsilon(1e-12));
      Vector here(n), other(n);
      body.multiply({1.3, 0.4, 0.2}, 0.0, q, zero, v, here);
      body.multiply({1.3, 0.4, 0.2}, 0.0, there, zero, turned(v, d, Q), other);
      CHECK(largest(other - turned(here, d, Q)) < 1e-12 * largest(here));
      const Matrix3 s = body.stress(0.0, q, 1, 0), t = body.stress(0.0, there, 1, 0);
      CHECK((t - Q * s * Q.transpose()).norm() < 1e-12 * s.norm());
      // rigid motion strains nothing
      const Vector rigid = moved(body, zero, Q, Vector3::Zero());
      CHECK(largest(force(body, 0.0, rigid, zero)) < 1e-12 * largest(f));
    }
}

TEST_CASE("the force is the gradient of the energy and turns nothing") {
  for (const ElementKind kind : kKinds) {
    CAPTURE(info(kind).name);
    const Fem body(turning(kind));
    const int d = body.mesh().dimension;
    const Eigen::Index n = body.positions();
    const Vector zero = Vector::Zero(n);
    // large strains, at which the second part of the gradient counts
    const Vector q = moved(body, wave(n, 0.08, 0.3), turn(d), Vector3::Zero());
    const Vector f = force(body, 0.0, q, zero);
    for (int k = 0; k < 3; ++k) {
      const Vector w = wave(n, 1.0, 0.7 * k);
      const auto energy = [&](double s) {
        const Vector there = q + s * w;
        return body.energy(0.0, there, zero).potential;
      };
      const double h = 2e-3;
      const double slope =
          (4.0 / 5.0 * (energy(h) - energy(-h)) - 1.0 / 5.0 * (energy(2 * h) - energy(-2 * h)) +
           4.0 / 105.0 * (energy(3 * h) - energy(-3 * h)) -
           1.0 / 280.0 * (energy(4 * h) - energy(-4 * h))) /
          h;
      CHECK(std::abs(slope + f.dot(w)) < 1e-9 * f.norm() * w.norm());
    }
    Vector3 sum = Vector3::Zero(), moment = Vector3::Zero();
    for (int a = 0; a < n / d; ++a) {
      sum += at(f, a, d);
      moment += (body.mesh().nodes.col(a) + at(q, a, d)).cross(at(f, a, d));
    }
    CHECK(sum.norm() < 1e-12 * f.norm());
    CHECK(moment.norm() < 1e-12 * f.norm());
  }
}

TEST_CASE("at small strains and turns it is the linear body") {
  for (const ElementKind kind : kKinds) {
    CAPTURE(info(kind).name);
    FemSystem system = turning(kind), straight = turning(kind, FemForm::total_lagrangian);
    const Fem body(system), linear(straight);
    CHECK_FALSE(has(body.traits(), Trait::affine));
    CHECK(has(linear.traits(), Trait::affine));
    const Eigen::Index n = body.positions();
    const Vector zero = Vector::Zero(n);
    double before = 0.0;
    for (const double size : {1e-3, 1e-4}) {
      const Vector q = wave(n, size, 0.3), f = force(linear, 0.0, q, zero);
      const double off = largest(force(body, 0.0, q, zero) - f) / largest(f);
      CHECK(off < 20.0 * size);
      if (before > 0.0) CHECK(off < 0.11 * before);
      before = off;
    }
  }
}

TEST_CASE("A = R (m M + k K0) R^T is solved with one factor in every place") {
  for (const ElementKind kind : kKinds)
    for (const auto solver : {FemSolver::Kind::direct, FemSolver::Kind::conjugate_gradients})
      for (const MassForm mass : {MassForm::lumped, MassForm::consistent}) {
        CAPTURE(info(kind).name);
        FemSystem system = turning(kind);
        system.solver.kind = solver;
        system.solver.tolerance = 1e-13;
        system.mass = mass;
        system.rayleigh = {0.1, 0.02};
        const Fem body(system);
        const int d = body.mesh().dimension;
        const Eigen::Index n = body.positions();
        const Combination s{1.0, 0.05, 0.01};
        const Vector zero = Vector::Zero(n), b = wave(n, 1.0, 0.4);
        Factor A;
        const Operator* first = nullptr;
        for (const double size : {0.0, 1.0}) {
          const Vector q = moved(body, wave(n, 0.02, size),
                                 size == 0.0 ? Matrix3::Identity() : turn(d), Vector3::Zero());
          body.factorise(s, 0.0, q, zero, A);
          Vector x = b, y(n);
          solve(A, x);
          body.multiply(s, 0.0, q, zero, x, y);
          CHECK(largest(y - b) < 1e-11);
          CHECK(symmetric(A));
          // three rows of two entries each
          const std::vector<int> offset{0, 2, 4, 6}, column{0, 3, 1, 4, 1, 2};
          const std::vector<double> value{1.0, -0.5, 0.3, 0.7, 1.1, 0.4};
          Matrix W = Matrix::Zero(3, 3), X = Matrix::Zero(n, 3);
          for (std::size_t k = 0; k < 6; ++k)
            X(column[k], static_cast<Eigen::Index>(k / 2)) += value[k];
          const Matrix H = X;
          solve(A, X);
          if (response(A, {offset, column, value}, W))
            CHECK(largest(W - H.transpose() * X) < 1e-12 * largest(W));
          const Operator* now = std::get<std::unique_ptr<Operator>>(A.form).get();
          CHECK((first == nullptr || first == now));
          first = now;
        }
      }
}

TEST_CASE(
    "damping by the rate of strain leaves rigid motion alone and takes energy from any other") {
  for (const ElementKind kind : kKinds) {
    CAPTURE(info(kind).name);
    FemSystem system = turning(kind);
    system.viscosity = Viscosity::strain_rate;
    system.rayleigh = {0.0, 0.02};
    const Fem body(system);
    const int d = body.mesh().dimension;
    const Eigen::Index n = body.positions();
    const Vector q = moved(body, wave(n, 0.05, 0.3), turn(d), Vector3::Zero()),
                 zero = Vector::Zero(n);
    const Vector3 spin = d == 2 ? Vector3(0.0, 0.0, 2.0) : Vector3(1.0, -2.0, 0.5);
    Vector v(n);
    for (int a = 0; a < n / d; ++a)
      v.segment(d * a, d) = (Vector3(0.3, 0.1, d == 2 ? 0.0 : 0.2) +
                             spin.cross(body.mesh().nodes.col(a) + at(q, a, d)))
                                .head(d);
    const Vector elastic = force(body, 0.0, q, zero), w = wave(n, 1.0, 0.9);
    CHECK(largest(force(body, 0.0, q, v) - elastic) < 1e-12 * largest(elastic));
    CHECK(w.dot(force(body, 0.0, q, w) - elastic) < 0.0);
    // C is exact and symmetric
    const Matrix C = matrix(body, {0.0, 1.0, 0.0}, q, zero);
    CHECK(largest(C - C.transpose()) < 1e-12 * largest(C));
    CHECK(largest(C * w - (elastic - force(body, 0.0, q, w))) < 1e-11 * largest(C));
  }
}

TEST_CASE("what a turning body cannot be is refused") {
  const auto refusal = [](const FemSystem& system) -> std::string {
    try {
      const Fem body(system);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  };
  const auto contains = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  FemSystem bad = turning(ElementKind::tet4);
  CHECK(refusal(bad) == "");
  bad.materials[0].material.law = MaterialLaw::neo_hooke;
  CHECK(contains(refusal(bad), "body_corotational supports only the linear law"));
  bad = turning(ElementKind::tet4);
  bad.prescribed = {{0, Signal::constant(0.0)}};
  CHECK(contains(refusal(bad), "body_corotational does not support prescribed motion"));
  bad = turning(ElementKind::bar2);
  CHECK(contains(refusal(bad), "needs a body that can rotate"));
  bad = turning(ElementKind::tet4);
  bad.solver.tolerance = 1.0;
  CHECK(contains(refusal(bad), "the solver needs a tolerance in [0, 1)"));
}

// Bounds of the fastest motion and of stable steps, against dense eigenvalues and against runs.
#include "saltus/fem/critical_step.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>
#include <limits>
#include <map>
#include <memory>

#include "../../support/one_group.h"
#include "fem_meshes.h"
#include "saltus/bodies/linear.h"
#include "saltus/math/dense.h"
#include "saltus/schemes/registry.h"
#include "support/dense.h"
#include "unit/bodies/body_checks.h"

using namespace saltus;
using namespace saltus::test;

namespace {

Mesh bent(ElementKind kind) {
  Mesh mesh = box_mesh({kind, {2, 1, 1}, Vector3(1.3, 1.0, 0.8), Vector3::Zero()});
  for (int a = 0; a < static_cast<int>(mesh.nodes.cols()); ++a)
    for (int axis = 0; axis < mesh.dimension; ++axis)
      mesh.nodes(axis, a) += 0.07 * std::sin(3.0 + 1.3 * a + 2.1 * axis);
  straighten(mesh);
  return mesh;
}

/// u = (F - I) X and a wave, for what is free.
Vector strained(const Fem& body, const Matrix3& F) {
  Vector q(body.positions());
  for (int a = 0; a < static_cast<int>(body.mesh().nodes.cols()); ++a)
    for (int axis = 0; axis < body.mesh().dimension; ++axis)
      if (const int i = body.free_index(3 * a + axis); i >= 0)
        q[i] =
            ((F - Matrix3::Identity()) * body.mesh().nodes.col(a))[axis] + 0.01 * std::sin(1.7 * i);
  return q;
}

/// Largest eigenvalue of (A, M).
double largest_of(const Matrix& A, const Matrix& M) {
  return generalized_values(0.5 * (A + A.transpose()), M)[A.rows() - 1];
}

struct Matrices {
  Matrix M, C, K;
};
Matrices matrices(const Dynamics& body, const Vector& q) {
  const Vector v = Vector::Zero(body.velocities());
  return {matrix(body, {1, 0, 0}, q, v), matrix(body, {0, 1, 0}, q, v),
          matrix(body, {0, 0, 1}, q, v)};
}

/// h where the largest eigenvalue of (h^2 K + 2 h C, M) is 4.
double leap_limit(const Matrices& m) {
  double below = 0.0, above = 4.0 / std::sqrt(largest_of(m.K, m.M));
  while (above - below > 1e-10 * above) {
    const double h = 0.5 * (below + above);
    (largest_of(h * h * m.K + 2.0 * h * m.C, m.M) > 4.0 ? above : below) = h;
  }
  return above;
}

std::shared_ptr<const Dynamics> frozen(const Matrices& m) {
  LinearSystem s;
  const auto even = [](const Matrix& A) { return SparseMatrix::from(0.5 * (A + A.transpose())); };
  s.mass = even(m.M);
  s.damping = even(m.C);
  s.stiffness = even(m.K);
  return std::make_shared<Linear>(s);
}

/// |v| after many steps beside that of the start.
double growth(const std::shared_ptr<const Dynamics>& body, const SchemeChoice& scheme, double h) {
  const int n = body->positions();
  Vector v(n);
  for (int i = 0; i < n; ++i) v[i] = std::sin(2.3 * i + 0.4);
  const Model model(one_group({body, Vector::Zero(n), v}, scheme, h));
  Simulation sim(model);
  const double start = v.norm();
  double largest = 0.0;
  for (int step = 0; step < 3000 && largest < 1e8; ++step) {
    sim.advance();
    largest = std::max(largest, velocity_of(sim).norm() / start);
  }
  return largest;
}

}  // namespace

TEST_CASE("the fastest motion of a mesh lies between the estimate and the bound by elements") {
  std::map<std::string, double> worst;
  for (const FemCase& one : fem_cases())
    for (const MassForm mass : {MassForm::lumped, MassForm::consistent})
      for (const bool held : {false, true}) {
        CAPTURE(one.name);
        CAPTURE(static_cast<int>(mass));
        CAPTURE(held);
        FemSystem system = one.system(bent(one.kind));
        system.mass = mass;
        system.rayleigh = {0.3, 0.02};
        system.viscosity = held ? Viscosity::strain_rate : Viscosity::current_tangent;
        std::vector<int> axes{0, 1, 2};
        axes.resize(static_cast<std::size_t>(system.mesh.dimension));
        if (held) system.prescribed = fixed_nodes(system.mesh.node_sets.at("x0"), axes);
        const Fem body(system);
        const Vector q = strained(body, one.stretch()), v = Vector::Zero(body.velocities());
        const Matrices m = matrices(body, q);
        const double exact = std::sqrt(largest_of(m.K, m.M)), c = largest_of(m.C, m.M);

        const MotionBound bound = motion_bound(static_cast<const Dynamics&>(body), 0.0, q).value();
        CHECK(bound.omega >= exact);
        CHECK(bound.damping >= c * (1.0 - 1e-13));
        REQUIRE(bound.at >= 0);
        CHECK(bound.at < system.mesh.elements());
        const MotionEstimate estimate = motion_estimate(body, 0.0, q, v, 1e-5, 3000);
        CHECK(estimate.omega <= exact * (1.0 + 1e-13));
        CHECK(estimate.omega >= exact * (1.0 - 1e-3));
        CHECK(estimate.residual <= 1e-5);
        const Vector modes = generalized_values(0.5 * (m.K + m.K.transpose()), m.M);
        const double square = estimate.omega * estimate.omega;
        CHECK((modes.array() - square).abs().minCoeff() <= (estimate.residual + 1e-12) * square);
        double& ratio = worst[std::string(info(one.kind).name) +
                              (mass == MassForm::lumped ? " lumped" : " consistent")];
        ratio = std::max(ratio, bound.omega / exact);

        const double limit = leap_limit(m);
        for (const SchemeChoice& scheme :
             {SchemeChoice{DefExpOptions{}}, SchemeChoice{VariationalSymplecticOptions{}}}) {
          CHECK(critical_step(*make_scheme(scheme), bound) <= limit);
          CHECK(critical_step(*make_scheme(scheme), estimate) >= limit * (1.0 - 1e-9));
        }
        const auto central = make_scheme(CentralDifferenceOptions{});
        CHECK(critical_step(*central, bound) <= 2.0 / exact);
        CHECK(critical_step(*central, estimate) >= 2.0 / exact * (1.0 - 1e-13));
      }
  for (const auto& [name, ratio] : worst) {
    CAPTURE(name);
    CHECK(ratio < (name.ends_with("lumped") ? 1.5 : 2.0));
  }
}

TEST_CASE("turned meshes in the corotational forms have bounds as well") {
  for (const bool whole : {true, false}) {
    FemCase one{ElementKind::tet4, whole ? MaterialLaw::linear : MaterialLaw::corotated,
                PlaneState::strain, ""};
    FemSystem system = one.system(bent(one.kind));
    system.rayleigh.stiffness = 0.01;
    if (whole) system.form = FemForm::body_corotational;
    system.tangent = CorotatedTangent::warped;
    const Fem body(system);
    const Matrix3 R =
        Eigen::AngleAxisd(1.2, Vector3(1.0, 2.0, -0.5).normalized()).toRotationMatrix();
    const Vector q = strained(body, R * Matrix3(Vector3(1.05, 0.97, 1.02).asDiagonal()));
    const Matrices m = matrices(body, q);
    const MotionBound bound = motion_bound(body, 0.0, q);
    CHECK(bound.omega >= std::sqrt(largest_of(m.K, m.M)));
    CHECK(bound.omega < 1.5 * std::sqrt(largest_of(m.K, m.M)));
    CHECK(critical_step(*make_scheme(DefExpOptions{}), bound) <= leap_limit(m));
  }
}

TEST_CASE(
    "steps of 0.99 of the limit stay bounded and steps of 1.01 grow, with and without damping") {
  const FemCase one{ElementKind::tet4, MaterialLaw::st_venant_kirchhoff, PlaneState::strain, ""};
  for (const double eta : {0.0, 0.02})
    for (const Viscosity viscosity : {Viscosity::current_tangent, Viscosity::strain_rate}) {
      FemSystem system = one.system(bent(one.kind));
      system.rayleigh.stiffness = eta;
      system.viscosity = viscosity;
      system.prescribed = fixed_nodes(system.mesh.node_sets.at("x0"), std::vector<int>{0, 1, 2});
      const Fem body(system);
      // pulled along all axes, so that no mode has K < 0
      const Vector q = strained(body, Vector3(1.2, 1.15, 1.1).asDiagonal());
      const Matrices m = matrices(body, q);
      REQUIRE(symmetric_values(m.K)[0] > 0.0);
      const auto linear = frozen(m);
      const MotionBound bound = motion_bound(body, 0.0, q);
      const double leap = leap_limit(m), central = 2.0 / std::sqrt(largest_of(m.K, m.M));
      CAPTURE(eta);
      CAPTURE(static_cast<int>(viscosity));
      for (const auto& [scheme, limit] : std::initializer_list<std::pair<SchemeChoice, double>>{
               {DefExpOptions{}, leap},
               {VariationalSymplecticOptions{}, leap},
               {CentralDifferenceOptions{}, central}}) {
        CAPTURE(make_scheme(scheme)->name());
        CHECK(growth(linear, scheme, 0.99 * limit) < 100.0);
        CHECK(growth(linear, scheme, 1.01 * limit) > 1e6);
        const double safe = critical_step(*make_scheme(scheme), bound);
        CHECK(safe < limit);
        CHECK(safe > limit / (eta == 0.0 ? 1.5 : 1.5 * 1.5));  // strong damping: h ~ omega^-2
        CHECK(growth(linear, scheme, safe) < 100.0);
      }
    }
}

TEST_CASE("of pseudo-rigid bodies the bound is the fastest mode itself, under any strain") {
  for (const MaterialLaw law :
       {MaterialLaw::linear, MaterialLaw::st_venant_kirchhoff, MaterialLaw::neo_hooke,
        MaterialLaw::mooney_rivlin, MaterialLaw::corotated})
    for (const Viscosity viscosity : {Viscosity::current_tangent, Viscosity::strain_rate}) {
      const FemCase one{ElementKind::hex8, law, PlaneState::strain, ""};
      PseudoRigidSystem system;
      for (int b = 0; b < 3; ++b) {
        PseudoRigidBody body{2.0 + b, 1.0, Matrix3::Identity(), one.material()};
        body.euler << 0.4 + 0.1 * b, 0.05, 0.02, 0.05, 0.3, 0.01, 0.02, 0.01, 0.2;
        system.bodies.push_back(body);
      }
      system.eta = 0.01;
      system.viscosity = viscosity;
      const PseudoRigid body(system);
      Vector q = Vector::Zero(36), v = Vector::Zero(36);
      for (int b = 0; b < 3; ++b)
        Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(q.data() + 12 * b) = one.stretch();
      const Matrices m = matrices(body, q);
      const double exact = std::sqrt(largest_of(m.K, m.M));
      const MotionBound bound = motion_bound(static_cast<const Dynamics&>(body), 0.0, q).value();
      CHECK(bound.exact);
      CHECK(bound.at == 0);
      CHECK(bound.omega == doctest::Approx(exact).epsilon(1e-12));
      CHECK(bound.damping == doctest::Approx(largest_of(m.C, m.M)).epsilon(1e-12));
      CHECK(critical_step(*make_scheme(DefExpOptions{}), bound) <= leap_limit(m) * (1.0 + 1e-12));
    }
}

TEST_CASE("bodies without a bound, without stiffness and without a finite tangent are told apart") {
  const Linear spring(oscillator(2.0, 8.0));
  CHECK_FALSE(motion_bound(static_cast<const Dynamics&>(spring), 0.0, Vector::Zero(1)).has_value());
  const MotionEstimate estimate = motion_estimate(spring, 0.0, Vector::Zero(1), Vector::Zero(1));
  CHECK(estimate.omega == doctest::Approx(2.0).epsilon(1e-15));
  const auto scheme = make_scheme(DefExpOptions{});
  CHECK(critical_step(*scheme, estimate) == doctest::Approx(1.0).epsilon(1e-15));
  CHECK(std::isinf(critical_step(*make_scheme(DefLimOptions{}), estimate)));
  CHECK(std::isinf(critical_step(*scheme, MotionBound{})));
  CHECK(std::isinf(critical_step(*scheme, MotionEstimate{})));

  const FemCase one{ElementKind::tet4, MaterialLaw::neo_hooke, PlaneState::strain, ""};
  const Fem body(one.system(bent(one.kind)));
  const Vector inverted = strained(body, Vector3(-1.0, 1.0, 1.0).asDiagonal());
  const MotionBound bound = motion_bound(body, 0.0, inverted);
  CHECK(std::isnan(bound.omega));
  CHECK(bound.at >= 0);
  CHECK(std::isnan(critical_step(*scheme, bound)));
}

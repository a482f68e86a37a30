// Natural modes and reduced bodies against the full ones.
#include "saltus/fem/reduction.h"

#include <doctest/doctest.h>

#include <cmath>
#include <memory>
#include <numbers>
#include <string>

#include "../../support/one_group.h"
#include "fem_meshes.h"
#include "saltus/base/error.h"
#include "support/dense.h"
#include "unit/bodies/body_checks.h"

using namespace saltus;
using namespace saltus::test;

namespace {

constexpr double pi = std::numbers::pi;

FemSystem box_of(ElementKind kind, std::array<int, 3> cells, const Vector3& size,
                 MassForm mass = MassForm::lumped) {
  FemSystem s = FemCase{kind, MaterialLaw::linear, PlaneState::strain, ""}.system(
      box_mesh({kind, cells, size, Vector3::Zero()}));
  s.mass = mass;
  return s;
}

/// Along x, held at x0 where asked for.
FemSystem bar_of(int elements, bool held) {
  FemSystem s = box_of(ElementKind::bar2, {elements, 0, 0}, Vector3(1.0, 0.0, 0.0));
  if (held) s.prescribed = fixed_nodes(s.mesh.node_sets.at("x0"), std::vector<int>{0});
  return s;
}

Vector dense_omegas(const Dynamics& body, const Vector& q) {
  const Vector v = Vector::Zero(body.velocities());
  const Matrix K = matrix(body, {0, 0, 1}, q, v), M = matrix(body, {1, 0, 0}, q, v);
  return generalized_values(0.5 * (K + K.transpose()), 0.5 * (M + M.transpose()))
      .cwiseMax(0.0)
      .cwiseSqrt();
}

Vector dense_omegas(const LinearSystem& s) {
  return generalized_values(s.stiffness.dense(), s.mass.dense()).cwiseMax(0.0).cwiseSqrt();
}

std::string refusal(const auto& action) {
  try {
    action();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("natural modes of free bodies are those of the dense problem, multiple ones included") {
  // a cube has double and triple frequencies; the other box none
  for (const Vector3& size : {Vector3(1.0, 1.0, 1.0), Vector3(1.0, 0.83, 0.61)})
    for (const MassForm mass : {MassForm::lumped, MassForm::consistent}) {
      const Fem body(box_of(ElementKind::hex8, {4, 4, 4}, size, mass));
      const Vector q = Vector::Zero(body.positions());
      const NaturalModes modes = natural_modes(body, q, 24);
      const Vector exact = dense_omegas(body, q);
      CHECK(modes.omega.head(6).isZero(0.0));
      for (int j = 6; j < 24; ++j)
        CHECK(modes.omega[j] == doctest::Approx(exact[j]).epsilon(1e-10));
      CHECK(modes.residual < 1e-9);
      Matrix MX(body.positions(), 24);
      for (int j = 0; j < 24; ++j) {
        const Vector x = modes.shape.col(j);
        body.multiply({1.0, 0.0, 0.0}, 0.0, q, q, x, MX.col(j));
      }
      CHECK(largest(modes.shape.transpose() * MX - Matrix::Identity(24, 24)) < 1e-11);
      const NaturalModes again = natural_modes(body, q, 24);
      CHECK(again.shape == modes.shape);
    }
}

TEST_CASE("modes of a long chain of bar elements are the exact ones of that chain") {
  for (const bool held : {false, true}) {
    const int N = 600;
    const FemSystem system = bar_of(N, held);
    const Fem body(system);
    const NaturalModes modes = natural_modes(body, Vector::Zero(body.positions()), 12);
    const double c = std::sqrt(100.0 / 2.0);  // young, density of the cases
    for (int j = 0; j < 12; ++j) {
      const double half = 0.5 * pi * (held ? j + 0.5 : j) / N;
      CHECK(modes.omega[j] == doctest::Approx(2.0 * c * N * std::sin(half)).epsilon(1e-9));
    }
  }
}

TEST_CASE("a reduced body moves like the full one from any start in its modes") {
  FemSystem system = box_of(ElementKind::hex8, {9, 3, 3}, Vector3(3.0, 0.5, 0.4));
  system.rayleigh = {0.3, 2e-3};
  const auto full = std::make_shared<Fem>(system);
  const Vector rest = Vector::Zero(full->positions());
  ModalReduction what{14, {}, Vector3::UnitZ()};
  for (int a = 0; a < static_cast<int>(system.mesh.nodes.cols()); ++a)
    if (system.mesh.nodes(1, a) == 0.0 && system.mesh.nodes(2, a) == 0.0)
      what.points.push_back(full->node_point(a));
  REQUIRE(what.points.size() == 10);
  ModalReduced reduced = reduce_to_modes(*full, rest, what);
  CHECK(reduced.coupling == 0.0);
  CHECK(reduced.modes.omega.head(6).isZero(0.0));
  const ModalData& data = *reduced.body->modal();
  for (int j = 0; j < 14; ++j)
    CHECK(data.sigma[j] ==
          doctest::Approx(0.5 * (0.3 + 2e-3 * data.omega[j] * data.omega[j])).epsilon(1e-9));

  Vector z(14), rate(14);
  for (int j = 0; j < 14; ++j) {
    z[j] = 0.01 * std::cos(1.1 * j);
    rate[j] = 0.1 * std::sin(0.7 * j + 1.0);
  }
  const std::shared_ptr<const Dynamics> small = std::move(reduced.body);
  const Matrix& X = reduced.modes.shape;
  const double h = 0.05 / data.omega[6];
  const Model big_model(one_group({full, X * z, X * rate}, MoreauJeanOptions{}, h)),
      small_model(one_group({small, z, rate}, MoreauJeanOptions{}, h));
  Simulation big(big_model), little(small_model);
  for (int step = 0; step < 200; ++step) {
    big.advance();
    little.advance();
  }
  const Vector along = X * little.state().groups[0].q;
  CHECK((big.state().groups[0].q - along).norm() < 1e-8 * along.norm());
  // and its points are those nodes
  std::vector<PointRef> at;
  for (const double x : reduced.place) at.push_back({0, 0, Vector3(x, 0.0, 0.0)});
  Vector there(30), here(30);
  full->points(0.0, along, what.points, there);
  small->points(0.0, little.state().groups[0].q, at, here);
  for (int i = 0; i < 10; ++i) CHECK(std::abs(there[3 * i + 2] - here[3 * i + 2]) < 1e-12);
}

TEST_CASE("gravity reaches the reduced body, and a mode of a held bar sags as it should") {
  FemSystem system = bar_of(300, true);
  system.gravity = Vector3(5.0, 0.0, 0.0);
  const Fem full(system);
  const Vector rest = Vector::Zero(full.positions());
  const int end = system.mesh.node_sets.at("x1")[0];
  const ModalReduced reduced =
      reduce_to_modes(full, rest, {30, {full.node_point(end)}, Vector3::UnitX()});
  Vector f(30), still = Vector::Zero(30), shape(30);
  reduced.body->force(0.0, still, still, f);
  const Vector sag = f.array() / reduced.modes.omega.array().square();
  reduced.body->shapes().row(reduced.place[0], shape);
  // rho g L^2/(2 E), what is cut off falls with the cube of the modes
  CHECK(shape.dot(sag) == doctest::Approx(2.0 * 5.0 / 200.0).epsilon(1e-4));
}

TEST_CASE("Craig-Bampton keeps statics at the interface, rigid motion and mass exactly") {
  for (const MassForm mass : {MassForm::lumped, MassForm::consistent}) {
    FemSystem system = box_of(ElementKind::hex8, {6, 2, 2}, Vector3(2.0, 0.5, 0.4), mass);
    system.prescribed = fixed_nodes(system.mesh.node_sets.at("x0"), std::vector<int>{0, 1, 2});
    const std::vector<int> tip = system.mesh.node_sets.at("x1");
    const std::vector<int> kept{3 * tip[0], 3 * tip[0] + 1, 3 * tip[2] + 2, 3 * tip.back() + 2};
    system.loads.push_back({{{kept[2], 1.5}, {kept[0], -0.4}}, Signal::constant(1.0)});
    const Fem full(system);
    const int n = full.positions();
    const Vector zero = Vector::Zero(3 * system.mesh.nodes.cols()), rest = Vector::Zero(n);
    Vector f(n);
    full.force(0.0, rest, rest, f);
    const Vector exact = solve_by_ldlt(matrix(full, {0, 0, 1}, rest, rest), f);
    for (const int modes : {0, 7}) {
      const CraigBampton reduced = craig_bampton(system, zero, kept, modes);
      const Linear body(reduced.system);
      Vector g(body.positions());
      const Vector still = Vector::Zero(body.positions());
      body.force(0.0, still, still, g);
      const Vector z = solve_by_ldlt(reduced.system.stiffness.dense(), g);
      for (std::size_t i = 0; i < kept.size(); ++i)
        CHECK(z[static_cast<Eigen::Index>(i)] ==
              doctest::Approx(exact[full.free_index(kept[i])]).epsilon(1e-10));
      const Vector all = reduced.basis * z;  // loads act on what is kept alone
      for (int dof = 0; dof < all.size(); ++dof)
        if (const int i = full.free_index(dof); i >= 0)
          CHECK(std::abs(all[dof] - exact[i]) < 1e-10 * exact.cwiseAbs().maxCoeff());
    }
  }
  // free: a rigid translation of the interface carries the whole mass
  FemSystem free = box_of(ElementKind::tet4, {2, 2, 2}, Vector3::Ones());
  std::vector<int> kept;
  for (const int a : free.mesh.node_sets.at("z0"))
    for (int axis = 0; axis < 3; ++axis) kept.push_back(3 * a + axis);
  const Vector zero = Vector::Zero(3 * free.mesh.nodes.cols());
  const CraigBampton reduced = craig_bampton(free, zero, kept, 3);
  Vector z = Vector::Zero(reduced.system.mass.size());
  for (std::size_t i = 1; i < kept.size(); i += 3) z[static_cast<Eigen::Index>(i)] = 1.0;
  CHECK(reduced.system.mass.product(z, z) == doctest::Approx(2.0).epsilon(1e-12));
  CHECK(std::abs(reduced.system.stiffness.product(z, z)) < 1e-10);
}

TEST_CASE("frequencies of Craig-Bampton bodies come down to those of the full one with its modes") {
  FemSystem system = box_of(ElementKind::quad8, {12, 2, 0}, Vector3(3.0, 0.5, 0.0));
  std::vector<int> kept;
  for (const int a : system.mesh.node_sets.at("x0"))
    for (int axis = 0; axis < 2; ++axis) kept.push_back(3 * a + axis);
  const Fem full(system);
  const Vector exact = dense_omegas(full, Vector::Zero(full.positions()));
  const Vector zero = Vector::Zero(3 * system.mesh.nodes.cols());
  Vector before = Vector::Constant(8, 1e300);
  double first = 0.0, last = 0.0;
  for (const int modes : {5, 10, 20, 40}) {
    const Vector omega = dense_omegas(craig_bampton(system, zero, kept, modes).system);
    for (int j = 3; j < 8; ++j) {
      CHECK(omega[j] >= exact[j] * (1.0 - 1e-9));
      CHECK(omega[j] <= before[j] * (1.0 + 1e-9));
    }
    before = omega.head(8);
    if (modes == 5) first = omega[5] / exact[5] - 1.0;
    last = omega[5] / exact[5] - 1.0;
  }
  CHECK(first > 20.0 * last);
  CHECK(last < 1e-3);
  const int rest = full.positions() - static_cast<int>(kept.size());
  const Vector all = dense_omegas(craig_bampton(system, zero, kept, rest).system);
  for (int j = 3; j < 40; ++j) CHECK(all[j] == doctest::Approx(exact[j]).epsilon(1e-8));
}

TEST_CASE("a reduced bar strikes a wall like the full one, and closer with every mode") {
  FemSystem system = bar_of(40, false);
  system.rayleigh.stiffness = 1e-3;
  const auto full = std::make_shared<Fem>(system);
  const int tip = system.mesh.node_sets.at("x0")[0];
  const Vector zero = Vector::Zero(3 * system.mesh.nodes.cols());
  const double h = 1e-3, gap = 0.01037;
  const int steps = 500;
  NewtonImpact wall;
  const auto strike = [&](std::shared_ptr<const Dynamics> body, const Vector& v,
                          const PointRef& point) {
    ModelParts parts = one_group({body, Vector::Zero(v.size()), v}, MoreauJeanOptions{}, h);
    add_stop(parts, point, Vector3(-gap, 0.0, 0.0), Vector3::UnitX(), wall);
    const Model model(std::move(parts));
    Simulation sim(model);
    Vector path(steps);
    for (int i = 0; i < steps; ++i) {
      sim.advance();
      Vector x(3);
      body->points(0.0, sim.state().groups[0].q, std::vector<PointRef>{point}, x);
      path[i] = x[0];
    }
    return path;
  };
  const Vector exact =
      strike(full, Vector::Constant(full->positions(), -1.0), full->node_point(tip));
  CHECK(exact.minCoeff() < -gap * 0.9);
  CHECK(exact[steps - 1] > 0.0);  // it left again
  double before = 1e300;
  for (const int modes : {4, 12, 39}) {
    const CraigBampton reduced = craig_bampton(system, zero, std::vector<int>{3 * tip}, modes);
    // a rigid velocity: the interface alone, since its static shape is the rigid motion
    Vector v = Vector::Zero(modes + 1);
    v[0] = -1.0;
    const Vector path =
        strike(std::make_shared<Linear>(reduced.system), v, {0, 0, Vector3::Zero()});
    const double off = (path - exact).cwiseAbs().maxCoeff();
    CAPTURE(modes);
    CAPTURE(off);
    CHECK(off < before);
    before = off;
    if (modes == 39) CHECK(off < 2e-3 * gap);
  }
  const CraigBampton whole = craig_bampton(system, zero, std::vector<int>{3 * tip}, 40);
  Vector v = Vector::Zero(41);
  v[0] = -1.0;
  const Vector path = strike(std::make_shared<Linear>(whole.system), v, {0, 0, Vector3::Zero()});
  CHECK((path - exact).cwiseAbs().maxCoeff() < 1e-9);
}

TEST_CASE("reductions say what they cannot do") {
  FemSystem system = box_of(ElementKind::quad4, {3, 1, 0}, Vector3(3.0, 1.0, 0.0));
  const Fem body(system);
  const Vector q = Vector::Zero(body.positions()), u = Vector::Zero(3 * 8);
  const auto says = [&](const auto& action, const char* part) {
    CHECK(refusal(action).find(part) != std::string::npos);
  };
  says([&] { natural_modes(body, q, 17); }, "17 modes of a body with 16 degrees of freedom");
  const PointRef a = body.node_point(0), b = body.node_point(1), c = body.node_point(7);
  says([&] { reduce_to_modes(body, q, {3, {}, Vector3::UnitX()}); }, "at least one point");
  says([&] { reduce_to_modes(body, q, {3, {a, b, c}, Vector3::UnitX()}); }, "straight line");
  says([&] { reduce_to_modes(body, q, {3, {a, b, a}, Vector3::UnitX()}); }, "coincide");
  says([&] { reduce_to_modes(body, q, {3, {a}, Vector3(1.0, 1.0, 0.0)}); }, "unit");
  says([&] { craig_bampton(system, u, {}, 3); }, "at least one");
  says([&] { craig_bampton(system, u, std::vector<int>{0, 1}, 3); }, "must restrain the rest");
  says([&] { craig_bampton(system, u, std::vector<int>{0, 0}, 3); }, "twice");
  // pressed far beyond its buckling load
  FemSystem column = box_of(ElementKind::quad8, {10, 1, 0}, Vector3(10.0, 0.2, 0.0));
  column.materials[0].material.law = MaterialLaw::st_venant_kirchhoff;
  column.prescribed = fixed_nodes(column.mesh.node_sets.at("x0"), std::vector<int>{0, 1});
  const Fem pressed(column);
  Vector shortened(pressed.positions());
  for (int i = 0; i < 3 * static_cast<int>(column.mesh.nodes.cols()); ++i)
    if (const int j = pressed.free_index(i); j >= 0)
      shortened[j] = i % 3 == 0 ? -0.1 * column.mesh.nodes(0, i / 3) : 0.0;
  says([&] { natural_modes(pressed, shortened, 2); }, "stable");
}

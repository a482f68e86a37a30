// A Fem as a body: masses, loads, prescribed motion, points, accounts, results, refusals.
#include <doctest/doctest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "fem_meshes.h"
#include "saltus/base/error.h"
#include "saltus/fem/fem.h"
#include "unit/bodies/body_checks.h"

using namespace saltus;
using namespace saltus::test;

namespace {

FemCase hooke(ElementKind kind) {
  return {kind, MaterialLaw::st_venant_kirchhoff, PlaneState::strain, ""};
}

/// A box fixed at x0 and driven at x1, with everything that acts.
FemSystem busy(ElementKind kind, MassForm mass, Viscosity viscosity) {
  FemSystem s = hooke(kind).system(distorted(kind));
  const int d = s.mesh.dimension;
  s.mass = mass;
  s.viscosity = viscosity;
  s.rayleigh = {0.2, 0.01};
  s.gravity.head(d) = Vector3(0.4, -0.6, -2.0).head(d);
  std::vector<int> axes{0, 1, 2};
  axes.resize(static_cast<std::size_t>(d));
  s.prescribed = fixed_nodes(s.mesh.node_sets.at("x0"), axes);
  s.prescribed.push_back({3 * s.mesh.node_sets.at("x1")[0], Signal::harmonic(0.05, 3.0, 0.4)});
  s.loads.push_back({{{3 * s.mesh.node_sets.at("x1").back(), 0.7}}, Signal::harmonic(1.0, 2.0)});
  return s;
}

Vector wave(Eigen::Index n, double size, double phase) {
  Vector x(n);
  for (Eigen::Index i = 0; i < n; ++i) x[i] = size * std::sin(1.9 * static_cast<double>(i) + phase);
  return x;
}

std::string refusal(const FemSystem& system) {
  try {
    const Fem body(system);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

const std::vector<ElementKind> kSome{ElementKind::bar3,   ElementKind::tri6,    ElementKind::quad4,
                                     ElementKind::tet10,  ElementKind::hex8,    ElementKind::hex20,
                                     ElementKind::wedge6, ElementKind::pyramid5};

}  // namespace

TEST_CASE("masses are positive and add up to density times volume; free bodies fall with g") {
  for (const ElementInfo& kind : element_kinds()) {
    CAPTURE(kind.name);
    for (const MassForm mass : {MassForm::lumped, MassForm::consistent}) {
      FemSystem system = hooke(kind.kind).system(distorted(kind.kind));
      system.mass = mass;
      const int d = kind.dimension;
      system.gravity.head(d) = Vector3(1.0, -2.0, 3.0).head(d);
      const Fem body(system);
      const double section = d == 1 ? 0.4 : d == 2 ? 0.5 : 1.0;
      CHECK(body.total_mass() == doctest::Approx(2.0 * section).epsilon(1e-13));
      const Vector still = Vector::Zero(body.positions());
      const Vector a = acceleration(body, 0.0, still, still);
      double off = 0.0;
      for (Eigen::Index i = 0; i < a.size(); ++i)
        off = std::max(off, std::abs(a[i] - system.gravity[i % d]));
      CHECK(off < 1e-11);
      if (mass == MassForm::lumped) {
        Factor M;
        body.factorise({1.0, 0.0, 0.0}, 0.0, still, still, M);
        CHECK(std::get<Diagonal>(M.form).inverse.minCoeff() > 0.0);
      }
      // int rho |x|^2 of the consistent mass of v = X
      if (mass == MassForm::consistent) {
        Vector v(body.positions());
        for (Eigen::Index i = 0; i < v.size(); ++i) v[i] = system.mesh.nodes(i % d, i / d);
        CHECK(2.0 * body.energy(0.0, still, v).kinetic ==
              doctest::Approx(2.0 * section * d / 3.0).epsilon(1e-13));
      }
    }
  }
}

TEST_CASE(
    "energy changes by the power of the sources without a potential, prescribed motion among "
    "them") {
  for (const ElementKind kind : kSome)
    for (const MassForm mass : {MassForm::lumped, MassForm::consistent})
      for (const Viscosity viscosity : {Viscosity::current_tangent, Viscosity::strain_rate}) {
        CAPTURE(info(kind).name);
        const Fem body(busy(kind, mass, viscosity));
        const Eigen::Index n = body.positions();
        const Vector q = wave(n, 0.01, 0.3), v = wave(n, 0.4, 1.1), w = wave(n, 1.0, 2.0);
        const Vector f = force(body, 0.6, q, v);
        CHECK(powers(body, 0.6, q, v, w).sum() == doctest::Approx(f.dot(w)).epsilon(1e-12));
        CHECK(energy_rate(body, 0.6, q, v, 1e-6) ==
              doctest::Approx(input(body, 0.6, q, v)).epsilon(1e-6));
        REQUIRE(body.sources().size() == 5);
        CHECK(body.sources()[2].name == "damping");
        Fem still(busy(kind, mass, viscosity));
        CHECK(powers(still, 0.0, q, v, v)[2] < 0.0);
      }
}

TEST_CASE("C is the slope of damping in the velocity, and strain-rate damping ignores K of turns") {
  for (const ElementKind kind : kSome)
    for (const Viscosity viscosity : {Viscosity::current_tangent, Viscosity::strain_rate}) {
      CAPTURE(info(kind).name);
      const Fem body(busy(kind, MassForm::consistent, viscosity));
      const Eigen::Index n = body.positions();
      // tangents are taken with prescribed motion at t = 0
      const Vector q = wave(n, 0.01, 0.3), v = wave(n, 0.4, 1.1), w = wave(n, 1.0, 2.0), up = v + w,
                   down = v - w;
      const Vector change = 0.5 * (force(body, 0.0, q, down) - force(body, 0.0, q, up));
      Vector C(n);
      body.multiply({0.0, 1.0, 0.0}, 0.0, q, v, w, C);
      CHECK((C - change).norm() < 1e-11 * C.norm());  // damping is linear in v
      CHECK(body.rayleigh().stiffness == (viscosity == Viscosity::strain_rate ? 0.0 : 0.01));
    }
}

TEST_CASE("supports bear what acts: reactions, loads and inertia add up") {
  for (const ElementKind kind : kSome)
    for (const MassForm mass : {MassForm::lumped, MassForm::consistent}) {
      CAPTURE(info(kind).name);
      FemSystem system = busy(kind, mass, Viscosity::strain_rate);
      system.rayleigh.mass = 0.0;
      const Fem body(system);
      const Eigen::Index n = body.positions();
      const double t = 0.6;
      const Vector q = wave(n, 0.01, 0.3), v = wave(n, 0.4, 1.1), a = acceleration(body, t, q, v);
      Vector R(body.prescribed());
      body.reactions(t, q, v, a, R);
      // along x: R + m g + load = d/dt momentum of all nodes
      double sum = body.total_mass() * system.gravity.x() + 0.7 * std::cos(2.0 * t);
      for (int i = 0; i < body.prescribed(); ++i)
        if (system.prescribed[static_cast<std::size_t>(i)].dof % 3 == 0) sum += R[i];
      const double h = 1e-5;
      const auto momentum = [&](double s) {
        const Vector there = q + s * v, u = v + s * a;
        return body.momentum(t + s, there, u).force.x();
      };
      CHECK((momentum(h) - momentum(-h)) / (2.0 * h) == doctest::Approx(sum).epsilon(1e-7));
    }
}

TEST_CASE("columns of prescribed motion are those of the body without it") {
  for (const ElementKind kind : {ElementKind::quad8, ElementKind::tet4, ElementKind::hex8}) {
    FemSystem system = busy(kind, MassForm::consistent, Viscosity::strain_rate);
    system.prescribed = {
        {0, Signal::constant(0.0)}, {4, Signal::constant(0.02)}, {13, Signal::constant(0.0)}};
    const Fem held(system);
    const std::vector<Prescribed> prescribed = system.prescribed;
    system.prescribed.clear();
    const Fem free(system);
    const Eigen::Index n = held.positions(), all = free.positions();
    const Vector q = wave(n, 0.01, 0.3), v = wave(n, 0.4, 1.1);
    Vector full(3 * system.mesh.nodes.cols()), Q(all);
    held.full(0.0, q, full);
    for (int i = 0; i < full.size(); ++i)
      if (const int at = free.free_index(i); at >= 0) Q[at] = full[i];
    const Combination s{1.3, 0.4, 0.2};
    Matrix columns(n + 3, 3);
    held.prescribed_columns(s, 0.0, q, v, columns);
    const Matrix A = matrix(free, s, Q, Vector::Zero(all));
    for (int j = 0; j < 3; ++j) {
      const int column = free.free_index(prescribed[static_cast<std::size_t>(j)].dof);
      double off = 0.0;
      for (int i = 0; i < full.size(); ++i)
        if (held.free_index(i) >= 0)
          off = std::max(off,
                         std::abs(columns(held.free_index(i), j) - A(free.free_index(i), column)));
      for (int i = 0; i < 3; ++i)
        off = std::max(
            off, std::abs(columns(n + i, j) -
                          A(free.free_index(prescribed[static_cast<std::size_t>(i)].dof), column)));
      CHECK(off < 1e-12 * largest(A));
    }
  }
}

TEST_CASE("points of elements move with their shape functions; rows, tables and drift agree") {
  for (const ElementKind kind : kSome) {
    CAPTURE(info(kind).name);
    for (const bool driven : {false, true}) {
      FemSystem system = busy(kind, MassForm::lumped, Viscosity::strain_rate);
      if (!driven) system.prescribed.clear();
      const Fem body(system);
      const Eigen::Index n = body.positions();
      const Vector q = wave(n, 0.01, 0.3), v = wave(n, 0.4, 1.1);
      Vector3 xi(0.2, 0.1, 0.3);
      xi.tail(3 - info(kind).dimension).setZero();
      const std::vector<PointRef> at{body.node_point(0), body.node_point(3),
                                     body.element_point(body.mesh().elements() - 1, xi),
                                     body.element_point(0, xi)};
      const double t = 0.3, eps = 1e-5;
      Vector up(12), down(12), drift(12);
      body.points(t + eps, Vector(q + eps * v), at, up);
      body.points(t - eps, Vector(q - eps * v), at, down);
      body.point_drift(t, q, at, drift);
      // 0.05 cos(3 t + 0.4), the sine of which is 1 at 0.39 s
      CHECK(body.fastest_drift(0.2, 0.4, 0.0) == doctest::Approx(driven ? 0.15 : 0.0));
      PointRows J;
      body.point_rows(q, q, at, J);
      CHECK(J.width == (n == 3 * body.mesh().nodes.cols() ? 3 : 1));
      Vector rate = drift;
      for (std::size_t i = 0; i < at.size(); ++i)
        for (int e = J.offset[i]; e < J.offset[i + 1]; ++e)
          for (int row = 0; row < 3; ++row)
            for (int k = 0; k < J.width; ++k)
              rate[static_cast<Eigen::Index>(3 * i) + row] +=
                  J.value[static_cast<std::size_t>((3 * e + row) * J.width + k)] *
                  v[J.column[static_cast<std::size_t>(e)] + k];
      CHECK(largest(rate - (up - down) / (2.0 * eps)) < 1e-8);

      const std::vector<Vector3> normal(4, Vector3(0.6, 0.0, 0.8));
      const auto table = body.table(at, normal);
      const bool moves = driven && largest(drift) > 0.0;
      REQUIRE((table == nullptr) == moves);
      if (!table) continue;
      PointScratch scratch;
      Vector y(4), x(12), r = Vector::Zero(n);
      table->apply(q, scratch, y);
      body.points(0.0, q, at, x);
      for (int i = 0; i < 4; ++i)
        CHECK(y[i] + table->rest()[i] ==
              doctest::Approx(normal[0].dot(x.segment<3>(3 * i))).epsilon(1e-13));
      const std::vector<int> rows{0, 1, 2, 3};
      const Vector p = wave(4, 1.0, 0.0);
      table->accumulate(rows, p, scratch, r);
      CHECK(r.dot(v) == doctest::Approx([&] {
                          table->apply(v, scratch, y);
                          return y.dot(p);
                        }())
                            .epsilon(1e-12));
      Factor A;
      body.factorise({1.0, 0.1, 0.1}, 0.0, q, v, A);
      Matrix D;
      table->response(A, D);
      Vector z = Vector::Zero(n);
      table->accumulate({rows.data() + 2, 1}, Vector::Ones(1), scratch, z);
      solve(A, z);
      table->apply(z, scratch, y);
      CHECK(largest(D.col(2) - y) < 1e-12 * largest(D));
    }
  }
}

TEST_CASE("tractions stretch a box by the law, and the resultant of a section is their force") {
  for (const ElementKind kind :
       {ElementKind::tri3, ElementKind::tri6, ElementKind::quad4, ElementKind::quad8,
        ElementKind::tet4, ElementKind::tet10, ElementKind::hex8, ElementKind::hex20,
        ElementKind::wedge6, ElementKind::pyramid5}) {
    CAPTURE(info(kind).name);
    const int d = info(kind).dimension;
    FemCase c = hooke(kind);
    c.law = MaterialLaw::linear;
    c.plane = PlaneState::stress;
    FemSystem system = c.system(distorted(kind));
    const double thickness = d == 2 ? 0.5 : 1.0, p = 3.0;
    const auto& faces = system.mesh.face_sets.at("x1");
    system.loads.push_back(pressure_load(system.mesh, faces, -p, Signal::constant(1.0), thickness));
    const Load traction =
        traction_load(system.mesh, faces, Vector3(p, 0.0, 0.0), Signal::constant(1.0), thickness);
    double total = 0.0;
    for (std::size_t k = 0; k < traction.pattern.size(); ++k) {
      total += traction.pattern[k].second;
      CHECK(traction.pattern[k].first % 3 == 0);
    }
    CHECK(total == doctest::Approx(p * thickness).epsilon(1e-13));
    for (int axis = 0; axis < d; ++axis) {
      const auto held = fixed_nodes(system.mesh.node_sets.at(std::string(1, "xyz"[axis]) + "0"),
                                    std::vector{axis});
      system.prescribed.insert(system.prescribed.end(), held.begin(), held.end());
    }
    const Fem body(system);
    const Vector zero = Vector::Zero(body.positions());
    Vector q = force(body, 0.0, zero, zero);
    Factor K;
    body.factorise({0.0, 0.0, 1.0}, 0.0, zero, zero, K);
    solve(K, q);
    Vector u(3 * system.mesh.nodes.cols());
    body.full(0.0, q, u);
    for (Eigen::Index a = 0; a < system.mesh.nodes.cols(); ++a) {
      const Vector3 X = system.mesh.nodes.col(a);
      Vector3 wanted = p / 100.0 * Vector3(X.x(), -0.3 * X.y(), -0.3 * X.z());
      CHECK((u.segment<3>(3 * a) - wanted).norm() < 1e-13);
    }
    std::vector<int> all;
    for (int e = 0; e < body.mesh().elements(); ++e) all.push_back(e);
    const Resultant section =
        body.resultant(0.0, q, all, system.mesh.node_sets.at("x1"), Vector3::Zero());
    CHECK((section.force - Vector3(-p * thickness, 0.0, 0.0)).norm() < 1e-12);
    CHECK(section.moment.z() ==
          doctest::Approx(0.5 * p * thickness * (1.0 - 0.3 * p / 100.0)).epsilon(1e-12));
    Matrix stress(6, system.mesh.nodes.cols());
    body.nodal_stress(0.0, q, stress);
    CHECK((stress.row(0).array() - p).abs().maxCoeff() < 1e-12);
    CHECK(stress.bottomRows(5).cwiseAbs().maxCoeff() < 1e-12);
  }
}

TEST_CASE("a force on a point of an element reaches its supports by the shape functions") {
  FemSystem system = busy(ElementKind::quad4, MassForm::lumped, Viscosity::strain_rate);
  const Fem body(system);
  const PointRef at = body.element_point(0, Vector3(-0.5, 0.0, 0.0));  // its nodes 0 and 3 are held
  Vector R = Vector::Zero(body.prescribed());
  body.point_reactions(0.0, Vector::Zero(body.positions()), {&at, 1}, Vector3(2.0, 1.0, 0.0), R);
  CHECK(R.sum() == doctest::Approx(-0.75 * 3.0).epsilon(1e-14));
}

TEST_CASE("bodies of a linear law are affine, others are not") {
  FemCase c = hooke(ElementKind::hex8);
  CHECK_FALSE(has(Fem(c.system(distorted(c.kind))).traits(), Trait::affine));
  c.law = MaterialLaw::linear;
  FemSystem system = c.system(distorted(c.kind));
  system.viscosity = Viscosity::strain_rate;
  system.rayleigh.stiffness = 0.1;
  const Fem body(system);
  CHECK(has(body.traits(), Trait::affine));
  CHECK(body.rayleigh().stiffness == 0.1);  // both forms are the same
  const Vector q = wave(body.positions(), 0.1, 0.2), v = wave(q.size(), 1.0, 0.4),
               zero = Vector::Zero(q.size());
  const Vector sum = force(body, 0.0, q, zero) + force(body, 0.0, zero, v);
  CHECK(largest(force(body, 0.0, q, v) - sum) < 1e-12 * largest(sum));
}

TEST_CASE("what makes no body is refused in words") {
  const FemSystem good = hooke(ElementKind::quad4).system(distorted(ElementKind::quad4));
  CHECK(refusal(good) == "");
  FemSystem bad = good;
  bad.materials.clear();
  CHECK(contains(refusal(bad), "fem: block 0 has material 0 (allowed: none)"));
  bad = good;
  bad.mesh.blocks[0].material = 2;
  CHECK(contains(refusal(bad), "material 2 (allowed: 0 to 0)"));
  bad = good;
  bad.materials[0].material.poisson = 0.5;
  CHECK(contains(refusal(bad), "poisson = 0.5"));
  bad = good;
  bad.materials[0].thickness = 0.0;
  CHECK(contains(refusal(bad), "thickness and area must be positive"));
  bad = good;
  bad.gravity = Vector3(0.0, 0.0, -9.81);
  CHECK(contains(refusal(bad), "gravity must be finite and zero outside the dimensions"));
  bad = good;
  bad.rayleigh.stiffness = -1.0;
  CHECK(contains(refusal(bad), "Rayleigh factors"));
  bad = good;
  bad.prescribed = fixed_nodes(std::vector{1, 1}, std::vector{0});
  CHECK(contains(refusal(bad), "axis 0 of node 1 is prescribed twice"));
  bad.prescribed = {{5, Signal::constant(0.0)}};
  CHECK(contains(refusal(bad), "degree of freedom 5 (3 node + axis: nodes 0 to 8, axes 0 to 1)"));
  bad.prescribed.clear();
  bad.loads.push_back({{{0, std::numeric_limits<double>::infinity()}}, Signal::constant(1.0)});
  CHECK(contains(refusal(bad), "weights of loads must be finite"));
  bad = good;
  std::vector<int> all(9);
  for (int i = 0; i < 9; ++i) all[static_cast<std::size_t>(i)] = i;
  bad.prescribed = fixed_nodes(all, std::vector{0, 1});
  CHECK(contains(refusal(bad), "at least one degree of freedom must be free"));
  const Fem body(good);
  CHECK_THROWS_AS(body.node_point(9), UsageError);
  CHECK_THROWS_AS(body.element_point(4, Vector3::Zero()), UsageError);
}

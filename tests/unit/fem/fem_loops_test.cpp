// Loops over batches of eight elements against elements one after the other; threads; conjugate gradients.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <tbb/task_arena.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "fem_meshes.h"
#include "saltus/fem/fem_internal.h"
#include "saltus/math/dense.h"
#include "unit/bodies/body_checks.h"

using namespace saltus;
using namespace saltus::test;

namespace {

std::size_t index(Eigen::Index i) { return static_cast<std::size_t>(i); }

Vector wave(Eigen::Index n, double size, double phase) {
  Vector x(n);
  for (Eigen::Index i = 0; i < n; ++i) x[i] = size * std::sin(1.9 * static_cast<double>(i) + phase);
  return x;
}

/// What all loops over a block give at u.
struct Results {
  Vector force, viscous, product;
  double energy = 0.0;
  NodeMatrix matrix;
};

Results of_batches(const fem::Block& b, const std::shared_ptr<const NodeGraph>& graph,
                   const Vector& u, const Vector& v, const Vector& x, double k, double c) {
  ThreadPool thread_pool;
  const ThreadPool::Shift shift(thread_pool);
  Results r;
  r.force = r.viscous = r.product = Vector::Zero(u.size());
  fem::add_elastic(b, thread_pool, 1.3, u.data(), r.force.data());
  fem::add_viscous(b, thread_pool, 0.7, u.data(), v.data(), r.viscous.data());
  fem::add_product(b, thread_pool, k, c, u.data(), x.data(), r.product.data());
  std::vector<double> chunk_energy;
  r.energy = fem::stored_energy(b, thread_pool, u.data(), chunk_energy);
  r.matrix = NodeMatrix(graph);
  fem::add_matrices(b, thread_pool, k, c, u.data(), r.matrix);
  r.matrix.mirror_upper(thread_pool);
  return r;
}

bool same_bits(const Results& a, const Results& b) {
  bool same = a.force == b.force && a.viscous == b.viscous && a.product == b.product &&
              a.energy == b.energy;
  for (int i = 0; i < a.matrix.graph().entries(); ++i)
    same = same && std::equal(a.matrix.block(i), a.matrix.block(i) + 9, b.matrix.block(i));
  return same;
}

/// A box of tetrahedra between fixed ends, of any law.
FemSystem tetrahedra(MaterialLaw law, int cells) {
  const FemCase c{ElementKind::tet4, law, PlaneState::strain, ""};
  FemSystem s = c.system(
      box_mesh({ElementKind::tet4, {cells, cells, cells}, Vector3::Ones(), Vector3::Zero()}));
  s.prescribed = fixed_nodes(s.mesh.node_sets.at("x0"), std::vector{0, 1, 2});
  s.prescribed.push_back({3 * s.mesh.node_sets.at("x1")[0] + 1, Signal::constant(0.01)});
  s.rayleigh = {0.2, 0.01};
  return s;
}

}  // namespace

TEST_CASE(
    "eight elements at once give the force, energy, product and matrix of one after the other, to "
    "the same bits in registers of any width") {
  double worst = 0.0;
  std::string where;
  for (const FemCase& c : fem_cases())
    for (const CorotatedTangent tangent : {CorotatedTangent::exact, CorotatedTangent::warped}) {
      if (tangent == CorotatedTangent::warped && c.law != MaterialLaw::corotated) continue;
      CAPTURE(c.name);
      const FemSystem system = c.system(distorted(c.kind));
      fem::Block b(system.mesh, 0, system.materials[0], 0.03, Viscosity::strain_rate, tangent);
      const std::pair<int, std::span<const int>> list{b.n, b.node};
      const auto graph = std::make_shared<const NodeGraph>(
          static_cast<int>(system.mesh.nodes.cols()), std::span(&list, 1));
      b.make_slots(*graph);
      const Eigen::Index n = 3 * system.mesh.nodes.cols();
      Vector u = wave(n, 0.01, 0.2), v = wave(n, 0.3, 1.0), x = wave(n, 1.0, 2.0);
      const Matrix3 F = c.stretch();  // with a turn
      for (Eigen::Index a = 0; a < n / 3; ++a)
        u.segment<3>(3 * a) += (F - Matrix3::Identity()) * system.mesh.nodes.col(a);
      for (Eigen::Index i = 0; i < n; ++i)
        if (i % 3 >= system.mesh.dimension) u[i] = v[i] = x[i] = 0.0;

      const double k = 0.9, damping = 0.4;
      const Results r = of_batches(b, graph, u, v, x, k, damping);
      const auto compare = [&](double error, double size) {
        CHECK(error <= 1e-14 * size);
        if (error > worst * size) {
          worst = error / size;
          where = c.name;
        }
      };
      // of one element after the other, with the sums of absolute values
      Vector force = Vector::Zero(n), viscous = Vector::Zero(n), product = Vector::Zero(n);
      fem::add_elastic(b, 0, b.elements, 1.3, u.data(), force.data());
      Matrix K(3 * b.n, 3 * b.n), all = Matrix::Zero(n, n);
      double energy = 0.0;
      for (int e = 0; e < b.elements; ++e) {
        const auto node = [&](int a) { return b.node[index(e * b.n + a)]; };
        for (int g = 0; g < b.points; ++g) {
          const int p = e * b.points + g;
          const Matrix3 at = fem::deformation(b, e, p, u.data());
          const Matrix3 rate = fem::deformation(b, e, p, v.data()) - Matrix3::Identity();
          energy += b.weight[index(p)] * fem::energy(b.law, at - Matrix3::Identity(), b.axis_of(p));
          const Matrix3 P = fem::viscous_stress(b.law, at, b.axis_of(p), rate);
          for (int a = 0; a < b.n; ++a)
            viscous.segment<3>(3 * node(a)) += 0.7 * b.weight[index(p)] * (P * b.gradient(e, g, a));
        }
        fem::element_matrix(b, e, k, damping, u.data(), K.data());
        for (int i = 0; i < 3 * b.n; ++i)
          for (int j = 0; j < 3 * b.n; ++j)
            all(3 * node(i / 3) + i % 3, 3 * node(j / 3) + j % 3) += K(i, j);
      }
      product = all * x;
      // P = 0 for F = I is a difference of moduli: forces are as large as K times displacements
      const double stiff = largest(all);
      compare(largest(r.force - force), stiff * largest(u));
      compare(largest(r.viscous - viscous), stiff * largest(v));
      compare(largest(r.product - product), stiff * largest(x) * 3.0);
      compare(std::abs(r.energy - energy), stiff * u.squaredNorm());
      double off = 0.0;
      for (int i = 0; i < graph->nodes(); ++i)
        for (int q = graph->offset[index(i)]; q < graph->offset[index(i) + 1]; ++q)
          off = std::max(off, largest(Eigen::Map<const Matrix3>(r.matrix.block(q)) -
                                      all.block<3, 3>(3 * i, 3 * graph->column[index(q)])));
      compare(off, stiff);
      for (const int width : {2, 4, 8}) {
        b.width = width;
        CHECK(same_bits(of_batches(b, graph, u, v, x, k, damping), r));
      }
    }
  MESSAGE(fmt::format("{:.1e}, {}", worst, where));
}

TEST_CASE("points that are flat or turned inside out go through batches as alone") {
  const FemCase c{ElementKind::tet4, MaterialLaw::corotated, PlaneState::strain, ""};
  const FemSystem system = c.system(distorted(c.kind));
  const fem::Block b(system.mesh, 0, system.materials[0], 0.0, Viscosity::strain_rate,
                     CorotatedTangent::exact);
  const Eigen::Index n = 3 * system.mesh.nodes.cols();
  Vector u = wave(n, 0.01, 0.2);
  u[3 * b.node[2] + 1] += 3.0;  // through the faces about it
  u.segment<3>(3 * b.node[40]) -= Vector3(0.6, 0.7, 0.8);
  Vector one = Vector::Zero(n), eight = Vector::Zero(n);
  fem::add_elastic(b, 0, b.elements, 1.0, u.data(), one.data());
  ThreadPool thread_pool;
  fem::add_elastic(b, thread_pool, 1.0, u.data(), eight.data());
  int inverted = 0;
  for (int e = 0; e < b.elements; ++e)
    inverted += fem::deformation(b, e, e, u.data()).determinant() < 0.0;
  CHECK(inverted >= 3);
  const Fem body(system);
  CHECK(body.least_volume_ratio(0.0, Vector::Zero(n)) == 1.0);
  double least = 1.0;
  for (int e = 0; e < b.elements; ++e)
    least = std::min(least, fem::deformation(b, e, e, u.data()).determinant());
  CHECK(body.least_volume_ratio(0.0, u) == least);
  CHECK(largest(eight - one) < 1e-13 * largest(one));
}

TEST_CASE("no bit of a mesh in motion depends on the number of threads") {
  for (const MaterialLaw law : {MaterialLaw::corotated, MaterialLaw::linear}) {
    FemSystem system = tetrahedra(law, 10);
    system.solver = {FemSolver::Kind::conjugate_gradients, 1e-8, 500};
    Vector first;
    for (const int threads : {1, 2, 3}) {
      tbb::task_arena arena(threads);
      arena.execute([&] {
        const Fem body(system);
        const Eigen::Index n = body.positions();
        const Vector q = wave(n, 0.002, 0.3), v = wave(n, 0.1, 1.1);
        Vector all(3 * n + 1), f(n), y(n);
        body.force(0.0, q, v, f);
        body.multiply({1.0, 0.2, 0.5}, 0.0, q, v, v, y);
        all << f, y, y, body.energy(0.0, q, v).potential;
        Factor A;
        body.factorise({1.0, 0.01, 1e-4}, 0.0, q, v, A);
        solve(A, f);
        all.segment(2 * n, n) = f;
        CHECK(record(A).failure == "");
        if (threads == 1) first = all;
        CHECK(all == first);
      });
    }
  }
}

TEST_CASE("conjugate gradients solve what the direct solver solves, and say how well") {
  for (const ElementKind kind : {ElementKind::tet4, ElementKind::hex20, ElementKind::tri6})
    for (const MassForm mass : {MassForm::lumped, MassForm::consistent}) {
      CAPTURE(info(kind).name);
      const FemCase c{kind, MaterialLaw::neo_hooke, PlaneState::strain, ""};
      FemSystem system = c.system(distorted(kind));
      system.mass = mass;
      system.rayleigh = {0.2, 0.01};
      system.prescribed = fixed_nodes(system.mesh.node_sets.at("x0"), std::vector{0});
      system.prescribed.push_back(
          {3 * system.mesh.node_sets.at("x0")[0] + 1, Signal::constant(0.0)});
      const Fem direct(system);
      system.solver = {FemSolver::Kind::conjugate_gradients, 1e-12, 1000};
      const Fem iterative(system);
      const Eigen::Index n = direct.positions();
      const Vector q = wave(n, 0.01, 0.3), v = wave(n, 0.1, 1.1);
      const Combination s{1.0, 0.05, 0.01};
      Factor A, B;
      direct.factorise(s, 0.0, q, v, A);
      iterative.factorise(s, 0.0, q, v, B);
      Matrix X(n, 2);
      X << wave(n, 1.0, 0.5), Vector::Unit(n, 3);
      Matrix Y = X;
      solve(A, X);
      solve(B, Y);
      CHECK(largest(X - Y) < 1e-11 * largest(X));
      CHECK(symmetric(B));
      const SolveRecord told = record(B);
      CHECK(told.failure == "");
      CHECK(told.residual <= 2e-12);
      CHECK(told.residual > 0.0);
      CHECK(told.iterations > 10);
      Vector b(n);
      iterative.multiply(s, 0.0, q, v, Y.col(1), b);
      CHECK(largest(b - Vector::Unit(n, 3)) < 3e-12);
      CHECK(record(A).iterations == 0);
      forget(B);
      CHECK(record(B).iterations == 0);
    }
}

TEST_CASE(
    "a solve that ends above its tolerance is told, and a given number of iterations is made") {
  FemSystem system = tetrahedra(MaterialLaw::st_venant_kirchhoff, 4);
  system.solver = {FemSolver::Kind::conjugate_gradients, 1e-10, 5};
  const Eigen::Index n = Fem(system).positions();
  const Vector q = wave(n, 0.002, 0.3), v = Vector::Zero(n), b = wave(n, 1.0, 0.5);
  const auto solved = [&](Vector at, Combination s) {
    const Fem body(system);
    Factor A;
    body.factorise(s, 0.0, at, v, A);
    Vector x = b;
    solve(A, x);
    return record(A);
  };
  CHECK(solved(q, {1.0, 0.0, 1.0}).failure == "conjugate gradients did not reach their tolerance");
  system.solver.tolerance = 0.0;
  SolveRecord told = solved(q, {1.0, 0.0, 1.0});
  CHECK(told.failure == "");
  CHECK(told.iterations == 5);
  CHECK(told.residual > 1e-10);
  // a cube pressed to a quarter of its height buckles: K alone is indefinite
  system.solver = {FemSolver::Kind::conjugate_gradients, 1e-10, 5000};
  const Fem body(system);
  Vector pressed = Vector::Zero(n);
  for (int a = 0; a < body.mesh().nodes.cols(); ++a)
    if (const int i = body.free_index(3 * a + 2); i >= 0)
      pressed[i] = -0.75 * body.mesh().nodes(2, a);
  told = solved(pressed, {0.0, 0.0, 1.0});
  CHECK(told.failure == "conjugate gradients: the matrix is not positive definite");
}

TEST_CASE("the law `corotated` turns elements with themselves: R K_e (R^T x - X) in tetrahedra") {
  const FemCase c{ElementKind::tet4, MaterialLaw::corotated, PlaneState::strain, ""};
  const FemCase straight{ElementKind::tet4, MaterialLaw::linear, PlaneState::strain, ""};
  const FemSystem system = c.system(distorted(c.kind)), linear = straight.system(distorted(c.kind));
  const fem::Block turned(system.mesh, 0, system.materials[0], 0.0, Viscosity::strain_rate,
                          CorotatedTangent::warped),
      fixed(linear.mesh, 0, linear.materials[0], 0.0, Viscosity::strain_rate,
            CorotatedTangent::exact);
  const Eigen::Index n = 3 * system.mesh.nodes.cols();
  Vector u = wave(n, 0.03, 0.2);
  const Matrix3 Q = Eigen::AngleAxisd(1.1, Vector3(1.0, 2.0, -1.0).normalized()).matrix();
  for (Eigen::Index a = 0; a < n / 3; ++a) {
    const Vector3 X = system.mesh.nodes.col(a);
    u.segment<3>(3 * a) = Q * (X + u.segment<3>(3 * a)) - X;
  }
  Matrix K(12, 12), K0(12, 12);
  for (int e = 0; e < turned.elements; ++e) {
    const Matrix3 R = rotation_of(fem::deformation(turned, e, e, u.data()));
    fem::element_matrix(turned, e, 1.0, 0.0, u.data(), K.data());
    fem::element_matrix(fixed, e, 1.0, 0.0, u.data(), K0.data());
    Vector d(12), force = Vector::Zero(n);
    Matrix RK(12, 12);
    for (int a = 0; a < 4; ++a) {
      const int node = turned.node[index(4 * e + a)];
      const Vector3 X = system.mesh.nodes.col(node);
      d.segment<3>(3 * a) = R.transpose() * (X + u.segment<3>(3 * node)) - X;
      for (int b = 0; b < 4; ++b)
        RK.block<3, 3>(3 * a, 3 * b) = R * K0.block<3, 3>(3 * a, 3 * b) * R.transpose();
    }
    CHECK(largest(K - RK) < 1e-13 * largest(K));
    fem::add_elastic(turned, e, e + 1, 1.0, u.data(), force.data());
    const Vector f = K0 * d;
    for (int a = 0; a < 4; ++a)
      CHECK((force.segment<3>(3 * turned.node[index(4 * e + a)]) - R * f.segment<3>(3 * a)).norm() <
            1e-13 * largest(K));
  }
  // never indefinite
  Matrix shifted = K + 1e-12 * largest(K) * Matrix::Identity(12, 12);
  CHECK(cholesky_lower(shifted));
}

// Finite elements whose contact nodes have no mass: what they do to masses, and the mechanics of the group that is left.
#include "saltus/fem/redistributed_mass.h"

#include <doctest/doctest.h>

#include <cmath>

#include "fem_meshes.h"
#include "saltus/base/error.h"
#include "saltus/fem/mass_redistribution.h"
#include "unit/bodies/body_checks.h"

using namespace saltus;
using namespace saltus::test;

namespace {

FemSystem block(ElementKind kind, std::array<int, 3> cells) {
  FemSystem system;
  system.mesh = box_mesh({kind, cells, Vector3(1.0, 0.8, 0.6), Vector3(0.2, -0.1, 0.0)});
  FemMaterial m;
  m.material.law = MaterialLaw::linear;
  m.material.young = 1e4;
  m.material.poisson = 0.3;
  m.material.density = 20.0;
  system.materials.push_back(m);
  return system;
}

/// A block over a floor that is bent a little, so that its lower nodes do not touch at once.
RedistributedMass over_floor(double damping = 0.0, ElementKind kind = ElementKind::hex8) {
  FemSystem system = block(kind, {3, 2, 3});
  system.gravity = Vector3(0.0, 0.0, -9.81);
  system.rayleigh = {0.3, damping};
  std::vector<NodeStop> stops;
  for (int a : system.mesh.node_sets.at("z0")) {
    const Vector3 x = system.mesh.nodes.col(a), n = Vector3(0.1 * x[0], 0.0, 1.0).normalized();
    stops.push_back({a, Vector3(x[0], x[1], -0.01 - 0.02 * x[0] * x[0]), n});
  }
  return RedistributedMass(system, stops);
}

/// Pressed down and bent, `way` deep.
Vector pressed(const RedistributedMass& body, double way) {
  Vector q = Vector::Zero(body.positions());
  const Mesh& mesh = body.fem().mesh();
  for (int a = 0; a < static_cast<int>(mesh.nodes.cols()); ++a) {
    const Vector3 x = mesh.nodes.col(a);
    const Vector3 u(0.01 * std::sin(3.0 * x[1]), 0.004 * x[2] * x[0],
                    -way - 0.02 * std::sin(4.0 * x[0] + x[1]));
    for (int axis = 0; axis < 3; ++axis)
      if (const int j = body.free_index(3 * a + axis); j >= 0) q[j] = u[axis];
  }
  return q;
}

Vector motion(int n) {
  Vector v(n);
  for (int i = 0; i < n; ++i) v[i] = std::sin(1.0 + 2.3 * i);
  return v;
}

int touching(const RedistributedMass& body, const Vector& q) {
  Vector lambda(static_cast<Eigen::Index>(body.stops().size()));
  body.forces(q, lambda);
  return static_cast<int>((lambda.array() > 0.0).count());
}

}  // namespace

TEST_CASE("masses that leave contact nodes keep their sum, centre and inertia, and stay positive") {
  for (ElementKind kind : {ElementKind::bar2, ElementKind::tri3, ElementKind::quad8,
                           ElementKind::tet4, ElementKind::tet10, ElementKind::hex8,
                           ElementKind::hex20, ElementKind::wedge6, ElementKind::pyramid5}) {
    CAPTURE(std::string(info(kind).name));
    const int d = info(kind).dimension;
    const Vector3 size(1.0, d > 1 ? 0.8 : 0.0, d > 2 ? 0.6 : 0.0);
    const Mesh mesh = box_mesh({kind, {5, d > 1 ? 6 : 0, d > 2 ? 6 : 0}, size, Vector3::Zero()});
    Vector mass(mesh.nodes.cols());
    for (Eigen::Index a = 0; a < mass.size(); ++a)
      mass[a] = 1.0 + 0.3 * std::sin(1.7 * static_cast<double>(a));
    const Vector before = mass;
    const std::vector<int>& boundary = mesh.node_sets.at(d == 1 ? "x0" : d == 2 ? "y0" : "z0");
    CHECK(redistribute_mass(mesh, boundary, mass) == MomentsKept::inertia);
    for (int a : boundary) CHECK(mass[a] == 0.0);
    const double total = before.sum();
    CHECK(std::abs(mass.sum() - total) <= 1e-13 * total);
    CHECK((mesh.nodes * (mass - before)).norm() <= 1e-13 * total);
    CHECK((mesh.nodes * (mass - before).asDiagonal() * mesh.nodes.transpose()).norm() <=
          1e-13 * total);
    for (Eigen::Index a = 0; a < mass.size(); ++a)
      CHECK(mass[a] >= (std::find(boundary.begin(), boundary.end(), a) == boundary.end()
                            ? 0.2 * before[a]
                            : 0.0));
  }
}

TEST_CASE("masses that cannot be moved are told") {
  const Mesh bar =
      box_mesh({ElementKind::bar2, {2, 0, 0}, Vector3(1.0, 0.0, 0.0), Vector3::Zero()});
  Vector mass = Vector::Ones(3);
  const auto move = [&](std::vector<int> nodes) { redistribute_mass(bar, nodes, mass); };
  CHECK_THROWS_AS(move({3}), UsageError);
  CHECK_THROWS_AS(move({-1}), UsageError);
  CHECK_THROWS_AS(move({0, 0}), UsageError);
  CHECK_THROWS_AS(move({0, 1, 2}), UsageError);
}

TEST_CASE("a coarse mesh keeps the centre of its mass, or the mass alone, and says so") {
  const auto left = [](int cells, Vector& mass) {
    const Mesh bar =
        box_mesh({ElementKind::bar2, {cells, 0, 0}, Vector3(1.0, 0.0, 0.0), Vector3::Zero()});
    mass = Vector::Ones(cells + 1);
    mass[0] = mass[cells] = 0.5;
    const MomentsKept kept = redistribute_mass(bar, std::vector<int>{0}, mass);
    CHECK(mass.tail(cells).minCoeff() > 0.0);
    CHECK(mass.sum() == doctest::Approx(cells).epsilon(1e-14));
    const double centre = (bar.nodes.row(0) * mass)[0] / cells;
    CHECK((kept == MomentsKept::mass || std::abs(centre - 0.5) <= 1e-13));
    return kept;
  };
  Vector mass;
  CHECK(left(1, mass) == MomentsKept::mass);
  CHECK(left(2, mass) == MomentsKept::mass);
  CHECK(left(3, mass) == MomentsKept::centre);
  CHECK(left(6, mass) == MomentsKept::inertia);
}

TEST_CASE("massless nodes are in equilibrium, outside of their stops, and pressed by them alone") {
  const RedistributedMass body = over_floor();
  const auto stops = static_cast<Eigen::Index>(body.stops().size());
  int most = 0;
  for (double way : {-0.1, 0.0, 0.01, 0.02, 0.05, 0.2}) {
    CAPTURE(way);
    const Vector q = pressed(body, way);
    Vector gap(stops), lambda(stops), all(3 * body.fem().mesh().nodes.cols());
    body.gaps(q, gap);
    body.forces(q, lambda);
    const double force = std::max(1.0, lambda.maxCoeff());
    CHECK(gap.minCoeff() >= -1e-14);
    CHECK(lambda.minCoeff() >= -1e-11 * force);
    CHECK(gap.cwiseProduct(lambda).cwiseAbs().maxCoeff() <= 1e-13 * force);
    most = std::max(most, touching(body, q));
    // G^T lambda is the elastic force of the whole mesh on these nodes, and there is no other
    body.full(0.0, q, all);
    Vector whole(body.fem().positions()), f(body.fem().positions());
    for (int dof = 0; dof < static_cast<int>(all.size()); ++dof)
      whole[body.fem().free_index(dof)] = all[dof];
    body.fem().potential_force(0.0, whole, f);
    for (Eigen::Index i = 0; i < stops; ++i) {
      const NodeStop& s = body.stops()[static_cast<std::size_t>(i)];
      Vector3 at_node;
      for (int axis = 0; axis < 3; ++axis)
        at_node[axis] = f[body.fem().free_index(3 * s.node + axis)];
      CHECK((at_node + lambda[i] * s.normal).norm() <= 1e-11 * force);
    }
  }
  CHECK(most > 3);
  CHECK(touching(body, pressed(body, -0.1)) == 0);
}

TEST_CASE(
    "the force is the gradient of the energy, and its slope the tangent, on either side of "
    "contact") {
  for (ElementKind kind : {ElementKind::hex8, ElementKind::tet10}) {
    const RedistributedMass body = over_floor(2e-3, kind);
    const Vector v = motion(body.positions()), zero = Vector::Zero(body.positions());
    for (double way : {-0.1, 0.012, 0.06}) {
      CAPTURE(way);
      const Vector q = pressed(body, way);
      CAPTURE(touching(body, q));
      const auto V = [&](const Vector& x) {
        return Vector::Constant(1, body.energy(0.0, x, zero).potential);
      };
      Vector f(body.positions());
      body.potential_force(0.0, q, f);
      CHECK(largest(slope(V, q, 1e-6) + f.transpose()) <= 1e-6 * largest(f));
      const auto F = [&](const Vector& x) { return force(body, 0.0, x, zero); };
      const Matrix K = matrix(body, {0.0, 0.0, 1.0}, q, zero);
      CHECK(largest(slope(F, q, 1e-6) + K) <= 1e-7 * largest(K));
      CHECK(largest(K - K.transpose()) <= 1e-12 * largest(K));
      const Matrix C = matrix(body, {0.0, 1.0, 0.0}, q, zero),
                   M = matrix(body, {1.0, 0.0, 0.0}, q, zero);
      CHECK(largest(C - (0.3 * M + 2e-3 * K)) <= 1e-12 * largest(C));
      CHECK(largest(force(body, 0.0, q, v) - force(body, 0.0, q, zero) + C * v) <=
            1e-12 * largest(C * v));
      CHECK(std::abs(powers(body, 0.0, q, v, v).sum() - force(body, 0.0, q, v).dot(v)) <=
            1e-11 * std::abs(force(body, 0.0, q, v).dot(v)));
    }
  }
}

TEST_CASE("solves undo products, for several right-hand sides and where contact changes") {
  const RedistributedMass body = over_floor(1e-3);
  const int n = body.positions();
  Factor A;
  for (double way : {-0.1, 0.05, 0.01, 0.05})
    for (const Combination s : {Combination{1.0, 0.0, 0.0}, Combination{1.0, 5e-3, 2.5e-5},
                                Combination{1.0, 0.0, 1e-2}, Combination{2.0, 1e-2, 0.0}}) {
      const Vector q = pressed(body, way), v = Vector::Zero(n);
      const Matrix S = matrix(body, s, q, v);
      body.factorise(s, 0.0, q, v, A);
      Matrix X = Matrix::Random(n, 3);
      const Matrix B = X;
      solve(A, X);
      CHECK(largest(S * X - B) <= 1e-9 * largest(S) * largest(X));
    }
}

TEST_CASE("points of massless nodes move as their rows say, and a far place costs no digits") {
  const RedistributedMass body = over_floor();
  const int n = body.positions(), node = body.stops()[2].node;
  const Fem& fem = body.fem();
  const std::vector<PointRef> at{fem.node_point(node),
                                 fem.element_point(0, Vector3(0.2, -0.3, -0.5)),
                                 fem.node_point(static_cast<int>(fem.mesh().nodes.cols()) - 1)};
  for (double way : {-0.1, 0.05}) {
    const Vector q = pressed(body, way), v = motion(n);
    PointRows J;
    body.point_rows(q, q, at, J);
    const auto place = [&](const Vector& x) {
      Vector p(9);
      body.points(0.0, x, at, p);
      return p;
    };
    const Vector rate = slope(place, q, 1e-6) * v;
    for (std::size_t i = 0; i < at.size(); ++i) {
      Vector3 u = Vector3::Zero();
      for (int k = J.offset[i]; k < J.offset[i + 1]; ++k)
        for (int axis = 0; axis < 3; ++axis)
          for (int j = 0; j < J.width; ++j)
            u[axis] += J.value[static_cast<std::size_t>((3 * k + axis) * J.width + j)] *
                       v[J.column[static_cast<std::size_t>(k)] + j];
      CHECK((u - rate.segment<3>(3 * static_cast<Eigen::Index>(i))).norm() <= 1e-7);
    }
  }
  // a rigid translation away from the floor strains nothing
  Vector far = Vector::Zero(n);
  for (int a = 0; a < static_cast<int>(fem.mesh().nodes.cols()); ++a)
    if (const int j = body.free_index(3 * a + 2); j >= 0) far[j] = 1000.0;
  Vector all(3 * fem.mesh().nodes.cols());
  body.full(0.0, far, all);
  CHECK(std::abs(all[3 * node + 2] - 1000.0) <= 1e-10);
}

TEST_CASE("mass redistribution refuses what it cannot do") {
  const FemSystem good = block(ElementKind::hex8, {3, 3, 3});
  const NodeStop stop{0, Vector3::Zero(), Vector3::UnitZ()};
  const auto told = [](const FemSystem& system, std::vector<NodeStop> stops,
                       const std::string& what) {
    try {
      RedistributedMass(system, std::move(stops));
    } catch (const UsageError& error) {
      CAPTURE(std::string(error.what()));
      CHECK(std::string(error.what()).find(what) != std::string::npos);
      return;
    }
    FAIL_CHECK("not refused: " << what);
  };
  CHECK_NOTHROW(RedistributedMass(good, {stop}));
  CHECK_NOTHROW(RedistributedMass(good, {stop, {0, Vector3::Zero(), Vector3::UnitX()}}));
  told(good, {}, "at least one stop");
  told(good, {{99, Vector3::Zero(), Vector3::UnitZ()}}, "node 99 (allowed: 0 to 63)");
  told(good, {{0, Vector3::Zero(), Vector3(0.0, 0.0, 2.0)}},
       "the stop of node 0 needs a unit normal");
  told(good, {stop, stop}, "the stop of node 0 is redundant with other stops");
  FemSystem bad = good;
  bad.mass = MassForm::consistent;
  told(bad, {stop}, "the mesh must have lumped mass");
  bad = good;
  bad.materials[0].material.law = MaterialLaw::neo_hooke;
  told(bad, {stop}, "laws must be linear");
  bad = good;
  bad.loads.push_back({{{2, 1.0}}, Signal::constant(1.0)});
  told(bad, {stop}, "a load acts on node 0, which has no mass");
  bad = good;
  bad.prescribed.push_back({3 * 1, Signal::harmonic(1.0, 2.0)});
  told(bad, {stop}, "node 0 shares element 0 with node 1, which has prescribed motion");
  bad = good;
  bad.prescribed.push_back({2, Signal::constant(0.0)});
  told(bad, {stop}, "node 0 is fixed along the normal of its stop");
  // a bar in the plane: nothing holds its end sideways
  FemSystem bar = good;
  bar.mesh = box_mesh({ElementKind::bar2, {4, 0, 0}, Vector3(1.0, 0.0, 0.0), Vector3::Zero()});
  bar.mesh.dimension = 2;
  told(bar, {{0, Vector3::Zero(), Vector3::UnitX()}},
       "massless node 0 is not restrained by its elements");
  bad = good;
  bad.mass = MassForm::consistent;
  bad.massless = {0};
  CHECK_THROWS_AS(Fem{bad}, UsageError);
}

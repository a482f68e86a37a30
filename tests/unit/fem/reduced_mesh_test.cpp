// Reduced bodies that are met at the points of their mesh.
#include "saltus/fem/reduced_mesh.h"

#include <doctest/doctest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "../../support/one_group.h"
#include "saltus/base/error.h"

using namespace saltus;
using namespace saltus::test;

namespace {

struct Reduced {
  FemSystem system;
  std::vector<int> kept;
  std::shared_ptr<const Fem> full;
  std::shared_ptr<const ReducedMesh> body;

  explicit Reduced(int modes) {
    BoxMesh box;
    box.kind = ElementKind::hex8;
    box.cells = {4, 2, 2};
    box.size = Vector3(1.0, 0.3, 0.2);
    system.mesh = box_mesh(box);
    FemMaterial material;
    material.material.law = MaterialLaw::linear;
    material.material.young = 1e5;
    material.material.density = 1000.0;
    system.materials = {material};
    system.rayleigh = {1.0, 1e-4};
    system.gravity = Vector3(0.0, 0.0, -9.81);
    for (const int node : system.mesh.node_sets.at("x0"))
      for (int axis = 0; axis < 3; ++axis)
        system.prescribed.push_back({3 * node + axis, Signal::constant(0.0)});
    for (const int node : system.mesh.node_sets.at("x1"))
      for (int axis = 0; axis < 3; ++axis) kept.push_back(3 * node + axis);
    full = std::make_shared<Fem>(system);
    const Vector rest = Vector::Zero(3 * system.mesh.nodes.cols());
    body = std::make_shared<ReducedMesh>(craig_bampton(system, rest, kept, modes), system.mesh);
  }
};

}  // namespace

TEST_CASE("points of a reduced mesh are its nodes and places moved by the basis") {
  const Reduced r(3);
  const int n = r.body->positions();
  Vector q(n);
  for (int i = 0; i < n; ++i) q[i] = 0.01 * std::sin(1.0 + 1.7 * i);
  const int nodes = static_cast<int>(r.system.mesh.nodes.cols());
  const std::vector<PointRef> at{r.full->node_point(7), r.full->node_point(nodes - 1),
                                 r.full->element_point(5, Vector3(0.3, -0.2, 0.8))};
  Vector x(9), rest(9), all = r.body->basis() * q, u(r.full->positions());
  for (int dof = 0; dof < 3 * nodes; ++dof)
    if (const int i = r.full->free_index(dof); i >= 0) u[i] = all[dof];
  r.body->points(0.0, q, at, x);
  r.full->points(0.0, u, at, rest);
  CHECK((x - rest).norm() <= 1e-13);
  // what is kept is itself
  for (std::size_t j = 0; j < r.kept.size(); ++j)
    CHECK(all[r.kept[j]] == q[static_cast<Eigen::Index>(j)]);
  PointRows J;
  r.body->point_rows(q, q, at, J);
  const std::vector<Vector3> direction{Vector3::UnitX(), Vector3(0.6, 0.0, 0.8), Vector3::UnitY()};
  const auto table = r.body->table(at, direction);
  PointScratch scratch;
  Vector y(3);
  table->apply(q, scratch, y);
  for (int i = 0; i < 3; ++i)
    CHECK(table->rest()[i] + y[i] ==
          doctest::Approx(direction[static_cast<std::size_t>(i)].dot(x.segment<3>(3 * i))));
  CHECK_THROWS_WITH_AS(
      r.body->points(0.0, q, std::vector<PointRef>{{0, nodes + 16, Vector3::Zero()}}, x.head<3>()),
      doctest::Contains("feature 61 of a point"), UsageError);
}

TEST_CASE(
    "a reduced block falls on a plane with friction as its mesh does, with all modes to "
    "round-off") {
  const double h = 2e-3;
  NewtonImpact law;
  law.friction = 0.4;
  const auto path = [&](const std::shared_ptr<const Dynamics>& body, const Fem& mesh) {
    const Vector still = Vector::Zero(body->positions());
    ModelParts parts = one_group({body, still, still}, MoreauJeanOptions{}, h);
    parts.laws = {law};
    const int nodes = static_cast<int>(mesh.mesh().nodes.cols());
    for (const int node : mesh.mesh().node_sets.at("x1")) {
      REQUIRE(node < nodes);
      ContactPair pair;
      pair.key = parts.pairs.size();
      pair.a = {0, mesh.node_point(node)};
      const Vector3 x = mesh.mesh().nodes.col(node);
      pair.b = {-1, {0, 0, Vector3(x[0], x[1], x[2] - 0.01)}};
      pair.normal = Vector3(0.6, 0.0, 0.8);
      pair.tangent = {Vector3(0.8, 0.0, -0.6), Vector3::UnitY()};
      pair.tangents = 2;
      parts.pairs.push_back(pair);
    }
    Simulation sim(Model(std::move(parts)));
    const std::vector<PointRef> end{mesh.node_point(nodes - 1)};
    Vector out(3 * 120), x(3);
    for (int i = 0; i < 120; ++i) {
      REQUIRE(sim.advance().converged);
      body->points(0.0, sim.state().groups[0].q, end, x);
      out.segment<3>(3 * i) = x;
    }
    return out;
  };
  const Reduced few(12), most(45);
  const Vector exact = path(few.full, *few.full);
  CHECK(exact.maxCoeff() - exact.minCoeff() > 0.5);
  const double off = (path(few.body, *few.full) - exact).cwiseAbs().maxCoeff();
  const double closer = (path(most.body, *most.full) - exact).cwiseAbs().maxCoeff();
  const Reduced all(few.full->positions() - static_cast<int>(few.kept.size()));
  const double same = (path(all.body, *all.full) - exact).cwiseAbs().maxCoeff();
  CAPTURE(off);
  CAPTURE(closer);
  CAPTURE(same);
  CHECK(off <= 2e-3);
  CHECK(closer < off);
  CHECK(same <= 1e-9);
}

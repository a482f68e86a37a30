// Steps of meshes whose linear equations are solved by conjugate gradients, and of bodies that turn as a whole.
#include <doctest/doctest.h>
#include <tbb/task_arena.h>

#include <Eigen/Geometry>
#include <cmath>
#include <memory>
#include <string>

#include "fem_meshes.h"
#include "tests/support/one_group.h"

using namespace saltus;
using namespace saltus::test;

namespace {

/// A bar of 4 x 1 x 1 m, held at one end, of a law of large turns.
FemSystem bar(int cells) {
  const FemCase c{ElementKind::tet4, MaterialLaw::corotated, PlaneState::strain, ""};
  FemSystem s = c.system(box_mesh(
      {ElementKind::tet4, {4 * cells, cells, cells}, Vector3(4.0, 1.0, 1.0), Vector3::Zero()}));
  s.prescribed = fixed_nodes(s.mesh.node_sets.at("x0"), std::vector{0, 1, 2});
  s.gravity = Vector3(0.0, 0.0, -0.05);
  return s;
}

MovingBody at_rest(const FemSystem& system) {
  const auto body = std::make_shared<const Fem>(system);
  return {body, Vector::Zero(body->positions()), Vector::Zero(body->positions())};
}

SchemeChoice implicit(bool warped) {
  EulerImplicitOptions o;
  o.newton_tolerance = warped ? 1e-8 : 1e-9;
  o.newton_iterations = 60;
  return o;
}

}  // namespace

TEST_CASE(
    "steps solved by conjugate gradients are those of the direct solver, with either tangent") {
  Vector first;
  for (const CorotatedTangent tangent : {CorotatedTangent::exact, CorotatedTangent::warped})
    for (const auto kind : {FemSolver::Kind::direct, FemSolver::Kind::conjugate_gradients}) {
      FemSystem system = bar(2);
      system.tangent = tangent;
      system.solver = {kind, 1e-11, 2000};
      Simulation sim{
          Model(one_group(at_rest(system), implicit(tangent == CorotatedTangent::warped), 0.05))};
      int passes = 0;
      for (int k = 0; k < 40; ++k) {
        const StepReport report = sim.advance();
        passes += report.passes;
        REQUIRE(report.converged);
        if (kind == FemSolver::Kind::direct)
          CHECK(report.linear_residual == 0.0);
        else
          CHECK((report.linear_residual > 0.0 && report.linear_residual <= 2e-11));
      }
      const std::string name = tangent == CorotatedTangent::warped ? "warped" : "exact";
      MESSAGE(name << ": " << passes << " passes");
      const Vector& q = sim.state().groups[0].q;
      CHECK(q.minCoeff() < -0.1);  // it hangs
      if (first.size() == 0)
        first = q;
      else
        CHECK((q - first).cwiseAbs().maxCoeff() < 1e-6);
    }
}

TEST_CASE("a step whose linear equations were not solved to their tolerance fails and says so") {
  FemSystem system = bar(2);
  system.solver = {FemSolver::Kind::conjugate_gradients, 1e-11, 3};
  for (const auto solver : {EquationSolver::newton, EquationSolver::linear}) {
    EulerImplicitOptions options;
    options.solver = solver;
    Simulation sim{Model(one_group(at_rest(system), options, 0.05))};
    const StepReport report = sim.advance();
    CHECK_FALSE(report.converged);
    CHECK(report.failure == "conjugate gradients did not reach their tolerance");
  }
  // a given number of iterations is what was asked for
  system.solver.tolerance = 0.0;
  EulerImplicitOptions options;
  options.solver = EquationSolver::linear;
  Simulation sim{Model(one_group(at_rest(system), options, 0.05))};
  const StepReport report = sim.advance();
  CHECK(report.converged);
  CHECK(report.linear_residual > 1e-6);
}

TEST_CASE("a free bar that turns as a whole keeps its energy and its momentum, and its factor") {
  const FemCase c{ElementKind::tet4, MaterialLaw::linear, PlaneState::strain, ""};
  FemSystem system = c.system(
      box_mesh({ElementKind::tet4, {6, 2, 2}, Vector3(3.0, 1.0, 1.0), Vector3(-1.5, -0.5, -0.5)}));
  system.form = FemForm::body_corotational;
  const auto body = std::make_shared<const Fem>(system);
  MovingBody moving{body, Vector::Zero(body->positions()), Vector(body->positions())};
  const Vector3 spin(0.0, 0.4, 0.3);
  for (int a = 0; a < body->mesh().nodes.cols(); ++a)
    moving.v.segment<3>(3 * a) = spin.cross(body->mesh().nodes.col(a));
  DefLimOptions options;
  options.iterate = true;
  options.newton_tolerance = 1e-11;
  options.newton_iterations = 60;
  Simulation sim{Model(one_group(moving, options, 0.02))};
  const double energy = sim.state().energy.total();
  const Resultant before = body->momentum(0.0, moving.q, moving.v);
  double worst = 0.0;
  for (int k = 0; k < 600; ++k) {  // about a turn
    REQUIRE(sim.advance().converged);
    worst = std::max(worst, std::abs(sim.state().energy.total() - energy) / energy);
  }
  const GroupState& end = sim.state().groups[0];
  const Resultant after = body->momentum(0.0, end.q, end.v);
  // the midpoint rule on a force without moment
  CHECK((after.force - before.force).norm() < 1e-9 * before.moment.norm());
  CHECK((after.moment - before.moment).norm() < 1e-8 * before.moment.norm());
  CHECK(worst < 1e-4);
  MESSAGE("energy " << worst << ", angular momentum "
                    << (after.moment - before.moment).norm() / before.moment.norm());
}

// What the options of moreau-jean ask of the driver, and the account of both quadratures.
#include <doctest/doctest.h>

#include <cmath>

#include "saltus/bodies/linear.h"
#include "saltus/schemes/registry.h"
#include "support/one_group.h"

using namespace saltus;
using namespace saltus::test;
using Options = MoreauJeanOptions;

TEST_CASE("moreau-jean tells the driver what its passes renew") {
  const auto limits = [](auto&& set) {
    Options o;
    set(o);
    return make_scheme(SchemeChoice(o))->pass_limits();
  };
  const PassLimits usual = limits([](Options&) {});
  CHECK_FALSE(usual.detect);
  CHECK_FALSE(usual.only_one);
  CHECK_FALSE(usual.freeze_rows);
  CHECK(limits([](Options& o) { o.newton = Options::Newton::full_with_detection; }).detect);
  CHECK(limits([](Options& o) { o.newton = Options::Newton::one_pass; }).only_one);
  CHECK(limits([](Options& o) { o.newton = Options::Newton::one_pass_refreshed; }).only_one);
  CHECK(limits([](Options& o) { o.operators = Options::Operators::frozen; }).freeze_rows);
}

//     E1 - E0 = loads + damping - (theta - 1/2) (|v1 - v0|_M^2 - r . (v1 - v0) + |q1 - q0|_K^2) + impact
TEST_CASE("the account of an affine body is exact under loads that change, by either quadrature") {
  for (Options::Quadrature quadrature : {Options::Quadrature::ends, Options::Quadrature::mid})
    for (double theta : {0.3, 0.5, 0.7, 1.0})
      for (bool contact : {false, true}) {
        CAPTURE(theta);
        CAPTURE(contact);
        LinearSystem system = chain(5, 0.5, 80.0, 0.3, ChainEnds::fixed_free);
        system.points.clear();  // all move along z from the origin
        system.loads = {{{{0, 1.0}, {3, -2.0}}, Signal::harmonic(20.0, 60.0, 0.4)}};
        system.prescribed = {{4, Signal::harmonic(0.1, 45.0)}};
        Options o;
        o.theta = theta;
        o.quadrature = quadrature;
        ModelParts parts = one_group({std::make_shared<Linear>(system), Vector::Constant(4, 0.05),
                                      Vector::Constant(4, -1.0)},
                                     o, 5e-3);
        if (contact) {
          NewtonImpact law;
          law.restitution = 0.5;
          add_stop(parts, {0, 1, Vector3::Zero()}, Vector3(0.0, 0.0, -0.02), Vector3::UnitZ(), law);
        }
        Simulation sim{Model(parts)};
        double largest = sim.state().energy.total();
        int impacts = 0;
        for (int k = 0; k < 200; ++k) {
          const StepReport report = sim.advance();
          largest = std::max(largest, sim.state().energy.total());
          CHECK(std::abs(report.unexplained) <= 1e-13 * largest);
          impacts += report.contacts;
        }
        CHECK((impacts > 0) == contact);
      }
}

// (F(t0) + F(t1))/2 against F(t0 + h/2)
TEST_CASE("a load that changes is taken at both ends, or in the middle, of a step") {
  const Signal shake = Signal::harmonic(20.0, 60.0, 0.4);
  constexpr double h = 0.01;
  for (double theta : {0.0, 0.5, 0.7, 1.0})
    for (Options::Quadrature quadrature : {Options::Quadrature::ends, Options::Quadrature::mid}) {
      LinearSystem system;
      system.mass = SparseMatrix::identity(1);
      system.loads = {{{{0, 1.0}}, shake}};
      Options o;
      o.theta = theta;
      o.quadrature = quadrature;
      Simulation sim{Model(
          one_group({std::make_shared<Linear>(system), Vector::Zero(1), Vector::Zero(1)}, o, h))};
      sim.advance();
      const double ends = (1.0 - theta) * shake.value(0.0) + theta * shake.value(h),
                   mid = shake.value(theta * h);
      CHECK(sim.state().groups[0].v[0] ==
            doctest::Approx(h * (quadrature == Options::Quadrature::ends ? ends : mid))
                .epsilon(1e-14));
    }
}

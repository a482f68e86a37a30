// Advice on the step of explicit schemes for bodies whose fastest motion has a bound.
#include <doctest/doctest.h>

#include <string>

#include "saltus/advice/advice.h"
#include "saltus/fem/critical_step.h"
#include "saltus/schemes/registry.h"

using namespace saltus;

TEST_CASE("meshes are told which step is safe, which may be and which is not") {
  FemSystem system;
  system.mesh = box_mesh({ElementKind::tet4, {2, 1, 1}, Vector3(1.3, 1.0, 0.8), Vector3::Zero()});
  FemMaterial rubber;
  rubber.material.young = 100.0;
  system.materials.push_back(rubber);
  const Fem body(system);
  const GroupState start{Vector::Zero(body.positions()), Vector::Zero(body.positions()), {}};
  const auto scheme = make_scheme(DefExpOptions{});
  const double safe = critical_step(*scheme, motion_bound(body, 0.0, start.q));
  const double grows = critical_step(*scheme, motion_estimate(body, 0.0, start.q, start.v));
  REQUIRE(safe < 0.98 * grows);
  CHECK_FALSE(step_advice(body, *scheme, start, 0.999 * safe, "block").has_value());
  const auto maybe = step_advice(body, *scheme, start, 0.5 * (safe + grows), "block");
  REQUIRE(maybe.has_value());
  CHECK(maybe->find("may be above the stability limit of def-exp for 'block'") !=
        std::string::npos);
  const auto no = step_advice(body, *scheme, start, 1.01 * grows, "block");
  REQUIRE(no.has_value());
  CHECK(no->find("is above the stability limit of def-exp for 'block'") != std::string::npos);
  CHECK(no->find("a scheme without a limit") != std::string::npos);
  CHECK_FALSE(step_advice(body, *make_scheme(DefLimOptions{}), start, 1.0, "block").has_value());
  CHECK_FALSE(step_fault(body, *scheme, start, 0.98 * grows, "block").has_value());
  const auto fault = step_fault(body, *scheme, start, grows, "block");
  REQUIRE(fault.has_value());
  CHECK(fault->find("is not below 0.99 of the critical step of def-exp for 'block'") !=
        std::string::npos);
  CHECK_FALSE(step_fault(body, *make_scheme(DefLimOptions{}), start, 1.0, "block").has_value());

  Vector inverted = start.q;
  for (int a = 0; a < static_cast<int>(system.mesh.nodes.cols()); ++a)
    inverted[3 * a] = -2.0 * system.mesh.nodes(0, a);
  system.materials[0].material.law = MaterialLaw::neo_hooke;
  const Fem broken(system);
  const auto text = step_advice(broken, *scheme, {inverted, start.v, {}}, 1e-3, "block");
  REQUIRE(text.has_value());
  CHECK(text->find("not finite at the start") != std::string::npos);
}

// Implicit schemes over steps far longer than the periods of a body: euler-implicit finds the equilibrium, and every step from there
// stays in it.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <string>

#include "acceptance/run_scene.h"

using namespace saltus;
using namespace saltus::test;

namespace {

std::string cantilever(const std::string& scheme, const std::string& material, double force,
                       double step, int steps, const std::string& cells = "[8, 1, 1]") {
  return fmt::format(R"(saltus: 1
time: {{end: {:.17g}, step: {:.17g}}}
bodies:
  - name: beam
    kind: fem
    scheme: {}
    fem:
      mesh: {{box: {{kind: hex8, cells: {}, size: [1, 0.1, 0.1]}}}}
      material: {{{}, density: 1000}}
      fixed: [{{set: x0}}]
      loads: [{{set: x1, force: [0, 0, {:.17g}]}}]
outputs: [{{probe: beam, name: tip, at: [1, 0.05, 0.05], direction: [0, 0, 1], quantity: displacement}}]
)",
                     steps * step, step, scheme, cells, material, force);
}

struct Tip {
  bool converged = true;
  double first = 0.0, last = 0.0;
};
Tip tip(const std::string& text) {
  Tip found;
  int step = 0;
  const Shown shown = run_text(text, {}, [&](const Simulation& sim, const StepReport&) {
    (step++ == 0 ? found.first : found.last) = sim.probe(0);
  });
  found.converged = shown.converged;
  return found;
}

const std::string kNeoHooke = "law: neo_hooke, young: 1 MPa, poisson: 0.3";

}  // namespace

TEST_CASE("a rubber cantilever under 30 N is at rest after steps of 1000 s and of 10 s") {
  // -0.606683744 m: a ramp of the load in many steps on the same mesh
  for (const double h : {1000.0, 10.0}) {
    CAPTURE(h);
    const Tip found =
        tip(cantilever("euler-implicit", kNeoHooke, -30.0, h, h == 10.0 ? 20 : 3, "[16, 2, 2]"));
    REQUIRE(found.converged);
    CHECK(found.last == doctest::Approx(-0.606683744).epsilon(h == 10.0 ? 1e-3 : 1e-8));
  }
}

TEST_CASE("equilibria under euler-implicit do not depend on the step, whatever load and material") {
  for (const std::string& material :
       {kNeoHooke, std::string("law: st_venant_kirchhoff, young: 1 MPa, poisson: 0.3"),
        std::string("law: corotated, young: 1 MPa, poisson: 0.3"),
        std::string("law: mooney_rivlin, c10: 150 kPa, c01: 40 kPa, bulk: 800 kPa")})
    for (const double force : {-10.0, 20.0, -40.0, -60.0}) {
      double before = 0.0;
      for (const double h : {1e2, 1e4, 1e6}) {
        CAPTURE(material);
        CAPTURE(force);
        CAPTURE(h);
        const Tip found = tip(cantilever("euler-implicit", material, force, h, 3));
        REQUIRE(found.converged);
        CHECK(std::abs(found.last) > 0.1);
        if (h > 1e2) CHECK(found.last == doctest::Approx(before).epsilon(1e-5));
        before = found.last;
      }
    }
}

TEST_CASE("schemes that conserve energy make long steps where euler-implicit makes them") {
  for (const std::string scheme : {"newmark", "generalized-alpha", "moreau-jean"})
    for (const double h : {0.1, 1.0}) {
      CAPTURE(scheme);
      CAPTURE(h);
      CHECK(tip(cantilever(scheme, kNeoHooke, -10.0, h, 4)).converged);
    }
}

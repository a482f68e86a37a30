// Schemes that store accelerations, under steps of changing length.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <string>

#include "run_scene.h"

using namespace saltus;
using namespace saltus::test;

namespace {

const std::string kSwing = R"(
saltus: 1
time: {end: 10, step: 1}
bodies:
  - {name: a, kind: linear, scheme: SCHEME,
     oscillator: {mass: 1, stiffness: 4}, initial: {coordinates: [1]}}
outputs: [{probe: a, at: 0, quantity: displacement}]
)";
const std::string kPendulum = R"(
saltus: 1
time: {end: 5, step: 0.5}
bodies:
  - {name: a, kind: lagrangian, scheme: SCHEME,
     n_pendulum: {length: [1, 0.7], mass: [1, 2]}, initial: {coordinates: [1.5, -0.4]}}
outputs: [{probe: a, at: 0, quantity: displacement}]
)";

struct Outcome {
  long steps = 0;
  double end = 0.0;
};
Outcome under(std::string scene, const std::string& scheme, double tolerance) {
  scene.replace(scene.find("SCHEME"), 6, scheme);
  Outcome made;
  const Shown run =
      run_text(scene, {fmt::format("time.tolerance={}", tolerance)},
               [&](const Simulation&, const StepReport& report) { made.steps += report.steps; });
  CHECK(run.converged);
  made.end = run.sim.probe(0);
  return made;
}

}  // namespace

TEST_CASE("schemes that store accelerations meet a tolerance with the steps of those that do not") {
  for (const std::string& scene : {kSwing, kPendulum})
    for (const char* scheme :
         {"newmark", "generalized-alpha", "{kind: generalized-alpha, rho_infinity: 0.3}",
          "{kind: generalized-alpha, rho_infinity: 1}"}) {
      CAPTURE(scheme);
      double last = 0.0;
      for (const double tolerance : {1e-3, 1e-5, 1e-6}) {
        CAPTURE(tolerance);
        const Outcome plain = under(scene, "moreau-jean", tolerance),
                      stored = under(scene, scheme, tolerance);
        CHECK(stored.steps <= (std::string(scheme).ends_with("0.3}") ? 4 : 2) * plain.steps);
        last = stored.end;
      }
      CHECK(std::abs(last - under(scene, "moreau-jean", 1e-7).end) < 2e-5);
    }
}

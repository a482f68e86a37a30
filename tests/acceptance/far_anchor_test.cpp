// A force is rounded by the size of what it is measured from: a body near the origin on a spring to a place far from it has
// forces as rough as one that is far away itself, and no iteration makes them finer.
#include <doctest/doctest.h>

#include <string>

#include "acceptance/run_scene.h"

using namespace saltus;
using namespace saltus::test;

TEST_CASE(
    "a mass at the origin hardly moves on a stiff spring to a far place, and every step "
    "converges") {
  for (const char* scheme : {"newmark", "euler-implicit", "moreau-jean", "generalized-alpha"})
    for (const char* stiffness : {"1e5", "1e7", "1e9", "1e11"})
      for (const char* velocity : {"0", "1e-9", "1e-6"}) {
        CAPTURE(scheme);
        CAPTURE(stiffness);
        CAPTURE(velocity);
        Simulation sim(build(read_scene_text(std::string(R"(
saltus: 1
time: {end: 1 s, step: 1 ms}
bodies:
  - name: m
    kind: particles
    particles:
      mass: [1 kg]
      positions: [[0, 0, 0]]
      velocities: [[)") + velocity + R"(, 0, 0]]
      springs: [{particle: 0, anchor: [1, 0.3, 0.1], stiffness: )" +
                                                 stiffness +
                                                 R"(, length: 1.0488088481701517 m}]
    scheme: )" + scheme + "\n",
                                             "far.yaml")));
        int converged = 0;
        for (int k = 0; k < 300; ++k) converged += sim.advance().converged ? 1 : 0;
        CHECK(converged == 300);
        CHECK(sim.state().groups[0].q.cwiseAbs().maxCoeff() <= std::stod(velocity) + 1e-14);
      }
}

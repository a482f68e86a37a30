// Contacts that restrict the same motion as joints while their points travel: which of them carry
// the load is not determined, but the step is.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "run_scene.h"

using namespace saltus;
using namespace saltus::test;

namespace {

std::string on_floor(const std::string& body) {
  return "saltus: 1\ntime: {end: 0.05, step: 1e-3}\ngravity: [0, 0, -9.81]\nbodies:\n"
         "  - {name: floor, kind: rigid, rigid: {shape: {plane: {}}, fixed: true}}\n" +
         body;
}

/// Two balls on one axle that circle about a ball joint, and a wheel with a line of contact.
const std::string kBalls =
    R"(  - {name: d, kind: rigid, rigid: {shapes: [{sphere: {radius: 0.05}},
       {sphere: {radius: 0.05}, position: [0.12, 0, 0]}],
     density: 1000, position: [0.3, 0, 0.05], velocity: [0, 0.36, 0], spin: [-7.2, 0, 1]}}
joints: [{kind: ball, between: [world, d], at: [0, 0, 0.05]}]
surfaces: [{law: {kind: newton-impact, friction: 0.3}}]
)";
const std::string kWheel =
    R"(  - {name: d, kind: rigid, rigid: {shape: {cylinder: {radius: 0.1, length: 0.02}},
     density: 1000, position: [0.3, 0, 0.1],
     rotation: {axis: [0, 1, 0], angle: 90 deg}, velocity: [0, 1.2, 0], spin: [-4, 0, -12]}}
joints: [{kind: ball, between: [world, d], at: [0, 0, 0.1]}]
surfaces: [{law: {kind: newton-impact, friction: 0.8}}]
)";

}  // namespace

TEST_CASE(
    "bodies on redundant contacts and a joint circle about it, at any instant of the contacts") {
  for (const auto& [body, z] : {std::pair{kBalls, 0.05}, {kWheel, 0.1}})
    for (const char* instant : {"end", "middle", "start"})
      for (const char* step : {"1e-3", "5e-4"}) {
        CAPTURE(body);
        CAPTURE(instant);
        double gap = 0.0, off = 0.0;  // of the joint; of the height of the centre
        const Shown run = run_text(
            on_floor(body),
            {fmt::format("contact.instant={}", instant), fmt::format("time.step={}", step)},
            [&, z = z](const Simulation& sim, const StepReport& report) {
              gap = std::max(gap, report.joint_gap);
              off = std::max(off, std::abs(sim.state().groups.back().q[2] - z));
            });
        CHECK(run.converged);
        CHECK(gap < 1e-12);
        CHECK(off < 1e-5);
        CHECK(run.worst_rise < 1e-4);
        for (const Notice& one : run.sim.notices())
          if (one.kind == Notice::Kind::points) CHECK(one.text.find("'d'") != std::string::npos);
      }
}

// Beams and finite elements that do not move, or hardly: forces of strains that are next to nothing are as exact as those
// of large ones, so that no scheme stops at their round-off.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "run_scene.h"

using namespace saltus;
using namespace saltus::test;

namespace {

constexpr const char* kSchemes[] = {"moreau-jean",       "{kind: moreau-jean, theta: 1}",
                                    "newmark",           "euler-implicit",
                                    "generalized-alpha", "def-lim",
                                    "discrete-gradient"};

std::string scene(const std::string& body, const std::string& time = "{end: 10 ms, step: 1 ms}") {
  return "saltus: 1\ntime: " + time + "\nbodies:\n  - " + body + "\n";
}

std::string beam(const std::string& scheme, const std::string& more,
                 const std::string& shape = "start: [0, 0, 0], end: [1, 0, 0], radius: 1 cm") {
  return "{name: b, kind: beam, scheme: " + scheme + ", beam: {" + shape +
         ", young: 2e9, density: 1000, held: [{at: start, as: clamped}]" + more + "}}";
}

std::string block(const std::string& scheme, const std::string& more, const std::string& law,
                  double young = 1e7) {
  return fmt::format(
      "{{name: b, kind: fem, scheme: {}, fem: {{mesh: {{box: {{kind: hex8, cells: [4, 2, 2], size: "
      "[0.3, 0.1, 0.1]}}}}, material: {{law: {}, young: {}, poisson: 0.3, density: 7800}}{}}}}}",
      scheme, law, young, more);
}

const GroupState& state(const Shown& s) { return s.sim.state().groups[0]; }
double largest(const Vector& x) { return x.cwiseAbs().maxCoeff(); }

}  // namespace

TEST_CASE("a clamped beam at rest stays at rest to the bit, wherever it lies, under every scheme") {
  for (const char* scheme : kSchemes)
    for (const char* shape :
         {"start: [0, 0, 0], end: [1, 0, 0], radius: 1 cm",
          "start: [0.1, 0.2, 0.3], end: [1, -2, 0.7], radius: 1 mm, elements: 33",
          "start: [0, 0, 0], end: [0, 0, 0.1], radius: 1 cm, elements: 3"}) {
      CAPTURE(scheme);
      CAPTURE(shape);
      const Shown s = run_text(scene(beam(scheme, "", shape)));
      CHECK(s.converged);
      CHECK(largest(state(s).q) == 0.0);
      CHECK(largest(state(s).v) == 0.0);
    }
}

TEST_CASE("the motion of a beam is proportional to its load, from 1e-200 N to 1e-6 N") {
  for (const char* scheme : kSchemes) {
    CAPTURE(scheme);
    Vector first;
    for (const double F : {1e-6, 1e-9, 1e-15, 1e-100, 1e-200}) {
      CAPTURE(F);
      const Shown s = run_text(
          scene(beam(scheme, fmt::format(", loads: [{{at: end, force: [0, 0, {}]}}]", F))));
      CHECK(s.converged);
      const Vector q = state(s).q / F;
      if (first.size() == 0) first = q;
      // 1e-6 N bends it by 2e-8 m; the deflection across the load and along the beam is of second order
      CHECK((q - first).norm() <= 1e-6 * first.norm());
      if (std::string(scheme) == "generalized-alpha") continue;  // no account has its damping
      CHECK(std::abs(s.sim.state().ledger.back()) <= 1e-6 * std::abs(s.sim.state().energy.total()));
    }
  }
}

TEST_CASE("a steel rod at rest waits for the ball that strikes it") {
  double tip = 0.0;
  const Shown s = run_text(
      "saltus: 1\n"
      "time: {end: 60 ms, step: 0.1 ms}\n"
      "bodies:\n"
      "  - {name: rod, kind: beam, beam: {start: [0, 0, 0], end: [1, 0, 0], radius: 5 mm, young: "
      "2.1e11, density: "
      "7800, held: [{at: start, as: clamped}]}}\n"
      "  - {name: ball, kind: rigid, rigid: {shape: {sphere: {radius: 2 cm}}, density: 7800, "
      "position: [1, 0, 0.05], "
      "velocity: [0, 0, -1]}}\n"
      "contacts:\n"
      "  - {on: ball, at: [0, 0, 0], against: {body: rod, at: end, normal: [0, 0, 1]}, law: {kind: "
      "newton-impact, "
      "restitution: 0.5}}\n",
      {}, [&](const Simulation& sim, const StepReport& report) {
        const double v = largest(sim.state().groups[0].v);
        if (sim.state().t < 0.0495) CHECK(v == 0.0);
        if (report.contacts > 0) tip = std::max(tip, v);
      });
  CHECK(s.converged);
  CHECK(s.contact_steps > 0);
  CHECK(tip > 0.5);
}

TEST_CASE("finite elements of every law rest, and hardly move under 1e-6 of their weight") {
  for (const char* law : {"linear", "st_venant_kirchhoff", "neo_hooke", "corotated", "body"})
    for (const char* scheme : {"moreau-jean", "newmark", "{kind: def-lim, iterate: true}"}) {
      CAPTURE(law);
      CAPTURE(scheme);
      const bool turns = std::string(law) == "body";
      const std::string of = turns ? "linear" : law,
                        form = turns ? ", form: body_corotational" : "";
      const Shown rest = run_text(scene(block(scheme, form, of)));
      CHECK(rest.converged);
      CHECK(largest(state(rest).q) == 0.0);
      // Of body_corotational, which nothing may hold, the load g of a face.
      const auto sag = [&](double g) {
        const std::string pull = fmt::format("[0, {0}, {0}]", -g);
        const Shown s =
            run_text(scene(block(scheme,
                                 form + (turns ? ", loads: [{set: x1, force: " + pull + "}]"
                                               : ", fixed: [{set: x0}], gravity: " + pull),
                                 of)));
        const Energy& E = s.sim.state().energy;
        CHECK(s.converged);
        CHECK(std::abs(s.sim.state().ledger.back()) <=
              1e-6 * std::max(E.kinetic, std::abs(E.potential)));
        return Vector(state(s).q / g);
      };
      const Vector small = sag(1e-6), tiny = sag(1e-12);
      CHECK((small - tiny).norm() <= 1e-6 * tiny.norm());
    }
}

TEST_CASE("a steel block takes up a load that grows from nothing") {
  for (const char* scheme : {"moreau-jean", "newmark", "def-lim"}) {
    CAPTURE(scheme);
    const Shown s = run_text(
        scene(block(scheme,
                    ", fixed: [{set: x0}], loads: [{set: x1, force: [1, 0, 0], factor: {rate: 1}}]",
                    "st_venant_kirchhoff", 2.1e11),
              "{end: 50 ms, step: 1 ms}"));
    CHECK(s.converged);
    // F L/(E A) of a bar, about which it swings; fixed ends make it a little stiffer
    const double still = 0.05 * 0.3 / (2.1e11 * 0.01);
    CHECK(largest(state(s).q) > 0.8 * still);
    CHECK(largest(state(s).q) < 1.3 * still);
  }
}

TEST_CASE("a beam whose equation is not solved is still said not to be") {
  const std::string load = ", loads: [{at: end, force: [0, 0, 300]}]";
  for (const char* scheme :
       {"{kind: moreau-jean, newton_iterations: 2}", "{kind: newmark, newton_iterations: 2}"}) {
    CAPTURE(scheme);
    CHECK_FALSE(run_text(scene(beam(scheme, load), "{end: 0.5 s, step: 50 ms}")).converged);
  }
}

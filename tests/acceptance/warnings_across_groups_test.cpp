// What a run says at its end of contacts that gain, bodies that sink and schemes that grow: of bodies in one group as of those
// in several, by the name of the one that it is true of.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>

#include "run_warnings.h"

using namespace saltus;
using namespace saltus::test;

namespace {

std::string lines_of(const std::string& text, std::size_t groups) {
  const Warned run = run_warned(text);
  CHECK(run.groups == groups);
  return run.lines;
}
bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// The end of a pinned rod falls on a floor, fixed or heavy: friction gains 7 mJ.
std::string rod(const std::string& floor, const std::string& others, const char* law) {
  return fmt::format(R"(saltus: 1
time: {{end: 170 ms, step: 1 ms}}
contact: {{instant: middle}}
bodies:
{}  - name: rod
    kind: rigid
    rigid:
      shape: {{capsule: {{radius: 12 mm, length: 0.12}}, rotation: {{axis: [0, 1, 0], angle: 90 deg}}}}
      mass: 0.25
      inertia: [3e-4, 3e-4, 3e-4]
      position: [0.1, 0, 0.055]
      gravity: [0, 0, -9.81]
{}joints:
  - {{name: pin, kind: revolute, between: [world, rod], at: [0.03, 0, 0.055], axis: [0, 1, 0]}}
surfaces: [{{law: {}}}]
)",
                     floor, others, law);
}

}  // namespace

TEST_CASE(
    "friction that gains is told above a thousandth of what moves, in which group it may be") {
  const char *gains = "{kind: newton-impact, restitution: 0.35, friction: 0.25}",
             *never =
                 "{kind: newton-impact, restitution: 0.35, friction: 0.25, slip: mean, activation: "
                 "{closing_only: true}}";
  const std::string fixed =
      "  - {name: floor, kind: rigid, rigid: {shape: {plane: {}}, fixed: true}}\n";
  const auto heavy = [](const char* more) {
    return fmt::format(
        "  - {{name: floor, kind: rigid, {}}}}}\n"
        "  - {{name: ground, kind: rigid, rigid: {{shape: {{plane: {{point: [0, 0, -0.2]}}}}, "
        "fixed: true}}}}\n",
        more);
  };
  const std::string slab =
      "rigid: {shape: {box: {size: [2, 2, 0.2]}}, mass: 800, position: [0, 0, -0.1], gravity: [0, "
      "0, -9.81]";
  for (const auto& [floor, groups] : {std::pair{fixed, 1},
                                      {heavy(slab.c_str()), 1},
                                      {heavy(("scheme: rig-neg, " + slab).c_str()), 2}}) {
    CAPTURE(floor);
    CHECK(says(lines_of(rod(floor, "", gains), groups), "contact added energy"));
    CHECK(!says(lines_of(rod(floor, "", never), groups), "added energy"));
  }
  for (const char* scheme : {"", "scheme: rig-neg, "})
    for (const auto& [v, told] : {std::pair{1, true}, {50, false}}) {  // 0.05 J and 125 J
      CAPTURE(scheme);
      CAPTURE(v);
      const std::string bird = fmt::format(
          "  - {{name: bird, kind: rigid, {}rigid: {{shape: {{sphere: {{radius: 0.1}}}}, mass: "
          "0.1, position: [0, 5, 3], velocity: [{}, 0, 0], gravity: [0, 0, {}]}}}}\n",
          scheme, v, *scheme ? "0" : "-9.81");
      CHECK(says(lines_of(rod(fixed, bird, gains), *scheme ? 2 : 1), "added energy") == told);
    }
}

TEST_CASE("bodies that sink into those of another group are told, and at rest they are not") {
  const auto stack = [](const char* scheme, const char* law) {
    return fmt::format(R"(saltus: 1
time: {{end: 0.5 s, step: 2 ms}}
gravity: [0, 0, -9.81]
bodies:
  - {{name: floor, kind: rigid, rigid: {{shape: {{plane: {{}}}}, fixed: true}}}}
  - {{name: a, kind: rigid, rigid: {{shape: {{box: {{size: [0.5, 0.5, 0.3]}}}}, mass: 3, position: [0, 0, 0.15]}}}}
  - {{name: b, kind: rigid, {}rigid: {{shape: {{box: {{size: [0.5, 0.5, 0.3]}}}}, mass: 90, position: [0.02, 0, 0.45]}}}}
surfaces: [{{law: {}}}]
)",
                       scheme, law);
  };
  for (const char* scheme : {"", "scheme: rig-neg, ", "scheme: rig-pos, "}) {
    CAPTURE(scheme);
    const std::size_t groups = *scheme ? 2 : 1;
    CHECK(says(
        lines_of(
            stack(scheme,
                  "{kind: newton-impact, friction: 0.4, slip: mean, activation: {kind: siconos, "
                  "closing_only: true}}"),
            groups),
        "bodies sank into each other by"));
    CHECK(lines_of(stack(scheme, "{kind: newton-impact, friction: 0.4}"), groups).empty());
  }
}

TEST_CASE(
    "an explicit chain that grows is named, not another explicit body that keeps its energy") {
  const auto chain = [](const char* step, const std::string& before, const std::string& after) {
    return fmt::format(R"(saltus: 1
time: {{end: 2 s, step: {}}}
bodies:
{}  - name: chain
    kind: linear
    chain: {{masses: 3, mass: 1 kg, stiffness: 400 N/m, ends: fixed-free}}
    initial: {{coordinates: [0.02, -0.01, 0], velocities: [0, 1, -2]}}
    scheme: variational-symplectic
{}contacts: [{{on: chain, at: 2, against: {{stop: {{at: 0.01, side: above}}}},
     law: {{kind: felt, stiffness: 1e7, exponent: 2.5, damping: 1e4}}}}]
)",
                       step, before, after);
  };
  const auto slow = [](const char* scheme, double v) {
    return fmt::format(
        "  - {{name: slow, kind: linear, scheme: {}, oscillator: {{mass: 1, stiffness: 2}}, "
        "initial: {{velocities: [{}]}}}}\n",
        scheme, v);
  };
  for (const char* scheme : {"central-difference", "moreau-jean"})
    for (const bool before : {false, true})
      for (const double v : {0.05, 2000.0}) {  // 2 MJ: the chain grows by less than 1e-3 of it
        CAPTURE(scheme);
        CAPTURE(before);
        CAPTURE(v);
        const std::string other = slow(scheme, v);
        const auto said = [&](const char* step) {
          return lines_of(chain(step, before ? other : "", before ? "" : other), 2);
        };
        const std::string lines = said("40 ms");
        CHECK(says(lines,
                   "the step is too long for variational-symplectic, which integrates 'chain'") ==
              (v < 1.0));
        CHECK(!says(lines, "'slow'"));
        CHECK(!says(said("4 ms"), "the energy grew"));
      }
}

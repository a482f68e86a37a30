// Entries of a scene that could never act are refused, or reported, by name: laws of surfaces on bodies that have none, joints at
// places that stand still, corrections of positions where points touch.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "saltus/scene/build.h"
#include "saltus/scene_file/scene_yaml.h"

using namespace saltus;

namespace {

/// The message of the fault of a scene, "": it has none; its warnings.
std::string fault_of(const std::string& text, std::vector<std::string>* warnings = nullptr) {
  try {
    const Model model =
        build(read_scene_text("saltus: 1\ntime: {end: 0.1 s, step: 1 ms}\n" + text, "s"));
    if (warnings) warnings->assign(model.warnings().begin(), model.warnings().end());
    return "";
  } catch (const SceneError& error) {
    return error.what();
  }
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

const std::string kBall =
    "  - {name: ball, kind: rigid, rigid: {shape: {sphere: {radius: 30 mm}, material: steel}, "
    "mass: "
    "0.4, position: [0.1, 0, 0.3]}}\n";
const std::string kRod =
    "  - {name: rod, kind: beam, beam: {start: [0, 0, 0], end: [0.4, 0, 0], elements: 4, radius: 3 "
    "mm, young: 5 GPa, density: 1500, held: [{at: start, as: clamped}]}}\n";
const std::string kDrops =
    "  - {name: drops, kind: particles, particles: {mass: [0.1], positions: [[0, 0, 1], "
    "[0.1, 0, 1]]}}\n";
const std::string kOscillator =
    "  - {name: mass, kind: linear, oscillator: {mass: 1, stiffness: 100}}\n";
const std::string kLaw = "surfaces: [{law: {kind: newton-impact}}]\n";

}  // namespace

TEST_CASE(
    "laws for all surfaces are refused beside a body that has none and that nothing else stops") {
  for (const std::string& body : {kRod, kDrops}) {
    CAPTURE(body);
    const std::string bodies = "bodies:\n" + body + kBall;
    CHECK(says(fault_of(bodies + kLaw), "has no surface: bodies would pass through it"));
    CHECK(fault_of(bodies).empty());
    std::vector<std::string> warnings;
    CHECK(fault_of(bodies + "surfaces: [{materials: [steel, steel], law: {kind: newton-impact}}]\n",
                   &warnings)
              .empty());
    REQUIRE(warnings.size() == 1);
    CHECK(says(warnings[0],
               "has no surface: bodies pass through it; define `contacts` for its points"));
  }
  CHECK(says(fault_of("bodies:\n" + kRod + kBall + kLaw), "'rod' (kind beam)"));
  // one that touches by its points
  CHECK(fault_of("bodies:\n" + kRod + kBall + kLaw +
                 "contacts: [{on: rod, against: {plane: {point: [0, 0, -0.2]}}, law: {kind: "
                 "newton-impact}}]\n")
            .empty());
}

TEST_CASE("laws of surfaces are reported where nothing that moves has a surface") {
  std::vector<std::string> warnings;
  CHECK(fault_of("bodies:\n" + kOscillator + kLaw, &warnings).empty());
  REQUIRE(warnings.size() == 1);
  CHECK(says(warnings[0], "'mass' (kind linear) has no surface"));
  CHECK(fault_of("bodies:\n" + kOscillator + kBall + kLaw, &warnings).empty());
  CHECK(warnings.empty());
}

TEST_CASE("a joint at a place that stands still is refused, one beside it is not") {
  const std::string weight =
      "  - {name: weight, kind: particles, particles: {mass: [0.02], positions: [[0.3, 0, "
      "0]]}}\n";
  const auto along = [&](const std::string& body, const std::string& at) {
    return fault_of("bodies:\n" + body + weight +
                    "joints:\n  - {name: tie, kind: along, between: [body, weight], axis: [0, 0, "
                    "1], first: {at: " +
                    at + "}, second: {at: 0}}\n");
  };
  const std::string string =
      "  - {name: body, kind: modal, scheme: moreau-jean, string: {length: 0.3 m, tension: 40 N, "
      "linear_density: 2 g/m, "
      "modes: 25}}\n";
  for (const char* end : {"0", "0.3"}) {
    CAPTURE(end);
    CHECK(says(along(string, end),
               "'body' is fixed there: 'tie' would act on the other body like the world"));
  }
  CHECK(along(string, "0.299").empty());
  const auto bar = [](const std::string& ends) {
    return "  - {name: body, kind: modal, scheme: moreau-jean, bar: {motion: bending, ends: " +
           ends +
           ", length: 0.3, young: 2e9, density: 900, area: 1e-4, second_moment: 1e-9, modes: 6}}\n";
  };
  CHECK(says(along(bar("clamped-free"), "0"), "is fixed"));
  CHECK(along(bar("clamped-free"), "0.3").empty());
  CHECK(along(bar("clamped-free"), "0.01").empty());
  CHECK(says(along(bar("clamped-clamped"), "0.3"), "is fixed"));
  CHECK(along(bar("free-free"), "0").empty());
  const std::string beam =
      "  - {name: body, kind: beam, beam: {start: [0, 0, 0], end: [0.3, 0, 0], elements: 4, "
      "radius: "
      "3 mm, young: 5 GPa, density: 1500, held: [{at: start, as: clamped}]}}\n";
  CHECK(says(along(beam, "start"), "is fixed"));
  CHECK(along(beam, "end").empty());
  // the string moves along z alone
  CHECK(says(fault_of("bodies:\n" + string + weight +
                      "joints:\n  - {name: tie, kind: along, between: [body, weight], axis: [0, 1, "
                      "0], first: {at: 0.1}, second: {at: 0}}\n"),
             "'body' does not move along `axis` there"));
}

TEST_CASE(
    "positions are corrected between shapes: points are refused alone, reported beside shapes") {
  const std::string correct = "contact: {correct_positions: true}\n",
                    points =
                        "contacts: [{on: drops, against: {plane: {}}, law: {kind: "
                        "newton-impact}}]\n";
  CHECK(says(fault_of(correct + "bodies:\n" + kDrops + points), "acts only between shapes"));
  CHECK(fault_of("bodies:\n" + kDrops + points).empty());
  std::vector<std::string> warnings;
  CHECK(fault_of(correct + "bodies:\n" + kDrops + kBall + kLaw + points, &warnings).empty());
  REQUIRE(warnings.size() == 1);
  CHECK(says(warnings[0], "contact.correct_positions: acts only between shapes"));
  CHECK(fault_of(correct + "bodies:\n" + kBall + kLaw, &warnings).empty());
  CHECK(warnings.empty());
}

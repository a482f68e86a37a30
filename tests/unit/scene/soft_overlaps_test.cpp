// Deformable bodies that start inside others, that ignore others, and that meet one plane twice.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "saltus/sim/simulation.h"
#include "support/mesh_scene.h"

using namespace saltus;
using saltus_test::DataFolder;

namespace {

Model soft_pairs_model(const std::string& text) {
  const DataFolder folder;
  return build(saltus_test::mesh_scene(text, folder));
}
/// A cube of 0.1 m from `at` on, of 8 elements.
std::string soft(const std::string& name, const std::string& at, const std::string& more = "") {
  return "  - {name: " + name +
         ", kind: fem, fem: {mesh: {box: {kind: hex8, cells: [2, 2, 2], size: [0.1, 0.1, 0.1]}}, "
         "material: {law: linear, young: 1 MPa, poisson: 0.3, density: 1000}, position: [" +
         at + "]" + more + "}}\n";
}
std::string stiff(const std::string& name, const std::string& shape, const std::string& at,
                  bool fixed = true) {
  return "  - {name: " + name + ", kind: rigid, rigid: {shape: {" + shape + "}, position: [" + at +
         "]" + (fixed ? ", fixed: true" : ", density: 1000") + "}}\n";
}
std::string jelly(const std::string& name, const std::string& at) {
  return "  - {name: " + name +
         ", kind: pseudo-rigid, pseudo_rigid: {shape: {sphere: {radius: 0.05}}, material: {young: "
         "1 "
         "MPa, poisson: 0.3, density: 1000}, position: [" +
         at + "]}}\n";
}
const std::string kLaw = "surfaces: [{law: newton-impact}]\n";
const std::string kFloor = "plane: {}";

std::vector<std::string> told(const std::string& bodies, const std::string& more = "") {
  const Model model = soft_pairs_model("bodies:\n" + bodies + kLaw + more);
  std::vector<std::string> warnings(model.warnings().begin(), model.warnings().end());
  return warnings;
}

}  // namespace

TEST_CASE("a body that deforms and starts inside another is told with its depth and place") {
  struct Case {
    std::string bodies, text;  // "": none
  };
  const std::string free_ball = stiff("ball", "sphere: {radius: 0.02}", "0.05, 0.05, 0.115", false);
  for (const Case& c : std::vector<Case>{
           {stiff("floor", kFloor, "0, 0, 0") + soft("a", "0, 0, 0"), ""},
           {stiff("floor", kFloor, "0, 0, 0") + soft("a", "0, 0, -0.0005"), ""},
           {stiff("floor", kFloor, "0, 0, 0") + soft("a", "0, 0, -0.004"),
            "bodies[1].fem.surface: 'a' and 'floor' overlap by 4 mm at the start at [0, 0, -0.004] "
            "m"},
           // held where it is
           {stiff("floor", kFloor, "0, 0, 0") + soft("a", "0, 0, -0.004", ", fixed: [{set: z0}]"),
            ""},
           {soft("a", "0, 0, 0") + soft("b", "0, 0, 0.1"), ""},
           {soft("a", "0, 0, 0") + soft("b", "0.01, 0.01, 0.097"),
            "bodies[1].fem.surface: 'b' and 'a' overlap by 3 mm at the start"},
           // deeper than contacts are looked for
           {soft("a", "0, 0, 0") + soft("b", "0.02, 0.03, 0.06"),
            "bodies[1].fem.surface: 'b' and 'a' overlap by 30 mm at the start"},
           // between the vertices of a side, and in the middle of the body
           {soft("a", "0, 0, 0") + free_ball,
            "bodies[0].fem.surface: 'a' and 'ball' overlap by 5 mm at the start"},
           {soft("a", "0, 0, 0") + stiff("ball", "sphere: {radius: 0.01}", "0.05, 0.05, 0.06"),
            "bodies[0].fem.surface: 'a' and 'ball' overlap by 40 mm at the start at [0.05, 0.05, "
            "0.06] m"},
           {jelly("j", "0, 0, 0.05") + stiff("box", "box: {size: [1, 1, 0.2]}", "0, 0, -0.09"),
            "bodies[0].pseudo_rigid.shape: 'j' and 'box' overlap by 10 mm at the start at [0, 0, "
            "0] m"},
           {soft("a", "0, 0, 0") + soft("b", "0, 0, 0.09") + soft("c", "0, 0, 0.17"),
            "bodies[2].fem.surface: 'c' and 'b' overlap by 20 mm at the start"},
       }) {
    CAPTURE(c.bodies);
    const auto warnings = told(c.bodies);
    CAPTURE(warnings.empty() ? "none" : warnings[0]);
    REQUIRE(warnings.size() == (c.text.empty() ? 0 : 1));
    if (!warnings.empty()) CHECK(warnings[0].substr(0, c.text.size()) == c.text);
  }
  CHECK(told(soft("a", "0, 0, 0") + soft("b", "0, 0, 0.09") + soft("c", "0, 0, 0.17"))[0].ends_with(
      ", and so does one more pair of bodies"));
}

TEST_CASE("bodies that deform can be ignored, against rigid ones, each other and copies") {
  const std::string bodies = stiff("floor", kFloor, "0, 0, 0") +
                             stiff("wall", "box: {size: [0.1, 1, 1]}", "-0.045, 0, 0") +
                             soft("a", "0, 0, -0.004") + soft("b", "0, 0, 0.09");
  REQUIRE(told(bodies).size() == 1);
  CHECK(told(bodies)[0].ends_with(", and so do 3 more pairs of bodies"));
  CHECK(told(bodies, "ignore: [[a, b]]\n")[0].ends_with(", and so do 2 more pairs of bodies"));
  CHECK(told(bodies, "ignore: [[b, a], [a, floor], [wall, a], [b, wall]]\n").empty());
  // and they do not touch
  for (const std::string ignore : {"", "ignore: [[floor, a]]\n"}) {
    Simulation sim(soft_pairs_model("gravity: [0, 0, -10]\nbodies:\n" +
                                    stiff("floor", kFloor, "0, 0, 0") + soft("a", "0, 0, 0") +
                                    kLaw + ignore));
    sim.advance();
    CHECK(sim.advance().contacts == (ignore.empty() ? 9 : 0));
  }
  const std::string copies =
      "  - {name: j, kind: pseudo-rigid, pseudo_rigid: {shape: {sphere: {radius: 0.05}}, material: "
      "{young: 1 MPa, poisson: 0.3, density: 1000}, copies: {count: [3, 1, 1], spacing: [0.08, 0, "
      "0]}}}\n";
  CHECK(told(copies)[0].ends_with(", and so does one more pair of bodies"));
  CHECK(told(copies, "ignore: [[j.0, j.1]]\n").size() == 1);
  CHECK(told(copies, "ignore: [[j, j]]\n").empty());
}

TEST_CASE("what has no surface cannot be ignored") {
  const auto fault = [](const std::string& text) {
    std::string what;
    try {
      soft_pairs_model(text);
    } catch (const SceneError& error) {
      what = error.path() + ": " + error.message();
    }
    return what;
  };
  const std::string floor = stiff("floor", kFloor, "0, 0, 0");
  CHECK(fault("bodies:\n" + floor + soft("a", "0, 0, 0", ", touches: false") +
              "ignore: [[floor, a]]\n") == "ignore[0][1]: 'a' has no surface for contact");
  CHECK(fault("bodies:\n" + floor +
              "  - {name: s, kind: modal, string: {length: 1 m, tension: 100 N, linear_density: 1 "
              "g/m, modes: "
              "4}}\n" +
              soft("a", "0, 0, 0") + "ignore: [[s, a]]\n")
            .find("ignore[0][0]") == 0);
}

TEST_CASE("a node of a stop meets its plane once") {
  const std::string stops =
      ", stops: [{set: x1, plane: {normal: [-1, 0, 0], point: [5, 0, 0]}}, "
      "{set: z0, plane: {normal: [0, 0, 2]}}]";
  const auto fault = [](const std::string& text) {
    std::string what;
    try {
      const Model model = soft_pairs_model(text);
      for (const std::string_view warning : model.warnings()) what += std::string(warning) + "\n";
    } catch (const SceneError& error) {
      what = error.path() + ": " + error.message() + "; " + error.hint();
    }
    return what;
  };
  const std::string a = soft("a", "0, 0, 0", stops), floor = stiff("floor", kFloor, "1, 2, 0"),
                    slab = stiff("slab", "box: {size: [1, 1, 0.2]}", "0, 0, -0.1");
  const std::string twice =
      "bodies[0].fem.stops[1]: node 0 of 'a' is also in contact with the same plane by its "
      "surface, which has a law with ";
  CHECK(fault("bodies:\n" + a + floor + kLaw) ==
        twice +
            "'floor' (bodies[1]); leave one of the two out: `ignore: [[a, floor]]`, or "
            "fem.surface.on");
  CHECK(fault("bodies:\n" + a + slab + kLaw).find(twice + "'slab' (bodies[1])") == 0);
  CHECK(fault("bodies:\n" + a + floor + kLaw + "ignore: [[floor, a]]\n").empty());
  CHECK(fault("bodies:\n" + a + stiff("floor", kFloor, "0, 0, -0.3") + kLaw).empty());
  // other nodes of it on the same floor
  const std::string some = soft("a", "0, 0, 0",
                                ", surface: {on: [x0]}, stops: [{at: [0.05, 0.05, "
                                "0], plane: {normal: [0, 0, 1]}}]");
  CHECK(fault("bodies:\n" + some + floor + kLaw) ==
        "bodies[0].fem.stops[0]: the surface of 'a' has contact with 'floor' (bodies[1]) in the "
        "same plane: its nodes lose momentum in impacts, those of the stops do not\n");
  // by contacts
  const std::string contact =
      "contacts: [{on: a, at: x1, against: {plane: {point: [0, 0, 1]}}, law: newton-impact}, {on: "
      "a, "
      "at: z0, against: {plane: {}}, law: newton-impact}]\n";
  CHECK(fault("bodies:\n" + soft("a", "0, 0, 1", ", touches: false" + stops) + contact).empty() ==
        false);
  CHECK(fault("bodies:\n" + soft("a", "0, 0, 0", ", touches: false" + stops) +
              "contacts: [{on: a, at: z0, against: {plane: {}}, law: newton-impact}]\n") ==
        "bodies[0].fem.stops[1]: node 0 of 'a' is also in contact with the same plane by "
        "contacts[0]; leave one of "
        "the two out");
}

// Shapes of a scene: materials and laws, margin, what never touches, and what is doubtful and said.
#include <doctest/doctest.h>

#include <array>
#include <span>
#include <string>
#include <vector>

#include "saltus/scene/build.h"
#include "saltus/scene_file/scene_yaml.h"

using namespace saltus;

namespace {

Model shapes_model(const std::string& text) {
  return build(
      read_scene_text("saltus: 1\ntime: {end: 1 s, step: 1 ms}\n" + text, "scene.yaml", {}, {}));
}
std::vector<std::string> warnings_of(const std::string& text) {
  const Model model = shapes_model(text);
  return {model.warnings().begin(), model.warnings().end()};
}
std::string ball(const std::string& name, const std::string& place, const std::string& material,
                 const std::string& more = "") {
  return "  - {name: " + name +
         ", kind: rigid, rigid: {shape: {sphere: {radius: 0.1}, material: " + material +
         "}, density: 1000, position: " + place + more + "}}\n";
}
std::string ground(const std::string& name, const std::string& material) {
  return "  - {name: " + name + ", kind: rigid, rigid: {shape: {plane: {}, material: " + material +
         "}, fixed: true}}\n";
}
std::string newton(const std::string& friction) {
  return "law: {kind: newton-impact, friction: " + friction + "}";
}
}  // namespace

TEST_CASE("the first entry that fits two materials gives their law, in any order of the two") {
  const Model model = shapes_model(
      "bodies:\n" + ball("a", "[0, 0, 1]", "ice") + ball("b", "[0, 0, 2]", "wood") +
      ground("floor", "stone") + "surfaces:\n" + "  - {materials: [stone, ice], " + newton("0.1") +
      "}\n  - {materials: [ice, ice], " + newton("0.2") + "}\n  - {" + newton("0.3") + "}\n" +
      "contacts: [{on: a, at: [0, 0, 0], against: {plane: {point: [0, 0, -9]}}, law: "
      "newton-impact}]\n");
  const Surfaces& surfaces = model.surfaces();
  REQUIRE(surfaces.materials == 3);  // ice, wood, stone: as they appear
  const double friction[3][3] = {{0.2, 0.3, 0.1}, {0.3, 0.3, 0.3}, {0.1, 0.3, 0.3}};
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) {
      CAPTURE(a);
      CAPTURE(b);
      const int law = surfaces.law[static_cast<std::size_t>(3 * a + b)];
      REQUIRE(law >= 0);
      CHECK(model.law(law).facts().friction.coefficient == friction[a][b]);
    }
  CHECK(model.warnings().empty());
}

TEST_CASE("contact problems are solved to 1e-9 where shapes can touch, to 1e-12 elsewhere") {
  const std::string bodies = "bodies:\n" + ball("a", "[0, 0, 1]", "ice") + ground("floor", "stone");
  struct Case {
    std::string more;
    double tolerance;
  };
  for (const Case& at : {
           Case{"", 1e-12},  // shapes without a law never touch
           Case{"contacts: [{on: a, at: [0, 0, 0], against: {plane: {point: [0, 0, -9]}}, law: "
                "newton-impact}]\n",
                1e-12},
           Case{"surfaces: [{" + newton("0.3") + "}]\n", 1e-9},
           Case{"surfaces: [{" + newton("0.3") + "}]\nsolver: {tolerance: 1e-7}\n", 1e-7},
           Case{"surfaces: [{" + newton("0.3") + "}]\nsolver: {tolerance: 1e-12}\n", 1e-12},
           Case{"solver: {tolerance: 1e-7}\n", 1e-7},
       }) {
    CAPTURE(at.more);
    CHECK(shapes_model(bodies + at.more).options().contact.tolerance == at.tolerance);
  }
}

TEST_CASE("the activation of a surface law knows the contact instant") {
  for (const auto& [instant, forecast] : {std::pair{"start", 0.5}, {"middle", 0.0}, {"end", 0.0}}) {
    CAPTURE(instant);
    const Model model = shapes_model("contact: {instant: " + std::string(instant) + "}\nbodies:\n" +
                                     ball("a", "[0, 0, 1]", "ice") + ground("floor", "ice") +
                                     "surfaces: [{law: newton-impact}]\n");
    CHECK(model.law(0).facts().activation->forecast == forecast);
  }
}

TEST_CASE("the margin is a hundredth of the smallest moving shape, or what the scene says") {
  const std::string bodies =
      "bodies:\n" + ball("a", "[0, 0, 1]", "x") +
      "  - {name: plate, kind: rigid, rigid: {shape: {box: {size: [1, 1, 0.02]}, material: x, "
      "rotation: {vector: [1, 2, 3]}}, density: 1, position: [0, 0, 5]}}\n"
      "  - {name: wire, kind: rigid, rigid: {shape: {box: {size: [1, 1, 0.001]}, material: x}, "
      "fixed: "
      "true}}\n";
  CHECK(shapes_model(bodies + "surfaces: [{law: newton-impact}]\n").surfaces().margin ==
        doctest::Approx(2e-4).epsilon(1e-14));
  CHECK(shapes_model("contact: {margin: 3 mm}\n" + bodies).surfaces().margin == 3e-3);
  CHECK(shapes_model("contact: {margin: 0}\n" + bodies).surfaces().margin == 0.0);
}

TEST_CASE("fixed bodies are colliders of the world, in their place") {
  const Model model = shapes_model(
      "bodies:\n" + ball("a", "[0, 0, 9]", "x") +
      "  - {name: slope, kind: rigid, rigid: {shape: {plane: {point: [0, 0, 1], normal: [0, -3, "
      "0]}, position: [1, 0, 0], material: x}, fixed: true, position: [0, 0, 7], rotation: {axis: "
      "[0, 0, 1], angle: 90 deg}}}\nsurfaces: [{law: newton-impact}]\n");
  REQUIRE(model.surfaces().colliders.size() == 2);
  const Collider& plane = model.surfaces().colliders[1];
  CHECK(plane.frame == -1);
  CHECK((plane.local.x - Vector3(0, 1, 8)).norm() <= 1e-15);
  CHECK((plane.local.R.col(2) - Vector3(1, 0, 0)).norm() <= 1e-15);
  CHECK(model.groups().size() == 1);
}

TEST_CASE("pairs that are to be ignored never touch, all copies of a name together") {
  const Model model =
      shapes_model("bodies:\n" +
                   ball("a", "[0, 0, 0]", "x", ", copies: {count: [3, 1, 1], spacing: [1, 0, 0]}") +
                   ball("b", "[9, 0, 0]", "x") +
                   "surfaces: [{law: newton-impact}]\nignore: [[b, a], [a.0, a.2]]\n");
  using Pairs = std::vector<std::array<int, 2>>;
  CHECK(model.surfaces().excluded == Pairs{{0, 2}, {0, 3}, {1, 3}, {2, 3}});
}

TEST_CASE("one fixed body can be ignored, the others of the world still touch") {
  const std::string bodies = "bodies:\n" + ball("a", "[0, 0, 0.06]", "x") + ground("floor", "x") +
                             ground("table", "x") + "surfaces: [{law: newton-impact}]\n";
  CHECK(warnings_of(bodies).size() == 1);  // inside both
  const Model model = shapes_model(bodies + "ignore: [[floor, a]]\n");
  const auto colliders = std::span(model.surfaces().colliders);
  REQUIRE(colliders.size() == 3);
  CHECK(colliders[1].frame < 0);
  CHECK(colliders[2].frame < 0);
  CHECK(colliders[1].frame != colliders[2].frame);
  using Pairs = std::vector<std::array<int, 2>>;
  CHECK(model.surfaces().excluded == Pairs{{colliders[1].frame, 0}});
  CHECK(warnings_of(bodies + "ignore: [[floor, a]]\n") ==
        std::vector<std::string>{"bodies[0]: 'a' and 'table' overlap by 40 mm at the start"});
}

TEST_CASE("two materials without a law are named once, and an entry that is never read") {
  CHECK(
      warnings_of("bodies:\n" + ball("a", "[0, 0, 1]", "ice") + ball("b", "[0, 0, 2]", "ice") +
                  ball("c", "[0, 0, 3]", "ice") + ground("floor", "stone") +
                  ground("wall", "stone") +
                  "surfaces: [{materials: [ice, ice], law: newton-impact}]\n") ==
      std::vector<std::string>{
          "surfaces: no law is defined between 'ice' and 'stone': 'a' and 'floor' have no contact; "
          "define one, or give `materials: [ice, stone], touches: false` if this is intended"});
  CHECK(warnings_of("bodies:\n" + ball("a", "[0, 0, 1]", "ice") + ground("floor", "ice")) ==
        std::vector<std::string>{
            "surfaces: no law is defined between 'ice' and 'ice': 'a' and 'floor' have no contact; "
            "define one, or give `materials: [ice, ice], touches: false` if this is intended"});
  CHECK(
      warnings_of("bodies:\n" + ball("a", "[0, 0, 1]", "ice") + ground("floor", "ice") +
                  "surfaces: [{law: newton-impact}, {materials: [ice, ice], law: "
                  "newton-impact}]\n") ==
      std::vector<std::string>{"surfaces[1]: has no effect: earlier entries match its materials"});
  // one body alone meets nobody; what touches nothing is not missed
  CHECK(warnings_of("bodies:\n" + ball("a", "[0, 0, 1]", "ice")).empty());
  CHECK(warnings_of("bodies:\n" + ball("a", "[0, 0, 1]", "ice", ", touches: false") +
                    ground("floor", "ice"))
            .empty());
}

TEST_CASE("two materials that are said not to touch have no law, and nobody misses it") {
  const std::string bodies = "bodies:\n" + ball("a", "[0, 0, 1]", "ice") +
                             ball("b", "[0, 0, 2]", "ice") + ground("floor", "stone");
  const auto laws = [&](const std::string& surfaces) {
    const Model model = shapes_model(bodies + surfaces);
    return std::vector<int>(model.surfaces().law);
  };
  const std::string apart = "{materials: [ice, ice], touches: false}";
  CHECK(warnings_of(bodies + "surfaces: [" + apart + ", {law: newton-impact}]\n").empty());
  CHECK(laws("surfaces: [" + apart + ", {law: newton-impact}]\n") == std::vector{-1, 0, 0, 0});
  CHECK(warnings_of(bodies + "surfaces: [{touches: false}]\n").empty());
  CHECK(laws("surfaces: [{touches: false}]\n") == std::vector{-1, -1, -1, -1});
  // the first entry that fits counts, here too
  CHECK(laws("surfaces: [{law: newton-impact}, " + apart + "]\n") == std::vector{0, 0, 0, 0});
  CHECK(
      warnings_of(bodies + "surfaces: [{law: newton-impact}, " + apart + "]\n") ==
      std::vector<std::string>{"surfaces[1]: has no effect: earlier entries match its materials"});
  // what is not said is still missed
  CHECK(warnings_of(bodies + "surfaces: [" + apart + "]\n").size() == 1);
  const auto fault = [&](const std::string& entry) -> std::string {
    try {
      shapes_model(bodies + "surfaces: [" + entry + "]\n");
    } catch (const SceneError& error) {
      return error.what();
    }
    return "";
  };
  CHECK(fault("{touches: false, law: newton-impact}").find("law: has no meaning") !=
        std::string::npos);
  CHECK(fault("{materials: [ice, ice]}").find("law: must be given") != std::string::npos);
  CHECK(fault("{materials: [ice, oak], touches: false}").find("'oak'") != std::string::npos);
}

TEST_CASE("bodies that start inside each other are named with their depth") {
  const std::string laws = "surfaces: [{law: newton-impact}]\n";
  CHECK(warnings_of("bodies:\n" + ball("a", "[0, 0, 0.1]", "x") + ball("b", "[0, 0, 0.27]", "x") +
                    ground("floor", "x") + laws) ==
        std::vector<std::string>{"bodies[0]: 'a' and 'b' overlap by 30 mm at the start"});
  CHECK(warnings_of("bodies:\n" + ground("floor", "x") + ball("a", "[0, 0, 0.06]", "x") + laws) ==
        std::vector<std::string>{"bodies[1]: 'floor' and 'a' overlap by 40 mm at the start"});
  CHECK(warnings_of("bodies:\n" +
                    ball("a", "[0, 0, 0.095]", "x",
                         ", copies: {count: [4, 1, 1], spacing: [0.125, 0, 0]}") +
                    ground("floor", "x") + laws) ==
        std::vector<std::string>{"bodies[0]: 'a.0' and 'a.1' overlap by 75 mm at the start, and so "
                                 "do 6 more pairs of bodies"});
  // a hundredth of the size is within what a scene may say, and pairs without a law are not asked
  CHECK(warnings_of("bodies:\n" + ball("a", "[0, 0, 0.0985]", "x") + ground("floor", "x") + laws)
            .empty());
  CHECK(warnings_of("bodies:\n" + ball("a", "[0, 0, 0]", "x") + ball("b", "[0, 0, 0]", "y") + laws +
                    "ignore: [[a, b]]\n")
            .empty());
}

TEST_CASE("bodies that fixed joints hold together, directly or by others, are not in contact") {
  const auto model = [](const std::string& joints) {
    std::string text =
        "saltus: 1\ntime: {end: 0.1 s, step: 1 ms}\ngravity: [0, 0, -9.81]\nsurfaces: [{law: "
        "{kind: newton-impact, "
        "friction: 0.5}}]\nbodies:\n  - {name: floor, kind: rigid, rigid: {shape: {plane: {}}, "
        "fixed: true}}\n";
    for (const auto& [name, x, z] :
         {std::tuple{"base", 0.0, 0.1}, {"a", -0.095, 0.3}, {"b", 0.095, 0.3}})
      text += fmt::format(
          "  - {{name: {}, kind: rigid, rigid: {{shape: {{box: {{size: [0.2, 0.2, 0.2]}}}}, mass: "
          "1, position: "
          "[{}, 0, {}]}}}}\n",
          name, x, z);
    return build(read_scene_text(text + "joints:\n" + joints, "test.yaml"));
  };
  const std::string weld = "  - {kind: fixed, between: [base, a], at: [0, 0, 0.2]}\n";
  const Model all = model(weld + "  - {kind: fixed, between: [base, b], at: [0, 0, 0.2]}\n");
  using Pairs = std::vector<std::array<int, 2>>;
  CHECK(all.surfaces().excluded == Pairs{{0, 1}, {0, 2}, {1, 2}});  // none with the floor, -1
  CHECK(all.warnings().empty());
  const Model hinged =
      model(weld + "  - {kind: revolute, between: [base, b], at: [0, 0, 0.2], axis: [0, 1, 0]}\n");
  CHECK(hinged.surfaces().excluded == Pairs{{0, 1}, {0, 2}});  // a and b can touch
  const Model held = model(weld + "  - {kind: fixed, between: [world, base], at: [0, 0, 0.2]}\n");
  CHECK(held.surfaces().excluded == Pairs{{-1, 0}, {-1, 1}, {0, 1}});
  Simulation sim(all);  // it overlaps in itself, and rests on the floor
  const Vector start = sim.state().groups[0].q;
  for (int k = 0; k < 100; ++k) {
    const StepReport report = sim.advance();
    REQUIRE(report.converged);
  }
  CHECK((sim.state().groups[0].q - start).cwiseAbs().maxCoeff() < 1e-9);
}

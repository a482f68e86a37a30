// Contacts that do what their law does not mean: those that carry load across a gap, points of contact that travel.
// Told where it is true, and of nobody else.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "acceptance/run_scene.h"

namespace saltus::test {
namespace {

std::string told_of(const Simulation& sim, Notice::Kind kind) {
  std::string all;
  for (const Notice& one : sim.notices())
    if (one.kind == kind) all += one.text + "\n";
  return all;
}
int told(const std::string& text, Notice::Kind kind, const std::vector<std::string>& set = {}) {
  const Shown s = run_text(text, set);
  CHECK(s.converged);
  const std::string all = told_of(s.sim, kind);
  return static_cast<int>(std::ranges::count(all, '\n'));
}

const std::string kSiconos = "surfaces[0].law.activation={kind: siconos}";

const std::string kPad = R"(
saltus: 1
time: {end: 0.6 s, step: 4 ms}
gravity: [0, 0, -9.81]
bodies:
  - {name: floor, kind: rigid, rigid: {shape: {plane: {}}, fixed: true}}
  - name: pad
    kind: fem
    scheme: euler-implicit
    fem:
      mesh: {box: {kind: hex8, cells: [3, 2, 2], size: [0.15, 0.1, 0.08], origin: [0, 0, 0.01]}}
      material: {law: corotated, young: 40 kPa, poisson: 0.25, density: 900}
    rayleigh: {mass: 2 1/s, stiffness: 10 ms}
surfaces: [{law: {kind: newton-impact, friction: 0.4}}]
)";

// a second pad upon the first, of another law
const std::string kSecond =
    "{name: upper, kind: fem, scheme: euler-implicit, rayleigh: {mass: 2 1/s, stiffness: 10 ms}, "
    "fem: {mesh: {box: {kind: "
    "hex8, cells: [2, 2, 1], size: [0.1, 0.1, 0.05], origin: [0.02, 0, 0.095]}}, material: {law: "
    "corotated, young: 40 kPa, "
    "poisson: 0.25, density: 900}}}";

const std::string kJelly = R"(
saltus: 1
time: {end: 0.8 s, step: 4 ms}
gravity: [0, 0, -9.81]
bodies:
  - {name: floor, kind: rigid, rigid: {shape: {plane: {}}, fixed: true}}
  - name: jelly
    kind: pseudo-rigid
    scheme: euler-implicit
    pseudo_rigid:
      shape: {box: {size: [0.1, 0.12, 0.08]}}
      material: {law: st_venant_kirchhoff, young: 20 kPa, poisson: 0.3, density: 1000}
      position: [0, 0, 0.05]
      eta: 10 ms
surfaces: [{law: {kind: newton-impact, friction: 0.4}}]
)";

// rolls on its rim, leaning
const std::string kCoin = R"(
saltus: 1
time: {end: 0.3 s, step: 0.5 ms}
gravity: [0, 0, -9.81]
contact: {instant: middle}
bodies:
  - {name: table, kind: rigid, rigid: {shape: {plane: {}}, fixed: true}}
  - name: plate
    kind: rigid
    rigid: {shape: {cylinder: {radius: 60 mm, length: 8 mm}}, density: 2700, position: [0, 0, 0.033760],
            rotation: {axis: [0, 1, 0], angle: 30 deg}, spin: [18.1, 0, 0]}
surfaces: [{law: {kind: newton-impact, friction: 2}}]
)";

/// The same with prisms of 48 sides for its cylinders, on whose corners they roll through impacts.
std::string faceted(std::string text) {
  const std::string round = "{cylinder: {radius: 60 mm, length: 8 mm}}";
  std::string points;
  for (int k = 0; k < 48; ++k)
    for (const double z : {-0.004, 0.004}) {
      const double angle = 2.0 * std::numbers::pi * k / 48;
      points += fmt::format("{}[{:.17g}, {:.17g}, {}]", points.empty() ? "" : ", ",
                            0.06 * std::cos(angle), 0.06 * std::sin(angle), z);
    }
  for (std::size_t at = text.find(round); at != std::string::npos; at = text.find(round))
    text.replace(at, round.size(), "{hull: {points: [" + points + "]}}");
  return text;
}

const std::string kBox = R"(
saltus: 1
time: {end: 0.5 s, step: 1 ms}
gravity: [0, 0, -9.81]
contact: {instant: middle}
bodies:
  - {name: table, kind: rigid, rigid: {shape: {plane: {}}, fixed: true}}
  - name: box
    kind: rigid
    rigid: {shape: {box: {size: [0.2, 0.1, 0.3]}}, density: 600, position: [0, 0, 0.15]}
surfaces: [{law: {kind: newton-impact, friction: 0.3}}]
)";

}  // namespace

TEST_CASE(
    "a mesh at rest under load closes its gaps; what the activation of Siconos keeps open is "
    "told") {
  CHECK(told(kPad, Notice::Kind::open) == 0);
  const Shown s = run_text(kPad, {kSiconos});
  const std::string all = told_of(s.sim, Notice::Kind::open);
  CHECK(all.find("contacts of 'pad' with 'floor' carry load from step to step although they are "
                 "open by ") == 0);
  CHECK(all.find("`activation: {kind: gap-closing}` in newton-impact") != std::string::npos);
  CHECK(told(kPad, Notice::Kind::open, {"surfaces[0].law.activation={threshold: 1 mm}"}) == 1);
  CHECK(told(kPad, Notice::Kind::open, {"surfaces[0].law.kind=stewart-trinkle"}) == 0);
}

TEST_CASE("pseudo-rigid bodies that rest are told alike") {
  CHECK(told(kJelly, Notice::Kind::open) == 0);
  CHECK(told(kJelly, Notice::Kind::open, {kSiconos}) == 1);
}

TEST_CASE("each of two meshes on each other is told by its own name") {
  std::string both = kPad;
  both.insert(both.find("surfaces:"), "  - " + kSecond + "\n");
  CHECK(told(both, Notice::Kind::open) == 0);
  const Shown s = run_text(both, {kSiconos});
  const std::string all = told_of(s.sim, Notice::Kind::open);
  CHECK(all.find("'pad' with 'floor'") != std::string::npos);
  CHECK(all.find("'upper'") != std::string::npos);
}

TEST_CASE("a mesh that hits and leaves, in steps that resolve it, is not told of gaps") {
  CHECK(told(kPad, Notice::Kind::open,
             {"time.step=0.5 ms", "time.end=0.2 s", "bodies[1].fem.velocity=[0, 0, -1]",
              "gravity=[0, 0, 0]", "bodies[1].rayleigh={stiffness: 1 ms}"}) == 0);
}

TEST_CASE(
    "a faceted plate that wobbles is told to lose by steps, and so is each of two in groups of "
    "their own; a round "
    "one is not") {
  CHECK(told(kCoin, Notice::Kind::travels) == 0);
  CHECK(told(faceted(kCoin), Notice::Kind::travels) == 1);
  const std::string other =
      "  - {name: other, kind: rigid, scheme: rig-neg, rigid: {shape: {cylinder: {radius: 60 mm, "
      "length: 8 mm}}, density: "
      "2700, position: [0.5, 0, 0.033760], rotation: {axis: [0, 1, 0], angle: 30 deg}, spin: "
      "[18.1, 0, 0]}}\n";
  for (const bool own : {true, false}) {
    std::string both = kCoin;
    std::string second = other;
    if (!own) second.replace(second.find(" scheme: rig-neg,"), 17, "");
    both.insert(both.find("surfaces:"), second);
    CHECK(told(both, Notice::Kind::travels) == 0);
    CHECK(told(faceted(both), Notice::Kind::travels) == 2);
  }
}

TEST_CASE("what rests, slides, rolls, rocks or bounces is not told to lose by steps") {
  using Set = std::vector<std::string>;
  const std::string rigid = "bodies[1].rigid.";
  for (const Set& set :
       {Set{}, Set{rigid + "velocity=[1, 0, 0]"},
        Set{rigid + "shape={sphere: {radius: 0.15}}", rigid + "velocity=[1, 0, 0]"},
        Set{rigid + "spin=[0, 1, 0]", "planar=xz"},
        Set{rigid + "shape={sphere: {radius: 0.1}}", rigid + "position=[0, 0, 0.3]",
            "surfaces[0].law.restitution=0.7"},
        Set{rigid + "position=[0, 0, 0.4]"}}) {
    CAPTURE(set.empty() ? std::string("at rest") : set.front());
    CHECK(told(kBox, Notice::Kind::travels, set) == 0);
  }
}

TEST_CASE("balls that bounce on one line between floor and a heavy ball do not travel") {
  const std::string text = R"(
saltus: 1
time: {end: 2 s, step: 8 ms}
gravity: [0, 0, -9.81]
bodies:
  - {name: floor, kind: rigid, rigid: {shape: {plane: {}}, fixed: true}}
  - {name: light, kind: rigid, rigid: {shape: {sphere: {radius: 0.1}}, mass: 1, position: [0, 0, 0.3]}}
  - {name: heavy, kind: rigid, rigid: {shape: {sphere: {radius: 0.3}}, mass: 1000, position: [0, 0, 1.6]}}
surfaces: [{law: {kind: newton-impact, restitution: 0.9}}]
)";
  for (const double z : {0.3, 0.5, 0.9})
    for (const double e : {0.95, 0.9, 0.6})
      for (const char* scheme : {"rig-mid", "rig-pos"}) {
        CAPTURE(z);
        CAPTURE(e);
        const Shown s =
            run_text(text, {"bodies[1].rigid.position=[0, 0, " + std::to_string(z) + "]",
                            "surfaces[0].law.restitution=" + std::to_string(e),
                            std::string("bodies[2].scheme=") + scheme});
        CHECK(told_of(s.sim, Notice::Kind::travels).empty());
      }
}

namespace {

std::string with_floor(std::string text, const std::string& bodies) {
  const std::size_t from = text.find("  - {name: "), to = text.find("  - name: ");
  return text.replace(from, to - from, bodies);
}
/// A flat car under what lies at z = 0, led or free on the floor; of its own group where it is led or has a scheme.
std::string led_car(const char* motion) {
  return std::string(
             "  - {name: car, kind: rigid, rigid: {shape: {box: {size: [3, 3, 0.1]}}, position: "
             "[0, 0, -0.05], motion: ") +
         motion + "}}\n";
}
std::string free_car(const char* scheme, double mass, double v) {
  return "  - {name: ground, kind: rigid, rigid: {shape: {plane: {point: [0, 0, -0.1]}}, fixed: "
         "true}}\n  - {name: car, kind: rigid, " +
         std::string(scheme) +
         "rigid: {shape: {box: {size: [3, 3, 0.1]}}, mass: " + std::to_string(mass) +
         ", position: [0, 0, -0.05], velocity: [" + std::to_string(v) + ", 0, 0]}}\n";
}

}  // namespace

TEST_CASE(
    "a mesh at rest on a car that moves closes its gaps as on the floor, and is told as there") {
  using Set = std::vector<std::string>;
  const Set lower{"bodies[2].fem.mesh.box.origin=[0, 0, 0.02]", "bodies[2].rayleigh.mass=0",
                  "surfaces[0].law.friction=0"};
  for (const char* scheme : {"", "scheme: rig-neg, "})
    for (const double v : {0.0, 1.3}) {
      CAPTURE(scheme);
      CAPTURE(v);
      const std::string text = with_floor(kPad, free_car(scheme, 60.0, v));
      Set set = lower;
      set.push_back("bodies[2].fem.velocity=[" + std::to_string(v) + ", 0, 0]");
      CHECK(told(text, Notice::Kind::open, set) == 0);
      set.push_back(kSiconos);
      const Shown s = run_text(text, set);
      const std::string all = told_of(s.sim, Notice::Kind::open);
      CAPTURE(all);
      CHECK(all.find("'pad'") != std::string::npos);
      CHECK(all.find("'car'") != std::string::npos);
    }
  for (const char* motion : {"{x: {rate: 4}}", "{z: {rate: 0.4}}", "{z: {rate: -0.25}}"}) {
    CAPTURE(motion);
    Set still{"bodies[1].rayleigh.mass=0",
              std::string("bodies[1].fem.velocity=[") + (motion[1] == 'x' ? "4" : "0") + ", 0, 0]"};
    const std::string text = with_floor(kPad, led_car(motion));
    CHECK(told(text, Notice::Kind::open, still) == 0);
    still.push_back(kSiconos);
    CHECK(told(text, Notice::Kind::open, still) == 1);
  }
}

TEST_CASE(
    "a faceted plate that wobbles on what moves is told by its own name, as on a table at rest") {
  using Set = std::vector<std::string>;
  for (const double v : {0.0, 0.4, 3.0}) {
    CAPTURE(v);
    const std::string along = std::to_string(v);
    const Shown s =
        run_text(with_floor(faceted(kCoin), led_car(("{x: {rate: " + along + "}}").c_str())),
                 Set{"time.step=2 ms", "bodies[1].rigid.velocity=[" + along + ", 0, 0]"});
    CHECK(told_of(s.sim, Notice::Kind::travels).find("the contacts of 'plate' travel") == 0);
  }
  for (const char* scheme : {"", "scheme: rig-neg, "})
    for (const double v : {0.0, 0.03, -0.03}) {
      CAPTURE(scheme);
      CAPTURE(v);
      const std::string text =
          with_floor(faceted(kCoin),
                     std::string("  - {name: car, kind: rigid, ") + scheme +
                         "rigid: {shape: {box: {size: [3, 3, 0.1]}}, mass: 450, position: [0, 0, "
                         "-0.05], velocity: [" +
                         std::to_string(v) + ", 0, 0], locked: [z, rx, ry, rz]}}\n");
      const Shown s =
          run_text(text, Set{"bodies[1].rigid.velocity=[" + std::to_string(v) + ", 0, 0]"});
      const std::string all = told_of(s.sim, Notice::Kind::travels);
      CHECK(all.find("the contacts of 'plate' travel") == 0);
      CHECK(std::ranges::count(all, '\n') == 1);
    }
}

TEST_CASE("what rests, slides, rocks or falls on what moves is not told to lose by steps") {
  using Set = std::vector<std::string>;
  const std::string rigid = "bodies[2].rigid.";
  for (const char* scheme : {"", "scheme: rig-neg, "})
    for (const Set& set :
         {Set{}, Set{rigid + "velocity=[1.5, 0, 0]"}, Set{rigid + "velocity=[0.7, 0, 0]"},
          Set{rigid + "shape={sphere: {radius: 0.15}}", rigid + "velocity=[0.7, 0.9, 0]"},
          Set{rigid + "position=[0, 0, 0.38]", rigid + "velocity=[0.7, 0, 0]"}}) {
      CAPTURE(scheme);
      CAPTURE(set.empty() ? std::string("at rest") : set.front());
      CHECK(told(with_floor(kBox, free_car(scheme, 80.0, 0.7)), Notice::Kind::travels, set) == 0);
    }
}

}  // namespace saltus::test

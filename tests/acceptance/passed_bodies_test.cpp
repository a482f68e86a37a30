// Bodies that would pass through each other between two steps: the step is divided at the impact. Where a scheme of fixed
// step does not allow it, a run says which bodies passed, and stays silent about those that miss, bounce or fly through a
// hole.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "../support/data_folder.h"
#include "run_scene.h"

using namespace saltus;
using namespace saltus::test;

namespace {

constexpr const char* kSheet = "shape: {box: {size: [0.4, 0.4, 2 mm]}}, fixed: true";

std::string rigid(const std::string& name, const std::string& text,
                  const std::string& scheme = "") {
  return fmt::format("  - {{name: {}, kind: rigid, {}rigid: {{{}}}}}\n", name,
                     scheme.empty() ? "" : "scheme: " + scheme + ", ", text);
}

std::string block(const std::string& name, const char* cells, const char* size, const char* origin,
                  const char* velocity) {
  return fmt::format(
      "  - {{name: {}, kind: fem, fem: {{mesh: {{box: {{kind: hex8, cells: {}, size: {}, origin: "
      "{}}}}}, material: {{law: st_venant_kirchhoff, young: 2 MPa, poisson: 0.2, density: 900}}, "
      "surface: {{}}, velocity: {}}}}}\n",
      name, cells, size, origin, velocity);
}

std::string scene(const std::string& bodies, double end = 0.02, double h = 1e-3) {
  return fmt::format(
      "saltus: 1\ntime: {{end: {}, step: {}}}\nbodies:\n{}surfaces: [{{law: {{kind: newton-impact, "
      "restitution: 0.4}}}}]\n",
      end, h, bodies);
}

/// What a run whose steps cannot be divided says of bodies that passed each other.
std::vector<std::string> passed(const std::string& text, const std::vector<std::string>& set = {}) {
  const std::string chord =
      "bodies:\n  - {name: chord, kind: modal, string: {length: 1, tension: 100, linear_density: "
      "1e-3, modes: 3}}\n";
  std::string with = text;
  with.replace(with.find("bodies:\n"), 8, chord);
  std::vector<std::string> lines;
  for (const Notice& notice : run_text(with, set).sim.notices())
    if (notice.kind == Notice::Kind::crossed) lines.push_back(notice.text);
  return lines;
}

bool names(const std::vector<std::string>& lines, const std::string& a, const std::string& b) {
  return lines.size() == 1 && lines[0].find("'" + a + "'") != std::string::npos &&
         lines[0].find("'" + b + "'") != std::string::npos;
}

/// A run of such a scene that divides its steps: nothing is told to have passed, and the energy
/// does not grow.
Shown stopped(const std::string& text, const std::vector<std::string>& set = {}) {
  Shown shown = run_text(text, set);
  CHECK(shown.converged);
  for (const Notice& notice : shown.sim.notices()) CHECK(notice.kind != Notice::Kind::crossed);
  CHECK(shown.largest_energy <= 1.0 + 1e-9);
  return shown;
}

/// Place of the i-th of several rigid bodies in one group.
Vector3 place(const Shown& shown, int i) { return shown.sim.state().groups[0].q.segment<3>(7 * i); }

}  // namespace

TEST_CASE("a body that passes a plate in one step is told with both names, whatever its shape") {
  for (const char* shape :
       {"sphere: {radius: 2 mm}", "box: {size: [6 mm, 9 mm, 5 mm]}",
        "capsule: {radius: 1 mm, length: 8 mm}", "cylinder: {radius: 3 mm, length: 4 mm}",
        "ellipsoid: {radii: [4 mm, 2 mm, 3 mm]}"}) {
    CAPTURE(shape);
    const auto bullet = [&](double x) {
      return rigid("bullet",
                   fmt::format("shape: {{{}}}, density: 2000, position: [{}, 0.01, 0.1095], "
                               "rotation: {{axis: [1, 2, 3], angle: 0.4}}, velocity: [1, "
                               "0, -17]",
                               shape, x));
    };
    const std::string sheet = rigid("sheet", kSheet);
    CHECK(names(passed(scene(sheet + bullet(0.02))), "bullet", "sheet"));
    CHECK(passed(scene(sheet + bullet(0.25))).empty());  // beside it
    CHECK(passed(scene(sheet + bullet(0.02)), {"time.step=0.1 ms"}).empty());
  }
}

TEST_CASE("two bodies that pass each other are found by their relative motion, in every unit") {
  for (const double L : {1e-6, 1e-3, 1.0, 1e3})
    for (const bool apart : {false, true})  // in two groups, or in one
      for (const double beside : {0.0, 2.3}) {
        CAPTURE(L);
        CAPTURE(apart);
        CAPTURE(beside);
        const auto ball = [&](const char* name, double x, double y, double v, const char* scheme) {
          return rigid(name,
                       fmt::format("shape: {{sphere: {{radius: {}}}}}, density: 1000, "
                                   "position: [{}, {}, 0], velocity: [{}, 0, 0]",
                                   L, L * x, L * y, L * v),
                       scheme);
        };
        const std::string left = ball("left", -12.5, 0.0, 5000.0, ""),
                          right = ball("right", 12.5, beside, -5000.0, apart ? "rig-neg" : "");
        REQUIRE(build(read_scene_text(scene(left + right), "test.yaml")).groups().size() ==
                (apart ? 2 : 1));
        const auto lines = passed(scene(left + right, 5e-3));
        CHECK(names(lines, "left", "right") == (beside == 0.0));
        CHECK(lines.size() == (beside == 0.0 ? 1 : 0));
        // one flies behind the other as fast
        CHECK(passed(scene(left + ball("last", -16.0, 0.0, 5000.0, ""), 5e-3)).empty());
      }
}

TEST_CASE("a pair that is ignored or has no law may pass each other") {
  const std::string bodies =
      rigid("sheet", kSheet) + rigid("bullet",
                                     "shape: {sphere: {radius: 2 mm}}, density: 2000, "
                                     "position: [0, 0, 0.107], velocity: [0, 0, -17]");
  CHECK(passed(scene(bodies)).size() == 1);
  CHECK(passed(scene(bodies) + "ignore: [[sheet, bullet]]\n").empty());
}

TEST_CASE("bodies that bounce, slide or rest are not told") {
  const std::string slab = rigid("slab",
                                 "shape: {box: {size: [0.4, 0.4, 0.1]}}, fixed: true, "
                                 "position: [0, 0, -0.05]");
  const auto thrown = [&](const char* shape, const char* place, const char* velocity) {
    return passed(
        scene(slab + rigid("thrown", fmt::format("shape: {{{}}}, density: 2000, position: "
                                                 "{}, velocity: {}, gravity: [0, 0, -10]",
                                                 shape, place, velocity))));
  };
  CHECK(thrown("sphere: {radius: 2 mm}", "[0, 0, 0.057]", "[0, 0, -10]").empty());
  CHECK(thrown("sphere: {radius: 2 mm}", "[-0.1, 0, 0.002]", "[10, 0, 0]").empty());
  CHECK(thrown("box: {size: [0.1, 0.1, 4 mm]}", "[-0.1, 0, 2 mm]", "[9, 0, 0]").empty());
  CHECK(thrown("box: {size: [0.1, 0.1, 0.1]}", "[0, 0, 0.05]", "[0, 0, 0]").empty());
}

TEST_CASE("a pellet through an open mesh is told, one through its hole is not") {
  const saltus_test::DataFolder folder;
  std::string text;
  for (int j = 0; j < 4; ++j)
    for (int i = 0; i < 4; ++i) text += fmt::format("v {} {} 0\n", 0.03 * i, 0.03 * j);
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i) {
      if (i == 1 && j == 1) continue;
      const int a = 4 * j + i + 1;
      text += fmt::format("f {} {} {}\nf {} {} {}\n", a, a + 1, a + 5, a, a + 5, a + 4);
    }
  folder.write("net.obj", text);
  const std::string file = (folder.path / "net.obj").string();
  for (const auto& [x, count] : {std::pair{0.045, 0}, std::pair{0.075, 1}}) {
    const auto lines = passed(
        scene(rigid("net", fmt::format("shape: {{mesh: {{file: '{}'}}}}, fixed: true", file)) +
              rigid("pellet", fmt::format("shape: {{sphere: {{radius: 1.5 mm}}}}, density: 2000, "
                                          "position: [{}, 0.046, 0.1], velocity: [0, 0, -12]",
                                          x))));
    CHECK(lines.size() == count);
  }
}

TEST_CASE("a blade that turns through a ball is told, one that turns above it is not") {
  for (const auto& [z, count] : {std::pair{0.0, 1}, std::pair{0.02, 0}}) {
    const auto lines =
        passed(scene(rigid("blade",
                           "shape: {box: {size: [1, 12 mm, 8 mm]}}, density: 1000, spin: "
                           "[0, 0, 300]") +
                         rigid("ball", fmt::format("shape: {{sphere: {{radius: 5 mm}}}}, density: "
                                                   "1000, position: [0.3, 0.25, {}]",
                                                   z)),
                     4e-3));
    CHECK(lines.size() == count);
  }
}

TEST_CASE("bodies that deform and pass others are told, resting and missing ones are not") {
  const std::string sheet = rigid("sheet", kSheet);
  CHECK(names(passed(scene(sheet + block("block", "[2, 2, 2]", "[0.03, 0.03, 0.03]",
                                         "[-0.015, -0.015, 0.1]", "[0, 0, -45]"),
                           6e-3)),
              "block", "sheet"));
  CHECK(passed(scene(sheet + block("block", "[2, 2, 2]", "[0.03, 0.03, 0.03]",
                                   "[0.21, -0.015, 0.1]", "[0, 0, -45]"),
                     6e-3))
            .empty());
  const std::string plate =
      block("plate", "[4, 4, 1]", "[0.1, 0.1, 5 mm]", "[-0.05, -0.05, 0]", "[0, 0, 0]");
  const auto pellet = [](double x) {
    return rigid("pellet", fmt::format("shape: {{sphere: {{radius: 1 mm}}}}, density: 2000, "
                                       "position: [{}, 0.004, 0.1075], velocity: [0, 0, -11]",
                                       x));
  };
  CHECK(names(passed(scene(plate + pellet(0.003))), "pellet", "plate"));
  CHECK(passed(scene(plate + pellet(0.06))).empty());
  CHECK(names(passed(scene(plate + block("block", "[1, 1, 1]", "[0.02, 0.02, 0.02]",
                                         "[-0.01, -0.012, 0.1]", "[0, 0, -45]"),
                           5e-3)),
              "block", "plate"));
  CHECK(passed(scene(plate + block("block", "[1, 1, 1]", "[0.02, 0.02, 0.02]",
                                   "[-0.01, -0.012, 5.5 mm]", "[0, 0, -1]"),
                     3e-3, 1e-4))
            .empty());
}

TEST_CASE("a shot and a pane that both move pass each other, in one group, in two, or led") {
  const auto pane = [](const std::string& more, double y, const char* scheme) {
    return rigid("pane",
                 fmt::format("shape: {{box: {{size: [2 mm, 0.2, 0.3]}}}}, density: 1500, position: "
                             "[0.0528, {}, 0], {}",
                             y, more),
                 scheme);
  };
  const std::string shot = rigid("shot",
                                 "shape: {capsule: {radius: 1.5 mm, length: 6 mm}}, density: 3000, "
                                 "position: [-0.0522, 0, 0], velocity: [30, 0, 0]");
  const std::string free = "velocity: [-12, 0, 0]", led = "motion: {x: {rate: -12}}";
  for (const auto& [more, scheme] : {std::pair{free, ""},
                                     {free, "rig-neg"},
                                     {free, "rig-pos"},
                                     {free, "euler-implicit"},
                                     {led, ""}})
    for (const bool first : {false, true}) {
      CAPTURE(more);
      CAPTURE(scheme);
      const auto both = [&](double y) {
        const std::string other = pane(more, y, scheme);
        return scene(first ? other + shot : shot + other, 6e-3);
      };
      CHECK(names(passed(both(0.0)), "shot", "pane"));
      CHECK(passed(both(0.0), {"time.step=0.04 ms"}).empty());
      CHECK(passed(both(0.115)).empty());
    }
}

TEST_CASE("a step is divided at an impact that it would miss, whatever the shapes") {
  const std::string targets[] = {
      "shape: {box: {size: [0.4, 0.4, 2 mm]}, position: [0, 0, -1 mm]}, fixed: true",
      "shape: {box: {size: [0.4, 0.4, 1]}, position: [0, 0, -0.5]}, fixed: true",
      "shape: {plane: {}}, fixed: true"};
  for (const char* shape :
       {"sphere: {radius: 2 mm}", "box: {size: [6 mm, 9 mm, 5 mm]}",
        "box: {size: [30 mm, 40 mm, 0.5 mm]}", "capsule: {radius: 1 mm, length: 8 mm}",
        "cylinder: {radius: 3 mm, length: 4 mm}", "ellipsoid: {radii: [4 mm, 2 mm, 3 mm]}"})
    for (const std::string& target : targets)
      for (const double v : {3.0, 47.0, 630.0})
        for (const double e : {0.0, 0.6}) {
          CAPTURE(shape);
          CAPTURE(target);
          CAPTURE(v);
          CAPTURE(e);
          const std::string ball =
              rigid("bullet", fmt::format("shape: {{{}}}, density: 2000, position: [0.01, 0.02, "
                                          "{}], rotation: {{axis: [1, 2, 3], angle: 0.4}}, "
                                          "velocity: [0, 0, {}]",
                                          shape, 0.04 + 2.3e-3 * v, -v));
          const Shown shown = stopped(scene(rigid("target", target) + ball, 6e-3),
                                      {fmt::format("surfaces[0].law.restitution={}", e)});
          CHECK(place(shown, 0).z() > -1e-3);
        }
}

TEST_CASE("bodies that both move meet in the step in which their paths cross") {
  const auto two = [](const char* scheme, const std::string& pane, double v) {
    return scene(rigid("pane",
                       "shape: {box: {size: [2 mm, 0.2, 0.3]}}, density: 1500, position: "
                       "[0.05, 0, 0], " +
                           pane,
                       pane[0] == 'm' ? "" : scheme) +
                     rigid("shot", fmt::format("shape: {{sphere: {{radius: 1.5 mm}}}}, density: "
                                               "3000, position: [-0.05, 0, 0], velocity: [{}, 0, "
                                               "0]",
                                               v)) +
                     "outputs:\n  - {probe: shot, at: [0, 0, 0], direction: [1, 0, 0], quantity: "
                     "displacement}\n",
                 20e-3);
  };
  for (const char* scheme : {"", "rig-neg", "rig-pos", "euler-implicit"})
    for (const char* pane : {"velocity: [-12, 0, 0]", "motion: {x: {rate: -12}}"})
      for (const double v : {25.0, 260.0}) {
        CAPTURE(scheme);
        CAPTURE(pane);
        CAPTURE(v);
        double last = 0.0;
        const Shown shown =
            run_text(two(scheme, pane, v), {},
                     [&](const Simulation& sim, const StepReport&) { last = sim.probe(0); });
        CHECK(shown.converged);
        for (const Notice& notice : shown.sim.notices())
          CHECK(notice.kind != Notice::Kind::crossed);
        // restitution 0.4 against a pane that is much heavier or led
        const double met = 0.0975 / (v + 12.0), after = -12.0 - 0.4 * (v + 12.0);
        CHECK(last == doctest::Approx(v * met + after * (20e-3 - met)).epsilon(0.02));
      }
}

TEST_CASE("a ball that meets several plates in one step bounces between them") {
  std::string bodies;
  for (const double z : {-0.1, 0.1})
    bodies += rigid(fmt::format("plate {}", z),
                    fmt::format("shape: {{box: {{size: [1, 1, 1 mm]}}, position: [0, 0, {}]}}, "
                                "fixed: true",
                                z));
  bodies += rigid("ball", "shape: {sphere: {radius: 1 mm}}, density: 2000, velocity: [0, 0, 1000]");
  const Shown shown = stopped(scene(bodies, 5e-3), {"surfaces[0].law.restitution=1"});
  CHECK(shown.energy_left() == doctest::Approx(1.0).epsilon(1e-9));
  // 5 m of way between walls whose distance leaves 0.197 m for the centre
  const double way = std::fmod(5.0 + 0.0985, 2.0 * 0.197),
               z = way < 0.197 ? way - 0.0985 : 0.2955 - way;
  CHECK(place(shown, 0).z() == doctest::Approx(z).epsilon(0.02).scale(0.1));
}

TEST_CASE("under a tolerance a step that would miss an impact is shortened") {
  const std::string bodies =
      rigid("sheet", kSheet) + rigid("bullet",
                                     "shape: {sphere: {radius: 2 mm}}, density: 2000, position: "
                                     "[0, 0, 0.107], velocity: [0, 0, -17]");
  for (const char* tolerance : {"1e-2", "1e-4"}) {
    CAPTURE(tolerance);
    const Shown shown = stopped(scene(bodies), {fmt::format("time.tolerance={}", tolerance)});
    const double met = 0.104 / 17.0;
    CHECK(place(shown, 0).z() == doctest::Approx(0.003 + 0.4 * 17.0 * (0.02 - met)).epsilon(0.01));
  }
}

TEST_CASE("forces of a divided step are means over the step: they are the change of momentum") {
  const std::string bodies =
      rigid("sheet", kSheet) +
      rigid("bullet",
            "shape: {sphere: {radius: 2 mm}}, mass: 0.25, position: [0, 0, 0.107], velocity: [0, "
            "0, -17]") +
      "outputs:\n  - {probe: bullet, name: push, quantity: force, from: sheet, direction: [0, 0, "
      "1]}\n  - {probe: sheet, name: support, quantity: reaction, direction: [0, 0, 1]}\n";
  double impulse = 0.0, support = 0.0, divided = 0;
  run_text(scene(bodies), {}, [&](const Simulation& sim, const StepReport& report) {
    impulse += 1e-3 * sim.probe(0);
    support += 1e-3 * sim.probe(1);
    divided += report.halvings;
  });
  CHECK(divided == 1);
  CHECK(impulse == doctest::Approx(0.25 * 1.4 * 17.0).epsilon(1e-9));
  CHECK(support == doctest::Approx(impulse).epsilon(1e-9));
}

TEST_CASE("a hinged arm swung through a peg stops there, and its joint bears the blow") {
  const std::string text =
      scene(rigid("peg",
                  "shape: {capsule: {radius: 1 mm, length: 0.1}, position: [0.3, 0.25, 0]}, "
                  "fixed: true") +
                rigid("arm",
                      "shape: {box: {size: [1, 12 mm, 8 mm]}}, density: 1000, spin: [0, 0, "
                      "300]"),
            6e-3) +
      "joints: [{name: hub, kind: revolute, between: [world, arm], at: [0, 0, 0], axis: [0, 0, "
      "1]}]\noutputs: [{probe: hub, quantity: displacement}]\n";
  double angle = 0.0;
  const Shown shown = run_text(
      text, {"surfaces[0].law.restitution=0"},
      [&](const Simulation& sim, const StepReport&) { angle = std::max(angle, sim.probe(0)); });
  CHECK(shown.converged);
  CHECK(shown.largest_energy <= 1.0 + 1e-9);
  CHECK(angle ==
        doctest::Approx(std::atan2(0.25, 0.3) - 7e-3 / std::hypot(0.25, 0.3)).epsilon(0.01));
}

TEST_CASE("pellets do not pass deformable plates, nor blocks of elements sheets") {
  const std::string plate =
      block("plate", "[4, 4, 1]", "[0.1, 0.1, 5 mm]", "[-0.05, -0.05, 0]", "[0, 0, 0]");
  const Shown shot = run_text(
      scene(plate + rigid("pellet",
                          "shape: {sphere: {radius: 1 mm}}, density: 2000, position: [0.003, "
                          "0.004, 0.1075], velocity: [0, 0, -11]")),
      {"outputs=[{probe: pellet, at: [0, 0, 0], direction: [0, 0, 1], quantity: displacement}]"});
  CHECK(shot.sim.notices().empty());
  CHECK(shot.sim.probe(0) > -0.11);
  const Shown blocked =
      run_text(scene(rigid("sheet", kSheet) + block("block", "[2, 2, 2]", "[0.03, 0.03, 0.03]",
                                                    "[-0.015, -0.015, 0.1]", "[0, 0, -8]"),
                     0.03, 5e-3),
               {"outputs=[{probe: block, at: [0, 0, 0.13], direction: [0, 0, 1], quantity: "
                "displacement}]"});
  CHECK(blocked.sim.notices().empty());
  CHECK(blocked.sim.probe(0) > -0.13);
}

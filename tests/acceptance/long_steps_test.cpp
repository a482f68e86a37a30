// Steps that are too long for what they should follow: dampers, spins, falls, explicit schemes. A run or a check says so, and
// stays silent where the step will do.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>

#include "../support/data_folder.h"
#include "run_scene.h"
#include "saltus/advice/damper_advice.h"
#include "saltus/model/scheme_fit.h"
#include "saltus/schemes/registry.h"
#include "saltus/study/scene_run.h"

using namespace saltus;
using namespace saltus::test;

namespace {

std::string scene(const std::string& rest, double end = 0.02, double h = 1e-3) {
  return fmt::format("saltus: 1\ntime: {{end: {}, step: {}}}\n{}", end, h, rest);
}

int told(const std::string& text, const std::string& what,
         const std::vector<std::string>& set = {}) {
  int count = 0;
  const Model model = build(read_scene_text(text, "test.yaml", set));
  for (const std::string& line : model.warnings())
    count += line.find(what) != std::string::npos ? 1 : 0;
  return count;
}

int noticed(const std::string& text, Notice::Kind kind, const std::vector<std::string>& set = {}) {
  int count = 0;
  for (const Notice& notice : run_text(text, set).sim.notices()) count += notice.kind == kind;
  return count;
}

/// Lines of a run about growing energy.
int growth(const std::string& text, const std::vector<std::string>& set = {}) {
  const saltus_test::DataFolder folder;
  folder.write("s.yaml", text);
  SceneRunOptions options;
  options.output = (folder.path / "s.h5").string();
  int count = 0;
  options.note = [&](const std::string& line) {
    count += line.find("the energy grew by") != std::string::npos;
  };
  SceneRun run(set_up((folder.path / "s.yaml").string(), set, ""), std::move(options));
  run();
  return count;
}

}  // namespace

TEST_CASE(
    "a damper beyond its step turns velocities round under the midpoint rule, not under L-stable "
    "schemes") {
  for (const SchemeRow& row : schemes()) {
    CAPTURE(row.name);
    const auto scheme = row.make_default();
    for (const bool rigid : {false, true}) {
      const auto mild = damped_step(*scheme, rigid, 0.4);
      if (!mild) continue;
      CHECK_FALSE(mild->turns);
      CHECK_FALSE(mild->grows);
      const auto strong = damped_step(*scheme, rigid, 300.0);
      REQUIRE(strong);
      const bool damps =
          row.name == "euler-implicit" || row.name == "modal-exact" || row.name == "rig-mid";
      CHECK((strong->turns || strong->grows) != damps);
    }
  }
}

TEST_CASE("drags and dashpots with h c/m > 2 are told with their body, the milder ones are not") {
  const auto ball = [](const char* more) {
    return fmt::format(
        "bodies:\n  - {{name: light, kind: rigid, scheme: moreau-jean, rigid: {{shape: {{sphere: "
        "{{radius: 0.2}}}}, mass: 0.25, {0}}}}}\n  - {{name: heavy, kind: rigid, scheme: "
        "moreau-jean, rigid: {{shape: {{sphere: {{radius: 0.2}}}}, mass: 400, position: [3, 0, 0], "
        "{0}}}}}\n",
        more);
  };
  CHECK(told(scene(ball("drag: 700")), "the drag of 'light'") == 1);
  CHECK(told(scene(ball("drag: 400")), "drag of") == 0);  // h c/m = 1.6
  CHECK(told(scene(ball("drag: 700")), "drag of", {"time.step=0.1 ms"}) == 0);
  CHECK(told(scene(ball("spin_drag: 12")), "the spin drag of 'light'") == 1);  // J = 0.004
  CHECK(told(scene(ball("spin_drag: 6")), "drag of") == 0);
  CHECK(told(scene(ball("drag: 700")), "drag of", {"bodies[0].scheme=rig-mid"}) == 0);
  const auto oscillator = [](const char* scheme, double c) {
    return fmt::format(
        "bodies:\n  - {{name: mass, kind: linear, scheme: {}, oscillator: {{mass: 3, stiffness: "
        "20, "
        "damping: {}}}, initial: {{velocities: [1]}}}}\n",
        scheme, c);
  };
  for (const char* turning : {"moreau-jean", "newmark", "discrete-gradient"}) {
    CHECK(told(scene(oscillator(turning, 9000.0)), "damping of 'mass'") == 1);
    CHECK(told(scene(oscillator(turning, 1500.0)), "damping of 'mass'") == 0);
  }
  const auto slow = [](const char* scheme, double c) {  // no spring
    return fmt::format(
        "bodies:\n  - {{name: mass, kind: linear, scheme: {}, oscillator: {{mass: 3, damping: "
        "{}}}, "
        "initial: {{velocities: [1]}}}}\n",
        scheme, c);
  };
  for (const char* growing : {"euler-explicit", "variational-symplectic", "def-exp"}) {
    CHECK(told(scene(slow(growing, 9000.0)), "damping of 'mass'") == 1);
    CHECK(told(scene(slow(growing, 1500.0)), "damping of 'mass'") == 0);
  }
  for (const char* damping : {"euler-implicit", "{kind: moreau-jean, theta: 1}",
                              "{kind: moreau-jean, dashpots: decaying}"})
    CHECK(told(scene(oscillator(damping, 9000.0)), "damping of 'mass'") == 0);
  const auto pair = [](double c, double k) {
    return fmt::format(
        "bodies:\n  - {{name: two, kind: particles, scheme: moreau-jean, particles: {{mass: [1, "
        "2], positions: [[0, 0, "
        "0], [1, 0, 0]], springs: [{{between: [0, 1], stiffness: {}, length: 1, damping: "
        "{}}}]}}}}\n",
        k, c);
  };
  CHECK(told(scene(pair(5000.0, 10.0)), "damping of 'two'") == 1);
  CHECK(told(scene(pair(5000.0, 10.0)), "damping of",
             {"bodies[0].scheme={kind: moreau-jean, dashpots: decaying}"}) == 0);
  CHECK(told(scene(pair(50.0, 10.0)), "damping of 'two'") == 0);
  CHECK(told(scene(pair(5000.0, 1e7)), "damping of 'two'") == 0);  // faster than the step follows
}

TEST_CASE(
    "a body with a damper beyond its step keeps its speed, and the schemes of the advice stop it") {
  const std::string text = scene(
      "bodies:\n  - {name: b, kind: rigid, scheme: moreau-jean, rigid: {shape: {sphere: {radius: "
      "0.2}}, mass: 2, drag: 1e6, velocity: [0, 3, 0]}}\n");
  CHECK(std::abs(run_text(text).sim.state().groups[0].v[1]) > 2.0);
  for (const char* scheme : {"bodies[0].scheme=euler-implicit",
                             "bodies[0].scheme={kind: moreau-jean, dashpots: decaying}"})
    CHECK(std::abs(run_text(text, {scheme}).sim.state().groups[0].v[1]) < 1e-9);
}

TEST_CASE("dampers of joints stop rates, those of contacts that turn rates round are told") {
  const auto wheel = [](double c, double spin) {
    return scene(
        fmt::format("bodies:\n  - {{name: wheel, kind: rigid, rigid: {{shape: {{box: {{size: [0.4, "
                    "0.4, 0.1]}}}}, "
                    "mass: 2, spin: [0, 0, {}]}}}}\njoints:\n  - {{name: axle, kind: revolute, "
                    "between: [world, "
                    "wheel], at: [0, 0, 0], axis: [0, 0, 1], turn: {{damping: {}}}}}\n",
                    spin, c));
  };
  CHECK(noticed(wheel(400.0, 4.0), Notice::Kind::overdamped) == 0);  // J = 4/75
  CHECK(std::abs(run_text(wheel(400.0, 4.0)).sim.joint_coordinate(0, 0)[1]) < 1e-12);
  const auto point = [](const char* law) {
    return scene(fmt::format(
        "bodies:\n  - {{name: p, kind: particles, particles: {{mass: [2], positions: [[0, 0, 1 "
        "mm]], "
        "velocities: [[0, 0, -1.3]]}}}}\ncontacts:\n  - {{on: p, at: 0, against: {{plane: {{point: "
        "[0, 0, 0], normal: [0, 0, 1]}}}}, law: {{kind: compliant, stiffness: 1e4, {}}}}}\n",
        law));
  };
  CHECK(noticed(point("damping: 1e6"), Notice::Kind::overdamped) == 1);
  CHECK(noticed(point("damping: 1e6, at: end"), Notice::Kind::overdamped) == 0);
  CHECK(noticed(point("damping: 200"), Notice::Kind::overdamped) == 0);
}

TEST_CASE("a body that turns by more than half a turn in a step is told") {
  const auto top = [](double spin) {
    return scene(
        fmt::format("bodies:\n  - {{name: top, kind: rigid, rigid: {{shape: {{cylinder: "
                    "{{radius: 0.1, length: 0.02}}}}, mass: 1, spin: [0, 0, {}]}}}}\n",
                    spin));
  };
  CHECK(noticed(top(3.3e3), Notice::Kind::wrapped) == 1);
  CHECK(noticed(top(3.0e3), Notice::Kind::wrapped) == 0);
  CHECK(noticed(top(-2e8), Notice::Kind::wrapped) == 1);
}

TEST_CASE(
    "a contact that holds a body far above its floor is told, resting and bouncing bodies are "
    "not") {
  const auto drop = [](double height, double h, double steps) {
    return scene(
        fmt::format("gravity: [0, 0, -9.81]\nbodies:\n  - {{name: floor, kind: rigid, rigid: "
                    "{{shape: {{plane: {{}}}}, fixed: true}}}}\n  - {{name: ball, kind: "
                    "rigid, rigid: {{shape: {{sphere: {{radius: 0.1}}}}, mass: 1, position: "
                    "[0, 0, {}]}}}}\nsurfaces: [{{law: {{kind: newton-impact, restitution: "
                    "0.5}}}}]\n",
                    0.1 + height),
        h * steps, h);
  };
  CHECK(noticed(drop(700.0, 1e5, 3), Notice::Kind::across) == 1);
  // the step that it proposes, until the bounces are much lower
  CHECK(noticed(drop(700.0, 1.0, 30), Notice::Kind::across) == 0);
  CHECK(noticed(drop(0.0, 0.01, 40), Notice::Kind::across) == 0);
  CHECK(noticed(drop(1e-6, 0.01, 40), Notice::Kind::across) == 0);
  CHECK(noticed(drop(0.4, 2e-3, 400), Notice::Kind::across) == 0);
}

TEST_CASE(
    "a step of an explicit bar at its critical one, where a blow would feed it energy, is refused; "
    "below "
    "it keeps its energy") {
  const auto bar = [](const char* h, const char* more) {
    return fmt::format(
        "saltus: 1\ntime: {{end: 120 us, step: {}}}\nbodies:\n  - {{name: wall, kind: rigid, "
        "rigid: "
        "{{shape: {{box: {{size: [0.1, 0.1, 0.02]}}, position: [0, 0, -0.01], material: wall}}, "
        "fixed: "
        "true}}}}\n  - name: bar\n    kind: fem\n    scheme: def-exp\n    fem:\n      mesh: {{box: "
        "{{kind: hex8, cells: [1, 1, 24], size: [0.02, 0.02, 0.24], origin: [-0.01, -0.01, "
        "0.003]}}}}\n"
        "      material: {{law: st_venant_kirchhoff, young: 200 GPa, poisson: 0, density: 8000}}\n"
        "      surface: {{material: steel}}\n      velocity: [0, 0, -80]\n{}surfaces: "
        "[{{materials: "
        "[wall, steel], law: {{kind: newton-impact, activation: {{kind: siconos}}}}}}]\n",
        h, more);
  };
  for (const char* near : {"1.99 us", "2 us", "2.1 us", "1 ms"})
    CHECK_THROWS_WITH_AS(
        growth(bar(near, "")),
        doctest::Contains("of the critical step of def-exp for 'bar', 2.004e-06 s: near and beyond "
                          "it the fastest motion grows; use steps up to 1.8e-06 s"),
        SceneError);
  CHECK(growth(bar("1.97 us", "")) == 0);
  CHECK(growth(bar("1.8 us", "")) == 0);
  CHECK(growth(bar("1 us", "")) == 0);
  CHECK(growth(bar("1 us", "gravity: [0, 0, -2e5]\n")) == 0);
}

TEST_CASE("loads that pump energy into an explicit run are no growth") {
  const auto swing = [](const char* scheme) {
    return scene(
        fmt::format("bodies:\n  - {{name: m, kind: linear, scheme: {}, oscillator: {{mass: 1, "
                    "stiffness: 100, damping: 0.3}}, loads: [{{dof: 0, harmonic: {{amplitude: 5, "
                    "frequency: 1.59 Hz}}}}]}}\n",
                    scheme),
        3.0, 2e-3);
  };
  for (const char* scheme : {"euler-explicit", "runge-kutta", "central-difference"})
    CHECK(growth(swing(scheme)) == 0);
}

namespace {

/// Two wheels of 0.05625 and 4/75 kg m^2 on one axle that a damper of joints is between, at the height z.
std::string damped_axle(const char* scheme, double damping, double z, const std::string& others) {
  const auto wheel = [&](const char* name, const char* own, const char* size, double mass,
                         double spin) {
    return fmt::format(
        "  - {{name: {}, kind: rigid, {}rigid: {{shape: {{box: {{size: {}}}}}, mass: {}, "
        "position: [0, 0, {}], spin: [0, 0, {}]}}}}\n",
        name, own, size, mass, z, spin);
  };
  return scene("gravity: [0, 0, -9.81]\nbodies:\n" +
               wheel("hub", "", "[0.3, 0.3, 0.1]", 3.75, -5.0) +
               wheel("rim", scheme, "[0.4, 0.4, 0.1]", 2.0, 5.0) + others +
               fmt::format("joints:\n  - {{name: axle, kind: revolute, between: [hub, rim], at: "
                           "[0, 0, {}], axis: [0, 0, 1], turn: {{damping: {}}}}}\n",
                           z, damping));
}

}  // namespace

TEST_CASE("a damper stops bodies of one group or two, whatever else moves and how high") {
  const std::string flies =
      "  - {name: bird, kind: rigid, rigid: {shape: {sphere: {radius: 0.1}}, mass: 10, position: "
      "[0, 5, 0], velocity: [100, 0, 0]}}\n";
  for (const char* scheme : {"", "scheme: rig-neg, ", "scheme: rig-pos, ", "scheme: rig-mid, "})
    for (const double z : {0.0, 600.0})
      for (const std::string& others : {std::string(), flies}) {
        CAPTURE(scheme);
        CAPTURE(z);
        CAPTURE(others);
        // 1/J = 1/0.05625 + 75/4:  h c/J = 36.5 c h
        for (const double damping : {250.0, 1e5, 1e11}) {
          const std::string text = damped_axle(scheme, damping, z, others);
          CHECK(noticed(text, Notice::Kind::overdamped) == 0);
          CHECK(std::abs(run_text(text).sim.joint_coordinate(0, 0)[1]) < 1e-9);
        }
      }
}

TEST_CASE("a compliant contact between particles of one group or two is told to throw back") {
  const auto pair = [](bool apart, const char* law) {
    const std::string bodies =
        apart
            ? "  - {name: p, kind: particles, particles: {mass: [2], positions: [[0, 0, 1 mm]], "
              "velocities: [[0, 0, -1.5]]}}\n"
              "  - {name: q, kind: particles, particles: {mass: [5], positions: [[0, 0, 0]], "
              "velocities: [[0, 0, 0.4]]}}\n"
            : "  - {name: p, kind: particles, particles: {mass: [2, 5], positions: [[0, 0, 1 mm], "
              "[0, 0, 0]], velocities: [[0, 0, -1.5], [0, 0, 0.4]]}}\n";
    return scene(fmt::format(
        "bodies:\n{}contacts:\n  - {{on: p, at: 0, against: {{body: {}, at: {}, normal: [0, 0, "
        "1]}}, law: {{kind: compliant, stiffness: 2e4, {}}}}}\n",
        bodies, apart ? "q" : "p", apart ? 0 : 1, law));
  };
  for (const bool apart : {false, true}) {
    CAPTURE(apart);
    CHECK(noticed(pair(apart, "damping: 3e5"), Notice::Kind::overdamped) == 1);
    CHECK(noticed(pair(apart, "damping: 3e5, at: end"), Notice::Kind::overdamped) == 0);
    CHECK(noticed(pair(apart, "damping: 300"), Notice::Kind::overdamped) == 0);
  }
}

TEST_CASE("each of two bodies that turn by more than half a turn in a step is told by its name") {
  for (const char* scheme : {"", "scheme: rig-neg, ", "scheme: rig-pos, "})
    for (const auto& [a, b] : {std::pair{1700, 1650}, {100, -1700}, {1700, 100}, {1500, -1500}}) {
      CAPTURE(scheme);
      CAPTURE(a);
      CAPTURE(b);
      const Shown run = run_text(
          scene(fmt::format(
                    "bodies:\n  - {{name: top, kind: rigid, rigid: {{shape: {{cylinder: {{radius: "
                    "0.1, length: 0.03}}}}, mass: 1, spin: [0, 0, {}]}}}}\n  - {{name: disc, "
                    "kind: rigid, {}rigid: {{shape: {{cylinder: {{radius: 0.2, length: 0.02}}}}, "
                    "mass: 2, position: [1, 0, 0], spin: [0, 0, {}]}}}}\n",
                    a, scheme, b),
                0.02, 2e-3));
      std::string all;
      for (const Notice& one : run.sim.notices()) all += one.text;
      CHECK((all.find("'top' turns by") != std::string::npos) == (std::abs(a) > 1600));
      CHECK((all.find("'disc' turns by") != std::string::npos) == (std::abs(b) > 1600));
    }
}

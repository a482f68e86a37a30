// Simulations of one model know nothing of each other: threads, turns and copies change no bit.
#include <doctest/doctest.h>

#include <algorithm>
#include <barrier>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <thread>

#include "saltus/base/error.h"
#include "saltus/results/checkpoint.h"
#include "saltus/scene/build.h"
#include "saltus/scene_file/scene_yaml.h"
#include "saltus/sim/simulation.h"
#include "saltus/solvers/registry.h"

using namespace saltus;

namespace {

constexpr int kSteps = 40, kFewSteps = 4, kThreads = 4;

std::string after(Simulation& sim, int steps) {
  for (int k = 0; k < steps; ++k) sim.advance();
  return state_hash(sim.state());
}

std::string alone(const Model& model, int steps, int threads = 0) {
  Simulation sim(model);
  sim.use_threads(threads);
  return after(sim, steps);
}

/// One simulation of each model in a thread of its own, all begun together, with 0, 1, 2, 3 threads for its loops.
std::vector<std::string> together(const std::vector<Model>& models, int steps) {
  std::vector<std::string> hashes(models.size());
  std::barrier begin(static_cast<std::ptrdiff_t>(models.size()));
  std::vector<std::jthread> threads;
  for (std::size_t k = 0; k < models.size(); ++k)
    threads.emplace_back([&, k] {
      begin.arrive_and_wait();
      hashes[k] = alone(models[k], steps, static_cast<int>(k));
    });
  threads.clear();
  return hashes;
}

/// Two in turns, a third made in the middle.
std::vector<std::string> in_turns(const Model& model, int steps) {
  Simulation a(model), b(model);
  std::optional<Simulation> c;
  for (int k = 0; k < steps; ++k) {
    a.advance();
    if (k == steps / 2) c.emplace(model);
    b.advance();
    if (c) c->advance();
  }
  return {state_hash(a.state()), state_hash(b.state()), after(*c, steps - (steps - steps / 2))};
}

void check_side_by_side(const Scene& scene, int most = kSteps) {
  const Model model = build(scene), copy = model, second = build(scene);
  const int steps = static_cast<int>(std::min<long long>(step_count(scene.spec.time), most));
  const std::string expected = alone(model, steps);
  for (const std::string& hash : together(std::vector<Model>(kThreads, model), steps))
    CHECK(hash == expected);
  for (const std::string& hash : together({model, copy, second, second}, steps))
    CHECK(hash == expected);
  for (const std::string& hash : in_turns(model, steps)) CHECK(hash == expected);
}

/// Every body that moves under this scheme; nothing where one of them refuses it.
std::optional<Scene> with_scheme(const std::filesystem::path& path, const char* scheme) {
  const std::size_t bodies = read_scene(path, {}).spec.bodies.size();
  std::vector<std::string> set;
  for (std::size_t i = 0; i < bodies; ++i) {
    set.push_back("bodies[" + std::to_string(i) + "].scheme={kind: " + scheme + "}");
    try {
      read_scene(path, set);
    } catch (const SceneError&) {
      set.pop_back();  // a body that does not move
    }
  }
  try {
    Scene scene = read_scene(path, set);
    build(scene);
    return scene;
  } catch (const SceneError&) {
    return std::nullopt;
  }
}

std::set<std::filesystem::path> examples() {
  std::set<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(SALTUS_EXAMPLES))
    if (entry.path().extension() == ".yaml") found.insert(entry.path());
  return found;
}

}  // namespace

// Bodies that work with what they are given in several ways: each with motion, some of it prescribed.
struct Variant {
  const char* name;
  const char* body;  ///< after its name
};
const Variant kVariants[] = {
    {"particles held by a moving one",
     "kind: particles, particles: {mass: [1, 1, 2], positions: [[0, 0, 0.1], [0.5, 0, 0.1], [1, 0, "
     "0.1]], gravity: "
     "[0, 0, -9.81], springs: [{between: [0, 1], stiffness: 400, length: 0.5, damping: 1}, "
     "{between: [1, 2], "
     "stiffness: 400, length: 0.4}]}, prescribed: [{dof: 0, constant: 0}, {dof: 1, constant: 0}, "
     "{dof: 2, harmonic: "
     "{amplitude: 0.1, frequency: 3}}], rayleigh: {stiffness: 1 ms}"},
    {"a mesh by conjugate gradients",
     "kind: fem, fem: {mesh: {box: {kind: tet4, cells: [3, 2, 2], size: [0.3, 0.1, 0.1]}}, "
     "position: [0, 0, 0.2], material: "
     "{law: corotated, young: 1 MPa, poisson: 0.3, density: 1000}, velocity: [0, 0, -1], spin: [0, "
     "3, 0], solver: {kind: "
     "conjugate_gradients}}, scheme: moreau-jean"},
    {"a mesh by a factor, moved at one end",
     "kind: fem, fem: {mesh: {box: {kind: hex8, cells: [3, 2, 2], size: [0.3, 0.1, 0.1]}}, "
     "position: [0, 0, 0.2], material: "
     "{law: neo_hooke, young: 1 MPa, poisson: 0.3, density: 1000}, prescribed: [{set: x0, x: "
     "{constant: 0}, y: {constant: 0}, "
     "z: {harmonic: {amplitude: 20 mm, frequency: 10}}}]}, rayleigh: {stiffness: 1 ms}, scheme: "
     "euler-implicit"},
    {"a mesh that turns as a whole",
     "kind: fem, fem: {mesh: {box: {kind: hex8, cells: [3, 1, 1], size: [0.3, 0.1, 0.1]}}, "
     "position: [0, 0, 0.2], form: "
     "body_corotational, material: {law: linear, young: 1 MPa, poisson: 0.3, density: 1000}, "
     "velocity: [0, 0, -1], spin: [0, 4, "
     "1]}, rayleigh: {stiffness: 1 ms}, scheme: moreau-jean"},
    {"a mesh with massless nodes at stops",
     "kind: fem, fem: {mesh: {box: {kind: hex8, cells: [2, 2, 4], size: [0.1, 0.1, 0.2]}}, "
     "position: [0, 0, 1 mm], material: "
     "{law: linear, young: 1 MPa, poisson: 0.3, density: 1000}, velocity: [0, 0, -1], stops: "
     "[{set: z0, plane: {}}], touches: false}, "
     "rayleigh: {stiffness: 1 ms}, scheme: moreau-jean"},
    {"a mesh in its own modes beside what is kept",
     "kind: fem, fem: {mesh: {box: {kind: hex8, cells: [4, 1, 1], size: [0.4, 0.1, 0.1]}}, "
     "position: [0, 0, 0.2], material: "
     "{law: linear, young: 1 MPa, poisson: 0.3, density: 1000}, fixed: [{set: x0}], modes: {count: "
     "3, keep: [{set: x1}]}, touches: false}"},
    {"a pendulum on a moving pivot",
     "kind: lagrangian, n_pendulum: {mass: [1, 1, 1], length: [0.3, 0.3, 0.3], gravity: 9.81}, "
     "initial: {coordinates: "
     "[0, 1, 2]}, prescribed: [{dof: 0, harmonic: {amplitude: 0.2, frequency: 2}}]"},
    {"a beam",
     "kind: beam, beam: {start: [0, 0, 0.5], end: [1, 0, 0.5], elements: 6, young: 10 MPa, "
     "density: 1000, radius: 10 mm, held: [{at: start, as: clamped}]}"},
};

TEST_CASE("threads share one model of every kind of body and keep its bits") {
  for (const Variant& variant : kVariants) {
    CAPTURE(variant.name);
    check_side_by_side(
        read_scene_text(
            "saltus: 1\ntime: {end: 0.1 s, step: 1 ms}\ngravity: [0, 0, -9.81]\nbodies:\n"
            "  - {name: floor, kind: rigid, rigid: {shape: {plane: {}}, fixed: true}}\n"
            "  - {name: body, " +
                std::string(variant.body) +
                "}\nsurfaces:\n  - {materials: [default, default], law: {kind: newton-impact, "
                "friction: 0.3}}\n",
            "test.yaml", {}),
        kFewSteps);
  }
  std::set<std::string> seen;  // kinds of bodies
  for (const std::filesystem::path& path : examples()) {
    CAPTURE(path.filename().string());
    const Scene scene = read_scene(path, {});
    const Model model = build(scene);
    bool another = false;
    for (const Group& group : model.groups()) another |= seen.insert(group.kind).second;
    if (another) check_side_by_side(scene, kFewSteps);
  }
  CHECK(seen.size() >= 8);
}

TEST_CASE("threads share one model under every contact solver and keep its bits") {
  int tried = 0;
  for (const SolverRow& row : solvers())
    for (const char* example : {"stack.yaml", "string_on_midpoint.yaml"}) {
      CAPTURE(row.name);
      CAPTURE(example);
      std::optional<Scene> scene;
      try {
        scene = read_scene(std::filesystem::path(SALTUS_EXAMPLES) / example,
                           std::vector<std::string>{"solver.kind=" + std::string(row.name),
                                                    "solver.iterations=200"});
        build(*scene);
      } catch (const SceneError&) {
        continue;  // it does not handle the laws
      }
      check_side_by_side(*scene, kFewSteps);
      ++tried;
    }
  CHECK(tried >= static_cast<int>(solvers().size()));
}

TEST_SUITE_BEGIN("slow");

TEST_CASE("four threads, turns and copies give every example the bits of a run alone") {
  for (const std::filesystem::path& path : examples()) {
    CAPTURE(path.filename().string());
    check_side_by_side(read_scene(path, {}));
  }
}

TEST_CASE("so they do every kind of body under an implicit and an explicit scheme") {
  const char* const schemes[] = {"euler-implicit", "moreau-jean", "euler-explicit",
                                 "def-exp",        "rig-mid",     "rig-neg"};
  std::map<std::string, std::set<std::string>> tried;  // of each kind
  for (const std::filesystem::path& path : examples()) {
    CAPTURE(path.filename().string());
    const Model model = build(read_scene(path, {}));
    std::set<std::string> kinds;
    for (const Group& group : model.groups()) kinds.insert(group.kind);
    for (const char* scheme : schemes) {
      CAPTURE(scheme);
      if (std::ranges::all_of(kinds, [&](const auto& k) { return tried[k].contains(scheme); }))
        continue;
      const std::optional<Scene> scene = with_scheme(path, scheme);
      if (!scene) continue;
      for (const std::string& kind : kinds) tried[kind].insert(scheme);
      check_side_by_side(*scene);
    }
  }
  for (const auto& [kind, of] : tried) {
    CAPTURE(kind);
    CHECK(of.size() >= 4);  // rigid bodies all six
  }
}

TEST_SUITE_END();

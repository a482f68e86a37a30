// `saltus run --dump-contact`: contact problems of a run in files that can be solved again.
#include <doctest/doctest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "command.h"
#include "saltus/contact/certificate.h"
#include "saltus/contact/residual.h"
#include "saltus/exchange/fclib.h"
#include "saltus/math/flush_denormals.h"
#include "saltus/results/results_reader.h"
#include "saltus/solvers/registry.h"

using namespace saltus;
using namespace saltus_test;

namespace {

/// Five masses in a row, tied by stiff springs, dragged over a rough floor by their weight: contacts that feel each other.
std::string chain_scene() {
  return R"(saltus: 1
title: Chain on a floor
time: {end: 0.2 s, step: 1 ms}
results: {frames: 5}
bodies:
  - name: chain
    kind: particles
    particles:
      mass: [1, 2, 1, 3, 1]
      positions: [[0, 0, 0], [1, 0.1, 0], [2, 0, 0], [3, 0.2, 0], [4, 0, 0]]
      velocities: [[1, 0.3, 0], [0.8, 0, 0], [1, -0.2, -0.1], [1, 0, 0], [1.2, 0.4, 0]]
      gravity: [2, 0.5, -9.81]
      springs:
        - {between: [0, 1], stiffness: 2000000, length: 1}
        - {between: [1, 2], stiffness: 2000000, length: 1}
        - {between: [2, 3], stiffness: 2000000, length: 1}
        - {between: [3, 4], stiffness: 2000000, length: 1}
    scheme: moreau-jean
contacts:
  - on: chain
    against: {plane: {}}
    law: {kind: newton-impact, friction: 0.5}
)";
}

/// From a cold start, by the default solver.
Vector solved(const FclibProblem& problem, double tolerance) {
  const auto view = problem.view();
  SolverMemory memory;
  Vector p = Vector::Zero(problem.rows());
  const SolveReport report =
      find_solver("auto")->make()->solve(view, {tolerance, 10'000}, memory, p);
  CHECK(report.converged);
  return p;
}

double stored_residual(const FclibProblem& problem) {
  REQUIRE(problem.solution);
  Vector p(problem.rows());
  p << problem.solution->r, problem.solution->l;
  const auto view = problem.view();
  return residual(view, p);
}

}  // namespace

TEST_CASE(
    "contact problems of a run, solved again from their files, give the impulses of the run") {
  const Folder folder;
  folder.write("chain.yaml", chain_scene());
  const Outcome outcome = saltus_command(
      folder, {"run", "chain.yaml", "--dump-contact", "every:50", "--dump-folder", "p", "--json"});
  CAPTURE(outcome.err);
  REQUIRE(outcome.code == 0);
  const auto json = nlohmann::json::parse(outcome.out);
  CHECK(json["files"] == std::vector<std::string>{"chain.h5", "p/chain-step50.hdf5",
                                                  "p/chain-step100.hdf5", "p/chain-step150.hdf5",
                                                  "p/chain-step200.hdf5"});
  const ResultsReader results(folder / "chain.h5");
  const auto offset = results.hdf5().dataset("contacts/offset").counts();
  const auto impulse = results.hdf5().dataset("contacts/impulse").reals();
  const std::vector<double> residuals = results.step("residual");
  for (std::size_t frame = 1; frame <= 4; ++frame) {
    const std::size_t step = 50 * frame;
    CAPTURE(step);
    const FclibProblem problem = read_fclib(
        folder / ("p/chain-step" + std::to_string(step) + ".hdf5"), FclibRead::solutions);
    CHECK(problem.contacts == 5);
    CHECK(problem.spacedim == 3);
    CHECK(problem.equalities == 0);
    CHECK(problem.title.find("step " + std::to_string(step)) != std::string::npos);
    REQUIRE(offset[frame + 1] - offset[frame] == 5);
    const Eigen::Map<const Vector> run(&impulse[3 * offset[frame]], 15);
    CHECK(problem.solution->r == run);
    CHECK(std::abs(stored_residual(problem) - residuals[step]) <= 1e-15);
    const Vector again = solved(problem, 1e-12);
    CHECK((again - run).norm() <= 1e-9 * run.norm());
  }
}

TEST_CASE(
    "the worst contact problem of a string over a fret keeps its residual in two rows a contact") {
  const Folder folder;
  folder.write("scene.yaml", small_scene());
  const Outcome outcome =
      saltus_command(folder, {"run", "scene.yaml", "--dump-contact", "worst", "--json"});
  CAPTURE(outcome.err);
  REQUIRE(outcome.code == 0);
  const auto json = nlohmann::json::parse(outcome.out);
  const auto step = json["residual"]["step"].get<long>();
  const std::string name = "scene-step" + std::to_string(step) + ".hdf5";
  REQUIRE(folder.has(name));
  const FclibProblem problem = read_fclib(folder / name, FclibRead::solutions);
  CHECK(problem.spacedim == 2);
  CHECK(problem.contacts == 1);
  CHECK(problem.laws[0].friction == 0.0);
  CHECK(stored_residual(problem) ==
        doctest::Approx(json["residual"]["value"].get<double>()).epsilon(1e-12));
}

TEST_CASE("problems that the solver could not solve in its iterations are written as failed") {
  const Folder folder;
  std::string text = replaced(small_scene(), "[[0.4 m, -0.5 mm]]",
                              "[[0.37 m, -0.5 mm], [0.4 m, -0.5 mm], [0.43 m, -0.5 mm]]");
  text = replaced(
      text, "bodies:", "on_failure: accept\nsolver: {kind: gauss-seidel, iterations: 1}\nbodies:");
  folder.write("scene.yaml", text);
  const Outcome outcome =
      saltus_command(folder, {"run", "scene.yaml", "--dump-contact", "failed", "--json"});
  CAPTURE(outcome.err);
  const auto json = nlohmann::json::parse(outcome.out);
  int found = 0;
  for (const std::string& name : folder.names()) {
    if (!name.ends_with(".hdf5")) continue;
    ++found;
    const FclibProblem problem = read_fclib(folder / name, FclibRead::solutions);
    CHECK(problem.contacts == 3);
    CHECK(stored_residual(problem) > 1e-12);
    CHECK((solved(problem, 1e-12) - problem.solution->r).norm() > 0.0);
  }
  CHECK(found > 0);
  CHECK(json["files"].size() == static_cast<std::size_t>(found) + 2);
}

TEST_CASE(
    "a run says which contact problems the format cannot hold, and what --dump-contact takes") {
  const Folder folder;
  folder.write("scene.yaml",
               replaced(small_scene(), "signorini-position", "{kind: relay, bound: 1 N}"));
  const Outcome relay = saltus_command(
      folder, {"run", "scene.yaml", "--until", "1 ms", "--dump-contact", "every:10"});
  CHECK(relay.code == 0);
  CHECK(relay.err.find("relays, rolling or spinning friction not written") != std::string::npos);
  for (const char* wrong : {"all", "every", "every:", "every:0", "every:-1", "every:2.5", "1"}) {
    CAPTURE(wrong);
    const Outcome outcome = saltus_command(folder, {"run", "scene.yaml", "--dump-contact", wrong});
    CHECK(outcome.code == 2);
    CHECK(outcome.error_lines() == 1);
    CHECK(outcome.err.find("every:N") != std::string::npos);
  }
  const Outcome alone = saltus_command(folder, {"run", "scene.yaml", "--dump-folder", "p"});
  CHECK(alone.code == 2);
}

namespace {

struct DumpCase {
  std::string name, text;
  bool heap = false;
};

std::vector<DumpCase> dump_cases() {
  const std::string balls = R"(saltus: 1
time: {end: 0.12 s, step: 2 ms}
gravity: [0.6, 0.4, -9.81]
on_failure: accept
solver: {tolerance: 1e-9, iterations: 3}
bodies:
  - {name: box, kind: rigid, rigid: {shapes: [{plane: {}}, {plane: {normal: [1, 0, 0], point: [-0.05, 0, 0]}},
     {plane: {normal: [-1, 0, 0], point: [0.05, 0, 0]}}], fixed: true}}
  - {name: ball, kind: rigid, rigid: {shape: {sphere: {radius: 10 mm}}, density: 2500, position: [-0.0387, -0.03, 0.012],
     copies: {count: [4, 4, 4], spacing: [0.0215, 0.0215, 0.0215]}}}
surfaces:
  - {law: {kind: newton-impact, friction: 0.4}}
)";
  return {{"balls", balls, true},
          {"balls that rebound",
           replaced(balls, "friction: 0.4", "friction: 0.4, restitution: 0.3"), true},
          {"chain", chain_scene(), false}};
}

}  // namespace

TEST_CASE("a contact problem of a run is solved again as in the run, bit by bit") {
  for (const DumpCase& c : dump_cases()) {
    CAPTURE(c.name);
    const Folder folder;
    folder.write("scene.yaml", c.text);
    const Outcome outcome =
        saltus_command(folder, {"run", "scene.yaml", "--dump-contact", "every:5", "--json", "-q"});
    CAPTURE(outcome.err);
    REQUIRE(outcome.code == 0);
    int found = 0, large = 0, missed = 0;
    for (const std::string& name : folder.names()) {
      if (!name.ends_with(".hdf5")) continue;
      CAPTURE(name);
      ++found;
      const FclibProblem problem = read_fclib(folder / name, FclibRead::solutions);
      REQUIRE(problem.run);
      const FclibRun& run = *problem.run;
      CHECK(run.solver == "auto");
      // below 120 rows W is a matrix, whatever the bodies are
      const bool by_bodies = run.rows() > 120;
      large += by_bodies;
      CHECK((run.W->bodies() != nullptr) == by_bodies);
      CHECK((run.W->dense() != nullptr) == !by_bodies);
      const FlushDenormals flush;
      const auto view = run.view();
      SolverMemory memory;
      Vector p = run.start;
      const SolveReport report =
          solve_certified(*find_solver(run.solver)->make(), view, run.limits, memory, p);
      REQUIRE(p.size() == problem.solution->r.size());
      CHECK(p == problem.solution->r);
      const Outcome again = saltus_command(folder, {"solve", name, "--as-run", "--json"});
      CHECK(again.code == (report.converged ? 0 : 1));
      missed += !report.converged;
      const auto json = nlohmann::json::parse(again.out);
      const auto& row = json["problems"][0]["solves"][0];
      CHECK(row["residual"].get<double>() == report.residual);
      CHECK(row["iterations"].get<int>() == report.iterations);
      CHECK(json["tolerance"].get<double>() == run.limits.tolerance);
    }
    CHECK(found > 0);
    if (!c.heap) continue;
    CHECK(large > 0);
    CHECK(missed > 0);  // three iterations are few
  }
}

TEST_CASE("--as-run is refused where a file does not say how a run solved it, or is damaged") {
  const Folder folder;
  folder.write("chain.yaml", chain_scene());
  REQUIRE(saltus_command(folder, {"run", "chain.yaml", "--dump-contact", "every:150", "-q"}).code ==
          0);
  const std::string name = "chain-step150.hdf5";
  FclibProblem problem = read_fclib(folder / name, FclibRead::solutions);
  const FclibRun run = *problem.run;
  problem.run->W = problem.W;  // by blocks
  write_fclib(folder / "blocks.hdf5", problem);
  const FclibProblem blocks = read_fclib(folder / "blocks.hdf5", FclibRead::solutions);
  REQUIRE(blocks.run);
  REQUIRE(blocks.run->W->blocks() != nullptr);
  CHECK(blocks.run->W->blocks()->value == problem.W->blocks()->value);
  CHECK(saltus_command(folder, {"solve", "blocks.hdf5", "--as-run"}).code == 0);
  const auto refused = [&](const std::string& word) {
    write_fclib(folder / "other.hdf5", problem);
    const Outcome outcome = saltus_command(folder, {"solve", "other.hdf5", "--as-run"});
    CAPTURE(outcome.err);
    CHECK(outcome.code == 2);
    CHECK(outcome.error_lines() == 1);
    CHECK(outcome.err.find(word) != std::string::npos);
  };
  problem.run.reset();
  refused("dump-contact");
  problem.run = run;
  problem.run->solver = "magic";
  refused("magic");
  problem.run = run;
  problem.run->laws.pop_back();
  refused("laws do not cover");
  problem.run = run;
  problem.run->laws.front().size = 0;
  refused("has no row");
  const Outcome both =
      saltus_command(folder, {"solve", name, "--as-run", "--solver", "gauss-seidel"});
  CHECK(both.code == 2);
}

// `saltus convert` of stored runs: sounds and contact problems are those of the run.
#include <doctest/doctest.h>

#include <filesystem>

#include "command.h"
#include "saltus/exchange/fclib.h"

using namespace saltus;
using namespace saltus_test;

namespace {

/// Two masses thrown onto a rough floor.
constexpr const char* kThrown = R"(saltus: 1
time: {end: 0.3 s, step: 1 ms}
results: {frames: 5, checkpoint_every: 100}
bodies:
  - name: dust
    kind: particles
    particles:
      mass: [1, 2]
      positions: [[0, 0, 0.1], [1, 0, 0]]
      velocities: [[1, 0.3, 0], [0.8, 0, 0]]
      gravity: [0, 0, -9.81]
      springs: [{between: [0, 1], stiffness: 1000, length: 1}]
    scheme: moreau-jean
contacts:
  - on: dust
    against: {plane: {}}
    law: {kind: newton-impact, friction: 0.5}
)";

}  // namespace

TEST_CASE("the sound made of stored results is that of the run, byte for byte") {
  for (const char* entry : {"wav: own.wav", "wav: own.wav, gain: 0.001"}) {
    CAPTURE(entry);
    const Folder folder;
    folder.write("scene.yaml", replaced(small_scene(), "wav: sound.wav", entry));
    REQUIRE(saltus_command(folder, {"run", "scene.yaml", "-o", "a.h5", "-q"}).code == 0);
    REQUIRE(folder.has("own.wav"));
    const Outcome outcome = saltus_command(folder, {"convert", "a.h5", "--to", "wav"});
    CHECK(outcome.code == 0);
    const std::string name = outcome.out.substr(0, outcome.out.find('\n'));
    REQUIRE(folder.has(name));
    CHECK(folder.read(name) == folder.read("own.wav"));
  }
}

TEST_CASE("the contact problem of a step of stored results is the one that the run solved") {
  const Folder folder;
  folder.write("scene.yaml", kThrown);
  REQUIRE(saltus_command(folder, {"run", "scene.yaml", "-o", "a.h5", "-q", "--set",
                                  "contacts[0].law.friction=0.3", "--dump-contact", "every:50"})
              .code == 0);
  REQUIRE(folder.has("a-step200.hdf5"));
  std::filesystem::remove(folder / "scene.yaml");  // the results hold it
  const Outcome outcome =
      saltus_command(folder, {"convert", "a.h5", "--to", "fclib", "--step", "200", "-o", "b"});
  CHECK(outcome.err == "");
  CHECK(outcome.out == "b-step200.hdf5\n");
  const FclibProblem run = read_fclib(folder / "a-step200.hdf5", FclibRead::solutions),
                     again = read_fclib(folder / "b-step200.hdf5", FclibRead::solutions);
  CHECK(again.b == run.b);
  REQUIRE(again.solution);
  CHECK(again.solution->r == run.solution->r);
  CHECK(again.solution->r.norm() > 0.0);
  for (int i = 0; i < run.rows(); ++i)
    for (int j = 0; j < run.rows(); ++j) CHECK(again.W->entry(i, j) == run.W->entry(i, j));
}

TEST_CASE("convert says which steps have contact problems to be had") {
  const Folder folder;
  folder.write("scene.yaml", replaced(kThrown, "[1, 0, 0]]", "[1, 0, 0.1]]"));
  REQUIRE(saltus_command(folder, {"run", "scene.yaml", "-o", "a.h5", "-q"}).code == 0);
  struct Case {
    std::vector<std::string> words;
    const char* line;
  };
  for (const Case& one : {
           Case{{"--to", "fclib"}, "add --step N"},
           Case{{"--to", "fclib", "--step", "301"}, "there is no step 301; allowed: 1 to 300"},
           Case{{"--to", "fclib", "--step", "3"}, "step 3 has no contact problem"},
           Case{{"--to", "csv", "--step", "3"}, "--step: applies to --to fclib only"},
           Case{{"--to", "fclip", "--step", "3"}, "did you mean `fclib`"},
       }) {
    std::vector<std::string> words{"convert", "a.h5"};
    words.insert(words.end(), one.words.begin(), one.words.end());
    const Outcome outcome = saltus_command(folder, words);
    CAPTURE(outcome.err);
    CHECK(outcome.code == 2);
    CHECK(outcome.error_lines() == 1);
    CHECK(outcome.err.find(one.line) != std::string::npos);
  }
}

// `saltus study` as a user meets it: the report, its files, bad words, an interrupt.
#include <doctest/doctest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "command.h"

using namespace saltus_test;

namespace {

const std::string kBall = R"(saltus: 1
title: A ball
time: {end: 400 ms, step: 2 ms}
bodies:
  - name: ball
    kind: particles
    particles: {mass: [1 kg], positions: [[0, 0, 0.2 m]], gravity: [0, 0, -9.81]}
    scheme: moreau-jean
contacts:
  - {on: ball, against: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}, law: {kind: newton-impact, restitution: 0.5}}
outputs:
  - {probe: ball, name: height, at: 0, quantity: displacement, csv: height.csv}
)";

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a study writes a page, a table and an object, and says which run to take") {
  const Folder folder;
  folder.write("ball.yaml", kBall);
  const Outcome study =
      saltus_command(folder, {"study", "ball.yaml", "--schemes",
                              "moreau-jean,generalized-alpha-decoupled", "--tolerance", "0.05"});
  CHECK(study.code == 0);
  CHECK(study.err.empty());
  CHECK(holds(study.out, "A ball\n"));
  CHECK(holds(study.out, "verdict         Use "));
  CHECK(holds(study.out, "results/ball_study/study.html"));
  CHECK(folder.names() == std::vector<std::string>{"ball.yaml", "results"});  // and no height.csv
  for (const char* name : {"study.html", "study.csv", "study.json"})
    CHECK(folder.has(std::string("results/ball_study/") + name));
  CHECK_FALSE(folder.has("results/ball_study/study.csv.part"));
  CHECK(folder.read("results/ball_study/study.html").starts_with("<!doctype html>"));
  const std::string csv = folder.read("results/ball_study/study.csv");
  CHECK(std::count(csv.begin(), csv.end(), '\n') ==
        11);  // a line of names, two schemes, five steps
}

TEST_CASE("with --json a study prints one object, that of its file with the names of the files") {
  const Folder folder;
  folder.write("ball.yaml", kBall);
  const Outcome study = saltus_command(
      folder, {"study", "ball.yaml", "--schemes", "newmark,moreau-jean:theta=1", "--steps",
               "4 ms, 2 ms, 1 ms", "--until", "300 ms", "--json", "-o", "report"});
  REQUIRE(study.code == 0);
  auto told = nlohmann::json::parse(study.out);
  CHECK(told["files"].size() == 3);
  CHECK(told["steps"] == nlohmann::json({0.004, 0.002, 0.001}));
  CHECK(told["end"] == 0.3);
  CHECK(told["schemes"][1]["scheme"] == "moreau-jean theta=1");
  CHECK(told["schemes"][1]["theoretical_order"] == 1.0);
  CHECK(told["schemes"][0]["runs"].size() == 3);
  CHECK(told["schemes"][0]["runs"][0]["status"] == "ok");
  told.erase("files");
  CHECK(told == nlohmann::json::parse(folder.read("report/study.json")));
}

TEST_CASE("what cannot be studied ends with exit code 2, one line, and leaves nothing") {
  struct Words {
    std::vector<std::string> words;
    std::string says;
  };
  const Words table[] = {
      {{}, "scene is required"},
      {{"nope.yaml"}, "nope.yaml"},
      {{"ball.yaml", "--schemes", "newmrk"}, "did you mean `newmark`"},
      {{"ball.yaml", "--schemes", "newmark,,moreau-jean"}, "an entry is empty"},
      {{"ball.yaml", "--schemes", "modal-exact"}, "supports no body of the scene"},
      {{"ball.yaml", "--schemes", "moreau-jean:theta=2"}, "[0, 1]"},
      {{"ball.yaml", "--schemes", "moreau-jean:thta=1"}, "did you mean `theta`"},
      {{"ball.yaml", "--steps", "4 ms,3 ms"}, "does not divide the largest step"},
      {{"ball.yaml", "--steps", "4 kg"}, "--steps"},
      {{"ball.yaml", "--steps", "0"}, "must be > 0"},
      {{"ball.yaml", "--steps", "100 ms"}, "at least 8 times"},
      {{"ball.yaml", "--steps", "1 ms", "--levels", "3"}, "--levels"},
      {{"ball.yaml", "--levels", "0"}, "--levels"},
      {{"ball.yaml", "--tolerance", "-1"}, "must be > 0"},
      {{"ball.yaml", "--tolerance", "small"}, "--tolerance"},
      {{"ball.yaml", "--until", "5 ms"}, "at least 8 times"},
      {{"ball.yaml", "--probe", "hight"}, "did you mean `height`"},
      {{"ball.yaml", "-o", "ball.yaml"}, "cannot be created as a folder"},
      {{"ball.yaml", "-o", "ball.yaml/report"}, "cannot be created as a folder"},
      {{"ball.yaml", "--set", "reference.file=nope.csv"}, "nope.csv"},
      {{"ball.yaml", "--shemes", "newmark"}, "did you mean `--schemes`"},
  };
  for (const Words& row : table) {
    const Folder folder;
    folder.write("ball.yaml", kBall);
    std::vector<std::string> words{"study"};
    words.insert(words.end(), row.words.begin(), row.words.end());
    const Outcome outcome = saltus_command(folder, words);
    CAPTURE(row.says);
    CAPTURE(outcome.err);
    CHECK(outcome.code == 2);
    CHECK(outcome.error_lines() == 1);
    CHECK(holds(outcome.err, row.says));
    CHECK(folder.names() == std::vector<std::string>{"ball.yaml"});
  }
}

TEST_CASE("a report does not replace what the scene reads") {
  const Folder folder;
  folder.write("ball.yaml", kBall + "reference: {file: study.csv}\n");
  folder.write("study.csv", "t,height\n0,0\n0.1,0\n0.2,0\n0.3,0\n0.4,0\n");
  const Outcome outcome = saltus_command(folder, {"study", "ball.yaml", "-o", "."});
  CHECK(outcome.code == 2);
  CHECK(holds(outcome.err, "is the file of reference.file"));
  CHECK(folder.names() == std::vector<std::string>{"ball.yaml", "study.csv"});
}

TEST_CASE("a study that is interrupted leaves no file and no folder, and an old report as it was") {
  const Folder folder;
  folder.write("ball.yaml", kBall);
  REQUIRE(saltus_command(folder, {"study", "ball.yaml", "--schemes", "newmark", "-o", "old", "-q"})
              .code == 0);
  const std::string before = folder.read("old/study.csv");
  for (const char* output : {"old", "a/new"}) {
    Launch launch;
    launch.meanwhile = [](pid_t child) {
      if (catches(child, SIGINT)) ::kill(child, SIGINT);
    };
    const Outcome outcome = saltus_command(
        folder, {"study", "ball.yaml", "--set", "time.step=1 us", "-o", output}, launch);
    CHECK(outcome.code == 1);
    CHECK(holds(outcome.err, "interrupted; no file was written"));
  }
  CHECK(folder.names() == std::vector<std::string>{"ball.yaml", "old"});
  CHECK(folder.read("old/study.csv") == before);
  CHECK_FALSE(folder.has("old/study.csv.part"));
}

TEST_CASE("a study of which no run ends says so with exit code 1 and keeps the reasons") {
  const Folder folder;
  folder.write("ball.yaml",
               replaced(kBall, "newton-impact, restitution: 0.5", "signorini-position"));
  const Outcome outcome =
      saltus_command(folder, {"study", "ball.yaml", "--schemes", "newmark,moreau-jean", "--set",
                              "bodies[0].scheme=euler-explicit"});
  CHECK(outcome.code == 1);
  CHECK(holds(outcome.err, "no run of the study reached its end"));
  CHECK(holds(folder.read("results/ball_study/study.csv"), "gain 1"));
}

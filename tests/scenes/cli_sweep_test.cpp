// `saltus sweep`: a table with a row a run, whatever becomes of the runs.
#include <doctest/doctest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "command.h"

using namespace saltus_test;

namespace {

/// A mass that bounces on a stop while a spring pulls it there; an explicit scheme.
std::string bouncing_scene() {
  return R"(saltus: 1
title: Mass on a spring above a stop
time: {end: 1 s, step: 1 ms}
bodies:
  - name: mass
    kind: linear
    oscillator: {mass: 1 kg, stiffness: 400 N/m}
    direction: [0, 0, 1]
    scheme: central-difference
    initial: {coordinates: [0.01]}
contacts:
  - {on: mass, at: 0, against: {plane: {point: [0, 0, -0.004], normal: [0, 0, 1]}},
     law: {kind: newton-impact, restitution: 0.5}}
outputs:
  - {probe: mass, name: "height, \"z\"", at: 0, quantity: displacement, csv: height.csv}
)";
}

using Row = std::vector<std::string>;

/// Reads what RFC 4180 calls a file: quotes doubled, commas and line breaks in quotes.
std::vector<Row> parsed(const std::string& text) {
  std::vector<Row> rows(1, Row(1));
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      rows.back().back() += '"';
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && c == ',') {
      rows.back().emplace_back();
    } else if (!quoted && c == '\n') {
      rows.emplace_back(1);
    } else {
      rows.back().back() += c;
    }
  }
  CHECK_FALSE(quoted);
  REQUIRE(rows.back() == Row(1));  // the last line ends too
  rows.pop_back();
  return rows;
}

/// A table by names of columns.
struct Table {
  explicit Table(const std::string& text) : rows(parsed(text)) {
    for (std::size_t i = 0; i < rows[0].size(); ++i) {
      CHECK_MESSAGE(column.emplace(rows[0][i], i).second, rows[0][i]);
    }
    rows.erase(rows.begin());
    for (const Row& row : rows) REQUIRE(row.size() == column.size());
  }
  const std::string& cell(std::size_t row, const std::string& name) const {
    const auto found = column.find(name);
    REQUIRE_MESSAGE(found != column.end(), name);
    return rows.at(row)[found->second];
  }
  double number(std::size_t row, const std::string& name) const {
    return std::stod(cell(row, name));
  }
  std::vector<Row> rows;
  std::map<std::string, std::size_t> column;
};

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE(
    "200 runs of which 5 fail are 200 rows, 5 with a reason, the same bytes on 1 to 3 threads") {
  const Folder folder;
  folder.write("scene.yaml", bouncing_scene());
  // two springs are refused, three are too stiff for the numbers of the machine
  const std::string springs =
      "bodies[0].oscillator.stiffness=2:390:2 N/m,-1 N/m,-5e3 N/m,1e300 N/m,2e300 N/m,3e300 N/m";
  std::string first;
  for (const char* threads : {"1", "2", "3"}) {
    const Outcome outcome = saltus_command(
        folder, {"sweep", "scene.yaml", "--set", springs, "-j", threads, "-o", "t.csv", "--json"});
    CAPTURE(outcome.err);
    REQUIRE(outcome.code == 0);
    CHECK(holds(outcome.err, "5 of 200 runs did not reach their end (3 failed, 2 invalid)"));
    const auto json = nlohmann::json::parse(outcome.out);
    CHECK(json["complete"] == true);
    CHECK(json["runs"] == 200);
    CHECK(json["ok"] == 195);
    CHECK(json["failed"] == 3);
    CHECK(json["invalid"] == 2);
    CHECK(json["threads"] == std::stoi(threads));
    CHECK(json["files"] == std::vector<std::string>{"t.csv"});
    REQUIRE(json["failures"].size() == 5);
    CHECK(json["failures"][0]["run"] == 195);
    CHECK(json["failures"][0]["status"] == "invalid");
    CHECK(json["failures"][2]["set"] ==
          std::vector<std::string>{"bodies[0].oscillator.stiffness=1e300 N/m"});
    const std::string text = folder.read("t.csv");
    if (first.empty()) first = text;
    CHECK(text == first);
  }
  CHECK(folder.names() == std::vector<std::string>{"scene.yaml", "t.csv"});  // no results, no sound

  const Table table(first);
  REQUIRE(table.rows.size() == 200);
  for (std::size_t run = 0; run < 200; ++run) {
    CAPTURE(run);
    CHECK(table.cell(run, "run") == std::to_string(run));
    const std::string& status = table.cell(run, "status");
    CHECK(status == (run < 195 ? "ok" : run < 197 ? "invalid" : "failed"));
    CHECK(table.cell(run, "reason").empty() == (run < 195));
    if (run >= 195) continue;
    const double k = 2.0 + 2.0 * static_cast<double>(run);
    CHECK(table.number(run, "bodies[0].oscillator.stiffness [N/m]") == k);
    CHECK(table.number(run, "potential_start [J]") == doctest::Approx(0.5e-4 * k).epsilon(1e-2));
    CHECK(table.cell(run, "steps") == "1000");
    CHECK(table.number(run, "residual") <= 1e-12);
    CHECK(std::abs(table.number(run, "ledger.unexplained [J]")) <= 1e-14);
    CHECK(table.number(run, "probe.height, \"z\".max [m]") >= 0.01);
  }
  CHECK(holds(table.cell(195, "reason"),
              "--set bodies[0].oscillator.stiffness=-1 N/m: bodies[0].oscillator.stiffness: "));
  CHECK(table.cell(195, "steps").empty());
  CHECK(holds(table.cell(199, "reason"), "the motion of 'mass' is no longer finite"));
  CHECK(table.number(199, "steps") < 1000);
}

TEST_CASE("a row holds the very numbers of `saltus run` with the same values") {
  const Folder folder;
  folder.write("scene.yaml", bouncing_scene());
  REQUIRE(saltus_command(
              folder, {"sweep", "scene.yaml", "-q", "--set", "contacts[0].law.restitution=0.2,0.7",
                       "--set", "time.step=1 ms,0.5 ms"})
              .code == 0);
  const Table table(folder.read("scene_sweep.csv"));
  REQUIRE(table.rows.size() == 4);
  // number, paths, words, numbers that all runs have, accounts, the probe
  CHECK(table.column.size() == 1 + 2 + 3 + 15 + 3 + 4);
  CHECK(table.cell(2, "contacts[0].law.restitution") == "0.7");
  CHECK(table.cell(2, "time.step [ms]") == "1");
  const Outcome run =
      saltus_command(folder, {"run", "scene.yaml", "--json", "--set",
                              "contacts[0].law.restitution=0.7", "--set", "time.step=0.5 ms"});
  REQUIRE(run.code == 0);
  const auto json = nlohmann::json::parse(run.out);
  CHECK(table.cell(3, "steps") == "2000");
  CHECK(table.number(3, "kinetic_end [J]") == json["energy"]["kinetic"].get<double>());
  CHECK(table.number(3, "potential_end [J]") == json["energy"]["potential"].get<double>());
  CHECK(table.number(3, "penetration [m]") == json["penetration"]["value"].get<double>());
  CHECK(table.number(3, "residual") == json["residual"]["value"].get<double>());
  CHECK(table.number(3, "residual_after") == json["residual_after"]["value"].get<double>());
  CHECK(table.number(3, "contact_steps") == json["contacts"]["steps"].get<double>());
  for (const auto& [account, work] : json["ledger"].items())
    CHECK(table.number(3, "ledger." + account + " [J]") == work.get<double>());
  const std::vector<Row> samples = parsed(folder.read("height.csv"));
  double min = 1.0, max = -1.0, squares = 0.0;
  for (std::size_t i = 1; i < samples.size(); ++i) {
    const double x = std::stod(samples[i][1]);
    min = std::min(min, x);
    max = std::max(max, x);
    squares += x * x;
  }
  const std::string probe = "probe.height, \"z\".";
  CHECK(table.number(3, probe + "last [m]") == std::stod(samples.back()[1]));
  CHECK(table.number(3, probe + "min [m]") == min);
  CHECK(table.number(3, probe + "max [m]") == max);
  CHECK(table.number(3, probe + "rms [m]") == std::sqrt(squares / 2001.0));
}

TEST_CASE("contacts that a solver may not finish fail their row with the remedy, others go on") {
  const Folder folder;
  folder.write("scene.yaml", small_scene());
  const Outcome outcome = saltus_command(
      folder, {"sweep", "scene.yaml", "--set",
               "solver={kind: gauss-seidel, iterations: 1, tolerance: 1e-15},{kind: auto}", "--set",
               "contacts[0].against.frets=[[0.3 m, -0.5 mm], [0.4 m, -0.5 mm]]", "--set",
               "on_failure=stop,accept"});
  CAPTURE(outcome.err);
  REQUIRE(outcome.code == 0);
  CHECK(holds(outcome.out, "4: 3 ok, 1 failed, 0 invalid"));
  CHECK(holds(outcome.out, "run 0: step "));
  CHECK(holds(outcome.out, "scene_sweep.csv"));
  const Table table(folder.read("scene_sweep.csv"));
  REQUIRE(table.rows.size() == 4);
  CHECK(table.cell(0, "solver") == "{kind: gauss-seidel, iterations: 1, tolerance: 1e-15}");
  CHECK(table.cell(0, "status") == "failed");
  CHECK(holds(table.cell(0, "reason"), "the contacts of 'string' were not solved: residual"));
  CHECK(holds(table.cell(0, "reason"), "on_failure: accept"));
  CHECK(table.cell(1, "status") == "ok");
  CHECK(table.number(1, "failed_steps") > 0);
  CHECK(holds(table.cell(1, "warnings"), "were accepted although not solved"));
  CHECK(table.cell(2, "status") == "ok");
  CHECK(table.number(3, "failed_steps") == 0);
  CHECK(table.cell(2, "warnings").empty());
}

TEST_CASE("draws with a seed come again, another seed draws others, a longer table begins alike") {
  const Folder folder;
  folder.write("scene.yaml", bouncing_scene());
  const auto draw = [&](const char* n, const char* seed) {
    const Outcome outcome = saltus_command(
        folder, {"sweep", "scene.yaml", "-q", "--set", "bodies[0].oscillator.mass=0.5..2 kg",
                 "--random", n, "--seed", seed, "-o", "d.csv"});
    CHECK(outcome.code == 0);
    CHECK(outcome.err.empty());
    CHECK(outcome.out.empty());
    return folder.read("d.csv");
  };
  const std::string table = draw("10", "1");
  CHECK(draw("10", "1") == table);
  CHECK(draw("10", "2") != table);
  CHECK(draw("20", "1").starts_with(table));
}

TEST_CASE("faults of a sweep are one line with exit code 2, and nothing is written") {
  struct Words {
    std::vector<std::string> words;
    std::string says;
  };
  const Words table[] = {
      {{"scene.yaml"}, "--set is required"},
      {{"nope.yaml", "--set", "a=1"}, "nope.yaml"},
      {{"bad.yaml", "--set", "time.end=1,2"}, "bad.yaml:3:1: YAML syntax"},
      {{"scene.yaml", "--set", "tme.end=1,2"}, "--set tme.end=1: unknown key `tme`; did you mean"},
      {{"scene.yaml", "--set", "bodies[0].oscillator.mas=1,2"}, "did you mean `mass`"},
      {{"scene.yaml", "--set", "bodies[3].scheme=newmark"}, "the list has 1 entries"},
      {{"scene.yaml", "--set", "bodies[0.scheme=newmark"}, "`]` is missing"},
      {{"scene.yaml", "--set", "time.end"}, "path=values"},
      {{"scene.yaml", "--set", "time.end=1:2:0"}, "is 0"},
      {{"scene.yaml", "--set", "time.end=1..2"}, "--random N"},
      {{"scene.yaml", "--set", "time.end=1", "--random", "3"}, "no value is random"},
      {{"scene.yaml", "--set", "time.end=1", "--seed", "3"}, "--seed: no value is random"},
      {{"scene.yaml", "--set", "time.end=1", "--random", "-3"}, "--random"},
      {{"scene.yaml", "--set", "time.end=1", "-j", "0"}, "--jobs"},
      {{"scene.yaml", "--set", "time.end=1", "-j", "two"}, "--jobs"},
      {{"scene.yaml", "--set", "time.end=1", "-o", "scene.yaml"}, "is the scene itself"},
      {{"scene.yaml", "--set", "time.end=1", "-o", "no/t.csv"}, "create the folder first"},
      {{"scene.yaml", "--set", "time.end=1", "-o", ""}, "must not be empty"},
      {{"scene.yaml", "--set", "time.end=1", "--tims"}, "did you mean `--times`"},
  };
  const Folder folder;
  folder.write("scene.yaml", bouncing_scene());
  folder.write("bad.yaml", "saltus: 1\nbodies: [\n");
  for (const Words& row : table) {
    std::vector<std::string> words{"sweep"};
    words.insert(words.end(), row.words.begin(), row.words.end());
    const Outcome outcome = saltus_command(folder, words);
    CAPTURE(row.says);
    CAPTURE(outcome.err);
    CHECK(outcome.code == 2);
    CHECK(outcome.out.empty());
    CHECK(outcome.error_lines() == 1);
    CHECK(outcome.err.starts_with("saltus: "));
    CHECK(holds(outcome.err, row.says));
    CHECK(folder.names() == std::vector<std::string>{"bad.yaml", "scene.yaml"});
  }
}

TEST_CASE("Ctrl-C ends a sweep with the rows that are done in the .part, and says how many") {
  const Folder folder;
  folder.write("scene.yaml", bouncing_scene());
  Launch launch;
  launch.meanwhile = [&](pid_t child) {
    for (int i = 0; i < 500 && !folder.has("t.csv.part"); ++i) ::usleep(10'000);
    ::usleep(300'000);  // runs of about a millisecond each
    ::kill(child, SIGINT);
  };
  const Outcome outcome = saltus_command(
      folder,
      {"sweep", "scene.yaml", "--set", "bodies[0].oscillator.mass=1:1000:0.01", "-o", "t.csv"},
      launch);
  CAPTURE(outcome.err);
  CHECK(outcome.code == 1);
  CHECK(outcome.out.empty());
  CHECK(folder.names() == std::vector<std::string>{"scene.yaml", "t.csv.part"});
  const Table table(folder.read("t.csv.part"));
  CHECK(!table.rows.empty());
  CHECK(table.rows.size() < 99'901);
  CHECK(holds(outcome.err, "interrupted after " + std::to_string(table.rows.size()) +
                               " of 99901 runs; t.csv.part contains their rows"));
  for (std::size_t row = 0; row < table.rows.size(); ++row)
    CHECK(table.cell(row, "steps") == "1000");
}

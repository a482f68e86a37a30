// Event-driven integration as a user meets it: keys of scenes, what is refused and how, the table of events, reports, comparisons, and a
// run that is taken up again.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "command.h"
#include "saltus/results/results_reader.h"

using namespace saltus;
using namespace saltus_test;

namespace {

/// A ball of restitution 0.8 that falls from 1 m; `more` goes to the top level.
std::string falling_ball(const std::string& time = "end: 3 s, step: 10 ms, mode: events",
                         const std::string& law = "{kind: newton-impact, restitution: 0.8}",
                         const std::string& more = "") {
  return "saltus: 1\ntime: {" + time + "}\n" + more +
         "bodies:\n"
         "  - {name: ball, kind: particles, particles: {mass: [1 kg], positions: [[0, 0, 1]], "
         "gravity: [0, 0, -9.81]}}\n"
         "contacts:\n"
         "  - {on: ball, against: {plane: {}}, law: " +
         law + "}\n";
}

bool shows(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string example(const char* name) {
  return (std::filesystem::path(SALTUS_EXAMPLES) / name).string();
}

/// A ball on a plate that is told how to move for half a second.
std::string on_a_support(const std::string& motion) {
  return "saltus: 1\ntime: {end: 0.5 s, step: 5 ms, mode: events}\ngravity: [0, 0, -10]\nbodies:\n"
         "  - {name: plate, kind: rigid, rigid: {shape: {box: {size: [1, 1, 0.1]}}, position: [0, "
         "0, "
         "-0.05], motion: {" +
         motion +
         "}}}\n  - {name: ball, kind: rigid, rigid: {shape: {sphere: {radius: 0.1}}, mass: 1 kg, "
         "position: [0, 0, 0.1]}}\nsurfaces:\n  - {law: {kind: newton-impact}}\n";
}

/// A spring between two masses of which the first is told how to move.
std::string dragged(const std::string& time, const std::string& motion) {
  return "saltus: 1\ntime: {" + time +
         "}\nbodies:\n  - {name: pair, kind: linear, chain: {masses: 2, mass: 1 kg, stiffness: 1 "
         "N/m, "
         "ends: free-free}, prescribed: [{dof: 0, " +
         motion + "}]}\n";
}

}  // namespace

TEST_CASE(
    "what event-driven integration does not support is refused in one line that names it and its "
    "place") {
  struct Row {
    std::string scene, place, says, remedy;
  };
  const std::string known = "newton-impact, poisson-impact, compliant, relay, equality";
  const std::string events = "end: 1 s, step: 1 ms, mode: events";
  const auto law = [&](const char* text) { return falling_ball(events, text); };
  const Row rows[] = {
      {law("signorini-position"), "contacts[0].law", "signorini-position", known},
      {law("{kind: schatzman-paoli, restitution: 0.5}"), "contacts[0].law", "schatzman-paoli",
       known},
      {law("stewart-trinkle"), "contacts[0].law", "stewart-trinkle", known},
      {law("fremond"), "contacts[0].law", "fremond", known},
      {falling_ball("end: 1 s, step: 1 ms", "newton-impact", "events: {zeno: 1e-6}\n"), "events",
       "event-driven integration only", "time.mode: events"},
      {falling_ball("end: 1 s, step: 1 ms, mode: bounces"), "time.mode", "'bounces'",
       "stepping, events"},
      {falling_ball(events + ", tolerance: 0"), "time.tolerance", "out of range", "(0, 0.1]"},
      {falling_ball(events + ", tolerance: 0.2"), "time.tolerance", "out of range", "(0, 0.1]"},
      {falling_ball(events, "newton-impact", "events: {zeno: -1 mm}\n"), "events.zeno",
       "out of range", ">= 0"},
      {falling_ball(events, "newton-impact", "events: {limit: 0}\n"), "events.limit",
       "out of range", ">= 1"},
      {falling_ball(events, "newton-impact", "events: {closed: -1}\n"), "events.closed",
       "out of range", ">= 0"},
      {falling_ball(events, "newton-impact", "events: {method: rk4}\n"), "events.method", "'rk4'",
       "dormand-prince-8"},
      {falling_ball(events, "newton-impact", "events: {impacts: at once}\n"), "events.impacts",
       "'at once'", "simultaneous, sequential, energetic"},
      {falling_ball(events, "newton-impact", "contact: {correct_positions: true}\n"),
       "contact.correct_positions", "in event-driven integration", "leave it out"},
      {"saltus: 1\ntime: {" + events +
           "}\nbodies:\n  - {name: net, kind: particles, particles: {mass: [1], positions: "
           "[[1, 0, 0]]}}\njoints:\n  - {kind: distance, between: [world, net], at: [0, 0, 0], "
           "second: {at: 0}, strength: 3 N}\n",
       "joints[0].strength", "joints that break", "time.mode: stepping"},
      {dragged(events, "table: [[0, 0], [0.2, 0], [0.3, 0.1]]"), "bodies[0].prescribed[0].table",
       "jumps at t = 0.2 s", "time.mode: stepping"},
      {dragged(events, "table: [[0, 0], [0.3, 0.1], [0.4, 0.15]], smooth: true"),
       "bodies[0].prescribed[0].table", "jumps at t = 0.4 s", "smooth: true"},
  };
  for (const Row& row : rows) {
    const Folder folder;
    folder.write("scene.yaml", row.scene);
    const Outcome outcome = saltus_command(folder, {"check", "scene.yaml"});
    CAPTURE(row.scene);
    CAPTURE(outcome.err);
    CHECK(outcome.code == 2);
    CHECK(outcome.error_lines() == 1);
    CHECK(shows(outcome.err, "scene.yaml:"));
    CHECK(shows(outcome.err, row.place + ":"));
    CHECK(shows(outcome.err, row.says));
    CHECK(shows(outcome.err, row.remedy));
  }
}

TEST_CASE(
    "supports that are told how to move, with corners or without, are known to event-driven "
    "integration") {
  for (const char* motion : {"z: {table: [[0, 0], [1, 0.1]]}", "z: {rate: 0.1}",
                             "z: {table: [[0, 0], [0.2, 0], [0.3, 0.1]]}",
                             "z: {table: [[0, 0], [0.3, 0.1], [0.4, 0.15]], smooth: true}",
                             "z: {table: [[0, 0], [0.3, 0.1], [0.6, 0.15]], smooth: true}"}) {
    CAPTURE(motion);
    const Folder folder;
    folder.write("scene.yaml", on_a_support(motion));
    CHECK(saltus_command(folder, {"check", "scene.yaml"}).code == 0);
  }
}

TEST_CASE("shapes that roll, spin or stick together are refused by their key") {
  for (const char* key : {"rolling: 1 mm", "spinning: 1 mm", "cohesion: 1 N"}) {
    const Folder folder;
    const std::string name = std::string(key).substr(0, std::string(key).find(':'));
    folder.write("scene.yaml",
                 "saltus: 1\ntime: {end: 1 s, step: 1 ms, mode: events}\nbodies:\n"
                 "  - {name: floor, kind: rigid, rigid: {shape: {plane: {}}, fixed: true}}\n"
                 "  - {name: ball, kind: rigid, rigid: {shape: {sphere: {radius: 0.1}}, mass: 1, "
                 "position: [0, 0, 1]}}\n"
                 "surfaces: [{law: {kind: newton-impact, friction: 0.3, " +
                     std::string(key) + "}}]\n");
    const Outcome outcome = saltus_command(folder, {"check", "scene.yaml"});
    CAPTURE(outcome.err);
    CHECK(outcome.code == 2);
    CHECK(outcome.error_lines() == 1);
    CHECK(shows(outcome.err, "surfaces[0].law." + name + ":"));
    CHECK(shows(outcome.err, "event-driven integration does not support"));
  }
}

TEST_CASE("the impacts of a bouncing ball and the end of its bounces are where algebra has them") {
  const Folder folder;
  const Outcome run = saltus_command(
      folder, {"run", example("bouncing_ball_events.yaml"), "-o", "ball.h5", "--json"});
  CAPTURE(run.err);
  REQUIRE(run.code == 0);
  const ResultsReader results(folder / "ball.h5");
  const std::vector<Event> events = results.events();
  const double e = 0.8, g = 9.81, t1 = std::sqrt(2.0 / g), v1 = std::sqrt(2.0 * g);
  REQUIRE(events.size() > 20);
  double t = t1, v = v1;
  for (std::size_t k = 0; k + 1 < events.size(); ++k) {
    CAPTURE(k);
    CHECK(events[k].kind == Event::Kind::impact);
    CHECK(std::abs(events[k].t - t) <= 1e-12);
    CHECK(std::abs(events[k].speed + v) <= 1e-11 * v1);
    CHECK(std::abs(events[k].impulse[0] - (1.0 + e) * v) <= 1e-11 * v1);
    CHECK(std::abs(events[k].energy + 0.5 * (1.0 - e * e) * v * v) <= 1e-11 * v1 * v1);
    v *= e;
    t += 2.0 * v / g;
  }
  CHECK(events.back().kind == Event::Kind::rest);
  CHECK(std::abs(events.back().t - t1 * (1.0 + e) / (1.0 - e)) <= 1e-9);

  const auto json = nlohmann::json::parse(run.out);
  CHECK(json["events"]["impact"] == events.size() - 1);
  CHECK(json["events"]["rest"] == 1);
  CHECK(json["evaluations"].get<int>() > 0);
  const std::vector<double> count = results.step("events"), steps = results.step("steps");
  double all = 0.0;
  for (const double n : count) all += n;
  CHECK(all == static_cast<double>(events.size()));
  CHECK(steps.front() == 0.0);
  const Outcome info = saltus_command(folder, {"info", "ball.h5"});
  CHECK(shows(info.out, "events        " + std::to_string(events.size()) + ": " +
                            std::to_string(events.size() - 1) + " impact, 1 rest\n"));
  CHECK(shows(info.out, "evaluations of the forces"));

  REQUIRE(saltus_command(folder, {"convert", "ball.h5", "--to", "csv"}).code == 0);
  const std::string table = folder.read("ball.events.csv");
  CHECK(shows(table,
              "time [s],kind,key,speed [m/s],normal [N s],tangent 1 [N s],tangent 2 [N s],"
              "energy [J]\n"));
  CHECK(shows(table, ",impact,"));
  CHECK(shows(table, ",rest,"));
  CHECK(std::ranges::count(table, '\n') == static_cast<std::ptrdiff_t>(events.size()) + 1);
}

TEST_CASE("a mass leaves a shaking table and meets it again at the instants of the closed form") {
  const Folder folder;
  const Outcome run = saltus_command(folder, {"run", example("vibrating_table.yaml"), "-q", "-o",
                                              "table.h5", "--set", "time.end=0.4"});
  CAPTURE(run.err);
  REQUIRE(run.code == 0);
  const std::vector<Event> events = ResultsReader(folder / "table.h5").events();
  REQUIRE(events.size() >= 3);
  CHECK(events[0].kind == Event::Kind::closes);  // it lies on the table from the start
  CHECK(events[0].t == 0.0);
  CHECK(events[1].kind == Event::Kind::opens);
  CHECK(std::abs(events[1].t - 0.030076610335186248) <= 1e-9);
  CHECK(events[2].kind == Event::Kind::impact);
  CHECK(std::abs(events[2].t - 0.37084599500658274) <= 1e-8);
  CHECK(std::abs(events[2].speed + 3.1202461503302127) <= 1e-7);
}

TEST_CASE(
    "a run of event-driven integration goes on to a later end, and files are compared by their "
    "events") {
  const Folder folder;
  const std::string results = "results: {frames: 0}\n";
  folder.write("scene.yaml", falling_ball("end: 3 s, step: 10 ms, mode: events",
                                          "{kind: newton-impact, restitution: 0.8}", results));
  REQUIRE(saltus_command(folder, {"run", "scene.yaml", "-q", "-o", "a.h5", "--until", "2"}).code ==
          0);
  const Outcome resumed = saltus_command(folder, {"run", "scene.yaml", "-o", "a.h5", "--resume"});
  CAPTURE(resumed.err);
  REQUIRE(resumed.code == 0);
  REQUIRE(saltus_command(folder, {"run", "scene.yaml", "-q", "-o", "b.h5"}).code == 0);
  const std::vector<Event> a = ResultsReader(folder / "a.h5").events(),
                           b = ResultsReader(folder / "b.h5").events();
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) CHECK(std::abs(a[i].t - b[i].t) <= 1e-12);
  const Outcome same = saltus_command(folder, {"compare", "b.h5", "b.h5"});
  CHECK(same.code == 0);
  REQUIRE(saltus_command(folder, {"run", "scene.yaml", "-q", "-o", "c.h5", "--set",
                                  "contacts[0].law.restitution=0.8000001"})
              .code == 0);
  const Outcome differ =
      saltus_command(folder, {"compare", "b.h5", "c.h5", "--tolerance", "1e-12"});
  CHECK(differ.code == 3);
  CHECK(shows(differ.out, "events/time"));
}

TEST_CASE(
    "files of fixed steps hold nothing of events, those of chosen steps their columns alone") {
  const Folder folder;
  folder.write("scene.yaml", falling_ball("end: 50 ms, step: 10 ms"));
  REQUIRE(saltus_command(folder, {"run", "scene.yaml", "-q", "-o", "fixed.h5"}).code == 0);
  const ResultsReader fixed(folder / "fixed.h5");
  CHECK(!fixed.has_events());
  CHECK(fixed.events().empty());
  CHECK(std::ranges::count(fixed.step_names(), "rejected") == 0);
  CHECK(!shows(fixed.resolved(), "\"lane\""));
  REQUIRE(saltus_command(folder, {"run", "scene.yaml", "-q", "-o", "chosen.h5", "--set",
                                  "time.tolerance=1e-6"})
              .code == 0);
  const ResultsReader chosen(folder / "chosen.h5");
  CHECK(!chosen.has_events());
  CHECK(std::ranges::count(chosen.step_names(), "rejected") == 1);
  CHECK(shows(saltus_command(folder, {"info", "chosen.h5"}).out, "integrator "));
}

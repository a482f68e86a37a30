// A scene with a fault: exit code 2, one line that points at it and says what is allowed, and no file left behind.
#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "command.h"

using namespace saltus_test;

namespace {

struct BadScene {
  std::string name;
  const char* from;    ///< text of the small scene
  const char* to;      ///< what stands there instead; ^ marks the place that the message must name
  const char* says;    ///< part of the message
  const char* remedy;  ///< another part: what is allowed
};

const BadScene kBadScenes[] = {
    {"unknown key", "modes: 20", "^mdes: 20", "mdes", "did you mean `modes`"},
    {"duplicate key", "      modes: 20\n", "      modes: 20\n      ^modes: 30\n", "modes", "first"},
    {"boolean for a number", "tension: 70 N", "tension: ^no", "'no'", "number in N"},
    {"wrong unit", "tension: 70 N", "tension: ^70 kg", "kg", "N"},
    {"negative damping", "0.8 1/s", "^-0.8 1/s", "out of range", ">= 0"},
    {"no modes", "modes: 20", "modes: ^0", "out of range", ">= 1"},
    {"step of zero", "rate: 40 kHz", "step: ^0", "out of range", "> 0"},
    {"negative step", "rate: 40 kHz", "step: ^-1 ms", "out of range", "> 0"},
    {"end not finite", "end: 50 ms", "end: ^.inf", "inf", "number"},
    {"too many steps", "end: 50 ms", "end: 1e15", "steps", "a shorter run or a larger step"},
    {"unknown scheme", "modal-exact", "^modal-exakt", "modal-exakt", "did you mean `modal-exact`"},
    {"unknown law", "signorini-position", "^signorini", "signorini", "signorini-position"},
    {"unknown body", "on: string", "on: ^strang", "strang", "did you mean `string`"},
    {"obstacle through the string", "-0.5 mm]]", "2 mm]]", "inside 'string'", "lower the obstacle"},
    {"obstacle beside the string", "0.4 m, -0.5", "0.8 m, -0.5", "not on ", "0.7"},
    {"probe beside the string", "at: 0.5 m", "at: ^0.9 m", "not on ", "0.7"},
    {"sound without samples", "outputs:", "results: {every_step: false}\noutputs:", "every_step",
     "every_step: true"},
    {"sound of no rate", "rate: 40 kHz", "rate: 40.0001 kHz", "outputs[0].wav", "rate"},
    {"broken YAML", "[[0.4 m, -0.5 mm]]", "[[0.4 m, -0.5 mm]", "", ""},
};

/// A mass on a spring, a ball and a pendulum; faults of the other kinds of bodies are put into it.
const char* kMechanics = R"(saltus: 1
time: {end: 50 ms, step: 1 ms}
bodies:
  - name: mass
    kind: linear
    matrices: {mass: [[2, 0.5], [0.5, 1]], stiffness: [[300, -100], [-100, 150]]}
    scheme: newmark
    loads: [{dof: 0, constant: 3 N}]
  - {name: ball, kind: particles, particles: {mass: [1], positions: [[0, 0, 0.5]]}}
  - {name: arm, kind: lagrangian, pendulum: {length: 1 m}}
contacts:
  - {on: ball, at: 0, against: {plane: {normal: [0, 0, 1]}}, law: newton-impact}
outputs:
  - {probe: arm, at: 0}
)";

const BadScene kBadMechanics[] = {
    {"mass not positive definite", "mass: [[2, 0.5], [0.5, 1]]", "^mass: [[2, 0.5], [0.5, 0.1]]",
     "row 1", "positive definite"},
    {"sizes that disagree", "stiffness: [[300, -100], [-100, 150]]", "^stiffness: [1, 2, 3]",
     "3 x 3", "2 x 2"},
    {"stiffness without potential", "[[300, -100], [-100, 150]]}\n    scheme: newmark",
     "[[300, -100], [0, 150]]}\n    scheme: ^discrete-gradient", "not symmetric",
     "allowed here: moreau-jean"},
    {"scheme of another kind", "scheme: newmark", "scheme: ^modal-exact", "needs modal",
     "allowed here: moreau-jean"},
    {"gamma below one half", "scheme: newmark", "scheme: {kind: newmark, gamma: ^0.4}",
     "out of range", "[0.5, 1]"},
    {"load on what is not there", "dof: 0, constant", "dof: ^2, constant", "out of range",
     "allowed: 0 to 1"},
    {"too many initial values", "scheme: newmark", "initial: {^coordinates: [1, 2, 3]}",
     "3 entries for 2 degrees of freedom", "missing ones at the end are 0"},
    {"contact on what is not there", "at: 0, against", "at: ^1, against", "no particle 1",
     "allowed: 0"},
    {"contact on prescribed motion", "[[0, 0, 0.5]]}}",
     "[[0, 0, 0.5]]}, prescribed: [{dof: 2, constant: 0.5}]}", "no contact can move it",
     "out of `prescribed`"},
    {"tolerance without estimate", "scheme: newmark",
     "scheme: {kind: runge-kutta, tolerance: ^1e-6}", "dormand-prince", "leave it out"},
    {"form that a scheme does not have", "scheme: newmark",
     "scheme: {kind: central-difference, compat: ^seed}", "no form 'seed'", "none, sofa"},
    {"steps of the explicit form", "scheme: newmark",
     "scheme: {kind: variational-symplectic, steps: ^3}", "form: implicit", "does not iterate"},
    {"entry of another kind", "pendulum: {length: 1 m}",
     "^particles: {mass: [1], positions: [[0, 0, 0]]}", "is for kind particles",
     "kind lagrangian has pendulum"},
};

/// ":line:column:" of the mark, which is taken out of the text; "" without a mark.
std::string take_mark(std::string& text) {
  const std::size_t at = text.find('^');
  if (at == std::string::npos) return "";
  text.erase(at, 1);
  const auto line = std::count(text.begin(), text.begin() + static_cast<long>(at), '\n') + 1;
  const std::size_t start = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
  const std::size_t column = start == std::string::npos ? at + 1 : at - start;
  return ":" + std::to_string(line) + ":" + std::to_string(column) + ":";
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

void expect_refusal(const BadScene& bad, const std::string& whole) {
  CAPTURE(bad.name);
  const Folder folder;
  std::string text = replaced(whole, bad.from, bad.to);
  const std::string place = take_mark(text);
  folder.write("scene.yaml", text);
  for (const std::string verb : {"run", "check"}) {
    CAPTURE(verb);
    const Outcome outcome = saltus_command(folder, {verb, "scene.yaml"});
    CAPTURE(outcome.err);
    CHECK(outcome.code == 2);
    CHECK(outcome.out.empty());
    CHECK(outcome.error_lines() == 1);
    CHECK(holds(outcome.err, "saltus: scene.yaml:" + (place.empty() ? "" : place.substr(1))));
    CHECK(outcome.err.find_first_of("0123456789") ==
          std::string("saltus: scene.yaml:").size());  // a line number
    CHECK(holds(outcome.err, bad.says));
    CHECK(holds(outcome.err, bad.remedy));
    CHECK(folder.names() == std::vector<std::string>{"scene.yaml"});
  }
}

}  // namespace

TEST_CASE("a faulty scene ends with exit code 2, one line that names the place, and no file") {
  for (const BadScene& bad : kBadScenes) expect_refusal(bad, small_scene());
}

TEST_CASE("so does a faulty scene of masses, balls and mechanisms") {
  for (const BadScene& bad : kBadMechanics) expect_refusal(bad, kMechanics);
}

TEST_CASE("a faulty data file is named with line and column") {
  struct BadTable {
    std::string name;
    const char* text;
    const char* place;
  };
  const BadTable kTables[] = {
      {"NaN", "x,h\n0.4,-0.001\n0.5,nan\n", "neck.csv:3:5:"},
      {"infinity", "0.4,-0.001\n0.5,inf\n", "neck.csv:2:5:"},
      {"ragged", "0.4,-0.001\n0.5,-0.001,3\n", "neck.csv:2:"},
      {"text", "0.4,-0.001\n0.5,low\n", "neck.csv:2:5:"},
      {"empty", "", "neck.csv:"},
      {"too few columns", "0.4\n0.5\n", "neck.csv"},
  };
  for (const BadTable& bad : kTables) {
    CAPTURE(bad.name);
    const Folder folder;
    folder.write("scene.yaml",
                 replaced(small_scene(), "{frets: [[0.4 m, -0.5 mm]]}", "{file: neck.csv}"));
    folder.write("neck.csv", bad.text);
    const Outcome outcome = saltus_command(folder, {"run", "scene.yaml"});
    CAPTURE(outcome.err);
    CHECK(outcome.code == 2);
    CHECK(outcome.error_lines() == 1);
    CHECK(holds(outcome.err, bad.place));
    CHECK(folder.names() == std::vector<std::string>{"neck.csv", "scene.yaml"});
  }
}

TEST_CASE("a data file that is not there is named at the entry that asks for it") {
  const Folder folder;
  folder.write("scene.yaml",
               replaced(small_scene(), "{frets: [[0.4 m, -0.5 mm]]}", "{file: neck.csv}"));
  const Outcome outcome = saltus_command(folder, {"run", "scene.yaml"});
  CAPTURE(outcome.err);
  CHECK(outcome.code == 2);
  CHECK(outcome.error_lines() == 1);
  CHECK(holds(outcome.err, "neck.csv"));
  CHECK(folder.names() == std::vector<std::string>{"scene.yaml"});
}

TEST_CASE("a fault in --set is named as such") {
  const Folder folder;
  folder.write("scene.yaml", small_scene());
  const Outcome outcome =
      saltus_command(folder, {"run", "scene.yaml", "--set", "bodies[0].string.modes=-3"});
  CAPTURE(outcome.err);
  CHECK(outcome.code == 2);
  CHECK(outcome.error_lines() == 1);
  CHECK(holds(outcome.err, "--set bodies[0].string.modes=-3"));
  CHECK(folder.names() == std::vector<std::string>{"scene.yaml"});
}

TEST_CASE("check and run list all faults of a scene, a line each in the order of the file") {
  const Folder folder;
  folder.write("scene.yaml", R"(saltus: 1
time: {end: 50 kg, step: 1 ms}
bodies:
  - {name: mass, kind: linear, oscillator: {mass: -1, stiffness: 4}}
  - {name: string, kind: modal, modes: {file: nowhere.csv}}
  - {name: ball, kind: particles, particles: {mass: [1], positions: [[0, 0, 1]], colour: 2}}
  - {name: free, kind: particles, particles: {mass: [1], positions: [[0, 0, 1]]}}
contacts:
  - {on: fre, at: 0, against: {plane: {normal: [0, 0, 1]}}, law: newton-impact}
)");
  for (const std::string verb : {"check", "run"}) {
    const Outcome outcome = saltus_command(folder, {verb, "scene.yaml"});
    CAPTURE(outcome.err);
    CHECK(outcome.code == 2);
    CHECK(outcome.out.empty());
    CHECK(outcome.error_lines() == 5);
    std::size_t at = 0;
    for (const char* place :
         {"saltus: scene.yaml:2:", "saltus: scene.yaml:4:", "saltus: scene.yaml:5:",
          "saltus: scene.yaml:6:", "saltus: scene.yaml:9:"}) {
      CAPTURE(place);
      const std::size_t found = outcome.err.find(place, at);
      CHECK(found != std::string::npos);
      at = found == std::string::npos ? at : found;
    }
  }
  const Outcome outcome = saltus_command(folder, {"check", "scene.yaml", "--json"});
  const auto json = nlohmann::json::parse(outcome.out);
  CHECK(json["exit_code"] == 2);
  REQUIRE(json["errors"].size() == 5);
  CHECK(json["error"] == json["errors"][0]["error"]);
  CHECK(json["errors"][4]["line"] == 9);
  CHECK(json["errors"][4]["path"] == "contacts[0].on");
  CHECK(json["errors"][4]["hint"].get<std::string>().find("free") != std::string::npos);
}

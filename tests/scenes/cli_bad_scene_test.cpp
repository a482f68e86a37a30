// A scene with a fault: exit code 2, one line that points at it and says what is allowed, and no file left behind.
#include <doctest/doctest.h>

#include <algorithm>
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

}  // namespace

TEST_CASE("a faulty scene ends with exit code 2, one line that names the place, and no file") {
  for (const BadScene& bad : kBadScenes) {
    CAPTURE(bad.name);
    const Folder folder;
    std::string text = replaced(small_scene(), bad.from, bad.to);
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

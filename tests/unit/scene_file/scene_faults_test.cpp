// All faults of a scene at once: each by its own line, none as a consequence of another.
#include <doctest/doctest.h>

#include <ctime>
#include <string>
#include <vector>

#include "saltus/scene/build.h"
#include "saltus/scene/scene_faults.h"
#include "saltus/scene_file/scene_yaml.h"

using namespace saltus;

namespace {

/// What a user gets of a text, a line for each fault; none where it can be built.
std::vector<std::string> faults_of(const std::string& text) {
  try {
    Faults faults;
    const Scene scene = read_scene_text(text, "s.yaml", {}, {}, faults);
    if (faults.any()) {
      find_faults(scene, faults);
      throw_placed(faults, scene);
    }
    build_or_find_faults(scene);
  } catch (const SceneError& error) {
    return fault_lines(error);
  }
  return {};
}

bool begins(const std::string& line, const std::string& with) { return line.rfind(with, 0) == 0; }

/// A valid scene, a line for each entry.
const std::string kHead = "saltus: 1\ntime: {end: 1 s, step: 1 ms}\nbodies:\n";
const std::string kBall =
    "  - {name: ball, kind: particles, particles: {mass: [1], positions: [[0, 0, 1]]}}\n";
const std::string kBrick = "  - {name: brick, kind: rigid, rigid: {mass: 1, inertia: [1, 1, 1]}}\n";

}  // namespace

TEST_CASE("one run lists the faults of all phases in the order of the file") {
  const auto lines = faults_of(
      "saltus: 1\n"
      "time: {end: 1 kg, step: 1 ms}\n"  // unit
      "bodies:\n" +
      kBall +                                                                            // sound
      "  - {name: a, kind: rigid, rigid: {mass: 1, inertia: [1, 1, 1], colour: red}}\n"  // key
      "  - {name: b, kind: rigid, rigid: {mass: -2, inertia: [1, 1, 1]}}\n"              // range
      "  - {name: c, kind: modal, modes: {file: nowhere.csv}}\n"                         // build
      "  - {name: d, kind: linear, matrices: {file: 3}}\n"                               // key
      "contacts:\n"
      "  - {on: bell, against: {plane: {normal: [0, 0, 1]}}, law: newton-impact}\n"  // name
      "  - {on: ball, at: 0, law: newton-impact}\n");                                // missing
  REQUIRE(lines.size() >= 7);
  const char* places[] = {
      "s.yaml:2:", "s.yaml:5:", "s.yaml:6:", "s.yaml:7:", "s.yaml:8:", "s.yaml:10:", "s.yaml:11:"};
  std::size_t at = 0;
  for (const std::string& line : lines) {
    CAPTURE(line);
    while (at < std::size(places) && !begins(line, places[at])) ++at;
    CHECK(at < std::size(places));
  }
}

TEST_CASE("one fault is one line") {
  CHECK(faults_of(kHead + kBall) == std::vector<std::string>{});
  const auto key = faults_of(kHead + kBall +
                             "contacts:\n  - {on: ball, at: 0, agaist: 1, against: "
                             "{plane: {}}, law: newton-impact}\n");
  REQUIRE(key.size() == 1);
  CHECK(begins(key[0], "s.yaml:6:"));
  CHECK(key[0].find("contacts[0]: unknown key `agaist`; did you mean `against`?") !=
        std::string::npos);
  const auto name = faults_of(kHead + kBrick + "outputs:\n  - {probe: brik, at: [0, 0, 0]}\n");
  REQUIRE(name.size() == 1);
  CHECK(begins(name[0], "s.yaml:6:"));
}

TEST_CASE("a slip in a key that must be written is no missing key too") {
  const auto lines = faults_of("saltus: 1\ntime: {ennd: 1 s, step: 1 ms}\nbodies:\n" + kBall);
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].find("`ennd`") != std::string::npos);
}

TEST_CASE("what refers to a body with a fault has none for that") {
  for (
      const char* body :
      {"  - {name: rod, kind: rigid, rigid: {mass: 0, inertia: [1, 1, 1], shape: {sphere: {radius: "
       "1}, material: steel}}}\n",
       "  - {nmae: rod, kind: rigid, rigid: {mass: 1, inertia: [1, 1, 1], shape: {sphere: {radius: "
       "1}, material: steel}}}\n",
       "  - {name: rod, kind: rigidd, rigid: {mass: 1, inertia: [1, 1, 1], shape: {sphere: "
       "{radius: "
       "1}, material: steel}}}\n"}) {
    CAPTURE(body);
    const auto lines =
        faults_of(kHead + body + kBall +
                  "surfaces:\n  - {materials: [steel, steel], law: newton-impact}\n"
                  "joints:\n  - {name: pin, kind: ball, between: [world, rod], at: [0, 0, 0]}\n"
                  "ignore: [[rod, ball]]\n"
                  "outputs:\n  - {probe: rod, at: [0, 0, 0]}\n");
    REQUIRE(lines.size() == 1);
    CHECK(begins(lines[0], "s.yaml:4:"));
  }
}

TEST_CASE("faults behind a fault in another entry count entries as the file does") {
  const auto lines = faults_of(kHead +
                               "  - {name: a, kind: rigid, rigid: {mas: 1, inertia: [1, 1, "
                               "1]}}\n" +
                               kBall +
                               "outputs:\n  - {probe: ball, at: 0, gain: -1}\n"
                               "  - {probe: ball, at: 7}\n");
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].find("bodies[0]") != std::string::npos);
  CHECK(lines[1].find("outputs[0].gain") != std::string::npos);
  CHECK(lines[2].find("outputs[1]") != std::string::npos);
}

TEST_CASE("bodies that cannot be built are all listed") {
  std::string text = kHead + kBall;
  for (const char* name : {"u", "v", "w"})
    text += std::string("  - {name: ") + name + ", kind: modal, modes: {file: none_" + name +
            ".csv}}\n";
  const auto lines = faults_of(text);
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].find("none_u.csv") != std::string::npos);
  CHECK(lines[1].find("none_v.csv") != std::string::npos);
  CHECK(lines[2].find("none_w.csv") != std::string::npos);
}

TEST_CASE("of many faults the first twenty have a line, the others are counted") {
  std::string text = kHead;
  for (int i = 0; i < 27; ++i)
    text += "  - {name: b" + std::to_string(i) +
            ", kind: particles, particles: {mass: [-1], positions: [[0, 0, 1]]}}\n";
  const auto lines = faults_of(text);
  REQUIRE(lines.size() == 21);
  CHECK(begins(lines[0], "s.yaml:4:"));
  CHECK(begins(lines[19], "s.yaml:23:"));
  CHECK(lines[20] == "and 7 more");
}

TEST_CASE("of a list of numbers the first fault is enough") {
  const auto lines = faults_of(
      kHead +
      "  - {name: ball, kind: particles, particles: {mass: [1], positions: [[1 kg, 2 kg, 3 "
      "kg]]}}\n");
  CHECK(lines.size() == 1);
}

TEST_CASE("an error with several faults has the place of the first and holds all") {
  try {
    read_scene_text("saltus: 1\ntime: {end: -1 s, step: 0 s}\nbodies:\n" + kBall, "s.yaml");
    FAIL("no fault was found");
  } catch (const SceneError& error) {
    CHECK(error.line() == 2);
    CHECK(error.path() == "time.end");
    const auto all = all_faults(error);
    REQUIRE(all.size() == 2);
    CHECK(all[1].path() == "time.step");
    CHECK(std::string(error.what()) ==
          std::string(all[0].what()) + "\n" + std::string(all[1].what()));
  }
}

TEST_CASE("thousands of faulty entries in one line are refused in a time in proportion") {
  const auto list = [](std::size_t count, const auto& entry) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) text += (i > 0 ? ", " : "") + entry(std::to_string(i));
    return "[" + text + "]\n";
  };
  const std::string head = "saltus: 1\ntime: {end: 1 s, step: 1 ms}\nbodies: ";
  const std::string rigid = "kind: rigid, rigid: {mass: 1, inertia: [1, 1, 1]}}";
  constexpr std::size_t kCount = 12'000;
  const std::clock_t begin = std::clock();
  for (const std::string& text :
       {head + list(kCount, [](const std::string& i) { return i; }),
        head + list(kCount, [](const std::string& i) { return "{name: b" + i + "}"; }),
        head + list(kCount, [](const std::string& i) { return "k" + i + ": 1"; }),
        head + list(kCount, [&](const std::string&) { return "{name: same, " + rigid; }),
        head + "[{name: b, " + rigid + "]\njoints: " + list(kCount, [](const std::string& i) {
          return "{name: j" + i + ", kind: ball, between: [b, c" + i + "], at: [0, 0, 0]}";
        })}) {
    CAPTURE(text.substr(0, 120));
    const std::vector<std::string> faults = faults_of(text);
    CHECK(!faults.empty());
    CHECK(faults.size() <= SceneErrors::kShown + 1);
  }
  // with a cost that grows with the square these take minutes
  CHECK(std::clock() - begin < 20 * CLOCKS_PER_SEC);
}

TEST_CASE("a body without any entry among more faults than are kept is not built") {
  std::string text = kHead;
  for (int i = 0; i < 1'200; ++i) text += "  - " + std::to_string(i) + "\n";
  const std::vector<std::string> faults = faults_of(text);
  REQUIRE(faults.size() == SceneErrors::kShown + 1);
  CHECK(begins(faults.front(), "s.yaml:4:5: bodies[0]: '0' is not a map of keys"));
  CHECK(faults.back().find("more") != std::string::npos);
}

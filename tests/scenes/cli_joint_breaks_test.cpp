// Links that break as a user meets them: the report, the results file, and a run that is taken up again.
#include <doctest/doctest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "command.h"
#include "saltus/results/hdf5.h"

using namespace saltus;
using namespace saltus_test;

namespace {

/// Two bobs on links of 1 m that start level with their pivots, at rest, with two strengths.
std::string two_pendulums() {
  return R"(saltus: 1
time: {end: 0.6 s, step: 1 ms}
results: {frames: 7}
bodies:
  - {name: bobs, kind: particles, particles: {mass: [1, 1], positions: [[-1, 0, 1], [-1, 2, 1]], gravity: [0, 0, -9.81]}}
joints:
  - {name: strong, kind: distance, between: [world, bobs], at: [0, 0, 1], second: {at: 0}, strength: 30 N}
  - {name: weak, kind: distance, between: [world, bobs], at: [0, 2, 1], second: {at: 1}, strength: 25 N}
  - {name: any, kind: distance, between: [bobs, bobs], first: {at: 0}, second: {at: 1}}
)";
}

double told(const std::string& file, const std::string& joint, const std::string& attribute) {
  return h5::File::read(file).group("joints").group(joint).real(attribute);
}
bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE(
    "a run says which link broke, when and by how much, in its table, as JSON and in the file") {
  const Folder folder;
  folder.write("scene.yaml", replaced(two_pendulums(),
                                      "  - {name: any, kind: distance, between: [bobs, bobs], "
                                      "first: {at: 0}, second: {at: 1}}\n",
                                      ""));
  const Outcome run = saltus_command(folder, {"run", "scene.yaml"});
  CAPTURE(run.err);
  CAPTURE(run.out);
  REQUIRE(run.code == 0);
  CHECK(says(run.out,
             "\nbroken          'weak' at t = 0.464 s, pulled by 25.03 N (strength 25 N)\n"));
  CHECK(!says(run.out, "'strong'"));
  const std::string file = folder / "scene.h5";
  CHECK(told(file, "weak", "strength") == 25.0);
  CHECK(told(file, "weak", "broken_at") == doctest::Approx(0.464));
  CHECK(told(file, "weak", "broken_by") == doctest::Approx(25.03).epsilon(1e-3));
  CHECK(told(file, "strong", "strength") == 30.0);
  CHECK(std::isinf(told(file, "strong", "broken_at")));
  CHECK(told(file, "strong", "broken_by") == 0.0);
  const std::vector<double> force =
      h5::File::read(file).group("joints").group("weak").dataset("force").reals();
  REQUIRE(force.size() == 21);  // frames at 0, 0.1, .. 0.6 s
  for (std::size_t i = 0; i < force.size(); ++i)
    CHECK((force[i] == 0.0) == (i < 3 || i >= 15 || i % 3 == 1));

  const Outcome json = saltus_command(folder, {"run", "scene.yaml", "--json", "-o", "b.h5"});
  const auto broken = nlohmann::json::parse(json.out)["broken_joints"];
  REQUIRE(broken.size() == 1);
  CHECK(broken[0]["name"] == "weak");
  CHECK(broken[0]["time"].get<double>() == doctest::Approx(0.464));
  CHECK(broken[0]["pull"].get<double>() > 25.0);
  CHECK(broken[0]["strength"] == 25.0);
}

TEST_CASE("a run taken up before or after a link broke tells of it as one in one go does") {
  const Folder folder;
  folder.write("scene.yaml", two_pendulums());
  REQUIRE(saltus_command(folder, {"run", "scene.yaml", "-q", "-o", "whole.h5"}).code == 0);
  const double at = told(folder / "whole.h5", "weak", "broken_at"),
               by = told(folder / "whole.h5", "weak", "broken_by");
  CHECK(at < 0.6);
  for (const char* until : {"0.3", "0.5"}) {
    CAPTURE(until);
    const std::string file = folder / (std::string(until) + ".h5");
    REQUIRE(
        saltus_command(folder, {"run", "scene.yaml", "-q", "-o", file, "--until", until}).code ==
        0);
    CHECK(std::isinf(told(file, "weak", "broken_at")) == (std::stod(until) < at));
    const Outcome resumed =
        saltus_command(folder, {"run", "scene.yaml", "-o", file, "--until", "0.6", "--resume"});
    CAPTURE(resumed.err);
    REQUIRE(resumed.code == 0);
    CHECK(says(resumed.out, "'weak' at t = "));  // those of before are told again
    CHECK(told(file, "weak", "broken_at") == at);
    CHECK(told(file, "weak", "broken_by") == by);
    CHECK(h5::File::read(file).group("bodies/bobs").dataset("q").reals().back() ==
          h5::File::read(folder / "whole.h5").group("bodies/bobs").dataset("q").reals().back());
  }
}

TEST_CASE("many breaks are told by the first ones and a number") {
  std::string text =
      "saltus: 1\ntime: {end: 10 ms, step: 1 ms}\nbodies:\n"
      "  - {name: bobs, kind: particles, particles: {mass: [1, 1, 1, 1, 1, 1, 1, 1], positions: [";
  for (int i = 0; i < 8; ++i) text += "[0, " + std::to_string(i) + ", -1]" + (i < 7 ? ", " : "");
  text += "], gravity: [0, 0, -9.81]}}\njoints:\n";
  for (int i = 0; i < 8; ++i) {
    const std::string n = std::to_string(i);
    text += "  - {name: link " + n + ", kind: distance, between: [world, bobs], at: [0, " + n +
            ", 0], second: {at: " + n + "}, strength: 5 N}\n";
  }
  const Folder folder;
  folder.write("scene.yaml", text);
  const Outcome run = saltus_command(folder, {"run", "scene.yaml"});
  CAPTURE(run.err);
  CAPTURE(run.out);
  REQUIRE(run.code == 0);
  CHECK(says(run.out, "'link 4' at t = 0.001 s, pulled by 9.81 N (strength 5 N)\n"));
  CHECK(!says(run.out, "'link 5'"));
  CHECK(says(run.out, "                and 3 more: broken_at of /joints in the results\n"));
}

// Pages and files for ParaView through the command.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "command.h"
#include "saltus/view/view_page.h"

using namespace saltus_test;

namespace {

constexpr const char* kBall = R"(saltus: 1
title: A ball
time: {end: 0.2 s, step: 1 ms}
gravity: [0, 0, -9.81]
bodies:
  - name: ball
    kind: rigid
    rigid: {shape: {sphere: {radius: 0.1}}, density: 1000, position: [0, 0, 0.12]}
  - name: floor
    kind: rigid
    rigid: {shape: {plane: {}}, fixed: true}
surfaces:
  - {law: {kind: newton-impact, friction: 0.4}}
)";

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("report makes a page of a run, in the size asked for") {
  const Folder folder;
  folder.write("ball.yaml", kBall);
  REQUIRE(saltus_command(folder, {"run", "ball.yaml", "-q", "-o", "a.h5"}).code == 0);
  if (saltus::viewer_page().empty()) {
    const Outcome without = saltus_command(folder, {"report", "a.h5"});
    CHECK(without.code == 1);
    CHECK(holds(without.err, "this program was built without the viewer"));
    return;
  }
  const Outcome report = saltus_command(folder, {"report", "a.h5", "--json"});
  REQUIRE_MESSAGE(report.code == 0, report.err);
  const auto json = nlohmann::json::parse(report.out);
  CHECK(json["file"] == "a.html");
  CHECK(json["bytes"].get<std::size_t>() <= 25'000'000);
  CHECK(json["frames"] == json["of"]);
  CHECK(json["contacts_left_out"] == 0);
  CHECK(std::filesystem::file_size(folder / "a.html") == json["bytes"].get<std::size_t>());
  const Outcome other =
      saltus_command(folder, {"report", "a.h5", "-o", "b.html", "--size", "2 MB"});
  REQUIRE_MESSAGE(other.code == 0, other.err);
  CHECK(holds(other.out, "b.html"));
  CHECK(holds(other.out, "frames"));
}

TEST_CASE("report refuses what it cannot take, in one line, and writes nothing") {
  const Folder folder;
  folder.write("ball.yaml", kBall);
  REQUIRE(saltus_command(folder, {"run", "ball.yaml", "-q", "-o", "a.h5"}).code == 0);
  const std::vector<std::pair<std::vector<std::string>, std::string>> faults{
      {{"report", "a.h5", "--size", "25 MW"}, "'MW' is not a unit of size"},
      {{"report", "a.h5", "--size", "25"}, "has no unit"},
      {{"report", "ball.yaml"}, "is not a results file"},
      {{"report", "gone.h5"}, "cannot be read"},
      {{"report", "a.h5", "-o", "a.h5"}, "is the input file"},
      {{"report", "a.h5", "-o", "no/such/folder.html"}, "folder"}};
  for (const auto& [line, fault] : faults) {
    const Outcome outcome = saltus_command(folder, line);
    CAPTURE(outcome.err);
    if (saltus::viewer_page().empty() && fault == "folder") continue;
    CHECK(outcome.code == 2);
    CHECK(holds(outcome.err, fault));
    CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
  }
  CHECK(!std::filesystem::exists(folder / "a.html"));
}

TEST_CASE("convert writes rigid bodies for ParaView") {
  const Folder folder;
  folder.write("ball.yaml", kBall);
  REQUIRE(saltus_command(folder, {"run", "ball.yaml", "-q", "-o", "a.h5"}).code == 0);
  const Outcome vtp = saltus_command(folder, {"convert", "a.h5", "--to", "vtp", "--json"});
  REQUIRE_MESSAGE(vtp.code == 0, vtp.err);
  CHECK(nlohmann::json::parse(vtp.out)["files"].size() > 2);
  CHECK(std::filesystem::exists(folder / "a.bodies.pvd"));
  const Outcome xdmf = saltus_command(folder, {"convert", "a.h5", "--to", "xdmf"});
  CHECK(xdmf.out == "a.xdmf\na.xdmf.h5\n");
  const Outcome wrong = saltus_command(folder, {"convert", "a.h5", "--to", "xdmff"});
  CHECK(wrong.code == 2);
  CHECK(holds(wrong.err, "xdmf"));
}

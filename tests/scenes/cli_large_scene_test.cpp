// Large scenes: what `saltus check` forecasts of memory and of frames.
#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "command.h"
#include "saltus/results/hdf5.h"

using namespace saltus_test;

namespace {

/// n x n x n balls of radius 10 mm at this distance [mm], which touch at 20, over a plane.
std::string balls(int n, double distance, const std::string& more = "") {
  const std::string side = std::to_string(n), d = std::to_string(distance) + " mm";
  return "saltus: 1\ntime: {end: 3 ms, step: 1 ms}\non_failure: accept\n"
         "solver: {kind: body-gauss-seidel, iterations: 5}\n" +
         more +
         "bodies:\n"
         "  - {name: floor, kind: rigid, rigid: {shape: {plane: {}}, fixed: true}}\n"
         "  - name: ball\n    kind: rigid\n    scheme: rig-pos\n"
         "    rigid: {shape: {sphere: {radius: 10 mm}}, density: 2500, position: [0, 0, 10 mm],\n"
         "            copies: {count: [" +
         side + ", " + side + ", " + side + "], spacing: [" + d + ", " + d + ", " + d +
         "]}}\n"
         "surfaces:\n  - {law: {kind: newton-impact, friction: 0.4}}\n";
}

nlohmann::json checked(const Folder& folder) {
  const Outcome outcome = saltus_command(folder, {"check", "--json", "scene.yaml"});
  REQUIRE(outcome.code == 0);
  return nlohmann::json::parse(outcome.out);
}

}  // namespace

TEST_CASE("check forecasts the memory of a run of some thousand balls within a factor 1.5") {
  const Folder folder;
  folder.write("scene.yaml", balls(20, 20.0));
  const double forecast = checked(folder)["memory_bytes"].get<double>();
  rusage used{};
  Launch launch;
  // peak of the largest child so far: this one, the check before it is smaller
  const Outcome outcome = saltus_command(folder, {"run", "-q", "scene.yaml", "-j", "1"}, launch);
  REQUIRE(outcome.code == 0);
  REQUIRE(getrusage(RUSAGE_CHILDREN, &used) == 0);
  const double peak = 1024.0 * static_cast<double>(used.ru_maxrss);
  CAPTURE(forecast);
  CAPTURE(peak);
  CHECK(forecast < 1.5 * peak);
  CHECK(peak < 1.5 * forecast);
}

TEST_CASE("frames of large scenes hold no contacts unless the scene asks for them") {
  const Folder folder;
  folder.write("scene.yaml", balls(28, 30.0, "results: {frames: 2}\n"));  // 21952 shapes
  const nlohmann::json large = checked(folder);
  CHECK(large["frames_hold_contacts"] == false);
  CHECK(large["frame_bytes"].get<double>() == 104.0 * 21952);
  const Outcome told = saltus_command(folder, {"check", "scene.yaml"});
  CHECK(told.out.find("results.contacts: true") != std::string::npos);
  const auto file = std::filesystem::path(folder / "scene.h5");
  const auto size_with = [&](const std::string& frames) {
    REQUIRE(saltus_command(folder, {"run", "-q", "scene.yaml", "--set", frames}).code == 0);
    return static_cast<double>(std::filesystem::file_size(file));
  };
  CHECK(size_with("results.frames=4") - size_with("results.frames=2") < 2.0 * 110.0 * 21952);
  CHECK(saltus::h5::File::read(file.string()).dataset("contacts/key").rows() == 0);

  folder.write("scene.yaml", balls(28, 30.0, "results: {frames: 2, contacts: true}\n"));
  CHECK(checked(folder)["frames_hold_contacts"] == true);
  folder.write("scene.yaml", balls(5, 20.0, "results: {frames: 2}\n"));
  CHECK(checked(folder)["frames_hold_contacts"] == true);
  folder.write("scene.yaml", balls(5, 20.0, "results: {frames: 2, contacts: false}\n"));
  CHECK(checked(folder)["frames_hold_contacts"] == false);
  REQUIRE(saltus_command(folder, {"run", "-q", "scene.yaml"}).code == 0);
  if (!std::filesystem::exists("/usr/bin/python3")) return;  // that verifies
  const Outcome refused = saltus_command(folder, {"verify", "scene.h5"});
  CHECK(refused.code == 2);
  if (refused.err.find("h5py") == std::string::npos)  // it is not there everywhere
    CHECK(refused.err.ends_with("run the scene with results: {contacts: true}\n"));
}

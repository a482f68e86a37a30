// Strings against rigid obstacles, step by step, against reference trajectories read in place.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "../support/skip.h"
#include "run_scene.h"
#include "saltus/base/csv_read.h"

using namespace saltus;
using namespace saltus::test;

namespace {

const std::filesystem::path kMusic = std::filesystem::path(SALTUS_SHARED) / "golden" / "music";

/// Contact points of a set: second of two successive jumps of more than 0.1 mm in the obstacle.
std::string points_of(const std::string& set) {
  const CsvTable h = read_csv(kMusic / (set + "_obstacle.csv"));
  std::string list;
  bool second = false;
  for (int i = 0; i + 1 < h.rows; ++i)
    if (std::abs(h.at(i + 1, 1) - h.at(i, 1)) > 1e-4) {
      if (second)
        list +=
            fmt::format("{}[{:.17g}, {:.17g}]", list.empty() ? "" : ", ", h.at(i, 0), h.at(i, 1));
      second = !second;
    }
  return list;
}

struct GoldenRun {
  const char *file, *set, *length, *start;
  int modes;
  double rate, restitution;
  double at[4];
};

const GoldenRun kRuns[] = {{"golden_bass_fs15680_e1.csv",
                            "bass_862",
                            "0.863",
                            "initial",
                            862,
                            15680,
                            1,
                            {0.086, 0.259, 0.432, 0.64}},
                           {"golden_bass_fs15680_e0.csv",
                            "bass_862",
                            "0.863",
                            "initial",
                            862,
                            15680,
                            0,
                            {0.086, 0.259, 0.432, 0.64}},
                           {"golden_bass_fs250880_e05.csv",
                            "bass_862",
                            "0.863",
                            "initial",
                            862,
                            250880,
                            0.5,
                            {0.086, 0.259, 0.432, 0.64}},
                           {"golden_one_fs5000_e1.csv",
                            "one_contact_1001",
                            "1.002",
                            "pluck",
                            1001,
                            5000,
                            1,
                            {0.1, 0.25, 0.501, 0.751}}};

std::string scene_of(const GoldenRun& g, const CsvTable& golden) {
  const std::string modes = (kMusic / (std::string(g.set) + "_modes.csv")).string();
  std::string text = fmt::format(
      "saltus: 1\ntime: {{end: {:.17g}, rate: {}}}\ncontact: {{instant: start}}\nbodies:\n  - "
      "name: string\n    kind: "
      "modal\n    string: {{length: {}, linear_density: 1, modes: {}, table: '{}'}}\n    scheme: "
      "{{kind: modal-exact, "
      "start: raw}}\n",
      golden.at(golden.rows - 1, 0) / g.rate, g.rate, g.length, g.modes, modes);
  if (std::string(g.start) == "initial")
    text += fmt::format("    initial: {{file: '{}', column: 4}}\n", modes);
  else
    text += "    pluck: {at: 0.501, height: 1.5e-3}\n";
  text += fmt::format(
      "contacts:\n  - on: string\n    against: {{points: [{}]}}\n    law: {{kind: newton-impact, "
      "restitution: {}}}\n"
      "outputs:\n",
      points_of(g.set), g.restitution);
  for (double x : g.at)
    text += fmt::format("  - {{probe: string, at: {}, quantity: displacement, modes: all}}\n", x);
  return text;
}

}  // namespace

TEST_CASE(
    "strings on frets repeat the reference trajectories of the velocity rule to 1e-12 m at every "
    "listed step") {
  if (!std::filesystem::exists(kMusic))
    SALTUS_SKIP("no reference trajectories of strings (golden/music)");
  for (const GoldenRun& g : kRuns) {
    CAPTURE(g.file);
    const CsvTable golden = read_csv(kMusic / g.file);
    int row = 1;
    double worst = 0.0, worst_energy = 0.0, impulse = 0.0, largest_impulse = 0.0;
    int contacts_differ = 0, first_off = -1;
    const Shown s =
        run_text(scene_of(g, golden), {}, [&](const Simulation& sim, const StepReport& report) {
          if (row >= golden.rows ||
              static_cast<int>(sim.state().step) != static_cast<int>(golden.at(row, 0)))
            return;
          double error = 0.0;
          for (int i = 0; i < 4; ++i)
            error = std::max(error, std::abs(sim.probe(i) - golden.at(row, 2 + i)));
          for (int j = 0; j < 3; ++j)
            error = std::max(error, std::abs(sim.state().groups[0].q[j] - golden.at(row, 6 + j)));
          error = std::max(error, std::abs(report.gap - golden.at(row, 12)));
          worst = std::max(worst, error);
          if (error > 1e-12 && first_off < 0) first_off = static_cast<int>(golden.at(row, 0));
          worst_energy = std::max(worst_energy,
                                  std::abs(sim.state().energy.total() / golden.at(row, 9) - 1.0));
          impulse = std::max(impulse, std::abs(report.impulse - golden.at(row, 10)));
          largest_impulse = std::max(largest_impulse, golden.at(row, 10));
          contacts_differ += report.contacts != static_cast<int>(golden.at(row, 11));
          ++row;
        });
    CAPTURE(first_off);
    CHECK(row == golden.rows);
    CHECK(worst <= 1e-12);
    CHECK(worst_energy <= 1e-10);
    CHECK(impulse <= 1e-10 * largest_impulse);
    CHECK(contacts_differ == 0);
    MESSAGE(std::string(g.file) << ": " << worst << " m, energy " << worst_energy << ", rows "
                                << row);
    CHECK(s.worst_residual <= 1e-12);
  }
}

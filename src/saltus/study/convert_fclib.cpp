#include "saltus/study/convert_fclib.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "saltus/base/error.h"
#include "saltus/convert/convert.h"
#include "saltus/phases/build_run.h"
#include "saltus/results/results.h"
#include "saltus/results/results_file.h"
#include "saltus/scene_file/data_files.h"
#include "saltus/scene_file/scene_yaml.h"
#include "saltus/sim/failure_text.h"
#include "saltus/sim/simulation.h"
#include "saltus/study/contact_dump.h"

namespace saltus {
namespace {

namespace fs = std::filesystem;

/// The scene of the run. Its data files are searched in their original folder, next to the results
/// and in the working directory, and must be unchanged.
Scene stored_scene(const ResultsReader& results) {
  std::vector<fs::path> folders{fs::path(results.file()).parent_path(), fs::path()};
  const h5::Group provenance = results.hdf5().group("provenance");
  if (provenance.has("inputs"))
    for (const std::string& entry : provenance.group("inputs").names())
      folders.push_back(fs::path(provenance.group("inputs/" + entry).text("file")).parent_path());
  std::string lost;
  for (const fs::path& folder : folders) {
    Scene scene = read_scene_text(results.resolved(), results.file() + ":/resolved", {}, folder);
    const std::vector<DataFile> data = data_files(scene);
    const auto missing =
        std::ranges::find_if(data, [](const DataFile& d) { return !fs::exists(d.file); });
    if (missing != data.end()) {
      if (lost.empty()) lost = missing->file.string();
      continue;
    }
    check_same_inputs(results.hdf5(), results.file(), input_files(scene));
    return scene;
  }
  throw SceneError("--to fclib",
                   "the scene has to be run again, but its data file " + lost + " is missing",
                   "run the command in the folder of the scene")
      .at(results.file(), 0, 0);
}

/// Starts from the last checkpoint in the file before `step`, else from the start.
Simulation simulation_before(const ResultsReader& results, const Model& model, std::uint64_t step) {
  try {
    State state = read_checkpoint(results.file(), model);
    if (state.step < step) return Simulation(model, std::move(state));
  } catch (const SceneError&) {  // the file has no checkpoint
  }
  return Simulation(model);
}

/// Checks whether the new steps are identical to those of the file, bit for bit.
class SameRun {
 public:
  explicit SameRun(const ResultsReader& results)
      : time_(results.step("time")),
        kinetic_(results.step("kinetic")),
        potential_(results.step("potential")) {}
  void look(const State& state) {
    if (differs_ != 0) return;
    const auto found = std::ranges::lower_bound(time_, state.t);
    if (found == time_.end() || *found != state.t) return;  // not every step is stored
    const auto row = static_cast<std::size_t>(found - time_.begin());
    if (kinetic_[row] != state.energy.kinetic || potential_[row] != state.energy.potential)
      differs_ = state.step;
  }
  std::uint64_t differs() const { return differs_; }  ///< first step that differs, 0: none

 private:
  std::vector<double> time_, kinetic_, potential_;
  std::uint64_t differs_ = 0;
};

}  // namespace

std::vector<std::string> convert_fclib(const ResultsReader& results, const std::string& stem,
                                       std::uint64_t step, std::vector<std::string>& notes) {
  const Scene scene = stored_scene(results);
  const Model model = build_run(scene);
  const auto last = static_cast<std::uint64_t>(step_count(scene.spec.time));
  if (step < 1 || step > last)
    throw SceneError("--step", fmt::format("there is no step {}", step),
                     fmt::format("allowed: 1 to {}", last));
  Simulation sim = simulation_before(results, model, step);
  SameRun same(results);
  const fs::path name(stem);
  ContactDump dump("every:1", name.parent_path().string(), name.filename().string(), sim,
                   fs::path(default_stem(results.file())).filename().string());
  while (sim.state().step < step) {
    const std::uint64_t before = sim.state().step;
    if (before + 1 == step) sim.observe(&dump);
    const StepReport report = sim.advance();
    if (sim.state().step == before) {
      if (before + 1 == step) break;  // the failed problem is the requested one
      throw RunError(
          fmt::format("{}: {}", results.file(), failure_text(model, report, before + 1)));
    }
    same.look(sim.state());
  }
  sim.observe(nullptr);
  std::vector<std::string> files = dump.finish();
  if (same.differs() != 0)
    notes.push_back(fmt::format(
        "step {} differs from that of {}: the file was made by another version or machine; the "
        "output belongs to the new run",
        same.differs(), results.file()));
  if (files.empty() && !dump.left_out().empty())
    throw SceneError("--to fclib",
                     fmt::format("the contact problem of step {} has relays, rolling or spinning "
                                 "friction, but the format supports Coulomb friction only",
                                 step),
                     "choose another step with --step, or remove those laws")
        .at(results.file(), 0, 0);
  if (files.empty())
    throw SceneError("--step", fmt::format("step {} has no contact problem", step),
                     "the column contacts of --to csv shows which steps have contacts")
        .at(results.file(), 0, 0);
  return files;
}

}  // namespace saltus

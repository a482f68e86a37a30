// Runs a scene and writes its files: `saltus run`.
//
//     SceneRun run(set_up("ball.yaml", {}), {.output = "ball.h5", .provenance =
//         provenance_now(argc, argv)});
//     RunResult result = run();
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "saltus/convert/convert.h"
#include "saltus/phases/run_loop.h"
#include "saltus/results/provenance.h"
#include "saltus/study/scene_setup.h"

namespace saltus {

struct SceneRunOptions {
  std::string output{};  ///< "": <stem of the scene>.h5 in the working directory
  /// Resumes from the last checkpoint of the output or of its `.part`; a `.part` without a
  /// checkpoint is run from the start.
  bool resume = false;
  /// Accepts sounds and tables outside the folder of the results, with any name, and replaces files
  /// that Saltus did not write.
  bool outputs_anywhere = false;
  Provenance provenance{};
  std::string go_on{};         ///< command that resumes the run, shown if it is stopped
  std::string dump_contact{};  ///< contact problems to write: worst, failed, every:N; "": none
  std::string dump_folder{};   ///< "": the folder of the output
  RunWatch watch{};
  Stop* stop = nullptr;  ///< ends the run like the watch, also within a step (Simulation::stop_by)
  std::function<void(const std::string&)> note{};  ///< receives each warning as soon as it is known
};

struct RunResult {
  std::shared_ptr<const SceneSetup> setup;
  State state;                ///< final state
  double energy_start = 0.0;  ///< of the run, also if it has phases [J]
  /// Work of all accounts since then, those of all phases [J].
  std::vector<std::pair<std::string, double>> work;
  LoopReport loop;
  bool resumed = false;
  std::string stopped;             ///< why the run did not reach its end; "" if it did
  std::vector<std::string> files;  ///< files written; first the results or their `.part`
  std::vector<WavReport> sounds;
  std::vector<std::string> warnings;
  std::vector<std::string> faults;     ///< errors of sounds and tables that could not be written
  std::optional<AutoChoice> choice{};  ///< if the scene has `time.scheme: auto`
};

class SceneRun {
 public:
  /// Throws SceneError if an output would replace an input, or lies elsewhere than it may.
  SceneRun(SceneSetup setup, SceneRunOptions options);
  ~SceneRun();
  SceneRun(const SceneRun&) = delete;
  SceneRun& operator=(const SceneRun&) = delete;

  const SceneSetup& setup() const;
  const std::string& output() const;  ///< name of the results file

  /// Call once. With `time.scheme: auto` the scene is run repeatedly until the estimated error is
  /// small enough; the files contain the last run. A run that fails or is stopped leaves
  /// `<output>.part` with a checkpoint; a `.part` of an earlier run is renamed. Throws SceneError:
  /// files that cannot be created, nothing to resume; RunError: disk full, out of memory, with a
  /// note on what `<output>.part` contains.
  RunResult operator()();

 private:
  struct Execution;
  std::unique_ptr<Execution> execution_;
};

}  // namespace saltus

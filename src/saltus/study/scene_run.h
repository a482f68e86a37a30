// A scene from its first step to the files on disk: what `saltus run` does.
//
//     SceneRun run(set_up("ball.yaml", {}), {.output = "ball.h5", .provenance =
//         provenance_now(argc, argv)});
//     RunResult result = run();
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "saltus/convert/convert.h"
#include "saltus/results/provenance.h"
#include "saltus/study/run_loop.h"
#include "saltus/study/scene_setup.h"

namespace saltus {

struct SceneRunOptions {
  std::string output{};  ///< "": <stem of the scene>.h5 in the working folder
  /// Goes on from the last checkpoint of the output or of its `.part`; of a `.part` without one
  /// from the start.
  bool resume = false;
  Provenance provenance{};
  std::string go_on{};         ///< what continues the run when it is stopped: a command
  std::string dump_contact{};  ///< contact problems to be kept: worst, failed, every:N; "": none
  std::string dump_folder{};   ///< "": that of the output
  RunWatch watch{};
  Stop* stop =
      nullptr;  ///< ends the run as the watch does, also within a step (Simulation::stop_by)
  double between_checkpoints = kBetweenCheckpoints;  ///< wall time [s]
  std::function<void(const std::string&)> note{};    ///< gets each warning as soon as it is known
};

struct RunResult {
  std::shared_ptr<const SceneSetup> setup;
  State state;  ///< the last one
  LoopReport loop;
  bool resumed = false;
  std::string stopped;             ///< why the end was not reached, "" where it was
  std::vector<std::string> files;  ///< written, the results or their `.part` first
  std::vector<WavReport> sounds;
  std::vector<std::string> warnings;
  std::vector<std::string> faults;     ///< sounds and tables that could not be written
  std::optional<AutoChoice> choice{};  ///< of a scene with `time.scheme: auto`
};

class SceneRun {
 public:
  /// Throws SceneError: a file to be written is one that is read.
  SceneRun(SceneSetup setup, SceneRunOptions options);
  ~SceneRun();
  SceneRun(const SceneRun&) = delete;
  SceneRun& operator=(const SceneRun&) = delete;

  const SceneSetup& setup() const;
  const std::string& output() const;  ///< name of the results file

  /// Once. With `time.scheme: auto` as often as it takes until the estimated error is small enough;
  /// the last run is that of the files. A run that fails or is stopped leaves `<output>.part` with
  /// a checkpoint; a `.part` of an earlier run gets another name. Throws SceneError: files that
  /// cannot be created, nothing to resume; RunError: disk full, no memory; it says what
  /// `<output>.part` keeps.
  RunResult operator()();

 private:
  struct Execution;
  std::unique_ptr<Execution> execution_;
};

}  // namespace saltus

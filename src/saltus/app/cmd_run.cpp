#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "saltus/app/app.h"
#include "saltus/app/interrupt.h"
#include "saltus/app/run_report.h"
#include "saltus/app/terminal.h"
#include "saltus/results/output_file.h"
#include "saltus/study/scene_run.h"
#include "saltus/study/scene_sensitivity.h"

namespace saltus::app {
namespace {

/// Writes the file next to the results: "ball.h5" and "ball_sensitivities.json".
std::string write_sensitivities(const std::string& results, const std::string& json) {
  const std::filesystem::path path(results);
  const std::string name =
      (path.parent_path() / (path.stem().string() + "_sensitivities.json")).string();
  OutputFile file(name);
  file.write(json + "\n");
  file.commit();
  return name;
}

std::string with_sensitivities(const std::string& run, const std::string& sensitivities) {
  auto json = nlohmann::ordered_json::parse(run);
  json["sensitivities"] = nlohmann::ordered_json::parse(sensitivities);
  return json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

int run_here(const RunOptions& options, const CommandLine& line) {
  std::optional<InterruptGuard> interrupt;
  std::optional<Progress> progress;
  SceneRunOptions how;
  how.output = options.output;
  how.resume = options.resume;
  how.outputs_anywhere = options.outputs_anywhere;
  how.provenance = provenance_now(line.count, line.arguments);
  how.go_on = how.provenance.command_line + (options.resume ? "" : " --resume");
  how.dump_contact = options.dump_contact;
  how.dump_folder = options.dump_folder;
  how.stop = &InterruptGuard::stop();
  how.note = [&](const std::string& text) {
    progress.reset();
    warn(text);
  };
  how.watch = [&](const RunProgress& p) {
    if (!progress) progress.emplace(options.quiet);
    if (const Clock::time_point now = Clock::now(); progress->due(now))
      progress->show(now, {p.step, p.first, p.last, p.t, p.end, p.contacts, p.residual});
    return interrupt->signal() == 0;
  };
  SceneRun run(set_up(options.scene, options.set, options.until), std::move(how));
  // Before the run, so that a wrong path is reported at once.
  std::optional<SceneSensitivity> derivatives;
  if (!options.sensitivities.empty())
    derivatives = scene_sensitivities(run.setup().scene, options.sensitivities);
  interrupt.emplace();
  RunResult result = run();
  progress.reset();
  if (derivatives && result.stopped.empty())
    result.files.push_back(write_sensitivities(run.output(), sensitivities_json(*derivatives)));
  if (!result.stopped.empty()) complain(result.stopped);
  std::string text = options.json                               ? run_json(result)
                     : options.quiet || !result.stopped.empty() ? ""
                                                                : run_table(result);
  if (derivatives && options.json)
    text = with_sensitivities(text, sensitivities_json(*derivatives));
  else if (derivatives && !text.empty())
    text += sensitivities_text(*derivatives);
  std::fwrite(text.data(), 1, text.size(), stdout);
  for (const std::string& fault : result.faults) complain(fault);
  return result.stopped.empty() && result.faults.empty() ? kDone : kNotFinished;
}

}  // namespace

int cmd_run(const RunOptions& options, const CommandLine& line) {
  if (options.threads == 0) return run_here(options, line);
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  static_cast<std::size_t>(options.threads));
  tbb::task_arena arena(options.threads);
  return arena.execute([&] { return run_here(options, line); });
}

}  // namespace saltus::app

#include <cstdio>
#include <optional>

#include "saltus/app/app.h"
#include "saltus/app/interrupt.h"
#include "saltus/app/run_report.h"
#include "saltus/app/terminal.h"
#include "saltus/study/scene_run.h"

namespace saltus::app {

int cmd_run(const RunOptions& options, const CommandLine& line) {
  std::optional<InterruptGuard> interrupt;
  std::optional<Progress> progress;
  SceneRunOptions how;
  how.output = options.output;
  how.resume = options.resume;
  how.provenance = provenance_now(line.count, line.arguments);
  how.go_on = how.provenance.command_line + (options.resume ? "" : " --resume");
  how.dump_contact = options.dump_contact;
  how.dump_folder = options.dump_folder;
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
  interrupt.emplace();
  const RunResult result = run();
  progress.reset();
  if (!result.stopped.empty()) complain(result.stopped);
  const std::string text = options.json                               ? run_json(result)
                           : options.quiet || !result.stopped.empty() ? ""
                                                                      : run_table(result);
  std::fwrite(text.data(), 1, text.size(), stdout);
  for (const std::string& fault : result.faults) complain(fault);
  return result.stopped.empty() && result.faults.empty() ? kDone : kNotFinished;
}

}  // namespace saltus::app

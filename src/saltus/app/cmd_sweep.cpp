#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <thread>

#include "saltus/app/app.h"
#include "saltus/app/interrupt.h"
#include "saltus/app/terminal.h"
#include "saltus/base/error.h"
#include "saltus/exchange/file_names.h"
#include "saltus/study/sweep.h"
#include "saltus/study/sweep_table.h"

namespace saltus::app {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kShown = 5;  // failures listed on the terminal; the table has all

std::string output_name(const SweepOptions& options) {
  return options.output.empty() ? fs::path(options.scene).stem().string() + "_sweep.csv"
                                : options.output;
}

SweepPlan plan_of(const SweepOptions& options) {
  if (options.seed && !options.random)
    throw SceneError("--seed", "no value is random", "add --random N");
  return SweepPlan(options.set, options.random, options.seed.value_or(0));
}

int threads_of(const SweepOptions& options, const SweepPlan& plan) {
  const unsigned here = std::max(1u, std::thread::hardware_concurrency());
  const auto asked = static_cast<std::uint64_t>(options.jobs > 0 ? options.jobs : here);
  return static_cast<int>(std::min(asked, plan.runs()));
}

/// Progress "45 %  90/200 runs  35.1 runs/s  ETA 3 s  failed 2" on stderr: redrawn on a terminal,
/// else at most one line per second.
class SweepProgress {
 public:
  explicit SweepProgress(bool quiet) : quiet_(quiet), start_(Clock::now()) {
    const char* kind = std::getenv("TERM");
    terminal_ = ::isatty(STDERR_FILENO) == 1 && kind && std::string_view(kind) != "dumb";
    next_ = start_ + pause();
  }
  ~SweepProgress() { clear(); }
  SweepProgress(const SweepProgress&) = delete;
  SweepProgress& operator=(const SweepProgress&) = delete;

  void show(const SweepCount& now) {
    const Clock::time_point at = Clock::now();
    if (quiet_ || at < next_) return;
    next_ = at + pause();
    const double rate = static_cast<double>(now.done()) / seconds();
    std::string line =
        fmt::format("{:3.0f} %  {}/{} runs  {:.3g} runs/s",
                    100.0 * static_cast<double>(now.done()) / static_cast<double>(now.runs),
                    now.done(), now.runs, rate);
    if (rate > 0.0)
      line +=
          "  ETA " + duration_text(std::ceil(static_cast<double>(now.runs - now.done()) / rate));
    line += fmt::format("  failed {}", now.failed + now.invalid);
    line = terminal_ ? "\r" + line + "\033[K" : line + "\n";
    std::fwrite(line.data(), 1, line.size(), stderr);
    std::fflush(stderr);
    drawn_ = terminal_;
  }
  void clear() {
    if (!drawn_) return;
    std::fputs("\r\033[K", stderr);
    std::fflush(stderr);
    drawn_ = false;
  }
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  Clock::duration pause() const {
    return terminal_ ? Clock::duration(std::chrono::milliseconds(100))
                     : Clock::duration(std::chrono::seconds(1));
  }

  bool quiet_, terminal_ = false, drawn_ = false;
  Clock::time_point start_, next_;
};

/// The largest value of a column and its run.
struct Worst {
  double value = 0.0;
  std::size_t run = 0;
};

Worst worst(std::span<const SweepRow> rows, double SweepRow::*member) {
  Worst result;
  for (std::size_t run = 0; run < rows.size(); ++run) {
    const double value = rows[run].*member;  // NaN counts as the largest value and stays
    if (rows[run].started && !(value <= result.value) && !std::isnan(result.value))
      result = {value, run};
  }
  return result;
}

struct SweepResult {
  std::string scene, title, file, stopped;
  const SweepPlan* plan = nullptr;
  std::vector<SweepRow> rows;
  SweepCount count;
  int threads = 1;
  double wall = 0.0;
  std::vector<std::string> warnings;
};

std::string sweep_text(const SweepResult& r) {
  std::string text = r.title.empty() ? "" : r.title + "\n";
  const auto out = std::back_inserter(text);
  const SweepCount& n = r.count;
  fmt::format_to(out, "{:<15} {}: {} ok, {} failed, {} invalid\n", "runs", n.done(), n.ok, n.failed,
                 n.invalid);
  fmt::format_to(out, "{:<15} {} on {} thread{}: {:.3g} runs/s\n", "time", duration_text(r.wall),
                 r.threads, r.threads == 1 ? "" : "s",
                 r.wall > 0.0 ? static_cast<double>(n.done()) / r.wall : 0.0);
  const Worst residual = worst(r.rows, &SweepRow::residual),
              after = worst(r.rows, &SweepRow::residual_after),
              depth = worst(r.rows, &SweepRow::penetration),
              unexplained = worst(r.rows, &SweepRow::unexplained);
  fmt::format_to(out, "{:<15} {:.3g} as solved (run {}), {:.3g} after the step (run {})\n",
                 "residual", residual.value, residual.run, after.value, after.run);
  if (depth.value > 0.0)
    fmt::format_to(out, "{:<15} {:.3g} m (run {})\n", "penetration", depth.value, depth.run);
  else
    fmt::format_to(out, "{:<15} none\n", "penetration");
  fmt::format_to(out, "{:<15} at most {:.3g} J in one step (run {})\n", "unexplained",
                 unexplained.value, unexplained.run);
  std::size_t shown = 0;
  for (std::size_t run = 0; run < r.rows.size() && shown < kShown; ++run) {
    const SweepRow& row = r.rows[run];
    if (row.reason.empty()) continue;
    fmt::format_to(out, "{:<15} run {}: {}\n", name_of(row.status), run, row.reason);
    ++shown;
  }
  if (n.failed + n.invalid > shown)
    fmt::format_to(out, "{:<15} and {} more\n", "", n.failed + n.invalid - shown);
  fmt::format_to(out, "{:<15} {}\n", "written", r.file);
  return text;
}

std::string sweep_json(const SweepResult& r) {
  nlohmann::ordered_json json;
  json["scene"] = r.scene;
  json["title"] = r.title;
  json["complete"] = r.stopped.empty();
  json["stopped"] = r.stopped;
  json["runs"] = r.count.runs;
  json["done"] = r.count.done();
  json["ok"] = r.count.ok;
  json["failed"] = r.count.failed;
  json["invalid"] = r.count.invalid;
  json["warned"] = r.count.warned;
  json["threads"] = r.threads;
  json["wall_time"] = r.wall;
  json["set"] = nlohmann::ordered_json::array();
  for (const SweepAxis& axis : r.plan->axes())
    json["set"].push_back({{"path", axis.path}, {"unit", axis.unit}, {"drawn", axis.drawn}});
  for (const auto& [name, member] : {std::pair{"residual", &SweepRow::residual},
                                     {"residual_after", &SweepRow::residual_after},
                                     {"penetration", &SweepRow::penetration},
                                     {"unexplained", &SweepRow::unexplained}}) {
    const Worst w = worst(r.rows, member);
    json[name] = {{"value", w.value}, {"run", w.run}};
  }
  json["failures"] = nlohmann::ordered_json::array();
  for (std::size_t run = 0; run < r.rows.size(); ++run)
    if (!r.rows[run].reason.empty())
      json["failures"].push_back({{"run", run},
                                  {"set", r.plan->assignments(run)},
                                  {"status", name_of(r.rows[run].status)},
                                  {"reason", r.rows[run].reason}});
  json["warnings"] = r.warnings;
  json["files"] = r.count.done() > 0 ? std::vector{r.file} : std::vector<std::string>{};
  return json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace

int cmd_sweep(const SweepOptions& options) {
  const SweepPlan plan = plan_of(options);
  const SweepScene source = SweepScene::read(options.scene);
  const Scene scene = first_valid_scene(source, plan);
  SweepResult result;
  result.scene = options.scene;
  result.title = scene.spec.title;
  result.file = output_name(options);
  check_file_names(scene, result.file);
  OutputFile file(result.file);
  result.plan = &plan;
  result.threads = threads_of(options, plan);
  {
    const InterruptGuard interrupt;
    SweepProgress progress(options.quiet);
    result.rows = sweep(source, plan, result.threads, [&](const SweepCount& now) {
      progress.show(now);
      return interrupt.signal() == 0;
    });
    result.wall = progress.seconds();
  }
  result.count = count(result.rows);
  const SweepCount& n = result.count;
  const bool complete = n.done() == n.runs;
  if (n.done() > 0) write_sweep(file, plan, result.rows, options.times);
  if (complete) {
    file.commit();
  } else {
    result.stopped = fmt::format("interrupted after {} of {} runs", n.done(), n.runs);
    if (n.done() > 0) {
      file.flush();
      file.keep();
      result.file = file.part();
      result.stopped += fmt::format("; {} contains their rows", result.file);
    }
  }
  if (n.failed + n.invalid > 0) {
    result.warnings.push_back(
        fmt::format("{} of {} runs did not reach their end ({} failed, {} invalid); the reasons "
                    "are in {}",
                    n.failed + n.invalid, n.done(), n.failed, n.invalid, result.file));
    warn(result.warnings.back());
  }
  if (n.warned > 0) {
    result.warnings.push_back(
        fmt::format("{} of the {} runs that reached their end have warnings, which are in {}",
                    n.warned, n.ok, result.file));
    warn(result.warnings.back());
  }
  if (!complete) complain(result.stopped);
  const std::string text = options.json                 ? sweep_json(result)
                           : options.quiet || !complete ? ""
                                                        : sweep_text(result);
  std::fwrite(text.data(), 1, text.size(), stdout);
  return complete ? kDone : kNotFinished;
}

}  // namespace saltus::app

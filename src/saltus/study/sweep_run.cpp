#include "saltus/study/sweep_run.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <new>

#include "saltus/base/stop.h"
#include "saltus/base/text_check.h"
#include "saltus/phases/build_run.h"
#include "saltus/results/statistics.h"
#include "saltus/scene_file/scene_yaml.h"
#include "saltus/scene_file/yaml_document.h"
#include "saltus/sim/failure_text.h"
#include "saltus/sim/simulation.h"
#include "saltus/study/run_warnings.h"

namespace saltus {
namespace {

/// Quantities recorded at the start and after every step.
class Recorder {
 public:
  Recorder(const Simulation& sim, SweepRow& row) : sim_(sim), row_(row) {
    const State& state = sim.state();
    row.started = true;
    row.start = state.energy;
    for (const std::string& account : sim.model().accounts()) row.ledger.push_back({account, 0.0});
    for (const Probe& probe : sim.model().probes())
      row.probes.push_back({probe.name, std::string(unit_of(probe, sim.model().joints()))});
    squares_.resize(row.probes.size());
    StepReport first;
    first.gap = std::numeric_limits<double>::infinity();
    statistics_.add(first, state.energy, state.t);
    sample();
  }

  void step(const StepReport& report) {
    statistics_.add(report, sim_.state().energy, sim_.state().t);
    row_.impulse += report.impulse;
    row_.passes = std::max(row_.passes, report.passes);
    row_.halved_steps += report.halvings > 0;
    const State& state = sim_.state();
    const double scheme = state.ledger[state.ledger.size() - 2];
    gain.add({report.impact, report.friction, scheme - scheme_, report.impulse * report.speed},
             state.energy_start, state.energy, state.step);
    scheme_ = scheme;
    sample();
  }

  void finish() {
    const State& state = sim_.state();
    row_.steps = state.step;
    row_.t_end = state.t;
    row_.end = state.energy;
    for (std::size_t i = 0; i < state.ledger.size(); ++i) row_.ledger[i].work = state.ledger[i];
    row_.unexplained = std::abs(statistics_.unexplained.value);
    row_.residual = statistics_.residual.value;
    row_.residual_after = statistics_.residual_after.value;
    row_.penetration = statistics_.penetration();
    row_.contact_steps = statistics_.contact_steps;
    row_.failed_steps = statistics_.failed_steps;
    for (std::size_t i = 0; i < row_.probes.size(); ++i)
      row_.probes[i].rms = std::sqrt(squares_[i] / static_cast<double>(statistics_.rows));
  }

  const RunStatistics& statistics() const { return statistics_; }

  ContactGain gain;

 private:
  void sample() {
    for (std::size_t i = 0; i < row_.probes.size(); ++i) {
      const double value = sim_.probe(static_cast<int>(i));
      ProbeSummary& probe = row_.probes[i];
      const bool first = statistics_.rows == 1;
      probe.last = value;
      probe.min = first ? value : std::min(probe.min, value);
      probe.max = first ? value : std::max(probe.max, value);
      squares_[i] += value * value;
    }
  }

  const Simulation& sim_;
  SweepRow& row_;
  RunStatistics statistics_;
  std::vector<double> squares_;
  double scheme_ = 0.0;  ///< work term of the schemes after the previous step [J]
};

void warn_into(SweepRow& row, const std::string& text) {
  row.warnings += (row.warnings.empty() ? "" : " | ") + text;
}

/// Adds the warnings of a run that reached its end.
void doubt(const Simulation& sim, const Recorder& recorder, SweepRow& row) {
  const double tolerance = sim.model().options().contact.tolerance;
  const std::vector<double>& ledger = sim.state().ledger;
  double scale = recorder.statistics().largest_parts;
  for (std::size_t i = 0; i + 1 < ledger.size(); ++i) scale = std::max(scale, std::abs(ledger[i]));
  const std::string gaining = what_opens(sim.model());
  if (recorder.gain.matters(ledger) && !gaining.empty())
    warn_into(row, fmt::format("{} added {:.3g} J of energy to the motion; `saltus run` names the "
                               "remedy",
                               gaining, recorder.gain.fed()));
  if (row.failed_steps > 0)
    warn_into(row, fmt::format("{} steps were accepted although not solved; raise "
                               "solver.iterations or newton_iterations, or use a shorter step",
                               row.failed_steps));
  else if (!(row.residual_after <= std::max(1e-6, 100.0 * tolerance)))
    warn_into(row, fmt::format("the contact laws have a residual of {:.3g} at the end of a step; "
                               "use a shorter step",
                               row.residual_after));
  if (const std::string open =
          joint_warning(recorder.statistics().joint_gap, sim.model(), sim.state());
      !open.empty())
    warn_into(row, open);
  if (!ledger.empty() && !(std::abs(ledger.back()) <= 0.1 * scale))
    warn_into(row, fmt::format("no work term explains {:.3g} J: the motion is not resolved; use a "
                               "shorter step",
                               ledger.back()));
}

void integrate(Simulation& sim, std::uint64_t steps, Stop& stop, SweepRow& row) {
  const State& state = sim.state();
  sim.stop_by(&stop);
  Recorder recorder(sim, row);
  row.status = SweepRow::Status::ok;
  while (state.step < steps) {
    if (stop.requested()) {
      row.status = SweepRow::Status::none;
      return;
    }
    const std::uint64_t before = state.step;
    const StepReport report = sim.advance();
    if (is_stop(report.failure)) {
      row.status = SweepRow::Status::none;
      return;
    }
    if (state.step == before) {
      row.status = SweepRow::Status::failed;
      row.reason = failure_text(sim.model(), report, before + 1);
      break;
    }
    recorder.step(report);
  }
  recorder.finish();
  if (row.status == SweepRow::Status::ok) doubt(sim, recorder, row);
}

void run_into(SweepRow& row, const SweepScene& source, std::span<const std::string> assignments,
              Stop& stop) {
  std::optional<Simulation> sim;
  std::uint64_t steps = 0;
  try {
    const Scene scene = source.with(assignments);
    const Model model = build_run(scene);
    for (const std::string& warning : model.warnings()) warn_into(row, warning);
    steps = static_cast<std::uint64_t>(step_count(scene.spec.time));
    sim.emplace(model);
  } catch (const SceneError& error) {
    row.status = SweepRow::Status::invalid;
    row.reason = error.SceneError::what();  // a row is one line: report only the first error
    return;
  }
  integrate(*sim, steps, stop, row);
}

}  // namespace

SweepScene SweepScene::read(const std::string& file) {
  SweepScene scene{read_text_file(file), file, std::filesystem::path(file).parent_path(), {}};
  parse_yaml(scene.text, file);
  return scene;
}

Scene SweepScene::with(std::span<const std::string> assignments) const {
  std::vector<std::string> all = set;
  all.insert(all.end(), assignments.begin(), assignments.end());
  return read_scene_text(text, file, all, folder);
}

std::string_view name_of(SweepRow::Status status) {
  constexpr std::string_view names[] = {"", "ok", "failed", "invalid"};
  return names[static_cast<std::size_t>(status)];
}

SweepRow sweep_run(const SweepScene& scene, std::span<const std::string> assignments, Stop& stop) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  SweepRow row;
  const auto give_up = [&](std::string reason) {
    row = {};
    row.status = SweepRow::Status::failed;
    row.reason = std::move(reason);
  };
  try {
    run_into(row, scene, assignments, stop);
  } catch (const std::bad_alloc&) {
    give_up("out of memory; use fewer modes or contact points, or fewer threads");
  } catch (const std::exception& error) {
    give_up(std::string("internal error: ") + error.what() + "; please report it with the scene");
  }
  row.wall = std::chrono::duration<double>(Clock::now() - begin).count();
  return row;
}

}  // namespace saltus

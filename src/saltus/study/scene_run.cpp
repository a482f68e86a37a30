#include "saltus/study/scene_run.h"

#include <fmt/format.h>
#include <algorithm>
#include <filesystem>
#include <new>
#include <optional>

#include "saltus/exchange/file_names.h"
#include "saltus/results/layout.h"
#include "saltus/results/output_file.h"
#include "saltus/results/replaceable.h"
#include "saltus/results/results_file.h"
#include "saltus/results/results_reader.h"
#include "saltus/scene_file/data_files.h"
#include "saltus/scene_file/scene_write.h"
#include "saltus/sim/failure_text.h"
#include "saltus/spec/body_names.h"
#include "saltus/study/contact_dump.h"
#include "saltus/study/run_warnings.h"
#include "saltus/study/slow_steps.h"

namespace saltus {
namespace {

namespace fs = std::filesystem;

std::string results_name(const Scene& scene, const SceneRunOptions& options) {
  std::string name =
      options.output.empty() ? fs::path(scene.file).stem().string() + ".h5" : options.output;
  if (name.ends_with(".part") && options.resume) name.resize(name.size() - 5);
  return name;
}

/// Checks names of sound files and tables before the run, not after it.
void try_outputs(const Model& model, const std::string& results, bool replace_any) {
  const fs::path folder = fs::path(results).parent_path();
  if (!replace_any)
    for (const Probe& probe : model.probes()) expect_own_probe_files(probe, model, folder.string());
  for (const Probe& probe : model.probes())
    for (const std::string& name : {probe.wav, probe.csv}) {
      if (name.empty()) continue;
      OutputFile attempt((folder / name).string());
    }
}

/// Energy added by contacts before step `last`, from the stored rows.
ContactGain stored_gain(const std::string& file, double energy_start, std::uint64_t last) {
  const ResultsReader stored(file);
  const std::vector<double> impact = stored.step("impact"), kinetic = stored.step("kinetic"),
                            potential = stored.step("potential"),
                            scheme = stored.ledger(scheme_account(stored.accounts()));
  std::vector<double> friction(impact.size(), 0.0);
  const auto accounts = stored.accounts();
  if (std::find(accounts.begin(), accounts.end(), "friction") != accounts.end())
    friction = stored.ledger("friction");
  const auto of_step = [](const std::vector<double>& sum, std::size_t row) {
    return row > 0 ? sum[row] - sum[row - 1] : 0.0;
  };
  ContactGain gain;
  for (std::size_t row = 0; row < impact.size() && row <= last; ++row)
    gain.add({impact[row], of_step(friction, row), of_step(scheme, row), 0.0}, energy_start,
             {kinetic[row], potential[row]}, row);
  return gain;
}

}  // namespace

struct SceneRun::Execution {
  Execution(SceneSetup scene_setup, SceneRunOptions run_options)
      : options(std::move(run_options)),
        setup(std::make_shared<const SceneSetup>(std::move(scene_setup))),
        asked(setup),
        output(results_name(setup->scene, options)) {
    check_file_names(setup->scene, output);
    if (!options.outputs_anywhere) expect_outputs_beside(setup->scene, output);
    expect_replaceable(output, "\x89HDF\r\n\x1a\n", "a results file");
    result.setup = setup;
    if (setup->search) setup->search->stop_by(options.stop);
    for (const std::string& text : setup->model.warnings()) note(text);
    if (!setup->phases) return;
    for (const std::string& text : setup->phases->notes) note(text);
    use_phase(0);
  }

  /// From now on `setup` is that of a phase.
  void use_phase(std::size_t number) {
    phase = number;
    const PhaseModel& of = asked->phases->phases[phase];
    setup = std::make_shared<const SceneSetup>(
        SceneSetup{of.phase.scene, of.model, asked->steps, nullptr, asked->phases});
    result.setup = setup;
  }

  /// Lets the writer record the present phase.
  void record_phase(std::span<const Notice> notices = {}) {
    if (!ledger) return;
    writer->enter(setup->model, ledger->work(), notices);
    writer->store_beside([this] {
      ledger->add(sim->model(), sim->state());
      return ledger->numbers(phase);
    });
  }

  /// Goes on to the next phase if the present one is at its end. Throws RunError if the state does
  /// not fit it.
  bool next_phase_begins() {
    if (!ledger || phase + 1 == asked->phases->reached ||
        result.loop.end == LoopReport::End::failed ||
        sim->state().step != asked->phases->phases[phase].phase.last)
      return false;
    const PhaseModel& next = asked->phases->phases[phase + 1];
    ledger->add(sim->model(), sim->state());
    std::vector<std::string> notes;
    std::optional<State> state;
    try {
      state = next_phase(*sim, next, asked->phases->phases[phase].phase.name, *ledger, notes);
    } catch (const SceneError& error) {
      writer->checkpoint(sim->state(), sim->notices());
      writer.reset();
      throw RunError(fmt::format("phase '{}' cannot begin: {}; the results up to there are in {}",
                                 next.phase.name, error.what(), part_name(output)));
    }
    for (const std::string& text : notes) note(text);
    const std::vector<Notice> notices = sim->notices();
    use_phase(phase + 1);
    sim.emplace(setup->model, std::move(*state));
    sim->stop_by(options.stop);
    if (dump) sim->observe(&*dump);
    ledger->add(sim->model(), sim->state());
    record_phase(notices);
    writer->checkpoint(sim->state());
    return result.loop.end == LoopReport::End::reached;
  }

  void note(const std::string& text) {
    if (options.note) options.note(text);
    result.warnings.push_back(text);
  }

  void take_next_of_search() {
    setup = std::make_shared<const SceneSetup>(set_up_next(setup->search));
    result.setup = setup;
  }

  [[noreturn]] void search_interrupted() const {
    throw RunError(
        fmt::format("interrupted between two runs of `time.scheme: auto`, {} is kept; "
                    "resume with: {}",
                    part_name(output), options.go_on));
  }

  /// With `time.scheme: auto`: makes the runs before the one in the `.part` again, in memory.
  void catch_up() {
    const std::string file = resumable_file(output);
    std::string text, resolved;
    try {
      const ResultsReader stored(file);
      text = stored.scene();
      resolved = stored.resolved();
    } catch (const SceneError&) {  // without a first flush, or damaged: open() decides
      return;
    }
    if (!is_part(file) || text != setup->scene.text) return;
    AutoResult earlier;
    while (!same_scene(resolved, write_scene(setup->scene.spec))) try {
        if (run_next(*setup->search, earlier)) return;  // of another scene, which open() reports
        take_next_of_search();
      } catch (const RunError&) {
        search_interrupted();
      }
  }

  void open() {
    if (options.resume && !again && setup->search) catch_up();
    ResultsOptions results;
    results.go_on = options.go_on;
    results.provenance = options.provenance;
    const Scene& scene = setup->search ? setup->scene : asked->scene;
    results.inputs = input_files(scene);
    const SceneSpec& spec = scene.spec;
    if (asked->phases) results.phased = asked->phases->results;
    results.expected_steps = setup->steps;
    results.frame_contacts = frames_hold_contacts(spec.results, setup->model);
    results.fields = {spec.results.stress, spec.results.strain, spec.results.resultants};
    for (const OutputSpec& one : spec.outputs)
      results.probe_at.push_back(
          one.at ? place_text(*one.at, spec.bodies[find_body(spec, one.probe)->entry].kind) : "");
    const std::string resolved = write_scene(spec);
    bool from_start = false;
    if (options.resume && !again) {
      const std::string file = resumable_file(output);
      if (is_written_now(file).value_or(false))
        throw SceneError("", "another run is writing it", "wait until it has finished, or stop it")
            .at(file, 0, 0);
      from_start = begins_at_start(file, resolved, results.inputs);
      if (from_start) note(file + " contains no checkpoint: the run begins at t = 0");
    }
    result.resumed = options.resume && !from_start && !again;
    if (result.resumed) {
      const std::string file = resumable_file(output);
      if (asked->phases) {
        const std::vector<double> stored = read_beside(file);
        use_phase(PhaseLedger::phase_in(stored, *asked->phases, file));
        ledger.emplace(*asked->phases, stored);
      }
      State state = read_checkpoint(file, setup->model);
      writer.emplace(
          ResultsWriter::resume(file, setup->model, scene.text, resolved, std::move(results)));
      if (spec.results.every_step) try {
          gain = stored_gain(part_name(output), state.energy_start, state.step);
        } catch (const h5::Error& error) {
          layout::damaged(part_name(output), error);
        }
      sim.emplace(setup->model, std::move(state));
      sim->stop_by(options.stop);
      record_phase();
      return open_dump();
    }
    sim.emplace(setup->model);
    sim->stop_by(options.stop);
    open_dump();
    if (!again && !from_start)
      if (const KeptPart kept = keep_earlier_part(output); !kept.name.empty())
        note(
            fmt::format("{} of an earlier run is now {}", part_name(output), part_name(kept.name)) +
            (kept.whole ? fmt::format("; --resume -o {} resumes it", kept.name) : ""));
    writer.emplace(output, setup->model, scene.text, resolved, std::move(results));
    if (asked->phases) ledger.emplace(*asked->phases, sim->state().energy_start);
    record_phase();
  }

  void open_dump() {
    if (options.dump_contact.empty()) return;
    const std::string folder =
        options.dump_folder.empty() ? fs::path(output).parent_path().string() : options.dump_folder;
    dump.emplace(options.dump_contact, folder, fs::path(output).stem().string(), *sim);
    sim->observe(&*dump);
  }

  void finish_dump() {
    if (!dump) return;
    sim->observe(nullptr);
    dumped = dump->finish();
    if (const std::string text = dump->left_out(); !text.empty()) note(text);
  }

  /// Leaves the last checkpoint and the rows up to it in the `.part` file.
  void stop() {
    writer->checkpoint(sim->state(), sim->notices());
    writer.reset();
    const std::string part = part_name(output);
    const LoopReport& loop = result.loop;
    if (loop.end == LoopReport::End::failed)
      result.stopped = fmt::format("{}; the results up to there are in {}",
                                   failure_text(setup->model, loop.failure, loop.last + 1), part);
    else
      result.stopped = fmt::format(
          "interrupted after step {} of {} (t = {:.9g} s), {} contains a checkpoint; resume with: "
          "{}",
          loop.last, setup->steps, sim->state().t, part, options.go_on);
    result.files = {part};
    result.files.insert(result.files.end(), dumped.begin(), dumped.end());
  }

  void finish() {
    ProbeFiles probes = write_probe_files(
        *writer, setup->model, fs::path(output).parent_path().string(), options.outputs_anywhere);
    RunSummary summary;
    summary.wall_time = result.loop.wall;
    if (result.choice) summary.choice = auto_json(*result.choice);
    summary.notices = sim->notices();
    writer->finish(sim->state(), summary);
    result.files = {output};
    result.files.insert(result.files.end(), probes.written.begin(), probes.written.end());
    result.files.insert(result.files.end(), dumped.begin(), dumped.end());
    result.sounds = std::move(probes.sounds);
    result.faults = std::move(probes.faults);
  }

  void run() {
    open();
    const std::vector<double>& samples = writer->stored_beside();
    // files of earlier versions have no samples: their runs are not judged
    if (setup->search && !(result.resumed && samples.empty())) {
      recorder.emplace(*sim, setup->search->stride());
      if (!samples.empty()) recorder->restore(samples);
      writer->store_beside([this] { return recorder->numbers(); });
    }
    kinetic = sim->state().energy.kinetic;
    const RunAfter after = [this, slow = SlowSteps()](const StepReport& report,
                                                      double seconds) mutable {
      if (recorder) recorder->step(report);
      if (const std::string text = slow.look(sim->model(), report, sim->state().t, seconds);
          options.note && !text.empty())
        options.note(text);
      kinetic = std::max(kinetic, sim->state().energy.kinetic);
    };
    try {
      RunPart part;
      do {
        if (ledger) part.until = asked->phases->phases[phase].phase.last;
        result.loop = run_loop(*sim, *writer, setup->scene.spec.results, setup->steps,
                               part.former ? part.former->gain : gain, options.watch, after, part);
        part.former = &result.loop;
      } while (next_phase_begins());
    } catch (const RunError&) {  // a full disk: still write the contact problems kept so far
      finish_dump();
      throw;
    } catch (const std::bad_alloc&) {  // in a step
      dump.reset();
      recorder.reset();
      sim.reset();
      throw RunError("out of memory; " + writer->give_up());
    }
  }

  /// With `time.scheme: auto`: whether the last run is the result; otherwise sets up the next run.
  bool judged() {
    if (!setup->search) return true;
    AutoSearch& search = *setup->search;
    bool good = true;
    if (recorder && result.loop.end == LoopReport::End::reached) {
      writer->checkpoint(sim->state(), sim->notices());  // further runs may take long
      try {
        good = search.judge(recorder->samples());
      } catch (const RunError&) {
        search_interrupted();
      }
    } else if (recorder && result.loop.end == LoopReport::End::failed)
      good = search.judge_failure(
          failure_text(setup->model, result.loop.failure, result.loop.last + 1));
    result.choice = search.choice();
    if (good) {
      if (!result.choice->unmet.empty()) note("time.scheme: auto: " + result.choice->unmet);
      return true;
    }
    recorder.reset();
    dump.reset();
    writer->discard();
    writer.reset();
    sim.reset();
    again = true;
    take_next_of_search();
    return false;
  }

  void add_work() {
    const State& state = sim->state();
    result.energy_start = state.energy_start;
    if (ledger) {
      ledger->add(sim->model(), state);
      result.energy_start = ledger->energy_start();
      for (const std::string& account : ledger->accounts())
        result.work.emplace_back(account, ledger->of(account));
    } else {
      for (std::size_t i = 0; i < state.ledger.size(); ++i)
        result.work.emplace_back(sim->model().accounts()[i], state.ledger[i]);
    }
  }

  RunResult close() {
    result.state = sim->state();
    add_work();
    finish_dump();
    for (const std::string& text :
         {gain_warning(result.loop.gain, result.state, *setup),
          unsolved_warning(result.loop, *setup), left_warning(result.loop, *setup),
          unexplained_warning(result.loop, result.state, *setup), law_warning(result.loop, *setup),
          sinking_warning(result.loop, *setup), growth_warning(kinetic, result.state, *setup),
          joint_warning(result.loop.statistics.joint_gap, setup->model, result.state),
          inverted_warning(result.state, *setup)})
      if (!text.empty()) note(text);
    for (const std::string& text : notice_warnings(writer->all_notices(sim->notices()))) note(text);
    if (result.loop.end == LoopReport::End::reached)
      finish();
    else
      stop();
    return std::move(result);
  }

  SceneRunOptions options;
  std::shared_ptr<const SceneSetup> setup;
  std::shared_ptr<const SceneSetup> asked;  ///< of the whole run
  std::string output;
  std::size_t phase = 0;
  std::optional<PhaseLedger> ledger;  ///< of a run of several phases
  ContactGain gain;
  std::optional<Simulation> sim;
  std::optional<ResultsWriter> writer;
  std::optional<ContactDump> dump;
  std::optional<AutoRecorder> recorder;  ///< of `sim`
  double kinetic = 0.0;                  ///< largest in this process [J]
  bool again = false;                    ///< not the first run of a search
  std::vector<std::string> dumped;
  RunResult result;
};

SceneRun::SceneRun(SceneSetup setup, SceneRunOptions options)
    : execution_(std::make_unique<Execution>(std::move(setup), std::move(options))) {}
SceneRun::~SceneRun() = default;

const SceneSetup& SceneRun::setup() const {
  return execution_->asked->phases ? *execution_->asked : *execution_->setup;
}
const std::string& SceneRun::output() const { return execution_->output; }

RunResult SceneRun::operator()() {
  Execution& p = *execution_;
  expects(!p.sim, "SceneRun: a run can be made once");
  // before an existing `.part` is replaced
  try_outputs(p.setup->model, p.output, p.options.outputs_anywhere);
  do p.run();
  while (!p.judged());
  return p.close();
}

}  // namespace saltus

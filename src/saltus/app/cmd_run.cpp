#include <fmt/format.h>

#include <sys/stat.h>
#include <algorithm>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>

#include "saltus/app/app.h"
#include "saltus/app/contact_dump.h"
#include "saltus/app/file_names.h"
#include "saltus/app/run_loop.h"
#include "saltus/app/run_report.h"
#include "saltus/app/scene_setup.h"
#include "saltus/io/data_files.h"
#include "saltus/io/output_file.h"
#include "saltus/io/results_reader.h"
#include "saltus/io/scene_write.h"
#include "saltus/scene/body_names.h"
#include "saltus/sim/failure_text.h"

namespace saltus::app {
namespace {

namespace fs = std::filesystem;

std::string output_name(const RunOptions& options) {
  std::string name =
      options.output.empty() ? fs::path(options.scene).stem().string() + ".h5" : options.output;
  if (name.ends_with(".part") && options.resume) name.resize(name.size() - 5);
  return name;
}

/// Faults in names of sound files and tables show before the run, not behind it.
void try_outputs(const Model& model, const std::string& results) {
  const fs::path folder = fs::path(results).parent_path();
  for (const Probe& probe : model.probes())
    for (const std::string& name : {probe.wav, probe.csv}) {
      if (name.empty()) continue;
      OutputFile attempt((folder / name).string());
    }
}

/// What the stored rows tell about energy fed in by contact before step `last`.
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
    gain.add(impact[row], of_step(friction, row), of_step(scheme, row), energy_start,
             {kinetic[row], potential[row]}, row);
  return gain;
}

std::string stopped_text(const RunResult& result, const std::string& part) {
  return fmt::format("{}; everything before it is in {}",
                     failure_text(result.setup->model, result.loop.failure, result.loop.last + 1),
                     part);
}

/// One run from its first step to the files on disk.
class Run {
 public:
  Run(const RunOptions& options, const CommandLine& line)
      : options_(options),
        setup_(set_up(options.scene, options.set, options.until)),
        output_(output_name(options)) {
    check_file_names(setup_.scene, output_);
    provenance_ = provenance_now(line.count, line.arguments);
    result_.setup = &setup_;
    result_.resumed = options.resume;
    for (const std::string& text : setup_.model.warnings()) note(text);
  }

  int operator()() {
    const InterruptGuard interrupt;
    open();
    try_outputs(setup_.model, output_);
    {
      Progress progress(options_.quiet);
      result_.loop = run_loop(*sim_, *writer_, setup_.scene.spec.results, setup_.steps, gain_,
                              interrupt, progress);
    }
    result_.state = &sim_->state();
    finish_dump();
    for (const std::string& text :
         {gain_warning(result_.loop.gain, setup_), unsolved_warning(result_.loop, setup_),
          unexplained_warning(result_.loop, *result_.state, setup_),
          law_warning(result_.loop, setup_), inverted_warning(*result_.state, setup_)})
      if (!text.empty()) note(text);
    return result_.loop.end == LoopReport::End::reached ? finish() : stop();
  }

 private:
  void note(const std::string& text) {
    warn(text);
    result_.warnings.push_back(text);
  }

  void open() {
    ResultsOptions results;
    results.provenance = provenance_;
    results.inputs = input_files(setup_.scene);
    results.expected_steps = setup_.steps;
    const SceneSpec& spec = setup_.scene.spec;
    results.fields = {spec.results.stress, spec.results.strain, spec.results.resultants};
    for (const OutputSpec& output : spec.outputs)
      results.probe_at.push_back(
          output.at ? place_text(*output.at, spec.bodies[find_body(spec, output.probe)->entry].kind)
                    : "");
    const std::string resolved = write_scene(setup_.scene.spec);
    if (options_.resume) {
      const std::string file = resumable_file(output_);
      State state = read_checkpoint(file, setup_.model);
      writer_.emplace(ResultsWriter::resume(file, setup_.model, setup_.scene.text, resolved,
                                            std::move(results)));
      if (setup_.scene.spec.results.every_step)
        gain_ = stored_gain(part_name(output_), state.energy_start, state.step);
      sim_.emplace(setup_.model, std::move(state));
      return open_dump();
    }
    struct stat status {};
    const std::string part = part_name(output_);
    if (::stat(part.c_str(), &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0)
      note(part + " of an earlier run is replaced; --resume would have continued it");
    sim_.emplace(setup_.model);
    open_dump();
    writer_.emplace(output_, setup_.model, setup_.scene.text, resolved, std::move(results));
  }

  void open_dump() {
    if (options_.dump_contact.empty()) return;
    const std::string folder = options_.dump_folder.empty()
                                   ? fs::path(output_).parent_path().string()
                                   : options_.dump_folder;
    dump_.emplace(options_.dump_contact, folder, fs::path(output_).stem().string(), *sim_);
    sim_->observe(&*dump_);
  }

  void finish_dump() {
    if (!dump_) return;
    sim_->observe(nullptr);
    dumped_ = dump_->finish();
    if (const std::string text = dump_->left_out(); !text.empty()) note(text);
  }

  void print() const {
    const std::string text = options_.json    ? run_json(result_)
                             : options_.quiet ? ""
                                              : run_table(result_);
    std::fwrite(text.data(), 1, text.size(), stdout);
  }

  /// The last checkpoint and the rows up to it stay under the name of a file in the making.
  int stop() {
    writer_->checkpoint(sim_->state());
    writer_.reset();
    const std::string part = part_name(output_);
    if (result_.loop.end == LoopReport::End::failed) {
      result_.stopped = stopped_text(result_, part);
    } else {
      result_.stopped = fmt::format(
          "interrupted after step {} of {} (t = {:.9g} s), {} holds a checkpoint; go on with: "
          "{}{}",
          result_.loop.last, setup_.steps, sim_->state().t, part, provenance_.command_line,
          options_.resume ? "" : " --resume");
    }
    result_.files = {part};
    result_.files.insert(result_.files.end(), dumped_.begin(), dumped_.end());
    complain(result_.stopped);
    if (options_.json) print();
    return kNotFinished;
  }

  int finish() {
    const ProbeFiles probes =
        write_probe_files(*writer_, setup_.model, fs::path(output_).parent_path().string());
    RunSummary summary;
    summary.wall_time = result_.loop.wall;
    writer_->finish(sim_->state(), summary);
    result_.files = {output_};
    result_.files.insert(result_.files.end(), probes.written.begin(), probes.written.end());
    result_.files.insert(result_.files.end(), dumped_.begin(), dumped_.end());
    result_.sounds = probes.sounds;
    print();
    for (const std::string& fault : probes.faults) complain(fault);
    return probes.faults.empty() ? kDone : kNotFinished;
  }

  const RunOptions& options_;
  SceneSetup setup_;
  std::string output_;
  Provenance provenance_;
  ContactGain gain_;
  std::optional<Simulation> sim_;
  std::optional<ResultsWriter> writer_;
  std::optional<ContactDump> dump_;
  std::vector<std::string> dumped_;
  RunResult result_;
};

}  // namespace

int cmd_run(const RunOptions& options, const CommandLine& line) { return Run(options, line)(); }

}  // namespace saltus::app

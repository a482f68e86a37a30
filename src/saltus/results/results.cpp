#include "saltus/results/results.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>

#include "saltus/results/atomic_file.h"
#include "saltus/results/output_file.h"
#include "saltus/results/recording_internal.h"
#include "saltus/results/results_file.h"

namespace saltus {
namespace {

// Adding and subtracting it rounds to 2^-30 s; smaller digits would not be compressible.
constexpr double kNanosecond = 0x1.8p22;
constexpr std::array<const char*, 3> kTexts{"scene", "resolved", "summary"};

/// Copies a finished file, which stays unchanged until the longer run takes its name.
OutputFile copy_to_part(const std::string& file) {
  std::ifstream source(file, std::ios::binary);
  if (!source) throw SceneError("", "cannot be read", "give a results file").at(file, 0, 0);
  OutputFile output(file);
  std::string block(1 << 20, '\0');
  while (source.read(block.data(), static_cast<std::streamsize>(block.size())) ||
         source.gcount() > 0)
    output.write(std::string_view(block).substr(0, static_cast<std::size_t>(source.gcount())));
  output.flush();
  return output;
}

}  // namespace

ResultsWriter::ResultsWriter(std::string path, const Model& model, std::string_view scene,
                             std::string_view resolved, ResultsOptions options)
    : recording_(std::make_unique<Recording>(OutputFile(std::move(path)), model, options)) {
  Recording& p = *recording_;
  p.settled([&] {
    p.hdf5 = h5::File::create_growing(p.output.part());
    create_layout(p.hdf5, model, scene, resolved, options);
    p.frames = FrameTable::create(p.hdf5, model, options.fields, options.frame_contacts,
                                  options.phased.whole);
    if (options.step_contacts) p.step_contacts = StepContacts::create(p.hdf5);
    if (model.options().mode == TimeMode::events || options.phased.events)
      p.events = EventTable::create(p.hdf5);
    p.breaks = JointBreaks::create(p.hdf5, model);
    name_checkpoints(p.hdf5, resolved, options.inputs);
    p.rows = open_rows(p.hdf5);
    p.reserve(options);
    p.tables = SummedTables::list(p.hdf5);
    p.hdf5.flush();
  });
}

ResultsWriter::ResultsWriter(std::unique_ptr<Recording> parts) : recording_(std::move(parts)) {}
ResultsWriter::ResultsWriter(ResultsWriter&&) noexcept = default;
ResultsWriter& ResultsWriter::operator=(ResultsWriter&&) noexcept = default;
ResultsWriter::~ResultsWriter() = default;

ResultsWriter ResultsWriter::resume(const std::string& file, const Model& model,
                                    std::string_view scene, std::string_view resolved,
                                    ResultsOptions options) {
  Checkpoint checkpoint;
  {
    const h5::File stored = layout::open(file, false);
    checkpoint = newest_checkpoint(stored, file, model);
    check_same_scene(stored, file, resolved, checkpoint.state.t);
    check_same_inputs(stored, file, options.inputs);
    try {
      SummedTables::open(stored).expect(checkpoint.tables);
      for (const char* name : kTexts)  // read before anything is altered, because they are renamed
        if (stored.has(name)) stored.dataset(name).text();
    } catch (const h5::Changed&) {
      throw;
    } catch (const h5::Error& error) {
      layout::damaged(file, error);
    }
  }
  const bool part = is_part(file);
  auto parts = std::make_unique<Recording>(
      part ? OutputFile::adopt(final_name(file)) : copy_to_part(file), model, options);
  Recording& p = *parts;
  if (part) p.output.keep();
  try {
    p.hdf5 = layout::open(p.output.part(), true);
    p.rows = open_rows(p.hdf5);
    if (p.rows.width() != p.step_width + p.accounts() + model.probes().size() + layout::kTiming)
      throw h5::Error(p.hdf5.label() + ": has columns that differ from those of the scene");
    p.frames = FrameTable::open(p.hdf5, model, options.fields, options.frame_contacts,
                                options.phased.whole);
    p.step_contacts = StepContacts::open(p.hdf5);
    p.rows.truncate(checkpoint.extent.rows);
    p.frames.truncate(checkpoint.extent.frames);
    p.step_contacts.truncate(checkpoint.extent.rows);
    p.events = EventTable::open(p.hdf5);
    p.events.truncate(checkpoint.extent.events);
    p.breaks = JointBreaks::open(p.hdf5, model);
    p.tables = SummedTables::open(p.hdf5);
    p.tables.keep(checkpoint.tables);
    p.statistics = read_statistics(p.hdf5, checkpoint.extent.rows, checkpoint.extent.events);
  } catch (const h5::Error& error) {
    p.hdf5.abandon();  // the data removed so far stay on the disk
    layout::damaged(file, error);
  }
  p.next_slot = checkpoint.slot == "a" ? "b" : "a";
  p.started = checkpoint.extent.rows > 0;
  p.held = checkpoint.extent.rows;
  p.notices = std::move(checkpoint.notices);
  p.stored_beside = std::move(checkpoint.beside);
  p.reserve(options);
  try {
    const h5::Group provenance = p.hdf5.group("provenance");
    const auto resumed = provenance.integer("resumed") + 1;
    provenance.set("resumed", resumed);
    // Old texts are kept, not freed: a damaged header might free space that belongs to a table.
    const std::string before = "provenance/before_" + std::to_string(resumed);
    p.hdf5.create_group(before);
    for (const char* name : kTexts)
      if (p.hdf5.has(name)) p.hdf5.rename(name, before + "/" + name);
    forget_checksums(p.hdf5, before);
    p.hdf5.write("scene", scene);
    p.hdf5.write("resolved", resolved);
    p.hdf5.flush();
  } catch (const h5::Error& error) {
    throw RunError(error.what() + ("; " + p.give_up()));
  }
  p.output.keep();
  return ResultsWriter(std::move(parts));
}

void ResultsWriter::enter(const Model& model, std::span<const double> work,
                          std::span<const Notice> notices) {
  Recording& p = *recording_;
  expects(work.size() == p.phased.accounts.size(), "ResultsWriter::enter: work of all accounts");
  p.settled([&] {
    p.write_and_flush();
    p.notices = merged(p.notices, notices);
    p.enter(model, work);
  });
}

void ResultsWriter::start(const State& state, std::span<const double> probes) {
  StepReport none;
  none.gap = std::numeric_limits<double>::infinity();
  none.steps = 0;
  record(none, state, probes);
}

void ResultsWriter::record(const StepReport& report, const State& state,
                           std::span<const double> probes, double wall) {
  Recording& p = *recording_;
  p.started = true;
  if (p.enough_waits()) p.hand_over();
  const std::span<const double> ledger = p.ledger(state);
  expects(p.step_width + ledger.size() + probes.size() + layout::kTiming == p.rows.width(),
          "ResultsWriter::record: one value per work term and probe of the model");
  p.collecting([&] {
    double* row = put_step(report, state, p.step_width > layout::kStep.size(), p.rows.next());
    for (const double work : ledger) *row++ = work;
    for (const double value : probes) *row++ = value;
    *row = (wall + kNanosecond) - kNanosecond;
    p.step_contacts.add(state.contacts);
  });
}

void ResultsWriter::events(std::span<const Event> events) {
  Recording& p = *recording_;
  p.collecting([&] {
    p.events.add(events);
    p.statistics.add(events);
  });
}

void ResultsWriter::begin_step(std::span<const GroupState> start) {
  recording_->collecting([&] { recording_->frames.begin_step(start); });
}

double ResultsWriter::near(const Model& model) { return FrameTable::near(model); }

void ResultsWriter::frame(const State& state, std::span<const Vector> velocities,
                          std::span<const std::array<Vector3, 2>> joint_loads,
                          std::span<const ContactView> contacts,
                          std::span<const SeenContact> seen) {
  Recording& p = *recording_;
  p.collecting([&] { p.frames.add(state, velocities, joint_loads, contacts, seen); });
}

void ResultsWriter::hand_over() { recording_->hand_over(); }

void ResultsWriter::drain() {
  recording_->settled([&] { recording_->write_and_flush(); });
}

bool ResultsWriter::wants_drain() const { return recording_->enough_waits(); }

void ResultsWriter::checkpoint(const State& state, std::span<const Notice> notices) {
  Recording& p = *recording_;
  p.settled([&] {
    p.take();
    p.write();
    p.save(state, notices);
    p.hdf5.flush();  // one flush for both: rows and checkpoint are written together or not at all
    p.held = p.rows.rows();
  });
  p.output.keep();
}

std::vector<double> ResultsWriter::probe(std::size_t index) {
  Recording& p = *recording_;
  expects(index < p.model.probes().size(), "ResultsWriter::probe: index of a probe of the model");
  drain();
  return p.rows.column(p.step_width + p.accounts() + index).reals();
}

std::vector<double> ResultsWriter::times() {
  drain();
  return recording_->rows.column(0).reals();
}

void ResultsWriter::set_wav(std::size_t index, const std::string& file, double factor,
                            double rate) {
  Recording& p = *recording_;
  expects(index < p.model.probes().size(), "ResultsWriter::set_wav: index of a probe of the model");
  p.settled([&] {
    const h5::Dataset& probe = p.rows.column(p.step_width + p.accounts() + index);
    probe.set("wav_file", file);
    probe.set("wav_factor", factor);
    probe.set("wav_rate", rate);
  });
}

void ResultsWriter::finish(const State& last, const RunSummary& summary) {
  Recording& p = *recording_;
  p.settled([&] {
    p.take();
    p.write();
    for (const std::string& slot : p.hdf5.group("checkpoint").names())
      p.hdf5.remove("checkpoint/" + slot);
    p.next_slot = "a";
    if (!p.phased.any()) p.beside = nullptr;
    p.save(last, summary.notices);
    p.hdf5.write("summary",
                 summary_json(p.statistics, last,
                              p.phased.any() ? std::span<const std::string>(p.phased.accounts)
                                             : p.model.accounts(),
                              p.ledger(last), p.model, summary));
    write_checksums(p.hdf5, p.tables);
    p.hdf5.close();
    p.output.commit(p.hdf5.size_on_disk());
  });
}

void ResultsWriter::store_beside(std::function<std::vector<double>()> numbers) {
  recording_->beside = std::move(numbers);
}

const std::vector<double>& ResultsWriter::stored_beside() const {
  return recording_->stored_beside;
}

bool ResultsWriter::empty() const { return !recording_->started; }

std::vector<Notice> ResultsWriter::all_notices(std::span<const Notice> now) const {
  return merged(recording_->notices, now);
}

std::string ResultsWriter::give_up() {
  Recording& p = *recording_;
  if (!p.failed) try {
      p.close();
      p.hdf5.close();
      p.failed = true;
    } catch (const std::exception&) {
      if (!p.failed) p.give_up();
    }
  return p.left();
}

void ResultsWriter::discard() {
  recording_->discarded = true;
  recording_->output.discard();
}

const RunStatistics& ResultsWriter::statistics() {
  Recording& p = *recording_;
  if (p.rows.waiting() > 0)
    drain();
  else if (p.rows.rows() > 0)  // otherwise nothing has been counted yet
    p.settled([] {});
  return p.statistics;
}

const std::string& ResultsWriter::path() const { return recording_->output.path(); }

}  // namespace saltus

#include "saltus/results/results.h"

#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <new>

#include "saltus/results/atomic_file.h"
#include "saltus/results/checkpoint.h"
#include "saltus/results/event_table.h"
#include "saltus/results/frames.h"
#include "saltus/results/joint_breaks.h"
#include "saltus/results/layout.h"
#include "saltus/results/output_file.h"
#include "saltus/results/results_file.h"
#include "saltus/results/step_contacts.h"
#include "saltus/results/step_row.h"
#include "saltus/results/table_sums.h"
#include "saltus/results/writer_thread.h"

namespace saltus {
namespace {

// Data in memory are handed over and flushed when there are this many rows, or this many bytes of
// other data.
constexpr std::size_t kRows = 8192;
constexpr std::size_t kRowBytes = 16u << 20;
constexpr std::size_t kBytes = 8u << 20;
// Adding and subtracting it rounds to 2^-30 s; smaller digits would not be compressible.
constexpr double kNanosecond = 0x1.8p22;
constexpr std::array<const char*, 3> kTexts{"scene", "resolved", "summary"};

std::size_t buffer_rows(std::size_t width, std::uint64_t expected_steps) {
  const std::size_t fitting = std::max<std::size_t>(kRowBytes / (8 * width), 64);
  const std::size_t wanted =
      expected_steps ? std::max<std::size_t>(expected_steps / 2 + 1, 64) : kRows;
  return std::min({fitting, wanted, kRows});
}

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

struct ResultsWriter::Recording {
  Recording(OutputFile file, const Model& of, const ResultsOptions& options)
      : output(std::move(file)),
        model(of),
        step_width(layout::step_width(of.options())),
        go_on(options.go_on.empty() ? "--resume continues from it"
                                    : "resume with: " + options.go_on),
        thread(options.own_thread) {}
  ~Recording() {
    try {
      if (!failed) close();
    } catch (...) {  // destructors must not throw; give_up() reports errors
    }
    keep();
  }

  /// All rows must be written, because the tables would otherwise have unequal lengths.
  void close() {
    settled([&] {
      if (hdf5.is_open() && !discarded && started && !torn && waits()) write_and_flush();
    });
  }
  /// Keeps the `.part` if rows have reached the disk.
  void keep() {
    if (held > 0 && !discarded) output.keep();
  }

  OutputFile output;  // before hdf5: the file is closed before the `.part` is removed
  Model model;
  std::size_t step_width;  ///< columns of /step
  h5::File hdf5;
  RowTable rows;
  FrameTable frames;
  StepContacts step_contacts;
  EventTable events;
  JointBreaks breaks;
  SummedTables tables;
  RunStatistics statistics;  ///< of the rows written; its events: of all
  struct {
    RowTable::Waiting rows;
    FrameTable::Waiting frames;
    StepContacts::Waiting step_contacts;
    EventTable::Waiting events;
  } portion;  ///< written while the tables collect the next one
  std::string next_slot = "a";
  bool failed = false, started = false, discarded = false;
  bool torn = false;  ///< memory was exhausted within a row or frame: what waits is incomplete
  std::atomic<std::size_t> held = 0;  ///< rows of the last flush
  std::vector<Notice> notices;        ///< of the run up to its last resumption
  std::function<std::vector<double>()> beside;
  std::vector<double> stored_beside;
  std::string go_on;
  WriterThread thread;  // last, because it uses the members above

  /// Adds to the data in memory.
  template <typename Action>
  void collecting(Action&& action) {
    torn = true;
    action();
    torn = false;
  }

  /// Runs an action that writes. After a failure the file stays as of its last flush if it can be
  /// resumed from there; otherwise the `.part` is removed.
  template <typename Action>
  void writing(Action&& action) {
    if (failed) throw RunError(output.path() + ": an earlier write failed");
    try {
      action();
    } catch (const RunError& error) {
      throw RunError(error.what() + ("; " + give_up()));
    } catch (const std::bad_alloc&) {
      throw RunError("out of memory; " + give_up());
    } catch (...) {
      give_up();
      throw;
    }
  }

  /// Description of the state of the file.
  std::string give_up() {
    failed = true;
    thread.settle();
    hdf5.abandon();
    return left();
  }

  /// Description of the contents of the file; a file without rows is removed.
  std::string left() {
    keep();
    std::int64_t step = -1;
    std::size_t rows_there = 0;
    try {  // the file on disk decides
      const h5::File stored = layout::open(output.part(), false);
      step = newest_checkpoint_step(stored);
      rows_there = stored.dataset("step/time").rows();
    } catch (const std::bad_alloc&) {  // it cannot be read now: earlier data are kept
      return output.part() +
             (held > 0 ? " keeps the data written before; " + go_on : " is removed");
    } catch (const std::exception&) {  // damaged, or never flushed
      if (held > 0) return output.part() + " can no longer be read";
    }
    if (step < 0 && rows_there == 0) {
      output.discard();
      return output.part() + " is removed: it contained no rows yet";
    }
    output.keep();
    if (step < 0)
      return output.part() + " keeps " + std::to_string(rows_there) +
             " rows and no checkpoint: --resume begins at the start";
    return output.part() + " keeps " + std::to_string(rows_there) +
           (rows_there == 1 ? " row" : " rows") + " and the checkpoint of step " +
           std::to_string(step) + "; " + go_on;
  }

  /// writing(), after the portion handed over has been written.
  template <typename Action>
  void settled(Action&& action) {
    writing([&] {
      thread.wait();
      action();
    });
  }

  /// Size of the data that accompany rows.
  std::size_t waiting_bytes() const {
    return step_contacts.waiting_bytes() + events.waiting_bytes();
  }
  bool waits() const { return rows.waiting() > 0 || frames.waiting_bytes() + waiting_bytes() > 0; }
  bool enough_waits() const {
    return rows.full() || frames.waiting_bytes() + waiting_bytes() > kBytes;
  }

  void reserve(const ResultsOptions& options) {
    rows.reserve(buffer_rows(rows.width(), options.expected_steps));
    portion.rows = rows.room();
    portion.frames = frames.room();
  }

  /// Moves the data in memory to the portion, which must have been written.
  void take() {
    rows.hand_over(portion.rows);
    frames.hand_over(portion.frames);
    step_contacts.hand_over(portion.step_contacts);
    events.hand_over(portion.events);
  }
  void write() {
    rows.write(portion.rows);
    for (std::size_t row = 0; row < portion.rows.rows; ++row)
      add_step({portion.rows.values.get() + row * rows.width(), step_width}, statistics);
    frames.write(portion.frames);
    step_contacts.write(portion.step_contacts);
    events.write(portion.events);
  }
  void write_and_flush() {
    take();
    const std::size_t reached = rows.rows();
    write();
    hdf5.flush();
    held = reached;
  }

  void hand_over() {
    settled([&] {
      take();
      thread.post([this, reached = rows.rows()] {
        write();
        hdf5.flush();
        held = reached;
      });
    });
  }

  void save(const State& state, std::span<const Notice> now) {
    breaks.write(state);
    write_checkpoint(hdf5, next_slot, state, {rows.rows(), frames.frames(), events.rows()},
                     tables.sums(), merged(notices, now),
                     beside ? beside() : std::vector<double>());
    next_slot = next_slot == "a" ? "b" : "a";
  }
};

ResultsWriter::ResultsWriter(std::string path, const Model& model, std::string_view scene,
                             std::string_view resolved, ResultsOptions options)
    : recording_(std::make_unique<Recording>(OutputFile(std::move(path)), model, options)) {
  Recording& p = *recording_;
  p.settled([&] {
    p.hdf5 = h5::File::create_growing(p.output.part());
    create_layout(p.hdf5, model, scene, resolved, options);
    p.frames = FrameTable::create(p.hdf5, model, options.fields, options.frame_contacts);
    if (options.step_contacts) p.step_contacts = StepContacts::create(p.hdf5);
    if (model.options().mode == TimeMode::events) p.events = EventTable::create(p.hdf5);
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
    if (p.rows.width() !=
        p.step_width + model.accounts().size() + model.probes().size() + layout::kTiming)
      throw h5::Error(p.hdf5.label() + ": has columns that differ from those of the scene");
    p.frames = FrameTable::open(p.hdf5, model, options.fields, options.frame_contacts);
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
  const std::size_t accounts = state.ledger.size();
  expects(p.step_width + accounts + probes.size() + layout::kTiming == p.rows.width(),
          "ResultsWriter::record: one value per work term and probe of the model");
  p.collecting([&] {
    double* row = put_step(report, state, p.step_width > layout::kStep.size(), p.rows.next());
    for (const double work : state.ledger) *row++ = work;
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
  return p.rows.column(p.step_width + p.model.accounts().size() + index).reals();
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
    const h5::Dataset& probe = p.rows.column(p.step_width + p.model.accounts().size() + index);
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
    p.beside = nullptr;
    p.save(last, summary.notices);
    p.hdf5.write("summary", summary_json(p.statistics, last, p.model, summary));
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

// What a ResultsWriter is made of: the file, its tables, and the data that wait to be written.
#pragma once
#include <algorithm>
#include <atomic>
#include <functional>
#include <new>
#include <string>
#include <vector>

#include "saltus/results/checkpoint.h"
#include "saltus/results/event_table.h"
#include "saltus/results/frames.h"
#include "saltus/results/joint_breaks.h"
#include "saltus/results/layout.h"
#include "saltus/results/output_file.h"
#include "saltus/results/results.h"
#include "saltus/results/rows.h"
#include "saltus/results/step_contacts.h"
#include "saltus/results/step_row.h"
#include "saltus/results/table_sums.h"
#include "saltus/results/writer_thread.h"

namespace saltus {

struct ResultsWriter::Recording {
  // Data in memory are handed over and flushed when there are this many rows, or this many bytes of
  // other data.
  static constexpr std::size_t kRows = 8192;
  static constexpr std::size_t kRowBytes = 16u << 20;
  static constexpr std::size_t kBytes = 8u << 20;

  Recording(OutputFile file, const Model& of, const ResultsOptions& options)
      : output(std::move(file)),
        model(of),
        step_width(step_width_of(of, options.phased)),
        phased(options.phased),
        fields(options.fields),
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
  PhasedResults phased;
  FieldOptions fields;
  std::vector<double> work;        ///< of all accounts, in a run of several phases [J]
  std::vector<std::size_t> place;  ///< of each account of the model in `work`
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

  static std::size_t buffer_rows(std::size_t width, std::uint64_t expected_steps) {
    const std::size_t fitting = std::max<std::size_t>(kRowBytes / (8 * width), 64);
    const std::size_t wanted =
        expected_steps ? std::max<std::size_t>(expected_steps / 2 + 1, 64) : kRows;
    return std::min({fitting, wanted, kRows});
  }
  static std::size_t step_width_of(const Model& model, const PhasedResults& phased) {
    return layout::kStep.size() + (phased.substeps || layout::has_substeps(model.options())
                                       ? layout::kSubsteps.size()
                                       : 0);
  }
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

  std::size_t accounts() const {
    return phased.any() ? phased.accounts.size() : model.accounts().size();
  }
  /// The columns of /ledger.
  std::span<const double> ledger(const State& state) {
    if (!phased.any()) return state.ledger;
    for (std::size_t i = 0; i < place.size(); ++i) work[place[i]] = state.ledger[i];
    return work;
  }
  void enter(const Model& of, std::span<const double> so_far) {
    model = of;
    work.assign(so_far.begin(), so_far.end());
    place.clear();
    for (const std::string& name : model.accounts())
      place.push_back(static_cast<std::size_t>(std::ranges::find(phased.accounts, name) -
                                               phased.accounts.begin()));
    frames.enter(model, fields);
    breaks = JointBreaks::open(hdf5, model);
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

}  // namespace saltus

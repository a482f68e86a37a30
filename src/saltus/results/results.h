// The results of a run in one HDF5 file (docs/reference/results.md).
//
//     ResultsWriter out("out.h5", model, scene_text, resolved, options);  // out.h5.part
//     out.start(state, probes);                                           // row 0
//     while (...) {
//       report = advance();
//       out.events(simulation.events());                                  // of every step, if any
//       out.record(report, state, probes);                                // row k: end of step k
//     }
//     out.finish(state, summary);                                         // out.h5
//
// record() copies one row into memory, frame() a frame. From there they reach the file at once
// (drain()) or through a thread of its own (hand_over()), which writes one portion while the next
// is collected; each ends with a flush, so that a killed run leaves a readable `.part`. When that
// happens depends on rows and frames alone: the bytes of a file do not depend on the thread.
#pragma once
#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "saltus/model/model.h"
#include "saltus/results/body_fields.h"
#include "saltus/results/provenance.h"
#include "saltus/results/statistics.h"
#include "saltus/scene_file/data_files.h"
#include "saltus/spec/spec.h"
#include "saltus/state/contact_view.h"
#include "saltus/state/notices.h"
#include "saltus/state/state.h"

namespace saltus {

/// Whether frames hold contacts and the start of their step: what the scene says, else up to 20000
/// shapes.
bool frames_hold_contacts(const ResultsSpec& spec, const Model& model);
/// Of one frame, before compression; of contacts three a shape are assumed [bytes].
double frame_bytes(const ResultsSpec& spec, const Model& model);

struct ResultsOptions {
  Provenance provenance;
  std::vector<InputFile> inputs;     ///< the data files that the model was made of
  std::uint64_t expected_steps = 0;  ///< sizes the buffer of rows, 0: unknown
  /// Place of each probe as the user wrote it, "0.82 m"; may be empty.
  std::vector<std::string> probe_at;
  FieldOptions fields;         ///< what frames hold beside q and velocity
  bool frame_contacts = true;  ///< and contacts, and the start of their step
  bool step_contacts = false;  ///< the impulses of the contacts of every row too
  bool own_thread = true;      ///< for writing; false: the caller waits. The file is the same.
};

/// What only the caller of the run knows. Everything else of /summary comes from RunStatistics and
/// the last State.
struct RunSummary {
  bool complete = true;           ///< the end time was reached
  std::string stopped{};          ///< why not, one line
  double wall_time = 0.0;         ///< of the time loop, resumed parts included as far as known [s]
  std::string choice{};           ///< of `time.scheme: auto`, a JSON object; "": the scene chose
  std::vector<Notice> notices{};  ///< Simulation::notices() of this part of the run
};

class ResultsWriter {
 public:
  /// Creates `<path>.part`. Throws SceneError where it cannot be created. `resolved`: JSON text of
  /// the scene with every default.
  ResultsWriter(std::string path, const Model& model, std::string_view scene,
                std::string_view resolved, ResultsOptions options = {});
  /// Continues a stopped run: `file` is a `.part` or a finished file (which is copied). Rows and
  /// frames behind the checkpoint are dropped. Throws SceneError: no such file, not a results file,
  /// damaged, another scene, other data files (ResultsOptions::inputs). time.end may differ, as
  /// long as it is not before the checkpoint.
  static ResultsWriter resume(const std::string& file, const Model& model, std::string_view scene,
                              std::string_view resolved, ResultsOptions options = {});
  /// Not finished: the `.part` stays if it holds a row or a checkpoint, also when a later write
  /// failed, else it is removed.
  ~ResultsWriter();
  ResultsWriter(ResultsWriter&&) noexcept;
  ResultsWriter& operator=(ResultsWriter&&) noexcept;

  /// Row 0: the state before the first step.
  void start(const State& state, std::span<const double> probes);
  /// One row: what the step did and the state behind it. `probes`: one value a Model::probes();
  /// `wall`: what the step took [s]. About 25 ns; waits only if nobody called hand_over() for 8192
  /// rows.
  void record(const StepReport& report, const State& state, std::span<const double> probes,
              double wall = 0.0);
  /// What event-driven integration located in the step: Simulation::events(), before record(). Of
  /// runs in the other mode nothing is stored.
  void events(std::span<const Event> events);
  /// Before a step that is to end in a frame: all groups as their schemes hold them now. With that,
  /// `seen` and its own moment the frame has what the equations of the step can be made anew with.
  void begin_step(std::span<const GroupState> start);
  /// Open contacts with a larger gap are not stored in frames [m].
  static double near(const Model& model);
  /// Configuration and contacts of a moment; `velocities`: physical ones, one vector a group;
  /// `joint_loads`: force and torque, one a joint (Simulation::joint_load); `contacts`:
  /// Simulation::contacts(near()), without them of the contacts in the state only the impulses are
  /// stored; `seen`: Simulation::seen_contacts(), what the rows of `contacts` were made of.
  void frame(const State& state, std::span<const Vector> velocities,
             std::span<const std::array<Vector3, 2>> joint_loads = {},
             std::span<const ContactView> contacts = {}, std::span<const SeenContact> seen = {});
  /// What is in memory is written and flushed while the caller goes on. Waits until what was handed
  /// over before is written; throws RunError as drain() does if that failed.
  void hand_over();
  /// Writes what is in memory and flushes. Throws RunError (disk full), which says whether the
  /// `.part` holds a checkpoint and stays.
  void drain();
  /// True when enough waits that hand_over() is worth it: 8192 rows, half of a shorter run, 16 MB
  /// of rows or 8 MB of frames.
  bool wants_drain() const;
  /// What is in memory and the complete state, in one flush. The previous checkpoint stays valid
  /// until this one is on disk. `notices`: Simulation::notices(), which a run that is resumed from
  /// here tells too.
  void checkpoint(const State& state, std::span<const Notice> notices = {});
  /// True until a row is there; of a run that was interrupted before its first step row 0 is.
  bool empty() const;
  /// Notices of the run before it was resumed, and `now`: those of the same thing are one.
  std::vector<Notice> all_notices(std::span<const Notice> now) const;
  /// After a failure that is not of the file: what is in memory is written if it can be. Says what
  /// the `.part` holds, for the end of a message. Nothing may be called afterwards.
  std::string give_up();
  /// The `.part` is worthless: it goes with this object.
  void discard();
  /// All values of a probe so far, one a row: for WAV and CSV files.
  std::vector<double> probe(std::size_t index);
  /// Times of the rows so far [s].
  std::vector<double> times();
  /// Notes what was done to make the WAV file of a probe.
  void set_wav(std::size_t index, const std::string& file, double factor, double rate);
  /// Final checkpoint, /summary, flush, close, rename to path(). Nothing may be called afterwards.
  void finish(const State& last, const RunSummary& summary);

  /// Of all rows and events so far, those of a run that was resumed included. Writes what is in
  /// memory as drain() does.
  const RunStatistics& statistics();
  /// The final name.
  const std::string& path() const;

 private:
  struct Recording;
  explicit ResultsWriter(std::unique_ptr<Recording> parts);
  std::unique_ptr<Recording> recording_;
};

/// The file from which `--resume` goes on: `<path>.part` if there is one, else path. Throws
/// SceneError if there is none.
std::string resumable_file(const std::string& path);

/// Whether a `.part` holds nothing to go on from but the start of its run: no checkpoint. Throws
/// SceneError: it is one of another scene or of other data files, or no results file.
bool begins_at_start(const std::string& part, std::string_view resolved,
                     std::span<const InputFile> inputs);

/// What became of a `.part` that was there.
struct KeptPart {
  std::string
      name{};  ///< its final name from now on, "a.1.h5" of "a.h5"; "": there was none to keep
  bool whole = false;  ///< `--resume` goes on with its run by that name
};
/// A `.part` of `path` that an earlier run left, and that holds rows or cannot be read, gets
/// another name. Throws SceneError where it cannot be renamed.
KeptPart keep_earlier_part(const std::string& path);

/// The newest complete checkpoint. Throws SceneError: not a results file, no checkpoint, damaged,
/// sizes that do not belong to this model.
State read_checkpoint(const std::string& file, const Model& model);

}  // namespace saltus

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
// record() copies one row into memory, frame() a frame. They are written to the file at once
// (drain()) or by a separate thread (hand_over()), which writes one portion while the next is
// collected. Each portion ends with a flush, so that a killed run leaves a readable `.part`.
// Portions depend only on rows and frames, so the bytes of a file do not depend on the thread.
#pragma once
#include <array>
#include <functional>
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

/// Whether frames contain contacts and the start of their step: as set in the scene, by default up
/// to 20000 shapes.
bool frames_hold_contacts(const ResultsSpec& spec, const Model& model);
/// Size of one frame before compression, assuming three contacts per shape [bytes].
double frame_bytes(const ResultsSpec& spec, const Model& model);

/// What the results of a run contain whose model changes from phase to phase, in addition to what
/// the model of its first phase requires.
struct PhasedResults {
  /// Accounts of all phases, and kPhases, the energy that changes of phase add; empty: a run of one
  /// model.
  std::vector<std::string> accounts{};
  /// For each group: frames contain all its degrees of freedom, because other ones are held in
  /// other phases.
  std::vector<char> whole{};
  bool substeps = false;  ///< rows may be intervals of several steps
  bool events = false;    ///< a phase is integrated from event to event

  static constexpr std::string_view kPhases = "phases";
  bool any() const { return !accounts.empty(); }
};

struct ResultsOptions {
  Provenance provenance;
  std::vector<InputFile> inputs;     ///< data files from which the model was built
  std::uint64_t expected_steps = 0;  ///< determines the size of the row buffer; 0: unknown
  /// Position of each probe as the user wrote it, "0.82 m"; may be empty.
  std::vector<std::string> probe_at;
  FieldOptions fields;         ///< data of frames in addition to q and velocity
  bool frame_contacts = true;  ///< frames also contain contacts, and the start of their step
  bool step_contacts = false;  ///< also store the impulses of the contacts in every row
  bool own_thread = true;      ///< for writing; false: the caller waits. The file is the same.
  std::string go_on{};         ///< command that resumes the run, for messages; "": unknown
  PhasedResults phased{};
};

/// Data that only the caller of the run has. The rest of /summary comes from RunStatistics and the
/// last State.
struct RunSummary {
  bool complete = true;   ///< the end time was reached
  std::string stopped{};  ///< why the end was not reached, one line
  /// Of the time loop, including earlier parts of a resumed run if known [s].
  double wall_time = 0.0;
  std::string choice{};           ///< of `time.scheme: auto`, a JSON object; "": not used
  std::vector<Notice> notices{};  ///< Simulation::notices() of this part of the run
};

class ResultsWriter {
 public:
  /// Creates `<path>.part`. Throws SceneError if that fails. `resolved`: JSON text of the scene
  /// with all defaults.
  ResultsWriter(std::string path, const Model& model, std::string_view scene,
                std::string_view resolved, ResultsOptions options = {});
  /// Continues a stopped run: `file` is a `.part` or a finished file (which is copied). Rows and
  /// frames after the checkpoint are dropped. Throws SceneError: no such file, not a results file,
  /// damaged, another scene, other data files (ResultsOptions::inputs). time.end may differ, but
  /// must not be before the checkpoint.
  static ResultsWriter resume(const std::string& file, const Model& model, std::string_view scene,
                              std::string_view resolved, ResultsOptions options = {});
  /// Without finish(): keeps the `.part` if it contains a row or a checkpoint, also after a failed
  /// write; otherwise removes it.
  ~ResultsWriter();
  ResultsWriter(ResultsWriter&&) noexcept;
  ResultsWriter& operator=(ResultsWriter&&) noexcept;

  /// The model of the next rows and frames, in a run of several phases: with equal groups, joints
  /// and probes. `work`: of all accounts so far [J], kPhases included; those of the model follow
  /// State::ledger from then on. notices: Simulation::notices() of the rows since the last call.
  void enter(const Model& model, std::span<const double> work,
             std::span<const Notice> notices = {});
  /// Row 0: the state before the first step.
  void start(const State& state, std::span<const double> probes);
  /// Adds one row: data of the step and the state after it. `probes`: one value per
  /// Model::probes(); `wall`: wall time of the step [s]. Takes about 25 ns; waits only if
  /// hand_over() was not called for 8192 rows.
  void record(const StepReport& report, const State& state, std::span<const double> probes,
              double wall = 0.0);
  /// Adds the events that event-driven integration located in the step, Simulation::events(). Call
  /// it before record(). Runs in time stepping store none.
  void events(std::span<const Event> events);
  /// Call before a step that is to end in a frame, with all groups in the form their schemes store.
  /// With these data, `seen` and the frame itself, the equations of the step can be reconstructed.
  void begin_step(std::span<const GroupState> start);
  /// Open contacts with a larger gap are not stored in frames [m].
  static double near(const Model& model);
  /// Adds configuration and contacts at one time. `velocities`: physical ones, one vector per
  /// group; `joint_loads`: force and torque, one per joint (Simulation::joint_load); `contacts`:
  /// Simulation::contacts(near()), without which only the impulses of the contacts in the state are
  /// stored; `seen`: Simulation::seen_contacts(), from which the rows of `contacts` were computed.
  void frame(const State& state, std::span<const Vector> velocities,
             std::span<const std::array<Vector3, 2>> joint_loads = {},
             std::span<const ContactView> contacts = {}, std::span<const SeenContact> seen = {});
  /// Writes and flushes the data in memory while the caller continues. First waits until the
  /// previous portion is written; throws RunError like drain() if that failed.
  void hand_over();
  /// Writes the data in memory and flushes. Throws RunError (disk full), whose text states whether
  /// the `.part` contains a checkpoint and is kept.
  void drain();
  /// True if there is enough data for hand_over(): 8192 rows, half of a shorter run, 16 MB of rows
  /// or 8 MB of frames.
  bool wants_drain() const;
  /// Writes the data in memory and the complete state in one flush. The previous checkpoint stays
  /// valid until this one is on disk. `notices`: Simulation::notices(), which a run resumed from
  /// here reports too.
  void checkpoint(const State& state, std::span<const Notice> notices = {});
  /// Every checkpoint from now on also stores the numbers that this function returns, that of
  /// finish() only in a run of several phases.
  void store_beside(std::function<std::vector<double>()> numbers);
  /// Such numbers of the checkpoint from which the run was resumed; empty if there are none.
  const std::vector<double>& stored_beside() const;
  /// True until a row exists; a run interrupted before its first step has row 0.
  bool empty() const;
  /// Notices of the run up to its resumption, merged with `now`.
  std::vector<Notice> all_notices(std::span<const Notice> now) const;
  /// Call after a failure that is not caused by the file: writes the data in memory if possible.
  /// Returns a text on what the `.part` contains, for the end of a message. No other function may
  /// be called then.
  std::string give_up();
  /// Marks the `.part` as worthless: it is removed with this object.
  void discard();
  /// All values of a probe so far, one per row: for WAV and CSV files.
  std::vector<double> probe(std::size_t index);
  /// Times of the rows so far [s].
  std::vector<double> times();
  /// Stores how the WAV file of a probe was made.
  void set_wav(std::size_t index, const std::string& file, double factor, double rate);
  /// Writes the final checkpoint and /summary, flushes, closes and renames to path(). No other
  /// function may be called then.
  void finish(const State& last, const RunSummary& summary);

  /// Statistics of all rows and events so far, including those before a run was resumed. Writes the
  /// data in memory like drain().
  const RunStatistics& statistics();
  /// The final name.
  const std::string& path() const;

 private:
  struct Recording;
  explicit ResultsWriter(std::unique_ptr<Recording> parts);
  std::unique_ptr<Recording> recording_;
};

/// The file that `--resume` continues: `<path>.part` if it exists, else path. Throws SceneError if
/// there is neither.
std::string resumable_file(const std::string& path);

/// Numbers beside the newest complete checkpoint (ResultsWriter::store_beside()); empty: none.
/// Throws SceneError like read_checkpoint().
std::vector<double> read_beside(const std::string& file);

/// Whether a `.part` contains no checkpoint, so that its run has to begin at the start. Throws
/// SceneError if it belongs to another scene or other data files, or is not a results file.
bool begins_at_start(const std::string& part, std::string_view resolved,
                     std::span<const InputFile> inputs);

/// What happened to an existing `.part`.
struct KeptPart {
  std::string name{};  ///< its new final name, "a.1.h5" for "a.h5"; "": there was none to keep
  bool whole = false;  ///< `--resume` can continue its run under that name
};
/// Renames a `.part` of `path` of an earlier run if it contains steps or cannot be read. Throws
/// SceneError if that fails.
KeptPart keep_earlier_part(const std::string& path);

/// The newest complete checkpoint. Throws SceneError: not a results file, no checkpoint, damaged,
/// sizes that do not belong to this model.
State read_checkpoint(const std::string& file, const Model& model);

}  // namespace saltus

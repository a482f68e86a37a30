// `time.scheme: auto`: selects mode, schemes and step for a tolerance on the whole run, and
// estimates the error of the run.
//
//     AutoSearch search(read_scene("ball.yaml"), {.tolerance = 1e-6});
//         // short trials, then a coarse run
//     AutoResult result = run_auto(search);
//         // the run, refined until the estimate is below the tolerance
//     std::fputs(auto_text(result.choice).c_str(), stdout);
//
// The error is (1) of study.h at the output times. Let two runs with steps (or tolerances) x1 > x2
// differ by D. If the error falls like x^a, the finer run has the error
//
//     e(x2) <= D / ((x1/x2)^a - 1)                                                              (1)
//
// All choices are based on counts of evaluations, never on measured times, so the same scene always
// gives the same run.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "saltus/sim/simulation.h"
#include "saltus/spec/scene.h"
#include "saltus/study/study_run.h"

namespace saltus {

struct AutoOptions {
  double tolerance = 1e-6;        ///< relative error allowed for the run
  int attempts = 6;               ///< largest number of runs to the end, including the coarse one
  double work = 1e9;              ///< largest number of evaluations in one run
  std::function<bool()> watch{};  ///< called before each run; false stops the search with RunError
  Stop* stop = nullptr;  ///< stops the search likewise, also within a step (Simulation::stop_by)
};

/// A candidate: a mode with its schemes.
struct AutoMethod {
  std::string label;  ///< "events", "runge-kutta"
  bool events = false;
  bool kinked = false;  ///< steps across impacts and stops: order 1
  bool spare = false;   ///< fallback for motions whose explicit scheme is limited by stability
  /// Two tolerances of event-driven integration gave the same motion in the trial.
  bool exact = false;
  bool held = false;                  ///< its step is limited by stability, not by the tolerance
  std::vector<SchemeChoice> schemes;  ///< one per entry of `bodies`, in time stepping
  double order = 1.0;                 ///< expected a of (1)
  double power = 1.0;                 ///< the smaller order used for estimates
  double jump = 4.0;                  ///< largest ratio of x between one run and the next
  double cheap = 1.0;                 ///< evaluations ~ x^-cheap
  double limit = 0.0;                 ///< largest stable step [s]; 0: unknown
  double x = 0.0;                     ///< step [s] or tolerance derived from the trial
  double work = kNotMeasured;         ///< expected evaluations of the whole run
  std::string left_out;               ///< why it is excluded; empty: it is a candidate
  bool passed_over = false;  ///< excluded in favour of more promising methods; tried if those fail
};

/// One run of the search.
struct AutoRun {
  std::string method;
  double x = 0.0;     ///< step [s] or tolerance of event-driven integration
  double end = 0.0;   ///< [s]
  double work = 0.0;  ///< evaluations
  /// From the previous run of the same method and end time, as (1) of study.h.
  double change = kNotMeasured;
  double estimate = kNotMeasured;  ///< of the error
  bool handed_over = false;        ///< time stepping integrated a part of it
  std::string failure{};           ///< why it stopped
};

struct AutoChoice {
  double tolerance = 0.0;
  std::vector<AutoMethod> methods;  ///< in the order of auto_methods()
  int chosen = 0;
  std::vector<AutoRun> runs;  ///< in the order in which they were made; the last one is the result
  double step = 0.0;          ///< of the result, as `time.step` [s]
  /// Estimated error. kNotMeasured until the run, and if event-driven integration switched to time
  /// stepping in one of the runs compared.
  double estimate = kNotMeasured;
  bool met = false;     ///< estimate <= tolerance
  std::string unmet;    ///< why it is not met, and what to do
  double work() const;  ///< evaluations of all runs
  const AutoMethod& method() const { return methods[static_cast<std::size_t>(chosen)]; }
};

/// Samples of a run at the output times of a plan, and its counters.
struct AutoSamples {
  Motion motion;
  std::uint64_t steps = 0, passes = 0, evaluations = 0, events = 0;
  bool handed_over = false;  ///< event-driven integration switched to time stepping for a part
};

/// Samples a run; the simulation must outlive the recorder.
class AutoRecorder {
 public:
  /// Takes a row at the start and after every `stride`-th step.
  AutoRecorder(const Simulation& sim, std::uint64_t stride);
  AutoRecorder(const AutoRecorder&) = delete;
  AutoRecorder& operator=(const AutoRecorder&) = delete;
  /// Call after each step.
  void step(const StepReport& report);
  AutoSamples& samples() { return samples_; }
  /// The samples so far for a checkpoint, and those of a resumed run.
  std::vector<double> numbers() const;
  void restore(std::span<const double> numbers);

 private:
  const Simulation& sim_;
  std::vector<Observable> observables_;
  StudyObserver observer_;
  std::uint64_t stride_;
  AutoSamples samples_;
};

class AutoSearch {
 public:
  /// Runs the trials. Mode and schemes of `scene` are ignored. Runs are compared at multiples of
  /// its step, or of 1/200 of the run if it has none. Throws SceneError if no method supports the
  /// scene, RunError if the watch stops the search.
  AutoSearch(Scene scene, AutoOptions options);
  ~AutoSearch();
  AutoSearch(AutoSearch&&) noexcept;

  /// The run to make next, as an ordinary scene with mode, schemes, step and tolerance of
  /// event-driven integration.
  const Scene& scene() const;
  /// Replaces AutoOptions::stop.
  void stop_by(Stop* stop);
  Stop* stop() const;
  /// Steps of scene() between two of the times compared.
  std::uint64_t stride() const;
  /// Evaluates the samples of that run. True: the run is the result, whether or not it meets the
  /// tolerance. False: scene() now returns the next run.
  bool judge(const AutoSamples& samples);
  /// Call instead of judge() if that run failed.
  bool judge_failure(const std::string& why);
  const AutoChoice& choice() const;

 private:
  struct Search;
  std::unique_ptr<Search> search_;
};

struct AutoResult {
  AutoChoice choice;
  Scene scene;                 ///< the last one that was run
  Motion motion;               ///< of that run, with rows at `times`
  std::vector<double> times;   ///< [s]
  std::optional<State> state;  ///< final state; empty if the run failed
};

/// Runs search.scene() in memory and judges it. True: it is the result.
bool run_next(AutoSearch& search, AutoResult& result);
/// Runs in memory until the tolerance is met or the search gives up.
AutoResult run_auto(AutoSearch search);
AutoResult run_auto(const Scene& scene, const AutoOptions& options);

/// The choice and its reasons as text.
std::string auto_text(const AutoChoice& choice);
/// The choice as one JSON object.
std::string auto_json(const AutoChoice& choice);

}  // namespace saltus

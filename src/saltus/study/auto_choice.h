// `time.scheme: auto`: mode, schemes and step for a tolerance of the whole run, with an estimate of
// the error it has.
//
//     AutoSearch search(read_scene("ball.yaml"), {.tolerance = 1e-6});
//         // short trials, then a coarse run
//     AutoResult result = run_auto(search);
//         // the run, finer until the estimate holds
//     std::fputs(auto_text(result.choice).c_str(), stdout);
//
// The error is (1) of study.h at the instants of the output. Two runs whose steps (or tolerances)
// are x1 > x2 differ by D, and an error that falls like x^a leaves
//
//     e(x2) <= D / ((x1/x2)^a - 1)                                                              (1)
//
// to the finer one. Every choice rests on counts of evaluations, none on a clock: the same scene
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
  double tolerance = 1e-6;        ///< relative error of the run
  int attempts = 6;               ///< most runs to the end, the coarse one included
  double work = 1e9;              ///< evaluations that no run may exceed
  std::function<bool()> watch{};  ///< called before each run; false stops the search with RunError
  Stop* stop = nullptr;           ///< the same, also within a step (Simulation::stop_by)
};

/// A mode with its schemes, as a candidate.
struct AutoMethod {
  std::string label;  ///< "events", "runge-kutta"
  bool events = false;
  bool kinked = false;  ///< steps over impacts and stops: order 1
  bool spare =
      false;  ///< for motion that an explicit scheme follows in steps shorter than it needs
  bool exact =
      false;  ///< two tolerances of event-driven integration showed no difference in the trial
  bool held = false;  ///< its steps are held back by its stability, not by the tolerance
  std::vector<SchemeChoice> schemes;  ///< of each entry of `bodies`, in time stepping
  double order = 1.0;                 ///< a of (1) that is expected
  double power = 1.0;                 ///< the smaller one that estimates rely on
  double jump = 4.0;                  ///< x of a run over that of the next, at most
  double cheap = 1.0;                 ///< evaluations ~ x^-cheap
  double limit = 0.0;                 ///< largest stable step [s], 0: none is known
  double x = 0.0;                     ///< step [s] or tolerance that the trial asks for
  double work = kNotMeasured;         ///< evaluations expected of the whole run with it
  std::string left_out;               ///< why it is not taken; empty: it is
  bool passed_over = false;  ///< left out for methods that promise less: tried where those fail
};

/// One run of the search.
struct AutoRun {
  std::string method;
  double x = 0.0;     ///< step [s] or tolerance of event-driven integration
  double end = 0.0;   ///< [s]
  double work = 0.0;  ///< evaluations
  double change =
      kNotMeasured;  ///< from the run before of the same method and end, as (1) of study.h
  double estimate = kNotMeasured;  ///< of its error
  bool handed_over = false;        ///< a part of it was stepped by the schemes
  std::string failure{};           ///< why it stopped
};

struct AutoChoice {
  double tolerance = 0.0;
  std::vector<AutoMethod> methods;  ///< in the order in which they were thought of
  int chosen = 0;
  std::vector<AutoRun> runs;  ///< in the order in which they were made, the last one is the result
  double step = 0.0;          ///< of the result, as `time.step` [s]
  /// Of its error; not measured before it has run, and where event-driven integration handed over
  /// to the schemes in one of the runs that are compared.
  double estimate = kNotMeasured;
  bool met = false;     ///< estimate <= tolerance
  std::string unmet;    ///< why it is not, and what to do
  double work() const;  ///< evaluations of all runs
  const AutoMethod& method() const { return methods[static_cast<std::size_t>(chosen)]; }
};

/// What a run showed at the instants of a plan, and what it counted.
struct AutoSamples {
  Motion motion;
  std::uint64_t steps = 0, passes = 0, evaluations = 0, events = 0;
  bool handed_over = false;  ///< event-driven integration left a part to the schemes
};

/// Takes the samples of a run, which must outlive it.
class AutoRecorder {
 public:
  /// Rows at every `stride`-th step from the start on.
  AutoRecorder(const Simulation& sim, std::uint64_t stride);
  AutoRecorder(const AutoRecorder&) = delete;
  AutoRecorder& operator=(const AutoRecorder&) = delete;
  /// After each step.
  void step(const StepReport& report);
  AutoSamples& samples() { return samples_; }

 private:
  const Simulation& sim_;
  std::vector<Observable> observables_;
  StudyObserver observer_;
  std::uint64_t stride_;
  AutoSamples samples_;
};

class AutoSearch {
 public:
  /// Makes the trials. `scene`: its schemes and its mode count for nothing; its step, where it has
  /// one,
  /// is the distance of the instants that are compared, else a 200th of the run is. Throws
  /// SceneError where no method takes the scene, RunError where the watch stopped it.
  AutoSearch(Scene scene, AutoOptions options);
  ~AutoSearch();
  AutoSearch(AutoSearch&&) noexcept;

  /// The run that is to be made now, an ordinary scene: a mode, schemes, a step, a tolerance of
  /// event-driven integration.
  const Scene& scene() const;
  /// Replaces AutoOptions::stop.
  void stop_by(Stop* stop);
  Stop* stop() const;
  /// Steps between the instants compared, of a run of scene().
  std::uint64_t stride() const;
  /// Takes what that run showed. True: it is the result, met or not. False: scene() is another one
  /// now.
  bool judge(const AutoSamples& samples);
  /// The same of a run that did not come to its end.
  bool judge_failure(const std::string& why);
  const AutoChoice& choice() const;

 private:
  struct Search;
  std::unique_ptr<Search> search_;
};

struct AutoResult {
  AutoChoice choice;
  Scene scene;                 ///< that was run last
  Motion motion;               ///< of it, rows at `times`
  std::vector<double> times;   ///< [s]
  std::optional<State> state;  ///< its last one; none where it failed
};

/// Runs in memory until the search is satisfied or gives up.
AutoResult run_auto(AutoSearch search);
AutoResult run_auto(const Scene& scene, const AutoOptions& options);

/// What was chosen and why, as lines for people.
std::string auto_text(const AutoChoice& choice);
/// The same as one JSON object.
std::string auto_json(const AutoChoice& choice);

}  // namespace saltus

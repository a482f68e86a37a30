// Comparison of schemes and steps on one scene: errors, orders, energy, penetration, cost, and the
// recommended run.
//
//     StudyResult result = run_study(read_scene("ball.yaml"), {});
//     std::fputs(study_text(result).c_str(), stdout);
//         // study_table.h; study_page.h writes the HTML page
//
// Error of a run: for each observable x, a probe or the positions of a body,
//
//     e = sum_k |x(t_k) - r(t_k)|_1 / sum_k |r(t_k) - r(0)|_1,   t_k common to all runs,        (1)
//
// where r is the reference. The error of the run is the largest e of its observables.
#pragma once
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "saltus/schemes/options.h"
#include "saltus/spec/scene.h"

namespace saltus {

inline constexpr double kNotMeasured = std::numeric_limits<double>::quiet_NaN();

struct StudyOptions {
  /// "moreau-jean:theta=1" or "{kind: ...}"; empty: all schemes that support every body.
  std::vector<std::string> schemes;
  std::vector<double> steps;    ///< [s]; empty: 4, 2, 1, 1/2, ... times the step of the scene
  int levels = 5;               ///< number of steps if `steps` is empty
  double tolerance = 1e-3;      ///< relative error that the verdict requires
  std::optional<double> until;  ///< replaces time.end [s]
  std::string probe;            ///< the only observable; empty: all probes
  /// Ends the study like the watch, also within a step (Simulation::stop_by).
  Stop* stop = nullptr;
};

/// Position of a study, for a progress line.
struct StudyProgress {
  std::uint64_t step = 0, last = 0;  ///< of all runs together, as planned so far
  double t = 0.0, end = 0.0;         ///< of the current run [s]
  int contacts = 0;                  ///< with impulse in the last step
  double residual = 0.0;             ///< largest of the current run
};
/// Called several times per second; returning false stops the study.
using StudyWatch = std::function<bool(const StudyProgress&)>;

enum class StudyStatus { ok, unstable, failed };
std::string_view name_of(StudyStatus status);

/// A run of one scheme with one step. Energies in [J].
struct StudyRun {
  double h = 0.0;           ///< [s]
  std::uint64_t steps = 0;  ///< completed
  StudyStatus status = StudyStatus::ok;
  std::string reason;                  ///< why it is not ok
  double error = kNotMeasured;         ///< (1)
  double smooth_error = kNotMeasured;  ///< (1) before the first impact, same denominator
  bool measurable = false;             ///< the error is well above that of the reference
  bool smooth_measurable = false;      ///< likewise for smooth_error
  double energy_start = 0.0, energy_end = 0.0;
  double scheme = 0.0;       ///< work term of the scheme at the end
  double impact = 0.0;       ///< work term of the contacts at the end
  double drift = 0.0;        ///< numerical energy change: scheme + projection + unexplained
  double unexplained = 0.0;  ///< largest magnitude in one step
  double penetration = 0.0;  ///< largest [m]
  double residual = 0.0;     ///< largest StepReport::residual_after [1]
  std::uint64_t passes = 0, contact_steps = 0;
  std::uint64_t unsolved = 0;  ///< unsolved steps that `on_failure: accept` accepted
  /// Start of the first step with contact [s].
  double first_contact = std::numeric_limits<double>::infinity();
  double wall = 0.0;                  ///< of the steps [s]
  std::vector<double> energy;         ///< at StudyResult::times up to the end of the run
  std::vector<std::string> warnings;  ///< of the model with this step
  bool accurate = false;              ///< error plus that of the reference is below the tolerance
};

/// error ~ constant h^order: least squares in the logarithms over the measurable runs.
struct OrderFit {
  double order = kNotMeasured, constant = kNotMeasured;
  int runs = 0;
  std::string why;  ///< why there is no order
};

struct StudyScheme {
  std::string label;  ///< "moreau-jean", "moreau-jean theta=1"
  SchemeChoice choice;
  std::vector<std::string> kept;  ///< bodies that keep their own scheme, "string (modal-exact)"
  std::string refused;            ///< why the scene cannot be built with this scheme
  std::optional<double> theory;   ///< order on smooth motion
  std::vector<StudyRun> runs;     ///< largest step first; empty if refused
  OrderFit smooth, impacts;
};

struct StudyReference {
  std::string file;                 ///< exact motion; empty: the reference is a run
  std::string scheme;               ///< label of that run
  double h = 0.0;                   ///< its step [s]
  double own_error = kNotMeasured;  ///< as (1)
  int agree = 0, others = 0;        ///< schemes that converge to the reference, of those compared
  std::string closest;              ///< the scheme closest to the reference
};

struct StudyObservable {
  std::string name, unit;  ///< unit "" for coordinates with different units
  double scale = 0.0;      ///< mean over t_k of |r - r(0)|_1
};

struct StudyVerdict {
  int scheme = -1, run = -1;  ///< -1: no run meets the tolerance
  std::string text;           ///< one sentence
  std::vector<std::string> warnings;
};

/// The choice of `time.scheme: auto` for the end and the times of the study, against the reference.
struct StudyChoice {
  std::string method;   ///< "events", "runge-kutta rk4"
  bool events = false;  ///< x is a tolerance of event-driven integration, else a step [s]
  double x = 0.0;
  double tolerance = 0.0, estimate = kNotMeasured;  ///< required tolerance, and estimated error
  double error = kNotMeasured;                      ///< as (1)
  double known = kNotMeasured;  ///< error of the reference it is measured against
  std::string reference;        ///< description of that reference
  double work = 0.0;            ///< evaluations of the whole search
  bool holds = false;           ///< error <= 2 estimate + known
  std::string unmet;            ///< why the choice does not meet the tolerance
};

struct StudyResult {
  std::string scene, title;  ///< file and title
  double end = 0.0;          ///< of every run [s]
  double scene_step = 0.0;   ///< [s]
  double tolerance = 0.0;
  std::vector<double> steps;  ///< largest first [s]
  std::vector<double> times;  ///< t_k [s], starting with 0
  std::vector<StudyObservable> observables;
  bool contacts = false;                                          ///< the scene has contact points
  double first_impact = std::numeric_limits<double>::infinity();  ///< [s]
  int smooth_times = 0;   ///< number of t_k > 0 before the first impact
  std::string no_smooth;  ///< why smooth errors are not measured
  StudyReference reference, smooth_reference;
  double energy_scale = 0.0;  ///< largest total energy of the reference run [J]
  std::vector<StudyScheme> schemes;
  StudyVerdict verdict;
  std::optional<StudyChoice> choice;  ///< if the scene has `time.scheme: auto`
  std::vector<std::string> notes;
  bool stopped = false;  ///< by the watch: the result is incomplete
};

/// Runs every scheme with every step, and also the automatic choice if the scene has
/// `time.scheme: auto`. Throws SceneError: unknown scheme, option or probe, a scheme that supports
/// no body, steps that do not divide the largest one, a reference file that does not fit. Runs that
/// fail are part of the result.
StudyResult run_study(const Scene& scene, const StudyOptions& options,
                      const StudyWatch& watch = {});

}  // namespace saltus

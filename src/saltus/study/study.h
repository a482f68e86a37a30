// The comparison of schemes and steps on one scene: errors, orders, energy, penetration, cost, and
// which run to take.
//
//     StudyResult result = run_study(read_scene("ball.yaml"), {});
//     std::fputs(study_text(result).c_str(), stdout);
//         // study_table.h; study_page.h makes the HTML page
//
// Error of a run: for each observable x, a probe or the positions of a body,
//
//     e = sum_k |x(t_k) - r(t_k)|_1 / sum_k |r(t_k) - r(0)|_1,   t_k common to all runs,        (1)
//
// r the reference; the error of the run is the largest e of its observables.
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
  std::vector<std::string>
      schemes;  ///< "moreau-jean:theta=1" or "{kind: ...}"; empty: all that fit every body
  std::vector<double> steps;    ///< [s]; empty: 4, 2, 1, 1/2, ... times that of the scene
  int levels = 5;               ///< number of steps of that ladder
  double tolerance = 1e-3;      ///< relative error that the verdict asks for
  std::optional<double> until;  ///< replaces time.end [s]
  std::string probe;            ///< the only observable; empty: all probes
  Stop* stop =
      nullptr;  ///< ends the study as the watch does, also within a step (Simulation::stop_by)
};

/// Where a study is; for a progress line.
struct StudyProgress {
  std::uint64_t step = 0, last = 0;  ///< of all runs together, as far as planned
  double t = 0.0, end = 0.0;         ///< of this run [s]
  int contacts = 0;                  ///< with impulse, in the last step
  double residual = 0.0;             ///< worst of this run
};
/// Called several times a second; false stops the study.
using StudyWatch = std::function<bool(const StudyProgress&)>;

enum class StudyStatus { ok, unstable, failed };
std::string_view name_of(StudyStatus status);

/// One scheme with one step. Energies [J].
struct StudyRun {
  double h = 0.0;           ///< [s]
  std::uint64_t steps = 0;  ///< done
  StudyStatus status = StudyStatus::ok;
  std::string reason;                  ///< why it is not ok
  double error = kNotMeasured;         ///< (1)
  double smooth_error = kNotMeasured;  ///< (1) before the first impact, same denominator
  bool measurable = false;             ///< the error stands well above that of the reference
  bool smooth_measurable = false;      ///< the same of smooth_error
  double energy_start = 0.0, energy_end = 0.0;
  double scheme = 0.0;       ///< account of the scheme at the end
  double impact = 0.0;       ///< account of the contacts at the end
  double drift = 0.0;        ///< energy that the numerics made: scheme + projection + unexplained
  double unexplained = 0.0;  ///< largest magnitude in a step
  double penetration = 0.0;  ///< deepest [m]
  double residual = 0.0;     ///< worst StepReport::residual_after [1]
  std::uint64_t passes = 0, contact_steps = 0;
  std::uint64_t unsolved =
      0;  ///< steps that `on_failure: accept` took although they did not converge
  double first_contact = std::numeric_limits<double>::infinity();  ///< start of that step [s]
  double wall = 0.0;                                               ///< of the stepping [s]
  std::vector<double> energy;         ///< at StudyResult::times, as far as it came
  std::vector<std::string> warnings;  ///< of the model with this step
  bool accurate = false;  ///< error, and that of the reference, below the tolerance together
};

/// error ~ constant h^order, by least squares in the logarithms over the runs that can be measured.
struct OrderFit {
  double order = kNotMeasured, constant = kNotMeasured;
  int runs = 0;
  std::string why;  ///< there is none
};

struct StudyScheme {
  std::string label;  ///< "moreau-jean", "moreau-jean theta=1"
  SchemeChoice choice;
  std::vector<std::string> kept;  ///< bodies for which it is not defined, "string (modal-exact)"
  std::string refused;            ///< why the scene cannot be built with it
  std::optional<double> theory;   ///< order on smooth motion
  std::vector<StudyRun> runs;     ///< largest step first; empty where refused
  OrderFit smooth, impacts;
};

struct StudyReference {
  std::string file;                 ///< exact; empty: a run
  std::string scheme;               ///< label of that run
  double h = 0.0;                   ///< its step [s]
  double own_error = kNotMeasured;  ///< as (1)
  int agree = 0, others = 0;        ///< schemes whose limit it is, of those compared with it
  std::string closest;              ///< the scheme nearest to it
};

struct StudyObservable {
  std::string name, unit;  ///< unit "" where coordinates have several
  double scale = 0.0;      ///< mean over t_k of |r - r(0)|_1
};

struct StudyVerdict {
  int scheme = -1, run = -1;  ///< -1: none meets the tolerance
  std::string text;           ///< a sentence
  std::vector<std::string> warnings;
};

/// What `time.scheme: auto` chose for the study's end and instants, against the reference.
struct StudyChoice {
  std::string method;   ///< "events", "runge-kutta rk4"
  bool events = false;  ///< x is a tolerance of event-driven integration, else a step [s]
  double x = 0.0;
  double tolerance = 0.0, estimate = kNotMeasured;  ///< asked for, and what it says of its error
  double error = kNotMeasured;                      ///< as (1)
  double known = kNotMeasured;                      ///< error of what it is measured against
  std::string reference;                            ///< what that is
  double work = 0.0;                                ///< evaluations of the whole search
  bool holds = false;                               ///< error <= 2 estimate + known
  std::string unmet;                                ///< what the choice itself says against it
};

struct StudyResult {
  std::string scene, title;  ///< file and title
  double end = 0.0;          ///< of every run [s]
  double scene_step = 0.0;   ///< [s]
  double tolerance = 0.0;
  std::vector<double> steps;  ///< the ladder, largest first [s]
  std::vector<double> times;  ///< t_k [s], the first is 0
  std::vector<StudyObservable> observables;
  bool contacts = false;                                          ///< the scene has contact points
  double first_impact = std::numeric_limits<double>::infinity();  ///< [s]
  int smooth_times = 0;   ///< number of t_k > 0 of the smooth stretch
  std::string no_smooth;  ///< why smooth errors are not measured
  StudyReference reference, smooth_reference;
  double energy_scale = 0.0;  ///< largest total energy of the reference run [J]
  std::vector<StudyScheme> schemes;
  StudyVerdict verdict;
  std::optional<StudyChoice> choice;  ///< of a scene with `time.scheme: auto`
  std::vector<std::string> notes;
  bool stopped = false;  ///< by the watch: the rest is not filled
};

/// Runs every scheme with every step; of a scene with `time.scheme: auto` also what that chooses.
/// SceneError: unknown scheme, option or probe, a scheme that fits no body, steps that are no whole
/// parts of the largest, a reference file that does not fit. What physics refuses is in the result.
StudyResult run_study(const Scene& scene, const StudyOptions& options,
                      const StudyWatch& watch = {});

}  // namespace saltus

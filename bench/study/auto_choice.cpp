// What `time.scheme: auto` costs beside the best choice by hand, on twelve problems with known motion: a row of CSV for each
// problem and tolerance. Arguments: names of problems; none: all.
//
// By hand: every scheme that fits the body, with h = interval, interval/2, ..., and event-driven integration with tolerances 1e-2, 1e-3, ...
// The best is the one of least CPU time whose error (1) of study.h keeps the tolerance. Times are the least of five, building
// included; that of the search holds trials, coarse runs and the result, that of the run the result alone.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <limits>
#include <string>
#include <vector>

#include "saltus/base/error.h"
#include "saltus/model/scheme_fit.h"
#include "saltus/scene/build.h"
#include "saltus/scene_file/scene_yaml.h"
#include "saltus/schemes/registry.h"
#include "saltus/study/auto_trial.h"
#include "saltus/study/study_schemes.h"
#include "tests/support/auto_problems.h"

namespace {

using namespace saltus;
using namespace saltus::test;

constexpr std::array<double, 2> kTolerances{1e-3, 1e-6};
constexpr int kRepeats = 5, kHalvings = 10;

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Best {
  double seconds = std::numeric_limits<double>::infinity(), error = 0.0;
  std::string label;
  AutoMethod method;
  double x = 0.0;
};

class ByHand {
 public:
  explicit ByHand(const AutoProblem& problem)
      : problem_(problem), scene_(read_scene_text(problem.scene, "problem.yaml")) {
    const TimeSpec& time = scene_.spec.time;
    plan_ = {time.h(), static_cast<std::uint64_t>(std::llround(time.end / time.h()))};
    for (std::uint64_t k = 0; k <= plan_.count; ++k)
      times_.push_back(plan_.interval * static_cast<double>(k));
    events();
    schemes();
  }
  const Scene& scene() const { return scene_; }
  const Best& best(std::size_t i) const { return best_[i]; }
  /// Least CPU time of a run, taken as those by hand are.
  double seconds(const AutoMethod& method, double x) {
    double least = 0.0;
    attempt(method, x, "", &least);
    return least;
  }

 private:
  void events() {
    AutoMethod method;
    method.label = "events";
    method.events = true;
    for (int digits = 2; digits <= 13; ++digits)
      attempt(method, std::pow(10.0, -digits), "events 1e-" + std::to_string(digits));
  }

  void schemes() {
    const Model base = build(scene_);
    std::vector<std::string> names;
    for (const SchemeRow& row : saltus::schemes()) names.emplace_back(row.name);
    names.emplace_back("runge-kutta:table=dormand-prince");
    names.emplace_back("moreau-jean:theta=1");
    for (const std::string& name : names) {
      const NamedScheme named = read_scheme(name);
      const auto scheme = make_scheme(named.choice);
      if (!std::ranges::all_of(base.groups(), [&](const Group& group) {
            return fits(*scheme, group.dynamics->traits());
          }))
        continue;
      AutoMethod method;
      method.schemes.assign(scene_.spec.bodies.size(), named.choice);
      for (int k = 0; k < kHalvings; ++k)
        if (attempt(method, plan_.interval / (1 << k), name + " /" + std::to_string(1 << k)) <=
            kTolerances.back())
          break;
    }
  }

  /// Error of the run; infinite where the scene is refused or the run fails.
  double attempt(const AutoMethod& method, double x, const std::string& label,
                 double* seconds = nullptr) {
    const double failed = std::numeric_limits<double>::infinity();
    const AutoTask task = auto_task(method, plan_, x, plan_.count, false);
    double least = failed, error = failed;
    try {
      const Scene scene = auto_scene(scene_, method, plan_, task);
      for (int i = 0; i < kRepeats; ++i) {
        const double from = cpu_seconds();
        Simulation sim(build(scene));
        AutoRecorder recorder(sim, task.parts);
        const std::uint64_t steps = task.parts * task.rows();
        for (std::uint64_t k = 0; k < steps; ++k) {
          const StepReport report = sim.advance();
          if (sim.state().step != k + 1) return failed;
          recorder.step(report);
        }
        least = std::min(least, cpu_seconds() - from);
        error = true_error(problem_, recorder.samples().motion, times_);
        if (least > 0.1) break;
      }
    } catch (const SceneError&) {
      return failed;
    }
    if (seconds) {
      *seconds = least;
      return error;
    }
    for (std::size_t i = 0; i < kTolerances.size(); ++i)
      if (error <= kTolerances[i] && least < best_[i].seconds)
        best_[i] = {least, error, label, method, x};
    return error;
  }

  const AutoProblem& problem_;
  Scene scene_;
  AutoPlan plan_;
  std::vector<double> times_;
  std::array<Best, kTolerances.size()> best_;
};

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> asked(argv + 1, argv + argc);
  std::puts(
      "problem,tolerance,by hand,hand ms,hand error,chosen,x,search ms,run ms,error,estimate,"
      "search over hand,run over hand");
  for (const AutoProblem& problem : auto_problems()) {
    if (!asked.empty() && std::ranges::find(asked, problem.name) == asked.end()) continue;
    ByHand hand(problem);
    for (std::size_t i = 0; i < kTolerances.size(); ++i) {
      // In turns: a machine may change its speed.
      const double never = std::numeric_limits<double>::infinity();
      double least = never, alone = never, by_hand = never;
      const Best& best = hand.best(i);
      AutoResult result;
      for (int k = 0; k < kRepeats; ++k) {
        const double from = cpu_seconds();
        result = run_auto(hand.scene(), AutoOptions{.tolerance = kTolerances[i]});
        least = std::min(least, cpu_seconds() - from);
        alone = std::min(alone, hand.seconds(result.choice.method(), result.choice.runs.back().x));
        by_hand = std::min(by_hand, hand.seconds(best.method, best.x));
      }
      const AutoChoice& choice = result.choice;
      std::printf("%s,%g,%s,%.4g,%.3g,%s,%.3g,%.4g,%.3g,%.3g,%.3g,%.3g,%.3g\n",
                  problem.name.c_str(), kTolerances[i], best.label.c_str(), 1e3 * by_hand,
                  best.error, choice.method().label.c_str(), choice.runs.back().x, 1e3 * least,
                  1e3 * alone, true_error(problem, result.motion, result.times), choice.estimate,
                  least / by_hand, alone / by_hand);
      std::fflush(stdout);
    }
  }
}

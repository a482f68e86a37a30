#include "saltus/study/auto_trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "saltus/base/error.h"
#include "saltus/phases/build_run.h"
#include "saltus/sim/failure_text.h"
#include "saltus/study/study_error.h"

namespace saltus {
namespace {

/// Costs in evaluations. With its overhead an evaluation takes about 0.15 us for a body with one
/// coordinate. In this order: the part of a step outside its stages, a step of an implicit scheme,
/// each pass after the first; in event-driven integration an interval with its row, an event, a
/// step. Derived from instruction counts of a pendulum and an oscillator.
constexpr double kStepCost = 1.0, kImplicitCost = 2.0, kPassCost = 9.0, kIntervalCost = 5.0,
                 kEventModeCost = 30.0, kEventStepCost = 5.0;
/// Up to this tolerance event-driven integration selects its integrator of order 8 automatically.
constexpr double kAutomatic8 = 1e-5;
/// Observables that move less than this fraction of the largest motion are skipped: they show only
/// round-off.
constexpr double kStill = 1e-10;

/// Force evaluations of a step in addition to its passes.
double evaluations_of(const SchemeChoice& choice) {
  const auto* tableau = std::get_if<RungeKuttaOptions>(&choice);
  if (!tableau) return std::holds_alternative<DefExpOptions>(choice) ? 1.0 : 0.0;
  using enum RungeKuttaOptions::Table;
  switch (tableau->table) {
    case rk4:
      return 4.0;
    case rk3:
      return 3.0;
    case dormand_prince:
      return 6.0;  // the last stage is the first stage of the next step
    default:
      return 2.0;
  }
}

/// Mean over rows of |x - r|_1 and of |r - r(0)|_1, for all observables in units of their scales.
struct Halves {
  double error[2] = {0.0, 0.0}, motion[2] = {0.0, 0.0};
};

/// Exponent g of y ~ t^g from means over the first and the second half: second/first = 2^(g+1) - 1.
double growth_of(const double halves[2]) {
  if (!(halves[0] > 0.0)) return 0.0;
  return std::log2(1.0 + halves[1] / halves[0]) - 1.0;
}

Motion thinned(const Motion& motion, std::uint64_t every) {
  Motion out;
  out.width = motion.width;
  for (std::size_t k = 0; k < motion.rows(); k += every) {
    const auto row = motion.row(k);
    out.values.insert(out.values.end(), row.begin(), row.end());
  }
  return out;
}

}  // namespace

AutoTask auto_task(const AutoMethod& method, const AutoPlan& plan, double x, std::uint64_t count,
                   bool coarse) {
  AutoTask task;
  task.count = count;
  if (method.events) {
    task.x = x;
    return task;
  }
  if (coarse && x >= 2.0 * plan.interval) {
    const auto most = std::max<std::uint64_t>(count / 8, 1);
    task.spacing = std::min(most, static_cast<std::uint64_t>(x / plan.interval * (1.0 + 1e-9)));
  } else {
    task.parts = static_cast<std::uint64_t>(std::ceil(plan.interval / x * (1.0 - 1e-9)));
    task.parts = std::max<std::uint64_t>(task.parts, 1);
  }
  task.x = plan.interval * static_cast<double>(task.spacing) / static_cast<double>(task.parts);
  return task;
}

Scene auto_scene(const Scene& scene, const AutoMethod& method, const AutoPlan& plan,
                 const AutoTask& task) {
  Scene changed = scene;
  TimeSpec& time = changed.spec.time;
  time.rate.reset();
  time.end = plan.interval * static_cast<double>(task.rows() * task.spacing);
  time.step = plan.interval * static_cast<double>(task.spacing) / static_cast<double>(task.parts);
  time.mode = method.events ? TimeMode::events : TimeMode::stepping;
  time.tolerance.reset();
  if (method.events) {
    time.tolerance = task.x;
    EventSpec events = changed.spec.events.value_or(EventSpec{});
    events.limit *= static_cast<int>(task.spacing);
    // use one integrator for all tolerances, so that their errors follow one order
    if (events.method == OdeKind::automatic && task.x > kAutomatic8)
      events.method = OdeKind::dormand_prince_8;
    changed.spec.events = events;
  } else {
    changed.spec.events.reset();
  }
  for (std::size_t i = 0; i < changed.spec.bodies.size(); ++i)
    if (changed.spec.bodies[i].integrated() && i < method.schemes.size())
      changed.spec.bodies[i].scheme = method.schemes[i];
  return changed;
}

double auto_work(const AutoMethod& method, const AutoSamples& s) {
  const auto steps = static_cast<double>(s.steps);
  if (method.events)
    return static_cast<double>(s.evaluations) + kIntervalCost * steps +
           kEventStepCost * static_cast<double>(s.passes) +
           kEventModeCost * static_cast<double>(s.events);
  double evaluations = 0.0;
  for (const SchemeChoice& choice : method.schemes)
    evaluations = std::max(evaluations, evaluations_of(choice));
  return steps * (evaluations > 0.0 ? kStepCost + evaluations : kImplicitCost) +
         kPassCost * std::max(static_cast<double>(s.passes) - steps, 0.0);
}

double auto_least_work(const AutoPlan& plan) {
  return kIntervalCost * static_cast<double>(plan.count);
}

std::vector<Observable> auto_observables(const Model& model) {
  std::vector<Observable> found;
  const auto probes = model.probes();
  for (std::size_t i = 0; i < probes.size(); ++i) {
    const Probe& probe = probes[i];
    if (is_mean(probe.quantity)) continue;
    // outputs of a modal body contain fewer modes with a longer step
    if (model.groups()[static_cast<std::size_t>(probe.group)].dynamics->modal()) {
      found.clear();
      break;
    }
    found.push_back({probe.name, std::string(unit_of(probe, model.joints())), probe.group,
                     static_cast<int>(i), 1});
  }
  if (found.empty())
    for (std::size_t g = 0; g < model.groups().size(); ++g)
      found.push_back({"positions of " + model.groups()[g].name, "", static_cast<int>(g), -1,
                       model.groups()[g].dynamics->positions()});
  return found;
}

AutoRecorder::AutoRecorder(const Simulation& sim, std::uint64_t stride)
    : sim_(sim),
      observables_(auto_observables(sim.model())),
      observer_(sim, observables_),
      stride_(stride) {
  for (const Observable& one : observables_)
    samples_.motion.width += static_cast<std::size_t>(one.width);
  observer_.add(samples_.motion);
}

void AutoRecorder::step(const StepReport& report) {
  ++samples_.steps;
  const bool mode = sim_.model().options().mode == TimeMode::events;
  samples_.passes +=
      static_cast<std::uint64_t>(mode ? report.steps + report.rejected : report.passes);
  samples_.evaluations += static_cast<std::uint64_t>(report.evaluations);
  samples_.events += static_cast<std::uint64_t>(report.events);
  if (report.events > 0)
    for (const Event& event : sim_.events())
      samples_.handed_over = samples_.handed_over || event.kind == Event::Kind::hand_over;
  if (sim_.state().step % stride_ == 0) observer_.add(samples_.motion);
}

std::vector<double> AutoRecorder::numbers() const {
  const AutoSamples& s = samples_;
  std::vector<double> numbers{static_cast<double>(s.steps), static_cast<double>(s.passes),
                              static_cast<double>(s.evaluations), static_cast<double>(s.events),
                              s.handed_over ? 1.0 : 0.0};
  numbers.insert(numbers.end(), s.motion.values.begin(), s.motion.values.end());
  return numbers;
}

void AutoRecorder::restore(std::span<const double> numbers) {
  AutoSamples& s = samples_;
  std::size_t next = 0;
  for (std::uint64_t* count : {&s.steps, &s.passes, &s.evaluations, &s.events})
    *count = static_cast<std::uint64_t>(numbers[next++]);
  s.handed_over = numbers[next++] != 0.0;
  s.motion.values.assign(numbers.begin() + static_cast<std::ptrdiff_t>(next), numbers.end());
}

AutoSamples auto_run(const Scene& scene, std::uint64_t stride, std::uint64_t rows, double most,
                     const AutoMethod& method, Stop* stop, std::string& failure) {
  Simulation sim(build_run(scene).with_ledger(false));
  sim.stop_by(stop);
  AutoRecorder recorder(sim, stride);
  const State& state = sim.state();
  const std::uint64_t steps = stride * rows;
  while (state.step < steps && failure.empty()) {
    const std::uint64_t before = state.step;
    const StepReport report = sim.advance();
    if (is_stop(report.failure)) break;
    if (state.step == before) {
      failure = failure_text(sim.model(), report, before + 1);
      break;
    }
    recorder.step(report);
    if ((state.step & 1023u) == 0 && auto_work(method, recorder.samples()) > most)
      failure = fmt::format("more than {:.3g} evaluations up to t = {:.4g} s", most, state.t);
  }
  return std::move(recorder.samples());
}

AutoDistance auto_distance(const Motion& coarse, std::uint64_t coarse_spacing, const Motion& fine,
                           std::uint64_t fine_spacing, std::span<const Observable> observables) {
  const std::uint64_t common = std::lcm(coarse_spacing, fine_spacing);
  Motion x = thinned(coarse, common / coarse_spacing), r = thinned(fine, common / fine_spacing);
  const std::size_t rows = std::min(x.rows(), r.rows());
  AutoDistance found;
  if (rows < 2) return found;
  std::vector<std::size_t> at(rows - 1);
  std::iota(at.begin(), at.end(), std::size_t{1});
  std::vector<double> scales = motion_scales(r, r, at, observables);
  const double largest = *std::ranges::max_element(scales);
  for (double& scale : scales)
    if (scale <= kStill * largest) scale = 0.0;
  if (!(largest > 0.0)) scales.assign(scales.size(), 1.0);
  found.error = motion_error(x, r, at, scales, observables);
  if (!(found.error > 0.0) || !std::isfinite(found.error)) return found;
  Halves halves;
  for (const std::size_t k : at) {
    const int half = 2 * k > rows - 1;
    std::size_t column = 0;
    for (std::size_t o = 0; o < observables.size(); ++o)
      for (int i = 0; i < observables[o].width; ++i, ++column)
        if (scales[o] > 0.0) {
          halves.error[half] += std::abs(x.row(k)[column] - r.row(k)[column]) / scales[o];
          halves.motion[half] += std::abs(r.row(k)[column] - r.row(0)[column]) / scales[o];
        }
  }
  found.growth = std::clamp(growth_of(halves.error) - growth_of(halves.motion), 0.0, 1.0);
  return found;
}

}  // namespace saltus

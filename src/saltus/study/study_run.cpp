#include "saltus/study/study_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include "saltus/base/stop.h"

namespace saltus {
namespace {

using Now = std::chrono::steady_clock;
double seconds(Now::duration d) { return std::chrono::duration<double>(d).count(); }

/// Shorter runs are repeated [s].
constexpr double kShort = 0.05;
constexpr int kRepeats = 3;

/// Why a step failed, one line.
std::string failure_of(const Model& model, const State& state, const StepReport& report) {
  const std::string at = fmt::format("step {} (t = {:.6g} s): ", state.step + 1, state.t + state.h);
  if (!report.failure.empty()) return at + std::string(report.failure);
  if (!report.finite) return at + "the motion is no longer finite";
  if (!(report.outstanding <= model.options().pass_tolerance))
    return at + fmt::format("the equation of motion was not solved, change {:.3g} after {} passes",
                            report.outstanding, report.passes);
  return at + fmt::format("the contacts were not solved, residual {:.3g} after {} iterations",
                          report.residual, report.iterations);
}

/// Wall time of the steps of a run, without observers [s].
double time_again(const Model& model, std::uint64_t steps, Stop* stop) {
  Simulation sim(model);
  sim.stop_by(stop);
  const auto from = Now::now();
  for (std::uint64_t k = 0; k < steps && !stop_requested(stop); ++k) sim.advance();
  return seconds(Now::now() - from);
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// A work term by its position from the end; the last three are impact, scheme, unexplained.
double account(const State& state, std::size_t from_end) {
  return state.ledger[state.ledger.size() - from_end];
}

/// Copies the work terms of a finished run.
void book(const Model& model, const State& state, StudyRun& run) {
  run.energy_start = state.energy_start;
  run.energy_end = state.energy.total();
  run.impact = account(state, 3);
  run.scheme = account(state, 2);
  run.drift = run.scheme + account(state, 1);
  const auto accounts = model.accounts();
  for (std::size_t i = 0; i < accounts.size(); ++i)
    if (accounts[i] == "projection") run.drift += state.ledger[i];
}

}  // namespace

std::uint64_t SamplePlan::stride(double h) const {
  return every * static_cast<std::uint64_t>(std::llround(h_max / h));
}

struct StudyPacer::Clock {
  Now::time_point last = Now::now();
};

StudyPacer::StudyPacer(StudyWatch watch, std::uint64_t planned, Stop* stop)
    : watch_(std::move(watch)), stop_(stop), last_(planned), clock_(std::make_unique<Clock>()) {}
StudyPacer::~StudyPacer() = default;

bool StudyPacer::step(const Simulation& sim, const StepReport& report, double worst) {
  ++step_;
  if (++since_ < stride_) return true;
  since_ = 0;
  const auto now = Now::now();
  // Reading the clock costs as much as a cheap step: do it every 5 to 20 ms only.
  const double passed = seconds(now - clock_->last);
  if (passed < 5e-3 && stride_ < (1u << 16)) stride_ *= 2;
  if (passed > 20e-3 && stride_ > 1) stride_ /= 2;
  clock_->last = now;
  if (watch_ && !watch_({step_, std::max(last_, step_), sim.state().t, sim.model().options().end,
                         report.contacts, worst}))
    stopped_ = true;
  return !stopped();
}

StudyObserver::StudyObserver(const Simulation& sim, std::span<const Observable> observables)
    : sim_(sim), observables_(observables) {}

// n . (J v + d), or S v
double StudyObserver::velocity(const Probe& probe) {
  const Dynamics& body = *sim_.model().groups()[static_cast<std::size_t>(probe.group)].dynamics;
  v_.resize(body.velocities());
  sim_.velocity(probe.group, v_);
  if (probe.table) {
    Eigen::Matrix<double, 1, 1> y;
    probe.table->apply(v_, scratch_, y);
    return y[0];
  }
  const State& state = sim_.state();
  const Vector& q = state.groups[static_cast<std::size_t>(probe.group)].q;
  const std::array at{probe.point};
  Vector3 x;
  body.point_drift(state.t, q, at, x);
  body.point_rows(q, q, at, rows_);
  const auto entry = [&](int k, int axis, int j) {
    const int place = (3 * k + axis) * rows_.width + j;
    return static_cast<std::size_t>(place);
  };
  for (int k = rows_.offset[0]; k < rows_.offset[1]; ++k)
    for (int axis = 0; axis < 3; ++axis)
      for (int j = 0; j < rows_.width; ++j)
        x[axis] +=
            rows_.value[entry(k, axis, j)] * v_[rows_.column[static_cast<std::size_t>(k)] + j];
  return probe.direction.dot(x);
}

void StudyObserver::add(Motion& motion) {
  for (const Observable& observable : observables_) {
    if (observable.probe < 0) {
      const Vector& q = sim_.state().groups[static_cast<std::size_t>(observable.group)].q;
      motion.values.insert(motion.values.end(), q.begin(), q.end());
      continue;
    }
    const Probe& probe = sim_.model().probes()[static_cast<std::size_t>(observable.probe)];
    motion.values.push_back(probe.quantity == Probe::Quantity::velocity
                                ? velocity(probe)
                                : sim_.probe(observable.probe));
  }
}

StudyRun study_run(const Model& model, const SamplePlan& plan,
                   std::span<const Observable> observables, bool timed, StudyPacer& pacer,
                   Motion& motion) {
  StudyRun run;
  run.h = model.options().h;
  run.warnings.assign(model.warnings().begin(), model.warnings().end());
  const std::uint64_t stride = plan.stride(run.h), steps = stride * plan.count;
  motion.width = 0;
  for (const Observable& observable : observables)
    motion.width += static_cast<std::size_t>(observable.width);
  motion.values.clear();
  motion.values.reserve(motion.width * (plan.count + 1));

  Simulation sim(model);
  sim.stop_by(pacer.asked());
  const State& state = sim.state();
  StudyObserver observer(sim, observables);
  observer.add(motion);
  run.energy.push_back(state.energy.total());
  std::uint64_t next = stride;
  const auto from = Now::now();
  while (state.step < steps) {
    const double t0 = state.t;
    const std::uint64_t before = state.step;
    const StepReport report = sim.advance();
    if (is_stop(report.failure)) break;
    if (state.step == before) {
      run.status = report.finite ? StudyStatus::failed : StudyStatus::unstable;
      if (!report.failure.empty()) run.status = StudyStatus::failed;
      run.reason = failure_of(model, state, report);
      break;
    }
    run.passes += static_cast<std::uint64_t>(report.passes);
    run.unsolved += !report.converged;
    run.unexplained = std::max(run.unexplained, std::abs(report.unexplained));
    run.residual = std::max(run.residual, report.residual_after);
    run.penetration = std::max(run.penetration, -report.gap);
    if (report.contacts > 0) {
      if (run.contact_steps == 0) run.first_contact = t0;
      ++run.contact_steps;
    }
    if (state.step == next) {
      observer.add(motion);
      run.energy.push_back(state.energy.total());
      next += stride;
    }
    if (!pacer.step(sim, report, run.residual)) break;
  }
  run.wall = seconds(Now::now() - from);
  run.steps = state.step;
  book(model, state, run);
  if (run.status != StudyStatus::ok) {
    pacer.skip(steps - state.step);
    return run;
  }
  if (timed && run.wall < kShort && !pacer.stopped()) {
    std::vector<double> walls{run.wall};
    for (int i = 1; i < kRepeats; ++i) walls.push_back(time_again(model, steps, pacer.asked()));
    run.wall = median(walls);
  }
  return run;
}

}  // namespace saltus

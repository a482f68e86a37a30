#include "saltus/phases/run_loop.h"

#include <algorithm>
#include <chrono>
#include <limits>

#include "saltus/base/stop.h"

namespace saltus {
namespace {

using RunClock = std::chrono::steady_clock;

constexpr auto kRunWatch = std::chrono::milliseconds(50);
// longest interval between checkpoints: writing may be slow, or the clock may jump
constexpr auto kFarthest = std::chrono::minutes(20);
constexpr double kLongestInterval = 1e9;  // [s]; the clock counts nanoseconds in 64 bits

/// 0 if the clock went backwards, as it may on a machine that was migrated or resumed.
double in_seconds(RunClock::duration duration) {
  return std::max(0.0, std::chrono::duration<double>(duration).count());
}

/// Evaluates outputs at one time, in vectors allocated once.
class RunObserver {
 public:
  explicit RunObserver(const Simulation& sim)
      : sim_(sim), probes_(sim.model().probes().size()), joint_loads_(sim.model().joints().size()) {
    for (const GroupState& group : sim.state().groups) velocities_.emplace_back(group.v.size());
  }

  std::span<const double> probes() {
    for (std::size_t i = 0; i < probes_.size(); ++i) probes_[i] = sim_.probe(static_cast<int>(i));
    return probes_;
  }
  void write_frame(ResultsWriter& out, bool with_contacts) {
    if (!with_contacts) return out.frame(sim_.state(), velocities(), joint_loads());
    const std::span<const ContactView> contacts = sim_.contacts(ResultsWriter::near(sim_.model()));
    out.frame(sim_.state(), velocities(), joint_loads(), contacts, sim_.seen_contacts());
  }

 private:
  std::span<const Vector> velocities() {
    for (std::size_t g = 0; g < velocities_.size(); ++g)
      sim_.velocity(static_cast<int>(g), velocities_[g]);
    return velocities_;
  }
  std::span<const std::array<Vector3, 2>> joint_loads() {
    for (std::size_t i = 0; i < joint_loads_.size(); ++i)
      joint_loads_[i] = sim_.joint_load(static_cast<int>(i));
    return joint_loads_;
  }

  const Simulation& sim_;
  std::vector<double> probes_;
  std::vector<Vector> velocities_;
  std::vector<std::array<Vector3, 2>> joint_loads_;
};

/// Schedules the watch: before the first step and then every kRunWatch, also after the clock was
/// set back.
class WatchSchedule {
 public:
  explicit WatchSchedule(RunClock::time_point begin) : next_(begin) {}
  bool due(RunClock::time_point now) {
    if (now < next_ && now + kRunWatch >= next_) return false;
    next_ = now + kRunWatch;
    return true;
  }

 private:
  RunClock::time_point next_;
};

/// Schedules checkpoints: every `every` steps (0: off), and `between` [s] of wall time after the
/// last one (0: off).
class CheckpointSchedule {
 public:
  CheckpointSchedule(const ResultsSpec& spec, RunClock::time_point begin)
      : every_(static_cast<std::uint64_t>(spec.checkpoint_every)),
        timed_(spec.checkpoint_interval > 0.0),
        least_(std::chrono::duration_cast<RunClock::duration>(
            std::chrono::duration<double>(std::min(spec.checkpoint_interval, kLongestInterval)))),
        apart_(least_),
        saved_(begin) {}
  bool due(std::uint64_t step, RunClock::time_point now) const {
    return (every_ != 0 && step % every_ == 0) || (timed_ && now - saved_ >= apart_);
  }
  /// Call after writing one. Those by time take at most 1/100 of it.
  void written(RunClock::time_point from, RunClock::time_point to) {
    saved_ = to;
    apart_ = std::max(least_, std::min<RunClock::duration>(100 * (to - from), kFarthest));
  }

 private:
  const std::uint64_t every_;
  const bool timed_;
  const RunClock::duration least_;
  RunClock::duration apart_;
  RunClock::time_point saved_;
};

/// Wall time of the steps.
struct StepTimes {
  RunClock::duration all{}, worst{};
  std::uint64_t worst_step = 0;

  void add(RunClock::duration took, std::uint64_t step) {
    all += std::max(took, RunClock::duration::zero());
    if (took <= worst) return;
    worst = took;
    worst_step = step;
  }
};

/// Adds an accepted step. `scheme_work`: its contribution to the work term of the schemes [J].
void add_step(LoopReport& loop, const StepReport& report, const Simulation& sim,
              double scheme_work) {
  const State& state = sim.state();
  loop.halved += report.halvings > 0;
  if (state.step == loop.first + 1) loop.first_gap = report.gap;
  loop.least_gap = std::min(loop.least_gap, report.gap);
  loop.speed = std::max(loop.speed, report.speed);
  loop.gain.add({report.impact, report.friction, scheme_work, report.impulse * report.speed},
                state.energy_start, state.energy, state.step);
  loop.statistics.add(report, state.energy, state.t);
  loop.statistics.add(sim.events());
}

void add_times(LoopReport& loop, const StepTimes& times) {
  loop.stepping += in_seconds(times.all);
  if (const double worst = in_seconds(times.worst); worst > loop.worst) {
    loop.worst = worst;
    loop.worst_step = times.worst_step;
  }
}

/// That of the part before, or a new one.
LoopReport begun(const State& state, ResultsWriter& out, const RunPart& part) {
  LoopReport loop;
  if (part.former) loop = *part.former;
  loop.end = LoopReport::End::reached;
  if (part.former) return loop;
  loop.first = state.step;
  loop.statistics = out.statistics();
  return loop;
}

StepReport report_of_start() {
  StepReport report;
  report.gap = std::numeric_limits<double>::infinity();
  report.steps = 0;
  return report;
}

}  // namespace

FramePlan::FramePlan(int count, std::uint64_t steps)
    : count_(static_cast<std::uint64_t>(std::max(count, 0))), steps_(steps) {}

std::uint64_t FramePlan::next(std::uint64_t step) const {
  if (count_ == 0 || step > steps_) return std::numeric_limits<std::uint64_t>::max();
  if (count_ == 1) return steps_;
  // Frame k is at step floor(k steps/gaps): find the smallest k with k steps >= step gaps.
  __extension__ using Wide = unsigned __int128;
  const Wide gaps = std::min(count_ - 1, steps_), n = steps_;
  const Wide k = (step * gaps + n - 1) / n;
  return static_cast<std::uint64_t>(k * n / gaps);
}

LoopReport run_loop(Simulation& sim, ResultsWriter& out, const ResultsSpec& spec,
                    std::uint64_t steps, const ContactGain& gain, const RunWatch& watch,
                    const RunAfter& after, const RunPart& part) {
  const std::uint64_t until = part.until > 0 ? part.until : steps;
  const State& state = sim.state();
  const double end = sim.model().options().end;
  const FramePlan plan(spec.frames, steps);
  const bool with_contacts = frames_hold_contacts(spec, sim.model());
  RunObserver observer(sim);
  LoopReport loop = begun(state, out, part);
  loop.gain = gain;
  // A run that was interrupted before its first step already has row 0.
  if (state.step == 0 && out.empty()) {
    out.start(state, observer.probes());
    loop.statistics.add(report_of_start(), state.energy, state.t);
    if (plan.next(0) == 0) observer.write_frame(out, with_contacts);
    out.checkpoint(state, sim.notices());
  }
  loop.statistics.rows = state.step + 1;  // rows count steps, even if not every step was stored
  std::uint64_t next_frame = plan.next(state.step + 1);

  const RunClock::time_point begin = RunClock::now();
  RunClock::time_point now = begin;
  StepTimes times;
  WatchSchedule watches(begin);
  CheckpointSchedule checkpoints(spec, begin);
  int contacts = 0;
  while (state.step < until) {
    if (watch && watches.due(now) &&
        !watch({state.step, loop.first, steps, state.t, end, contacts,
                loop.statistics.residual.value})) {
      loop.end = LoopReport::End::interrupted;
      break;
    }
    const std::uint64_t before = state.step;
    if (before + 1 == next_frame) out.begin_step(state.groups);
    const double scheme_before = scheme_account(state.ledger);
    const RunClock::time_point from = RunClock::now();
    const StepReport report = sim.advance();
    const RunClock::time_point to = now = RunClock::now();
    times.add(to - from, before + 1);
    if (state.step == before) {
      loop.end = is_stop(report.failure) ? LoopReport::End::interrupted : LoopReport::End::failed;
      loop.failure = report;
      break;
    }
    if (after) after(report, in_seconds(to - from));
    add_step(loop, report, sim, scheme_account(state.ledger) - scheme_before);
    out.events(sim.events());
    const bool framed = state.step == next_frame;
    if (spec.every_step || framed || state.step == steps)
      out.record(report, state, observer.probes(), in_seconds(to - from));
    if (framed) {
      observer.write_frame(out, with_contacts);
      next_frame = plan.next(state.step + 1);
    }
    if (checkpoints.due(state.step, to) && state.step < steps) {
      out.checkpoint(state, sim.notices());
      now = RunClock::now();
      checkpoints.written(to, now);
    } else if (out.wants_drain()) {
      out.hand_over();
    }
    contacts = report.contacts;
  }
  loop.wall += in_seconds(RunClock::now() - begin);
  add_times(loop, times);
  loop.last = state.step;
  return loop;
}

}  // namespace saltus

#include "saltus/study/run_loop.h"

#include <algorithm>
#include <chrono>
#include <limits>

#include "saltus/base/stop.h"

namespace saltus {
namespace {

using RunClock = std::chrono::steady_clock;

constexpr auto kRunWatch = std::chrono::milliseconds(50);
constexpr auto kFarthest =
    std::chrono::minutes(20);  // between checkpoints that take long, or whose clock jumped

/// 0 where the clock went back, as that of a machine that was moved or woken can.
double in_seconds(RunClock::duration duration) {
  return std::max(0.0, std::chrono::duration<double>(duration).count());
}

/// What is measured at one moment, in vectors made once.
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
  // Frame k lies at step floor(k steps/gaps): the smallest k with k steps >= step gaps.
  __extension__ using Wide = unsigned __int128;
  const Wide gaps = std::min(count_ - 1, steps_), n = steps_;
  const Wide k = (step * gaps + n - 1) / n;
  return static_cast<std::uint64_t>(k * n / gaps);
}

LoopReport run_loop(Simulation& sim, ResultsWriter& out, const ResultsSpec& spec,
                    std::uint64_t steps, const ContactGain& gain, const RunWatch& watch,
                    const RunAfter& after, double between) {
  const State& state = sim.state();
  const double end = sim.model().options().end;
  const FramePlan plan(spec.frames, steps);
  const bool with_contacts = frames_hold_contacts(spec, sim.model());
  const auto every = static_cast<std::uint64_t>(spec.checkpoint_every);
  RunObserver observer(sim);
  LoopReport loop;
  loop.first = state.step;
  loop.gain = gain;
  loop.statistics = out.statistics();
  // Not of a run that was interrupted before its first step: it has row 0 already.
  if (state.step == 0 && out.empty()) {
    out.start(state, observer.probes());
    loop.statistics.add(report_of_start(), state.energy, state.t);
    if (plan.next(0) == 0) observer.write_frame(out, with_contacts);
  }
  loop.statistics.rows = state.step + 1;  // rows count steps, also where not every step was stored
  std::uint64_t next_frame = plan.next(state.step + 1);

  const RunClock::time_point begin = RunClock::now();
  RunClock::time_point now = begin;
  RunClock::duration stepping{}, worst{};
  RunClock::time_point next_watch = begin;
  const auto least = std::chrono::duration_cast<RunClock::duration>(
      std::chrono::duration<double>(std::max(between, 0.0)));
  RunClock::duration apart = least;  // checkpoints
  RunClock::time_point saved = begin;
  int contacts = 0;
  while (state.step < steps) {
    if (watch && (now >= next_watch || now + kRunWatch < next_watch)) {
      next_watch = now + kRunWatch;
      if (!watch({state.step, loop.first, steps, state.t, end, contacts,
                  loop.statistics.residual.value})) {
        loop.end = LoopReport::End::interrupted;
        break;
      }
    }
    const std::uint64_t before = state.step;
    if (before + 1 == next_frame) out.begin_step(state.groups);
    const double scheme_before = scheme_account(state.ledger);
    const RunClock::time_point from = RunClock::now();
    const StepReport report = sim.advance();
    const RunClock::time_point to = now = RunClock::now();
    stepping += std::max(to - from, RunClock::duration::zero());
    if (to - from > worst) {
      worst = to - from;
      loop.worst_step = before + 1;
    }
    if (state.step == before) {
      loop.end = is_stop(report.failure) ? LoopReport::End::interrupted : LoopReport::End::failed;
      loop.failure = report;
      break;
    }
    if (after) after(report, in_seconds(to - from));
    loop.halved += report.halvings > 0;
    if (before == loop.first) loop.first_gap = report.gap;
    loop.least_gap = std::min(loop.least_gap, report.gap);
    loop.speed = std::max(loop.speed, report.speed);
    loop.gain.add({report.impact, report.friction, scheme_account(state.ledger) - scheme_before,
                   report.impulse * report.speed},
                  state.energy_start, state.energy, state.step);
    loop.statistics.add(report, state.energy, state.t);
    loop.statistics.add(sim.events());
    out.events(sim.events());
    const bool framed = state.step == next_frame;
    if (spec.every_step || framed || state.step == steps)
      out.record(report, state, observer.probes(), in_seconds(to - from));
    if (framed) {
      observer.write_frame(out, with_contacts);
      next_frame = plan.next(state.step + 1);
    }
    const bool due = (every != 0 && state.step % every == 0) || to - saved >= apart;
    if (due && state.step < steps) {
      out.checkpoint(state, sim.notices());
      now = saved = RunClock::now();
      apart = std::max(least, std::min<RunClock::duration>(50 * (saved - to), kFarthest));
    } else if (out.wants_drain()) {
      out.hand_over();
    }
    contacts = report.contacts;
  }
  loop.wall = in_seconds(RunClock::now() - begin);
  loop.stepping = in_seconds(stepping);
  loop.worst = in_seconds(worst);
  loop.last = state.step;
  return loop;
}

}  // namespace saltus

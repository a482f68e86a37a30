#include "saltus/app/live_run.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cmath>

#include "saltus/base/error.h"
#include "saltus/sim/failure_text.h"

namespace saltus::app {
namespace {

constexpr double kLongestWait = 3600.0;  // of the pace [s]; then it looks again
constexpr std::size_t kRowsAtOnce = 64;  // of one publication; what is more is thinned

double thread_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double as_seconds(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

/// At most about `most` rows: of each stretch the least and the largest value of every column stay, at its first and its last time.
std::vector<std::vector<double>> thinned(std::vector<std::vector<double>> rows, std::size_t most) {
  if (rows.size() <= most) return rows;
  const std::size_t stretches = most / 2;
  std::vector<std::vector<double>> kept;
  for (std::size_t s = 0; s < stretches; ++s) {
    const std::size_t begin = s * rows.size() / stretches, end = (s + 1) * rows.size() / stretches;
    std::vector<double> low = rows[begin], high = rows[begin];
    for (std::size_t k = begin + 1; k < end; ++k)
      for (std::size_t c = 1; c < low.size(); ++c) {
        low[c] = std::fmin(low[c], rows[k][c]);
        high[c] = std::fmax(high[c], rows[k][c]);
      }
    high[0] = rows[end - 1][0];
    kept.push_back(std::move(low));
    if (end > begin + 1) kept.push_back(std::move(high));
  }
  return kept;
}

/// Steps of other lengths may have gone before, so that their number says nothing.
bool at_end(const Model& model, const State& state) {
  return state.t >= model.options().end - 0.5 * model.options().h;
}

}  // namespace

std::vector<LiveColumn> live_columns(const Model& model) {
  std::vector<LiveColumn> columns{
      {"energy", "kinetic"}, {"energy", "potential"}, {"energy", "total"}};
  for (const std::string& account : model.accounts()) columns.push_back({"ledger", account});
  for (const auto& [plot, series] : {std::pair{"unexplained", "of a step"},
                                     {"residual", "as solved"},
                                     {"residual", "on the finished state"},
                                     {"gap", "smallest"},
                                     {"contacts", "with impulse"},
                                     {"iterations", "iterations"},
                                     {"iterations", "passes"},
                                     {"step cost", "wall time"}})
    columns.push_back({plot, series});
  const auto taken = [&](const std::string& name) {
    return name == "time" || std::ranges::find(columns, name, &LiveColumn::plot) != columns.end();
  };
  for (const Probe& probe : model.probes()) {
    std::string plot = probe.name;
    for (int k = 2; taken(plot); ++k) plot = fmt::format("{}-{}", probe.name, k);
    columns.push_back({plot, probe.name});
  }
  return columns;
}

/// While it lives the run stands between two steps.
struct LiveRun::Command {
  LiveRun& run;
  std::unique_lock<std::mutex> lock;
  explicit Command(LiveRun& run_) : run(run_) {
    ++run.commands_;  // first, so that the run does not begin another step
    lock = std::unique_lock(run.step_lock_);
  }
  ~Command() {
    --run.commands_;
    lock.unlock();
    run.step_news_.notify_all();
  }
};

LiveRun::LiveRun(std::string scene, std::vector<std::string> set, MakeEncoder encoder)
    : scene_(std::move(scene)), set_(std::move(set)), make_encoder_(std::move(encoder)) {
  adopt(std::make_shared<const SceneSetup>(set_up(scene_, set_)), {});
  columns_ = live_columns(setup_->model);
  thread_ = std::thread([this] { loop(); });
  herald_ = std::thread([this] { herald(); });
}

LiveRun::~LiveRun() {
  {
    const Command command(*this);
    quit_ = true;
  }
  thread_.join();
  {
    const std::lock_guard lock(show_lock_);
    silent_ = true;
  }
  herald_news_.notify_one();
  herald_.join();
}

void LiveRun::start() {
  const Command command(*this);
  if (now_.ended) return;
  running_ = true;
  keep_pace_from_here();
  publish(true);
}

void LiveRun::pause() {
  const Command command(*this);
  running_ = false;
  if (framed_ != sim_->state().step) take_frame();
  publish(true);
}

void LiveRun::step() {
  const Command command(*this);
  running_ = false;
  if (!now_.ended) ++single_;
}

void LiveRun::restart() {
  const auto fresh = std::make_shared<const SceneSetup>(set_up(scene_, set_));
  const Command command(*this);
  adopt(fresh, {});
}

void LiveRun::set(const std::string& path, const std::string& value) {
  std::vector<std::string> all = set_;
  std::erase_if(all, [&](const std::string& one) { return one.starts_with(path + "="); });
  all.push_back(path + "=" + value);
  const auto changed = std::make_shared<const SceneSetup>(set_up(scene_, all));
  const Command command(*this);
  if (live_columns(changed->model).size() != columns_.size() ||
      !std::ranges::equal(
          changed->model.initial(), sim_->state().groups, {},
          [](const GroupState& group) { return group.q.size(); },
          [](const GroupState& group) { return group.q.size(); }))
    throw SceneError("--set " + path, "makes another scene, of which the present state is none",
                     "nothing may be added or taken away while it runs");
  try {
    adopt(changed, sim_->state());
  } catch (const UsageError&) {
    throw SceneError("--set " + path, "makes another scene, of which the present state is none",
                     "nothing may be added or taken away while it runs");
  }
  set_ = std::move(all);
}

void LiveRun::pace(double factor) {
  if (!(factor >= 0.0) || !std::isfinite(factor))
    throw SceneError("speed", "is not a factor", "must be finite and >= 0; 0: as fast as it goes");
  const Command command(*this);
  pace_ = factor;
  keep_pace_from_here();
}

/// Without a state: from the start. The run stands between two steps. What throws leaves it as it was.
void LiveRun::adopt(std::shared_ptr<const SceneSetup> setup, std::optional<State> state) {
  const bool goes_on = state.has_value();
  if (goes_on) {
    // What the change does to the energy is no work of this run: the account begins anew beside it.
    const Energy energy = energy_of(setup->model, *state);
    state->energy_start += energy.total() - state->energy.total();
    state->energy = energy;
  }
  Simulation fresh =
      goes_on ? Simulation(setup->model, std::move(*state)) : Simulation(setup->model);
  LiveEncoder encoder = make_encoder_(*setup, fresh);

  const bool same_records = goes_on && encoder.layout == encoder_.layout;
  sim_.emplace(std::move(fresh));
  encoder_ = std::move(encoder);
  probes_.assign(setup->model.probes().size(), 0.0);
  if (!goes_on) {
    now_ = {};
    running_ = false;
    single_ = 0;
  }
  now_.error.clear();
  now_.ended = at_end(setup->model, sim_->state());
  now_.t = sim_->state().t;
  now_.step = sim_->state().step;
  keep_pace_from_here();
  {
    const std::lock_guard lock(show_lock_);
    setup_ = std::move(setup);
    if (!goes_on) {
      new_rows_.clear();
      first_row_ += rows_.size();
      rows_.clear();
    }
    if (!same_records) {
      new_frames_.clear();
      frames_.clear();
      frame_bytes_ = 0;
    }
  }
  if (!same_records) take_frame();
  publish(true);
}

void LiveRun::keep_pace_from_here() {
  pace_from_ = Clock::now();
  pace_t_ = sim_->state().t;
  paced_anew_ = true;
}

void LiveRun::loop() {
  std::unique_lock lock(step_lock_);
  while (true) {
    step_news_.wait(lock, [&] { return commands_ == 0 && (quit_ || running_ || single_ > 0); });
    if (quit_) return;
    paced_anew_ = false;
    if (single_ == 0 && pace_ > 0.0) {
      const std::chrono::duration<double> ahead(
          std::min((sim_->state().t - pace_t_) / pace_, kLongestWait));
      const auto due = pace_from_ + std::chrono::duration_cast<Clock::duration>(ahead);
      if (due > Clock::now()) {
        step_news_.wait_until(lock, due,
                              [&] { return quit_ || commands_ > 0 || !running_ || paced_anew_; });
        continue;
      }
    }
    const bool single = single_ > 0;
    if (single) --single_;
    try {
      make_step();
    } catch (const std::exception& error) {
      now_.error = error.what();
      now_.ended = true;
      running_ = false;
    }
    if (single || now_.ended) publish(true);
  }
}

void LiveRun::make_step() {
  const State& state = sim_->state();
  const std::uint64_t before = state.step;
  const double cpu = thread_seconds();
  const Clock::time_point from = Clock::now();
  const StepReport report = sim_->advance();
  const Clock::time_point to = Clock::now();
  ++cost_.steps;
  cost_.stepping += as_seconds(to - from);
  cost_.stepping_cpu += thread_seconds() - cpu;
  if (state.step == before) {
    now_.error = failure_text(sim_->model(), report, before + 1);
    now_.ended = true;
  } else {
    now_.t = state.t;
    now_.step = state.step;
    now_.ended = at_end(sim_->model(), state);
    take_row(report, as_seconds(to - from));
  }
  if (now_.ended) running_ = false;
  if (to >= next_frame_ || !running_) {
    if (state.step != before) take_frame();
    next_frame_ = to + std::chrono::duration_cast<Clock::duration>(
                           std::chrono::duration<double>(1.0 / kFramesASecond));
    publish(false);
  }
  cost_.showing += as_seconds(Clock::now() - to);
}

void LiveRun::take_row(const StepReport& report, double cost) {
  const State& state = sim_->state();
  std::vector<double> row{state.t, state.energy.kinetic, state.energy.potential,
                          state.energy.total()};
  row.insert(row.end(), state.ledger.begin(), state.ledger.end());
  row.insert(row.end(),
             {report.unexplained, report.residual, report.residual_after, report.gap,
              static_cast<double>(report.contacts), static_cast<double>(report.iterations),
              static_cast<double>(report.passes), cost});
  for (std::size_t i = 0; i < probes_.size(); ++i) row.push_back(sim_->probe(static_cast<int>(i)));
  new_rows_.push_back(std::move(row));
}

void LiveRun::take_frame() {
  framed_ = sim_->state().step;
  new_frames_.push_back({sim_->state().t, sim_->state().step,
                         std::make_shared<const std::string>(encoder_.encode(*sim_))});
}

/// Without `wait` only if nobody reads just now: then the rows and frames stay for the next time.
void LiveRun::publish(bool wait) {
  now_.running = running_;
  const double wall = as_seconds(Clock::now() - pace_from_);
  now_.rate = running_ && wall > 0.0 ? (now_.t - pace_t_) / wall : 0.0;
  std::unique_lock lock(show_lock_, std::defer_lock);
  if (wait)
    lock.lock();
  else if (!lock.try_lock())
    return;
  for (std::vector<double>& row : thinned(std::move(new_rows_), kRowsAtOnce))
    rows_.push_back(std::move(row));
  new_rows_.clear();
  while (rows_.size() > kRows) {
    rows_.pop_front();
    ++first_row_;
  }
  for (LiveFrame& frame : new_frames_) {
    frame_bytes_ += frame.record->size();
    frames_.push_back(std::move(frame));
    ++now_.frames;
  }
  new_frames_.clear();
  while (frame_bytes_ > kFrameBytes && frames_.size() > 1) {
    frame_bytes_ -= frames_.front().record->size();
    frames_.pop_front();
  }
  now_.first_frame = now_.frames - frames_.size();
  shown_ = now_;
  cost_shown_ = cost_;
  ++news_;
  lock.unlock();
  herald_news_.notify_one();
}

void LiveRun::herald() {
  std::unique_lock lock(show_lock_);
  while (!silent_) {
    herald_news_.wait(lock, [&] { return silent_ || heralded_ != news_; });
    heralded_ = news_;
    lock.unlock();
    show_news_.notify_all();
    lock.lock();
  }
}

std::shared_ptr<const SceneSetup> LiveRun::setup() const {
  const std::lock_guard lock(show_lock_);
  return setup_;
}

LiveState LiveRun::state() const {
  const std::lock_guard lock(show_lock_);
  return shown_;
}

std::vector<LiveFrame> LiveRun::frames(std::uint64_t first, std::uint64_t last) const {
  const std::lock_guard lock(show_lock_);
  if (first > last || first < shown_.first_frame || last >= shown_.frames) return {};
  const auto begin = frames_.begin() + static_cast<std::ptrdiff_t>(first - shown_.first_frame);
  return {begin, begin + static_cast<std::ptrdiff_t>(last - first + 1)};
}

std::vector<std::vector<double>> LiveRun::rows(std::uint64_t& row) const {
  const std::lock_guard lock(show_lock_);
  const std::uint64_t end = first_row_ + rows_.size();
  const std::uint64_t from = std::clamp(row, first_row_, end);
  row = end;
  return {rows_.begin() + static_cast<std::ptrdiff_t>(from - first_row_), rows_.end()};
}

void LiveRun::wait_for_news(std::uint64_t& seen, std::chrono::milliseconds wait) const {
  std::unique_lock lock(show_lock_);
  show_news_.wait_for(lock, wait, [&] { return news_ != seen; });
  seen = news_;
}

LiveCost LiveRun::cost() const {
  const std::lock_guard lock(show_lock_);
  return cost_shown_;
}

}  // namespace saltus::app

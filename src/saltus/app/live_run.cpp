#include "saltus/app/live_run.h"

#include <sys/resource.h>

#include <algorithm>
#include <cmath>

#include "saltus/app/thread_times_internal.h"
#include "saltus/base/error.h"
#include "saltus/base/stop.h"
#include "saltus/scene_file/data_files.h"
#include "saltus/scene_file/scene_yaml.h"
#include "saltus/sim/failure_text.h"

namespace saltus::app {
namespace {

constexpr double kLongestWait = 3600.0;    // for the pace [s]; then it is checked again
constexpr std::size_t kRowsAtMost = 2048;  // to a viewer at once
constexpr std::size_t kRowsAtOnce = 64;    // per parcel; more rows are thinned
constexpr const char* kNameless = "stopped by an unknown error";

double thread_seconds() { return processor_seconds(CLOCK_THREAD_CPUTIME_ID); }

double as_seconds(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

/// Tests the time, because the number of steps is unknown if earlier steps had other lengths.
bool at_end(const Model& model, const State& state) {
  return state.t >= model.options().end - 0.5 * model.options().h;
}

/// Whether groups have equal numbers of coordinates and joint angles.
bool same_shape(std::span<const GroupState> x, std::span<const GroupState> y) {
  return std::ranges::equal(x, y, [](const GroupState& a, const GroupState& b) {
    return a.q.size() == b.q.size() && a.angles.size() == b.angles.size();
  });
}

SceneSetup live_setup(const std::string& scene, const std::vector<std::string>& set) {
  SceneSetup setup = set_up(scene, set);
  if (!setup.phases) return setup;
  rethrow_placed({"phases", "are run as a whole only, not live", "leave out `phases`"},
                 setup.scene);
}

}  // namespace

/// During its lifetime the run waits between two steps.
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

/// A scene at its start, with the encoder of its frames.
struct LiveRun::Prepared {
  std::shared_ptr<const SceneSetup> setup;
  std::optional<Simulation> start;
  LiveEncoder encoder;
};

LiveRun::LiveRun(std::string scene, std::vector<std::string> set, MakeEncoder encoder)
    : scene_(std::move(scene)), set_(std::move(set)), make_encoder_(std::move(encoder)) {
  Prepared start = prepare(set_);
  const std::uint64_t first = adopt(start, false);
  columns_ = live_columns(setup_->model);
  thread_ = std::thread([this] { loop(); });
  publisher_ = std::thread([this] { publish_all(); });
  wait_until_shown(first);
}

LiveRun::~LiveRun() {
  stop_.request();
  {
    const Command command(*this);
    quit_ = true;
  }
  thread_.join();
  settle();
  mail_ = kEnd;
  mail_.notify_all();
  publisher_.join();
}

void LiveRun::start() {
  std::uint64_t told = 0;
  {
    const Command command(*this);
    if (now_.ended) return;
    running_ = true;
    keep_pace_from_here();
    told = tell();
  }
  wait_until_shown(told);
}

void LiveRun::pause() {
  std::uint64_t told = 0;
  {
    const Command command(*this);
    running_ = false;
    told = tell();
  }
  wait_until_shown(told);
}

void LiveRun::step() {
  const Command command(*this);
  running_ = false;
  if (!now_.ended) ++single_;
}

void LiveRun::restart() {
  Prepared fresh = prepare(set_);
  std::uint64_t told = 0;
  {
    const Command command(*this);
    told = adopt(fresh, false);
  }
  wait_until_shown(told);
}

void LiveRun::set(const std::string& path, const std::string& value) {
  std::vector<std::string> all = set_;
  std::erase_if(all, [&](const std::string& one) { return one.starts_with(path + "="); });
  all.push_back(path + "=" + value);
  const auto refuse = [&] {
    throw SceneError("--set " + path, "changes the scene so that the current state does not fit",
                     "nothing may be added or removed during a run");
  };
  expect_same_files(read_scene(scene_, all), path);
  Prepared changed = prepare(all);
  const bool same_columns = live_columns(changed.setup->model).size() == columns_.size();
  std::uint64_t told = 0;
  {
    const Command command(*this);
    if (!same_columns || !same_shape(changed.start->state().groups, sim_->state().groups)) refuse();
    try {
      told = adopt(changed, true);
      set_points_.scene_changed(*sim_, path);
    } catch (const UsageError&) {
      refuse();
    }
    set_ = std::move(all);
  }
  wait_until_shown(told);
}

void LiveRun::set_point(const std::string& actuator, std::optional<double> value) {
  const Command command(*this);
  value ? set_points_.give(*sim_, actuator, *value) : set_points_.take_back(*sim_, actuator);
}

/// Throws SceneError if the scene names other files than the run, before any of them is opened.
void LiveRun::expect_same_files(const Scene& scene, const std::string& path) const {
  const auto before = data_files(setup()->scene), now = data_files(scene);
  if (!std::ranges::equal(before, now, {}, &DataFile::file, &DataFile::file))
    throw SceneError("--set " + path, "names a different file",
                     "files cannot be changed during a run");
}

void LiveRun::pace(double factor) {
  if (!(factor >= 0.0) || !std::isfinite(factor))
    throw SceneError("speed", "is not a factor", "must be finite and >= 0; 0: as fast as possible");
  const Command command(*this);
  pace_ = factor;
  keep_pace_from_here();
}

/// Prepares everything that depends only on the scene, while steps continue.
LiveRun::Prepared LiveRun::prepare(const std::vector<std::string>& set) const {
  auto setup = std::make_shared<const SceneSetup>(live_setup(scene_, set));
  Simulation start(setup->model);
  LiveEncoder encoder = make_encoder_(*setup, start);
  return {std::move(setup), std::move(start), std::move(encoder)};
}

/// Continues from the current state or restarts, while the run waits between two steps. If it
/// throws, nothing has changed. Returns the number of the parcel with the result.
std::uint64_t LiveRun::adopt(Prepared& prepared, bool goes_on) {
  const std::shared_ptr<const SceneSetup> setup = prepared.setup;
  const Model& model = setup->model;
  if (!goes_on) set_points_.give_all(*prepared.start);
  if (goes_on) {
    // The energy change by set() is not work of the run, so the energy balance starts anew.
    State state = sim_->state();
    const Energy energy = energy_of(model, state);
    state.energy_start += energy.total() - state.energy.total();
    state.energy = energy;
    prepared.start.emplace(model, std::move(state));
  }
  prepared.encoder.look(*prepared.start);

  settle();
  const bool same_records = goes_on && prepared.encoder.layout == encoder_.layout;
  std::swap(encoder_, prepared.encoder);
  sim_.emplace(std::move(*prepared.start));
  sim_->stop_by(&stop_);
  probes_ = model.probes().size();
  const bool frame = !same_records || framed_ != sim_->state().step;
  framed_ = sim_->state().step;
  if (!goes_on) {
    now_ = {};
    running_ = false;
    single_ = 0;
    new_rows_.clear();
  }
  now_.error.clear();
  now_.ended = at_end(model, sim_->state());
  now_.t = sim_->state().t;
  now_.step = framed_;
  keep_pace_from_here();
  {
    // one lock: viewers never get records that do not match the header, or deleted frames
    const std::lock_guard lock(show_lock_);
    std::swap(setup_, prepared.setup);
    if (!goes_on) {
      first_row_ += rows_.size();
      rows_.clear();
      shown_.frames = 0;
    }
    if (!same_records) {
      frames_.clear();
      frame_bytes_ = 0;
      shown_.first_frame = shown_.frames;
    }
    encoder_.adopted();
  }
  send(frame);
  return sent_;
}

void LiveRun::keep_pace_from_here() {
  pace_from_ = Clock::now();
  pace_t_ = sim_->state().t;
  paced_anew_ = true;
}

void LiveRun::loop() {
  std::unique_lock lock(step_lock_);
  threads_ = std::make_unique<ThreadTimes>();
  while (true) {
    if (running_ && commands_ > 0) {
      const Clock::time_point from = Clock::now();
      step_news_.wait(lock, [&] { return commands_ == 0; });
      cost_.waiting += as_seconds(Clock::now() - from);
    }
    step_news_.wait(lock, [&] { return commands_ == 0 && (quit_ || running_ || single_ > 0); });
    if (quit_) break;
    paced_anew_ = false;
    if (single_ == 0 && pace_ > 0.0) {
      const std::chrono::duration<double> ahead(
          std::min((sim_->state().t - pace_t_) / pace_, kLongestWait));
      const auto due = pace_from_ + std::chrono::duration_cast<Clock::duration>(ahead);
      if (due > Clock::now()) {
        at_leisure_ = true;
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
    } catch (...) {
      now_.error = kNameless;
      now_.ended = true;
    }
    if (now_.ended) running_ = false;
    if (!single && !now_.ended) continue;
    settle();  // no later step would send the remaining data
    try {
      hand_over();
    } catch (...) {
      hand_over();  // without the frame that could not be copied
    }
  }
  threads_.reset();
}

void LiveRun::make_step() {
  const State& state = sim_->state();
  const std::uint64_t before = state.step;
  const Clock::time_point from = Clock::now();
  const StepReport report = sim_->advance();
  const Clock::time_point to = Clock::now();
  if (is_stop(report.failure)) {
    running_ = false;  // the program ends
    return;
  }
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
  const Clock::time_point done = Clock::now();
  ++cost_.steps;
  cost_.stepping += as_seconds(done - from);
  if (done < next_frame_ || !is_empty()) return;
  const double cpu = thread_seconds();
  hand_over();
  const double took = thread_seconds() - cpu;
  cost_.handing_cpu += took;
  cost_.handing_over += as_seconds(Clock::now() - done);
  double wait = 1.0 / kFramesASecond;
  if (!at_leisure_) wait = std::clamp(took / kHandingShare, wait, 1.0 / kFewestASecond);
  next_frame_ =
      done + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(wait));
  at_leisure_ = false;
}

void LiveRun::take_row(const StepReport& report, double cost) {
  const State& state = sim_->state();
  new_rows_.insert(new_rows_.end(),
                   {state.t, state.energy.kinetic, state.energy.potential, state.energy.total()});
  new_rows_.insert(new_rows_.end(), state.ledger.begin(), state.ledger.end());
  new_rows_.insert(new_rows_.end(),
                   {report.unexplained, report.residual, report.residual_after, report.gap,
                    static_cast<double>(report.contacts), static_cast<double>(report.iterations),
                    static_cast<double>(report.passes), cost});
  for (std::size_t i = 0; i < probes_; ++i) new_rows_.push_back(sim_->probe(static_cast<int>(i)));
}

/// Sends a parcel to the publisher, which must have taken the previous one: new rows, and a frame
/// if the state has none yet.
void LiveRun::hand_over() {
  const std::uint64_t step = sim_->state().step;
  const bool frame = framed_ != step;
  framed_ = step;  // first: if look() throws, do not try again
  if (frame) encoder_.look(*sim_);
  send(frame);
}

/// `frame`: the encoder has copied the state.
void LiveRun::send(bool frame) {
  now_.running = running_;
  const double wall = as_seconds(Clock::now() - pace_from_);
  now_.rate = running_ && wall > 0.0 ? (now_.t - pace_t_) / wall : 0.0;
  if (frame) ++cost_.frames;
  if (threads_) {
    cost_.stepping_cpu = threads_->own() - cost_.handing_cpu;
    cost_.helpers_cpu = threads_->helpers();
  }
  parcel_.number = ++sent_;
  parcel_.frame = frame;
  parcel_.state = now_;
  parcel_.cost = cost_;
  std::swap(parcel_.rows, new_rows_);  // the publisher has emptied the returned vector
  mail_.store(kFull, std::memory_order_release);
  mail_.notify_all();
}

/// Waits until the publisher has finished. It does not wait for viewers, except for the lock that
/// they hold briefly.
void LiveRun::settle() const { mail_.wait(kFull, std::memory_order_acquire); }

/// Sends the effect of a command. The command then waits for the returned parcel number to become
/// visible, while steps continue.
std::uint64_t LiveRun::tell() {
  settle();
  hand_over();
  return sent_;
}

void LiveRun::wait_until_shown(std::uint64_t parcel) const {
  std::unique_lock lock(show_lock_);
  show_news_.wait(lock, [&] { return shown_parcel_ >= parcel; });
}

void LiveRun::publish_all() {
  give_way_to_steps();
  while (true) {
    mail_.wait(kEmpty, std::memory_order_acquire);
    if (mail_ == kEnd) return;
    std::string fault;
    try {
      publish();
    } catch (const std::exception& error) {
      fault = error.what();
    } catch (...) {
      fault = kNameless;
    }
    parcel_.rows.clear();
    {
      const std::lock_guard lock(show_lock_);
      if (!fault.empty()) shown_.error.swap(fault);
      shown_parcel_ = parcel_.number;
      ++news_;
    }
    mail_.store(kEmpty, std::memory_order_release);
    mail_.notify_all();
    show_news_.notify_all();
  }
}

void LiveRun::publish() {
  std::shared_ptr<const std::string> record;
  if (parcel_.frame) try {
      record = std::make_shared<const std::string>(encoder_.encode());
    } catch (const std::exception& error) {
      parcel_.state.error = error.what();
    } catch (...) {
      parcel_.state.error = kNameless;
    }
  std::vector<std::vector<double>> rows =
      thinned_rows(parcel_.rows, columns_.size() + 1, kRowsAtOnce);
  const std::lock_guard lock(show_lock_);
  for (std::vector<double>& row : rows) rows_.push_back(std::move(row));
  while (rows_.size() > kRows) {
    rows_.pop_front();
    ++first_row_;
  }
  if (record) {
    frames_.push_back({parcel_.state.t, parcel_.state.step, record});
    frame_bytes_ += record->size();
    ++shown_.frames;
  }
  while (frame_bytes_ > kFrameBytes && frames_.size() > 1) {
    frame_bytes_ -= frames_.front().record->size();
    frames_.pop_front();
  }
  parcel_.state.frames = shown_.frames;
  parcel_.state.first_frame = shown_.frames - frames_.size();
  std::swap(shown_, parcel_.state);
  cost_shown_ = parcel_.cost;
}

void give_way_to_steps() {
  constexpr int kNicer = 10;  // gets a tenth of a processor that both compete for
  // on Linux this affects only the calling thread
  ::setpriority(PRIO_PROCESS, 0, ::getpriority(PRIO_PROCESS, 0) + kNicer);
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
  const std::uint64_t oldest = shown_.frames - frames_.size();
  if (first > last || first < oldest || last >= shown_.frames) return {};
  const auto begin = frames_.begin() + static_cast<std::ptrdiff_t>(first - oldest);
  return {begin, begin + static_cast<std::ptrdiff_t>(last - first + 1)};
}

std::vector<std::vector<double>> LiveRun::rows(std::uint64_t& row) const {
  const std::lock_guard lock(show_lock_);
  const std::uint64_t from = std::clamp(row, first_row_, row_end());
  row = std::min(row_end(), from + kRowsAtMost);
  const auto begin = rows_.begin() + static_cast<std::ptrdiff_t>(from - first_row_);
  return {begin, begin + static_cast<std::ptrdiff_t>(row - from)};
}

void LiveRun::wait_for_news(std::uint64_t& seen, std::uint64_t row,
                            std::chrono::milliseconds wait) const {
  std::unique_lock lock(show_lock_);
  show_news_.wait_for(lock, wait, [&] { return news_ != seen || news_ended_ || row < row_end(); });
  seen = news_;
}

void LiveRun::end_news() {
  {
    const std::lock_guard lock(show_lock_);
    news_ended_ = true;
  }
  show_news_.notify_all();
}

LiveCost LiveRun::cost() const {
  const std::lock_guard lock(show_lock_);
  return cost_shown_;
}

}  // namespace saltus::app

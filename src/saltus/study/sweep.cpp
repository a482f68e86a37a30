#include "saltus/study/sweep.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>

#include "saltus/phases/build_run.h"

namespace saltus {
namespace {

constexpr auto kWatch = std::chrono::milliseconds(50);

void add(SweepCount& count, const SweepRow& row) {
  count.ok += row.status == SweepRow::Status::ok;
  count.failed += row.status == SweepRow::Status::failed;
  count.invalid += row.status == SweepRow::Status::invalid;
  count.warned += row.status == SweepRow::Status::ok && !row.warnings.empty();
}

/// Threads that take the next run from a counter until none is left.
class Pool {
 public:
  Pool(const SweepScene& scene, const SweepPlan& plan)
      : scene_(scene), plan_(plan), rows_(plan.runs()) {
    count_.runs = plan.runs();
  }
  ~Pool() { stop_.request(); }  // the threads are joined after this

  void start(int threads) {
    for (int i = 0; i < threads; ++i) {
      try {
        const std::lock_guard lock(mutex_);
        threads_.emplace_back([this] { work(); });
        ++working_;
      } catch (const std::system_error& error) {
        if (threads_.empty())
          throw RunError(std::string("no thread can be started: ") + error.what());
        break;  // the threads already running do the work
      }
    }
  }

  void watch(const SweepWatch& tell) {
    std::unique_lock lock(mutex_);
    while (!ended_.wait_for(lock, kWatch, [this] { return working_ == 0; })) {
      const SweepCount now = count_;
      lock.unlock();
      if (tell && !tell(now)) stop_.request();
      lock.lock();
    }
  }

  std::vector<SweepRow> take() {
    threads_.clear();
    return std::move(rows_);
  }

 private:
  void work() {
    for (;;) {
      const std::uint64_t run = next_.fetch_add(1);
      if (run >= plan_.runs() || stop_.requested()) break;
      rows_[run] = sweep_run(scene_, plan_.assignments(run), stop_);
      const std::lock_guard lock(mutex_);
      add(count_, rows_[run]);
    }
    const std::lock_guard lock(mutex_);
    if (--working_ == 0) ended_.notify_all();
  }

  const SweepScene& scene_;
  const SweepPlan& plan_;
  std::vector<SweepRow> rows_;  ///< each written only by the thread that runs it
  std::atomic<std::uint64_t> next_ = 0;
  Stop stop_;
  std::mutex mutex_;
  std::condition_variable ended_;
  SweepCount count_;  ///< protected by the mutex, like working_
  int working_ = 0;
  std::vector<std::jthread> threads_;
};

}  // namespace

SweepCount count(std::span<const SweepRow> rows) {
  SweepCount result;
  result.runs = rows.size();
  for (const SweepRow& row : rows) add(result, row);
  return result;
}

Scene first_valid_scene(const SweepScene& source, const SweepPlan& plan) {
  std::optional<SceneError> first;
  for (std::uint64_t run = 0; run < plan.runs(); ++run) {
    try {
      Scene scene = source.with(plan.assignments(run));
      build_run(scene);
      return scene;
    } catch (const SceneError& error) {
      if (!first) first.emplace(error);
    }
  }
  throw *first;
}

std::vector<SweepRow> sweep(const SweepScene& scene, const SweepPlan& plan, int threads,
                            const SweepWatch& watch) {
  expects(threads >= 1, "sweep: at least one thread");
  Pool pool(scene, plan);
  pool.start(
      static_cast<int>(std::min<std::uint64_t>(static_cast<std::uint64_t>(threads), plan.runs())));
  pool.watch(watch);
  return pool.take();
}

}  // namespace saltus

// Processor time of the constructing thread, and of threads in parallel loops during the lifetime.
#pragma once
#include <pthread.h>
#include <tbb/task_scheduler_observer.h>
#include <time.h>

#include <algorithm>
#include <mutex>
#include <vector>

namespace saltus::app {

/// [s]
inline double processor_seconds(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

class ThreadTimes : public tbb::task_scheduler_observer {
 public:
  ThreadTimes() {
    ::pthread_getcpuclockid(::pthread_self(), &own_);
    began_ = processor_seconds(own_);
    observe(true);
  }
  ~ThreadTimes() override { observe(false); }
  void on_scheduler_entry(bool is_worker) override {
    clockid_t clock{};
    if (!is_worker || ::pthread_getcpuclockid(::pthread_self(), &clock) != 0) return;
    const std::lock_guard lock(lock_);
    if (std::ranges::find(threads_, clock, &Thread::clock) == threads_.end())
      threads_.push_back({clock, processor_seconds(clock)});
  }
  /// Processor time [s] of the constructing thread since construction.
  double own() const { return processor_seconds(own_) - began_; }
  /// Processor time [s] of all other threads, each since it first took part in a loop.
  double helpers() {
    const std::lock_guard lock(lock_);
    double sum = 0.0;
    for (Thread& thread : threads_) {
      // the clock of a thread that has ended returns 0
      thread.last = std::max(thread.last, processor_seconds(thread.clock));
      sum += thread.last - thread.first;
    }
    return sum;
  }

 private:
  struct Thread {
    clockid_t clock;
    double first, last = first;
  };
  clockid_t own_{};
  double began_ = 0.0;
  std::mutex lock_;
  std::vector<Thread> threads_;
};

}  // namespace saltus::app

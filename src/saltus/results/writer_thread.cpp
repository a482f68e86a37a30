#include "saltus/results/writer_thread.h"

#include <signal.h>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "saltus/results/hdf5.h"

namespace saltus {
namespace {

/// Does it, and returns what it threw.
std::exception_ptr done(const std::function<void()>& job) {
  try {
    job();
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

}  // namespace

struct WriterThread::Shared {
  std::mutex mutex;
  std::condition_variable changed;
  struct Job {
    std::function<void()> what;
    std::size_t bytes = 0;
  };
  std::deque<Job> jobs;  ///< the first one runs
  std::size_t bytes = 0, most = 0;
  std::exception_ptr fault;
  bool over = false, alone = false;
  std::thread thread;

  void start();
  void run();
  /// Throws what a job threw.
  void wait(std::unique_lock<std::mutex>& lock, std::size_t room);
};

// Signals are for the thread that steps.
void WriterThread::Shared::start() {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    thread = std::thread([this] { run(); });
  } catch (const std::system_error&) {
    alone = true;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void WriterThread::Shared::run() {
  std::unique_lock lock(mutex);
  for (;;) {
    changed.wait(lock, [&] { return over || !jobs.empty(); });
    if (jobs.empty()) return;
    const Job& job = jobs.front();
    lock.unlock();
    std::exception_ptr met = done(job.what);
    lock.lock();
    bytes -= job.bytes;
    jobs.pop_front();
    if (met) {
      fault = std::move(met);
      jobs.clear();
      bytes = 0;
    }
    changed.notify_all();
  }
}

void WriterThread::Shared::wait(std::unique_lock<std::mutex>& lock, std::size_t room) {
  changed.wait(lock, [&] { return jobs.empty() || (room <= most && bytes <= most - room); });
  if (fault) std::rethrow_exception(std::exchange(fault, nullptr));
}

WriterThread::WriterThread(bool wanted, std::size_t most) : shared_(std::make_unique<Shared>()) {
  shared_->alone = !wanted || !h5::many_threads();
  shared_->most = most;
}

WriterThread::~WriterThread() {
  Shared& s = *shared_;
  if (!s.thread.joinable()) return;
  {
    const std::lock_guard lock(s.mutex);
    s.over = true;
  }
  s.changed.notify_all();
  s.thread.join();
}

void WriterThread::wait() {
  Shared& s = *shared_;
  std::unique_lock lock(s.mutex);
  s.wait(lock, SIZE_MAX);
}

void WriterThread::settle() noexcept {
  try {
    wait();
  } catch (...) {  // another fault was met already
  }
}

void WriterThread::post(std::function<void()> job, std::size_t bytes) {
  Shared& s = *shared_;
  std::unique_lock lock(s.mutex);
  s.wait(lock, bytes);
  if (!s.alone && !s.thread.joinable()) s.start();
  if (s.alone) {
    s.fault = done(job);
    return;
  }
  s.jobs.push_back({std::move(job), bytes});
  s.bytes += bytes;
  lock.unlock();
  s.changed.notify_all();
}

}  // namespace saltus

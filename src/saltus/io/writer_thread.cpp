#include "saltus/io/writer_thread.h"

#include <signal.h>

#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "saltus/io/hdf5.h"

namespace saltus {

struct WriterThread::Shared {
  std::mutex mutex;
  std::condition_variable changed;
  std::function<void()> job;  ///< empty: idle
  std::exception_ptr fault;
  bool over = false, alone = false;
  std::thread thread;

  void start();
  void run();
  void do_job(const std::function<void()>& what) {
    try {
      what();
    } catch (...) {
      fault = std::current_exception();
    }
  }
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
    changed.wait(lock, [&] { return over || job; });
    if (!job) return;
    lock.unlock();
    do_job(job);
    lock.lock();
    job = nullptr;
    changed.notify_all();
  }
}

WriterThread::WriterThread(bool wanted) : shared_(std::make_unique<Shared>()) {
  shared_->alone = !wanted || !h5::many_threads();
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
  s.changed.wait(lock, [&] { return !s.job; });
  if (s.fault) std::rethrow_exception(std::exchange(s.fault, nullptr));
}

void WriterThread::settle() noexcept {
  try {
    wait();
  } catch (...) {  // another fault was met already
  }
}

void WriterThread::post(std::function<void()> job) {
  wait();
  Shared& s = *shared_;
  if (!s.alone && !s.thread.joinable()) s.start();
  if (s.alone) {
    s.do_job(job);
    return;
  }
  {
    const std::lock_guard lock(s.mutex);
    s.job = std::move(job);
  }
  s.changed.notify_all();
}

}  // namespace saltus

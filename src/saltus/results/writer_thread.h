// Runs one job at a time on another thread: results are written while the next steps are made.
#pragma once
#include <functional>
#include <future>

namespace saltus {

/// If the HDF5 library does not support threads, no thread can be started or none is wanted, jobs
/// run inside post(). Their exceptions are then also reported later.
class WriterThread {
 public:
  explicit WriterThread(bool wanted = true);
  /// Waits for the job; its exception is lost.
  ~WriterThread() { settle(); }
  WriterThread(const WriterThread&) = delete;
  WriterThread& operator=(const WriterThread&) = delete;

  /// Waits for the previous job and throws its exception; then this job is not run.
  void post(std::function<void()> job);
  /// Waits until no job is running. Throws the exception of the job.
  void wait();
  /// Like wait(), but ignores the exception.
  void settle() noexcept;

 private:
  bool alone_;
  std::future<void> job_;
};

}  // namespace saltus

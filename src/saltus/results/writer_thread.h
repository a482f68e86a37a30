// One job at a time on another thread: results are written while the next steps are made.
#pragma once
#include <functional>
#include <future>

namespace saltus {

/// Where the HDF5 library cannot be used by several threads, where no thread can be had and where
/// none is wanted, jobs run in post(), which throws nothing of them all the same.
class WriterThread {
 public:
  explicit WriterThread(bool wanted = true);
  /// Waits for the job; what it threw is lost.
  ~WriterThread() { settle(); }
  WriterThread(const WriterThread&) = delete;
  WriterThread& operator=(const WriterThread&) = delete;

  /// Waits for the job before this one, and throws what that threw; then this one is not done.
  void post(std::function<void()> job);
  /// Nothing is left to do. Throws what the job threw.
  void wait();
  /// The same; whatever the job met is forgotten.
  void settle() noexcept;

 private:
  bool alone_;
  std::future<void> job_;
};

}  // namespace saltus

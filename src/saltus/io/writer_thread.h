// One job at a time on a thread of its own: results are written while the next steps are made.
#pragma once
#include <functional>
#include <memory>

namespace saltus {

/// Where the HDF5 library cannot be used by several threads, where no thread can be had and where none is wanted, jobs run
/// in post(), which throws nothing of them all the same.
class WriterThread {
 public:
  explicit WriterThread(bool wanted = true);
  /// Waits for the job; what it threw is lost.
  ~WriterThread();
  WriterThread(const WriterThread&) = delete;
  WriterThread& operator=(const WriterThread&) = delete;

  /// Waits for the last job and starts this one. Throws what the last one threw.
  void post(std::function<void()> job);
  /// Nothing is left to do. Throws what the job threw.
  void wait();
  /// The same; whatever the job met is forgotten.
  void settle() noexcept;

 private:
  struct Shared;
  std::unique_ptr<Shared> shared_;
};

}  // namespace saltus

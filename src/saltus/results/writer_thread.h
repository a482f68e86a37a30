// Jobs one after the other on a thread of its own: results are written while the next steps are made.
#pragma once
#include <cstddef>
#include <functional>
#include <memory>

namespace saltus {

/// Where the HDF5 library cannot be used by several threads, where no thread can be had and where none is wanted, jobs run
/// in post(), which throws nothing of them all the same.
class WriterThread {
 public:
  /// Jobs that wait or run hold `most` bytes together, or there is one of them.
  explicit WriterThread(bool wanted = true, std::size_t most = 0);
  /// Waits for the jobs; what they threw is lost.
  ~WriterThread();
  WriterThread(const WriterThread&) = delete;
  WriterThread& operator=(const WriterThread&) = delete;

  /// Waits until there is room for this job, which holds `bytes`, behind the others. Throws what one of them threw; those
  /// behind that one are not done.
  void post(std::function<void()> job, std::size_t bytes = 0);
  /// Nothing is left to do. Throws what a job threw.
  void wait();
  /// The same; whatever the jobs met is forgotten.
  void settle() noexcept;

 private:
  struct Shared;
  std::unique_ptr<Shared> shared_;
};

}  // namespace saltus

// Threads that go together through many short loops.
#pragma once
#include <algorithm>
#include <cstddef>
#include <memory>

namespace saltus {

/// A sweep by colours is a dozen loops of 10 to 200 us: less than an idle processor takes to wake
/// up. A thread pool calls the threads of the caller's tbb::task_arena once and keeps them awake
/// from loop to loop, spinning, while a Shift lives.
///
/// A helper that comes late, or not at all, holds nothing up: whoever has time takes the blocks
/// that nobody has begun. Only a block that was begun is waited for. Where a helper lost its
/// processor in one, as on a machine with other work, the caller goes on alone for some time.
///
/// Items are cut into fixed blocks, and what a block writes is its own: no bit depends on the
/// threads. Each thread has mostly the same blocks in loops of the same length. All have the
/// caller's treatment of denormals.
class ThreadPool {
 public:
  static constexpr std::size_t kBlock = 64;  ///< items
  static constexpr std::size_t blocks_in(std::size_t count) {
    return (count + kBlock - 1) / kBlock;
  }

  ThreadPool();
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  /// From here on loops are shared, until the end of the object. One shift at a time, in the thread
  /// that runs the loops.
  class Shift {
   public:
    explicit Shift(ThreadPool& thread_pool) : thread_pool_(&thread_pool) { thread_pool_->open(); }
    /// Of loops over at most so many items: nobody is called where the caller would do them all.
    Shift(ThreadPool& thread_pool, std::size_t items)
        : thread_pool_(blocks_in(items) > kAlone ? &thread_pool : nullptr) {
      if (thread_pool_) thread_pool_->open();
    }
    ~Shift() {
      if (thread_pool_) thread_pool_->close();
    }
    Shift(const Shift&) = delete;
    Shift& operator=(const Shift&) = delete;

   private:
    ThreadPool* thread_pool_;
  };

  /// use(block, begin, end) on fixed blocks of 0 .. count - 1, all done on return. It throws
  /// nothing. Outside of a shift the caller does all of it.
  template <class Use>
  void blocks(std::size_t count, const Use& use) {
    struct Loop {
      const Use& use;
      std::size_t count;
    };
    const Loop loop{use, count};
    const Run run = [](const void* of, std::size_t k) {
      const Loop& here = *static_cast<const Loop*>(of);
      here.use(k, k * kBlock, std::min(here.count, (k + 1) * kBlock));
    };
    const std::size_t all = blocks_in(count);
    if (all > kAlone && helped()) return share(all, run, &loop);
    for (std::size_t k = 0; k < all; ++k) run(&loop, k);
  }

 private:
  static constexpr std::size_t kAlone = 2;  ///< blocks: 1 to 5 us, not worth the meeting
  using Run = void (*)(const void* loop, std::size_t block);
  struct State;

  void open();
  void close();
  bool helped();
  void share(std::size_t blocks, Run run, const void* loop) noexcept;

  std::unique_ptr<State> state_;
};

}  // namespace saltus

// A thread pool that stays awake during many short loops.
#pragma once
#include <algorithm>
#include <cstddef>
#include <memory>

namespace saltus {

/// A Gauss-Seidel sweep by colours consists of a dozen loops of 10 to 200 us, which is less than an
/// idle processor takes to wake up. The pool starts the threads of the caller's tbb::task_arena
/// once and keeps them spinning between loops while a Shift exists.
///
/// A helper that starts late, or never, delays nothing: any idle thread takes the blocks that
/// nobody has started. The caller only waits for blocks that have been started. If a helper lost
/// its processor during a block, as on a busy machine, the caller works without helpers for some
/// time.
///
/// Items are divided into fixed blocks that write to separate memory, so results do not depend on
/// the number of threads. In loops of equal length each thread mostly gets the same blocks. All
/// threads use the caller's treatment of denormals.
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

  /// While a Shift exists, helpers take part in the loops. Only one shift at a time, in the thread
  /// that runs the loops.
  class Shift {
   public:
    explicit Shift(ThreadPool& thread_pool) : thread_pool_(&thread_pool) { thread_pool_->open(); }
    /// For loops over at most `items` items: starts no helpers if the caller would run all blocks
    /// itself.
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

  /// Calls use(block, begin, end) on fixed blocks of 0 .. count - 1 and returns when all are done.
  /// `use` must not throw. Without a shift the caller runs all blocks.
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
  static constexpr std::size_t kAlone = 2;  ///< blocks: 1 to 5 us, not worth the synchronisation
  using Run = void (*)(const void* loop, std::size_t block);
  struct State;

  void open();
  void close();
  bool helped();
  void share(std::size_t blocks, Run run, const void* loop) noexcept;

  std::unique_ptr<State> state_;
};

}  // namespace saltus

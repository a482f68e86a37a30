#include "saltus/base/thread_pool.h"

#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <thread>
#include <vector>

namespace saltus {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;

constexpr std::size_t kMost = 32;   // threads
constexpr microseconds kSpin{20};   // the caller spins; then it yields its processor
constexpr microseconds kIdle{100};  // a helper without work spins; then it leaves
constexpr microseconds kLate{100};  // a block takes far less: a helper lost its processor
// multiple of the lost time for which the caller works without helpers
constexpr Clock::duration::rep kAside = 4;

void spin_hint() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb");
#endif
}

/// Measures how long a loop has been waiting.
class Watch {
 public:
  /// One iteration of the waiting loop; returns the time since the first one.
  Clock::duration spin() {
    for (int i = 0; i < 8; ++i) spin_hint();
    const Clock::time_point now = Clock::now();
    if (begin_ == Clock::time_point{}) begin_ = now;
    return now - begin_;
  }
  void reset() { begin_ = {}; }

 private:
  Clock::time_point begin_{};
};

/// Blocks begin .. end - 1 of a loop that have not been started, as one number. A thread that
/// succeeds in exchanging it for a shorter range has taken a block of the current loop: no later
/// loop can begin before that block is done, so earlier reads of the range do not matter.
struct alignas(64) Part {
  std::atomic<std::uint64_t> left{0};

  void set(std::size_t begin, std::size_t end) {
    left.store(begin | std::uint64_t{end} << 32, std::memory_order_release);
  }
  /// Takes the first block if the part belongs to this thread, else the last one.
  bool take(bool own, std::size_t& block) {
    std::uint64_t now = left.load(std::memory_order_relaxed);
    for (;;) {
      const std::uint64_t begin = now & 0xffffffffu, end = now >> 32;
      if (begin >= end) return false;
      const std::uint64_t next = own ? now + 1 : now - (std::uint64_t{1} << 32);
      if (!left.compare_exchange_weak(now, next, std::memory_order_acquire,
                                      std::memory_order_relaxed))
        continue;
      block = static_cast<std::size_t>(own ? begin : end - 1);
      return true;
    }
  }
};

}  // namespace

struct ThreadPool::State {
  // the current loop: written by the caller between loops, read by threads that have taken a block
  Run run = nullptr;
  const void* what = nullptr;
  std::size_t threads = 1;  ///< number of parts in a shift

  /// counts loops, for threads that wait for the next one
  alignas(64) std::atomic<std::uint32_t> loop{0};
  std::atomic<bool> over{true};                  ///< the shift has ended
  alignas(64) std::atomic<std::size_t> done{0};  ///< blocks done by helpers
  /// bit k: helper k was started and has not left
  alignas(64) std::atomic<std::uint32_t> called{0};
  std::vector<Part> parts;  ///< at least one per thread

  // used only by the caller
  std::optional<tbb::task_group_context> context;
  std::optional<tbb::task_group> group;
  bool aside = false;  ///< the caller works without helpers
  Clock::time_point aside_until{};

  /// Runs the blocks of part k, then those of the other parts; returns the number of blocks.
  std::size_t work(std::size_t k) noexcept {
    std::size_t count = 0, block = 0;
    for (std::size_t i = 0; i < threads; ++i) {
      Part& part = parts[(k + i) % threads];
      for (; part.take(i == 0, block); ++count) run(what, block);
    }
    return count;
  }

  /// Helps until the shift ends, or until there was no work for some time. It never yields its
  /// processor: it might get it back some milliseconds later, while the end of the shift waits for
  /// it.
  void help(std::size_t k) noexcept {
    Watch watch;
    std::uint32_t seen = loop.load(std::memory_order_acquire) - 1;  // may start during a loop
    while (!over.load(std::memory_order_acquire)) {
      const std::uint32_t now = loop.load(std::memory_order_acquire);
      if (now == seen) {
        if (watch.spin() > kIdle) break;
        continue;
      }
      seen = now;
      if (const std::size_t count = work(k)) done.fetch_add(count, std::memory_order_release);
      watch.reset();
    }
    called.fetch_and(~(std::uint32_t{1} << k), std::memory_order_release);
  }

  /// Starts the helpers that are not running.
  void call() {
    std::uint32_t here = called.load(std::memory_order_acquire);
    for (std::size_t k = 1; k < threads; ++k) {
      const std::uint32_t bit = std::uint32_t{1} << k;
      if ((here & bit) != 0) continue;
      called.fetch_or(bit, std::memory_order_relaxed);
      group->run([this, k] { help(k); });
    }
  }

  /// Records that the caller waited for helpers for this long.
  void lost(Clock::duration time) {
    if (time <= kLate) return;
    aside = true;
    aside_until = Clock::now() + kAside * time;
  }
};

ThreadPool::ThreadPool() : state_(std::make_unique<State>()) {}
ThreadPool::~ThreadPool() = default;

void ThreadPool::open() {
  State& s = *state_;
  s.threads = std::clamp<std::size_t>(
      static_cast<std::size_t>(std::max(1, tbb::this_task_arena::max_concurrency())), 1, kMost);
  if (s.threads == 1) return;
  if (s.parts.size() < s.threads) s.parts = std::vector<Part>(s.threads);
  using Context = tbb::task_group_context;
  s.context.emplace(Context::isolated, Context::default_traits | Context::fp_settings);
  s.group.emplace(*s.context);
  s.over.store(false, std::memory_order_release);
}

void ThreadPool::close() {
  State& s = *state_;
  if (!s.group) return;
  s.over.store(true, std::memory_order_release);
  const bool any = s.called.load(std::memory_order_acquire) != 0;
  const Clock::time_point begin = any ? Clock::now() : Clock::time_point{};
  s.group->wait();
  if (any) s.lost(Clock::now() - begin);
  s.group.reset();
  s.context.reset();
}

bool ThreadPool::helped() {
  State& s = *state_;
  if (!s.group) return false;
  if (s.aside && Clock::now() >= s.aside_until) s.aside = false;
  return !s.aside;
}

void ThreadPool::share(std::size_t blocks, Run run, const void* loop) noexcept {
  State& s = *state_;
  s.run = run;
  s.what = loop;
  s.done.store(0, std::memory_order_relaxed);
  for (std::size_t k = 0; k < s.threads; ++k)
    s.parts[k].set(blocks * k / s.threads, blocks * (k + 1) / s.threads);
  s.loop.fetch_add(1, std::memory_order_release);
  s.call();

  const std::size_t others = blocks - s.work(0);
  Clock::duration waited{};
  for (Watch watch; s.done.load(std::memory_order_acquire) != others;) {
    waited = watch.spin();
    if (waited > kSpin) std::this_thread::yield();
  }
  s.lost(waited);
}

}  // namespace saltus

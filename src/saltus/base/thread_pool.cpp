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

constexpr std::size_t kMost = 32;           // threads
constexpr microseconds kSpin{20};           // the caller waits; then it offers its processor
constexpr microseconds kIdle{100};          // a helper without work spins; then it leaves
constexpr microseconds kLate{100};          // many times a block: a helper lost its processor
constexpr Clock::duration::rep kAside = 4;  // times what was lost, the caller goes on alone

void spin_hint() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb");
#endif
}

/// Time that a loop has been waiting.
class Watch {
 public:
  /// One turn of the loop; time since the first turn.
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

/// Blocks begin .. end - 1 of a loop that nobody has begun, as one number. Who exchanges it for a
/// shorter range has taken a block of the loop that goes on then, since no other can begin before
/// that block is done: what was read about the range before does not matter.
struct alignas(64) Part {
  std::atomic<std::uint64_t> left{0};

  void set(std::size_t begin, std::size_t end) {
    left.store(begin | std::uint64_t{end} << 32, std::memory_order_release);
  }
  /// The first block for who has this part, the last one for the others.
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
  // of the loop that goes on: written by the caller between loops, read by who has taken a block
  Run run = nullptr;
  const void* what = nullptr;
  std::size_t threads = 1;  ///< parts, of a shift

  alignas(64) std::atomic<std::uint32_t> loop{0};    ///< counts loops, for those who wait for one
  std::atomic<bool> over{true};                      ///< the shift
  alignas(64) std::atomic<std::size_t> done{0};      ///< blocks of helpers
  alignas(64) std::atomic<std::uint32_t> called{0};  ///< bit k: helper k, until it leaves
  std::vector<Part> parts;                           ///< of the threads, at least

  // of the caller alone
  std::optional<tbb::task_group_context> context;
  std::optional<tbb::task_group> group;
  bool aside = false;  ///< helpers are left alone
  Clock::time_point aside_until{};

  /// Blocks that thread k did: of its own part, then of the others.
  std::size_t work(std::size_t k) noexcept {
    std::size_t count = 0, block = 0;
    for (std::size_t i = 0; i < threads; ++i) {
      Part& part = parts[(k + i) % threads];
      for (; part.take(i == 0, block); ++count) run(what, block);
    }
    return count;
  }

  /// Takes part until the shift is over, or until nothing was to do for some time. It never offers
  /// its processor to others: it might get it back some milliseconds later, and the end of the
  /// shift waits for it.
  void help(std::size_t k) noexcept {
    Watch watch;
    std::uint32_t seen = loop.load(std::memory_order_acquire) - 1;  // may come in the middle of one
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

  /// Those who are not there.
  void call() {
    std::uint32_t here = called.load(std::memory_order_acquire);
    for (std::size_t k = 1; k < threads; ++k) {
      const std::uint32_t bit = std::uint32_t{1} << k;
      if ((here & bit) != 0) continue;
      called.fetch_or(bit, std::memory_order_relaxed);
      group->run([this, k] { help(k); });
    }
  }

  /// The caller waited so long for helpers.
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

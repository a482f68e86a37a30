#include "saltus/base/thread_pool.h"

#include <doctest/doctest.h>
#include <tbb/global_control.h>
#include <tbb/parallel_invoke.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <chrono>
#include <limits>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <vector>

#include "../../support/skip.h"
#include "saltus/math/flush_denormals.h"

using namespace saltus;
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

/// work() in an arena of so many threads.
template <class Work>
void in_arena(int threads, const Work& work) {
  const tbb::global_control some(tbb::global_control::max_allowed_parallelism,
                                 static_cast<std::size_t>(threads));
  tbb::task_arena arena(threads);
  arena.execute(work);
}

/// Loops until two threads have had a block of the same loop, or 20 s. use(): in each block.
template <class Use>
bool met(ThreadPool& thread_pool, const Use& use) {
  const auto end = Clock::now() + 20s;
  for (int loop = 0; Clock::now() < end; ++loop) {
    std::mutex lock;
    std::set<std::thread::id> who;
    std::atomic<int> seen{0};
    thread_pool.blocks(40 * ThreadPool::kBlock, [&](std::size_t, std::size_t, std::size_t) {
      use();
      {
        const std::lock_guard guard(lock);
        who.insert(std::this_thread::get_id());
        seen = static_cast<int>(who.size());
      }
      const auto wait = Clock::now() + 1ms;
      while (seen < 2 && Clock::now() < wait) std::this_thread::yield();
    });
    if (who.size() >= 2) return true;
  }
  return false;
}

TEST_CASE("a thread_pool does every item of every loop once") {
  for (const int threads : {1, 2, 3, 8})
    in_arena(threads, [&] {
      ThreadPool thread_pool;
      for (int shifts = 0; shifts < 3; ++shifts) {
        const ThreadPool::Shift shift(thread_pool);
        for (const std::size_t count : {0, 1, 63, 64, 65, 129, 1000, 20'000}) {
          CAPTURE(threads);
          CAPTURE(count);
          std::vector<int> times(count, 0);
          constexpr int kLoops = 200;
          for (int loop = 0; loop < kLoops; ++loop)
            thread_pool.blocks(count, [&](std::size_t block, std::size_t begin, std::size_t end) {
              if (begin != block * ThreadPool::kBlock || end > count) return;
              for (std::size_t i = begin; i < end; ++i) ++times[i];
            });
          CHECK(times == std::vector<int>(count, kLoops));
        }
      }
    });
}

TEST_CASE("a loop sees all that the loop before it wrote, whoever wrote it") {
  for (const int threads : {2, 3, 8})
    in_arena(threads, [&] {
      // a value travels half around a ring in every loop, to what is another thread's part
      constexpr std::size_t kItems = 1000, kHalf = kItems / 2;
      constexpr int kLoops = 20'000;
      std::vector<std::size_t> now(kItems), next(kItems);
      for (std::size_t i = 0; i < kItems; ++i) now[i] = i;
      ThreadPool thread_pool;
      const ThreadPool::Shift shift(thread_pool);
      for (int loop = 0; loop < kLoops; ++loop) {
        thread_pool.blocks(kItems, [&](std::size_t, std::size_t begin, std::size_t end) {
          for (std::size_t i = begin; i < end; ++i) next[i] = now[(i + kHalf) % kItems] + 1;
        });
        now.swap(next);
      }
      std::vector<std::size_t> expected(kItems);
      for (std::size_t i = 0; i < kItems; ++i) expected[i] = i + kLoops;
      CAPTURE(threads);
      CHECK(now == expected);
    });
}

TEST_CASE("a thread_pool whose helpers are kept busy elsewhere does its loops alone") {
  in_arena(2, [] {
    std::atomic<bool> busy{false}, done{false}, timely{true};
    const auto wait = [&](const std::atomic<bool>& what) {
      const auto end = Clock::now() + 20s;
      while (!what && Clock::now() < end) std::this_thread::yield();
      return what.load();
    };
    std::size_t items = 0;
    tbb::parallel_invoke(
        [&] {
          if (!wait(busy)) return;
          ThreadPool thread_pool;
          const ThreadPool::Shift shift(thread_pool);
          for (int loop = 0; loop < 100; ++loop)
            thread_pool.blocks(1000, [&](std::size_t, std::size_t begin, std::size_t end) {
              items += end - begin;
            });
          done = true;
        },
        [&] {  // holds the other thread of the arena until the loops are done
          busy = true;
          timely = wait(done);
        });
    if (!busy || items == 0) SALTUS_SKIP("no second thread came");
    CHECK(timely);
    CHECK(items == 100'000);
  });
}

TEST_CASE("helpers come, leave while there is nothing to do, and come again") {
  in_arena(2, [] {
    ThreadPool thread_pool;
    for (int shifts = 0; shifts < 2; ++shifts) {
      const ThreadPool::Shift shift(thread_pool);
      if (!met(thread_pool, [] {})) SALTUS_SKIP("no second thread came");
      std::this_thread::sleep_for(20ms);
      CHECK(met(thread_pool, [] {}));
    }
  });
}

TEST_CASE("helpers treat denormals as the caller of the shift does") {
  in_arena(2, [] {
    ThreadPool thread_pool;
    for (const bool flush : {false, true, false}) {
      const std::optional<FlushDenormals> mode =
          flush ? std::optional<FlushDenormals>(std::in_place) : std::nullopt;
      const ThreadPool::Shift shift(thread_pool);
      const auto vanishes = [] {
        volatile double small = std::numeric_limits<double>::min();
        small = 0.5 * small;
        return small == 0.0;
      };
      const bool expected = vanishes();
      std::atomic<int> others{0};
      const bool two = met(thread_pool, [&] { others += vanishes() == expected ? 0 : 1; });
      if (!two) SALTUS_SKIP("no second thread came");
      CAPTURE(flush);
      CHECK(others == 0);
    }
  });
}

}  // namespace

// Parallel loops over fixed blocks on the threads of the caller's tbb::task_arena.
#pragma once
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstddef>

namespace saltus {

/// Number of items per task. Each block writes to its own memory and results are joined in block
/// order, so they do not depend on the number of threads.
inline constexpr std::size_t kBlock = 64;

inline std::size_t blocks_in(std::size_t count) { return (count + kBlock - 1) / kBlock; }

/// Calls use(block, begin, end) on the blocks of 0 .. count - 1, always with the caller's treatment
/// of denormals.
template <class Use>
void in_blocks(std::size_t count, const Use& use) {
  const auto run = [&](std::size_t k) { use(k, k * kBlock, std::min(count, (k + 1) * kBlock)); };
  const std::size_t blocks = blocks_in(count);
  if (blocks <= 2) {  // some 10 us of work: not worth a second thread
    for (std::size_t k = 0; k < blocks; ++k) run(k);
    return;
  }
  using Context = tbb::task_group_context;
  Context context(Context::isolated, Context::default_traits | Context::fp_settings);
  // A waiting thread must not start other tasks: it may be using a work space of its own.
  tbb::this_task_arena::isolate(
      [&] { tbb::parallel_for(std::size_t{0}, blocks, run, tbb::auto_partitioner(), context); });
}

}  // namespace saltus

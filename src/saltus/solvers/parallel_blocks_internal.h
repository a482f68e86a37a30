// Loops and sums over fixed blocks of items: the same bits with any number of threads.
#pragma once
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>

#include <algorithm>
#include <cstddef>

namespace saltus {

constexpr std::size_t kBlock = 64;   ///< items of one sum
constexpr std::size_t kAlone = 256;  ///< of them are some 30 us of work: not worth a second thread

constexpr std::size_t blocks_in(std::size_t count) { return (count + kBlock - 1) / kBlock; }

/// use(block, begin, end) on fixed blocks of 0 .. count - 1, on the threads of the task arena, all with the caller's
/// treatment of denormals.
template <class Use>
void for_blocks(std::size_t count, const Use& use) {
  const auto run = [&](std::size_t k) { use(k, k * kBlock, std::min(count, (k + 1) * kBlock)); };
  const std::size_t blocks = blocks_in(count);
  if (count <= kAlone) {
    for (std::size_t k = 0; k < blocks; ++k) run(k);
    return;
  }
  using Context = tbb::task_group_context;
  Context context(Context::isolated, Context::default_traits | Context::fp_settings);
  tbb::parallel_for(std::size_t{0}, blocks, run, tbb::static_partitioner(), context);
}

}  // namespace saltus

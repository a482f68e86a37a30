// CPU time of short calls.
#pragma once
#include <time.h>

#include <algorithm>
#include <vector>

namespace saltus_bench {

inline double clock_seconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// CPU time of this thread [s]: what others do on the machine hardly counts. (The clock of the process advances by ticks
/// of 4 ms while a timer on it runs.)
inline double cpu_seconds() { return clock_seconds(CLOCK_THREAD_CPUTIME_ID); }

/// CPU time of all threads of this process [s].
inline double process_cpu_seconds() { return clock_seconds(CLOCK_PROCESS_CPUTIME_ID); }

struct Timing {
  double seconds = 0.0;  ///< median over batches, of one call
  int repetitions = 0;   ///< calls in all
};

/// `batch(count)` makes `count` calls and returns the CPU time of one; `guess` is about that time [s]. Batches take
/// 2 ms or one call; their number is 9, fewer above 0.2 s.
template <class Batch>
Timing median_time(double guess, Batch&& batch) {
  const int count =
      guess < 2e-3 ? static_cast<int>(std::clamp(2e-3 / std::max(guess, 1e-9), 1.0, 500.0)) : 1;
  const int batches = guess < 0.2 ? 9 : guess < 1.0 ? 3 : 1;
  std::vector<double> times;
  for (int k = 0; k < batches; ++k) times.push_back(batch(count));
  std::nth_element(times.begin(), times.begin() + batches / 2, times.end());
  return {times[static_cast<std::size_t>(batches / 2)], count * batches};
}

}  // namespace saltus_bench

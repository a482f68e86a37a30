// Whether the program was asked to end. Loops that may take minutes, as those of contact solvers, look at it in each turn, so that
// a signal need not wait for the end of a step. A step that was in work is dropped: what is kept never depends on when the
// question came.
#pragma once
#include <atomic>
#include <string_view>

namespace saltus {

namespace stop_detail {
inline std::atomic<bool> asked{false};
static_assert(std::atomic<bool>::is_always_lock_free);  // for signal handlers
}  // namespace stop_detail

/// One load from memory.
inline bool stop_requested() noexcept { return stop_detail::asked.load(std::memory_order_relaxed); }
/// May be called by a signal handler. It stays so until it is taken back.
inline void request_stop() noexcept { stop_detail::asked.store(true, std::memory_order_relaxed); }
inline void take_back_stop() noexcept {
  stop_detail::asked.store(false, std::memory_order_relaxed);
}

/// Why a step that was dropped for it failed: StepReport::failure is this very text, by its address.
inline constexpr char kStopRequested[] = "the program was asked to end";
inline bool is_stop(std::string_view failure) noexcept {
  return failure.data() == static_cast<const char*>(kStopRequested);
}

}  // namespace saltus

// Whether a run was asked to end. Loops that may take long, as those of contact solvers, ask in
// each turn, so that a signal need not wait for the end of a step. A step in work is then dropped:
// what is kept never depends on the moment of the question.
#pragma once
#include <atomic>
#include <string_view>

namespace saltus {

/// Of one run, or of several that end together; other runs of the program do not see it.
class Stop {
 public:
  Stop() = default;
  virtual ~Stop() = default;
  Stop(const Stop&) = delete;
  Stop& operator=(const Stop&) = delete;

  /// From any thread, and from a signal handler. It stays so until it is taken back.
  void request() noexcept { asked_.store(true, std::memory_order_relaxed); }
  void take_back() noexcept { asked_.store(false, std::memory_order_relaxed); }

  /// From any thread of the run; mostly one load from memory.
  bool requested() noexcept {
    if (asked_.load(std::memory_order_relaxed)) return true;
    if (!looks_ || !look()) return false;
    request();
    return true;
  }

 protected:
  /// Of a run that has to look for itself, in look().
  explicit Stop(bool looks) : looks_(looks) {}
  virtual bool look() noexcept { return false; }

 private:
  std::atomic<bool> asked_{false};
  static_assert(std::atomic<bool>::is_always_lock_free);  // for signal handlers
  const bool looks_ = false;
};

/// nullptr: of a run that nobody asks.
inline bool stop_requested(Stop* stop) noexcept { return stop != nullptr && stop->requested(); }

/// Why a step that was dropped for it failed: StepReport::failure is this very text, by its
/// address.
inline constexpr char kStopRequested[] = "the program was asked to end";
inline bool is_stop(std::string_view failure) noexcept {
  return failure.data() == static_cast<const char*>(kStopRequested);
}

}  // namespace saltus

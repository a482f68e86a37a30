// Requests to stop a run. Loops that may take long, such as those of contact solvers, check for a
// request in each iteration, so that a signal need not wait for the end of a step. The current step
// is then discarded, so results never depend on the moment of the check.
#pragma once
#include <atomic>
#include <string_view>

namespace saltus {

/// Belongs to one run, or to several that stop together; it does not affect other runs of the
/// program.
class Stop {
 public:
  Stop() = default;
  virtual ~Stop() = default;
  Stop(const Stop&) = delete;
  Stop& operator=(const Stop&) = delete;

  /// May be called from any thread and from a signal handler. The request stays until take_back().
  void request() noexcept { asked_.store(true, std::memory_order_relaxed); }
  void take_back() noexcept { asked_.store(false, std::memory_order_relaxed); }

  /// May be called from any thread of the run; usually costs one load from memory.
  bool requested() noexcept {
    if (asked_.load(std::memory_order_relaxed)) return true;
    if (!looks_ || !look()) return false;
    request();
    return true;
  }

 protected:
  /// looks: requested() also calls look(), which a derived class overrides.
  explicit Stop(bool looks) : looks_(looks) {}
  virtual bool look() noexcept { return false; }

 private:
  std::atomic<bool> asked_{false};
  static_assert(std::atomic<bool>::is_always_lock_free);  // for signal handlers
  const bool looks_ = false;
};

/// nullptr: the run cannot be stopped.
inline bool stop_requested(Stop* stop) noexcept { return stop != nullptr && stop->requested(); }

/// Failure of a step that was discarded because of a request: StepReport::failure refers to this
/// very text, identified by its address.
inline constexpr char kStopRequested[] = "stop requested";
inline bool is_stop(std::string_view failure) noexcept {
  return failure.data() == static_cast<const char*>(kStopRequested);
}

}  // namespace saltus

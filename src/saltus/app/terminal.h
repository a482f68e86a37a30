// Progress of a run on stderr: a redrawn bar on a terminal, else plain lines, at most one per
// second.
#pragma once
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace saltus::app {

using Clock = std::chrono::steady_clock;

/// Prints "saltus: warning: text" on stderr, in one line.
void warn(std::string_view text);
/// Prints "saltus: text" on stderr, in one line.
void complain(std::string_view text);

/// "850 ms", "12.3 s", "4 min 05 s", "2 h 10 min".
std::string duration_text(double seconds);

/// Values of the progress line.
struct ProgressValues {
  std::uint64_t step = 0, first = 0, last = 0;  ///< current, first and last step
  double t = 0.0, end = 0.0;                    ///< [s]
  int contacts = 0;                             ///< with impulse in the last step
  double residual = 0.0;                        ///< largest so far
};

class Progress {
 public:
  explicit Progress(bool quiet);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// True when the next line is due. Cheap enough to call in every step.
  bool due(Clock::time_point now) const { return now >= next_; }
  /// Draws the line without allocating memory.
  void show(Clock::time_point now, const ProgressValues& values);
  /// Removes the bar from the terminal.
  void clear();

 private:
  bool terminal_ = false, drawn_ = false;
  Clock::time_point start_, next_;
};

}  // namespace saltus::app

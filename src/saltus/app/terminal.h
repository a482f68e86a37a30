// What a run says on stderr while it goes on: a bar that is redrawn on a terminal, else plain
// lines, at most one a second.
#pragma once
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace saltus::app {

using Clock = std::chrono::steady_clock;

/// "saltus: warning: text" on stderr, one line.
void warn(std::string_view text);
/// "saltus: text" on stderr, one line.
void complain(std::string_view text);

/// "850 ms", "12.3 s", "4 min 05 s", "2 h 10 min".
std::string duration_text(double seconds);

/// What the progress line shows.
struct ProgressValues {
  std::uint64_t step = 0, first = 0, last = 0;  ///< now, where this run began, where it ends
  double t = 0.0, end = 0.0;                    ///< [s]
  int contacts = 0;                             ///< with impulse, in the last step
  double residual = 0.0;                        ///< worst so far
};

class Progress {
 public:
  explicit Progress(bool quiet);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// True when the next line is due; cheap enough for every step.
  bool due(Clock::time_point now) const { return now >= next_; }
  /// Draws the line. Allocates nothing.
  void show(Clock::time_point now, const ProgressValues& values);
  /// Takes the bar off the terminal.
  void clear();

 private:
  bool terminal_ = false, drawn_ = false;
  Clock::time_point start_, next_;
};

}  // namespace saltus::app

// A run that viewers steer. It steps in a thread of its own and waits for nobody who watches: rows and frames gather on its
// side and change hands only when the lock is free; a viewer that is slow finds fewer of them.
#pragma once
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "saltus/app/scene_setup.h"
#include "saltus/sim/simulation.h"

namespace saltus::app {

/// A column of what a live run plots: of plot "energy" the series "kinetic".
struct LiveColumn {
  std::string plot, series;
};

/// Of every run: energy, ledger, unexplained energy, residual, gap, contacts, iterations, cost; then one a probe.
std::vector<LiveColumn> live_columns(const Model& model);

struct LiveFrame {
  double t = 0.0;  ///< [s]
  std::uint64_t step = 0;
  std::shared_ptr<const std::string> record;
};

/// Where a live run is.
struct LiveState {
  bool running = false, ended = false;  ///< ended: at time.end, or by a failure
  double t = 0.0;                       ///< [s]
  std::uint64_t step = 0, frames = 0;   ///< frames made so far, also those forgotten
  std::uint64_t first_frame = 0;        ///< the oldest that is still here
  double rate = 0.0;                    ///< simulated over wall time
  std::string error;                    ///< why it stopped, one line
};

/// Makes the bytes of a frame.
struct LiveEncoder {
  std::function<std::string(const Simulation&)> encode;  ///< called by the thread of the run alone
  std::string layout;                                    ///< equal ones: equal records
};

/// What the thread of a run did since it was made.
struct LiveCost {
  std::uint64_t steps = 0;
  double stepping = 0.0;      ///< wall time of the steps alone [s]
  double stepping_cpu = 0.0;  ///< its own processor time in them [s]
  double showing = 0.0;       ///< wall time of what it made for viewers and waited for them [s]
};

class LiveRun {
 public:
  /// Asked for an encoder at the start, after restart() and set(); also the place to make a header.
  using MakeEncoder = std::function<LiveEncoder(const SceneSetup&, const Simulation&)>;
  static constexpr std::size_t kFrameBytes = 512u
                                             << 20;  ///< of frames kept; older ones are forgotten
  static constexpr std::size_t kRows = 1u << 16;     ///< of plots kept
  static constexpr double kFramesASecond = 60.0;     ///< of wall time, at most

  /// Reads the scene and stands at its start. Throws SceneError.
  LiveRun(std::string scene, std::vector<std::string> set, MakeEncoder encoder);
  ~LiveRun();  ///< ends the run behind the step it is in

  // Commands, from any thread. They take effect between two steps, and return when they have.
  void start();
  void pause();
  void step();     ///< asks for one more, behind which it pauses
  void restart();  ///< from the start, with all that set() changed; paused
  /// Replaces an entry of the scene, as `--set` does, and goes on from the present state. Throws SceneError: a value the
  /// scene does not take, or a scene that this state is none of.
  void set(const std::string& path, const std::string& value);
  /// Simulated over wall time that is not exceeded; 0: as fast as it goes. At first 1.
  void pace(double factor);
  double pace() const { return pace_; }

  /// Of the run that goes on now; replaced by set() and restart().
  std::shared_ptr<const SceneSetup> setup() const;
  const std::vector<LiveColumn>& columns() const { return columns_; }

  LiveState state() const;
  /// Frames first .. last in turn; empty: one of them is not there.
  std::vector<LiveFrame> frames(std::uint64_t first, std::uint64_t last) const;
  /// Rows behind number `row`, which moves behind the last of them: time, then one number a column.
  std::vector<std::vector<double>> rows(std::uint64_t& row) const;
  /// Waits until something is newer than `seen`, which counts changes, or for `wait`.
  void wait_for_news(std::uint64_t& seen, std::chrono::milliseconds wait) const;

  LiveCost cost() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Command;
  void adopt(std::shared_ptr<const SceneSetup> setup, std::optional<State> state);
  void loop();
  void make_step();
  void take_row(const StepReport& report, double cost);
  void take_frame();
  void publish(bool wait);
  void keep_pace_from_here();

  std::string scene_;
  std::vector<std::string> set_;
  MakeEncoder make_encoder_;
  std::vector<LiveColumn> columns_;
  std::atomic<double> pace_{1.0};

  // of the thread of the run, or of a command while that thread stands between two steps
  std::optional<Simulation> sim_;
  LiveEncoder encoder_;
  std::vector<std::vector<double>> new_rows_;
  std::vector<LiveFrame> new_frames_;
  std::vector<double> probes_;
  Clock::time_point next_frame_{}, pace_from_{};
  double pace_t_ = 0.0;
  std::uint64_t framed_ = 0;  ///< step of the last frame
  LiveState now_;
  LiveCost cost_;

  // between the run and its commands
  mutable std::mutex step_lock_;
  std::condition_variable step_news_;
  bool quit_ = false, running_ = false;
  std::atomic<int> commands_ = 0;  ///< that wait for the step to end
  int single_ = 0;
  bool paced_anew_ = false;

  // between the run and those who watch
  mutable std::mutex show_lock_;
  mutable std::condition_variable show_news_;
  std::shared_ptr<const SceneSetup> setup_;
  LiveState shown_;
  LiveCost cost_shown_;
  std::deque<LiveFrame> frames_;
  std::size_t frame_bytes_ = 0;
  std::deque<std::vector<double>> rows_;
  std::uint64_t first_row_ = 0, news_ = 0;

  /// Wakes those who wait for news: a hundred of them would cost the run more than its step.
  void herald();
  std::condition_variable herald_news_;
  std::uint64_t heralded_ = 0;
  bool silent_ = false;  ///< it ends

  std::thread thread_, herald_;
};

}  // namespace saltus::app

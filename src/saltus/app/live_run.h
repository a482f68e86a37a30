// A run controlled by viewers. It steps in its own thread and never waits for a viewer. Between two
// steps it copies the data of a frame, with the rows since the last one, into a buffer that holds
// one parcel. A second thread encodes the parcel and notifies waiting viewers. While the buffer is
// full the run continues and copies nothing, so slow viewers get fewer frames. The two threads
// share no lock.
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

#include "saltus/app/live_columns.h"
#include "saltus/app/live_set_points.h"
#include "saltus/app/scene_setup.h"
#include "saltus/sim/simulation.h"

namespace saltus::app {

class ThreadTimes;

struct LiveFrame {
  double t = 0.0;  ///< [s]
  std::uint64_t step = 0;
  std::shared_ptr<const std::string> record;
};

/// State of a live run.
struct LiveState {
  bool running = false, ended = false;  ///< ended: at time.end or after a failure
  double t = 0.0;                       ///< [s]
  std::uint64_t step = 0, frames = 0;   ///< frames made so far, including deleted ones
  std::uint64_t first_frame = 0;        ///< the oldest frame still available
  double rate = 0.0;                    ///< simulated time per wall time
  std::string error;                    ///< why the run stopped, one line
};

/// Encodes frames. The two functions are never called at the same time.
struct LiveEncoder {
  /// Called by the thread of the run: copies the data of a frame.
  std::function<void(const Simulation&)> look;
  std::function<std::string()> encode;  ///< called by another thread: encodes the copy
  std::string layout;                   ///< equal layouts: records have the same format
  /// Called when the run switches to this encoder, while no frame can be requested; all later
  /// frames have its layout. Must not throw or call functions of the run.
  std::function<void()> adopted;
};

/// Costs of the thread of a run since its creation [s]. Processor time is that of this thread
/// unless stated otherwise. Wall time without processor time was used by other programs or spent
/// waiting for helper threads.
struct LiveCost {
  std::uint64_t steps = 0, frames = 0;        ///< steps made, frames handed over
  double stepping = 0.0, stepping_cpu = 0.0;  ///< steps and their rows: wall, processor
  /// Processor time of the threads that execute parallel loops of a step.
  double helpers_cpu = 0.0;
  double handing_over = 0.0, handing_cpu = 0.0;  ///< copies for frames: wall, processor
  double waiting = 0.0;  ///< wall time for which viewers' commands paused the running run
};

class LiveRun {
 public:
  /// Called before the constructor, restart() and set() take effect, while steps continue, with the
  /// start of the scene. It may also create a header, which is valid from LiveEncoder::adopted on.
  using MakeEncoder = std::function<LiveEncoder(const SceneSetup&, const Simulation&)>;
  /// Size of frames kept; older ones are deleted.
  static constexpr std::size_t kFrameBytes = 512u << 20;
  static constexpr std::size_t kRows = 1u << 16;  ///< number of plot rows kept
  /// Largest frame rate in wall time. A run without pacing sends fewer frames if they cost more
  /// than kHandingShare of its time, but at least kFewestASecond.
  static constexpr double kFramesASecond = 60.0, kFewestASecond = 10.0, kHandingShare = 0.01;

  /// Reads the scene; the run is paused at its start. Throws SceneError.
  LiveRun(std::string scene, std::vector<std::string> set, MakeEncoder encoder);
  ~LiveRun();  ///< aborts the current step

  // Commands can be called from any thread; they return after they have taken effect between steps.
  void start();
  void pause();
  void step();     ///< makes one step and pauses
  void restart();  ///< from the start, with all changes of set(); paused
  /// Replaces an entry of the scene like `--set`, and continues from the current state. SceneError:
  /// the scene does not accept the value, or the current state does not fit the new scene.
  void set(const std::string& path, const std::string& value);
  /// As LiveSetPoints::give, also after a restart; without a value as LiveSetPoints::take_back.
  void set_point(const std::string& actuator, std::optional<double> value);
  const LiveSetPoints& set_points() const { return set_points_; }
  /// Upper bound of simulated time per wall time; 0: as fast as possible. Initially 1.
  void pace(double factor);
  double pace() const { return pace_; }

  /// Of the current run; replaced by set() and restart().
  std::shared_ptr<const SceneSetup> setup() const;
  const std::vector<LiveColumn>& columns() const { return columns_; }
  LiveState state() const;
  /// Frames first .. last in order; empty if one of them is not available.
  std::vector<LiveFrame> frames(std::uint64_t first, std::uint64_t last) const;
  /// Rows after `row`, advanced to the last one, at most 2048: time, then one number per column.
  std::vector<std::vector<double>> rows(std::uint64_t& row) const;
  /// Waits for news after `seen`, a counter of changes, or rows after `row`, and at most `wait`.
  void wait_for_news(std::uint64_t& seen, std::uint64_t row, std::chrono::milliseconds wait) const;
  void end_news();  ///< ends all waiting, also in the future
  LiveCost cost() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Command;
  struct Prepared;
  Prepared prepare(const std::vector<std::string>& set) const;
  void expect_same_files(const Scene& scene, const std::string& path) const;
  std::uint64_t adopt(Prepared& prepared, bool goes_on);
  void loop();
  void make_step();
  void take_row(const StepReport& report, double cost);
  void hand_over();
  void send(bool frame);
  bool is_empty() const { return mail_.load(std::memory_order_acquire) == kEmpty; }
  void settle() const;
  std::uint64_t tell();
  void wait_until_shown(std::uint64_t parcel) const;
  void publish_all();
  void publish();
  void keep_pace_from_here();
  std::uint64_t row_end() const { return first_row_ + rows_.size(); }

  std::string scene_;
  std::vector<std::string> set_;
  LiveSetPoints set_points_;
  MakeEncoder make_encoder_;
  std::vector<LiveColumn> columns_;
  std::atomic<double> pace_{1.0};

  // used by the thread of the run, or by a command while that thread waits between two steps
  std::optional<Simulation> sim_;
  Stop stop_;  ///< requested in the destructor
  std::size_t probes_ = 0;
  Clock::time_point next_frame_{}, pace_from_{};
  double pace_t_ = 0.0;
  std::uint64_t framed_ = 0;  ///< step of the last frame
  std::uint64_t sent_ = 0;    ///< number of the last parcel
  bool at_leisure_ = false;   ///< the run has waited for its pace since the last frame
  LiveState now_;
  LiveCost cost_;
  std::unique_ptr<ThreadTimes> threads_;

  // shared by the run and its commands
  mutable std::mutex step_lock_;
  std::condition_variable step_news_;
  bool quit_ = false, running_ = false, paced_anew_ = false;
  std::atomic<int> commands_ = 0;  ///< number of commands that wait for the step to end
  int single_ = 0;

  // The run fills the parcel while `mail_` is empty, the publisher reads it while `mail_` is full.
  enum Mail { kEmpty, kFull, kEnd };
  std::atomic<int> mail_{kEmpty};
  struct Parcel {
    std::uint64_t number = 0;
    LiveState state;
    LiveCost cost;
    std::vector<double> rows;  ///< one after the other, each with the time and all columns
    bool frame = false;        ///< the encoder contains a frame
  } parcel_;
  LiveEncoder encoder_;
  std::vector<double> new_rows_;  ///< collected by the run for the next parcel

  // shared by the publisher and the viewers
  mutable std::mutex show_lock_;
  mutable std::condition_variable show_news_;
  std::shared_ptr<const SceneSetup> setup_;
  LiveState shown_;
  LiveCost cost_shown_;
  std::deque<LiveFrame> frames_;
  std::size_t frame_bytes_ = 0;
  std::deque<std::vector<double>> rows_;
  std::uint64_t first_row_ = 0, news_ = 0;
  std::uint64_t shown_parcel_ = 0;  ///< number of the last parcel visible to viewers
  bool news_ended_ = false;

  std::thread thread_, publisher_;
};

/// Lowers the priority of the calling thread and of threads it starts, so that steps take
/// precedence over viewers if there are fewer processors than threads.
void give_way_to_steps();

}  // namespace saltus::app

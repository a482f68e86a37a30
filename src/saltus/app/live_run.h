// A run that viewers steer. It steps in a thread of its own and waits for nobody who watches.
// Between two steps it copies what a frame shows and leaves it, with the rows since, in a place
// that holds one parcel; a second thread takes it from there, makes bytes of it and wakes those who
// wait. While that place is taken the run goes on and nothing is copied, so that whoever is slow
// finds fewer frames. The two threads share no lock.
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
#include "saltus/app/scene_setup.h"
#include "saltus/sim/simulation.h"

namespace saltus::app {

class ThreadTimes;

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

/// Makes the bytes of a frame. Never are both functions called at once.
struct LiveEncoder {
  std::function<void(const Simulation&)>
      look;                             ///< by the thread of the run: copies what a frame shows
  std::function<std::string()> encode;  ///< by another thread: the bytes of what was copied
  std::string layout;                   ///< equal ones: equal records
  /// Called when the run goes on with it, while no frame can be asked for; behind it only frames of
  /// it are handed out, or of an equal layout. Throws nothing and calls no function of the run.
  std::function<void()> adopted;
};

/// What the thread of a run did since it was made, in seconds. Processor time is that of this
/// thread where nothing else is said; wall time without processor time is that of other programs,
/// or of a wait for helpers.
struct LiveCost {
  std::uint64_t steps = 0, frames = 0;        ///< made; handed over
  double stepping = 0.0, stepping_cpu = 0.0;  ///< of steps and their rows: wall, processor
  double helpers_cpu = 0.0;  ///< processor time of the threads that share loops of a step
  double handing_over = 0.0, handing_cpu = 0.0;  ///< of copies for frames: wall, processor
  double waiting = 0.0;  ///< wall time for which commands of viewers held it while it ran
};

class LiveRun {
 public:
  /// Asked for an encoder before the start, restart() and set(), while the steps go on, with the
  /// start of the scene; also the place to make a header, which holds from LiveEncoder::adopted on.
  using MakeEncoder = std::function<LiveEncoder(const SceneSetup&, const Simulation&)>;
  static constexpr std::size_t kFrameBytes = 512u
                                             << 20;  ///< of frames kept; older ones are forgotten
  static constexpr std::size_t kRows = 1u << 16;     ///< of plots kept
  /// Of the wall, at most; and as many at least of a run that does not wait for its pace, where
  /// each costs it so much of its time that kHandingShare is passed.
  static constexpr double kFramesASecond = 60.0, kFewestASecond = 10.0, kHandingShare = 0.01;

  /// Reads the scene and stands at its start. Throws SceneError.
  LiveRun(std::string scene, std::vector<std::string> set, MakeEncoder encoder);
  ~LiveRun();  ///< drops the step in work

  // Commands, from any thread. They take effect between two steps, and return when they have.
  void start();
  void pause();
  void step();     ///< asks for one more, behind which it pauses
  void restart();  ///< from the start, with all that set() changed; paused
  /// Replaces an entry of the scene, as `--set` does, and goes on from the present state. Throws
  /// SceneError: a value the scene does not take, or a scene that this state is none of.
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
  void end_news();  ///< from now on nobody waits

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

  std::string scene_;
  std::vector<std::string> set_;
  MakeEncoder make_encoder_;
  std::vector<LiveColumn> columns_;
  std::atomic<double> pace_{1.0};

  // of the thread of the run, or of a command while that thread stands between two steps
  std::optional<Simulation> sim_;
  Stop stop_;  ///< requested at the end
  std::size_t probes_ = 0;
  Clock::time_point next_frame_{}, pace_from_{};
  double pace_t_ = 0.0;
  std::uint64_t framed_ = 0;  ///< step of the last frame
  std::uint64_t sent_ = 0;    ///< number of the last parcel
  bool at_leisure_ = false;   ///< it waited for its pace since the last frame
  LiveState now_;
  LiveCost cost_;
  std::unique_ptr<ThreadTimes> threads_;

  // between the run and its commands
  mutable std::mutex step_lock_;
  std::condition_variable step_news_;
  bool quit_ = false, running_ = false;
  std::atomic<int> commands_ = 0;  ///< that wait for the step to end
  int single_ = 0;
  bool paced_anew_ = false;

  // Between the run and who publishes: the parcel and the encoder are of the side that `mail_`
  // names. The run fills while it is empty, the publisher takes while it is full, and each tells
  // the other by one store.
  enum Mail { kEmpty, kFull, kEnd };
  std::atomic<int> mail_{kEmpty};
  struct Parcel {
    std::uint64_t number = 0;
    LiveState state;
    LiveCost cost;
    std::vector<double>
        rows;            ///< behind each other, as long each as there are columns, and the time
    bool frame = false;  ///< the encoder holds one
  } parcel_;
  LiveEncoder encoder_;
  std::vector<double> new_rows_;  ///< of the run, until they go into a parcel

  // between who publishes and those who watch
  mutable std::mutex show_lock_;
  mutable std::condition_variable show_news_;
  std::shared_ptr<const SceneSetup> setup_;
  LiveState shown_;
  LiveCost cost_shown_;
  std::deque<LiveFrame> frames_;
  std::size_t frame_bytes_ = 0;
  std::deque<std::vector<double>> rows_;
  std::uint64_t first_row_ = 0, news_ = 0;
  std::uint64_t shown_parcel_ = 0;  ///< number of the last one that can be seen
  bool news_ended_ = false;

  std::thread thread_, publisher_;
};

/// Lowers the priority of the calling thread, and of those that it makes: what serves viewers gives
/// way to the steps, where there are fewer processors than threads.
void give_way_to_steps();

}  // namespace saltus::app

// Reads results files: finished ones, and `.part` files of running, stopped or killed runs.
#pragma once
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "saltus/mesh/mesh.h"
#include "saltus/results/hdf5.h"
#include "saltus/state/state.h"

namespace saltus {

/// A probe in a file.
struct ProbeColumn {
  std::string name;
  std::string body;               ///< observed by the probe; empty if it observes a joint
  std::string joint, coordinate;  ///< "elbow" and "turn"; empty if it observes a body
  std::string
      quantity;        ///< "displacement", "velocity", "reaction", "coordinate", "coordinate rate"
  std::string unit;    ///< "m", "m/s", "N", "rad", "rad/s"
  std::string at;      ///< as the user wrote it, may be empty
  double rate = 0.0;   ///< samples per second [Hz]
  double delay = 0.0;  ///< delay of the values [s]
  double gain = 0.0;   ///< as set for the WAV file; 0: peak at -1 dBFS
  double wav_factor = 0.0;  ///< of the WAV file written by the run; 0: none
};

/// A body (group) in a file.
struct BodyColumn {
  std::string name, kind, scheme;
  std::size_t positions = 0, velocities = 0;               ///< values per frame
  std::size_t nodes = 0;                                   ///< of its mesh; 0: no mesh
  std::vector<std::pair<std::string, std::size_t>> cells;  ///< kinds and numbers of its elements
};

class ResultsReader {
 public:
  /// For a file that a run is writing: reads its content at the last flush into memory (up to
  /// layout::kInMemory). With a larger file, reads throw h5::Changed after the next flush, and a
  /// new reader is required: read_settled(). Throws h5::Changed if the run flushes faster than the
  /// file can be copied, SceneError: no such file, not a results file, of a newer version, damaged.
  explicit ResultsReader(const std::string& file);

  const std::string& file() const { return file_; }
  /// False for the `.part` of an unfinished run.
  bool finished() const { return finished_; }
  std::string title() const;     ///< of the scene, may be empty
  std::string scene() const;     ///< as read
  std::string resolved() const;  ///< JSON
  /// In the order in which sides of contacts number them.
  std::vector<std::string> fixed_bodies() const;
  std::string summary() const;                ///< JSON, "" if not finished()
  double rate() const { return rate_; }       ///< steps per second at the start of the run [Hz]
  std::size_t rows() const { return rows_; }  ///< including the start row
  std::size_t frames() const { return frames_; }

  /// "time", "contacts", ... : columns of /step in the order of the reference page.
  const std::vector<std::string>& step_names() const { return step_names_; }
  std::string step_unit(const std::string& name) const;
  std::vector<double> step(const std::string& name) const;
  const std::vector<std::string>& accounts() const { return accounts_; }
  std::vector<double> ledger(const std::string& account) const;
  const std::vector<ProbeColumn>& probes() const { return probes_; }
  std::vector<double> probe(const std::string& name) const;
  const std::vector<BodyColumn>& bodies() const { return bodies_; }
  bool has_events() const;            ///< the run uses event-driven integration
  std::vector<Event> events() const;  ///< ordered by time
  std::vector<double> frame_times() const;
  /// Frames first .. first + count - 1 of "q", "velocity" or another table of frames, row by row;
  /// "displacement" also for the mesh of a modal body.
  std::vector<double> body(const std::string& name, const std::string& what, std::size_t first,
                           std::size_t count) const;
  /// Whether the file contains "displacement", "stress", ... of this body.
  bool has(const std::string& name, const std::string& what) const;
  /// For a body with nodes. Throws SceneError if the file is damaged.
  Mesh mesh(const std::string& name) const;
  /// Velocities of all nodes [m/s] in these frames, 3 values per node, 0 in directions that the
  /// mesh does not have.
  std::vector<double> node_velocity(const std::string& name, std::size_t first,
                                    std::size_t count) const;
  /// Names and texts of the attributes of /provenance.
  std::vector<std::pair<std::string, std::string>> provenance() const;

  const h5::File& hdf5() const { return hdf5_; }

 private:
  void read();

  std::string file_;
  h5::File hdf5_;
  bool finished_ = false;
  double rate_ = 0.0;
  std::size_t rows_ = 0, frames_ = 0;
  std::vector<std::string> step_names_, accounts_;
  std::vector<ProbeColumn> probes_;
  std::vector<BodyColumn> bodies_;
};

/// Returns the result of `read`, which must create its readers and outputs anew; repeats it if a
/// run flushed the growing file meanwhile. Throws RunError if that happens every time.
template <typename Read>
auto read_settled(Read&& read) {
  constexpr int kTimes = 20;
  constexpr std::chrono::milliseconds kWait{50};
  for (int time = 1;; ++time) try {
      return read();
    } catch (const h5::Changed& changed) {
      if (time == kTimes)
        throw RunError(
            changed.file() +
            ": the run writes faster than the file can be read; wait until it ends, or stop it");
      std::this_thread::sleep_for(kWait);
    }
}

}  // namespace saltus

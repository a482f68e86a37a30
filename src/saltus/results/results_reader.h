// Reading of results files: finished ones, and `.part` files of running, stopped or killed runs.
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

/// One probe of a file.
struct ProbeColumn {
  std::string name;
  std::string body;               ///< that it is on; empty: it hears a joint
  std::string joint, coordinate;  ///< "elbow" and "turn", empty: it is on a body
  std::string
      quantity;        ///< "displacement", "velocity", "reaction", "coordinate", "coordinate rate"
  std::string unit;    ///< "m", "m/s", "N", "rad", "rad/s"
  std::string at;      ///< as the user wrote it, may be empty
  double rate = 0.0;   ///< samples a second [Hz]
  double delay = 0.0;  ///< by which the values are late [s]
  double gain = 0.0;   ///< asked for the WAV file, 0: peak at -1 dBFS
  double wav_factor = 0.0;  ///< of the WAV file written by the run, 0: none
};

/// One body (group) of a file.
struct BodyColumn {
  std::string name, kind, scheme;
  std::size_t positions = 0, velocities = 0;               ///< numbers a frame
  std::size_t nodes = 0;                                   ///< of its mesh, 0: it has none
  std::vector<std::pair<std::string, std::size_t>> cells;  ///< kinds of its elements, how many
};

class ResultsReader {
 public:
  /// Of a file that a run writes to: what it held at its last flush, in memory (layout::kInMemory).
  /// Of a larger one whatever is read throws h5::Changed when it is flushed again, and a new reader
  /// is due: read_settled(). Throws h5::Changed where the run flushes faster than this copies,
  /// SceneError: no such file, not a results file, of a newer version, damaged.
  explicit ResultsReader(const std::string& file);

  const std::string& file() const { return file_; }
  /// False for the `.part` of a run that is not finished.
  bool finished() const { return finished_; }
  std::string title() const;                      ///< of the scene, may be empty
  std::string scene() const;                      ///< as read
  std::string resolved() const;                   ///< JSON
  std::vector<std::string> fixed_bodies() const;  ///< as sides of contacts count them
  std::string summary() const;                    ///< JSON, "" if not finished()
  double rate() const { return rate_; }           ///< steps a second at the start of the run [Hz]
  std::size_t rows() const { return rows_; }      ///< start row included
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
  bool has_events() const;            ///< the run is one of event-driven integration
  std::vector<Event> events() const;  ///< what it located, by time
  std::vector<double> frame_times() const;
  /// Frames first .. first + count - 1 of "q", "velocity" or another table of frames, row by row;
  /// "displacement" also of a mesh that moves in its modes.
  std::vector<double> body(const std::string& name, const std::string& what, std::size_t first,
                           std::size_t count) const;
  /// "displacement", "stress", ...: true where the file holds it of this body.
  bool has(const std::string& name, const std::string& what) const;
  /// Of a body with nodes. Throws SceneError where the file is damaged.
  Mesh mesh(const std::string& name) const;
  /// Velocities of all nodes [m/s] of these frames, 3 a node, 0 across the dimension of the mesh.
  std::vector<double> node_velocity(const std::string& name, std::size_t first,
                                    std::size_t count) const;
  /// Name and text of the attributes of /provenance.
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

/// What `read` returns, which makes its readers and all it writes anew: again where a run flushed a
/// growing file meanwhile. Throws RunError where it always does.
template <typename Read>
auto read_settled(Read&& read) {
  constexpr int kTimes = 20;
  constexpr std::chrono::milliseconds kWait{50};
  for (int time = 1;; ++time) try {
      return read();
    } catch (const h5::Changed& changed) {
      if (time == kTimes)
        throw RunError(changed.file() +
                       ": the run writes faster than this reads; wait for it, or stop it");
      std::this_thread::sleep_for(kWait);
    }
}

}  // namespace saltus

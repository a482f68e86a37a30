// Events that event-driven integration located during a run: /events of a results file.
#pragma once
#include <span>
#include <utility>
#include <vector>

#include "saltus/results/hdf5.h"
#include "saltus/results/statistics.h"
#include "saltus/state/state.h"

namespace saltus {

class EventTable {
 public:
  /// If the file has no table, nothing is stored.
  EventTable() = default;
  static EventTable create(const h5::File& file);
  /// For an existing file; stores nothing if the file has no table. Throws h5::Error.
  static EventTable open(const h5::File& file);

  /// Adds one row per event.
  void add(std::span<const Event> events);
  /// Rows written, being written and waiting.
  std::size_t rows() const { return count_; }
  std::size_t waiting_bytes() const { return 68 * waiting_.kind.size(); }
  struct Waiting {
    std::vector<double> time, speed, impulse, energy;
    std::vector<std::int32_t> kind;
    std::vector<std::uint64_t> key;
  };
  /// As for RowTable; write() leaves its argument empty.
  void hand_over(Waiting& other) { std::swap(waiting_, other); }
  void write(Waiting& events);
  void truncate(std::size_t rows);

 private:
  h5::Dataset time_, kind_, key_, speed_, impulse_, energy_;
  Waiting waiting_;
  std::size_t count_ = 0;
};

/// The first `rows` events of a file; none if it has no table. Throws h5::Error.
std::vector<Event> read_events(const h5::File& file, std::size_t rows);
/// Number of events in a file; if a run was killed while writing, the number present in all
/// columns.
std::size_t event_rows(const h5::File& file);

}  // namespace saltus

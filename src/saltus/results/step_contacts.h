// The contacts of every step of a run, not only of its frames: /step_contacts of a results file.
#pragma once
#include <span>
#include <utility>
#include <vector>

#include "saltus/results/hdf5.h"
#include "saltus/state/state.h"

namespace saltus {

class StepContacts {
 public:
  /// If the file has no table, nothing is stored.
  StepContacts() = default;
  static StepContacts create(const h5::File& file);
  /// For an existing file; stores nothing if the file has no table. Throws h5::Error.
  static StepContacts open(const h5::File& file);

  /// Adds the contacts that carried an impulse in one row of /step.
  void add(std::span<const ContactMemory> contacts);
  std::size_t waiting_bytes() const { return 32 * waiting_.key.size(); }
  struct Waiting {
    std::vector<std::uint64_t> offset, key;
    std::vector<Vector3> impulse;
  };
  /// As for RowTable; write() leaves its argument empty.
  void hand_over(Waiting& other) { std::swap(waiting_, other); }
  void write(Waiting& contacts);
  void truncate(std::size_t rows);

 private:
  h5::Dataset offset_, key_, impulse_;
  Waiting waiting_;
  std::uint64_t count_ = 0;
};

}  // namespace saltus

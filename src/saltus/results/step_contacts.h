// The contacts of every step of a run, not of its frames alone: /step_contacts of a results file.
#pragma once
#include <span>
#include <utility>
#include <vector>

#include "saltus/results/hdf5.h"
#include "saltus/state/state.h"

namespace saltus {

class StepContacts {
 public:
  /// Of a file that has none nothing is stored.
  StepContacts() = default;
  static StepContacts create(const h5::File& file);
  /// Of an existing file; nothing where it has none. Throws h5::Error.
  static StepContacts open(const h5::File& file);

  /// One row of /step: the contacts that carried an impulse in it.
  void add(std::span<const ContactMemory> contacts);
  std::size_t waiting_bytes() const { return 32 * waiting_.key.size(); }
  struct Waiting {
    std::vector<std::uint64_t> offset, key;
    std::vector<Vector3> impulse;
  };
  /// As those of RowTable; what is written is empty behind it.
  void hand_over(Waiting& other) { std::swap(waiting_, other); }
  void write(Waiting& contacts);
  void truncate(std::size_t rows);

 private:
  h5::Dataset offset_, key_, impulse_;
  Waiting waiting_;
  std::uint64_t count_ = 0;
};

}  // namespace saltus

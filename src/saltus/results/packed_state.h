// A State as arrays of numbers, as stored in a checkpoint, and sums over all its bits.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "saltus/results/checkpoint.h"
#include "saltus/state/state.h"

namespace saltus {

using PackedCounts = std::vector<std::uint64_t>;

/// Vectors of different sizes in one array; vector i is
///     value[offset[i]] .. value[offset[i + 1] - 1]
template <typename T>
struct Ragged {
  std::vector<T> value;
  PackedCounts offset{0};

  template <typename Range>
  void add(const Range& range) {
    value.insert(value.end(), range.begin(), range.end());
    offset.push_back(value.size());
  }
  std::size_t size() const { return offset.size() - 1; }
  std::span<const T> operator[](std::size_t i) const {
    return std::span(value).subspan(offset[i], offset[i + 1] - offset[i]);
  }
  bool sound() const {
    return !offset.empty() && offset.front() == 0 && offset.back() == value.size() &&
           std::is_sorted(offset.begin(), offset.end());
  }
};

/// The complete content of a slot, in the types of the file.
struct Packed {
  std::array<double, 5> scalars{};        ///< t, h, kinetic, potential, energy_start
  std::array<std::uint64_t, 3> counts{};  ///< step, rows, frames
  std::vector<double> ledger;
  Ragged<double> q, v, memory;
  PackedCounts memory_count;  ///< number of memory vectors of each group
  PackedCounts contact_key;
  std::vector<double> contact_impulse, contact_moment;  ///< three values per contact
  Ragged<std::int32_t> active;
  Ragged<double> factor;
  PackedCounts changes;
  std::vector<std::int32_t> broken_joint;
  std::vector<double> broken_time, broken_pull;
  Ragged<double> angles;           ///< of joints, one list per group
  Ragged<double> set_points;       ///< of actuators, one list per group
  Ragged<double> applied;          ///< forces, kApplied numbers each, one list per group
  std::vector<double> lane_times;  ///< t, h, next, rate_time, length
  /// Active, stepping, patience, events of the extent, ends_with + 1, ends_key, crowd.
  PackedCounts lane_counts;
  Ragged<double> lane_q, lane_v, lane_memory, lane_angles;
  PackedCounts lane_memory_count;
  PackedCounts table_rows, table_sum;
  std::vector<double> beside;           ///< Checkpoint::beside
  std::uint64_t name = 0;               ///< of the file; 0: none
  PackedCounts lane_key;                ///< of the modes
  std::vector<std::int32_t> lane_kind;  ///< plus 4 if it is shared
  std::vector<double> lane_direction;   ///< three values per mode; the last is its gap

  bool has_angles() const { return !angles.value.empty(); }
  bool has_set_points() const { return !set_points.value.empty(); }
  bool has_applied() const { return !applied.value.empty(); }
  static constexpr std::size_t kApplied = 11;  ///< body, feature, place, force, torque

  /// Passes every array to `each(name, array, columns)`, in the same order for writing, reading and
  /// the checksum.
  template <typename Self, typename Each>
  static void visit(Self& self, Each&& each) {
    each("ledger", self.ledger, 0);
    each("q", self.q.value, 0);
    each("q_offset", self.q.offset, 0);
    each("v", self.v.value, 0);
    each("v_offset", self.v.offset, 0);
    each("memory", self.memory.value, 0);
    each("memory_offset", self.memory.offset, 0);
    each("memory_count", self.memory_count, 0);
    each("contact_key", self.contact_key, 0);
    each("contact_impulse", self.contact_impulse, 3);
    each("contact_moment", self.contact_moment, 3);
    each("active", self.active.value, 0);
    each("active_offset", self.active.offset, 0);
    each("factor", self.factor.value, 0);
    each("factor_offset", self.factor.offset, 0);
    each("changes", self.changes, 0);
  }
  /// Optional arrays; files without them are identical to those of earlier versions.
  template <typename Self, typename Each>
  static void visit_broken(Self& self, Each&& each) {
    each("broken_joint", self.broken_joint, 0);
    each("broken_time", self.broken_time, 0);
    each("broken_pull", self.broken_pull, 0);
  }
  template <typename Self, typename Each>
  static void visit_angles(Self& self, Each&& each) {
    each("angles", self.angles.value, 0);
    each("angles_offset", self.angles.offset, 0);
    each("lane_angles", self.lane_angles.value, 0);
    each("lane_angles_offset", self.lane_angles.offset, 0);
  }
  template <typename Self, typename Each>
  static void visit_set_points(Self& self, Each&& each) {
    each("set_points", self.set_points.value, 0);
    each("set_points_offset", self.set_points.offset, 0);
  }
  template <typename Self, typename Each>
  static void visit_applied(Self& self, Each&& each) {
    each("applied", self.applied.value, 0);
    each("applied_offset", self.applied.offset, 0);
  }
  template <typename Self, typename Each>
  static void visit_tables(Self& self, Each&& each) {
    each("table_rows", self.table_rows, 0);
    each("table_sum", self.table_sum, 0);
  }
  template <typename Self, typename Each>
  static void visit_beside(Self& self, Each&& each) {
    each("beside", self.beside, 0);
  }
  template <typename Self, typename Each>
  static void visit_events(Self& self, Each&& each) {
    each("lane_times", self.lane_times, 0);
    each("lane_counts", self.lane_counts, 0);
    each("lane_q", self.lane_q.value, 0);
    each("lane_q_offset", self.lane_q.offset, 0);
    each("lane_v", self.lane_v.value, 0);
    each("lane_v_offset", self.lane_v.offset, 0);
    each("lane_memory", self.lane_memory.value, 0);
    each("lane_memory_offset", self.lane_memory.offset, 0);
    each("lane_memory_count", self.lane_memory_count, 0);
    each("lane_key", self.lane_key, 0);
    each("lane_kind", self.lane_kind, 0);
    each("lane_direction", self.lane_direction, 3);
  }
};

/// splitmix64 of each word and of the sum so far: every bit affects the whole result.
class StrongSum {
 public:
  void word(std::uint64_t bits) { hash_ = mixed(hash_ ^ mixed(bits)); }
  void value(double x) { word(std::bit_cast<std::uint64_t>(x)); }
  void value(std::int32_t x) { word(static_cast<std::uint32_t>(x)); }
  void value(std::uint64_t x) { word(x); }
  std::uint64_t result() const { return hash_; }

 private:
  static std::uint64_t mixed(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
  }
  std::uint64_t hash_ = 0;
};

Packed pack(const State& state, CheckpointExtent extent);
/// Inverse of pack(). checkpoint.cpp has checked that `packed` fits the model.
State unpack(const Packed& packed);
/// Uses StrongSum if the checkpoint has a name, else the weaker sum of files without names.
std::int64_t state_checksum(const Packed& packed);

}  // namespace saltus

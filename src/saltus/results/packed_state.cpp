#include "saltus/results/packed_state.h"

#include <fmt/format.h>

#include <bit>

namespace saltus {
namespace {

using Counts = PackedCounts;

/// FNV-1a over 64-bit words, sizes included, for checkpoints without a name. It does not detect
/// sign changes of two numbers at once.
class Checksum {
 public:
  void word(std::uint64_t bits) { hash_ = (hash_ ^ bits) * 0x100000001b3ULL; }
  void value(double x) { word(std::bit_cast<std::uint64_t>(x)); }
  void value(std::int32_t x) { word(static_cast<std::uint32_t>(x)); }
  void value(std::uint64_t x) { word(x); }
  std::int64_t result() const { return std::bit_cast<std::int64_t>(hash_); }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325ULL;
};

template <class Sum>
auto sum_of(const Packed& packed) {
  Sum sum;
  for (const double x : packed.scalars) sum.value(x);
  for (const std::uint64_t x : packed.counts) sum.value(x);
  const auto add = [&](const char*, const auto& array, std::size_t) {
    sum.word(array.size());
    for (const auto& x : array) sum.value(x);
  };
  Packed::visit(packed, add);
  if (!packed.broken_joint.empty()) Packed::visit_broken(packed, add);
  if (!packed.lane_counts.empty()) Packed::visit_events(packed, add);
  if (packed.has_angles()) Packed::visit_angles(packed, add);
  if (packed.has_set_points()) Packed::visit_set_points(packed, add);
  if (packed.has_applied()) Packed::visit_applied(packed, add);
  if (!packed.table_sum.empty()) Packed::visit_tables(packed, add);
  if (!packed.beside.empty()) Packed::visit_beside(packed, add);
  if (packed.name != 0) sum.word(packed.name);
  return sum.result();
}

/// Stores nothing if the state of event-driven integration is that of a time-stepping run.
void pack_events(const EventState& event_state, std::size_t events, Packed& packed) {
  // a structured binding of all members: a new member does not compile until it is stored
  const auto& [active, t, h, length, next, start, modes, rate_time, ends_with, ends_key, crowd,
               stepping, patience] = event_state;
  if (!active && t == 0.0 && h == 0.0 && length == 0.0 && next == 0.0 && start.empty() &&
      modes.empty() && rate_time == 0.0 && ends_with == -1 && ends_key == 0 && crowd == 0 &&
      stepping == 0 && patience == 0 && events == 0)
    return;
  packed.lane_times = {t, h, next, rate_time, length};
  packed.lane_counts = {
      active ? 1u : 0u, stepping, patience, events, static_cast<std::uint64_t>(ends_with + 1),
      ends_key,         crowd};
  for (const GroupState& group : start) {
    packed.lane_q.add(group.q);
    packed.lane_v.add(group.v);
    for (const Vector& vector : group.memory) packed.lane_memory.add(vector);
    packed.lane_memory_count.push_back(group.memory.size());
    packed.lane_angles.add(group.angles);
  }
  for (const auto& [mode_key, kind, direction, gap, shared] : modes) {
    packed.lane_key.push_back(mode_key);
    packed.lane_kind.push_back(static_cast<std::int32_t>(kind) + (shared ? 4 : 0));
    packed.lane_direction.insert(packed.lane_direction.end(), direction.begin(), direction.end());
    packed.lane_direction.push_back(gap);
  }
}

Vector to_vector(std::span<const double> values) {
  return Eigen::Map<const Vector>(values.data(), static_cast<Eigen::Index>(values.size()));
}

std::vector<double> to_list(std::span<const double> values) {
  return {values.begin(), values.end()};
}

Vector3 to_vector3(const std::vector<double>& values, std::size_t i) {
  return {values[3 * i], values[3 * i + 1], values[3 * i + 2]};
}

std::vector<double> numbers_of(const std::vector<AppliedForce>& applied) {
  std::vector<double> x;
  for (const AppliedForce& one : applied) {
    x.push_back(one.at.body);
    x.push_back(one.at.feature);
    for (const Vector3* part : {&one.at.local, &one.force, &one.torque})
      x.insert(x.end(), part->begin(), part->end());
  }
  return x;
}

std::vector<AppliedForce> forces_of(std::span<const double> x) {
  std::vector<AppliedForce> applied(x.size() / Packed::kApplied);
  for (std::size_t i = 0; i < applied.size(); ++i) {
    const double* const y = &x[Packed::kApplied * i];
    applied[i] = {{static_cast<int>(y[0]), static_cast<int>(y[1]), Vector3(y[2], y[3], y[4])},
                  Vector3(y[5], y[6], y[7]),
                  Vector3(y[8], y[9], y[10])};
  }
  return applied;
}

EventState unpack_events(const Packed& p) {
  EventState event_state;
  if (p.lane_counts.empty()) return event_state;
  event_state.t = p.lane_times[0];
  event_state.h = p.lane_times[1];
  event_state.next = p.lane_times[2];
  event_state.active = p.lane_counts[0] != 0;
  event_state.stepping = p.lane_counts[1];
  event_state.patience = p.lane_counts[2];
  std::size_t next = 0;
  for (std::size_t g = 0; g < p.lane_q.size(); ++g) {
    GroupState& group = event_state.start.emplace_back();
    group.q = to_vector(p.lane_q[g]);
    group.v = to_vector(p.lane_v[g]);
    for (std::uint64_t k = 0; k < p.lane_memory_count[g]; ++k)
      group.memory.push_back(to_vector(p.lane_memory[next++]));
    if (p.has_angles()) group.angles = to_list(p.lane_angles[g]);
  }
  for (std::size_t i = 0; i < p.lane_key.size(); ++i)
    event_state.modes.push_back({p.lane_key[i],
                                 static_cast<ContactMode::Kind>(p.lane_kind[i] & 3),
                                 {p.lane_direction[3 * i], p.lane_direction[3 * i + 1]},
                                 p.lane_direction[3 * i + 2],
                                 (p.lane_kind[i] & 4) != 0});
  event_state.rate_time = p.lane_times[3];
  event_state.length = p.lane_times[4];
  event_state.ends_with = static_cast<std::int32_t>(p.lane_counts[4] - 1);
  event_state.ends_key = p.lane_counts[5];
  event_state.crowd = p.lane_counts[6];
  return event_state;
}

}  // namespace

std::int64_t state_checksum(const Packed& packed) {
  return packed.name != 0 ? std::bit_cast<std::int64_t>(sum_of<StrongSum>(packed))
                          : sum_of<Checksum>(packed);
}

Packed pack(const State& state, CheckpointExtent extent) {
  Packed packed;
  packed.scalars = {state.t, state.h, state.energy.kinetic, state.energy.potential,
                    state.energy_start};
  packed.counts = {state.step, extent.rows, extent.frames};
  packed.ledger = state.ledger;
  for (const GroupState& group : state.groups) {
    packed.q.add(group.q);
    packed.v.add(group.v);
    for (const Vector& vector : group.memory) packed.memory.add(vector);
    packed.memory_count.push_back(group.memory.size());
    packed.angles.add(group.angles);
    packed.set_points.add(group.set_points);
    packed.applied.add(numbers_of(group.applied));
  }
  for (const ContactMemory& contact : state.contacts) {
    packed.contact_key.push_back(contact.key);
    for (int k = 0; k < 3; ++k) packed.contact_impulse.push_back(contact.impulse[k]);
    for (int k = 0; k < 3; ++k) packed.contact_moment.push_back(contact.moment[k]);
  }
  for (const SolverMemory& solver : state.solvers) {
    packed.active.add(solver.active);
    packed.factor.add(solver.factor);
    packed.changes.push_back(solver.changes);
  }
  for (const BrokenJoint& one : state.broken) {
    packed.broken_joint.push_back(one.joint);
    packed.broken_time.push_back(one.t);
    packed.broken_pull.push_back(one.pull);
  }
  pack_events(state.event_state, extent.events, packed);
  return packed;
}

State unpack(const Packed& p) {
  State state;
  state.t = p.scalars[0];
  state.h = p.scalars[1];
  state.energy = {p.scalars[2], p.scalars[3]};
  state.energy_start = p.scalars[4];
  state.step = p.counts[0];
  state.ledger = p.ledger;
  std::size_t next = 0;
  for (std::size_t g = 0; g < p.q.size(); ++g) {
    GroupState& group = state.groups.emplace_back();
    group.q = to_vector(p.q[g]);
    group.v = to_vector(p.v[g]);
    for (std::uint64_t k = 0; k < p.memory_count[g]; ++k)
      group.memory.push_back(to_vector(p.memory[next++]));
    if (p.has_angles()) group.angles = to_list(p.angles[g]);
    if (p.has_set_points()) group.set_points = to_list(p.set_points[g]);
    if (p.has_applied()) group.applied = forces_of(p.applied[g]);
  }
  for (std::size_t i = 0; i < p.contact_key.size(); ++i)
    state.contacts.push_back(
        {p.contact_key[i], to_vector3(p.contact_impulse, i), to_vector3(p.contact_moment, i)});
  for (std::size_t i = 0; i < p.active.size(); ++i) {
    SolverMemory& solver = state.solvers.emplace_back();
    solver.active.assign(p.active[i].begin(), p.active[i].end());
    solver.factor.assign(p.factor[i].begin(), p.factor[i].end());
    solver.changes = p.changes[i];
  }
  for (std::size_t i = 0; i < p.broken_joint.size(); ++i)
    state.broken.push_back({p.broken_joint[i], p.broken_time[i], p.broken_pull[i]});
  state.event_state = unpack_events(p);
  return state;
}

std::string state_hash(const State& state) {
  return fmt::format("{:016x}", sum_of<StrongSum>(pack(state, {})));
}

}  // namespace saltus

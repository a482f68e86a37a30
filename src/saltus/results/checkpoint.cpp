#include "saltus/results/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <nlohmann/json.hpp>
#include <optional>

#include "saltus/results/layout.h"

namespace saltus {
namespace {

using Counts = std::vector<std::uint64_t>;

/// Vectors of different sizes in one array: vector i is value[offset[i]] .. value[offset[i + 1] -
/// 1].
template <typename T>
struct Ragged {
  std::vector<T> value;
  Counts offset{0};

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

/// The whole content of a slot, in the types of the file.
struct Packed {
  std::array<double, 5> scalars{};        ///< t, h, kinetic, potential, energy_start
  std::array<std::uint64_t, 3> counts{};  ///< step, rows, frames
  std::vector<double> ledger;
  Ragged<double> q, v, memory;
  Counts memory_count;  ///< memory vectors of each group
  Counts contact_key;
  std::vector<double> contact_impulse, contact_moment;  ///< three a contact
  Ragged<std::int32_t> active;
  Ragged<double> factor;
  Counts changes;
  std::vector<std::int32_t> broken_joint;
  std::vector<double> broken_time, broken_pull;
  std::vector<double> lane_times;  ///< t, h, next, rate_time, length
  Counts
      lane_counts;  ///< active, stepping, patience, events of the extent, ends_with + 1, ends_key, crowd
  Ragged<double> lane_q, lane_v, lane_memory;
  Counts lane_memory_count;
  Counts table_rows, table_sum;
  std::uint64_t name = 0;               ///< of the file, 0: it has none
  Counts lane_key;                      ///< of the modes
  std::vector<std::int32_t> lane_kind;  ///< plus 4 where it is shared
  std::vector<double> lane_direction;   ///< three a mode: the last is its gap

  /// Hands every array to `each(name, array, columns)`, in one order for writing, reading and the
  /// checksum.
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
  /// The same of what is stored where there is any: files without it are those of before.
  template <typename Self, typename Each>
  static void visit_broken(Self& self, Each&& each) {
    each("broken_joint", self.broken_joint, 0);
    each("broken_time", self.broken_time, 0);
    each("broken_pull", self.broken_pull, 0);
  }
  template <typename Self, typename Each>
  static void visit_tables(Self& self, Each&& each) {
    each("table_rows", self.table_rows, 0);
    each("table_sum", self.table_sum, 0);
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

constexpr std::array kScalars{"t", "h", "kinetic", "potential", "energy_start"};
constexpr std::array kCounts{"step", "rows", "frames"};
constexpr const char* kName = "name_of_checkpoints";

/// FNV-1a over 64-bit words, sizes included: of checkpoints without a name. The signs of two numbers that change together
/// leave it as it is.
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

/// splitmix64 of each word and of the sum so far: every bit counts everywhere.
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
  if (!packed.table_sum.empty()) Packed::visit_tables(packed, add);
  if (packed.name != 0) sum.word(packed.name);
  return sum.result();
}

std::int64_t state_checksum(const Packed& packed) {
  return packed.name != 0 ? std::bit_cast<std::int64_t>(sum_of<StrongSum>(packed))
                          : sum_of<Checksum>(packed);
}

/// Of the file, and of the checkpoints in it. 0: none.
std::uint64_t name_in(const h5::Group& group) {
  return group.has_attribute(kName) ? std::bit_cast<std::uint64_t>(group.integer(kName)) : 0;
}

/// Nothing where event-driven integration is as it is in a run that only steps.
void pack_events(const EventState& event_state, std::size_t events, Packed& packed) {
  // by the places of all members: one more does not compile until it is stored
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
  }
  for (const auto& [mode_key, kind, direction, gap, shared] : modes) {
    packed.lane_key.push_back(mode_key);
    packed.lane_kind.push_back(static_cast<std::int32_t>(kind) + (shared ? 4 : 0));
    packed.lane_direction.insert(packed.lane_direction.end(), direction.begin(), direction.end());
    packed.lane_direction.push_back(gap);
  }
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

void read(const h5::Dataset& data, std::vector<double>& out) { out = data.reals(); }
void read(const h5::Dataset& data, std::vector<std::int32_t>& out) { out = data.integers(); }
void read(const h5::Dataset& data, Counts& out) { out = data.counts(); }

/// Empty where the slot is missing or torn.
std::optional<Packed> read_slot(const h5::File& file, const std::string& slot) {
  const std::string name = "checkpoint/" + slot;
  try {
    if (!file.has(name)) return std::nullopt;
    const h5::Group group = file.group(name);
    Packed packed;
    for (std::size_t k = 0; k < kScalars.size(); ++k) packed.scalars[k] = group.real(kScalars[k]);
    for (std::size_t k = 0; k < kCounts.size(); ++k)
      packed.counts[k] = static_cast<std::uint64_t>(group.integer(kCounts[k]));
    const auto take = [&](const char* field, auto& array, std::size_t) {
      read(group.dataset(field), array);
    };
    Packed::visit(packed, take);
    if (group.has("broken_joint")) Packed::visit_broken(packed, take);
    if (group.has("lane_counts")) Packed::visit_events(packed, take);
    if (group.has("table_sum")) Packed::visit_tables(packed, take);
    packed.name = name_in(group);
    if (state_checksum(packed) != group.integer("checksum")) return std::nullopt;
    return packed;
  } catch (const h5::Error&) {
    return std::nullopt;
  }
}

struct Newest {
  Packed packed;
  std::string slot;
};

std::optional<Newest> newest(const h5::File& file) {
  std::optional<Newest> best;
  for (const std::string slot : {"a", "b"}) {
    std::optional<Packed> found = read_slot(file, slot);
    if (found && (!best || found->counts > best->packed.counts))
      best = Newest{std::move(*found), slot};
  }
  return best;
}

Vector to_vector(std::span<const double> values) {
  return Eigen::Map<const Vector>(values.data(), static_cast<Eigen::Index>(values.size()));
}

Vector3 to_vector3(const std::vector<double>& values, std::size_t i) {
  return {values[3 * i], values[3 * i + 1], values[3 * i + 2]};
}

/// Whether the counts are those of `size` vectors; sums that wrap around are not.
bool adds_up(const Counts& counts, std::size_t size) {
  std::uint64_t left = size;
  for (const std::uint64_t count : counts) {
    if (count > left) return false;
    left -= count;
  }
  return left == 0;
}

/// Of a slot that tells of event-driven integration, or of the step to try next under an error. "" or what does not fit.
std::string events_mismatch(const Packed& p, const Model& model) {
  const bool controlled = model.options().step_tolerance > 0.0 && p.lane_counts.size() == 7 &&
                          p.lane_counts[0] == 0 && p.lane_q.size() == 0 && p.lane_key.empty();
  if (model.options().mode != TimeMode::events && !controlled)
    return "of event-driven integration, which the scene does not use";
  if (!p.lane_q.sound() || !p.lane_v.sound() || !p.lane_memory.sound())
    return "offsets out of order";
  const std::size_t groups = p.lane_q.size();
  if (p.lane_times.size() != 5 || p.lane_counts.size() != 7 || p.lane_v.size() != groups ||
      p.lane_memory_count.size() != groups || !adds_up(p.lane_memory_count, p.lane_memory.size()) ||
      p.lane_kind.size() != p.lane_key.size() || p.lane_direction.size() != 3 * p.lane_key.size())
    return "arrays of different lengths";
  if (groups != 0 && groups != model.groups().size())
    return std::to_string(groups) + " bodies, the scene has " +
           std::to_string(model.groups().size());
  for (std::size_t g = 0; g < groups; ++g)
    if (p.lane_q[g].size() != static_cast<std::size_t>(model.initial()[g].q.size()) ||
        p.lane_v[g].size() != static_cast<std::size_t>(model.initial()[g].v.size()))
      return "body '" + model.groups()[g].name + "' has another number of coordinates";
  if (groups == 0 && p.lane_counts[0] != 0 && p.lane_times[1] != 0.0)
    return "a step of event-driven integration is in work, and where it began is missing";
  if (const double h = p.lane_times[1], length = p.lane_times[4];
      !controlled && h != 0.0 && !(length > 0.0 && length <= 2.0 * h))
    return "the step of event-driven integration goes farther than it was made for";
  for (std::size_t i = 1; i < p.lane_key.size(); ++i)
    if (p.lane_key[i] <= p.lane_key[i - 1])
      return "contacts of event-driven integration out of order";
  for (const std::int32_t kind : p.lane_kind)
    if (kind < 0 || kind > 7 || (kind & 3) > static_cast<std::int32_t>(ContactMode::Kind::slides))
      return "a contact moves in a way that is not known";
  return "";
}

/// "" or what does not fit.
std::string mismatch(const Packed& p, const Model& model) {
  const std::size_t groups = model.groups().size();
  if (!p.q.sound() || !p.v.sound() || !p.memory.sound() || !p.active.sound() || !p.factor.sound())
    return "offsets out of order";
  const std::size_t contacts = p.contact_key.size();
  if (p.q.size() != groups || p.v.size() != groups || p.memory_count.size() != groups)
    return std::to_string(p.q.size()) + " bodies, the scene has " + std::to_string(groups);
  if (!adds_up(p.memory_count, p.memory.size()) || p.contact_impulse.size() != 3 * contacts ||
      p.contact_moment.size() != 3 * contacts || p.factor.size() != p.active.size() ||
      p.changes.size() != p.active.size() || p.broken_time.size() != p.broken_joint.size() ||
      p.broken_pull.size() != p.broken_joint.size())
    return "arrays of different lengths";
  for (const std::int32_t joint : p.broken_joint)
    if (joint < 0 || static_cast<std::size_t>(joint) >= model.joints().size() ||
        !(model.joints()[static_cast<std::size_t>(joint)].strength > 0.0))
      return "joint " + std::to_string(joint) + " is broken, in the scene it cannot break";
  for (std::size_t g = 0; g < groups; ++g) {
    const GroupState& initial = model.initial()[g];
    if (p.q[g].size() != static_cast<std::size_t>(initial.q.size()) ||
        p.v[g].size() != static_cast<std::size_t>(initial.v.size()))
      return "body '" + model.groups()[g].name + "' has " + std::to_string(p.q[g].size()) +
             " coordinates, in the scene " + std::to_string(initial.q.size());
  }
  if (p.ledger.size() != model.accounts().size())
    return std::to_string(p.ledger.size()) + " energy accounts, the scene has " +
           std::to_string(model.accounts().size());
  if (p.active.size() != static_cast<std::size_t>(model.island_count()))
    return std::to_string(p.active.size()) + " contact problems, the scene has " +
           std::to_string(model.island_count());
  return p.lane_counts.empty() ? "" : events_mismatch(p, model);
}

bool is_of_file(const Packed& p, const h5::File& file) {
  try {
    return p.name == (file.has("provenance") ? name_in(file.group("provenance")) : 0);
  } catch (const h5::Error&) {
    return false;
  }
}

/// Schemes read what they remember without asking whether it is there: it must be what they make at the start, or, of one
/// whose first step uses it up, that or nothing. Event-driven integration reads none. "" or what does not fit.
std::string memory_mismatch(const Packed& p, const Model& model) {
  if (!p.lane_counts.empty() && p.lane_counts[0] != 0) return "";
  std::size_t next = 0;
  for (std::size_t g = 0; g < model.groups().size(); ++g) {
    const Group& group = model.groups()[g];
    const std::size_t count = p.memory_count[g],
                      size = static_cast<std::size_t>(model.initial()[g].v.size());
    if (!group.scheme) {
      next += count;
      continue;
    }
    GroupState start = model.initial()[g];
    const double h = model.options().h;
    group.scheme->start(*group.dynamics, group.scheme->prepare(*group.dynamics, h).get(), 0.0, h,
                        start);
    const bool used_up = group.scheme->fixed_step() && count <= 1;
    bool fits = count == start.memory.size() || used_up;
    for (std::size_t k = 0; k < count; ++k) fits = p.memory[next++].size() == size && fits;
    if (!fits)
      return "body '" + group.name + "' has not what scheme " + std::string(group.scheme->name()) +
             " remembers";
  }
  return "";
}

// Of what steps met words are kept, beside the state and not in its checksum: what cannot be read is nothing.
constexpr const char* kNotices = "notices";

std::string notices_json(std::span<const Notice> notices) {
  nlohmann::json list = nlohmann::json::array();
  for (const Notice& one : notices)
    list.push_back({{"kind", static_cast<int>(one.kind)},
                    {"a", one.a},
                    {"b", one.b},
                    {"text", one.text},
                    {"first", one.first},
                    {"steps", one.steps}});
  return list.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::vector<Notice> read_notices(const h5::File& file, const std::string& slot) {
  std::vector<Notice> notices;
  try {
    const h5::Group group = file.group("checkpoint/" + slot);
    if (!group.has(kNotices)) return notices;
    for (const auto& one : nlohmann::json::parse(group.dataset(kNotices).text()))
      notices.push_back({static_cast<Notice::Kind>(one.at("kind").get<int>()),
                         one.at("a").get<int>(), one.at("b").get<int>(),
                         one.at("text").get<std::string>(), one.at("first").get<double>(),
                         one.at("steps").get<std::uint64_t>()});
  } catch (const h5::Changed&) {
    throw;
  } catch (const h5::Error&) {
  } catch (const nlohmann::json::exception&) {
  }
  return notices;
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

}  // namespace

std::string state_hash(const State& state) {
  return fmt::format("{:016x}", sum_of<StrongSum>(pack(state, {})));
}

void name_checkpoints(const h5::File& file, std::string_view resolved,
                      std::span<const InputFile> inputs) {
  StrongSum sum;
  const auto add = [&](std::string_view text) {
    sum.word(text.size());
    for (const char c : text) sum.word(static_cast<unsigned char>(c));
  };
  add(resolved);
  for (const InputFile& input : inputs) {
    add(input.entry);
    add(input.hash);
  }
  file.group("provenance").set(kName, std::bit_cast<std::int64_t>(sum.result() | 1));
}

void write_checkpoint(const h5::File& file, const std::string& slot, const State& state,
                      CheckpointExtent extent, const TableSums& tables,
                      std::span<const Notice> notices) {
  Packed packed = pack(state, extent);
  packed.table_rows = tables.rows;
  packed.table_sum = tables.sum;
  if (file.has("provenance")) packed.name = name_in(file.group("provenance"));
  const std::string name = "checkpoint/" + slot;
  if (file.has(name)) file.remove(name);
  const h5::Group group = file.create_group(name);
  for (std::size_t k = 0; k < kScalars.size(); ++k) group.set(kScalars[k], packed.scalars[k]);
  for (std::size_t k = 0; k < kCounts.size(); ++k)
    group.set(kCounts[k], static_cast<std::int64_t>(packed.counts[k]));
  const auto store = [&](const char* field, const auto& array, std::size_t columns) {
    group.write(field, std::span(array), columns);
  };
  Packed::visit(packed, store);
  if (!packed.broken_joint.empty()) Packed::visit_broken(packed, store);
  if (!packed.lane_counts.empty()) Packed::visit_events(packed, store);
  if (!packed.table_sum.empty()) Packed::visit_tables(packed, store);
  if (packed.name != 0) group.set(kName, std::bit_cast<std::int64_t>(packed.name));
  if (!notices.empty()) group.write(kNotices, notices_json(notices));
  group.set("checksum", state_checksum(packed));
}

std::vector<Notice> merged(std::span<const Notice> earlier, std::span<const Notice> now) {
  std::vector<Notice> all(earlier.begin(), earlier.end());
  for (const Notice& one : now) {
    const auto same = std::ranges::find_if(all, [&](const Notice& other) {
      return other.kind == one.kind && other.a == one.a && other.b == one.b;
    });
    if (same == all.end())
      all.push_back(one);
    else
      same->steps += one.steps;
  }
  return all;
}

Checkpoint newest_checkpoint(const h5::File& file, const std::string& path, const Model& model) {
  std::optional<Newest> found = newest(file);
  if (!found)
    throw SceneError("", "holds no complete checkpoint",
                     "run the scene from the start, without --resume")
        .at(path, 0, 0);
  if (!is_of_file(found->packed, file))
    throw SceneError("", "its newest checkpoint was made in another file, from another scene",
                     "run the scene from the start, without --resume")
        .at(path, 0, 0);
  std::string fault = mismatch(found->packed, model);
  if (fault.empty()) fault = memory_mismatch(found->packed, model);
  if (!fault.empty())
    throw SceneError("", "checkpoint does not belong to this scene: " + fault,
                     "resume with the scene of the file")
        .at(path, 0, 0);
  const auto& counts = found->packed.counts;
  const std::uint64_t events = found->packed.lane_counts.empty() ? 0 : found->packed.lane_counts[3];
  return {unpack(found->packed),
          {counts[1], counts[2], events},
          found->slot,
          {found->packed.table_rows, found->packed.table_sum},
          read_notices(file, found->slot)};
}

std::int64_t newest_checkpoint_step(const h5::File& file) {
  const std::optional<Newest> found = newest(file);
  return found ? static_cast<std::int64_t>(found->packed.counts[0]) : -1;
}

}  // namespace saltus

#include "saltus/results/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <nlohmann/json.hpp>
#include <optional>

#include "saltus/results/layout.h"
#include "saltus/results/packed_state.h"
#include "saltus/results/results.h"

namespace saltus {
namespace {

using Counts = PackedCounts;
constexpr std::array kScalars{"t", "h", "kinetic", "potential", "energy_start"};
constexpr std::array kCounts{"step", "rows", "frames"};
constexpr const char* kName = "name_of_checkpoints";

/// Name of the file or of a checkpoint in it. 0: none.
std::uint64_t name_in(const h5::Group& group) {
  return group.has_attribute(kName) ? std::bit_cast<std::uint64_t>(group.integer(kName)) : 0;
}

void read(const h5::Dataset& data, std::vector<double>& out) { out = data.reals(); }
void read(const h5::Dataset& data, std::vector<std::int32_t>& out) { out = data.integers(); }
void read(const h5::Dataset& data, Counts& out) { out = data.counts(); }

/// Empty if the slot is missing or incomplete.
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
    if (group.has("angles")) Packed::visit_angles(packed, take);
    if (group.has("set_points")) Packed::visit_set_points(packed, take);
    if (group.has("applied")) Packed::visit_applied(packed, take);
    if (group.has("table_sum")) Packed::visit_tables(packed, take);
    if (group.has("beside")) Packed::visit_beside(packed, take);
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

/// Whether the counts add up to `size` vectors; sums that overflow do not.
bool adds_up(const Counts& counts, std::size_t size) {
  std::uint64_t left = size;
  for (const std::uint64_t count : counts) {
    if (count > left) return false;
    left -= count;
  }
  return left == 0;
}

/// For a slot with data of event-driven integration, or of a step under error control. Returns ""
/// or what does not fit.
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
    return "the start of the current step of event-driven integration is missing";
  if (const double h = p.lane_times[1], length = p.lane_times[4];
      !controlled && h != 0.0 && !(length > 0.0 && length <= 2.0 * h))
    return "the step of event-driven integration is longer than its integrator allows";
  for (std::size_t i = 1; i < p.lane_key.size(); ++i)
    if (p.lane_key[i] <= p.lane_key[i - 1])
      return "contacts of event-driven integration out of order";
  for (const std::int32_t kind : p.lane_kind)
    if (kind < 0 || kind > 7 || (kind & 3) > static_cast<std::int32_t>(ContactMode::Kind::slides))
      return "a contact has an unknown type of motion";
  return "";
}

/// The same for angles of joints, which files of former versions do not have.
std::string angles_mismatch(const Packed& p, const Model& model) {
  if (!p.has_angles()) return "";
  std::vector<std::size_t> count(model.groups().size(), 0);
  for (const JointAngle& of : model.angles()) ++count[static_cast<std::size_t>(of.group)];
  for (const Ragged<double>* list : {&p.angles, &p.lane_angles}) {
    const bool none = list == &p.lane_angles && p.lane_q.size() == 0;
    if (!list->sound() || list->size() != (none ? 0 : count.size())) return "angles out of order";
    for (std::size_t g = 0; g < list->size(); ++g)
      if ((*list)[g].size() != count[g])
        return std::to_string((*list)[g].size()) + " angles of joints, the scene has " +
               std::to_string(count[g]);
  }
  return "";
}

/// The same for set-points of actuators, which a file has if the run has set some.
std::string set_points_mismatch(const Packed& p, const Model& model) {
  if (!p.has_set_points()) return "";
  const std::vector<std::size_t> count = model.set_point_counts();
  if (!p.set_points.sound() || p.set_points.size() != count.size())
    return "set-points out of order";
  for (std::size_t g = 0; g < count.size(); ++g)
    if (!p.set_points[g].empty() && p.set_points[g].size() != count[g])
      return std::to_string(p.set_points[g].size()) + " set-points of actuators, the scene has " +
             std::to_string(count[g]);
  return "";
}

/// Returns "" or what does not fit.
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
      return "joint " + std::to_string(joint) + " is broken, but in the scene it cannot break";
  for (std::size_t g = 0; g < groups; ++g) {
    const GroupState& initial = model.initial()[g];
    if (p.q[g].size() != static_cast<std::size_t>(initial.q.size()) ||
        p.v[g].size() != static_cast<std::size_t>(initial.v.size()))
      return "body '" + model.groups()[g].name + "' has " + std::to_string(p.q[g].size()) +
             " coordinates, but in the scene " + std::to_string(initial.q.size());
  }
  if (p.ledger.size() != model.accounts().size())
    return std::to_string(p.ledger.size()) + " work terms, the scene has " +
           std::to_string(model.accounts().size());
  if (std::string fault = angles_mismatch(p, model); !fault.empty()) return fault;
  if (std::string fault = set_points_mismatch(p, model); !fault.empty()) return fault;
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

/// Schemes read their memory without checking that it exists. It must have the same sizes as at the
/// start, or, for schemes that use it up in the first step, be empty. Event-driven integration
/// reads no memory. Returns "" or what does not fit.
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
      return "body '" + group.name + "' lacks the memory that scheme " +
             std::string(group.scheme->name()) + " requires";
  }
  return "";
}

// The texts of notices are stored in addition to the state, without a checksum; unreadable ones are
// dropped.
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

}  // namespace

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
                      std::span<const Notice> notices, std::span<const double> beside) {
  Packed packed = pack(state, extent);
  packed.beside.assign(beside.begin(), beside.end());
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
  if (packed.has_angles()) Packed::visit_angles(packed, store);
  if (packed.has_set_points()) Packed::visit_set_points(packed, store);
  if (packed.has_applied()) Packed::visit_applied(packed, store);
  if (!packed.table_sum.empty()) Packed::visit_tables(packed, store);
  if (!packed.beside.empty()) Packed::visit_beside(packed, store);
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
    throw SceneError("", "contains no complete checkpoint",
                     "run the scene from the start, without --resume")
        .at(path, 0, 0);
  if (!is_of_file(found->packed, file))
    throw SceneError("", "its newest checkpoint belongs to another file and another scene",
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
          read_notices(file, found->slot),
          std::move(found->packed.beside)};
}

std::vector<double> read_beside(const std::string& file) {
  const std::optional<Newest> found = newest(layout::open(file, false));
  return found ? found->packed.beside : std::vector<double>();
}

std::int64_t newest_checkpoint_step(const h5::File& file) {
  const std::optional<Newest> found = newest(file);
  return found ? static_cast<std::int64_t>(found->packed.counts[0]) : -1;
}

}  // namespace saltus

#include "saltus/results/results_file.h"

#include <algorithm>
#include <limits>

#include "saltus/results/drawing.h"
#include "saltus/results/event_table.h"
#include "saltus/results/layout.h"
#include "saltus/results/step_row.h"
#include "saltus/results/whole_number.h"
#include "saltus/spec/joint_spec.h"

namespace saltus {
namespace {

void write_provenance(const h5::File& file, const Provenance& provenance,
                      std::span<const InputFile> inputs) {
  const h5::Group group = file.create_group("provenance");
  group.set("version", provenance.version);
  group.set("commit", provenance.commit);
  group.set("compiler", provenance.compiler);
  group.set("flags", provenance.flags);
  group.set("command_line", provenance.command_line);
  group.set("cpu", provenance.cpu);
  group.set("start_time", provenance.start_time);
  group.set("threads", std::int64_t{provenance.threads});
  group.set("resumed", std::int64_t{0});
  const h5::Group list = group.create_group("inputs");
  for (const InputFile& input : inputs) {
    const h5::Group entry = list.create_group(h5::escaped(input.entry));
    entry.set("file", input.file);
    entry.set("size", static_cast<std::int64_t>(input.size));
    entry.set("fnv1a", input.hash);
  }
}

void write_pairs(const h5::File& file, const Model& model) {
  std::vector<std::uint64_t> key;
  std::vector<std::int32_t> group, body, feature, law, tangents;
  std::vector<double> local_a, local_b, normal, tangent;
  const auto add = [](std::vector<double>& out, const Vector3& x) {
    out.insert(out.end(), x.begin(), x.end());
  };
  for (const ContactPair& pair : model.pairs()) {
    key.push_back(pair.key);
    law.push_back(pair.law);
    for (const ContactSide* side : {&pair.a, &pair.b}) {
      group.push_back(side->group);
      body.push_back(side->ref.body);
      feature.push_back(side->ref.feature);
    }
    add(local_a, pair.a.ref.local);
    add(local_b, pair.b.ref.local);
    add(normal, pair.normal);
    tangents.push_back(pair.tangents);
    for (int t = 0; t < 2; ++t)
      add(tangent, t < pair.tangents ? pair.direction(1 + t) : Vector3(Vector3::Zero()));
  }
  const h5::Group pairs = file.create_group("pairs");
  layout::described(pairs.write("key", key), "1", "key of the pair, increasing");
  layout::described(pairs.write("group", group, 2), "1",
                    "index of the bodies a and b in /bodies; -1: the fixed world");
  layout::described(pairs.write("body", body, 2), "1", "body of the group");
  layout::described(pairs.write("feature", feature, 2), "1", "node, face or element");
  layout::described(pairs.write("law", law), "1", "index of the contact law");
  layout::described(pairs.write("local_a", local_a, 3), "m", "position on a in its own frame");
  layout::described(pairs.write("local_b", local_b, 3), "m",
                    "position on b in its own frame, or in the world");
  layout::described(pairs.write("normal", normal, 3), "1", "unit vector from b to a");
  layout::described(pairs.write("tangents", tangents), "1", "number of directions of friction");
  layout::described(pairs.write("tangent", tangent, 6), "1", "the two directions of friction");
}

/// Position in the step to which the value belongs, as a fraction: 1 at its end.
double velocity_at(const Model& model, const Probe& probe) {
  const auto of = [&](int g) {
    const Group& group = model.groups()[static_cast<std::size_t>(g)];
    return group.scheme ? group.scheme->velocity_at() : 1.0;
  };
  if (probe.quantity == Probe::Quantity::velocity) return of(probe.group);
  if (probe.quantity != Probe::Quantity::joint_rate) return 1.0;
  double earliest = 1.0;
  const Joint& joint = model.joints()[static_cast<std::size_t>(probe.joint)];
  for (const JointSide* side : {&joint.a, &joint.b})
    if (side->group >= 0) earliest = std::min(earliest, of(side->group));
  return earliest;
}

/// The name of a body in contacts; of the world as a whole "world".
std::string body_name(const Model& model, const ContactBody& of) {
  const auto body = static_cast<std::size_t>(of.body);
  const auto& fixed = model.surfaces().fixed_names;
  if (of.group < 0) return of.body >= 0 && body < fixed.size() ? fixed[body] : "world";
  const Group& group = model.groups()[static_cast<std::size_t>(of.group)];
  return body < group.bodies.size() ? group.bodies[body] : group.name;
}

std::string description_of(const Probe& probe) {
  if (probe.quantity == Probe::Quantity::contact_force)
    return "force of contacts on a body, mean over the step";
  if (probe.quantity == Probe::Quantity::joint_force)
    return "force of a joint on its second body, mean over the step";
  if (probe.quantity == Probe::Quantity::joint_torque)
    return "torque of a joint on its second body, mean over the step";
  if (probe.quantity == Probe::Quantity::reaction)
    return "constraint force of a prescribed degree of freedom, mean over the step";
  if (probe.quantity == Probe::Quantity::joint_effort)
    return "torque or force of the actuators of a joint coordinate, mean over the step";
  if (probe.quantity == Probe::Quantity::joint_power)
    return "effort of the actuators of a joint coordinate times its rate";
  if (probe.quantity == Probe::Quantity::angular_velocity)
    return "angular velocity of a body along a direction";
  if (probe.quantity == Probe::Quantity::energy ||
      probe.quantity == Probe::Quantity::kinetic_energy)
    return std::string(name_of(probe.quantity)) + " of a body";
  if (probe.quantity == Probe::Quantity::stress || probe.quantity == Probe::Quantity::strain)
    return std::string(name_of(probe.quantity)) + " at a point of a body";
  if (probe.quantity == Probe::Quantity::support)
    return "force that holds or moves a body against its contacts and joints, mean over the step";
  if (probe.quantity == Probe::Quantity::acceleration)
    return "acceleration of a point along a direction, mean over the step";
  const std::string name(name_of(probe.quantity));
  return name + (on_coordinate(probe.quantity) ? " of a joint" : " of a point along a direction");
}

void create_probes(const h5::File& file, const Model& model, const ResultsOptions& options) {
  std::vector<std::string> names;
  for (const Probe& probe : model.probes()) names.push_back(probe.name);
  names = layout::object_names(names, "probe");
  const h5::Group group = file.create_group("probes");
  const double h = model.options().h;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Probe& probe = model.probes()[i];
    const double late =  // in event-driven integration all values belong to the time of their row
        model.options().mode == TimeMode::events ? 0.0 : (1.0 - velocity_at(model, probe)) * h;
    const h5::Dataset data =
        layout::described(group.create(names[i], {}), std::string(unit_of(probe, model.joints())),
                          description_of(probe));
    data.set("index", static_cast<std::int64_t>(i));
    data.set("name", probe.name);
    if (on_coordinate(probe.quantity)) {
      const Joint& joint = model.joints()[static_cast<std::size_t>(probe.joint)];
      data.set("joint", joint.name);
      data.set("coordinate", std::string(coordinate_name(joint.kind, probe.coordinate)));
    } else if (probe.quantity == Probe::Quantity::joint_force ||
               probe.quantity == Probe::Quantity::joint_torque) {
      data.set("joint", model.joints()[static_cast<std::size_t>(probe.joint)].name);
      data.set("coordinate", "");
    } else if (probe.quantity == Probe::Quantity::contact_force ||
               probe.quantity == Probe::Quantity::support) {
      data.set("body", body_name(model, probe.body));
    } else {
      data.set("body", model.groups()[static_cast<std::size_t>(probe.group)].name);
    }
    data.set("quantity", std::string(name_of(probe.quantity)));
    data.set("at", i < options.probe_at.size() ? options.probe_at[i] : "");
    data.set("rate", h > 0.0 ? 1.0 / h : 0.0);
    data.set("delay", late);
    if (late > 0.0)
      data.set(
          "note",
          "the velocity is a difference over the step: it belongs to the time of its row minus "
          "'delay'");
    data.set("gain", probe.gain);
  }
}

h5::Dataset create_timing(const h5::File& file) {
  return layout::described(file.create_group("timing").create("step", {}), "s",
                           "wall time of the step; differs from run to run");
}

}  // namespace

bool frames_hold_contacts(const ResultsSpec& spec, const Model& model) {
  constexpr std::size_t kLarge = 20'000;
  const std::size_t shapes = model.surfaces().colliders.size() + model.surfaces().boundaries.size();
  return spec.contacts.value_or(shapes <= kLarge);
}

double frame_bytes(const ResultsSpec& spec, const Model& model) {
  constexpr double kContact = 284.0, kContactsOfShape = 3.0;
  double coordinates = 0.0;
  for (const Group& group : model.groups())
    coordinates += group.dynamics->positions() + group.dynamics->velocities();
  if (!frames_hold_contacts(spec, model)) return 8.0 * coordinates;
  const auto points = static_cast<double>(model.pairs().size()),
             shapes = static_cast<double>(model.surfaces().colliders.size());
  return 16.0 * coordinates + kContact * (points + kContactsOfShape * shapes);
}

void create_layout(const h5::File& file, const Model& model, std::string_view scene,
                   std::string_view resolved, const ResultsOptions& options) {
  file.set("format", layout::kFormat);
  file.set("version", layout::kVersion);
  file.set("contact_tolerance", model.options().contact.tolerance);
  file.set("rate", model.options().h > 0.0 ? 1.0 / model.options().h : 0.0);
  file.write("scene", scene);
  file.write("resolved", resolved);
  write_provenance(file, options.provenance, options.inputs);
  write_pairs(file, model);

  const h5::Group step = file.create_group("step");
  std::int64_t columns = 0;
  const auto add_column = [&](const layout::StepColumn& column) {
    layout::described(step.create(column.name, {.type = column.type}), column.unit,
                      column.description)
        .set("index", columns++);
  };
  std::ranges::for_each(layout::kStep, add_column);
  if (layout::has_substeps(model.options()) || options.phased.substeps)
    std::ranges::for_each(layout::kSubsteps, add_column);
  const h5::Group ledger = file.create_group("ledger");
  std::vector<std::string> accounts = options.phased.accounts;
  if (accounts.empty()) accounts.assign(model.accounts().begin(), model.accounts().end());
  const std::vector<std::string> names = layout::object_names(accounts, "account");
  for (std::size_t i = 0; i < names.size(); ++i) {
    const h5::Dataset data =
        layout::described(ledger.create(names[i], {}), "J", "work since the start");
    data.set("index", static_cast<std::int64_t>(i));
    data.set("name", accounts[i]);
  }
  create_probes(file, model, options);
  create_timing(file);
  write_drawing(file, model);
  file.create_group("checkpoint");
}

void check_same_inputs(const h5::File& file, const std::string& path,
                       std::span<const InputFile> inputs) {
  const h5::Group provenance = file.group("provenance");
  if (!provenance.has("inputs")) return;
  const h5::Group list = provenance.group("inputs");
  for (const InputFile& input : inputs) {
    const std::string name = h5::escaped(input.entry);
    if (!list.has(name)) continue;
    const h5::Group entry = list.group(name);
    const auto size = static_cast<std::uint64_t>(entry.integer("size"));
    if (size == input.size && entry.text("fnv1a") == input.hash) continue;
    const std::string how =
        size == input.size
            ? "other bytes of the same length"
            : std::to_string(input.size) + " bytes, previously " + std::to_string(size) + " bytes";
    throw SceneError(input.entry, "has changed since the run in " + path + " (now " + how + ")",
                     "restore the old file, or run the scene from the start")
        .at(input.file, 0, 0);
  }
}

RowTable open_rows(const h5::File& file) {
  RowTable rows;
  const h5::Group step = file.group("step");
  const auto rows_held = [&] { return step.dataset("time").reals().size(); };  // not only declared
  for (const layout::StepColumn& column : layout::kStep) {
    if (!step.has(column.name)) {  // the file is older than the column
      h5::Dataset added = layout::described(step.create(column.name, {.type = column.type}),
                                            column.unit, column.description);
      added.append(std::span<const double>(std::vector<double>(rows_held())));
    }
    rows.add_column(step.dataset(column.name), column.type);
  }
  for (const layout::StepColumn& column : layout::kSubsteps)
    if (step.has(column.name)) rows.add_column(step.dataset(column.name), column.type);
  for (const char* name : {"ledger", "probes"}) {
    const h5::Group group = file.group(name);
    for (const std::string& column : layout::in_order(group))
      rows.add_column(group.dataset(column), h5::Type::real64);
  }
  if (!file.has("timing/step")) {  // the file is older than the table
    const std::vector<double> unknown(rows_held(), std::numeric_limits<double>::quiet_NaN());
    create_timing(file).append(std::span<const double>(unknown));
  }
  rows.add_column(file.dataset("timing/step"), h5::Type::real64);
  return rows;
}

RunStatistics read_statistics(const h5::File& file, std::size_t rows, std::size_t events) {
  const h5::Group step = file.group("step");
  std::vector<std::vector<double>> columns;
  const auto add_column = [&](const layout::StepColumn& column) {
    if (!step.has(column.name)) {  // the file is older than the column
      columns.emplace_back(rows, 0.0);
      return;
    }
    columns.push_back(step.dataset(column.name).reals(0, rows));
    if (column.type == h5::Type::int32)
      for (const double value : columns.back()) h5::whole(value, step.label() + "/" + column.name);
  };
  std::ranges::for_each(layout::kStep, add_column);
  if (step.has(layout::kSubsteps.front().name))
    std::ranges::for_each(layout::kSubsteps, add_column);
  RunStatistics statistics;
  std::vector<double> row(columns.size());
  for (std::size_t k = 0; k < rows; ++k) {
    for (std::size_t c = 0; c < columns.size(); ++c) row[c] = columns[c][k];
    add_step(row, statistics);
  }
  statistics.add(read_events(file, events));
  return statistics;
}

}  // namespace saltus

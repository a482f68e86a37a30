#include "saltus/io/frames.h"

#include "saltus/io/layout.h"

namespace saltus {
namespace {

h5::Table reals(std::size_t columns) {
  return {h5::Type::real64, columns, layout::frame_chunk(columns), 1};
}

void append_vector(std::vector<double>& out, const Vector& vector) {
  out.insert(out.end(), vector.begin(), vector.end());
}

}  // namespace

FrameTable FrameTable::create(const h5::File& file, const Model& model,
                              const FieldOptions& fields) {
  file.create_group("frames");
  layout::described(file.create("frames/time", reals(0)), "s", "time of each frame");
  layout::described(file.create("frames/step", {h5::Type::uint64, 0, 4096, 1}), "1",
                    "step of each frame");
  const h5::Group bodies = file.create_group("bodies");
  std::vector<std::string> names;
  for (const Group& group : model.groups()) names.push_back(group.name);
  names = layout::object_names(names, "body");
  for (std::size_t g = 0; g < names.size(); ++g) {
    const Group& group = model.groups()[g];
    const GroupState& initial = model.initial()[g];
    const h5::Group body = bodies.create_group(names[g]);
    body.set("index", static_cast<std::int64_t>(g));
    body.set("name", group.name);
    body.set("kind", group.kind);
    body.set("scheme", group.scheme ? group.scheme->name() : "");
    body.set("bodies", std::int64_t{group.dynamics ? group.dynamics->bodies() : 1});
    body.set("positions", static_cast<std::int64_t>(initial.q.size()));
    body.set("velocities", static_cast<std::int64_t>(initial.v.size()));
    file.link("frames/time", "bodies/" + names[g] + "/time");
    const auto q = static_cast<std::size_t>(initial.q.size());
    const auto v = static_cast<std::size_t>(initial.v.size());
    // A body without coordinates (it only follows a prescribed motion) has no columns to store.
    if (q)
      layout::described(body.create("q", reals(q)), "m, rad, 1", "configuration, one frame a row");
    if (v)
      layout::described(body.create("velocity", reals(v)), "m/s, rad/s",
                        "physical velocity, one frame a row");
    if (const auto shown = body_fields(group.dynamics, fields)) {
      shown->describe(body);
      for (const BodyFields::Column& column : shown->columns())
        layout::described(body.create(column.name, reals(column.width)), column.unit,
                          column.description + ", one frame a row");
    }
  }
  if (!model.joints().empty()) {
    const h5::Group joints = file.create_group("joints");
    names.clear();
    for (const Joint& joint : model.joints()) names.push_back(joint.name);
    names = layout::object_names(names, "joint");
    for (std::size_t i = 0; i < names.size(); ++i) {
      const h5::Group joint = joints.create_group(names[i]);
      joint.set("index", static_cast<std::int64_t>(i));
      joint.set("name", model.joints()[i].name);
      joint.set("kind", name_of(model.joints()[i].kind));
      layout::described(joint.create("force", reals(3)), "N",
                        "that the joint exerts on its second body, in space, mean of the step");
      layout::described(joint.create("torque", reals(3)), "N m",
                        "on its second body about the joint, in space, mean of the step");
    }
  }
  const h5::Group contacts = file.create_group("contacts");
  layout::described(contacts.create("offset", {h5::Type::uint64, 0, 4096, 1}), "1",
                    "contacts of frame k: rows offset[k] .. offset[k+1] - 1");
  layout::described(contacts.create("key", {h5::Type::uint64, 0, 4096, 1}), "1",
                    "row of /pairs with this key");
  layout::described(contacts.create("impulse", reals(3)), "N s",
                    "normal, first and second tangent");
  layout::described(contacts.create("moment", reals(3)), "N m s",
                    "of rolling friction about t1, t2, of spinning friction about n");
  contacts.dataset("offset").append(
      std::span<const std::uint64_t>(std::array<std::uint64_t, 1>{0}));
  return open(file, model, fields);
}

FrameTable FrameTable::open(const h5::File& file, const Model& model, const FieldOptions& fields) {
  FrameTable table;
  table.time_data_ = file.dataset("frames/time");
  table.step_data_ = file.dataset("frames/step");
  table.offset_data_ = file.dataset("contacts/offset");
  table.key_data_ = file.dataset("contacts/key");
  table.impulse_data_ = file.dataset("contacts/impulse");
  table.moment_data_ = file.dataset("contacts/moment");
  const h5::Group bodies = file.group("bodies");
  for (const std::string& name : layout::in_order(bodies)) {
    const h5::Group group = bodies.group(name);
    Body& body = table.bodies_.emplace_back();
    if (group.has("q")) body.q = group.dataset("q");
    if (group.has("velocity")) body.velocity = group.dataset("velocity");
    const std::size_t g = table.bodies_.size() - 1;
    if (g >= model.groups().size()) throw h5::Error(group.label() + ": no body of the scene");
    body.fields = body_fields(model.groups()[g].dynamics, fields);
    if (!body.fields) continue;
    for (const BodyFields::Column& column : body.fields->columns())
      body.field.push_back(group.has(column.name) ? group.dataset(column.name) : h5::Dataset());
    body.row.resize(body.field.size());
    body.field_waiting.resize(body.field.size());
  }
  if (file.has("joints")) {
    const h5::Group joints = file.group("joints");
    for (const std::string& name : layout::in_order(joints)) {
      const h5::Group group = joints.group(name);
      JointData& joint = table.joints_.emplace_back();
      joint.force = group.dataset("force");
      joint.torque = group.dataset("torque");
    }
  }
  table.written_ = table.time_data_.rows();
  table.contacts_ = table.key_data_.rows();
  return table;
}

void FrameTable::add(const State& state, std::span<const Vector> velocities,
                     std::span<const std::array<Vector3, 2>> joint_loads) {
  expects(state.groups.size() == bodies_.size() && velocities.size() == bodies_.size(),
          "FrameTable::add: one state and one velocity a group");
  expects(joint_loads.size() == joints_.size(), "FrameTable::add: one load a joint");
  time_.push_back(state.t);
  step_.push_back(state.step);
  for (std::size_t g = 0; g < bodies_.size(); ++g) {
    append_vector(bodies_[g].q_waiting, state.groups[g].q);
    append_vector(bodies_[g].velocity_waiting, velocities[g]);
    bytes_ += 8 * static_cast<std::size_t>(state.groups[g].q.size() + velocities[g].size());
    if (bodies_[g].fields) add_fields(bodies_[g], state.t, state.groups[g].q, velocities[g]);
  }
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    JointData& joint = joints_[i];
    joint.force_waiting.insert(joint.force_waiting.end(), joint_loads[i][0].begin(),
                               joint_loads[i][0].end());
    joint.torque_waiting.insert(joint.torque_waiting.end(), joint_loads[i][1].begin(),
                                joint_loads[i][1].end());
    bytes_ += 48;
  }
  add_contacts(state.contacts);
}

void FrameTable::add_fields(Body& body, double t, View q, View v) {
  for (std::vector<double>& row : body.row) row.clear();
  body.fields->sample(t, q, v, body.row);
  for (std::size_t i = 0; i < body.row.size(); ++i) {
    if (!body.field[i].is_open()) continue;
    body.field_waiting[i].insert(body.field_waiting[i].end(), body.row[i].begin(),
                                 body.row[i].end());
    bytes_ += 8 * body.row[i].size();
  }
}

void FrameTable::add_contacts(std::span<const ContactMemory> contacts) {
  for (const ContactMemory& contact : contacts) {
    key_.push_back(contact.key);
    impulse_.insert(impulse_.end(), contact.impulse.begin(), contact.impulse.end());
    moment_.insert(moment_.end(), contact.moment.begin(), contact.moment.end());
  }
  contacts_ += contacts.size();
  offset_.push_back(contacts_);
  bytes_ += 24 + 56 * contacts.size();
}

void FrameTable::drain() {
  time_data_.append(std::span<const double>(time_));
  step_data_.append(std::span<const std::uint64_t>(step_));
  for (Body& body : bodies_) {
    body.q.append(std::span<const double>(body.q_waiting));
    body.velocity.append(std::span<const double>(body.velocity_waiting));
    body.q_waiting.clear();
    body.velocity_waiting.clear();
    for (std::size_t i = 0; i < body.field.size(); ++i) {
      if (body.field[i].is_open())
        body.field[i].append(std::span<const double>(body.field_waiting[i]));
      body.field_waiting[i].clear();
    }
  }
  for (JointData& joint : joints_) {
    joint.force.append(std::span<const double>(joint.force_waiting));
    joint.torque.append(std::span<const double>(joint.torque_waiting));
    joint.force_waiting.clear();
    joint.torque_waiting.clear();
  }
  offset_data_.append(std::span<const std::uint64_t>(offset_));
  key_data_.append(std::span<const std::uint64_t>(key_));
  impulse_data_.append(std::span<const double>(impulse_));
  moment_data_.append(std::span<const double>(moment_));
  written_ += time_.size();
  time_.clear();
  step_.clear();
  offset_.clear();
  key_.clear();
  impulse_.clear();
  moment_.clear();
  bytes_ = 0;
}

void FrameTable::truncate(std::size_t frames) {
  expects(time_.empty(), "FrameTable::truncate with frames in memory");
  const std::vector<std::uint64_t> offset = offset_data_.counts();
  const auto shorten = [](h5::Dataset& data, std::size_t rows) {
    if (data.rows() < rows) throw h5::Error(data.label() + ": rows are missing");
    data.truncate(rows);
  };
  if (offset.size() <= frames) throw h5::Error(offset_data_.label() + ": rows are missing");
  contacts_ = offset[frames];
  shorten(time_data_, frames);
  shorten(step_data_, frames);
  shorten(offset_data_, frames + 1);
  shorten(key_data_, contacts_);
  shorten(impulse_data_, contacts_);
  shorten(moment_data_, contacts_);
  for (Body& body : bodies_) {
    if (body.q.is_open()) shorten(body.q, frames);
    if (body.velocity.is_open()) shorten(body.velocity, frames);
    for (h5::Dataset& field : body.field)
      if (field.is_open()) shorten(field, frames);
  }
  for (JointData& joint : joints_) {
    shorten(joint.force, frames);
    shorten(joint.torque, frames);
  }
  written_ = frames;
}

}  // namespace saltus

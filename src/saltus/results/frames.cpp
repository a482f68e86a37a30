#include "saltus/results/frames.h"

#include <zlib.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "saltus/results/layout.h"

namespace saltus {
namespace {

void put(h5::Dataset& data, const auto& values) {
  if (data.is_open()) data.append(std::span(values));
}

void insert(std::vector<double>& out, const auto& x) {
  out.insert(out.end(), x.data(), x.data() + x.size());
}

void drop_last(std::vector<double>& x, Eigen::Index count) { x.erase(x.end() - count, x.end()); }

void move_last(std::vector<double>& from, Eigen::Index count, std::vector<double>& to) {
  to.insert(to.end(), from.end() - count, from.end());
  drop_last(from, count);
}

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

/// Returns the number of bytes.
std::size_t insert_angles(const State& state, std::span<const JointAngle> angles,
                          std::vector<double>& out) {
  for (const JointAngle& of : angles) {
    const std::vector<double>& known = state.groups[static_cast<std::size_t>(of.group)].angles;
    const auto slot = static_cast<std::size_t>(of.slot);
    out.push_back(slot < known.size() ? known[slot] : kUnknown);
  }
  return 8 * angles.size();
}

void shorten(h5::Dataset& data, std::size_t rows) {
  if (data.rows() < rows) throw h5::Error(data.label() + ": rows are missing");
  data.truncate(rows);
}

}  // namespace

FrameTable::Waiting FrameTable::room() const {
  Waiting room;
  room.joints.resize(joints_.size());
  for (const FrameBody& data : bodies_) room.bodies.emplace_back().field.resize(data.field.size());
  return room;
}

void FrameTable::add(const State& state, std::span<const Vector> velocities,
                     std::span<const std::array<Vector3, 2>> joint_loads,
                     std::span<const ContactView> contacts, std::span<const SeenContact> seen) {
  expects(state.groups.size() == bodies_.size() && velocities.size() == bodies_.size(),
          "FrameTable::add: one state and one velocity per group");
  expects(seen.empty() || seen.size() == contacts.size(), "FrameTable::add: one row per contact");
  expects(joint_loads.size() == joints_.size(), "FrameTable::add: one load per joint");
  waiting_.time.push_back(state.t);
  waiting_.step.push_back(state.step);
  for (std::size_t g = 0; g < bodies_.size(); ++g) {
    Waiting::Body& body = waiting_.bodies[g];
    bodies_[g].add(state.t, state.groups[g].q, velocities[g], body.q, body.velocity);
    bytes_ += 8 * static_cast<std::size_t>(bodies_[g].positions + bodies_[g].velocities);
    if (bodies_[g].fields && !bodies_[g].fields->later())
      bytes_ += add_fields(bodies_[g], body.field, state.t, state.groups[g].q, velocities[g]);
  }
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    insert(waiting_.joints[i].force, joint_loads[i][0]);
    insert(waiting_.joints[i].torque, joint_loads[i][1]);
    bytes_ += 48;
    if (joints_[i].angle.is_open())
      bytes_ += insert_angles(state, joints_[i].angles, waiting_.joints[i].angle);
  }
  bytes_ += add_step(state);
  if (!holds_contacts_)
    end_contacts(0);
  else if (contacts.empty())
    add_contacts(state.contacts);
  else
    add_contacts(contacts, seen);
}

void FrameBody::add(double t, View at, View rates, std::vector<double>& to_q,
                    std::vector<double>& to_v) {
  if (!all) {
    insert(to_q, at);
    insert(to_v, rates);
    return;
  }
  values.resize(all->count());
  all->values(t, at, values);
  insert(to_q, values);
  all->rates(t, at, rates, values);
  insert(to_v, values);
}

void FrameBody::enter(std::shared_ptr<const Dynamics> body, FieldOptions options) {
  options.whole = whole;
  dynamics = std::move(body);
  fields = body_fields(dynamics, options);
  if (whole) all = all_dofs(*dynamics);
}

void FrameTable::enter(const Model& model, const FieldOptions& fields) {
  expects(model.groups().size() == bodies_.size() && model.joints().size() == joints_.size(),
          "FrameTable::enter: the same groups and joints");
  near_ = near(model);
  for (std::size_t g = 0; g < bodies_.size(); ++g)
    bodies_[g].enter(model.groups()[g].dynamics, fields);
}

void FrameTable::begin_step(std::span<const GroupState> start) {
  expects(start.size() == bodies_.size(), "FrameTable::begin_step: one start per group");
  for (std::size_t g = 0; g < bodies_.size(); ++g) {
    const FrameBody& data = bodies_[g];
    Waiting::Body& body = waiting_.bodies[g];
    if (data.q0.is_open()) {
      if (begun_) drop_last(body.q0, data.positions);  // that step failed
      insert(body.q0, start[g].q);
    }
    if (data.v0.is_open()) {
      if (begun_) drop_last(body.v0, data.velocities);
      insert(body.v0, start[g].v);
    }
  }
  begun_ = true;
}

/// Returns the number of bytes added.
std::size_t FrameTable::add_step(const State& state) {
  std::size_t bytes = 0;
  for (std::size_t g = 0; g < bodies_.size(); ++g) {
    const FrameBody& data = bodies_[g];
    Waiting::Body& body = waiting_.bodies[g];
    const auto q = static_cast<std::size_t>(data.positions),
               v = static_cast<std::size_t>(data.velocities);
    if (!begun_ && data.q0.is_open()) body.q0.insert(body.q0.end(), q, kUnknown);
    if (!begun_ && data.v0.is_open()) body.v0.insert(body.v0.end(), v, kUnknown);
    if (data.v1.is_open()) insert(body.v1, state.groups[g].v);
    bytes += 8 * (data.q0.is_open() ? q : 0) + 8 * (data.v0.is_open() ? v : 0) +
             8 * (data.v1.is_open() ? v : 0);
  }
  begun_ = false;
  return bytes;
}

/// Returns the number of bytes added.
std::size_t FrameTable::add_fields(FrameBody& body, std::vector<std::vector<double>>& waiting,
                                   double t, View q, View v) {
  std::size_t bytes = 0;
  for (std::vector<double>& row : body.row) row.clear();
  body.fields->sample(t, q, v, body.row);
  for (std::size_t i = 0; i < body.row.size(); ++i) {
    if (!body.field[i].is_open()) continue;
    waiting[i].insert(waiting[i].end(), body.row[i].begin(), body.row[i].end());
    bytes += 8 * body.row[i].size();
  }
  return bytes;
}

void FrameTable::add_contact(std::uint64_t key, const Vector3& impulse, const Vector3& moment) {
  waiting_.key.push_back(key);
  insert(waiting_.impulse, impulse);
  insert(waiting_.moment, moment);
}

void FrameTable::end_contacts(std::size_t count) {
  contacts_ += count;
  waiting_.offset.push_back(contacts_);
  bytes_ += 24 + 284 * count;
}

void FrameTable::add_rows(const SeenContact& contact) {
  for (const Vector3& t : contact.tangent) insert(waiting_.tangent, t);
  insert(waiting_.carried, contact.carried);
  const std::array sides{contact.view.a.group, contact.view.b.group};
  for (std::size_t s = 0; s < 2; ++s) {
    insert(waiting_.local, sides[s] < 0 ? contact.place[s] : contact.at[s].local);
    waiting_.feature.push_back(contact.at[s].feature);
  }
}

void FrameTable::add_no_rows() {
  waiting_.tangent.insert(waiting_.tangent.end(), 6, kUnknown);
  waiting_.local.insert(waiting_.local.end(), 6, kUnknown);
  waiting_.carried.insert(waiting_.carried.end(), 3, kUnknown);
  waiting_.feature.insert(waiting_.feature.end(), 2, -1);
}

void FrameTable::add_contacts(std::span<const ContactMemory> contacts) {
  const Vector3 unknown = Vector3::Constant(std::numeric_limits<double>::quiet_NaN());
  for (const ContactMemory& contact : contacts) {
    add_contact(contact.key, contact.impulse, contact.moment);
    for (std::vector<double>* x : {&waiting_.point, &waiting_.normal, &waiting_.force})
      insert(*x, unknown);
    waiting_.gap.push_back(unknown.x());
    waiting_.status.push_back(-1);
    waiting_.body.insert(waiting_.body.end(), 4, -1);
    add_no_rows();
  }
  end_contacts(contacts.size());
}

// Adds contacts that carry an impulse, and open ones with a small gap.
void FrameTable::add_contacts(std::span<const ContactView> contacts,
                              std::span<const SeenContact> seen) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const ContactView& c = contacts[i];
    if (c.status == ContactView::Status::open && !(c.gap <= near_)) continue;
    ++count;
    add_contact(c.key, c.impulse, c.moment);
    insert(waiting_.point, c.point);
    insert(waiting_.normal, c.normal);
    insert(waiting_.force, c.force);
    waiting_.gap.push_back(c.gap);
    waiting_.status.push_back(static_cast<std::int32_t>(c.status));
    waiting_.body.insert(waiting_.body.end(), {c.a.group, c.a.body, c.b.group, c.b.body});
    if (seen.empty() || seen[i].placed)  // contacts of a fixed island: /pairs contains their points
      add_no_rows();
    else
      add_rows(seen[i]);
  }
  end_contacts(count);
}

void FrameTable::Waiting::clear() {
  for (std::vector<double>* x :
       {&time, &impulse, &moment, &point, &normal, &force, &gap, &tangent, &local, &carried})
    x->clear();
  for (std::vector<std::uint64_t>* x : {&step, &offset, &key}) x->clear();
  for (std::vector<std::int32_t>* x : {&status, &this->body, &feature}) x->clear();
  for (Body& b : bodies) {
    for (std::vector<double>* x : {&b.q, &b.velocity, &b.q0, &b.v0, &b.v1}) x->clear();
    for (std::vector<double>& field : b.field) field.clear();
  }
  for (Joint& j : joints) {
    j.force.clear();
    j.torque.clear();
    j.angle.clear();
  }
}

void FrameTable::hand_over(Waiting& other) {
  std::swap(waiting_, other);
  // their frame is in the next portion
  for (std::size_t g = 0; begun_ && g < bodies_.size(); ++g) {
    const FrameBody& data = bodies_[g];
    if (data.q0.is_open()) move_last(other.bodies[g].q0, data.positions, waiting_.bodies[g].q0);
    if (data.v0.is_open()) move_last(other.bodies[g].v0, data.velocities, waiting_.bodies[g].v0);
  }
  given_ += other.time.size();
  bytes_ = 0;
}

void FrameTable::add_later_fields(FrameBody& body, Waiting::Body& waiting,
                                  std::span<const double> time) {
  const auto frames = std::ssize(time);
  body.fields->sample_frames(
      time, Eigen::Map<const Matrix>(waiting.q.data(), body.positions, frames),
      Eigen::Map<const Matrix>(waiting.velocity.data(), body.velocities, frames), waiting.field);
}

void FrameTable::write(Waiting& w) {
  for (std::size_t g = 0; g < bodies_.size(); ++g) {
    FrameBody& body = bodies_[g];
    if (body.fields && body.fields->later() &&
        std::ranges::any_of(body.field, &h5::Dataset::is_open))  // a file stores them
      add_later_fields(body, w.bodies[g], w.time);
  }
  if (crc_data_.is_open()) crc_data_.append(sums_of(w));
  put(time_data_, w.time);
  put(step_data_, w.step);
  for (std::size_t g = 0; g < bodies_.size(); ++g) {
    FrameBody& body = bodies_[g];
    put(body.q, w.bodies[g].q);
    put(body.velocity, w.bodies[g].velocity);
    put(body.q0, w.bodies[g].q0);
    put(body.v0, w.bodies[g].v0);
    put(body.v1, w.bodies[g].v1);
    for (std::size_t i = 0; i < body.field.size(); ++i) put(body.field[i], w.bodies[g].field[i]);
  }
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    put(joints_[i].force, w.joints[i].force);
    put(joints_[i].torque, w.joints[i].torque);
    put(joints_[i].angle, w.joints[i].angle);
  }
  FrameContacts& of = contact_data_;
  put(of.offset, w.offset), put(of.key, w.key);
  h5::Dataset* const columns[] = {&of.impulse, &of.moment,  &of.point, &of.normal, &of.force,
                                  &of.gap,     &of.tangent, &of.local, &of.carried};
  std::vector<double>* const reals[] = {&w.impulse, &w.moment,  &w.point, &w.normal, &w.force,
                                        &w.gap,     &w.tangent, &w.local, &w.carried};
  for (std::size_t i = 0; i < std::size(columns); ++i) put(*columns[i], *reals[i]);
  put(of.status, w.status);
  put(of.body, w.body);
  put(of.feature, w.feature);
  w.clear();
}

// For each body q, velocity, q0, v0, v1; for the contacts impulse, moment, normal, tangent; for
// each joint force, torque: the bytes of those that the file has, in this order.
std::vector<std::uint64_t> FrameTable::sums_of(const Waiting& w) const {
  std::vector<std::uint64_t> sums;
  const std::uint64_t first = w.offset.empty() ? 0 : w.offset.back() - w.key.size();
  std::size_t from = 0;
  for (std::size_t k = 0; k < w.time.size(); ++k) {
    uLong sum = 0;
    const auto add = [&](const auto& x, std::size_t begin, std::size_t count) {
      if (count > 0)
        sum = crc32_z(sum, reinterpret_cast<const Bytef*>(x.data() + begin), 8 * count);
    };
    for (std::size_t g = 0; g < bodies_.size(); ++g) {
      const FrameBody& data = bodies_[g];
      const Waiting::Body& body = w.bodies[g];
      const auto q = static_cast<std::size_t>(data.positions),
                 v = static_cast<std::size_t>(data.velocities);
      add(body.q, k * q, q);
      add(body.velocity, k * v, v);
      if (data.q0.is_open()) add(body.q0, k * q, q);
      if (data.v0.is_open()) add(body.v0, k * v, v);
      if (data.v1.is_open()) add(body.v1, k * v, v);
    }
    const auto to = static_cast<std::size_t>(w.offset[k] - first);
    add(w.impulse, 3 * from, 3 * (to - from));
    add(w.moment, 3 * from, 3 * (to - from));
    add(w.normal, 3 * from, 3 * (to - from));
    add(w.tangent, 6 * from, 6 * (to - from));
    from = to;
    for (const Waiting::Joint& joint : w.joints) {
      add(joint.force, 3 * k, 3);
      add(joint.torque, 3 * k, 3);
    }
    sums.push_back(sum);
  }
  return sums;
}

void FrameTable::truncate(std::size_t frames) {
  expects(waiting_.time.empty(), "FrameTable::truncate with frames in memory");
  const std::vector<std::uint64_t> offset = contact_data_.offset.counts();
  if (offset.size() <= frames) throw h5::Error(contact_data_.offset.label() + ": rows are missing");
  contacts_ = offset[frames];
  shorten(time_data_, frames);
  shorten(step_data_, frames);
  if (crc_data_.is_open()) shorten(crc_data_, frames);
  FrameContacts& of = contact_data_;
  shorten(of.offset, frames + 1);
  for (h5::Dataset* column :
       {&of.key, &of.impulse, &of.moment, &of.point, &of.normal, &of.force, &of.gap, &of.status,
        &of.body, &of.tangent, &of.local, &of.carried, &of.feature})
    if (column->is_open()) shorten(*column, contacts_);
  for (FrameBody& body : bodies_) {
    for (h5::Dataset* column : {&body.q, &body.velocity, &body.q0, &body.v0, &body.v1})
      if (column->is_open()) shorten(*column, frames);
    for (h5::Dataset& field : body.field)
      if (field.is_open()) shorten(field, frames);
  }
  for (FrameJoint& joint : joints_)
    for (h5::Dataset* column : {&joint.force, &joint.torque, &joint.angle})
      if (column->is_open()) shorten(*column, frames);
  given_ = frames;
}

}  // namespace saltus

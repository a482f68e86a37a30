// Creates the tables of frames in a new results file, and opens them in a resumed one.
#include "saltus/results/frames.h"

#include <nlohmann/json.hpp>
#include <tuple>

#include "saltus/results/layout.h"

namespace saltus {
namespace {

h5::Table reals(std::size_t columns) {
  return {h5::Type::real64, columns, layout::frame_chunk(columns), 1};
}

/// Full-precision numbers are stored uncompressed: compression takes longer than many a step. (The
/// state of a string shrinks to half its size, that of a pile hardly at all.)
h5::Table noise(std::size_t columns) {
  return {h5::Type::real64, columns, layout::frame_chunk(columns), 0};
}

void create_contacts(const h5::File& file, const std::vector<std::string>& fixed) {
  const h5::Group contacts = file.create_group("contacts");
  const auto put = [&](const char* name, h5::Table table, const char* unit, const char* text) {
    layout::described(contacts.create(name, table), unit, text);
  };
  const h5::Table count{h5::Type::uint64, 0, 4096, 1};
  put("offset", count, "1", "contacts of frame k: rows offset[k] .. offset[k+1] - 1");
  put("key", count, "1", "row of /pairs with this key");
  put("impulse", noise(3), "N s", "normal, first and second tangent");
  put("moment", reals(3), "N m s", "rolling friction about t1, t2, spinning friction about n");
  put("point", noise(3), "m", "midway between the points of a and b");
  put("normal", noise(3), "1", "unit vector from b to a");
  put("force", noise(3), "N", "on a, in space, mean over the step");
  put("gap", noise(0), "m", "negative: penetration");
  put("status", {h5::Type::int32, 0, 4096, 1}, "1",
      "0 open, 1 slides, 2 sticks, 3 closed without friction, -1 unknown");
  put("body", {h5::Type::int32, 4, 4096, 1}, "1",
      "index of a in /bodies, body in its group, likewise for b; -1: the fixed world, and number "
      "of the fixed body");
  put("tangent", noise(6), "1", "directions t1 and t2 of the impulse; 0 if there is none");
  put("local", noise(6), "m",
      "points of a and b in the frames of their bodies, or the coordinates that their kind uses; "
      "points of the world in space");
  put("carried", noise(3), "m/s^2",
      "change of the relative velocity by the travel of the contact along the surfaces, in space");
  put("feature", {h5::Type::int32, 2, 4096, 1}, "1", "node, face or element of a and of b");
  if (!fixed.empty()) contacts.write("fixed", nlohmann::json(fixed).dump());
  contacts.dataset("offset").append(
      std::span<const std::uint64_t>(std::array<std::uint64_t, 1>{0}));
}

/// Throws if rows have another length than expected.
h5::Dataset table_of(const h5::Group& group, const std::string& name, std::size_t columns) {
  h5::Dataset data = group.dataset(name);
  data.expect_columns(columns);
  return data;
}

/// For a file that may be older than the table; then nothing is written.
h5::Dataset newer_table_of(const h5::Group& group, const std::string& name, std::size_t columns) {
  return group.has(name) ? table_of(group, name, columns) : h5::Dataset();
}

/// The angles of a joint, by coordinate.
std::vector<JointAngle> angles_of(const Model& model, std::size_t joint) {
  std::vector<JointAngle> found;
  std::ranges::copy_if(model.angles(), std::back_inserter(found),
                       [&](const JointAngle& of) { return of.joint == static_cast<int>(joint); });
  return found;
}

/// Creates the tables of the step that ends at each frame.
void create_step(const h5::Group& body, std::size_t q, std::size_t v, bool shifted) {
  const h5::Group step = body.create_group("step");
  const auto put = [&](const char* name, std::size_t columns, const char* unit, const char* text) {
    layout::described(step.create(name, noise(columns)), unit, text);
  };
  if (q) put("q0", q, "m, rad, 1", "configuration at the start of the step, one row per frame");
  if (v) put("v0", v, "m/s, rad/s", "velocity there as stored by the scheme");
  if (v && shifted) put("v1", v, "m/s, rad/s", "velocity at its end as stored by the scheme");
}

bool is_whole(std::span<const char> whole, std::size_t g) {
  return g < whole.size() && whole[g] != 0;
}

/// Positions and velocities of a group in a frame.
std::pair<Eigen::Index, Eigen::Index> counts_of(const Model& model, std::size_t g, bool whole) {
  const GroupState& initial = model.initial()[g];
  if (!whole) return {initial.q.size(), initial.v.size()};
  const int count = all_dofs(*model.groups()[g].dynamics)->count();
  return {count, count};
}

std::unique_ptr<BodyFields> fields_of_group(const Model& model, std::size_t g, FieldOptions options,
                                            bool whole) {
  options.whole = whole;
  return body_fields(model.groups()[g].dynamics, options);
}

}  // namespace

FrameTable FrameTable::create(const h5::File& file, const Model& model, const FieldOptions& fields,
                              bool contacts, std::span<const char> whole) {
  file.create_group("frames");
  layout::described(file.create("frames/time", reals(0)), "s", "time of each frame");
  layout::described(file.create("frames/step", {h5::Type::uint64, 0, 4096, 1}), "1",
                    "step of each frame");
  layout::described(file.create("frames/crc32", {h5::Type::uint64, 0, 4096, 1}), "1",
                    "CRC-32 of the states, contacts and joints in the frame");
  const h5::Group bodies = file.create_group("bodies");
  std::vector<std::string> names;
  for (const Group& group : model.groups()) names.push_back(group.name);
  names = layout::object_names(names, "body");
  std::vector<std::unique_ptr<BodyFields>> shown;
  for (std::size_t g = 0; g < names.size(); ++g) {
    const Group& group = model.groups()[g];
    const bool all = is_whole(whole, g);
    const auto [positions, velocities] = counts_of(model, g, all);
    const h5::Group body = bodies.create_group(names[g]);
    body.set("index", static_cast<std::int64_t>(g));
    body.set("name", group.name);
    body.set("kind", group.kind);
    body.set("scheme", group.scheme ? group.scheme->name() : "");
    body.set("bodies", std::int64_t{group.dynamics ? group.dynamics->bodies() : 1});
    body.set("positions", static_cast<std::int64_t>(positions));
    body.set("velocities", static_cast<std::int64_t>(velocities));
    file.link("frames/time", "bodies/" + names[g] + "/time");
    if (!group.bodies.empty()) body.write("names", nlohmann::json(group.bodies).dump());
    const auto q = static_cast<std::size_t>(positions), v = static_cast<std::size_t>(velocities);
    // A body without coordinates (only prescribed motion) has no columns.
    if (q)
      layout::described(body.create("q", noise(q)), "m, rad, 1",
                        "configuration, one row per frame");
    if (v)
      layout::described(body.create("velocity", noise(v)), "m/s, rad/s",
                        "physical velocity, one row per frame");
    if (contacts && (q || v) && !all)
      create_step(body, q, v, group.scheme && group.scheme->velocity_at() != 1.0);
    shown.push_back(fields_of_group(model, g, fields, all));
    if (const BodyFields* const of = shown.back().get()) {
      of->describe(body);
      for (const BodyFields::Column& column : of->columns()) {
        if (!column.stored) continue;
        layout::described(
            body.create(column.name, of->later() ? noise(column.width) : reals(column.width)),
            column.unit, column.description + ", one row per frame");
      }
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
                        "exerted by the joint on its second body, in space, mean over the step");
      layout::described(joint.create("torque", reals(3)), "N m",
                        "on its second body about the joint, in space, mean over the step");
      if (const std::size_t count = angles_of(model, i).size(); count > 0)
        layout::described(joint.create("angle", reals(count)), "rad",
                          "its coordinates that are angles, over any number of turns");
    }
  }
  create_contacts(file, model.surfaces().fixed_names);
  return open(file, model, std::move(shown), contacts, whole);
}

FrameTable FrameTable::open(const h5::File& file, const Model& model, const FieldOptions& fields,
                            bool contacts, std::span<const char> whole) {
  std::vector<std::unique_ptr<BodyFields>> shown;
  for (std::size_t g = 0; g < model.groups().size(); ++g)
    shown.push_back(fields_of_group(model, g, fields, is_whole(whole, g)));
  return open(file, model, std::move(shown), contacts, whole);
}

FrameTable FrameTable::open(const h5::File& file, const Model& model,
                            std::vector<std::unique_ptr<BodyFields>> shown, bool contacts,
                            std::span<const char> whole) {
  FrameTable table;
  table.holds_contacts_ = contacts;
  const h5::Group frames = file.group("frames");
  table.time_data_ = table_of(frames, "time", 1);
  table.step_data_ = table_of(frames, "step", 1);
  table.crc_data_ = newer_table_of(frames, "crc32", 1);
  const h5::Group found = file.group("contacts");
  FrameContacts& of = table.contact_data_;
  of.offset = table_of(found, "offset", 1);
  of.key = table_of(found, "key", 1);
  of.impulse = table_of(found, "impulse", 3);
  of.moment = table_of(found, "moment", 3);
  of.point = newer_table_of(found, "point", 3);
  of.normal = newer_table_of(found, "normal", 3);
  of.force = newer_table_of(found, "force", 3);
  of.gap = newer_table_of(found, "gap", 1);
  of.status = newer_table_of(found, "status", 1);
  of.body = newer_table_of(found, "body", 4);
  of.tangent = newer_table_of(found, "tangent", 6);
  of.local = newer_table_of(found, "local", 6);
  of.carried = newer_table_of(found, "carried", 3);
  of.feature = newer_table_of(found, "feature", 2);
  table.near_ = near(model);
  const h5::Group bodies = file.group("bodies");
  for (const std::string& name : layout::in_order(bodies)) {
    const h5::Group group = bodies.group(name);
    FrameBody& body = table.bodies_.emplace_back();
    const std::size_t g = table.bodies_.size() - 1;
    if (g >= model.groups().size()) throw h5::Error(group.label() + ": is not a body of the scene");
    body.whole = is_whole(whole, g);
    std::tie(body.positions, body.velocities) = counts_of(model, g, body.whole);
    if (body.whole) {
      body.dynamics = model.groups()[g].dynamics;
      body.all = all_dofs(*body.dynamics);
    }
    const auto q = static_cast<std::size_t>(body.positions),
               v = static_cast<std::size_t>(body.velocities);
    body.q = newer_table_of(group, "q", q);
    body.velocity = newer_table_of(group, "velocity", v);
    if (group.has("step")) {
      const h5::Group step = group.group("step");
      body.q0 = newer_table_of(step, "q0", q);
      body.v0 = newer_table_of(step, "v0", v);
      body.v1 = newer_table_of(step, "v1", v);
    }
    body.fields = std::move(shown[g]);
    if (!body.fields) continue;
    for (const BodyFields::Column& column : body.fields->columns())
      body.field.push_back(
          newer_table_of(group, column.name, std::max<std::size_t>(column.width, 1)));
    body.row.resize(body.field.size());
  }
  if (file.has("joints")) {
    const h5::Group joints = file.group("joints");
    for (const std::string& name : layout::in_order(joints)) {
      const h5::Group group = joints.group(name);
      FrameJoint& joint = table.joints_.emplace_back();
      joint.force = table_of(group, "force", 3);
      joint.torque = table_of(group, "torque", 3);
      joint.angles = angles_of(model, table.joints_.size() - 1);
      if (!joint.angles.empty()) joint.angle = newer_table_of(group, "angle", joint.angles.size());
    }
  }
  if (table.bodies_.size() != model.groups().size())
    throw h5::Error(bodies.label() + ": bodies of the scene are missing");
  if (table.joints_.size() != model.joints().size())
    throw h5::Error(file.label() + ": joints of the scene are missing");
  table.waiting_ = table.room();
  table.given_ = table.time_data_.rows();
  table.contacts_ = of.key.rows();
  return table;
}

}  // namespace saltus

#include "saltus/view/view_file.h"

#include <algorithm>
#include <climits>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "saltus/results/layout.h"
#include "saltus/results/mesh_table.h"
#include "saltus/results/whole_number.h"

namespace saltus {

/// Consecutive rows of a table in memory.
struct ViewFile::Block {
  h5::Dataset data;
  std::size_t columns = 1, rows = 0;  ///< size of the table
  std::size_t first = 0, count = 0;   ///< rows in memory
  std::vector<double> values;
  /// for a mesh reduced to its modes: mode shapes (the table is q), and the displacement of one row
  std::vector<double> shapes, moved;
};

namespace {

std::size_t rows_of(const h5::Group& group, const std::string& table) {
  return group.has(table) ? group.dataset(table).rows() : 0;
}

/// A cube with edges of length 2.
ViewShape marker_cube() {
  ViewShape cube;
  cube.kind = ViewShape::Kind::mesh;
  for (int i = 0; i < 8; ++i)
    for (int a = 0; a < 3; ++a) cube.points.push_back(i >> a & 1 ? 1.0 : -1.0);
  cube.triangles = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                    2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
  cube.edges = {0, 1, 2, 3, 4, 5, 6, 7, 0, 2, 1, 3, 4, 6, 5, 7, 0, 4, 1, 5, 2, 6, 3, 7};
  return cube;
}

template <std::size_t N>
std::array<double, N> part_of(const std::vector<double>& values, std::size_t row) {
  std::array<double, N> part{};
  std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(N * row), N, part.begin());
  return part;
}

/// A JSON list of texts.
std::vector<std::string> names_of_members(const h5::Dataset& data) {
  const auto json = nlohmann::json::parse(data.text(), nullptr, false);
  std::vector<std::string> names;
  if (!json.is_array()) throw h5::Error(data.label() + ": is not a list of names");
  for (const auto& name : json) names.push_back(name.is_string() ? name.get<std::string>() : "");
  return names;
}

std::vector<std::uint32_t> point_numbers(const h5::Dataset& data, std::size_t points) {
  std::vector<std::uint32_t> numbers;
  for (std::int32_t i : data.integers()) {
    if (i < 0 || static_cast<std::size_t>(i) >= points)
      throw h5::Error(data.label() + ": unknown point");
    numbers.push_back(static_cast<std::uint32_t>(i));
  }
  return numbers;
}

}  // namespace

ViewFile::~ViewFile() = default;

ViewFile::ViewFile(const ResultsReader& results) : results_(results) {
  try {
    const h5::File& file = results.hdf5();
    read_bodies();
    read_drawing();
    read_marks();
    time_ = results.frame_times();
    step_ = file.dataset("frames/step").counts();
    read_contact_tables();
    // after a run that was killed while writing: the frames that all tables contain
    std::size_t count = std::min(time_.size(), step_.size());
    if (!offset_.empty()) count = std::min(count, offset_.size() - 1);
    for (std::size_t b = 0; b < scene_.bodies.size(); ++b) {
      const h5::Group group = file.group("bodies/" + results.bodies()[b].name);
      for (const char* table :
           {"q", "displacement", "von_mises", "centre", "deformation", "place", "rotation"})
        if (group.has(table)) count = std::min(count, rows_of(group, table));
    }
    time_.resize(count);
    step_.resize(count);
    read_markers();
  } catch (const h5::Error& error) {
    layout::damaged(results.file(), error);
  }
}

void ViewFile::read_bodies() {
  for (const BodyColumn& column : results_.bodies()) {
    const h5::Group group = results_.hdf5().group("bodies/" + column.name);
    ViewBody& body = scene_.bodies.emplace_back();
    body.name = group.text("name");
    body.kind = column.kind;
    body.scheme = column.scheme;
    std::size_t most = std::max<std::size_t>(1, column.positions);
    for (const char* table : {"place", "centre"})
      if (group.has(table)) most = std::max(most, group.dataset(table).columns());
    const std::int64_t members = group.integer("bodies");
    if (members < 0 || static_cast<std::uint64_t>(members) > std::min<std::size_t>(most, INT_MAX))
      throw h5::Error(group.label() + ": has more members than coordinates");
    body.members = static_cast<int>(members);
    if (group.has("names")) body.names = names_of_members(group.dataset("names"));
    if (group.has("q")) {
      body.positions = column.positions;
      group.dataset("q").expect_columns(column.positions);
    }
    if (column.nodes && (group.has("displacement") || group.has("shapes"))) {
      body.mesh = std::make_shared<const Mesh>(results_.mesh(column.name));
      body.stress = group.has("von_mises");
    } else if (group.has("line") && group.has("displacement")) {
      body.line = group.dataset("line/points").reals();
    }
    body.affine = group.has("centre") && group.has("deformation");
    body.placed = group.has("place") && group.has("rotation");
  }
}

void ViewFile::read_drawing() {
  read_joints();
  if (!results_.hdf5().has("drawing")) return;
  const h5::Group drawing = results_.hdf5().group("drawing"), shapes = drawing.group("shapes");
  for (const std::string& name : layout::in_order(shapes)) {
    const h5::Group group = shapes.group(name);
    const std::string kind = group.text("kind");
    ViewShape& shape = scene_.shapes.emplace_back();
    if (kind == "sphere") continue;
    if (kind != "plane" && kind != "mesh")
      throw h5::Error(group.label() + ": unknown kind of shape '" + kind + "'");
    shape.kind = kind == "plane" ? ViewShape::Kind::plane : ViewShape::Kind::mesh;
    if (kind == "plane") continue;
    shape.points = group.dataset("points").reals();
    const std::size_t points = shape.points.size() / 3;
    shape.triangles = point_numbers(group.dataset("triangles"), points);
    if (group.has("edges")) shape.edges = point_numbers(group.dataset("edges"), points);
  }
  if (drawing.has("lines")) read_lines(drawing.group("lines"));
  scene_.fixed_names = results_.fixed_bodies();
  if (drawing.has("colours")) read_colours(drawing.dataset("colours").integers());
  const h5::Group table = drawing.group("instances");
  const std::vector<std::int32_t> shape = table.dataset("shape").integers(),
                                  body = table.dataset("body").integers();
  const std::vector<double> place = table.dataset("place").reals(),
                            rotation = table.dataset("rotation").reals(),
                            scale = table.dataset("scale").reals();
  const std::size_t n = shape.size();
  if (body.size() != 2 * n || place.size() != 3 * n || rotation.size() != 4 * n ||
      scale.size() != 3 * n)
    throw h5::Error(table.label() + ": the columns do not match");
  for (std::size_t i = 0; i < n; ++i) {
    const bool world = body[2 * i] < 0;
    const int member = world ? std::max(body[2 * i + 1], 0) : body[2 * i + 1];
    if (shape[i] < 0 || static_cast<std::size_t>(shape[i]) >= scene_.shapes.size() ||
        (!world && (static_cast<std::size_t>(body[2 * i]) >= scene_.bodies.size() || member < 0 ||
                    member >= scene_.bodies[static_cast<std::size_t>(body[2 * i])].members)))
      throw h5::Error(table.label() + ": refers to a shape or body that does not exist");
    scene_.instances.push_back({shape[i], world ? -1 : body[2 * i], member, part_of<3>(place, i),
                                part_of<4>(rotation, i), part_of<3>(scale, i)});
  }
}

/// rows: body, member, colour.
void ViewFile::read_colours(const std::vector<std::int32_t>& rows) {
  for (std::size_t i = 0; i + 2 < rows.size(); i += 3) {
    const bool world = rows[i] < 0;
    if (!world && static_cast<std::size_t>(rows[i]) >= scene_.bodies.size()) continue;
    ViewBody* const body = world ? nullptr : &scene_.bodies[static_cast<std::size_t>(rows[i])];
    std::vector<int>& colours = world ? scene_.fixed_colours : body->colours;
    const std::size_t members =
        world ? scene_.fixed_names.size() : static_cast<std::size_t>(body->members);
    const auto member = static_cast<std::size_t>(std::max(rows[i + 1], 0));
    if (member >= members) continue;
    colours.resize(members, -1);
    colours[member] = rows[i + 2];
  }
}

void ViewFile::read_joints() {
  if (!results_.hdf5().has("joints")) return;
  const h5::Group joints = results_.hdf5().group("joints");
  for (const std::string& name : layout::in_order(joints)) {
    const h5::Group group = joints.group(name);
    ViewJoint& joint = scene_.joints.emplace_back();
    joint.name = group.text("name");
    joint.kind = group.text("kind");
    if (!group.has_attribute("broken_at")) continue;
    const double at = group.real("broken_at");
    if (std::isfinite(at)) joint.broken = at;
  }
  if (!results_.hdf5().has("drawing/joints")) return;
  const h5::Group table = results_.hdf5().group("drawing/joints");
  const std::vector<std::int32_t> body = table.dataset("body").integers(),
                                  acts = table.dataset("acts").integers();
  const std::vector<double> place = table.dataset("place").reals(),
                            axes = table.dataset("axes").reals();
  const std::size_t n = scene_.joints.size();
  if (body.size() != 4 * n || acts.size() != n || place.size() != 6 * n || axes.size() != 12 * n)
    throw h5::Error(table.label() + ": the columns do not match");
  for (std::size_t i = 0; i < n; ++i) {
    ViewJoint& joint = scene_.joints[i];
    joint.placed = true;
    joint.acts = acts[i];
    for (std::size_t k = 0; k < 2; ++k) {
      const std::int32_t group = body[4 * i + 2 * k], member = body[4 * i + 2 * k + 1];
      if (group >= 0 && (static_cast<std::size_t>(group) >= scene_.bodies.size() || member < 0 ||
                         member >= scene_.bodies[static_cast<std::size_t>(group)].members))
        throw h5::Error(table.label() + ": refers to a body that does not exist");
      joint.side[k] = {std::max(group, -1), member, part_of<3>(place, 2 * i + k),
                       part_of<3>(axes, 4 * i + 2 * k), part_of<3>(axes, 4 * i + 2 * k + 1)};
    }
  }
}

void ViewFile::read_lines(const h5::Group& lines) {
  for (const std::string& name : layout::in_order(lines)) {
    const h5::Group group = lines.group(name);
    const auto index = static_cast<std::size_t>(group.integer("body"));
    if (index >= scene_.bodies.size()) throw h5::Error(group.label() + ": there is no such body");
    ViewBody& body = scene_.bodies[index];
    if (!body.line.empty() || body.positions == 0) continue;
    body.line = group.dataset("points").reals();
    body.axes = group.dataset("axes").reals();
    body.columns = point_numbers(group.dataset("column"), body.positions);
    if (body.axes.size() != body.line.size() || 3 * body.columns.size() != body.line.size())
      throw h5::Error(group.label() + ": the columns do not match");
  }
}

void ViewFile::read_marks() {
  const h5::Group pairs = results_.hdf5().group("pairs");
  const std::vector<std::int32_t> group = pairs.dataset("group").integers();
  const std::vector<double> a = pairs.dataset("local_a").reals(),
                            b = pairs.dataset("local_b").reals(),
                            normal = pairs.dataset("normal").reals();
  const std::size_t n = group.size() / 2;
  if (a.size() != 3 * n || b.size() != 3 * n || normal.size() != 3 * n)
    throw h5::Error(pairs.label() + ": the columns do not match");
  std::vector<std::size_t> fixed;
  for (std::size_t i = 0; 2 * i + 1 < group.size(); ++i)
    if ((group[2 * i] < 0) != (group[2 * i + 1] < 0)) fixed.push_back(i);
  scene_.marks_of = fixed.size();
  const std::size_t every = (fixed.size() + kMarks - 1) / kMarks;
  for (std::size_t k = 0; k < fixed.size(); k += every) {
    const std::size_t i = fixed[k];
    const bool world_is_b = group[2 * i + 1] < 0;
    ViewMark mark{part_of<3>(world_is_b ? b : a, i), part_of<3>(normal, i),
                  group[2 * i + (world_is_b ? 0 : 1)]};
    if (!world_is_b)
      for (double& x : mark.normal) x = -x;
    scene_.marks.push_back(mark);
  }
}

void ViewFile::read_contact_tables() {
  const h5::Group contacts = results_.hdf5().group("contacts");
  std::size_t rows = std::numeric_limits<std::size_t>::max();
  for (const char* table : {"point", "normal", "force", "gap", "status", "body"}) {
    if (!contacts.has(table)) return;
    rows = std::min(rows, contacts.dataset(table).rows());
  }
  offset_ = contacts.dataset("offset").counts();
  while (!offset_.empty() && offset_.back() > rows) offset_.pop_back();
  if (!std::is_sorted(offset_.begin(), offset_.end()))
    throw h5::Error(contacts.label() + ": the offsets decrease");
}

/// Bodies with a position but no shape are drawn as spheres or cubes of a size suitable for the
/// scene.
void ViewFile::read_markers() {
  std::vector<bool> drawn(scene_.bodies.size(), false);
  for (const ViewInstance& instance : scene_.instances)
    if (instance.body >= 0) drawn[static_cast<std::size_t>(instance.body)] = true;
  std::array<double, 3> lo, hi;
  lo.fill(HUGE_VAL);
  hi.fill(-HUGE_VAL);
  const auto see = [&](std::span<const double> values, std::size_t stride) {
    for (std::size_t i = 0; i + 2 < values.size(); i += stride)
      for (std::size_t k = 0; k < 3; ++k) {
        lo[k] = std::min(lo[k], values[i + k]);
        hi[k] = std::max(hi[k], values[i + k]);
      }
  };
  std::vector<std::size_t> bare;
  int members = 0;
  for (std::size_t b = 0; b < scene_.bodies.size(); ++b) {
    const ViewBody& body = scene_.bodies[b];
    const auto parts = static_cast<std::size_t>(body.members);
    const bool rigid = body.kind == "rigid" && body.positions == 7 * parts,
               particles = body.kind == "particles" && body.positions == 3 * parts;
    if (frames() > 0 && (rigid || particles)) {
      see(row(b, "q", 0), rigid ? 7 : 3);
      see(row(b, "q", frames() - 1), rigid ? 7 : 3);
    }
    if (frames() > 0 && body.affine) see(row(b, "centre", 0), 3);
    if (body.mesh)
      see({body.mesh->nodes.data(), static_cast<std::size_t>(body.mesh->nodes.size())}, 3);
    see(body.line, 3);
    if (drawn[b] || !(rigid || particles || body.affine || body.placed)) continue;
    bare.push_back(b);
    members += body.members;
  }
  if (bare.empty()) return;
  const double diagonal = std::hypot(hi[0] - lo[0], hi[1] - lo[1], hi[2] - lo[2]);
  const double radius = std::isfinite(diagonal) && diagonal > 0.0
                            ? diagonal * std::min(0.015, 0.3 / std::cbrt(members))
                            : 0.05;
  int ball = -1, cube = -1;
  for (std::size_t b : bare) {
    int& shape = scene_.bodies[b].kind == "particles" ? ball : cube;
    if (shape < 0) {
      shape = static_cast<int>(scene_.shapes.size());
      scene_.shapes.push_back(&shape == &ball ? ViewShape() : marker_cube());
    }
    for (int m = 0; m < scene_.bodies[b].members; ++m)
      scene_.instances.push_back(
          {shape, static_cast<int>(b), m, {0, 0, 0}, {1, 0, 0, 0}, {radius, radius, radius}});
  }
}

std::span<const double> ViewFile::read_row(std::string_view path, std::size_t row) {
  auto entry = blocks_.find(path);
  if (entry == blocks_.end()) {
    auto made = std::make_unique<Block>();
    std::string table(path);
    if (const std::size_t at = path.rfind("/displacement");
        at != std::string_view::npos && !results_.hdf5().has(table)) {
      made->shapes = read_shapes(results_.hdf5().group(table.substr(0, at)));
      if (!made->shapes.empty()) table = table.substr(0, at) + "/q";
    }
    made->data = results_.hdf5().dataset(table);
    made->columns = made->data.columns();
    made->rows = made->data.rows();
    entry = blocks_.emplace(std::string(path), std::move(made)).first;
  }
  Block& block = *entry->second;
  if (row < block.first || row >= block.first + block.count) {
    // one compressed chunk of the file, so that each chunk is decompressed once
    const std::size_t together = layout::frame_chunk(block.columns);
    if (row >= block.rows) layout::damaged(results_.file(), std::string(path) + " is too short");
    block.first = row / together * together;
    block.count = std::min(together, block.rows - block.first);
    block.values = block.data.reals(block.first, block.count);
  }
  const auto values =
      std::span(block.values).subspan((row - block.first) * block.columns, block.columns);
  if (block.shapes.empty()) return values;
  return block.moved = by_shapes(block.shapes, block.columns, values);
}

std::span<const double> ViewFile::row(std::size_t body, std::string_view table, std::size_t frame) {
  try {
    if (table == "displacement" && !scene_.bodies[body].columns.empty()) {
      line_moved(scene_.bodies[body], row(body, "q", frame), moved_);
      return moved_;
    }
    return read_row("bodies/" + results_.bodies()[body].name + "/" + std::string(table), frame);
  } catch (const h5::Error& error) {
    layout::damaged(results_.file(), error);
  }
}

std::size_t ViewFile::contact_count(std::size_t frame) const {
  return frame + 1 < offset_.size() ? offset_[frame + 1] - offset_[frame] : 0;
}

void ViewFile::contacts(std::size_t frame, std::vector<ViewContact>& out) {
  out.resize(contact_count(frame));
  if (out.empty()) return;
  try {
    const h5::Group group = results_.hdf5().group("contacts");
    const auto first = static_cast<std::size_t>(offset_[frame]);
    const auto rows = [&](const char* table, std::size_t columns) {
      const h5::Dataset data = group.dataset(table);
      data.expect_columns(columns);
      return data.reals(first, out.size());
    };
    const std::string status_label = group.label() + "/status",
                      body_label = group.label() + "/body";
    const auto point = rows("point", 3), normal = rows("normal", 3), force = rows("force", 3),
               gap = rows("gap", 1), status = rows("status", 1), body = rows("body", 4);
    for (std::size_t i = 0; i < out.size(); ++i) {
      ViewContact& contact = out[i];
      contact.point = part_of<3>(point, i);
      contact.normal = part_of<3>(normal, i);
      contact.force = part_of<3>(force, i);
      contact.gap = gap[i];
      contact.status =
          static_cast<std::uint8_t>(std::max(h5::whole(status[i], status_label, -1.0, 255.0), 0));
      for (std::size_t k = 0; k < 4; ++k) contact.body[k] = h5::whole(body[4 * i + k], body_label);
    }
    // without a position: impulses of a resumed run before its first step; without a normal: laws
    // of joints
    std::erase_if(out, [](const ViewContact& c) {
      return !std::isfinite(c.point[0]) || c.normal == std::array<double, 3>{};
    });
  } catch (const h5::Error& error) {
    layout::damaged(results_.file(), error);
  }
}

}  // namespace saltus

#include "saltus/results/drawing.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>

#include "saltus/bodies/linear.h"
#include "saltus/bodies/pseudo_rigid.h"
#include "saltus/results/layout.h"
#include "saltus/shapes/drawn_surface.h"

namespace saltus {
namespace {

/// Distinct surfaces, in the order of their first occurrence.
class SurfaceStore {
 public:
  int number(DrawnSurface&& surface) {
    std::string key(1, static_cast<char>(surface.kind));
    put(key, surface.points);
    put(key, surface.triangles);
    const auto [entry, added] = number_.try_emplace(std::move(key), static_cast<int>(all_.size()));
    if (added) all_.push_back(std::move(surface));
    return entry->second;
  }
  const std::vector<DrawnSurface>& all() const { return all_; }

 private:
  template <class Values>
  static void put(std::string& key, const Values& values) {
    const std::size_t count = values.size(), bytes = count * sizeof(values[0]), from = key.size();
    key.resize(from + sizeof count + bytes);
    std::memcpy(key.data() + from, &count, sizeof count);
    if (count) std::memcpy(key.data() + from + sizeof count, values.data(), bytes);
  }
  std::map<std::string, int> number_;
  std::vector<DrawnSurface> all_;
};

/// Rows of /drawing/instances.
struct InstanceRows {
  std::vector<std::int32_t> shape, body;
  std::vector<double> place, rotation, scale;

  void add(int number, int group, int member, const Pose& at, const Vector3& stretch) {
    shape.push_back(number);
    body.insert(body.end(), {group, member});
    place.insert(place.end(), at.x.begin(), at.x.end());
    const Quaternion Q(at.R);
    rotation.insert(rotation.end(), {Q.w(), Q.x(), Q.y(), Q.z()});
    scale.insert(scale.end(), stretch.begin(), stretch.end());
  }
};

/// The boundary surface of a pseudo-rigid body, in coordinates X - X0. Its body is that of its
/// points.
DrawnSurface surface_of(const BoundarySurface& boundary) {
  DrawnSurface surface;
  for (const PointRef& vertex : boundary.vertices) surface.points.push_back(vertex.local);
  for (const BoundaryFacet& facet : boundary.facets)
    if (facet.corners() == 3) surface.triangles.push_back(facet.vertex);
  surface.edges = sharp_edges(surface.points, surface.triangles);
  return surface;
}

template <class Number>
void put_table(const h5::Group& group, const char* name, std::size_t columns,
               std::span<const Number> values, const char* unit, const char* text) {
  const h5::Type type = std::is_same_v<Number, double> ? h5::Type::real64 : h5::Type::int32;
  const std::size_t rows = values.size() / std::max<std::size_t>(columns, 1);
  const std::size_t chunk = std::clamp<std::size_t>(rows, 1, layout::frame_chunk(columns));
  h5::Dataset data = group.create(name, {type, columns, chunk, 1});
  if (!values.empty()) data.append(values);
  layout::described(std::move(data), unit, text);
}

template <class Rows>
auto numbers(const Rows& rows) {
  using Number =
      std::conditional_t<std::is_same_v<Rows, std::vector<Vector3>>, double, std::int32_t>;
  std::vector<Number> flat;
  flat.reserve(rows.size() * (rows.empty() ? 0 : rows[0].size()));
  for (const auto& row : rows) flat.insert(flat.end(), row.begin(), row.end());
  return flat;
}

void put_shape(const h5::Group& shapes, std::size_t index, const DrawnSurface& surface) {
  const h5::Group group = shapes.create_group(std::to_string(index));
  group.set("index", static_cast<std::int64_t>(index));
  using Kind = DrawnSurface::Kind;
  group.set("kind", surface.kind == Kind::sphere  ? "sphere"
                    : surface.kind == Kind::plane ? "plane"
                                                  : "mesh");
  if (surface.kind != Kind::mesh) return;
  put_table<double>(group, "points", 3, numbers(surface.points), "m", "in the frame of the shape");
  put_table<std::int32_t>(group, "triangles", 3, numbers(surface.triangles), "1",
                          "points, counter-clockwise seen from outside");
  put_table<std::int32_t>(group, "edges", 2, numbers(surface.edges), "1",
                          "pairs of points: sharp edges and borders");
}

/// Degrees of freedom of a linear system with consecutive positions along a line:
///     x_i = place_i + q[column_i] axis_i
struct DrawnLine {
  std::vector<std::int32_t> column;
  Vector place, axis;  ///< 3 values per point

  explicit DrawnLine(const Linear& body) {
    std::vector<PointRef> at;
    const std::span<const int> dofs = body.free_dofs();
    const std::size_t n = std::min(dofs.size(), kMost);
    if (n < 3) return;                     // one or two masses: plots show more
    for (std::size_t i = 0; i < n; ++i) {  // both ends, and a selection between them
      const std::size_t k = i * (dofs.size() - 1) / (n - 1);
      column.push_back(static_cast<std::int32_t>(k));
      at.push_back({.feature = dofs[k]});
    }
    place.resize(3 * std::ssize(at));
    axis.resize(place.size());
    body.points(0.0, Vector::Zero(body.positions()), at, place);
    body.points(0.0, Vector::Ones(body.positions()), at, axis);
    axis -= place;
    const Vector3 along = place.tail<3>() - place.head<3>();
    bool ordered = true;
    for (Eigen::Index i = 3; i < place.size(); i += 3)
      ordered &= (place.segment<3>(i) - place.segment<3>(i - 3)).dot(along) > 0.0;
    if (!ordered) column.clear();
  }

 private:
  static constexpr std::size_t kMost = 257;
};

void put_lines(const h5::Group& drawing, const Model& model) {
  std::optional<h5::Group> lines;
  std::int64_t index = 0;
  for (std::size_t g = 0; g < model.groups().size(); ++g) {
    const auto* const linear = dynamic_cast<const Linear*>(model.groups()[g].dynamics.get());
    if (!linear) continue;
    const DrawnLine line(*linear);
    if (line.column.empty()) continue;
    if (!lines) lines = drawing.create_group("lines");
    const h5::Group group = lines->create_group(std::to_string(index));
    group.set("index", index++);
    group.set("body", static_cast<std::int64_t>(g));
    const auto values = [](const Vector& v) {
      return std::span(v.data(), static_cast<std::size_t>(v.size()));
    };
    put_table<double>(group, "points", 3, values(line.place), "m", "where q is 0, in their order");
    put_table<double>(group, "axes", 3, values(line.axis), "1", "along which q moves each point");
    put_table<std::int32_t>(group, "column", 0, line.column, "1", "of q that moves each point");
  }
}

/// Coloured bodies: rows of body, member, colour; of the fixed world -1, number of the fixed body.
void put_colours(const h5::Group& drawing, const Model& model) {
  std::vector<std::int32_t> rows;
  const auto add = [&](int group, const std::vector<int>& colours) {
    for (std::size_t i = 0; i < colours.size(); ++i)
      if (colours[i] >= 0)
        rows.insert(rows.end(), {group, static_cast<std::int32_t>(i), colours[i]});
  };
  for (std::size_t g = 0; g < model.groups().size(); ++g)
    add(static_cast<int>(g), model.groups()[g].colours);
  add(-1, model.surfaces().fixed_colours);
  if (!rows.empty())
    put_table<std::int32_t>(drawing, "colours", 3, rows, "1",
                            "index in /bodies, body of the group, colour 0xrrggbb; -1 and a number "
                            "in fixed_bodies: of the fixed world");
}

/// What acts on the coordinates of a joint, as bits.
std::int32_t acts_on(const Model& model, int joint) {
  std::int32_t bits = 0;
  for (const JointLaw& one : model.joint_laws()) {
    if (one.joint != joint) continue;
    const ContactLaw& law = model.law(one.law);
    if (one.actuator >= 0)
      bits |= 8 << static_cast<int>(model.actuators()[static_cast<std::size_t>(one.actuator)].kind);
    else if (law.unilateral())
      bits |= 4;
    else if (!law.set_valued())
      for (const LawNumber& number : law.numbers()) {
        if (number.name == "stiffness" && number.value > 0.0) bits |= 1;
        if (number.name == "damping" && number.value > 0.0) bits |= 2;
      }
  }
  for (const JointCoupling& coupling : model.couplings())
    if (coupling.terms.size() == 1 && coupling.terms[0].joint == joint) bits |= 64;
  return bits;
}

/// Places and axes of the joints in the frames of rigid and pseudo-rigid bodies, elsewhere in space
/// at the start.
void put_joints(const h5::Group& drawing, const Model& model) {
  if (model.joints().empty()) return;
  std::vector<std::int32_t> body, acts;
  std::vector<double> place, axes;
  for (std::size_t j = 0; j < model.joints().size(); ++j) {
    const Joint& joint = model.joints()[j];
    for (const JointSide* side : {&joint.a, &joint.b}) {
      body.insert(body.end(), {side->group, side->group < 0 ? -1 : side->ref.body});
      Vector3 x = side->ref.local;
      bool turns = true;  // the axes turn with the body
      if (side->group >= 0) {
        const auto g = static_cast<std::size_t>(side->group);
        const Dynamics& of = *model.groups()[g].dynamics;
        turns = has(of.traits(), Trait::rigid) || of.velocities() == 0;
        if (!turns && !dynamic_cast<const PseudoRigid*>(&of)) {
          const std::array at{side->ref};
          of.points(0.0, model.initial()[g].q, at, x);
        }
      }
      place.insert(place.end(), x.begin(), x.end());
      for (const int axis : {2, 0}) {
        const Vector3 n = turns && needs_axes(joint.kind) ? Vector3(side->axes.col(axis))
                                                          : Vector3(Vector3::Zero());
        axes.insert(axes.end(), n.begin(), n.end());
      }
    }
    acts.push_back(acts_on(model, static_cast<int>(j)));
  }
  const h5::Group joints = drawing.create_group("joints");
  put_table<std::int32_t>(
      joints, "body", 4, body, "1",
      "of each joint, index in /bodies and body of the group of both sides; -1, "
      "-1: the fixed world");
  put_table<double>(joints, "place", 6, place, "m",
                    "of both sides: in the frame of a rigid or pseudo-rigid body, otherwise in "
                    "space at the start");
  put_table<double>(joints, "axes", 12, axes, "1",
                    "axis and second axis of both sides in the same frame; 0: none");
  put_table<std::int32_t>(joints, "acts", 0, acts, "1",
                          "sum of 1: spring, 2: damper, 4: stop, 8: motor, 16: servo, 32: given "
                          "force or torque, 64: drive");
}

}  // namespace

void write_drawing(const h5::File& file, const Model& model) {
  SurfaceStore store;
  InstanceRows rows;
  const Surfaces& surfaces = model.surfaces();
  for (const Collider& collider : surfaces.colliders) {
    DrawnShape shape = drawn(collider.shape);
    const int number = store.number(std::move(shape.surface));
    int group = -1, member = -1 - collider.frame;  // a fixed body: its number
    if (collider.frame >= 0) {
      const Surfaces::Frame& frame = surfaces.frames[static_cast<std::size_t>(collider.frame)];
      group = frame.group;
      member = frame.body;
    }
    rows.add(number, group, member, collider.local, shape.scale);
  }
  for (const Surfaces::DeformingBoundary& boundary : surfaces.boundaries) {
    const Dynamics* const body =
        model.groups()[static_cast<std::size_t>(boundary.group)].dynamics.get();
    if (!dynamic_cast<const PseudoRigid*>(body) || boundary.boundary.vertices.empty()) continue;
    rows.add(store.number(surface_of(boundary.boundary)), boundary.group,
             boundary.boundary.vertices.front().body, {}, Vector3::Ones());
  }
  const h5::Group drawing = file.create_group("drawing");
  const h5::Group shapes = drawing.create_group("shapes");
  for (std::size_t i = 0; i < store.all().size(); ++i) put_shape(shapes, i, store.all()[i]);
  const h5::Group instances = drawing.create_group("instances");
  put_table<std::int32_t>(instances, "shape", 0, rows.shape, "1", "number of the shape");
  put_table<std::int32_t>(
      instances, "body", 2, rows.body, "1",
      "index in /bodies and body of the group; -1 and a number in fixed_bodies: the "
      "fixed world");
  put_table<double>(instances, "place", 3, rows.place, "m",
                    "of the frame of the shape in that of the body, or in space");
  put_table<double>(instances, "rotation", 4, rows.rotation, "1", "unit quaternion w x y z");
  put_table<double>(instances, "scale", 3, rows.scale, "1", "along the axes of the shape");
  put_lines(drawing, model);
  put_colours(drawing, model);
  put_joints(drawing, model);
}

}  // namespace saltus

#include "saltus/view/view_tracks.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/base/error.h"

namespace saltus {
namespace {

constexpr double kNowhere = std::numeric_limits<double>::infinity();

/// Columns first, first + 1, ... of each of the `members` parts of length `stride` of a row.
std::vector<std::uint32_t> columns_of(int members, std::uint32_t stride, std::uint32_t first,
                                      std::uint32_t count) {
  std::vector<std::uint32_t> columns;
  for (std::uint32_t m = 0; m < static_cast<std::uint32_t>(members); ++m)
    for (std::uint32_t i = 0; i < count; ++i) columns.push_back(m * stride + first + i);
  return columns;
}

ViewTrack track_of(const ViewBody& body, std::size_t index, const char* what, const char* table,
                   std::vector<std::uint32_t> columns, std::size_t axes) {
  ViewTrack track;
  track.name = body.name + " " + what;
  track.table = table;
  track.body = index;
  track.type = ViewTrack::Type::u16;
  track.column = std::move(columns);
  track.axes = axes;
  return track;
}

/// A round factor that scales displacements to a twentieth of the length of the line; 1 if they
/// reach a hundredth.
double exaggeration_of(const std::vector<double>& points, const ViewTrack& u) {
  double length = 0.0, largest = 0.0;
  for (std::size_t i = 3; i + 2 < points.size(); i += 3)
    length += std::hypot(points[i] - points[i - 3], points[i + 1] - points[i - 2],
                         points[i + 2] - points[i - 1]);
  for (std::size_t a = 0; a < 3; ++a)
    if (u.lo[a] <= u.hi[a]) largest = std::max({largest, std::abs(u.lo[a]), std::abs(u.hi[a])});
  if (!(largest > 0.0) || largest >= 0.01 * length) return 1.0;
  const double wanted = 0.05 * length / largest;
  const double ten = std::pow(10.0, std::floor(std::log10(wanted)));
  return (wanted >= 5.0 * ten ? 5.0 : wanted >= 2.0 * ten ? 2.0 : 1.0) * ten;
}

struct BoxSum {
  std::array<double, 6> box{kNowhere, kNowhere, kNowhere, -kNowhere, -kNowhere, -kNowhere};
  /// Adds a coordinate with values from lo to hi.
  void add(std::size_t axis, double lo, double hi) {
    if (!std::isfinite(lo) || !std::isfinite(hi)) return;
    box[axis] = std::min(box[axis], lo);
    box[axis + 3] = std::max(box[axis + 3], hi);
  }
};

/// The distance of the farthest point of a shape from the origin of its member; -1 for planes.
double reach_of(const ViewScene& scene, const ViewInstance& instance) {
  const ViewShape& shape = scene.shapes[static_cast<std::size_t>(instance.shape)];
  if (shape.kind == ViewShape::Kind::plane) return -1.0;
  const Vector3 place(instance.place[0], instance.place[1], instance.place[2]),
      scale(instance.scale[0], instance.scale[1], instance.scale[2]);
  if (shape.kind == ViewShape::Kind::sphere) return place.norm() + scale.maxCoeff();
  const Eigen::Quaterniond R(instance.rotation[0], instance.rotation[1], instance.rotation[2],
                             instance.rotation[3]);
  double radius = 0.0;
  for (std::size_t i = 0; i + 2 < shape.points.size(); i += 3) {
    const Vector3 X(shape.points[i], shape.points[i + 1], shape.points[i + 2]);
    radius = std::max(radius, (place + R * scale.cwiseProduct(X)).norm());
  }
  return radius;
}

/// For each body; -1 for bodies that consist of planes only, whose position is not used.
std::vector<double> reaches(const ViewScene& scene) {
  std::vector<double> reach(scene.bodies.size(), 0.0);
  std::vector<bool> seen(scene.bodies.size(), false);
  for (const ViewInstance& instance : scene.instances) {
    if (instance.body < 0) continue;
    const auto body = static_cast<std::size_t>(instance.body);
    const double radius = reach_of(scene, instance);
    reach[body] = seen[body] ? std::max(reach[body], radius) : radius;
    seen[body] = true;
  }
  return reach;
}

}  // namespace

std::size_t ViewTrack::bytes() const {
  const std::size_t one = type == Type::f32 ? 4 : 2;
  return (width() * one + 3) / 4 * 4;
}

double ViewTrack::value(std::span<const double> row, std::size_t c) const {
  const std::size_t i = column[c];
  return magnitude ? std::hypot(row[i], row[i + 1], row[i + 2]) : row[i];
}

std::size_t ViewTrack::needs() const {
  const auto last = std::max_element(column.begin(), column.end());
  return last == column.end() ? 0 : *last + (magnitude ? 3u : 1u);
}

int ViewTracks::add(ViewTrack track) {
  tracks.push_back(std::move(track));
  return static_cast<int>(tracks.size()) - 1;
}

void ViewTracks::add_body(const ViewScene& scene, std::size_t b) {
  const ViewBody& body = scene.bodies[b];
  const auto parts = static_cast<std::size_t>(body.members);
  if (body.kind == "rigid" && body.positions == 7 * parts && parts) {
    const int x = add(track_of(body, b, "position", "q", columns_of(body.members, 7, 0, 3), 3));
    ViewTrack rotation = track_of(body, b, "rotation", "q", columns_of(body.members, 7, 3, 4), 4);
    rotation.type = ViewTrack::Type::i16;
    poses.push_back({b, x, add(std::move(rotation))});
  }
  if (body.kind == "particles" && body.positions == 3 * parts && parts)
    poses.push_back(
        {b, add(track_of(body, b, "position", "q", columns_of(body.members, 3, 0, 3), 3)), -1});
  if (body.placed) {
    const int x = add(track_of(body, b, "position", "place", columns_of(body.members, 3, 0, 3), 3));
    ViewTrack rotation =
        track_of(body, b, "rotation", "rotation", columns_of(body.members, 4, 0, 4), 4);
    rotation.type = ViewTrack::Type::i16;
    poses.push_back({b, x, add(std::move(rotation))});
  }
  if (body.affine) {
    const int x = add(track_of(body, b, "centre", "centre", columns_of(body.members, 3, 0, 3), 3));
    affine.push_back({b, x,
                      add(track_of(body, b, "deformation", "deformation",
                                   columns_of(body.members, 9, 0, 9), 9))});
  }
  if (!body.line.empty()) {
    const int points = static_cast<int>(body.line.size() / 3);
    lines.push_back(
        {b, body.line,
         add(track_of(body, b, "displacement", "displacement", columns_of(points, 3, 0, 3), 3))});
  }
  if (!body.mesh) return;
  ViewSurface surface = view_surface(*body.mesh);
  std::vector<std::uint32_t> axes, nodes;
  std::vector<double> points;
  for (int a : surface.nodes) {
    const auto node = static_cast<std::uint32_t>(a);
    nodes.push_back(node);
    for (std::uint32_t k = 0; k < 3; ++k) {
      axes.push_back(3 * node + k);
      points.push_back(body.mesh->nodes(k, a));
    }
  }
  const int u = add(track_of(body, b, "displacement", "displacement", axes, 3));
  if (surface.chain) {
    lines.push_back({b, std::move(points), u});
    return;
  }
  Surface mesh{b, std::move(points), std::move(surface.triangles), std::move(surface.edges), u, {}};
  if (body.stress)
    mesh.fields.push_back(
        {"von Mises", "Pa", add(track_of(body, b, "von Mises", "von_mises", std::move(nodes), 1))});
  ViewTrack length = track_of(body, b, "magnitude of displacement", "displacement", {}, 1);
  for (int a : surface.nodes) length.column.push_back(3 * static_cast<std::uint32_t>(a));
  length.magnitude = true;
  mesh.fields.push_back({"displacement", "m", add(std::move(length))});
  meshes.push_back(std::move(mesh));
}

void ViewTracks::find_ranges(ViewSource& source, std::span<const std::size_t> frames) {
  const ViewScene& scene = source.scene();
  const std::vector<double> reach = reaches(scene);
  BoxSum sum;
  for (std::size_t i = 0; i < tracks.size(); ++i) {
    ViewTrack& track = tracks[i];
    track.lo.assign(track.axes, kNowhere);
    track.hi.assign(track.axes, -kNowhere);
    const std::vector<double>* points = moved_by(static_cast<int>(i));
    for (std::size_t frame : frames) {
      const std::span<const double> row = source.row(track.body, track.table, frame);
      if (row.size() < track.needs())
        throw SceneError(scene.bodies[track.body].name,
                         "is damaged: too few columns in " + track.table, "run the scene again");
      for (std::size_t c = 0; c < track.width(); ++c) {
        const double value = track.value(row, c);
        if (!std::isfinite(value)) continue;
        double &lo = track.lo[c % track.axes], &hi = track.hi[c % track.axes];
        lo = std::min(lo, value);
        hi = std::max(hi, value);
        if (points) sum.add(c % 3, (*points)[c] + value, (*points)[c] + value);
      }
    }
  }
  const auto around = [&](int index, double distance) {
    const ViewTrack& track = tracks[static_cast<std::size_t>(index)];
    for (std::size_t a = 0; a < 3 && distance >= 0.0; ++a)
      sum.add(a, track.lo[a] - distance, track.hi[a] + distance);
  };
  for (const Poses& p : poses) around(p.position, reach[p.body]);
  for (const Affine& p : affine) around(p.centre, reach[p.body]);
  for (std::size_t a = 0; a < 3; ++a)
    if (sum.box[a] > sum.box[a + 3]) sum.box[a] = sum.box[a + 3] = 0.0;
  box = sum.box;
}

const std::vector<double>* ViewTracks::moved_by(int displacement) const {
  for (const Surface& mesh : meshes)
    if (mesh.displacement == displacement) return &mesh.points;
  for (const Line& line : lines)
    if (line.displacement == displacement) return &line.points;
  return nullptr;
}

ViewTracks::ViewTracks(ViewSource& source, std::span<const std::size_t> frames, bool quantised) {
  const ViewScene& scene = source.scene();
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) add_body(scene, b);
  if (!quantised)
    for (ViewTrack& track : tracks) track.type = ViewTrack::Type::f32;
  find_ranges(source, frames);
  for (Line& line : lines)
    line.exaggerate =
        exaggeration_of(line.points, tracks[static_cast<std::size_t>(line.displacement)]);
  for (const ViewTrack& track : tracks) record_bytes += track.bytes();
}

}  // namespace saltus

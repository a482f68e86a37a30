#include "saltus/shapes/shape.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "saltus/base/error.h"
#include "saltus/shapes/geometry.h"

namespace saltus {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class... Rules>
struct Visit : Rules... {
  using Rules::operator()...;
};
template <class... Rules>
Visit(Rules...) -> Visit<Rules...>;

using Hull = std::shared_ptr<const ConvexHull>;
using Mesh = std::shared_ptr<const TriangleMesh>;
using Field = std::shared_ptr<const HeightField>;

void check_length(double length, const char* name) {
  if (!(length > 0.0 && std::isfinite(length)))
    throw UsageError(fmt::format("{} must be positive and finite, not {}", name, length));
  if (length < kShortestLength || length > kLongestLength)
    throw UsageError(fmt::format("{} must lie between {} m and {} m, not {}", name, kShortestLength,
                                 kLongestLength, length));
}

void check_lengths(const Vector3& lengths, const char* name) {
  for (double length : lengths) check_length(length, name);
}

void check_round(double radius, double half_length) {
  check_length(radius, "the radius");
  check_length(half_length, "the half length");
}

// Bounds of shapes with point symmetry: `reach` is |X|_i of the farthest point along the world axis
// i.
Bounds around_centre(const Pose& at, const Vector3& reach) { return {at.x - reach, at.x + reach}; }

// Length of the part of row i of R that is perpendicular to the shape's z axis.
Vector3 sideways(const Matrix3& R) { return R.leftCols<2>().rowwise().norm(); }

Bounds half_space_bounds(const Pose& at) {
  Bounds box{Vector3::Constant(-kInfinity), Vector3::Constant(kInfinity)};
  for (int i = 0; i < 3; ++i) {
    if (at.R(i, 2) == 1.0) box.high[i] = at.x[i];
    if (at.R(i, 2) == -1.0) box.low[i] = at.x[i];
  }
  return box;
}

Bounds placed_points(std::span<const Vector3> points, const Pose& at) {
  Bounds box{Vector3::Constant(kInfinity), Vector3::Constant(-kInfinity)};
  for (const Vector3& X : points) {
    const Vector3 x = at * X;
    box.low = box.low.cwiseMin(x);
    box.high = box.high.cwiseMax(x);
  }
  return box;
}

// Largest d . X over the vertices of a mesh, by the tree: nodes that cannot exceed the largest
// value so far are skipped.
double mesh_reach(const TriangleMesh& mesh, const Vector3& d) {
  double best = -kInfinity;
  const auto reach = [&](const TriangleMesh::Node& node) {
    return d.cwiseProduct(node.low).cwiseMax(d.cwiseProduct(node.high)).sum();
  };
  std::array<int, 64> open{};  // a median tree is no deeper than 32
  int waiting = 1;
  while (waiting > 0) {
    const TriangleMesh::Node& node = mesh.tree[open[--waiting]];
    if (reach(node) <= best) continue;
    if (node.count == 0) {
      const bool left_first = reach(mesh.tree[node.first]) >= reach(mesh.tree[node.first + 1]);
      open[waiting++] = node.first + (left_first ? 1 : 0);
      open[waiting++] = node.first + (left_first ? 0 : 1);
      continue;
    }
    for (int k = node.first; k < node.first + node.count; ++k)
      for (int vertex : mesh.triangles[mesh.order[k]])
        best = std::max(best, d.dot(mesh.vertices[vertex]));
  }
  return best;
}

Bounds mesh_bounds(const TriangleMesh& mesh, const Pose& at) {
  Bounds box;
  for (int i = 0; i < 3; ++i) {
    const Vector3 row = at.R.row(i).transpose();
    box.low[i] = at.x[i] - mesh_reach(mesh, -row);
    box.high[i] = at.x[i] + mesh_reach(mesh, row);
  }
  return box;
}

Bounds field_bounds(const HeightField& field, const Pose& at) {
  const double x0 = field.origin_x, x1 = x0 + (field.columns - 1) * field.spacing_x;
  const double y0 = field.origin_y, y1 = y0 + (field.rows - 1) * field.spacing_y;
  std::array<Vector3, 8> corners;
  for (std::size_t k = 0; k < corners.size(); ++k)
    corners[k] = {k & 1 ? x1 : x0, k & 2 ? y1 : y0, k & 4 ? field.highest : field.lowest};
  return placed_points(corners, at);
}

// d/|d|, whatever the size of d; e_z for 0.
Vector3 direction(const Vector3& d) {
  const double largest = d.lpNorm<Eigen::Infinity>();
  if (!(largest > 0.0)) return Vector3::UnitZ();
  return (d / largest).normalized();
}

double towards(double d, double length) { return d < 0.0 ? -length : length; }

Vector3 rim_point(const Cylinder& s, const Vector3& d) {
  const Vector3 u = direction({d.x(), d.y(), 0.0});
  const double z = towards(d.z(), s.half_length);
  if (d.x() == 0.0 && d.y() == 0.0) return {s.radius, 0.0, z};
  return {s.radius * u.x(), s.radius * u.y(), z};
}

// x = A^2 d/|A d| with the half axes A.
Vector3 ellipsoid_point(const Ellipsoid& s, const Vector3& d) {
  const Vector3 u = direction(d);
  const double largest = s.radii.maxCoeff();
  const Vector3 a = s.radii / largest;
  return s.radii.cwiseProduct(direction(a.cwiseProduct(u)));
}

Vector3 farthest_vertex(const ConvexHull& hull, const Vector3& d) {
  int best = 0;
  double reach = d.dot(hull.vertices[0]);
  const int count = static_cast<int>(hull.vertices.size());
  for (int i = 1; i < count; ++i) {
    const double r = d.dot(hull.vertices[i]);
    if (r > reach) {
      reach = r;
      best = i;
    }
  }
  return hull.vertices[best];
}

[[noreturn]] void no_support(const char* name) {
  throw UsageError(fmt::format("a {} has no farthest point", name));
}

}  // namespace

std::string_view shape_name(const Shape& shape) {
  static constexpr std::array<std::string_view, 9> kNames{
      "sphere", "ellipsoid",   "capsule",       "cylinder",    "box",
      "plane",  "convex hull", "triangle mesh", "height field"};
  static_assert(kNames.size() == std::variant_size_v<Shape>);
  return kNames[shape.index()];
}

bool can_move(const Shape& shape) {
  return !std::holds_alternative<Plane>(shape) && !std::holds_alternative<Mesh>(shape) &&
         !std::holds_alternative<Field>(shape);
}

void check(const Shape& shape) {
  std::visit(Visit{
                 [](const Sphere& s) { check_length(s.radius, "the radius"); },
                 [](const Ellipsoid& s) { check_lengths(s.radii, "the radii"); },
                 [](const Capsule& s) { check_round(s.radius, s.half_length); },
                 [](const Cylinder& s) { check_round(s.radius, s.half_length); },
                 [](const Box& s) { check_lengths(s.half, "the half lengths"); },
                 [](const Plane&) {},
                 [](const Hull& s) {
                   if (!s || s->faces() < 4) throw UsageError("the convex hull is empty");
                 },
                 [](const Mesh& s) {
                   if (!s || s->tree.empty()) throw UsageError("the triangle mesh is empty");
                 },
                 [](const Field& s) {
                   if (!s || s->height.empty()) throw UsageError("the height field is empty");
                 },
             },
             shape);
}

// Along the world axis i, with row i of R called r: max r . X over the shape.
Bounds bounds(const Shape& shape, const Pose& at) {
  const Matrix3& R = at.R;
  return std::visit(
      Visit{
          [&](const Sphere& s) { return around_centre(at, Vector3::Constant(s.radius)); },
          [&](const Ellipsoid& s) {
            return around_centre(at, (R * s.radii.asDiagonal()).rowwise().norm());
          },
          [&](const Capsule& s) {
            return around_centre(at, (s.half_length * R.col(2).cwiseAbs()).array() + s.radius);
          },
          [&](const Cylinder& s) {
            return around_centre(at, s.half_length * R.col(2).cwiseAbs() + s.radius * sideways(R));
          },
          [&](const Box& s) { return around_centre(at, R.cwiseAbs() * s.half); },
          [&](const Plane&) { return half_space_bounds(at); },
          [&](const Hull& s) { return placed_points(s->vertices, at); },
          [&](const Mesh& s) { return mesh_bounds(*s, at); },
          [&](const Field& s) { return field_bounds(*s, at); },
      },
      shape);
}

Vector3 support(const Shape& shape, const Vector3& d) {
  return std::visit(Visit{
                        [&](const Sphere& s) -> Vector3 { return s.radius * direction(d); },
                        [&](const Ellipsoid& s) -> Vector3 { return ellipsoid_point(s, d); },
                        [&](const Capsule& s) -> Vector3 {
                          return s.radius * direction(d) +
                                 towards(d.z(), s.half_length) * Vector3::UnitZ();
                        },
                        [&](const Cylinder& s) -> Vector3 { return rim_point(s, d); },
                        [&](const Box& s) -> Vector3 {
                          return {towards(d.x(), s.half.x()), towards(d.y(), s.half.y()),
                                  towards(d.z(), s.half.z())};
                        },
                        [&](const Plane&) -> Vector3 { no_support("plane"); },
                        [&](const Hull& s) -> Vector3 { return farthest_vertex(*s, d); },
                        [&](const Mesh&) -> Vector3 { no_support("triangle mesh"); },
                        [&](const Field&) -> Vector3 { no_support("height field"); },
                    },
                    shape);
}

}  // namespace saltus

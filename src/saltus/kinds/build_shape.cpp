#include "saltus/kinds/build_shape.h"

#include <fmt/format.h>

#include <limits>

#include "saltus/kinds/build_kinds.h"
#include "saltus/math/dense.h"
#include "saltus/shapes/mesh_file.h"

namespace saltus {
namespace {

/// A shape during its construction, with its entry and body for messages.
struct ShapeMaking {
  const Scene& scene;
  const ShapeSpec& spec;
  const ShapeUse& use;
  std::string path;

  [[noreturn]] void refuse(const std::string& key, const std::string& what,
                           const std::string& hint = "") const {
    throw SceneError(path + "." + key, fmt::format("the shape of '{}': {}", use.body, what), hint);
  }
  /// Returns make(), and turns its UsageError into a fault of the entry `key`.
  template <class Make>
  auto made(const std::string& key, Make&& make) const {
    try {
      return make();
    } catch (const UsageError& error) {
      refuse(key, error.what());
    }
  }
  void expect_still(const std::string& key, const char* what) const {
    if (use.moves)
      refuse(key, std::string(what) + " cannot move", "give `fixed: true`, or another shape");
  }
};

bool ends_with_csv(const std::string& name) {
  return name.size() > 4 && (name.ends_with(".csv") || name.ends_with(".CSV"));
}

std::vector<Vector3> scaled_by(std::vector<Vector3> points, double s) {
  for (Vector3& x : points) x *= s;
  return points;
}

Shape hull_shape(const ShapeMaking& m) {
  const HullSpec& hull = *m.spec.hull;
  std::vector<Vector3> points;
  for (const auto& x : hull.points) points.push_back(to_vector3(x));
  const std::string key = hull.file ? "hull.file" : "hull.points";
  if (hull.file && ends_with_csv(*hull.file)) {
    const Matrix data = read_table(m.scene, *hull.file, 3, "x, y, z [m]", m.path + "." + key);
    for (Eigen::Index i = 0; i < data.rows(); ++i)
      points.emplace_back(data(i, 0), data(i, 1), data(i, 2));
  } else if (hull.file) {
    points = read_surface(m.scene.resolve(*hull.file).string(), m.path + "." + key).vertices;
  }
  points = scaled_by(std::move(points), hull.scale);
  return m.made(key, [&]() -> Shape { return convex_hull(points); });
}

std::shared_ptr<const TriangleMesh> surface(const ShapeMaking& m, const std::string& file,
                                            const std::string& key) {
  SurfaceFile read = read_surface(m.scene.resolve(file).string(), m.path + "." + key);
  return m.made(key, [&] {
    return triangle_mesh(scaled_by(std::move(read.vertices), m.spec.mesh->scale),
                         std::move(read.triangles));
  });
}

/// A surface of a moving body makes contact through convex pieces: itself, or the given ones.
BuiltShape mesh_shape(const ShapeMaking& m) {
  const SurfaceSpec& spec = *m.spec.mesh;
  const auto mesh = surface(m, spec.file, "mesh.file");
  BuiltShape built;
  if (!m.use.moves) {
    if (!spec.pieces.empty())
      m.refuse("mesh.pieces", "pieces are for moving bodies", "leave them out");
    built.pieces.emplace_back(mesh);
    return built;
  }
  if (m.use.deforms || m.use.has_volume || spec.pieces.empty()) {
    if (!mesh->closed)
      m.refuse("mesh.file", fmt::format("'{}' is not closed: {}", spec.file, why_open(*mesh)),
               "close it, or give `fixed: true`");
    built.solid = m.made("mesh.file", [&] { return moments(Shape(mesh)); });
  }
  if (m.use.deforms) {
    built.pieces.emplace_back(mesh);
    return built;
  }
  for (std::size_t i = 0; i < spec.pieces.size(); ++i) {
    const std::string key = fmt::format("mesh.pieces[{}]", i);
    const auto piece = surface(m, spec.pieces[i], key);
    built.pieces.push_back(m.made(key, [&]() -> Shape { return convex_hull(piece->vertices); }));
  }
  if (!spec.pieces.empty()) return built;
  if (!is_convex(*mesh))
    m.refuse("mesh.file", fmt::format("'{}' is not convex, but its body moves", spec.file),
             "give convex `pieces`, or `hull` for its hull");
  built.pieces.push_back(
      m.made("mesh.file", [&]() -> Shape { return convex_hull(mesh->vertices); }));
  return built;
}

Shape height_shape(const ShapeMaking& m) {
  m.expect_still("height_field", "a height field");
  const HeightFieldSpec& spec = *m.spec.height_field;
  const Matrix data =
      read_table(m.scene, spec.file, 2, "heights along x [m]", m.path + ".height_field.file");
  HeightField field;
  field.columns = static_cast<int>(data.cols());
  field.rows = static_cast<int>(data.rows());
  field.spacing_x = spec.spacing[0];
  field.spacing_y = spec.spacing[1];
  field.origin_x = spec.origin[0];
  field.origin_y = spec.origin[1];
  for (Eigen::Index j = 0; j < data.rows(); ++j)
    for (Eigen::Index i = 0; i < data.cols(); ++i) field.height.push_back(data(j, i));
  return m.made("height_field.file", [&]() -> Shape { return height_field(std::move(field)); });
}

/// Shapes that do not come from a file.
Shape plain_shape(const ShapeSpec& spec) {
  if (spec.sphere) return Sphere{spec.sphere->radius};
  if (spec.ellipsoid) return Ellipsoid{to_vector3(spec.ellipsoid->radii)};
  if (spec.capsule) return Capsule{spec.capsule->radius, 0.5 * spec.capsule->length};
  if (spec.cylinder) return Cylinder{spec.cylinder->radius, 0.5 * spec.cylinder->length};
  if (spec.box) return Box{0.5 * to_vector3(spec.box->size)};
  return Plane{};
}

struct ScaleShape {
  double s;
  Shape operator()(const Sphere& x) const { return Sphere{s * x.radius}; }
  Shape operator()(const Ellipsoid& x) const { return Ellipsoid{s * x.radii}; }
  Shape operator()(const Capsule& x) const { return Capsule{s * x.radius, s * x.half_length}; }
  Shape operator()(const Cylinder& x) const { return Cylinder{s * x.radius, s * x.half_length}; }
  Shape operator()(const Box& x) const { return Box{s * x.half}; }
  Shape operator()(const std::shared_ptr<const ConvexHull>& x) const {
    auto hull = std::make_shared<ConvexHull>(*x);
    for (Vector3& vertex : hull->vertices) vertex *= s;
    for (double& offset : hull->offset) offset *= s;
    hull->radius *= s;
    return std::shared_ptr<const ConvexHull>(std::move(hull));
  }
  Shape operator()(const std::shared_ptr<const TriangleMesh>& x) const {
    return triangle_mesh(scaled_by(x->vertices, s), x->triangles);
  }
  template <class Other>
  Shape operator()(const Other&) const {
    expects(false, "only shapes of moving bodies have copies of other sizes");
    return {};
  }
};

std::string key_of(const ShapeSpec& spec) {
  return spec.sphere      ? "sphere"
         : spec.ellipsoid ? "ellipsoid"
         : spec.capsule   ? "capsule"
         : spec.cylinder  ? "cylinder"
         : spec.box       ? "box"
         : spec.plane     ? "plane"
                          : "hull";
}

}  // namespace

BuiltShape build_shape(const Scene& scene, const ShapeSpec& spec, const ShapeUse& use,
                       const std::string& path) {
  const ShapeMaking m{scene, spec, use, path};
  BuiltShape built;
  if (spec.mesh) {
    built = mesh_shape(m);
  } else if (spec.height_field) {
    built.pieces.push_back(height_shape(m));
  } else {
    if (spec.plane) m.expect_still("plane", "a plane");
    const Shape shape = spec.hull ? hull_shape(m) : plain_shape(spec);
    m.made(key_of(spec), [&] {
      check(shape);
      if (use.moves && use.has_volume) built.solid = moments(shape);
    });
    built.pieces.push_back(shape);
  }
  // A sphere is not rotated: without round-off its inertia stays isotropic.
  if (!spec.sphere) built.at.R = rotation_of(spec.rotation).toRotationMatrix();
  built.at.x = to_vector3(spec.position);
  if (spec.plane) {
    const Vector3 normal = to_vector3(spec.plane->normal).normalized();
    const Quaternion turn = turn_between(Vector3::UnitZ(), normal);
    built.at = built.at * Pose{to_vector3(spec.plane->point), turn.toRotationMatrix()};
  }
  return built;
}

Shape scaled(const Shape& shape, double s) {
  return s == 1.0 ? shape : std::visit(ScaleShape{s}, shape);
}

SolidMoments scaled(const SolidMoments& solid, double s) {
  const double s3 = s * s * s;
  return {s3 * solid.volume, s * solid.centre, s3 * s * s * solid.inertia};
}

double thickness(const Shape& shape) {
  if (std::holds_alternative<Plane>(shape)) return std::numeric_limits<double>::infinity();
  const Bounds box = bounds(shape, {});
  return (box.high - box.low).minCoeff();
}

}  // namespace saltus

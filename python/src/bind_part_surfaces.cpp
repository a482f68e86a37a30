// Shapes and their placement in models built in code.
#include <pybind11/stl.h>

#include <fmt/format.h>

#include <cmath>

#include "model_parts.h"
#include "saltus/base/error.h"

namespace saltus::python {

/// Arguments in metres: a one-line UsageError if the value is not a number.
struct Length {
  double value = 0.0;
};
struct Lengths {
  Vector3 value = Vector3::Zero();
};

}  // namespace saltus::python

namespace pybind11::detail {

template <>
struct type_caster<saltus::python::Length> {
  PYBIND11_TYPE_CASTER(saltus::python::Length, const_name("float"));
  bool load(handle from, bool) {
    value.value = PyFloat_AsDouble(from.ptr());
    if (!PyErr_Occurred()) return true;
    PyErr_Clear();
    saltus::python::wrong("a length is {} (a number [m])", repr(from).cast<std::string>());
  }
};

template <>
struct type_caster<saltus::python::Lengths> {
  PYBIND11_TYPE_CASTER(saltus::python::Lengths, make_caster<saltus::Vector3>::name);
  bool load(handle from, bool convert) {
    make_caster<saltus::Vector3> three;
    bool read = false;
    try {
      read = three.load(from, convert);
    } catch (const error_already_set&) {
      read = false;
    }
    if (!read)
      saltus::python::wrong("lengths along x, y, z are {} (3 numbers [m])",
                            repr(from).cast<std::string>());
    value.value = cast_op<saltus::Vector3&>(three);
    return true;
  }
};

}  // namespace pybind11::detail

namespace saltus::python {
namespace {

struct ShapeObject {
  Shape shape;
};

ShapeObject checked(Shape shape) {
  check(shape);
  return {std::move(shape)};
}

using Points = py::array_t<double, py::array::c_style | py::array::forcecast>;
std::vector<Vector3> points_of(const Points& x, const char* what) {
  if (x.ndim() != 2 || x.shape(1) != 3) wrong("{} must have the shape (n, 3)", what);
  std::vector<Vector3> points;
  for (py::ssize_t i = 0; i < x.shape(0); ++i)
    points.emplace_back(x.at(i, 0), x.at(i, 1), x.at(i, 2));
  return points;
}

ShapeObject mesh(const Points& vertices, const Points& triangles) {
  std::vector<Vector3> corners = points_of(vertices, "vertices");
  if (triangles.ndim() != 2 || triangles.shape(1) != 3)
    wrong("triangles must have the shape (n, 3)");
  std::vector<std::array<int, 3>> of;
  for (py::ssize_t t = 0; t < triangles.shape(0); ++t)
    for (py::ssize_t k = 0; k < 3; ++k) {
      const double i = triangles.at(t, k);
      if (!(i >= 0.0 && i < static_cast<double>(corners.size())) || i != std::floor(i))
        wrong("triangles[{}, {}] is {} (the number of a vertex, from 0 to {})", t, k, i,
              static_cast<std::ptrdiff_t>(corners.size()) - 1);
      if (k == 0) of.emplace_back();
      of.back()[static_cast<std::size_t>(k)] = static_cast<int>(i);
    }
  return {triangle_mesh(std::move(corners), std::move(of))};
}

ShapeObject heights(const Points& height, const std::array<double, 2>& spacing,
                    const std::array<double, 2>& origin) {
  if (height.ndim() != 2) wrong("height must have the shape (rows along y, columns along x)");
  HeightField field;
  field.rows = static_cast<int>(height.shape(0));
  field.columns = static_cast<int>(height.shape(1));
  field.spacing_x = spacing[0];
  field.spacing_y = spacing[1];
  field.origin_x = origin[0];
  field.origin_y = origin[1];
  field.height.assign(height.data(), height.data() + height.size());
  return checked(height_field(std::move(field)));
}

int add_frame(PartsObject& self, const py::object& group, int body, std::string name) {
  const std::size_t g = self.group(group);
  const Group& of = self.parts.groups[g];
  if (body < 0 || body >= of.dynamics->bodies()) wrong("group '{}' has no body {}", of.name, body);
  if (!has(of.dynamics->traits(), Trait::rigid) && of.dynamics->velocities() > 0)
    wrong("group '{}' is not rigid and has no frames for shapes", of.name);
  if (name.empty()) name = of.bodies.empty() ? of.name : of.bodies[static_cast<std::size_t>(body)];
  self.parts.surfaces.frames.push_back({static_cast<int>(g), body, std::move(name)});
  return static_cast<int>(self.parts.surfaces.frames.size()) - 1;
}

int add_shape(PartsObject& self, const ShapeObject& shape, int frame, const Vector3& position,
              const std::array<double, 4>& rotation, int material) {
  Surfaces& surfaces = self.parts.surfaces;
  if (frame < -1 || frame >= static_cast<int>(surfaces.frames.size()))
    wrong("there is no frame {}; add_frame() gives its number, -1 is the world", frame);
  if (frame >= 0 && !can_move(shape.shape))
    wrong("a {} cannot move and must be in frame -1", shape_name(shape.shape));
  expect_finite(position, "position");
  if (material < 0) wrong("material is {} (>= 0)", material);
  const Quaternion Q(rotation[0], rotation[1], rotation[2], rotation[3]);
  if (!(Q.norm() > 0.0) || !std::isfinite(Q.norm())) wrong("rotation is (w, x, y, z), not all 0");
  if (material >= surfaces.materials ||
      surfaces.law.empty()) {  // a larger table with the previous entries
    const int before = surfaces.law.empty() ? 0 : surfaces.materials,
              now = std::max(material + 1, before);
    std::vector<int> law(static_cast<std::size_t>(now) * static_cast<std::size_t>(now), -1);
    for (int a = 0; a < before; ++a)
      for (int b = 0; b < before; ++b)
        law[static_cast<std::size_t>(a * now + b)] =
            surfaces.law[static_cast<std::size_t>(a * before + b)];
    surfaces.law = std::move(law);
    surfaces.materials = now;
  }
  surfaces.colliders.push_back(
      {shape.shape, {position, Q.normalized().toRotationMatrix()}, frame, material});
  return static_cast<int>(surfaces.colliders.size()) - 1;
}

void set_surface_law(PartsObject& self, int law, std::optional<int> a, std::optional<int> b) {
  Surfaces& surfaces = self.parts.surfaces;
  if (law < -1 || law >= static_cast<int>(self.parts.laws.size())) wrong("there is no law {}", law);
  if (surfaces.law.empty()) wrong("there is no shape yet: call add_shape() first");
  if (a.has_value() != b.has_value())
    wrong("give both materials a and b, or neither for all pairs");
  const int n = surfaces.materials;
  if (!a) {
    std::fill(surfaces.law.begin(), surfaces.law.end(), law);
    return;
  }
  for (const int material : {*a, *b})
    if (material < 0 || material >= n) wrong("there is no material {} of {}", material, n);
  surfaces.law[static_cast<std::size_t>(*a * n + *b)] = law;
  surfaces.law[static_cast<std::size_t>(*b * n + *a)] = law;
}

void set_surfaces(PartsObject& self, std::optional<double> margin, const py::object& plane) {
  Surfaces& surfaces = self.parts.surfaces;
  if (margin) {
    if (!(*margin >= 0.0) || !std::isfinite(*margin)) wrong("margin is {} (>= 0 m)", *margin);
    surfaces.margin = *margin;
  }
  if (!plane.is_none()) {
    const auto n = plane.cast<Vector3>();
    expect_finite(n, "plane");
    surfaces.plane = n.norm() > 0.0 ? Vector3(n.normalized()) : n;
  }
}

void exclude(PartsObject& self, int a, int b) {
  const int n =
      static_cast<int>(self.parts.surfaces.frames.size() + self.parts.surfaces.boundaries.size());
  for (const int frame : {a, b})
    if (frame < 0 || frame >= n) wrong("there is no frame {} of {}", frame, n);
  self.parts.surfaces.excluded.push_back({std::min(a, b), std::max(a, b)});
}

}  // namespace

void bind_part_surfaces(py::module_& m, PartsClass& cls) {
  using S = ShapeObject;
  py::class_<S>(
      m, "Shape",
      "A shape of a rigid body, in its own frame; lengths in m. UsageError for invalid shapes.")
      .def_static(
          "sphere", [](Length radius) { return checked(Sphere{radius.value}); }, py::arg("radius"),
          "Centred at the origin; radius [m].")
      .def_static(
          "ellipsoid", [](const Lengths& radii) { return checked(Ellipsoid{radii.value}); },
          py::arg("radii"), "radii: semi-axes along x, y, z [m].")
      .def_static(
          "capsule",
          [](Length radius, Length length) {
            return checked(Capsule{radius.value, length.value / 2});
          },
          py::arg("radius"), py::arg("length"),
          "Along z; radius [m], length [m] between the centres of its round ends.")
      .def_static(
          "cylinder",
          [](Length radius, Length length) {
            return checked(Cylinder{radius.value, length.value / 2});
          },
          py::arg("radius"), py::arg("length"), "Along z, with flat ends; radius [m], length [m].")
      .def_static(
          "box", [](const Lengths& size) { return checked(Box{size.value / 2}); }, py::arg("size"),
          "size: edge lengths along x, y, z [m].")
      .def_static(
          "plane", [] { return S{Plane{}}; }, "The half space z <= 0; fixed bodies only.")
      .def_static(
          "hull", [](const Points& points) { return S{convex_hull(points_of(points, "points"))}; },
          py::arg("points"), "The convex hull of points, shape (n, 3), n >= 4.")
      .def_static("mesh", &mesh, py::arg("vertices"), py::arg("triangles"),
                  "Triangles, counter-clockwise seen from outside; fixed bodies only. vertices: "
                  "shape (n, 3); triangles: shape (m, 3), from 0.")
      .def_static("height_field", &heights, py::arg("height"), py::arg("spacing"),
                  py::arg("origin") = std::array{0.0, 0.0},
                  "height [m], shape (along y, along x), over a grid of this spacing [m] in x and "
                  "y with its first corner at origin [m]; fixed bodies only.")
      .def_property_readonly(
          "kind", [](const S& s) { return shape_name(s.shape); }, "str : 'sphere', 'box', ...")
      .def_property_readonly(
          "can_move", [](const S& s) { return can_move(s.shape); },
          "bool : moving bodies may have it; planes, meshes and height fields are for fixed "
          "bodies.")
      .def(
          "moments",
          [](const S& s) {
            const SolidMoments found = moments(s.shape);
            return py::make_tuple(found.volume, Vector3(found.centre), Matrix3(found.inertia));
          },
          "tuple : (volume [m^3], centre [m], inertia about the centre at density 1 [m^5], (3, 3)) "
          "of the "
          "solid.")
      .def("__repr__",
           [](const S& s) { return fmt::format("<saltus.Shape {}>", shape_name(s.shape)); });
  cls.def("add_frame", &add_frame, py::arg("group"), py::arg("body") = 0, py::arg("name") = "",
          "Adds a rigid body with shapes: number `body` of a group (name or index); `name` is used "
          "in messages and results. Returns the number of its frame.")
      .def("add_shape", &add_shape, py::arg("shape"), py::arg("frame") = -1,
           py::arg("position") = Vector3(Vector3::Zero()),
           py::arg("rotation") = std::array{1.0, 0.0, 0.0, 0.0}, py::arg("material") = 0,
           "Adds a Shape to a frame (-1: the world) at position [m] and rotation (w, x, y, z); "
           "returns the number of the shape. material: an index for surface_law(). There is no "
           "contact before surface_law().")
      .def("surface_law", &set_surface_law, py::arg("law"), py::arg("a") = py::none(),
           py::arg("b") = py::none(),
           "Sets the law between shapes of materials a and b, or of all when not given; -1: no "
           "contact.")
      .def("surfaces", &set_surfaces, py::arg("margin") = py::none(), py::arg("plane") = py::none(),
           "margin [m]: contacts are detected below this gap. plane: normal of the plane in which "
           "all bodies move; [0, 0, 0]: they move in space.")
      .def("exclude", &exclude, py::arg("a"), py::arg("b"),
           "Excludes contact between the shapes of frames a and b.");
}

}  // namespace saltus::python

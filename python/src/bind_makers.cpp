// Builds objects from options: schemes and laws, checked by the option tables of scenes; linear and
// modal bodies from arrays.
#include <pybind11/stl.h>

#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "core.h"
#include "model_parts.h"
#include "saltus/base/options_check.h"
#include "saltus/bodies/linear.h"
#include "saltus/bodies/modal.h"
#include "saltus/scene/build_law.h"
#include "saltus/scene_file/renamed_keys.h"
#include "saltus/scene_file/yaml_document.h"
#include "saltus/schemes/registry.h"

namespace saltus::python {
namespace {

/// Removes source positions, since arguments of a call are in no file.
void forget_places(Node& node) {
  node.place = {};
  for (Node::Key& key : node.keys) key.place = {};
  for (Node& item : node.items) forget_places(item);
}

/// The options `json`, read and checked like those of a scene; SceneError with `path` before the
/// key.
template <class T>
T checked(const std::string& json, const std::string& path) {
  Node node = parse_yaml(json, path);
  rename_old_keys(node, path);
  forget_places(node);
  Places places;
  T out;
  read_detail::read_value(node, path, unit::one, places, out);
  check_detail::check_value(out, unit::one, kAnyNumber, path);
  return out;
}

std::shared_ptr<Scheme> scheme(const std::string& json) {
  return make_scheme(checked<SchemeChoice>(json, "scheme"));
}

int add_law(PartsObject& self, const std::string& json, const std::string& scheme_json) {
  const std::string path = fmt::format("laws[{}]", self.parts.laws.size());
  const auto choice = checked<LawChoice>(json, "law");
  self.parts.laws.push_back(law_of(choice, checked<SchemeChoice>(scheme_json, "scheme"),
                                   self.parts.options.instant, path));
  self.parts.law_path.push_back(path);
  return static_cast<int>(self.parts.laws.size()) - 1;
}

// ---- linear

SparseMatrix matrix_of(const py::object& given, const char* name) {
  if (given.is_none()) return {};
  std::vector<Entry> entries;
  if (py::hasattr(given, "tocoo")) {
    const py::object coo = given.attr("tocoo")();
    const auto shape = coo.attr("shape").cast<std::pair<py::ssize_t, py::ssize_t>>();
    if (shape.first != shape.second)
      wrong("linear: {} has the shape ({}, {}), a square matrix is expected", name, shape.first,
            shape.second);
    using Indices = py::array_t<int, py::array::c_style | py::array::forcecast>;
    const auto row = coo.attr("row").cast<Indices>(), column = coo.attr("col").cast<Indices>();
    const auto value = coo.attr("data").cast<Doubles>();
    for (py::ssize_t k = 0; k < value.size(); ++k)
      entries.push_back({row.data()[k], column.data()[k], value.data()[k]});
    return {static_cast<int>(shape.first), entries};
  }
  const py::array any = py::array::ensure(given);
  PyErr_Clear();
  if (!any || std::strchr("fiub", any.dtype().kind()) == nullptr || any.ndim() == 0)
    wrong("linear: {} is {}; expected an array (n, n), or (n,) for a diagonal", name,
          py::repr(given).cast<std::string>());
  const auto A = any.cast<Doubles>();
  const int n = static_cast<int>(A.shape(0));
  if (A.ndim() == 1) {
    for (int i = 0; i < n; ++i) entries.push_back({i, i, A.data()[i]});
    return {n, entries};
  }
  if (A.ndim() != 2 || A.shape(0) != A.shape(1))
    wrong("linear: {} has {} dimensions and is not square: (n, n), or (n,) for a diagonal", name,
          A.ndim());
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      if (A.at(i, j) != 0.0) entries.push_back({i, j, A.at(i, j)});
  return {n, entries};
}

std::shared_ptr<Dynamics> linear(const py::object& mass, const py::object& stiffness,
                                 const py::object& damping, const std::optional<Doubles>& load,
                                 const std::array<double, 2>& rayleigh,
                                 const std::optional<Doubles>& places,
                                 const std::optional<Doubles>& directions) {
  LinearSystem system;
  system.mass = matrix_of(mass, "mass");
  const int n = system.mass.size();
  if (n == 0) wrong("linear: mass has no rows");
  for (const auto& [given, name, out] : {std::tuple{&stiffness, "stiffness", &system.stiffness},
                                         {&damping, "damping", &system.damping}}) {
    *out = matrix_of(*given, name);
    if (!out->empty() && out->size() != n)
      wrong("linear: {0} is {1} x {1}, mass is {2} x {2}", name, out->size(), n);
  }
  if (load) {
    if (load->ndim() != 1 || load->size() != n)
      wrong("linear: load has {} elements for {} degrees of freedom", load->size(), n);
    system.load = Eigen::Map<const Vector>(load->data(), n);
  }
  system.rayleigh = {rayleigh[0], rayleigh[1]};
  if (places || directions) {
    system.points.resize(static_cast<std::size_t>(n));
    for (const auto& [given, name] : {std::pair{&places, "places"}, {&directions, "directions"}})
      if (*given && ((*given)->ndim() != 2 || (*given)->shape(0) != n || (*given)->shape(1) != 3))
        wrong("linear: {} must have the shape ({}, 3)", name, n);
    for (int i = 0; i < n; ++i) {
      DofPoint& point = system.points[static_cast<std::size_t>(i)];
      if (places) point.place = {places->at(i, 0), places->at(i, 1), places->at(i, 2)};
      if (directions)
        point.direction = unit({directions->at(i, 0), directions->at(i, 1), directions->at(i, 2)},
                               "linear: a direction");
    }
  }
  return std::make_shared<Linear>(std::move(system));
}

// ---- modal

Vector numbers(const Doubles& x, Eigen::Index n, const char* name) {
  if (x.ndim() == 0) return Vector::Constant(n, *x.data());
  if (x.ndim() != 1 || x.size() != n)
    wrong("modal: {} has {} elements for {} modes", name, x.size(), n);
  return Eigen::Map<const Vector>(x.data(), n);
}

std::shared_ptr<Dynamics> modal(const Doubles& omega, const Doubles& sigma, const Doubles& mass,
                                const std::optional<Doubles>& x,
                                const std::optional<Doubles>& shapes,
                                const std::optional<Doubles>& load, const Vector3& origin,
                                const Vector3& axis, const Vector3& direction) {
  if (omega.ndim() != 1 || omega.size() == 0)
    wrong("modal: omega must be an array of one number per mode");
  const Eigen::Index n = omega.size();
  if (x.has_value() != shapes.has_value()) wrong("modal: give both x and shapes, or neither");
  std::shared_ptr<const ModeShapes> table;
  if (x) {
    if (shapes->ndim() != 2 || shapes->shape(0) != x->size() || shapes->shape(1) != n)
      wrong("modal: shapes must have the shape ({}, {}): places x modes", x->size(), n);
    Matrix S(x->size(), n);
    for (py::ssize_t i = 0; i < shapes->shape(0); ++i)
      for (py::ssize_t j = 0; j < n; ++j) S(i, j) = shapes->at(i, j);
    table = tabulated_shapes({x->data(), x->data() + x->size()}, std::move(S));
  }
  return std::make_shared<Modal>(
      numbers(mass, n, "mass"), numbers(omega, n, "omega"), numbers(sigma, n, "sigma"), table,
      ModalPlacement{origin, unit(axis, "modal: axis"), unit(direction, "modal: direction")},
      load ? numbers(*load, n, "load") : Vector());
}

}  // namespace

void bind_makers(py::module_& m, PartsClass& cls) {
  m.def("_scheme", &scheme, py::arg("json"));
  m.def(
      "_check_law", [](const std::string& json) { checked<LawChoice>(json, "law"); },
      py::arg("json"));
  cls.def("_add_law", &add_law, py::arg("law"), py::arg("scheme"));
  m.def("linear", &linear, py::arg("mass"), py::arg("stiffness") = py::none(),
        py::arg("damping") = py::none(), py::arg("load") = py::none(),
        py::arg("rayleigh") = std::array{0.0, 0.0}, py::arg("places") = py::none(),
        py::arg("directions") = py::none(), R"(M q'' + C q' + K q = F, from arrays.

Parameters
----------
mass : array (n, n), diagonal (n,), or SciPy sparse matrix
    M [kg], symmetric positive definite.
stiffness, damping : as mass, optional
    K [N/m], which need not be symmetric, C [N s/m]; 0 if not given. Without K the system is M v' + C v = F.
load : array, shape (n,), optional
    Constant force [N].
rayleigh : (float, float)
    r_M [1/s], r_K [s]: C += r_M M + r_K K.
places, directions : array, shape (n, 3), optional
    Positions of the degrees of freedom in space: place + q direction; along z from the origin if not given.

Returns
-------
Dynamics
    For ModelParts.add_group(). Point.feature is the degree of freedom.

Raises
------
UsageError
    Sizes that disagree, M not symmetric or not positive definite, numbers that are not finite.)");
  m.def("modal", &modal, py::arg("omega"), py::arg("sigma") = 0.0, py::arg("mass") = 1.0,
        py::arg("x") = py::none(), py::arg("shapes") = py::none(), py::arg("load") = py::none(),
        py::arg("origin") = Vector3(Vector3::Zero()), py::arg("axis") = Vector3(Vector3::UnitX()),
        py::arg("direction") = Vector3(Vector3::UnitZ()),
        R"(mass (q'' + 2 sigma q' + omega^2 q) = load, from arrays of one number per mode.

Parameters
----------
omega : array, shape (n,)
    [rad/s], >= 0.
sigma, mass, load : array, shape (n,), or float
    [1/s], modal mass [kg], constant modal force [N].
x, shapes : arrays, shapes (k,) and (k, n), optional
    Values of the modes at places x [m], increasing; required by contact points and probes.
origin, axis, direction : sequence of 3 floats
    Point x of the body is at origin + x axis and moves along direction.

Returns
-------
Dynamics
    For ModelParts.add_group(). Point.local[0] is the place x along the body.)");
}

}  // namespace saltus::python

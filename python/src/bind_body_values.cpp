// Values that describe bodies: traits, sources, energies, points, modal and rigid-body data.
#include <pybind11/stl.h>

#include "py_dynamics.h"

namespace saltus::python {
namespace {

py::object trait_type(py::module_& m) {
  py::dict members;
  for (const auto& [name, bit] :
       {std::pair{"tangents", Trait::tangents}, std::pair{"affine", Trait::affine},
        std::pair{"modal", Trait::modal}, std::pair{"rotations", Trait::rotations},
        std::pair{"symmetric", Trait::symmetric}, std::pair{"fixed_points", Trait::fixed_points},
        std::pair{"second_order", Trait::second_order},
        std::pair{"constant_mass", Trait::constant_mass}, std::pair{"potential", Trait::potential},
        std::pair{"rigid", Trait::rigid}, std::pair{"separable", Trait::separable},
        std::pair{"driven", Trait::driven}})
    members[name] = static_cast<unsigned>(bit);
  py::object type = py::module_::import("enum").attr("IntFlag")("Trait", members);
  type.attr("__module__") = "saltus";
  type.attr("__doc__") =
      R"(Properties of a kind of body, which are compared with the needs of a scheme when a model is built.

Attributes
----------
tangents
    C and K are available.
affine
    F is affine in (q, v), M constant.
modal
    modal() is available.
rotations
    positions() != velocities(), or retract is not a sum.
symmetric
    C and K are symmetric.
fixed_points
    Point rows do not depend on q.
second_order
    Forces depend on q.
constant_mass
    M does not depend on q.
potential
    potential_force() is available.
rigid
    6 velocities and 7 positions per body; rigid(), load(), frames() and spin_rows() are available.
separable
    M is constant, forces other than the gyroscopic one do not depend on v, and coast() is the motion without them.
driven
    The potential energy depends on t through prescribed motion, and a step evaluates it at its start time. For bodies of
    the engine only; for others energy() is evaluated at the time of the state, and changes with t only are `unexplained`.)";
  m.attr("Trait") = type;
  return type;
}

}  // namespace

void bind_values(py::module_& m) {
  trait_type(m);
  m.attr("Combination") = py::type::of(combination_to_python({}));
  py::class_<Energy>(m, "Energy", "Kinetic and potential energy [J]. Unpacks into the two.")
      .def(py::init([](double kinetic, double potential) {
             return Energy{kinetic, potential};
           }),
           py::arg("kinetic") = 0.0, py::arg("potential") = 0.0)
      .def_readwrite("kinetic", &Energy::kinetic, "float : [J]")
      .def_readwrite("potential", &Energy::potential, "float : [J]")
      .def_property_readonly("total", &Energy::total, "float : [J]")
      .def("__len__", [](const Energy&) { return 2; })
      .def(
          "__getitem__",
          [](const Energy& self, int i) {
            if (i < 0 || i > 1) throw py::index_error();
            return i == 0 ? self.kinetic : self.potential;
          },
          py::arg("i"))
      .def("__repr__", [](const Energy& self) {
        return "Energy(kinetic=" + std::string(py::repr(py::float_(self.kinetic))) +
               ", potential=" + std::string(py::repr(py::float_(self.potential))) + ")";
      });
  py::class_<PointRef>(
      m, "PointRef",
      R"(A point fixed in a body: number of the body in its group, feature (node, point or
coordinate, depending on the kind), position in the body's own frame [m].)")
      .def(py::init([](int body, int feature, const py::object& local) {
             PointRef made{body, feature, Vector3::Zero()};
             if (!local.is_none()) made.local = *Brought(local, 3, "local");
             return made;
           }),
           py::arg("body") = 0, py::arg("feature") = 0, py::arg("local") = py::none())
      .def_readwrite("body", &PointRef::body, "int : number of the body in its group.")
      .def_readwrite("feature", &PointRef::feature,
                     "int : node, point or coordinate, depending on the kind.")
      .def_property(
          "local",
          [](const PointRef& self) { return read_only(py::array_t<double>(3, self.local.data())); },
          [](PointRef& self, const py::object& local) { self.local = *Brought(local, 3, "local"); },
          "ndarray, (3,) : [m], a copy; assign it as a whole.")
      .def("__repr__", [](const PointRef& self) {
        return "PointRef(body=" + std::to_string(self.body) +
               ", feature=" + std::to_string(self.feature) + ", local=(" +
               std::string(py::repr(py::float_(self.local[0]))) + ", " +
               std::string(py::repr(py::float_(self.local[1]))) + ", " +
               std::string(py::repr(py::float_(self.local[2]))) + "))";
      });
  py::class_<Source>(
      m, "Source",
      R"(A force with an account in the ledger. The work of a force with a potential is part of
Energy.potential.)")
      .def(py::init([](std::string name, bool potential) {
             return Source{std::move(name), potential};
           }),
           py::arg("name"), py::arg("potential") = false)
      .def_readonly("name", &Source::name, "str : name of its account in the ledger.")
      .def_readonly("potential", &Source::potential, "bool : it has a potential.")
      .def("__repr__", [](const Source& self) {
        return "Source(" + std::string(py::repr(py::str(self.name))) +
               (self.potential ? ", potential=True)" : ")");
      });
  py::class_<Rayleigh>(m, "Rayleigh", "Damping mass M + stiffness K [1/s, s].")
      .def(py::init([](double mass, double stiffness) {
             return Rayleigh{mass, stiffness};
           }),
           py::arg("mass") = 0.0, py::arg("stiffness") = 0.0)
      .def_readwrite("mass", &Rayleigh::mass, "float : mass coefficient [1/s]")
      .def_readwrite("stiffness", &Rayleigh::stiffness, "float : stiffness coefficient [s]");
  const auto vector = [](const Vector& x) {
    return read_only(py::array_t<double>(static_cast<py::ssize_t>(x.size()), x.data()));
  };
  py::class_<ModalData>(m, "ModalData", R"(Modes mass (q'' + 2 sigma q' + omega^2 q) = load + r.

Parameters
----------
mass, omega, sigma : array, (modes,)
    [kg], [rad/s] and [1/s].
damping, load : int
    Indices of these sources; load -1: none.
)")
      .def(py::init([](const py::object& mass, const py::object& omega, const py::object& sigma,
                       int damping, int load) {
             const auto n = static_cast<Eigen::Index>(py::len(mass));
             return ModalData{*Brought(mass, n, "mass"), *Brought(omega, n, "omega"),
                              *Brought(sigma, n, "sigma"), damping, load};
           }),
           py::arg("mass"), py::arg("omega"), py::arg("sigma"), py::arg("damping") = 0,
           py::arg("load") = -1)
      .def_property_readonly("mass", [=](const ModalData& self) { return vector(self.mass); })
      .def_property_readonly("omega", [=](const ModalData& self) { return vector(self.omega); })
      .def_property_readonly("sigma", [=](const ModalData& self) { return vector(self.sigma); })
      .def_readonly("damping", &ModalData::damping)
      .def_readonly("load", &ModalData::load);
  py::class_<RigidData>(m, "RigidData", R"(Mass and inertia of rigid bodies.

Parameters
----------
mass : sequence of float
    [kg], one per body.
inertia : array, (bodies, 3, 3)
    About the mass centre in the body frame [kg m^2].
steady_load : bool
    load() does not depend on t, q and v.
)")
      .def(py::init([](const std::vector<double>& mass, const py::object& inertia,
                       bool steady_load) {
             const auto n = static_cast<Eigen::Index>(mass.size());
             const auto J =
                 py::array_t<double, py::array::c_style | py::array::forcecast>::ensure(inertia);
             if (!J || J.size() != 9 * n)
               throw UsageError("inertia has " + shape_text(inertia) +
                                ", one 3 x 3 matrix per body is expected");
             RigidData made;
             made.mass = mass;
             made.steady_load = steady_load;
             for (Eigen::Index i = 0; i < n; ++i) {
               const Matrix3 own =
                   Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(J.data() + 9 * i);
               made.mass_inverse.push_back(
                   Vector3::Constant(1.0 / mass[static_cast<std::size_t>(i)]));
               made.inertia.push_back(own);
               Factor A;
               factorise(1.0, Matrix(own), 0.0, {}, 0.0, {}, 3, A);
               Matrix inverse = Matrix::Identity(3, 3);
               solve(A, inverse);
               made.inertia_inverse.emplace_back(inverse);
             }
             return made;
           }),
           py::arg("mass"), py::arg("inertia"), py::arg("steady_load") = false)
      .def_readonly("mass", &RigidData::mass)
      .def_property_readonly(
          "inertia",
          [](const RigidData& self) {
            py::array_t<double> made(
                {static_cast<py::ssize_t>(self.inertia.size()), py::ssize_t(3), py::ssize_t(3)});
            double* to = made.mutable_data();
            for (const Matrix3& J : self.inertia)
              for (int i = 0; i < 3; ++i)
                for (int j = 0; j < 3; ++j) *to++ = J(i, j);
            return read_only(std::move(made));
          })
      .def_readonly("steady_load", &RigidData::steady_load);
}

}  // namespace saltus::python

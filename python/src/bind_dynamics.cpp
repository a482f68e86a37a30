// Dynamics: bodies of the engine called from Python, and bodies written in Python.
#include <pybind11/stl.h>

#include "py_dynamics.h"

namespace saltus::python {
namespace {

using Body = const Dynamics&;

py::array_t<double> dense_rows(const PointRows& J, std::size_t count, Eigen::Index n) {
  py::array_t<double> made({static_cast<py::ssize_t>(count), py::ssize_t(3), n});
  double* const to = made.mutable_data();
  std::fill_n(to, made.size(), 0.0);
  for (std::size_t i = 0; i < count; ++i)
    for (int k = J.offset[i]; k < J.offset[i + 1]; ++k)
      for (int axis = 0; axis < 3; ++axis)
        for (int j = 0; j < J.width; ++j)
          to[(3 * static_cast<Eigen::Index>(i) + axis) * n + J.column[static_cast<std::size_t>(k)] +
             j] += J.value[static_cast<std::size_t>(J.width * (3 * k + axis) + j)];
  return made;
}

const char* const kDoc =
    R"(The equation of motion of a group of equal bodies, M(q) v' = F(t, q, v) + r with contact impulses r.

Bodies of the engine have this class (``model.groups[0].dynamics``), and their methods can be called: the last argument of a
method with an array result is the output; without it a new array is returned. Subclass it to write a body:

    class Pendulum(saltus.Dynamics):
        def positions(self): return 1
        def force(self, t, q, v, f): f[0] = -9.81 * math.sin(q[0])
        def potential_force(self, t, q, f): f[0] = -9.81 * math.sin(q[0])
        def potential(self, q): return 9.81 * (1 - math.cos(q[0]))
        def mass(self, q): return 1.0
        def stiffness(self, t, q, v): return 9.81 * math.cos(q[0])

A subclass must define ``positions()`` and ``force(t, q, v, f)``, and either ``mass(q)`` (with ``stiffness(t, q, v)`` K = -dF/dq
and ``damping(t, q, v)`` C = -dF/dv if there are any) or ``combination(s, t, q, v)`` = m M + c C + k K, or ``multiply(s, t,
q, v, x, y)`` together with ``factorise(s, t, q, v, A)``. The result of each must depend on its arguments only. (Their old
forms without t are still accepted, with a DeprecationWarning.) Matrices are numbers, diagonals, arrays of shape (n, n),
`SparseMatrix` or sparse matrices of SciPy; None means no damping or no stiffness. M must be symmetric and positive
definite, which ModelParts.build() checks if the class provides M. Everything else has a default:

- ``traits()``: second_order, tangents if there is a stiffness, potential if there is a potential_force. If M is constant
  and F is affine, return these traits, too: constant_mass, affine, symmetric, fixed_points make steps much cheaper.
- ``energy(t, q, v)``: v.Mv/2, and ``potential(q)`` if it is defined.
- ``sources()`` and ``power(t, q, v, w, by_source)``: "potential", "inertial" (with ``inertial(q, v)``, the c = M' v - ... of an M
  that depends on q, which F contains as -c), and "applied" for the rest of F.
- ``points(t, q, at, x)`` and ``point_rows(q, axes, at, J)``: from ``point(i, q)`` and ``point_jacobian(i, q)``; without these
  point i is coordinate i and moves along z. J has the shape (len(at), 3, velocities()) and is initialised with zeros.

Vectors are passed as arrays over memory of the engine, which are valid during the call only: keeping one is an error.
Outputs are written in place (``f[:] = ...``) or returned. A body that refers to its own model or simulation is never
freed: Python's garbage collector cannot detect this reference cycle.
)";

}  // namespace

void bind_dynamics(py::module_& m) {
  bind_operator(m);
  bind_factor(m);
  bind_values(m);
  const py::object Trait_ = m.attr("Trait");

  py::class_<PointTable, std::shared_ptr<PointTable>>(
      m, "PointTable", "Rows S of points with constant rows: y = S q, y' = S v.")
      .def_property_readonly("rows", &PointTable::rows, "int : number of rows of S.")
      .def_property_readonly(
          "rest",
          [](const PointTable& self) {
            return read_only(py::array_t<double>(static_cast<py::ssize_t>(self.rest().size()),
                                                 self.rest().data()));
          },
          "ndarray : components at q = 0 [m]; places are rest + S q.")
      .def(
          "apply",
          [](const PointTable& self,
             const py::array_t<double, py::array::c_style | py::array::forcecast>& x) {
            Wanted y(py::none(), self.rows(), "y");
            PointScratch scratch;
            const Eigen::Map<const Vector> given(x.data(), x.size());
            self.apply(given, scratch, *y);
            return y.array();
          },
          py::arg("x"), "S x, for a vector x like q or v.");

  py::class_<Dynamics, PythonBody, std::shared_ptr<Dynamics>> body(m, "Dynamics", kDoc);
  const auto q_of = [](Body b, const py::object& q) { return Brought(q, b.positions(), "q"); };
  const auto v_of = [](Body b, const py::object& v, const char* name = "v") {
    return Brought(v, b.velocities(), name);
  };

  body.def(py::init<>());
  for (const auto& [name, method, doc] :
       {std::tuple{"bodies", &Dynamics::bodies, "int : number of bodies in the group."},
        std::tuple{"positions", &Dynamics::positions, "int : size of q."},
        std::tuple{"velocities", &Dynamics::velocities, "int : size of v."},
        std::tuple{"prescribed", &Dynamics::prescribed,
                   "int : number of degrees of freedom with prescribed motion."}})
    body.def(
        name,
        [method = method](Body self) {
          const SuperOf super(self);
          return (self.*method)();
        },
        doc);
  body.def(
      "traits",
      [Trait_ = Trait_.ptr()](Body self) {
        const SuperOf super(self);
        return py::handle(Trait_)(self.traits());
      },
      "Trait : properties of this kind of body.");
  body.def_property_readonly(
      "engine",
      [](const py::object& self) -> py::object {
        const Dynamics* at = self.cast<const Dynamics*>();
        if (!dynamic_cast<const PythonBody*>(at)) return self;
        auto made = std::make_shared<BorrowedBody>();
        made->at = at;
        made->owner = self;
        return py::cast(std::static_pointer_cast<Dynamics>(made));
      },
      R"(Dynamics : this body as the engine calls it: outputs are optional and checked, and methods that the class does not define
have their defaults. For a body of the engine it is the body itself.)");

  body.def(
      "retract",
      [=](Body self, const py::object& q, const py::object& w, const py::object& out) {
        Wanted y(out, self.positions(), "out");
        const Brought given_q = q_of(self, q), given_w = v_of(self, w, "w");
        const SuperOf super(self);
        self.retract(*given_q, *given_w, *y);
        return y.array();
      },
      py::arg("q"), py::arg("w"), py::arg("out") = py::none(),
      "out = q (+) w, the configuration moved by the increment w.");
  body.def(
      "increment_rate",
      [=](Body self, const py::object& w, const py::object& v, const py::object& rate) {
        Wanted y(rate, self.velocities(), "rate");
        const Brought given_w = v_of(self, w, "w"), given_v = v_of(self, v);
        const SuperOf super(self);
        self.increment_rate(*given_w, *given_v, *y);
        return y.array();
      },
      py::arg("w"), py::arg("v"), py::arg("rate") = py::none(),
      "rate = dw/dt for q(t) = q0 (+) w(t) moving with v.");
  for (const auto& [name, method, doc] :
       {std::tuple{"force", &Dynamics::force, "F(t, q, v) [N, N m], the sum of all smooth forces."},
        std::tuple{"load", &Dynamics::load, "F without the gyroscopic moment [N, N m]."}})
    body.def(
        name,
        [=, method = method](Body self, double t, const py::object& q, const py::object& v,
                             const py::object& f) {
          Wanted y(f, self.velocities(), "f");
          const Brought given_q = q_of(self, q), given_v = v_of(self, v);
          const SuperOf super(self);
          (self.*method)(t, *given_q, *given_v, *y);
          return y.array();
        },
        py::arg("t"), py::arg("q"), py::arg("v"), py::arg("f") = py::none(), doc);
  body.def(
      "coast",
      [=](Body self, double h, const py::object& q, const py::object& v) {
        const Brought given_q = q_of(self, q), given_v = v_of(self, v);
        Wanted q1(py::none(), self.positions(), "q"), v1(py::none(), self.velocities(), "v");
        *q1 = *given_q;
        *v1 = *given_v;
        const SuperOf super(self);
        self.coast(h, *q1, *v1);
        return py::make_tuple(q1.array(), v1.array());
      },
      py::arg("h"), py::arg("q"), py::arg("v"),
      "(q, v) after a motion of duration h without forces; with Trait.separable.");
  body.def(
      "potential_force",
      [=](Body self, double t, const py::object& q, const py::object& f) {
        Wanted y(f, self.velocities(), "f");
        const Brought given_q = q_of(self, q);
        const SuperOf super(self);
        self.potential_force(t, *given_q, *y);
        return y.array();
      },
      py::arg("t"), py::arg("q"), py::arg("f") = py::none(),
      "-dV/dq with V = energy().potential [N]. With Trait.potential.");
  body.def(
      "multiply",
      [=](Body self, const py::object& s, double t, const py::object& q, const py::object& v,
          const py::object& x, const py::object& out) {
        Wanted y(out, self.velocities(), "y");
        const Combination factors = combination_of(s);
        const Brought given_q = q_of(self, q), given_v = v_of(self, v),
                      given_x = v_of(self, x, "x");
        const SuperOf super(self);
        self.multiply(factors, t, *given_q, *given_v, *given_x, *y);
        return y.array();
      },
      py::arg("s"), py::arg("t"), py::arg("q"), py::arg("v"), py::arg("x"),
      py::arg("y") = py::none(), "(m M + c C + k K)(t, q, v) x with s = (m, c, k).");
  body.def(
      "factorise",
      [=](Body self, const py::object& s, double t, const py::object& q, const py::object& v,
          const py::object& A) {
        auto view = A.is_none() ? py::type::of<FactorView>()().cast<std::shared_ptr<FactorView>>()
                                : A.cast<std::shared_ptr<FactorView>>();
        const Combination factors = combination_of(s);
        const Brought given_q = q_of(self, q), given_v = v_of(self, v);
        Factor& into = view->get();
        if (view->own) view->size = self.velocities();
        const SuperOf super(self);
        self.factorise(factors, t, *given_q, *given_v, into);
        return view;
      },
      py::arg("s"), py::arg("t"), py::arg("q"), py::arg("v"), py::arg("A") = py::none(),
      "A <- factor of (m M + c C + k K)(t, q, v) with s = (m, c, k). Returns A.");
  body.def(
      "factorise_exact",
      [=](Body self, const py::object& s, double weight, const py::object& x, double t,
          const py::object& q, const py::object& v, const std::shared_ptr<FactorView>& A) {
        const Combination factors = combination_of(s);
        const Brought given_x = v_of(self, x, "x"), given_q = q_of(self, q),
                      given_v = v_of(self, v);
        Factor& into = A->get();
        if (A->own) A->size = self.velocities();
        const SuperOf super(self);
        self.factorise_exact(factors, weight, *given_x, t, *given_q, *given_v, into);
        return A;
      },
      py::arg("s"), py::arg("weight"), py::arg("x"), py::arg("t"), py::arg("q"), py::arg("v"),
      py::arg("A"), "A <- factor of (m M + c C + k K + weight d(M x)/dq)(t, q, v).");
  body.def(
      "rigid",
      [](Body self) -> py::object {
        const SuperOf super(self);
        const RigidData* data = self.rigid();
        return data ? py::cast(*data) : py::none();
      },
      "RigidData or None : a copy. With Trait.rigid.");
  body.def(
      "modal",
      [](Body self) -> py::object {
        const SuperOf super(self);
        const ModalData* data = self.modal();
        return data ? py::cast(*data) : py::none();
      },
      "ModalData or None : a copy. With Trait.modal.");
  body.def(
      "rayleigh",
      [](Body self) {
        const SuperOf super(self);
        return self.rayleigh();
      },
      "Rayleigh : the part of C that is Rayleigh damping.");
  body.def(
      "reactions",
      [=](Body self, double t, const py::object& q, const py::object& v, const py::object& a,
          const py::object& forces) {
        Wanted y(forces, self.prescribed(), "forces");
        const Brought given_q = q_of(self, q), given_v = v_of(self, v),
                      given_a = v_of(self, a, "a");
        const SuperOf super(self);
        self.reactions(t, *given_q, *given_v, *given_a, *y);
        return y.array();
      },
      py::arg("t"), py::arg("q"), py::arg("v"), py::arg("a"), py::arg("forces") = py::none(),
      "forces [N] at the prescribed degrees of freedom for motion (q, v, a) of the others.");
  body.def(
      "point_reactions",
      [=](Body self, double t, const py::object& q, const py::object& at, const py::object& f,
          const py::object& forces) {
        Wanted y(forces, self.prescribed(), "forces");
        const auto where = points_of(at);
        const auto given =
            py::array_t<double, py::array::c_style | py::array::forcecast>::ensure(f);
        const auto n = 3 * static_cast<Eigen::Index>(where.size());
        if (!given || given.size() != n)
          throw UsageError("f has " + shape_text(f) + ", three numbers per point are expected");
        const Brought given_q = q_of(self, q);
        const SuperOf super(self);
        self.point_reactions(t, *given_q, where, Eigen::Map<const Vector>(given.data(), n), *y);
        return y.array();
      },
      py::arg("t"), py::arg("q"), py::arg("at"), py::arg("f"), py::arg("forces") = py::none(),
      "As prescribed reactions, for forces f, (points, 3), on points: forces -= J_p^T f.");
  body.def(
      "prescribed_columns",
      [=](Body self, const py::object& s, double t, const py::object& q, const py::object& v) {
        const Combination factors = combination_of(s);
        const Brought given_q = q_of(self, q), given_v = v_of(self, v);
        const Eigen::Index rows = self.velocities() + self.prescribed(),
                           columns = self.prescribed();
        py::array_t<double, py::array::f_style> made({rows, columns});
        std::fill_n(made.mutable_data(), made.size(), 0.0);
        const SuperOf super(self);
        self.prescribed_columns(factors, t, *given_q, *given_v,
                                Eigen::Map<Matrix>(made.mutable_data(), rows, columns));
        return made;
      },
      py::arg("s"), py::arg("t"), py::arg("q"), py::arg("v"),
      "Columns of m M + c C + k K for the prescribed degrees of freedom, (velocities() + "
      "prescribed(), prescribed()).");

  for (const auto& [name, method, doc] :
       {std::tuple{"points", &Dynamics::points,
                   "Positions of points in the world at t [m], (len(at), 3)."},
        std::tuple{"point_drift", &Dynamics::point_drift,
                   "Prescribed part of the velocity of points at t [m/s], (len(at), 3)."},
        std::tuple{"spin_drift", &Dynamics::spin_drift,
                   "Prescribed part of the angular velocity of the bodies of points at t [rad/s], "
                   "(len(at), 3)."}})
    body.def(
        name,
        [=, method = method](Body self, double t, const py::object& q, const py::object& at,
                             const py::object& x) {
          const auto where = points_of(at);
          Wanted y(x, static_cast<Eigen::Index>(where.size()), 3, "x");
          const Brought given_q = q_of(self, q);
          const SuperOf super(self);
          (self.*method)(t, *given_q, where, *y);
          return y.array();
        },
        py::arg("t"), py::arg("q"), py::arg("at"), py::arg("x") = py::none(), doc);
  for (const auto& [name, method, doc] :
       {std::tuple{"point_rows", &Dynamics::point_rows,
                   "J of x' = J v + d, (len(at), 3, velocities()), expressed in the axes of the "
                   "configuration `axes`."},
        std::tuple{
            "spin_rows", &Dynamics::spin_rows,
            "J of omega = J v in space [rad/s], (len(at), 3, velocities()). With Trait.rigid."}})
    body.def(
        name,
        [=, method = method](Body self, const py::object& q, const py::object& axes,
                             const py::object& at) {
          const auto where = points_of(at);
          const Brought given_q = q_of(self, q),
                        given_axes = Brought(axes.is_none() ? q : axes, self.positions(), "axes");
          PointRows J;
          const SuperOf super(self);
          (self.*method)(*given_q, *given_axes, where, J);
          return dense_rows(J, where.size(), self.velocities());
        },
        py::arg("q"), py::arg("axes"), py::arg("at"), doc);
  body.def(
      "frames",
      [=](Body self, double t, const py::object& q) {
        const Brought given_q = q_of(self, q);
        std::vector<Pose> poses(static_cast<std::size_t>(self.bodies()));
        const SuperOf super(self);
        self.frames(t, *given_q, poses);
        const auto n = static_cast<py::ssize_t>(poses.size());
        py::array_t<double> x({n, py::ssize_t(3)}), R({n, py::ssize_t(3), py::ssize_t(3)});
        for (py::ssize_t i = 0; i < n; ++i)
          for (int j = 0; j < 3; ++j) {
            x.mutable_at(i, j) = poses[static_cast<std::size_t>(i)].x[j];
            for (int k = 0; k < 3; ++k)
              R.mutable_at(i, j, k) = poses[static_cast<std::size_t>(i)].R(j, k);
          }
        return py::make_tuple(x, R);
      },
      py::arg("t"), py::arg("q"),
      "(x, R): positions of the bodies, (bodies, 3) [m], and rotations, (bodies, 3, 3).");
  body.def(
      "table",
      [](Body self, const py::object& at, const py::object& direction) -> py::object {
        const auto where = points_of(at);
        const auto given =
            py::array_t<double, py::array::c_style | py::array::forcecast>::ensure(direction);
        if (!given || given.size() != 3 * static_cast<py::ssize_t>(where.size()))
          throw UsageError("direction has " + shape_text(direction) +
                           ", one of three numbers per point is expected");
        std::vector<Vector3> directions;
        for (std::size_t i = 0; i < where.size(); ++i)
          directions.emplace_back(Eigen::Map<const Vector3>(given.data() + 3 * i));
        auto made = self.table(where, directions);
        return made ? py::cast(std::shared_ptr<PointTable>(std::move(made))) : py::none();
      },
      py::arg("at"), py::arg("direction"),
      R"(PointTable or None : H of the points `at`, each along a unit direction, constant in time. With
Trait.fixed_points. For bodies written in Python it is computed from points() and point_rows().)");

  body.def(
      "sources",
      [](Body self) {
        const SuperOf super(self);
        const auto all = self.sources();
        return std::vector<Source>(all.begin(), all.end());
      },
      "list of Source : the forces listed in the ledger.");
  body.def(
      "energy",
      [=](Body self, double t, const py::object& q, const py::object& v) {
        const Brought given_q = q_of(self, q), given_v = v_of(self, v);
        const SuperOf super(self);
        return self.energy(t, *given_q, *given_v);
      },
      py::arg("t"), py::arg("q"), py::arg("v"), "Energy [J].");
  body.def(
      "power",
      [=](Body self, double t, const py::object& q, const py::object& v, const py::object& w,
          const py::object& by_source) {
        Wanted y(by_source, static_cast<Eigen::Index>(self.sources().size()), "by_source");
        const Brought given_q = q_of(self, q), given_v = v_of(self, v),
                      given_w = v_of(self, w, "w");
        const SuperOf super(self);
        self.power(t, t, *given_q, *given_v, *given_w,
                   std::span((*y).data(), static_cast<std::size_t>((*y).size())));
        return y.array();
      },
      py::arg("t"), py::arg("q"), py::arg("v"), py::arg("w"), py::arg("by_source") = py::none(),
      "F_s(t, q, v) . w [W], one per source; their sum is F . w.");
}

}  // namespace saltus::python

// Functions shared by the schemes of the engine, for schemes written in Python.
#include <pybind11/stl.h>

#include "py_scheme.h"
#include "saltus/schemes/implicit.h"

namespace saltus::python {

void bind_scheme_tools(py::module_& m) {
  m.def(
      "outstanding_change",
      [](const Dynamics& body, const TrialView& x, const py::object& dv,
         const py::object& response) {
        const Eigen::Index n = body.velocities();
        const Vector change = *Brought(dv, n, "dv"), answer = *Brought(response, n, "response");
        Vector product(n), scale(std::max<Eigen::Index>(n, body.bodies()));
        return outstanding_change(body, x.get(), change, answer, product, scale);
      },
      py::arg("body"), py::arg("x"), py::arg("dv"), py::arg("response"),
      R"(Largest |dv|_M / max(|v0|_M, |v1|_M, |response|_M) over the bodies of the group, with M at (q1, v1) of the trial: the
value that Scheme.correct() returns, with response = A^-1 r. Infinite if a number is not finite.)");
  m.def(
      "book_sources",
      [](const Dynamics& body, double t, const py::object& q, const py::object& v,
         const py::object& w, double weight_h, const py::object& by_source,
         std::optional<double> held) {
        Wanted out(by_source, static_cast<Eigen::Index>(body.sources().size()), "by_source");
        const Brought at_q(q, body.positions(), "q"), at_v(v, body.velocities(), "v"),
            along(w, body.velocities(), "w");
        book_sources(body, t, held.value_or(t), *at_q, *at_v, *along, weight_h,
                     std::span((*out).data(), static_cast<std::size_t>((*out).size())));
        return out.array();
      },
      py::arg("body"), py::arg("t"), py::arg("q"), py::arg("v"), py::arg("w"), py::arg("weight_h"),
      py::arg("by_source") = py::none(), py::arg("held") = py::none(),
      R"(by_source += weight_h F_s(t, q, v) . w for the sources without a potential, 0 for the others [J]. For bodies with
Trait.driven the forces of the potential energy are evaluated with prescribed coordinates at time `held`, the start x.t0
of a step whose work.energy is also evaluated at x.t0: the energy balance of the step is then exact, and the engine moves
the prescribed coordinates after it. Without `held` they are evaluated at t.)");
  m.def(
      "curvature",
      [](const Dynamics& body, double t, const py::object& q, const py::object& v,
         const py::object& w) {
        const Brought at_q(q, body.positions(), "q"), at_v(v, body.velocities(), "v");
        const Vector along = *Brought(w, body.velocities(), "w");
        Vector product(along.size());
        return curvature(body, t, *at_q, *at_v, along, product);
      },
      py::arg("body"), py::arg("t"), py::arg("q"), py::arg("v"), py::arg("w"),
      "w . K w at (t, q, v) with K of the potential [J].");
  struct PassWatch {
    Vector memory;
    PassWatch() { RoundOff::begin(memory); }
  };
  py::class_<PassWatch>(
      m, "RoundOff", py::dynamic_attr(),
      R"(Distinguishes round-off from slow convergence in the iterations of a step: a body that hardly moves cannot
meet a tolerance relative to its velocity. Use one for each trial; call ``begin()`` before the first iteration of a step.)")
      .def(py::init<>())
      .def(
          "begin", [](PassWatch& self) { RoundOff::begin(self.memory); },
          "Resets the memory; call it before the first iteration of a step.")
      .def(
          "reached",
          [](PassWatch& self, const Dynamics& body, const TrialView& x, double change,
             const py::object& dv, const FactorView& A, const py::object& q, const py::object& v) {
            const Vector step = *Brought(dv, body.velocities(), "dv");
            const Brought at_q(q, body.positions(), "q"), at_v(v, body.velocities(), "v");
            Vector product(step.size()), response(step.size()),
                scale(std::max<Eigen::Index>(step.size(), body.bodies()));
            return RoundOff::reached(body, x.get(), change, step, A.get(), *at_q, *at_v,
                                     self.memory, product, response, scale);
          },
          py::arg("body"), py::arg("x"), py::arg("change"), py::arg("dv"), py::arg("A"),
          py::arg("q"), py::arg("v"),
          "Whether the change dv of relative size `change`, of the trial x, is round-off, with A "
          "and K at (x.t_at, q, v).");
}

}  // namespace saltus::python

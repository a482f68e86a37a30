// Shared by the files of the module `saltus._core`: one function per topic, and arrays over memory
// of the engine.
#pragma once
#include <fmt/format.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include "saltus/base/base.h"
#include "saltus/base/error.h"

namespace saltus::python {

namespace py = pybind11;

/// Each adds its classes and functions to the module, in the order of module.cpp: later ones may
/// refer to classes of earlier ones.
void bind_errors(py::module_& m);
void bind_scene(py::module_& m);       ///< Scene, check, describe
void bind_dynamics(py::module_& m);    ///< Dynamics, Operator, bodies; can be subclassed
void bind_scheme(py::module_& m);      ///< Scheme, Trial, registry; can be subclassed
void bind_solver(py::module_& m);      ///< ContactSolver, ContactProblem, solve; can be subclassed
void bind_model(py::module_& m);       ///< Model, its groups, pairs, laws, joints
void bind_parts(py::module_& m);       ///< ModelParts: models built in code
void bind_simulation(py::module_& m);  ///< Simulation, State, StepReport, contacts
void bind_run(py::module_& m);         ///< runs to a results file, resume, checkpoints
void bind_results(py::module_& m);     ///< Results, convert, compare, report, cite
void bind_study(py::module_& m);       ///< study, sweep

/// A UsageError with a text formatted as by fmt::format.
template <class... T>
[[noreturn]] void wrong(fmt::format_string<T...> text, T&&... values) {
  throw UsageError(fmt::format(text, std::forward<T>(values)...));
}

/// Makes an array read-only, since changes of a copy would have no effect.
template <typename Array>
Array read_only(Array array) {
  py::detail::array_proxy(array.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  return array;
}

/// NumPy array over `n` numbers that `owner` keeps alive, without copying. Read-only unless
/// `writable`.
inline py::array_t<double> array_over(const double* data, py::ssize_t n, py::handle owner,
                                      bool writable = false) {
  py::array_t<double> array({n}, {static_cast<py::ssize_t>(sizeof(double))}, data, owner);
  return writable ? array : read_only(std::move(array));
}

}  // namespace saltus::python

// Passes contact solvers between Python and C++.
#pragma once
#include <memory>

#include "contact_problem.h"

namespace saltus::python {

/// A solver given in Python, by name or as an object; the return value keeps a solver written in
/// Python alive. UsageError for an unknown name.
std::shared_ptr<const ContactSolver> solver_of(const py::object& solver);

}  // namespace saltus::python

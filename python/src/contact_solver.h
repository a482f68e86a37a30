// Contact solvers across the two languages.
#pragma once
#include <memory>

#include "contact_problem.h"

namespace saltus::python {

/// A solver given by Python, by name or as an object; one written in Python lives as long as what this returns.
/// UsageError for a name that is not there.
std::shared_ptr<const ContactSolver> solver_of(const py::object& solver);

}  // namespace saltus::python

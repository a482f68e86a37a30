// Objects made in Python that the engine calls: how they are kept alive, and which classes the files of the extensions bind.
//
// bind_dynamics.cpp: Dynamics, Energy, PointRef, Source, Rayleigh, ModalData, RigidData, PointTable, SparseMatrix, Factor,
// Operator, GroupState. bind_scheme.cpp: Scheme, Prepared, Stage, PassLimits, StepWork, Trial. The holders of Dynamics,
// Scheme, Operator are shared pointers. Other files use these classes and register none of them again.
#pragma once
#include <memory>
#include <string>

#include "bind.h"
#include "gil.h"
#include "saltus/base/error.h"
#include "saltus/dynamics/dynamics.h"

namespace saltus::python {

/// That M is positive definite at q, of bodies written in Python whose class gives it as a matrix (by its diagonal where it is
/// sparse); UsageError.
void expect_mass(const Dynamics& body, View q);

/// What classes for Python subclasses have beside their contract.
class Extended {
 public:
  virtual ~Extended() = default;
  /// Throws UsageError naming the class and every method that it must have and has not. Needs the GIL.
  virtual void check() const = 0;
};

/// Drops a reference of Python from any thread.
struct HeldObject {
  PyObject* object;
  void operator()(const void*) const {
    if (!Py_IsInitialized()) return;  // at the end of the process there is nobody left to tell
    const Gil gil;
    Py_DECREF(object);
  }
};

/// The C++ object of `object` for the engine, which keeps `object` itself alive by it: a scheme written in Python lives as
/// long as a model that uses it. py::cast of what this returns is `object` again. Needs the GIL; TypeError for anything else,
/// UsageError where a method is missing.
template <class T>
std::shared_ptr<const T> hold(const py::handle& object) {
  const T* at = object.cast<const T*>();
  if (!at) throw py::type_error("None stands where an object of the engine is wanted");
  if (const auto* made = dynamic_cast<const Extended*>(at)) made->check();
  return std::shared_ptr<const T>(at, HeldObject{object.inc_ref().ptr()});
}

}  // namespace saltus::python

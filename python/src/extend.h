// Objects written in Python that the engine calls: their lifetime, and which extension file binds
// which class.
//
// bind_dynamics.cpp: Dynamics, Energy, PointRef, Source, Rayleigh, ModalData, RigidData,
// PointTable, SparseMatrix, Factor, Operator, GroupState. bind_scheme.cpp: Scheme, Prepared, Stage,
// PassLimits, StepWork, Trial. The holders of Dynamics, Scheme, Operator are shared pointers. Other
// files use these classes without registering them again.
#pragma once
#include <memory>
#include <string>

#include "bind.h"
#include "gil.h"
#include "saltus/base/error.h"
#include "saltus/dynamics/dynamics.h"

namespace saltus::python {

/// UsageError unless M is positive definite at q; checked for bodies written in Python whose class
/// provides M as a matrix (only the diagonal if it is sparse).
void expect_mass(const Dynamics& body, View q);

/// Members of subclassable classes besides their contract.
class Extended {
 public:
  virtual ~Extended() = default;
  /// Throws UsageError with the class and every required method that is missing. Needs the GIL.
  virtual void check() const = 0;
};

/// Releases a Python reference from any thread.
struct HeldObject {
  PyObject* object;
  void operator()(const void*) const {
    // after the end of the interpreter the reference cannot be released
    if (!Py_IsInitialized()) return;
    const Gil gil;
    Py_DECREF(object);
  }
};

/// The C++ object of `object` for the engine, which also keeps `object` alive: a scheme written in
/// Python lives as long as a model that uses it. py::cast of the return value gives `object` again.
/// Needs the GIL; TypeError for anything else, UsageError if a method is missing.
template <class T>
std::shared_ptr<const T> hold(const py::handle& object) {
  const T* at = object.cast<const T*>();
  if (!at) throw py::type_error("None was given instead of an object of the engine");
  if (const auto* made = dynamic_cast<const Extended*>(at)) made->check();
  return std::shared_ptr<const T>(at, HeldObject{object.inc_ref().ptr()});
}

}  // namespace saltus::python

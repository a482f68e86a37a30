// Arrays that Python is lent over memory of the engine, and vectors that it brings.
//
// A loan lasts for one call. What Python still has of it then is given a copy of its own, so that it never points at memory
// that moved on; slices of it are beyond reach, which is why keeping one is an error and not a convenience.
#pragma once
#include <string>
#include <utility>

#include "bind.h"
#include "saltus/base/error.h"

namespace saltus::python {

/// One array over numbers of the engine. Needs the GIL for everything.
class Loan {
 public:
  Loan() = default;
  Loan(const double* data, Eigen::Index n, bool writable) { over(data, n, writable); }
  Loan(Loan&& other) noexcept : array_(std::exchange(other.array_, nullptr)) {}
  Loan& operator=(Loan&& other) noexcept {
    std::swap(array_, other.array_);
    return *this;
  }
  ~Loan() { end(); }

  /// The array over n numbers: the object of before, moved to where they are now.
  PyObject* over(const double* data, Eigen::Index n, bool writable);
  /// A new array over a matrix, strides in numbers.
  PyObject* over(const double* data, Eigen::Index rows, Eigen::Index columns,
                 Eigen::Index row_stride, Eigen::Index column_stride, bool writable);
  PyObject* get() const { return array_; }
  /// Whether somebody else has it.
  bool kept() const { return array_ && Py_REFCNT(array_) > 1; }
  void end() noexcept;

 private:
  PyObject* array_ = nullptr;
};

/// "(3,)" or "(2, 3)": the shape of whatever was brought, or its type.
std::string shape_text(py::handle of);

/// Numbers from Python, of one size: arrays of float64 as they are, others converted.
class Brought {
 public:
  /// UsageError: "WHAT has shape (3,), (2,) is wanted".
  Brought(py::handle from, Eigen::Index n, const char* what);
  const Eigen::Map<const Vector>& operator*() const { return map_; }

 private:
  py::object owner_;
  Eigen::Map<const Vector> map_;
};

/// An array of float64 to be written: one that was given, exactly as it must be, or a new one of zeros.
class Wanted {
 public:
  Wanted(py::handle given, Eigen::Index n, const char* what);
  /// rows x columns, row by row
  Wanted(py::handle given, Eigen::Index rows, Eigen::Index columns, const char* what);
  Eigen::Map<Vector>& operator*() { return map_; }
  py::array_t<double> array() const { return py::reinterpret_borrow<py::array_t<double>>(array_); }

 private:
  py::object array_;
  Eigen::Map<Vector> map_;
};

/// target = value, of one size; for properties.
void assign(Eigen::Ref<Vector> target, py::handle value, const char* what);

/// Marks numbers as not yet written; nothing computes this pattern of bits.
void mark(double* data, Eigen::Index n);
/// The first that is still marked, -1: none.
Eigen::Index first_marked(const double* data, Eigen::Index n);

}  // namespace saltus::python

// Arrays over memory of the engine that are lent to Python, and vectors passed from Python.
//
// A loan lasts for one call. If Python still has the array afterwards, the array gets a copy of the
// data, so that it never points to memory that has moved; slices of it cannot be corrected in this
// way, which is why keeping one is an error.
#pragma once
#include <string>
#include <utility>

#include "bind.h"
#include "saltus/base/error.h"

namespace saltus::python {

/// One array over numbers of the engine. All members need the GIL.
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

  /// The array over n numbers: the previous object, redirected to the current address.
  PyObject* over(const double* data, Eigen::Index n, bool writable);
  /// A new array over a matrix, strides in numbers.
  PyObject* over(const double* data, Eigen::Index rows, Eigen::Index columns,
                 Eigen::Index row_stride, Eigen::Index column_stride, bool writable);
  PyObject* get() const { return array_; }
  /// Whether Python code holds another reference to the array.
  bool kept() const { return array_ && Py_REFCNT(array_) > 1; }
  void end() noexcept;

 private:
  PyObject* array_ = nullptr;
};

/// "(3,)" or "(2, 3)": the shape of a given object, or its type.
std::string shape_text(py::handle of);

/// Numbers from Python, of a given size: float64 arrays are used directly, others converted.
class Brought {
 public:
  /// UsageError: "WHAT has shape (3,), (2,) is expected".
  Brought(py::handle from, Eigen::Index n, const char* what);
  const Eigen::Map<const Vector>& operator*() const { return map_; }

 private:
  py::object owner_;
  Eigen::Map<const Vector> map_;
};

/// A float64 array to be written: a given one of exactly the required form, or a new one of zeros.
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

/// Sets target = value, of the same size; for properties.
void assign(Eigen::Ref<Vector> target, py::handle value, const char* what);

/// Marks numbers as not yet written, with a bit pattern that no computation produces.
void mark(double* data, Eigen::Index n);
/// The first number that is still marked, -1: none.
Eigen::Index first_marked(const double* data, Eigen::Index n);

}  // namespace saltus::python

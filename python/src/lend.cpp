#include "lend.h"

#include <cstdint>
#include <cstring>
#include <vector>

namespace saltus::python {
namespace {

using Proxy = py::detail::PyArray_Proxy;
using Api = py::detail::npy_api;
constexpr std::uint64_t kUnwritten = 0x7ff85a1705a17055;  // a quiet NaN
constexpr int kContiguous = 1 | 2;                        // by rows and by columns

// Vectors that are not lent at present; they exist until the end of the process
std::vector<PyObject*>& spare() {
  static auto* const pool = new std::vector<PyObject*>;
  return *pool;
}

PyObject* new_vector() {
  double nothing = 0.0;
  return py::array_t<double>({py::ssize_t(1)}, {py::ssize_t(sizeof nothing)}, &nothing, py::none())
      .release()
      .ptr();
}

void set_writable(Proxy* array, bool writable) {
  if (writable)
    array->flags |= Api::NPY_ARRAY_WRITEABLE_;
  else
    array->flags &= ~Api::NPY_ARRAY_WRITEABLE_;
}

PyObject* float64() {
  static PyObject* const f64 = py::dtype::of<double>().release().ptr();
  return f64;
}

/// Whether an array is as new_vector() made it, except for data and length: Python may change type,
/// shape and strides of every array in place.
bool as_made(PyObject* lent) {
  const Proxy* const array = py::detail::array_proxy(lent);
  const auto weak = Py_TYPE(lent)->tp_weaklistoffset;
  const bool watched =
      weak > 0 && *reinterpret_cast<PyObject**>(reinterpret_cast<char*>(lent) + weak) != nullptr;
  return array->descr == float64() && array->nd == 1 && array->strides[0] == sizeof(double) &&
         (array->flags & ~Api::NPY_ARRAY_WRITEABLE_) == (kContiguous | Api::NPY_ARRAY_ALIGNED_) &&
         array->base == Py_None && !watched;
}

// The kept array gets its own data.
void give_copy(PyObject* kept) {
  Proxy* const array = py::detail::array_proxy(kept);
  py::array copy = py::reinterpret_borrow<py::object>(kept).attr("copy")("C");
  Proxy* const from = py::detail::array_proxy(copy.ptr());
  for (int i = 0; i < array->nd; ++i) array->strides[i] = from->strides[i];
  array->flags = (array->flags & ~kContiguous) | (from->flags & kContiguous);
  array->data = from->data;
  PyObject* const before = array->base;
  array->base = copy.release().ptr();
  Py_XDECREF(before);
}

bool is_vector(py::handle of, bool writable) {
  auto& api = Api::get();
  if (!api.PyArray_Check_(of.ptr())) return false;
  const Proxy* array = py::detail::array_proxy(of.ptr());
  if (array->descr != float64() && !api.PyArray_EquivTypes_(array->descr, float64())) return false;
  return (array->flags & 1) && (array->flags & Api::NPY_ARRAY_ALIGNED_) &&
         (!writable || (array->flags & Api::NPY_ARRAY_WRITEABLE_));
}

std::string shape_wanted(Eigen::Index rows, Eigen::Index columns) {
  return columns < 0 ? "(" + std::to_string(rows) + ",)"
                     : "(" + std::to_string(rows) + ", " + std::to_string(columns) + ")";
}

[[noreturn]] void wrong(const char* what, py::handle of, Eigen::Index rows,
                        Eigen::Index columns = -1) {
  throw UsageError(std::string(what) + " has " + shape_text(of) + ", shape " +
                   shape_wanted(rows, columns) + " is expected");
}

py::object numbers(py::handle from, Eigen::Index n, const char* what) {
  if (is_vector(from, false)) return py::reinterpret_borrow<py::object>(from);
  const py::array any = py::array::ensure(from);
  if (!any || std::strchr("fiub", any.dtype().kind()) == nullptr) {
    PyErr_Clear();
    wrong(what, from, n);
  }
  return py::array_t<double, py::array::c_style | py::array::forcecast>::ensure(any);
}

Eigen::Map<const Vector> checked(py::handle array, Eigen::Index n, const char* what) {
  const Proxy* proxy = py::detail::array_proxy(array.ptr());
  if (proxy->nd != 1 || proxy->dimensions[0] != n) wrong(what, array, n);
  return {reinterpret_cast<const double*>(proxy->data), n};
}

double* writable(py::handle given, Eigen::Index rows, Eigen::Index columns, const char* what) {
  if (!is_vector(given, true))
    throw UsageError(std::string(what) + " has " + shape_text(given) +
                     ": an output must be a contiguous array of float64 of shape " +
                     shape_wanted(rows, columns));
  const Proxy* proxy = py::detail::array_proxy(given.ptr());
  const bool flat = proxy->nd == 1 && columns < 0 && proxy->dimensions[0] == rows;
  const bool table =
      proxy->nd == 2 && proxy->dimensions[0] == rows && proxy->dimensions[1] == columns;
  if (!flat && !table) wrong(what, given, rows, columns);
  return reinterpret_cast<double*>(proxy->data);
}

py::object zeros(std::vector<py::ssize_t> shape) {
  py::array_t<double> made(std::move(shape));
  std::fill_n(made.mutable_data(), made.size(), 0.0);
  return made;
}

}  // namespace

PyObject* Loan::over(const double* data, Eigen::Index n, bool writable) {
  if (array_ && !as_made(array_)) end();
  if (!array_) {
    auto& pool = spare();
    if (pool.empty()) {
      array_ = new_vector();
    } else {
      array_ = pool.back();
      pool.pop_back();
    }
  }
  Proxy* const array = py::detail::array_proxy(array_);
  array->data = const_cast<char*>(reinterpret_cast<const char*>(data));
  array->dimensions[0] = n;
  set_writable(array, writable);
  return array_;
}

PyObject* Loan::over(const double* data, Eigen::Index rows, Eigen::Index columns,
                     Eigen::Index row_stride, Eigen::Index column_stride, bool writable) {
  end();
  constexpr auto size = static_cast<py::ssize_t>(sizeof(double));
  array_ = py::array_t<double>({rows, columns}, {size * row_stride, size * column_stride}, data,
                               py::none())
               .release()
               .ptr();
  set_writable(py::detail::array_proxy(array_), writable);
  return array_;
}

void Loan::end() noexcept {
  if (!array_) return;
  PyObject* const array = std::exchange(array_, nullptr);
  if (Py_REFCNT(array) > 1) {
    try {
      give_copy(array);
    } catch (...) {  // out of memory: an empty array is better than one over freed memory
      static double nothing[16] = {};
      Proxy* const proxy = py::detail::array_proxy(array);
      if (proxy->nd > 0)
        proxy->dimensions[0] = 0;
      else
        proxy->data = reinterpret_cast<char*>(nothing);
    }
    Py_DECREF(array);
  } else if (as_made(array) && spare().size() < 256) {
    spare().push_back(array);
  } else {
    Py_DECREF(array);
  }
}

std::string shape_text(py::handle of) {
  if (!of || of.is_none()) return "no value (None)";
  if (py::isinstance<py::array>(of)) {
    const auto array = py::reinterpret_borrow<py::array>(of);
    const std::string type = py::str(static_cast<py::object>(array.dtype()));
    return "shape " + std::string(py::str(array.attr("shape"))) +
           (type == "float64" ? "" : " of " + type);
  }
  const py::array made = py::array::ensure(of);
  if (made && std::strchr("fiub", made.dtype().kind()))
    return "shape " + std::string(py::str(made.attr("shape")));
  PyErr_Clear();
  return "type " + std::string(py::str(py::type::of(of).attr("__name__")));
}

Brought::Brought(py::handle from, Eigen::Index n, const char* what)
    : owner_(numbers(from, n, what)), map_(checked(owner_, n, what)) {}

Wanted::Wanted(py::handle given, Eigen::Index n, const char* what)
    : array_(given.is_none() ? zeros({n}) : py::reinterpret_borrow<py::object>(given)),
      map_(writable(array_, n, -1, what), n) {}

Wanted::Wanted(py::handle given, Eigen::Index rows, Eigen::Index columns, const char* what)
    : array_(given.is_none() ? zeros({rows, columns}) : py::reinterpret_borrow<py::object>(given)),
      map_(writable(array_, rows, columns, what), rows * columns) {}

void assign(Eigen::Ref<Vector> target, py::handle value, const char* what) {
  const Brought brought(value, target.size(), what);
  if ((*brought).data() != target.data())
    std::memmove(target.data(), (*brought).data(),
                 sizeof(double) * static_cast<std::size_t>(target.size()));
}

void mark(double* data, Eigen::Index n) {
  for (Eigen::Index i = 0; i < n; ++i) std::memcpy(data + i, &kUnwritten, sizeof kUnwritten);
}

Eigen::Index first_marked(const double* data, Eigen::Index n) {
  for (Eigen::Index i = 0; i < n; ++i)
    if (std::memcmp(data + i, &kUnwritten, sizeof kUnwritten) == 0) return i;
  return -1;
}

}  // namespace saltus::python

#include "python_side.h"

#include <array>
#include <cstring>

namespace saltus::python {

thread_local const PythonSide* PythonSide::super_of = nullptr;

void PythonSide::resolve() const {
  const Gil gil;
  if (resolved_.load(std::memory_order_acquire)) return;
  const py::detail::type_info* const type = py::detail::get_type_info(table_.bound);
  const py::handle self = py::detail::get_object_handle(instance_, type);
  if (!self)
    throw UsageError("a Python object that the engine calls has been deleted: pass it by hold()");
  if (table_.interned.empty())
    for (const char* name : table_.names)
      table_.interned.push_back(PyUnicode_InternFromString(name));
  const py::handle base(reinterpret_cast<PyObject*>(type->type)),
      derived(reinterpret_cast<PyObject*>(Py_TYPE(self.ptr())));
  std::vector<char> found, untimed(table_.names.size(), '\0');
  for (PyObject* name : table_.interned) {
    const auto of = [&](py::handle where) {
      PyObject* const got = PyObject_GetAttr(where.ptr(), name);
      if (!got) PyErr_Clear();
      return py::reinterpret_steal<py::object>(got);
    };
    const py::object mine = of(derived), given = of(base);
    found.push_back(mine && !mine.is(given));
  }
  class_name_ = py::str(derived.attr("__name__"));
  for (const MethodTable::Timed& one : table_.timed) {
    const auto at = static_cast<std::size_t>(one.method);
    if (!found[at]) continue;
    const py::object code = py::getattr(derived.attr(table_.names[at]), "__code__", py::none());
    constexpr int kVariable = 0x04;  // CO_VARARGS
    if (code.is_none() || (code.attr("co_flags").cast<int>() & kVariable) != 0 ||
        code.attr("co_argcount").cast<int>() != one.before + 1)
      continue;
    untimed[at] = '\1';
    const std::string text = class_name_ + "." + one.old_form +
                             " is the old form without the time argument; write " + one.form;
    if (PyErr_WarnEx(PyExc_DeprecationWarning, text.c_str(), 1) != 0) throw py::error_already_set();
  }
  has_ = std::move(found);
  untimed_ = std::move(untimed);
  self_ = self.ptr();
  resolved_.store(true, std::memory_order_release);
}

bool PythonSide::has(int method) const {
  if (!resolved_.load(std::memory_order_acquire)) resolve();
  return has_[static_cast<std::size_t>(method)] != 0;
}

bool PythonSide::overridden(int method) const {
  if (super_of == this) [[unlikely]] {
    super_of = nullptr;
    return false;
  }
  return has(method);
}

PyObject* PythonSide::self() const {
  has(0);
  return self_;
}
const std::string& PythonSide::class_name() const {
  has(0);
  return class_name_;
}
std::string PythonSide::name_of(int method) const {
  return class_name() + "." + table_.names[static_cast<std::size_t>(method)];
}

void PythonSide::missing(int method, const char* signature) const {
  throw UsageError("class " + class_name() + " has no method " +
                   table_.names[static_cast<std::size_t>(method)] + signature +
                   ", which is required");
}

namespace {

// Python 3.11 and later print the notes of an exception below it.
void add_note(const std::string& text) {
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  if (value && trace) PyException_SetTraceback(value, trace);
  if (value && PyObject_HasAttrString(value, "add_note")) {
    PyObject* const none = PyObject_CallMethod(value, "add_note", "s", text.c_str());
    if (!none) PyErr_Clear();
    Py_XDECREF(none);
  }
  PyErr_Restore(type, value, trace);
}

}  // namespace

py::object PythonSide::call(int method, std::initializer_list<PyObject*> arguments) const {
  std::array<PyObject*, 12> all;
  std::size_t n = 0;
  all[n++] = self();
  for (PyObject* argument : arguments) all[n++] = argument;
  PyObject* const result = into_python([&] {
    return PyObject_VectorcallMethod(table_.interned[static_cast<std::size_t>(method)], all.data(),
                                     n, nullptr);
  });
  if (!result) {
    add_note("in " + name_of(method) + ", which the engine called");
    throw py::error_already_set();
  }
  return py::reinterpret_steal<py::object>(result);
}

void PythonSide::returned(int method,
                          std::initializer_list<std::pair<Loan*, const char*>> loans) const {
  bool kept = false;
  for (const auto& [loan, what] : loans) kept = kept || loan->kept();
  if (!kept) [[likely]]
    return;
  // arrays referenced only by garbage cycles are not kept
  py::module_::import("gc").attr("collect")();
  for (const auto& [loan, what] : loans)
    if (loan->kept())
      throw UsageError(name_of(method) + " kept its argument " + what +
                       ", which is only lent for the call: keep a copy, " + what + ".copy()");
}

void PythonSide::written(int method, const py::object& result, PyObject* out,
                         Eigen::Ref<Vector> data, const char* what,
                         std::span<const Eigen::Index> shape) const {
  if (!result.is_none() && result.ptr() != out) {
    const std::string name = "what " + name_of(method) + " returned";
    if (shape.empty()) {
      assign(data, result, name.c_str());
    } else {
      const auto array =
          py::array_t<double, py::array::c_style | py::array::forcecast>::ensure(result);
      bool right = array && static_cast<std::size_t>(array.ndim()) == shape.size();
      for (std::size_t i = 0; right && i < shape.size(); ++i)
        right = array.shape(static_cast<py::ssize_t>(i)) == shape[i];
      if (!right) {
        PyErr_Clear();
        std::string wanted;
        for (const Eigen::Index n : shape)
          wanted += (wanted.empty() ? "" : ", ") + std::to_string(n);
        throw UsageError(name + " has " + shape_text(result) + ", shape (" + wanted +
                         ") is expected");
      }
      std::memcpy(data.data(), array.data(),
                  sizeof(double) * static_cast<std::size_t>(data.size()));
    }
  }
  if (const Eigen::Index i = first_marked(data.data(), data.size()); i >= 0)
    throw UsageError(name_of(method) + " left " + what + "[" + std::to_string(i) +
                     "] unwritten: write " + what + "[:] = ..., or return the value; " + what +
                     " = ... names another array");
}

}  // namespace saltus::python

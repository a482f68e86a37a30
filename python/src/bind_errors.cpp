// Exceptions of the engine in Python; str() of each is what() of the C++ error, for a UsageError
// without its source location.
#include "core.h"
#include "gil.h"
#include "saltus/base/faults.h"

namespace saltus::python {
namespace {

PyObject *g_scene_error, *g_run_error, *g_usage_error;  // valid until the end of the process

PyObject* make_error(py::module_& m, const char* name, const char* doc, py::tuple bases,
                     py::dict members) {
  const std::string full = std::string("saltus.") + name;
  PyObject* type = PyErr_NewExceptionWithDoc(full.c_str(), doc, bases.ptr(), members.ptr());
  if (!type) throw py::error_already_set();
  m.attr(name) = py::handle(type);
  return type;
}

/// Raises `type(what)` with members set by `fill`.
template <typename Fill>
void raise(PyObject* type, const char* what, Fill&& fill) {
  try {
    py::object error = py::reinterpret_borrow<py::object>(type)(text_of(what));
    fill(error);
    PyErr_SetObject(type, error.ptr());
  } catch (py::error_already_set& other) {  // out of memory
    other.restore();
  }
}

/// End of the source location "file.cpp:12: " at the start of a message, 0: there is none.
std::size_t place_end(std::string_view text) {
  const std::size_t colon = text.find(": ");
  if (colon == text.npos) return 0;
  const std::size_t file = text.rfind(':', colon - 1);
  if (colon == 0 || file == text.npos || file + 1 == colon) return 0;
  if (text.substr(file + 1, colon - file - 1).find_first_not_of("0123456789") != text.npos)
    return 0;
  const std::string_view name = text.substr(0, file);
  return name.ends_with(".cpp") || name.ends_with(".h") ? colon : 0;
}

/// Raises a TypeError for a value of the wrong type that no function has reported: replaces "Unable
/// to cast Python instance of type <class 'str'> to C++ type ..." by the names that a user knows.
void raise_type_error(std::string_view what) {
  constexpr std::string_view kType = "of type ", kEnd = " to C++ type";
  std::string text = "a value passed from Python has the wrong type";
  const std::size_t from = what.find(kType), to = what.find(kEnd);
  if (from != what.npos && to != what.npos && from < to)
    text += ": " + std::string(what.substr(from + kType.size(), to - from - kType.size()));
  PyErr_SetString(PyExc_TypeError, text.c_str());
}

void place_fault(py::object& raised, const SceneError& error) {
  raised.attr("path") = text_of(error.path());
  raised.attr("message") = text_of(error.message());
  raised.attr("hint") = text_of(error.hint());
  raised.attr("file") = file_name(error.file());
  raised.attr("line") = error.line();
  raised.attr("column") = error.column();
}

void translate(std::exception_ptr thrown) {
  try {
    if (thrown) std::rethrow_exception(thrown);
  } catch (const SceneError& error) {
    raise(g_scene_error, error.what(), [&](py::object& raised) {
      place_fault(raised, error);
      const std::vector<SceneError> faults = all_faults(error);
      if (faults.size() == 1) return;
      py::tuple all(faults.size());
      for (std::size_t i = 0; i < faults.size(); ++i) {
        py::object one =
            py::reinterpret_borrow<py::object>(g_scene_error)(text_of(faults[i].what()));
        place_fault(one, faults[i]);
        all[i] = one;
      }
      raised.attr("_faults") = all;
    });
  } catch (const StepFailed& error) {
    raise(g_run_error, error.what(),
          [&](py::object& raised) { raised.attr("report") = py::cast(error.report); });
  } catch (const RunError& error) {
    raise(g_run_error, error.what(), [](py::object&) {});
  } catch (const UsageError& error) {
    const std::string_view text = error.what();
    const std::size_t end = place_end(text);
    raise(g_usage_error, error.what() + (end > 0 ? end + 2 : 0),
          [&](py::object& raised) { raised.attr("place") = text_of(text.substr(0, end)); });
  } catch (const py::cast_error& error) {
    raise_type_error(error.what());
  } catch (const Ending&) {
    PyErr_SetNone(PyExc_SystemExit);
  }
}

}  // namespace

py::str text_of(std::string_view text) {
  PyObject* made =
      PyUnicode_DecodeUTF8(text.data(), static_cast<py::ssize_t>(text.size()), "backslashreplace");
  if (!made) throw py::error_already_set();
  return py::reinterpret_steal<py::str>(made);
}

py::str file_name(const std::string& name) {
  PyObject* made =
      PyUnicode_DecodeFSDefaultAndSize(name.data(), static_cast<py::ssize_t>(name.size()));
  if (!made) throw py::error_already_set();
  return py::reinterpret_steal<py::str>(made);
}

void bind_errors(py::module_& m) {
  const py::handle value_error = PyExc_ValueError, runtime_error = PyExc_RuntimeError;
  const py::object base = py::reinterpret_borrow<py::object>(make_error(
      m, "Error", "Base class of the exceptions of Saltus: SceneError, RunError, UsageError.",
      py::make_tuple(py::handle(PyExc_Exception)), py::dict()));
  py::dict scene;
  for (const char* name : {"path", "message", "hint", "file"}) scene[name] = "";
  for (const char* name : {"line", "column"}) scene[name] = 0;
  scene["_faults"] = py::tuple();
  g_scene_error = make_error(
      m, "SceneError",
      "A fault in the input: a scene, a data file, an option.\n\nstr() is one line, "
      "'file:line:column: path: message; hint', with the parts that are known. For a scene with "
      "several faults, str() has a line for each of the first 20; the attributes are those of the "
      "first.\n\nAttributes\n----------\npath : str\n    The entry, 'bodies[0].string.modes', or "
      "''.\nmessage, hint : str\n    What is wrong, and what is allowed.\nfile : str\n    File "
      "name, '' if unknown.\nline, column : int\n    Counted from 1; 0: not known.",
      py::make_tuple(base, value_error), scene);
  py::dict run;
  run["report"] = py::none();
  g_run_error = make_error(
      m, "RunError",
      "A run that cannot finish: a step failed, a disk is full.\n\nAttributes\n----------\nreport "
      ": StepReport or None\n    Report of the failed step.",
      py::make_tuple(base, runtime_error), run);
  py::dict usage;
  usage["place"] = "";
  g_usage_error = make_error(
      m, "UsageError",
      "An invalid call: a size, an index, an order of calls.\n\nAttributes\n----------\nplace : "
      "str\n    'file:line' of the check in the engine, or ''.",
      py::make_tuple(base, value_error), usage);
  bind_ending();
  py::register_local_exception_translator(translate);
}

}  // namespace saltus::python

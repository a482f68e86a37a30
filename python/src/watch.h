// Callbacks during long work: Ctrl-C, and a progress function.
#pragma once
#include <exception>
#include <utility>

#include "core.h"
#include "gil.h"
#include "python_stop.h"

namespace saltus::python {

/// Constructed with the GIL, called without it, from the thread that created it.
///     Watch watch(progress);
///     { Others others;  work([&](const Now& now) { return watch([&] { return dict_of(now); }); }); }
///     watch.rethrow("stopped after 3 of 7 runs");
class Watch {
 public:
  /// `progress`: None, or a function of one dict; if it returns False, the work stops.
  explicit Watch(py::object progress) : progress_(std::move(progress)) {}

  /// False: stop, because of a signal, an exception in `progress`, or its return value False.
  template <typename Tell>
  bool operator()(Tell&& tell) noexcept {
    if (ending_here()) {
      error_ = std::make_exception_ptr(Ending{});
      return false;
    }
    const Gil gil;
    try {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      if (!progress_.is_none() && progress_(tell()).is(py::bool_(false))) return false;
      return true;
    } catch (abi::__forced_unwind&) {
      sleep_for_good();
    } catch (...) {
      error_ = std::current_exception();
    }
    return false;
  }

  /// Stops the work within a step.
  Stop* stop() { return &stop_; }

  /// Raises the exception that stopped the work, if any; the text of a KeyboardInterrupt is
  /// `where`.
  void rethrow(const std::string& where) {
    if (!error_) error_ = stop_.take();
    if (!error_) return;
    try {
      std::rethrow_exception(std::exchange(error_, nullptr));
    } catch (py::error_already_set& error) {
      if (!error.matches(PyExc_KeyboardInterrupt)) throw;
    }
    PyErr_SetObject(PyExc_KeyboardInterrupt, text_of(where).ptr());
    throw py::error_already_set();
  }

 private:
  py::object progress_;
  PythonStop stop_;
  std::exception_ptr error_;
};

}  // namespace saltus::python

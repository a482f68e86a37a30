// The Python half of a C++ object: which methods its class overrides, and how they are called.
#pragma once
#include <atomic>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "extend.h"
#include "lend.h"

namespace saltus::python {

/// Names of the methods that Python can override in a bound class; one table per class, for the
/// lifetime of the process.
struct MethodTable {
  /// A method whose old form has no time argument: the arguments of both forms, without self.
  struct Timed {
    int method, before;
    const char *old_form, *form;
  };
  const std::type_info& bound;
  std::span<const char* const> names;
  std::span<const Timed> timed{};
  std::vector<PyObject*> interned{};
};

/// The Python half of an object whose class may override methods. Methods are looked up on the
/// class once, at the first access; has() of a method that is not overridden costs no call and no
/// GIL.
class PythonSide {
 public:
  PythonSide(MethodTable& table, const void* instance) : table_(table), instance_(instance) {}

  bool has(int method) const;
  /// As has(), but false once under a Super of this object: Python requested the method of the base
  /// class.
  bool overridden(int method) const;
  /// Whether the method, one of MethodTable::timed, has the time argument. If not, the class gets
  /// one DeprecationWarning per method.
  bool timed(int method) const {
    return has(method) && untimed_[static_cast<std::size_t>(method)] == 0;
  }
  class Super {
   public:
    explicit Super(const PythonSide* of) : before_(super_of) { super_of = of; }
    ~Super() { super_of = before_; }
    Super(const Super&) = delete;
    Super& operator=(const Super&) = delete;

   private:
    const PythonSide* before_;
  };

  /// Calls the method with borrowed arguments. Needs the GIL. Python exceptions propagate as
  /// error_already_set, with a note that names class and method.
  py::object call(int method, std::initializer_list<PyObject*> arguments) const;
  /// Converts the result of a method to T; TypeError with class and method: "Chain.positions gave
  /// '3', an int is expected".
  template <class T>
  T as(int method, const py::handle& given, const char* wanted) const {
    try {
      return given.cast<T>();
    } catch (const py::cast_error&) {
      throw py::type_error(name_of(method) + " gave " + py::repr(given).cast<std::string>() + ", " +
                           wanted + " is expected");
    }
  }
  /// call() and as().
  template <class T>
  T ask(int method, std::initializer_list<PyObject*> arguments, const char* wanted) const {
    return as<T>(method, call(method, arguments), wanted);
  }
  const std::string& class_name() const;
  /// "Pendulum.force"
  std::string name_of(int method) const;
  [[noreturn]] void missing(int method, const char* signature) const;
  PyObject* self() const;

  /// Ends loans passed to a method: UsageError if the method kept one.
  void returned(int method, std::initializer_list<std::pair<Loan*, const char*>> loans) const;
  /// Completes the output `out` of a method: a returned value is copied there; UsageError if the
  /// shape differs or a number was not written.
  void written(int method, const py::object& result, PyObject* out, Eigen::Ref<Vector> data,
               const char* what, std::span<const Eigen::Index> shape = {}) const;

 private:
  void resolve() const;
  static thread_local const PythonSide* super_of;

  MethodTable& table_;
  const void* instance_;
  mutable std::atomic<bool> resolved_{false};
  mutable PyObject* self_ = nullptr;  ///< borrowed: this object is a part of it
  mutable std::vector<char> has_, untimed_;
  mutable std::string class_name_;
};

}  // namespace saltus::python

// What a C++ object has in Python: which methods its class overrides, and how they are called.
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

/// Names of the methods that a bound class lets Python override; one table a class, for the life of the process.
struct MethodTable {
  /// A method that was written without a time: the arguments of both forms, self left out.
  struct Timed {
    int method, before;
    const char *old_form, *form;
  };
  const std::type_info& bound;
  std::span<const char* const> names;
  std::span<const Timed> timed{};
  std::vector<PyObject*> interned{};
};

/// The Python half of an object whose class may override methods. Methods are looked up on the class, once, when the first
/// is asked for; has() of one that is not overridden costs no call and no GIL.
class PythonSide {
 public:
  PythonSide(MethodTable& table, const void* instance) : table_(table), instance_(instance) {}

  bool has(int method) const;
  /// The same, but false once under a Super of this object: the method of the base class, asked for by Python.
  bool overridden(int method) const;
  /// Whether the method, one of MethodTable::timed, is written with the time as an argument. Where it is not, the class was
  /// told so by one DeprecationWarning a method.
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

  /// Calls the method with borrowed arguments. Needs the GIL. What it raises leaves as error_already_set, with a note that
  /// names class and method.
  py::object call(int method, std::initializer_list<PyObject*> arguments) const;
  /// What a method gave as a T; TypeError that names class and method: "Chain.positions gave '3', an int is wanted".
  template <class T>
  T as(int method, const py::handle& given, const char* wanted) const {
    try {
      return given.cast<T>();
    } catch (const py::cast_error&) {
      throw py::type_error(name_of(method) + " gave " + py::repr(given).cast<std::string>() + ", " +
                           wanted + " is wanted");
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

  /// Ends loans that a method was given: UsageError where it kept one.
  void returned(int method, std::initializer_list<std::pair<Loan*, const char*>> loans) const;
  /// What a method that writes `out` left: a value it returned is copied there; UsageError where the shape differs or a
  /// number was not written.
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

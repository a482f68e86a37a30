#include "py_operator.h"

#include <set>

#include "py_dynamics.h"

namespace saltus::python {
namespace {

enum Method { kSolve, kSymmetric, kResponse, kRecord, kForget };
constexpr std::array kNames{"solve", "symmetric", "response", "record", "forget"};

MethodTable& table_of_operators() {
  static auto* const table = new MethodTable{typeid(Operator), kNames};
  return *table;
}

PyObject* lend(Loan& loan, Eigen::Ref<Matrix> X) {
  return loan.over(X.data(), X.rows(), X.cols(), 1, X.outerStride(), true);
}

template <class T>
py::array_t<T> copy(std::span<const T> of) {
  return py::array_t<T>(static_cast<py::ssize_t>(of.size()), of.data());
}

// Takes the result for a matrix: written in place, or returned as a whole.
void take(const PythonSide& side, int method, const py::object& result, PyObject* given,
          Eigen::Ref<Matrix> X) {
  if (result.is_none() || result.ptr() == given) return;
  const auto array = py::array_t<double, py::array::f_style | py::array::forcecast>::ensure(result);
  if (!array || array.ndim() != 2 || array.shape(0) != X.rows() || array.shape(1) != X.cols()) {
    PyErr_Clear();
    throw UsageError("what " + side.name_of(method) + " returned has " + shape_text(result) +
                     ", shape (" + std::to_string(X.rows()) + ", " + std::to_string(X.cols()) +
                     ") is expected");
  }
  X = Eigen::Map<const Matrix>(array.data(), X.rows(), X.cols());
}

}  // namespace

std::string_view lasting(const std::string& text) {
  static auto* const texts = new std::set<std::string>;
  return *texts->insert(text).first;
}

PythonOperator::PythonOperator()
    : side_(table_of_operators(), static_cast<const Operator*>(this)) {}

void PythonOperator::check() const {
  if (!side_.has(kSolve)) side_.missing(kSolve, "(X)");
  if (!side_.has(kSymmetric)) side_.missing(kSymmetric, "()");
}

void PythonOperator::solve(Eigen::Ref<Matrix> X) const {
  if (!side_.overridden(kSolve)) side_.missing(kSolve, "(X)");
  const Gil gil;
  Loan loan;
  lend(loan, X);
  take(side_, kSolve, side_.call(kSolve, {loan.get()}), loan.get(), X);
  side_.returned(kSolve, {{&loan, "X"}});
}

bool PythonOperator::symmetric() const {
  if (!side_.overridden(kSymmetric)) side_.missing(kSymmetric, "()");
  const Gil gil;
  return side_.ask<bool>(kSymmetric, {}, "True or False");
}

bool PythonOperator::response(const SparseRows& H, Eigen::Ref<Matrix> W) const {
  if (!side_.overridden(kResponse)) return Operator::response(H, W);
  const Gil gil;
  const py::object rows = py::cast(LentRows{copy(H.offset), copy(H.column), copy(H.value)});
  Loan loan;
  lend(loan, W);
  const bool done = [&] {
    const py::object result = side_.call(kResponse, {rows.ptr(), loan.get()});
    if (!py::isinstance<py::bool_>(result))
      throw UsageError(side_.name_of(kResponse) +
                       " must return True if it added H A^-1 H^T to W, else False");
    return result.cast<bool>();
  }();
  side_.returned(kResponse, {{&loan, "W"}});
  return done;
}

SolveRecord PythonOperator::record() const {
  if (!side_.overridden(kRecord)) return Operator::record();
  const Gil gil;
  const py::object result = side_.call(kRecord, {});
  if (!py::isinstance<py::sequence>(result) || py::len(result) != 3)
    throw UsageError(side_.name_of(kRecord) + " must return (residual, iterations, failure)");
  const auto three = py::reinterpret_borrow<py::sequence>(result);
  return {side_.as<double>(kRecord, three[0], "a residual, a float,"),
          side_.as<int>(kRecord, three[1], "a number of iterations, an int,"),
          lasting(side_.as<std::string>(kRecord, three[2], "a failure, a str,"))};
}

void PythonOperator::forget() {
  if (!side_.overridden(kForget)) return Operator::forget();
  const Gil gil;
  side_.call(kForget, {});
}

}  // namespace saltus::python

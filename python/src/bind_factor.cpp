// Operator, Factor and SparseMatrix for Python.
#include <algorithm>

#include "py_dynamics.h"
#include "py_operator.h"

namespace saltus::python {
namespace {

// X of a solve called from Python: solved in place if possible, otherwise in a copy
py::object solve_for(py::object given, Eigen::Index n, auto&& solve) {
  const auto array = py::array_t<double, py::array::f_style | py::array::forcecast>(
      py::array_t<double, py::array::forcecast>(given).attr("copy")("F"));
  if ((array.ndim() != 1 && array.ndim() != 2) || (n >= 0 && array.shape(0) != n))
    throw UsageError("X has " + shape_text(given) + ", " +
                     (n >= 0 ? std::to_string(n) : "as many as the matrix has") +
                     " rows are expected");
  const Eigen::Index columns = array.ndim() == 2 ? array.shape(1) : 1;
  solve(Eigen::Map<Matrix>(const_cast<double*>(array.data()), array.shape(0), columns));
  return array;
}

const PythonSide* operator_side(const Operator& of) {
  const auto* made = dynamic_cast<const PythonOperator*>(&of);
  return made ? &made->side() : nullptr;
}

std::string form_of(const Factor& A) {
  constexpr std::array kForms{"empty", "diagonal", "blocks", "operator"};
  return kForms[A.form.index()];
}

}  // namespace

void bind_operator(py::module_& m) {
  py::class_<LentRows>(
      m, "SparseRows",
      R"(Rows by their entries, in the form of `scipy.sparse.csr_matrix((value, column, offset), (rows, n))`.
A column may occur more than once in a row.)")
      .def_readonly("offset", &LentRows::offset, "ndarray of int, (rows + 1,)")
      .def_readonly("column", &LentRows::column, "ndarray of int")
      .def_readonly("value", &LentRows::value, "ndarray of float");
  py::class_<Operator, PythonOperator, std::shared_ptr<Operator>>(
      m, "Operator", R"(The factor of a matrix A = m M + c C + k K
in a user-defined form. Subclasses define

- ``solve(X)``: ``X[:] = A^-1 X`` for all columns of X, an array of shape (n, columns) that is written in place, or the
  solution returned;
- ``symmetric() -> bool``;

and optionally

- ``response(H, W) -> bool``: adds H A^-1 H^T to W and returns True, or returns False and leaves W unchanged. H is a `SparseRows`;
- ``record() -> (residual, iterations, failure)`` and ``forget()``, for iterative operators.

A body sets it in a factor by ``A.operator = MyOperator(...)``.
)")
      .def(py::init<>())
      .def(
          "symmetric",
          [](const Operator& self) {
            const PythonSide::Super super(operator_side(self));
            return self.symmetric();
          },
          "Whether A is symmetric.")
      .def(
          "solve",
          [](const Operator& self, const py::object& X) {
            const PythonSide::Super super(operator_side(self));
            return solve_for(X, -1, [&](Eigen::Ref<Matrix> all) { self.solve(all); });
          },
          py::arg("X"), "A^-1 X, a new array.");
  m.attr("Operator").attr("response") = py::cpp_function(
      [](const py::object&, const py::object&, const py::object&) { return false; },
      py::name("response"), py::is_method(m.attr("Operator")), py::arg("H"), py::arg("W"),
      "Adds H A^-1 H^T to W and returns True; False: not available, use solve().");
  m.attr("Operator").attr("record") =
      py::cpp_function([](const py::object&) { return py::make_tuple(0.0, 0, ""); },
                       py::name("record"), py::is_method(m.attr("Operator")),
                       "(residual, iterations, failure) of the solves since forget().");
  m.attr("Operator").attr("forget") =
      py::cpp_function([](const py::object&) {}, py::name("forget"),
                       py::is_method(m.attr("Operator")), "Resets the record.");
}

void bind_factor(py::module_& m) {
  py::class_<SparseBox, std::shared_ptr<SparseBox>>(m, "SparseMatrix",
                                                    R"(A square matrix stored by rows, for products.

SparseMatrix(matrix): from a dense array (exact zeros are left out) or a sparse matrix of SciPy.
)")
      .def(
          py::init([](const py::object& from) {
            if (py::hasattr(from, "tocsr"))
              return std::get<std::shared_ptr<SparseBox>>(matrix_of(
                  from, py::tuple(from.attr("shape"))[0].cast<Eigen::Index>(), "the matrix"));
            const auto dense =
                py::array_t<double, py::array::f_style | py::array::forcecast>::ensure(from);
            if (!dense || dense.ndim() != 2 || dense.shape(0) != dense.shape(1)) {
              PyErr_Clear();
              throw UsageError("the matrix has " + shape_text(from) + ", a square one is expected");
            }
            return std::make_shared<SparseBox>(SparseMatrix::from(
                Eigen::Map<const Matrix>(dense.data(), dense.shape(0), dense.shape(1))));
          }),
          py::arg("matrix"))
      .def_property_readonly(
          "size", [](const SparseBox& self) { return self.rows.size(); }, "int : number of rows.")
      .def(
          "multiply",
          [](const SparseBox& self, const py::object& x, double scale, const py::object& out) {
            Wanted y(out, self.rows.size(), "y");
            const Brought given(x, self.rows.size(), "x");
            const ProductTerm term{&self.product, scale, (*given).data()};
            set_sum({&term, 1}, *y);
            return y.array();
          },
          py::arg("x"), py::arg("scale") = 1.0, py::arg("out") = py::none(),
          "scale A x, shape (size,).")
      .def(
          "inner",
          [](const SparseBox& self, const py::object& x, const py::object& y) {
            return self.product.inner(*Brought(x, self.rows.size(), "x"),
                                      *Brought(y, self.rows.size(), "y"));
          },
          py::arg("x"), py::arg("y"), "x . A y, of vectors x and y.")
      .def(
          "dense",
          [](const SparseBox& self) {
            const Matrix all = self.rows.dense();
            py::array_t<double, py::array::f_style> made({all.rows(), all.cols()});
            std::copy_n(all.data(), all.size(), made.mutable_data());
            return made;
          },
          "The matrix as an array, shape (size, size).");

  py::class_<FactorView, std::shared_ptr<FactorView>>(
      m, "Factor", R"(The factor of a matrix A, in one of several forms.

Factor() creates an empty one. Factors of a trial, and those passed to `Dynamics.factorise`, are lent for the call.
)")
      .def(py::init([] {
        auto own = std::make_shared<Factor>();
        return std::make_shared<FactorView>(FactorView{own.get(), -1, own});
      }))
      .def(
          "solve",
          [](const FactorView& self, const py::object& X) {
            if (std::holds_alternative<std::monostate>(self.get().form))
              throw UsageError("this factor is empty: no matrix was factorised");
            return solve_for(X, self.size, [&](Eigen::Ref<Matrix> all) { solve(self.get(), all); });
          },
          py::arg("X"), R"(A^-1 X, a new array.

Parameters
----------
X : array, shape (n,) or (n, columns)
)")
      .def(
          "dense",
          [](FactorView& self, const py::object& matrix) {
            const py::array any = py::array::ensure(matrix);
            if (!any || any.ndim() != 2)
              throw UsageError("A.dense needs a square array, not " + shape_text(matrix));
            const Eigen::Index n = self.size >= 0 ? self.size : any.shape(0);
            factorise(1.0, matrix_of(matrix, n, "the matrix of A.dense"), 0.0, {}, 0.0, {}, n,
                      self.get());
            if (self.own) self.size = n;
          },
          py::arg("matrix"), "A is this matrix, shape (n, n).")
      .def(
          "diagonal",
          [](FactorView& self, const py::object& values) {
            const Eigen::Index n =
                self.size >= 0 ? self.size : static_cast<Eigen::Index>(py::len(values));
            factorise(1.0, Vector(*Brought(values, n, "the diagonal of A.diagonal")), 0.0, {}, 0.0,
                      {}, n, self.get());
            if (self.own) self.size = n;
          },
          py::arg("values"), "A is diagonal; values: shape (n,).")
      .def(
          "sparse",
          [](FactorView& self, const py::object& matrix) {
            const Eigen::Index n = self.size >= 0 ? self.size
                                   : py::isinstance<SparseBox>(matrix)
                                       ? matrix.cast<std::shared_ptr<SparseBox>>()->rows.size()
                                       : py::tuple(matrix.attr("shape"))[0].cast<Eigen::Index>();
            factorise(1.0, matrix_of(matrix, n, "the matrix of A.sparse"), 0.0, {}, 0.0, {}, n,
                      self.get());
            if (self.own) self.size = n;
          },
          py::arg("matrix"),
          "A is this SparseMatrix or sparse matrix of SciPy; its pattern is analysed once.")
      .def_property(
          "operator",
          [](const FactorView& self) -> py::object {
            const auto* some = std::get_if<std::unique_ptr<Operator>>(&self.get().form);
            const auto* held = some ? dynamic_cast<const HeldOperator*>(some->get()) : nullptr;
            return held ? py::cast(std::const_pointer_cast<Operator>(held->held())) : py::none();
          },
          [](FactorView& self, const py::object& made) {
            self.get().form = std::make_unique<HeldOperator>(hold<Operator>(made));
          },
          "Operator or None : the operator written in Python in this factor. Assign to set one.")
      .def_property_readonly(
          "symmetric", [](const FactorView& self) { return symmetric(self.get()); },
          "bool : A is symmetric.")
      .def_property_readonly(
          "form", [](const FactorView& self) { return form_of(self.get()); },
          "str : 'empty', 'diagonal', 'blocks', 'operator'.");
}

}  // namespace saltus::python

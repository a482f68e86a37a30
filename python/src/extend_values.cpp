// Small values exchanged with Python by bodies and schemes: factors of a combination, matrices,
// energies, points.
#include <pybind11/stl.h>

#include <cstring>

#include "py_dynamics.h"
#include "saltus/linear_algebra/factor_form.h"

namespace saltus::python {

namespace {

py::handle combination_type() {
  static PyObject* const type = [] {
    py::object made = py::module_::import("collections").attr("namedtuple")("Combination", "m c k");
    made.attr("__module__") = "saltus";
    made.attr("__doc__") =
        "Factors of m M + c C + k K, with C = -dF/dv and K = -dF/dq of the whole force F.";
    return made.release().ptr();
  }();
  return type;
}

}  // namespace

py::object combination_to_python(const Combination& s) { return combination_type()(s.m, s.c, s.k); }

Combination combination_of(py::handle from) {
  if (!py::isinstance<py::sequence>(from) || py::len(from) != 3)
    throw UsageError("a combination m M + c C + k K must be three numbers (m, c, k)");
  const auto three = py::reinterpret_borrow<py::sequence>(from);
  return {three[0].cast<double>(), three[1].cast<double>(), three[2].cast<double>()};
}

Energy energy_of(py::handle from, const std::string& what) {
  if (py::isinstance<Energy>(from)) return from.cast<Energy>();
  if (!py::isinstance<py::sequence>(from) || py::len(from) != 2)
    throw UsageError(what + " must return a pair (kinetic, potential) [J] or an Energy, not " +
                     shape_text(from));
  const auto pair = py::reinterpret_borrow<py::sequence>(from);
  return {pair[0].cast<double>(), pair[1].cast<double>()};
}

py::tuple points_to_python(std::span<const PointRef> at) {
  py::tuple made(at.size());
  for (std::size_t i = 0; i < at.size(); ++i) made[i] = py::cast(at[i]);
  return made;
}

// a list of PointRefs, or of feature numbers
std::vector<PointRef> points_of(py::handle from) {
  std::vector<PointRef> made;
  const auto one = [&](py::handle entry) {
    if (py::isinstance<py::int_>(entry))
      made.push_back({0, entry.cast<int>(), Vector3::Zero()});
    else
      made.push_back(entry.cast<PointRef>());
  };
  if (py::isinstance<PointRef>(from) || py::isinstance<py::int_>(from))
    one(from);
  else
    for (const py::handle entry : from) one(entry);
  return made;
}

namespace {

std::shared_ptr<SparseBox> sparse_from_scipy(py::handle from, Eigen::Index n,
                                             const std::string& what) {
  const py::object rows = from.attr("tocsr")();
  if (py::tuple(rows.attr("shape"))[0].cast<Eigen::Index>() != n ||
      py::tuple(rows.attr("shape"))[1].cast<Eigen::Index>() != n)
    throw UsageError(what + " has shape " + std::string(py::str(rows.attr("shape"))) + ", shape (" +
                     std::to_string(n) + ", " + std::to_string(n) + ") is expected");
  using Integers = py::array_t<int, py::array::c_style | py::array::forcecast>;
  const auto offset = rows.attr("indptr").cast<Integers>(),
             column = rows.attr("indices").cast<Integers>();
  const auto value =
      rows.attr("data").cast<py::array_t<double, py::array::c_style | py::array::forcecast>>();
  std::vector<Entry> entries;
  entries.reserve(static_cast<std::size_t>(value.size()));
  for (Eigen::Index i = 0; i < n; ++i)
    for (int k = offset.data()[i]; k < offset.data()[i + 1]; ++k)
      entries.push_back({static_cast<int>(i), column.data()[k], value.data()[k]});
  return std::make_shared<SparseBox>(SparseMatrix(static_cast<int>(n), entries));
}

}  // namespace

MatrixValue matrix_of(py::handle from, Eigen::Index n, const std::string& what) {
  if (py::isinstance<SparseBox>(from)) {
    auto box = from.cast<std::shared_ptr<SparseBox>>();
    if (box->rows.size() != n)
      throw UsageError(what + " is a matrix of size " + std::to_string(box->rows.size()) + ", " +
                       std::to_string(n) + " is expected");
    return box;
  }
  if (py::hasattr(from, "tocsr")) return sparse_from_scipy(from, n, what);
  const py::array any = py::array::ensure(from);
  const bool numbers = any && std::strchr("fiub", any.dtype().kind());
  if (numbers && any.ndim() == 0) return Vector(Vector::Constant(n, any.cast<double>()));
  if (numbers && any.ndim() == 1 && any.shape(0) == n) {
    const auto values = py::array_t<double, py::array::c_style | py::array::forcecast>::ensure(any);
    return Vector(Eigen::Map<const Vector>(values.data(), n));
  }
  if (numbers && any.ndim() == 2 && any.shape(0) == n && any.shape(1) == n) {
    const auto values = py::array_t<double, py::array::f_style | py::array::forcecast>::ensure(any);
    return Matrix(Eigen::Map<const Matrix>(values.data(), n, n));
  }
  PyErr_Clear();
  throw UsageError(what + " has " + shape_text(from) +
                   ": a matrix must be a number, a diagonal of shape (" + std::to_string(n) +
                   ",), an array of shape (" + std::to_string(n) + ", " + std::to_string(n) +
                   ") or a sparse matrix");
}

namespace {

void add(double scale, const MatrixValue& from, Matrix& to) {
  if (const auto* diagonal = std::get_if<Vector>(&from))
    to.diagonal() += scale * *diagonal;
  else if (const auto* dense = std::get_if<Matrix>(&from))
    to += scale * *dense;
  else if (const auto* sparse = std::get_if<std::shared_ptr<SparseBox>>(&from))
    to += scale * (*sparse)->rows.dense();
}

SparseMatrix sparse_of(double scale, const MatrixValue& from) {
  if (scale == 0.0 || std::holds_alternative<std::monostate>(from)) return {};
  if (const auto* sparse = std::get_if<std::shared_ptr<SparseBox>>(&from)) return (*sparse)->rows;
  const Vector& diagonal = std::get<Vector>(from);
  std::vector<Entry> entries;
  for (int i = 0; i < static_cast<int>(diagonal.size()); ++i)
    entries.push_back({i, i, diagonal[i]});
  return {static_cast<int>(diagonal.size()), entries};
}

}  // namespace

void factorise(double m, const MatrixValue& M, double c, const MatrixValue& C, double k,
               const MatrixValue& K, Eigen::Index n, Factor& A) {
  const std::array terms{std::pair{m, &M}, std::pair{c, &C}, std::pair{k, &K}};
  bool any_dense = false, any_sparse = false;
  for (const auto& [scale, part] : terms) {
    if (scale == 0.0) continue;
    any_dense = any_dense || std::holds_alternative<Matrix>(*part);
    const auto* sparse = std::get_if<std::shared_ptr<SparseBox>>(part);
    any_sparse = any_sparse || (sparse && !(*sparse)->product.diagonal());
  }
  if (!any_dense && !any_sparse) {
    Vector& inverse = diagonal_in(A);
    inverse.setZero(n);
    const auto *damping = std::get_if<Vector>(&C), *stiffness = std::get_if<Vector>(&K);
    if (c != 0.0 && k != 0.0 && damping && stiffness && std::holds_alternative<Vector>(M)) {
      inverse = m * std::get<Vector>(M);
      inverse += c * *damping + k * *stiffness;  // added in the order of Lagrangian
      inverse = inverse.cwiseInverse();
      return;
    }
    for (const auto& [scale, part] : terms) {
      if (scale == 0.0) continue;
      if (const auto* diagonal = std::get_if<Vector>(part))
        inverse += scale * *diagonal;
      else if (const auto* sparse = std::get_if<std::shared_ptr<SparseBox>>(part);
               sparse && !(*sparse)->product.zero())
        inverse += scale * (*sparse)->product.values();
    }
    inverse = inverse.cwiseInverse();
    return;
  }
  if (!any_dense) {
    operator_in<SparseOperator>(A).factorise(
        sum(m, sparse_of(m, M), c, sparse_of(c, C), k, sparse_of(k, K)));
    return;
  }
  Matrix all = Matrix::Zero(n, n);
  if (const auto* mass = std::get_if<Matrix>(&M)) {
    all = m * *mass;
    if (c != 0.0 || k != 0.0) {
      const auto *damping = std::get_if<Matrix>(&C), *stiffness = std::get_if<Matrix>(&K);
      if (damping && stiffness) {
        all += c * *damping + k * *stiffness;  // a single sum, as in Lagrangian
      } else {
        add(c, C, all);
        add(k, K, all);
      }
    }
  } else {
    for (const auto& [scale, part] : terms)
      if (scale != 0.0) add(scale, *part, all);
  }
  if (n == 1 || all.isDiagonal(0.0)) {
    diagonal_in(A) = all.diagonal().cwiseInverse();
    return;
  }
  operator_in<DenseOperator>(A).factorise(all);
}

}  // namespace saltus::python

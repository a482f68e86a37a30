// m M + c C + k K of bodies written in Python, from the methods of the contract or from those that
// provide M, C and K.
#include <Eigen/Cholesky>
#include <cmath>

#include "py_body_methods.h"
#include "py_dynamics.h"

namespace saltus::python {
using namespace body_methods;

MatrixValue PythonBody::matrix(int method, double t, View q, const Vector* v) const {
  Loan lq(q.data(), q.size(), false), lv;
  if (v) lv.over(v->data(), v->size(), false);
  MatrixValue value;
  {
    const py::float_ time(t);
    const py::object result = !v ? side_.call(method, {lq.get()})
                              : side_.timed(method)
                                  ? side_.call(method, {time.ptr(), lq.get(), lv.get()})
                                  : side_.call(method, {lq.get(), lv.get()});
    if (method == kMass || !result.is_none())  // without damping and stiffness the matrices are 0
      value = matrix_of(result, velocities(), side_.name_of(method));
  }
  side_.returned(method, {{&lq, "q"}, {&lv, "v"}});
  return value;
}

py::object PythonBody::combine(const py::object& factors, double t, Loan& q, Loan& v) const {
  const py::float_ time(t);
  return side_.timed(kCombination)
             ? side_.call(kCombination, {factors.ptr(), time.ptr(), q.get(), v.get()})
             : side_.call(kCombination, {factors.ptr(), q.get(), v.get()});
}

std::array<MatrixValue, 3> PythonBody::matrices(const Combination& s, double t, View q,
                                                View v) const {
  const Gil gil;
  const Vector velocity = v;
  std::array<MatrixValue, 3> found;
  if (s.m != 0.0) found[0] = matrix(kMass, t, q, nullptr);
  if (s.c != 0.0 && side_.has(kDamping)) found[1] = matrix(kDamping, t, q, &velocity);
  if (s.k != 0.0 && side_.has(kStiffness)) found[2] = matrix(kStiffness, t, q, &velocity);
  return found;
}

namespace {

/// The smallest diagonal element of A and its index; NaN counts as the smallest.
std::pair<double, Eigen::Index> least_diagonal(const MatrixValue& A, Eigen::Index n) {
  Vector diagonal = Vector::Zero(n);
  if (const auto* given = std::get_if<Vector>(&A)) diagonal = *given;
  if (const auto* dense = std::get_if<Matrix>(&A)) diagonal = dense->diagonal();
  if (const auto* sparse = std::get_if<std::shared_ptr<SparseBox>>(&A)) {
    const SparseMatrix& rows = (*sparse)->rows;
    for (int i = 0; i < rows.size(); ++i)
      for (int k = rows.offset()[static_cast<std::size_t>(i)];
           k < rows.offset()[static_cast<std::size_t>(i) + 1]; ++k)
        if (rows.column()[static_cast<std::size_t>(k)] == i)
          diagonal[i] += rows.value()[static_cast<std::size_t>(k)];
  }
  Eigen::Index at = 0;
  for (Eigen::Index i = 1; i < n; ++i)
    if (!(diagonal[i] >= diagonal[at])) at = i;
  return {diagonal[at], at};
}

}  // namespace

void PythonBody::expect_mass(View q) const {
  const Eigen::Index n = velocities();
  if (n == 0 || side_.overridden(kMultiply) || !has_matrices()) return;
  const Gil gil;
  const int method = side_.has(kCombination) ? kCombination : kMass;
  MatrixValue M;
  if (method == kMass) {
    M = matrix(kMass, 0.0, q, nullptr);
  } else {
    const Vector rest = Vector::Zero(n);
    const py::object factors = combination_to_python({1.0, 0.0, 0.0});
    Loan lq(q.data(), q.size(), false), lv(rest.data(), rest.size(), false);
    M = matrix_of(combine(factors, 0.0, lq, lv), n, side_.name_of(kCombination));
    side_.returned(kCombination, {{&lq, "q"}, {&lv, "v"}});
  }
  const std::string what =
      side_.name_of(method) + " gave a mass at the start that is not " + "positive definite: ";
  if (const auto [least, at] = least_diagonal(M, n); !(least > 0.0) || !std::isfinite(least))
    wrong("{}its element [{}, {}] is {}", what, at, at, least);
  if (const auto* dense = std::get_if<Matrix>(&M)) {
    const Matrix half = 0.5 * (*dense + dense->transpose());
    if (!half.allFinite() || Eigen::LLT<Matrix>(half).info() != Eigen::Success)
      wrong("{}there are v with v.Mv <= 0", what);
  }
}

void expect_mass(const Dynamics& body, View q) {
  if (const auto* made = dynamic_cast<const PythonBody*>(&body)) made->expect_mass(q);
}

namespace {

void add_product(double scale, const MatrixValue& A, View x, Out y) {
  if (const auto* diagonal = std::get_if<Vector>(&A))
    y.array() += scale * (diagonal->array() * x.array());
  else if (const auto* dense = std::get_if<Matrix>(&A))
    y.noalias() += scale * (*dense * x);
  else if (const auto* sparse = std::get_if<std::shared_ptr<SparseBox>>(&A)) {
    const ProductTerm term{&(*sparse)->product, scale, x.data()};
    add_sum({&term, 1}, y);
  }
}

}  // namespace

void PythonBody::multiply(Combination s, double t, View q, View v, View x, Out y) const {
  if (side_.overridden(kMultiply)) {
    const Gil gil;
    mark(y.data(), y.size());
    const py::object factors = combination_to_python(s);
    Loan lq(q.data(), q.size(), false), lv(v.data(), v.size(), false),
        lx(x.data(), x.size(), false), ly(y.data(), y.size(), true);
    const py::float_ time(t);
    side_.written(
        kMultiply,
        side_.timed(kMultiply)
            ? side_.call(kMultiply,
                         {factors.ptr(), time.ptr(), lq.get(), lv.get(), lx.get(), ly.get()})
            : side_.call(kMultiply, {factors.ptr(), lq.get(), lv.get(), lx.get(), ly.get()}),
        ly.get(), y, "y");
    return side_.returned(kMultiply, {{&lq, "q"}, {&lv, "v"}, {&lx, "x"}, {&ly, "y"}});
  }
  if (side_.has(kCombination)) {
    const Gil gil;
    y.setZero();
    Loan lq(q.data(), q.size(), false), lv(v.data(), v.size(), false);
    const py::object factors = combination_to_python(s);
    const MatrixValue A =
        matrix_of(combine(factors, t, lq, lv), velocities(), side_.name_of(kCombination));
    add_product(1.0, A, x, y);
    return side_.returned(kCombination, {{&lq, "q"}, {&lv, "v"}});
  }
  if (!side_.has(kMass)) side_.missing(kMultiply, "(s, t, q, v, x, y)");
  const auto [M, C, K] = matrices(s, t, q, v);
  // as in Linear for sparse matrices: every row is summed before it is added to y
  y.setZero();
  if (!std::holds_alternative<Matrix>(M) && std::holds_alternative<std::shared_ptr<SparseBox>>(K)) {
    const auto product = [](const MatrixValue& A) {
      const auto* sparse = std::get_if<std::shared_ptr<SparseBox>>(&A);
      return sparse ? &(*sparse)->product : nullptr;
    };
    std::array<ProductTerm, 3> terms;
    std::size_t n = 0;
    bool all = true;
    for (const auto& [scale, A] : {std::pair{s.m, &M}, std::pair{s.c, &C}, std::pair{s.k, &K}}) {
      if (std::holds_alternative<std::monostate>(*A)) continue;
      if (const SparseProduct* found = product(*A))
        terms[n++] = {found, scale, x.data()};
      else
        all = false;
    }
    if (all) return set_sum(std::span(terms).first(n), y);
  }
  add_product(s.m, M, x, y);
  add_product(s.c, C, x, y);
  add_product(s.k, K, x, y);
}

void PythonBody::factorise(Combination s, double t, View q, View v, Factor& A) const {
  if (side_.overridden(kFactorise)) {
    const Gil gil;
    const auto view = std::make_shared<FactorView>(FactorView{&A, velocities()});
    const struct Lapse {
      FactorView& of;
      ~Lapse() { of.at = nullptr; }
    } lapse{*view};
    const py::object factor = py::cast(view), factors = combination_to_python(s);
    Loan lq(q.data(), q.size(), false), lv(v.data(), v.size(), false);
    const py::float_ time(t);
    if (side_.timed(kFactorise))
      side_.call(kFactorise, {factors.ptr(), time.ptr(), lq.get(), lv.get(), factor.ptr()});
    else
      side_.call(kFactorise, {factors.ptr(), lq.get(), lv.get(), factor.ptr()});
    side_.returned(kFactorise, {{&lq, "q"}, {&lv, "v"}});
    if (std::holds_alternative<std::monostate>(A.form))
      throw UsageError(side_.name_of(kFactorise) +
                       " left A empty: fill it by A.dense(matrix), A.diagonal(values), "
                       "A.sparse(matrix) or A.operator = ...");
    return;
  }
  if (side_.has(kCombination)) {
    const Gil gil;
    Loan lq(q.data(), q.size(), false), lv(v.data(), v.size(), false);
    const py::object factors = combination_to_python(s);
    const MatrixValue whole =
        matrix_of(combine(factors, t, lq, lv), velocities(), side_.name_of(kCombination));
    python::factorise(1.0, whole, 0.0, {}, 0.0, {}, velocities(), A);
    return side_.returned(kCombination, {{&lq, "q"}, {&lv, "v"}});
  }
  if (!side_.has(kMass)) side_.missing(kFactorise, "(s, t, q, v, A)");
  const auto [M, C, K] = matrices(s, t, q, v);
  python::factorise(s.m, M, s.c, C, s.k, K, velocities(), A);
}

void PythonBody::factorise_exact(Combination s, double weight, View x, double t, View q, View v,
                                 Factor& A) const {
  if (!side_.overridden(kFactoriseExact))
    return Dynamics::factorise_exact(s, weight, x, t, q, v, A);
  const Gil gil;
  const auto view = std::make_shared<FactorView>(FactorView{&A, velocities()});
  const struct Lapse {
    FactorView& of;
    ~Lapse() { of.at = nullptr; }
  } lapse{*view};
  const py::object factor = py::cast(view), factors = combination_to_python(s),
                   number = py::float_(weight);
  Loan lx(x.data(), x.size(), false), lq(q.data(), q.size(), false), lv(v.data(), v.size(), false);
  const py::float_ time(t);
  if (side_.timed(kFactoriseExact))
    side_.call(kFactoriseExact, {factors.ptr(), number.ptr(), lx.get(), time.ptr(), lq.get(),
                                 lv.get(), factor.ptr()});
  else
    side_.call(kFactoriseExact,
               {factors.ptr(), number.ptr(), lx.get(), lq.get(), lv.get(), factor.ptr()});
  side_.returned(kFactoriseExact, {{&lx, "x"}, {&lq, "q"}, {&lv, "v"}});
}

}  // namespace saltus::python

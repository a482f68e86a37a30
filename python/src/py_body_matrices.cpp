// m M + c C + k K of bodies written in Python, from the methods of the contract or from those that give M, C and K.
#include "py_body_methods.h"
#include "py_dynamics.h"

namespace saltus::python {
using namespace body_methods;

MatrixValue PythonBody::matrix(int method, View q, const Vector* v) const {
  Loan lq(q.data(), q.size(), false), lv;
  if (v) lv.over(v->data(), v->size(), false);
  MatrixValue value;
  {
    const py::object result =
        v ? side_.call(method, {lq.get(), lv.get()}) : side_.call(method, {lq.get()});
    value = matrix_of(result, velocities(), side_.name_of(method));
  }
  side_.returned(method, {{&lq, "q"}, {&lv, "v"}});
  return value;
}

std::array<MatrixValue, 3> PythonBody::matrices(const Combination& s, View q, View v) const {
  const Gil gil;
  const Vector velocity = v;
  std::array<MatrixValue, 3> found;
  if (s.m != 0.0) found[0] = matrix(kMass, q, nullptr);
  if (s.c != 0.0 && side_.has(kDamping)) found[1] = matrix(kDamping, q, &velocity);
  if (s.k != 0.0 && side_.has(kStiffness)) found[2] = matrix(kStiffness, q, &velocity);
  return found;
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

void PythonBody::multiply(Combination s, View q, View v, View x, Out y) const {
  if (side_.overridden(kMultiply)) {
    const Gil gil;
    mark(y.data(), y.size());
    const py::object factors = combination_to_python(s);
    Loan lq(q.data(), q.size(), false), lv(v.data(), v.size(), false),
        lx(x.data(), x.size(), false), ly(y.data(), y.size(), true);
    side_.written(kMultiply,
                  side_.call(kMultiply, {factors.ptr(), lq.get(), lv.get(), lx.get(), ly.get()}),
                  ly.get(), y, "y");
    return side_.returned(kMultiply, {{&lq, "q"}, {&lv, "v"}, {&lx, "x"}, {&ly, "y"}});
  }
  if (side_.has(kCombination)) {
    const Gil gil;
    y.setZero();
    Loan lq(q.data(), q.size(), false), lv(v.data(), v.size(), false);
    const py::object factors = combination_to_python(s);
    const MatrixValue A = matrix_of(side_.call(kCombination, {factors.ptr(), lq.get(), lv.get()}),
                                    velocities(), side_.name_of(kCombination));
    add_product(1.0, A, x, y);
    return side_.returned(kCombination, {{&lq, "q"}, {&lv, "v"}});
  }
  if (!side_.has(kMass)) side_.missing(kMultiply, "(s, q, v, x, y)");
  const auto [M, C, K] = matrices(s, q, v);
  // as Linear does it where all is sparse: every row is summed up before it meets y
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

void PythonBody::factorise(Combination s, View q, View v, Factor& A) const {
  if (side_.overridden(kFactorise)) {
    const Gil gil;
    const auto view = std::make_shared<FactorView>(FactorView{&A, velocities()});
    const struct Lapse {
      FactorView& of;
      ~Lapse() { of.at = nullptr; }
    } lapse{*view};
    const py::object factor = py::cast(view), factors = combination_to_python(s);
    Loan lq(q.data(), q.size(), false), lv(v.data(), v.size(), false);
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
        matrix_of(side_.call(kCombination, {factors.ptr(), lq.get(), lv.get()}), velocities(),
                  side_.name_of(kCombination));
    python::factorise(1.0, whole, 0.0, {}, 0.0, {}, velocities(), A);
    return side_.returned(kCombination, {{&lq, "q"}, {&lv, "v"}});
  }
  if (!side_.has(kMass)) side_.missing(kFactorise, "(s, q, v, A)");
  const auto [M, C, K] = matrices(s, q, v);
  python::factorise(s.m, M, s.c, C, s.k, K, velocities(), A);
}

void PythonBody::factorise_exact(Combination s, double weight, View x, View q, View v,
                                 Factor& A) const {
  if (!side_.overridden(kFactoriseExact)) return Dynamics::factorise_exact(s, weight, x, q, v, A);
  const Gil gil;
  const auto view = std::make_shared<FactorView>(FactorView{&A, velocities()});
  const struct Lapse {
    FactorView& of;
    ~Lapse() { of.at = nullptr; }
  } lapse{*view};
  const py::object factor = py::cast(view), factors = combination_to_python(s),
                   number = py::float_(weight);
  Loan lx(x.data(), x.size(), false), lq(q.data(), q.size(), false), lv(v.data(), v.size(), false);
  side_.call(kFactoriseExact,
             {factors.ptr(), number.ptr(), lx.get(), lq.get(), lv.get(), factor.ptr()});
  side_.returned(kFactoriseExact, {{&lx, "x"}, {&lq, "q"}, {&lv, "v"}});
}

}  // namespace saltus::python

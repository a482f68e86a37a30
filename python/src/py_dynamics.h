// Bodies written in Python, and bodies of the engine as lent to Python.
#pragma once
#include <memory>
#include <optional>
#include <variant>

#include "python_side.h"
#include "saltus/dynamics/dynamics.h"
#include "saltus/dynamics/forwarding.h"
#include "saltus/linear_algebra/sparse.h"
#include "saltus/linear_algebra/sparse_product.h"

namespace saltus::python {

/// A sparse matrix with its layout for products.
struct SparseBox {
  SparseMatrix rows;
  SparseProduct product;
  explicit SparseBox(SparseMatrix made) : rows(std::move(made)), product(rows) {}
};

/// A matrix given in Python: None (zero), a diagonal (a number or n of them), dense, or sparse.
using MatrixValue = std::variant<std::monostate, Vector, Matrix, std::shared_ptr<SparseBox>>;
/// Accepts a number, (n,), (n, n), SparseMatrix, or a sparse matrix of SciPy.
MatrixValue matrix_of(py::handle from, Eigen::Index n, const std::string& what);

/// A factor of a body or a trial, or a separate one. Becomes invalid after the call that lent it.
struct FactorView {
  Factor* at = nullptr;
  Eigen::Index size = 0;  ///< size of the matrix
  std::shared_ptr<Factor> own{};
  Factor& get() const {
    if (!at) throw UsageError("a factor was lent for one call, which is over");
    return *at;
  }
};
/// A <- factor of a M + b C + c K, in the same form as Lagrangian and Linear use.
void factorise(double m, const MatrixValue& M, double c, const MatrixValue& C, double k,
               const MatrixValue& K, Eigen::Index n, Factor& A);

py::object combination_to_python(const Combination& s);
Combination combination_of(py::handle from);
Energy energy_of(py::handle from, const std::string& what);
py::tuple points_to_python(std::span<const PointRef> at);
std::vector<PointRef> points_of(py::handle from);

/// A body of the engine during a call: `at` is null afterwards. Also used for a body with its
/// owner.
class BorrowedBody final : public ForwardingDynamics {
 public:
  const Dynamics* at = nullptr;
  py::object owner{};
  const Dynamics& body() const {
    if (!at) throw UsageError("a body was lent for one call, which is over");
    return *at;
  }

 private:
  const Dynamics& inner() const override { return body(); }
};

/// The body itself for schemes of the engine, which may keep it in their factor for later
/// iterations.
inline const Dynamics& engine_body(const Dynamics& body) {
  const auto* lent = dynamic_cast<const BorrowedBody*>(&body);
  return lent ? lent->body() : body;
}

/// A body whose class is written in Python.
class PythonBody : public Dynamics, public Extended {
 public:
  PythonBody();
  ~PythonBody() override;
  const PythonSide& side() const { return side_; }
  void check() const override;
  void expect_mass(View q) const;

  int bodies() const override;
  int positions() const override;
  int velocities() const override;
  unsigned traits() const override;
  void retract(View q, View w, Out out) const override;
  void increment_rate(View w, View v, Out rate) const override;
  void force(double t, View q, View v, Out f) const override;
  void multiply(Combination s, double t, View q, View v, View x, Out y) const override;
  void factorise(Combination s, double t, View q, View v, Factor& A) const override;
  void factorise_exact(Combination s, double weight, View x, double t, View q, View v,
                       Factor& A) const override;
  void potential_force(double t, View q, Out f) const override;
  void load(double t, View q, View v, Out f) const override;
  void coast(double h, Out q, Out v) const override;
  const RigidData* rigid() const override;
  Rayleigh rayleigh() const override;
  int prescribed() const override;
  void reactions(double t, View q, View v, View a, Out forces) const override;
  void point_reactions(double t, View q, std::span<const PointRef> at, View f,
                       Out forces) const override;
  void prescribed_columns(Combination s, double t, View q, View v,
                          Eigen::Ref<Matrix> columns) const override;
  void points(double t, View q, std::span<const PointRef> at, Out x) const override;
  void point_rows(View q, View axes, std::span<const PointRef> at, PointRows& J) const override;
  void spin_rows(View q, View axes, std::span<const PointRef> at, PointRows& J) const override;
  void frames(double t, View q, std::span<Pose> out) const override;
  void spin_drift(double t, View q, std::span<const PointRef> at, Out d) const override;
  void point_drift(double t, View q, std::span<const PointRef> at, Out d) const override;
  std::unique_ptr<PointTable> table(std::span<const PointRef> at,
                                    std::span<const Vector3> direction) const override;
  std::span<const Source> sources() const override;
  Energy energy(double t, View q, View v) const override;
  void power(double t, std::optional<double>, View q, View v, View w,
             std::span<double> by_source) const override;
  const ModalData* modal() const override;

 private:
  struct Known;
  bool has_matrices() const;
  MatrixValue matrix(int method, double t, View q, const Vector* v) const;
  py::object combine(const py::object& factors, double t, Loan& q, Loan& v) const;
  /// M, C, K at (t, q, v): those that the class provides and the factors require.
  std::array<MatrixValue, 3> matrices(const Combination& s, double t, View q, View v) const;
  int number(int method) const;
  void vector_method(int method, const double* t, View a, const char* a_name,
                     const Eigen::Ref<const Vector>* b, const char* b_name, Out out,
                     const char* out_name) const;
  void rows(int method, View q, View axes, std::span<const PointRef> at, PointRows& J) const;
  void drift(int method, double t, View q, std::span<const PointRef> at, Out d) const;

  PythonSide side_;
  std::unique_ptr<Known> known_;  ///< constant properties, requested once
};

/// Active while Python calls the bound method of a body: on a body written in Python it is the
/// method of the base class.
class SuperOf : PythonSide::Super {
 public:
  explicit SuperOf(const Dynamics& of) : Super(side_of(of)) {}

 private:
  static const PythonSide* side_of(const Dynamics& of) {
    const auto* made = dynamic_cast<const PythonBody*>(&of);
    return made ? &made->side() : nullptr;
  }
};

void bind_factor(py::module_& m);
void bind_operator(py::module_& m);
void bind_values(py::module_& m);

}  // namespace saltus::python

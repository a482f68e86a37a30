// Operators A = m M + c C + k K that are solved in Python.
#pragma once
#include "python_side.h"
#include "saltus/linear_algebra/factor.h"

namespace saltus::python {

/// An operator whose class is written in Python.
class PythonOperator : public Operator, public Extended {
 public:
  PythonOperator();
  void check() const override;
  void solve(Eigen::Ref<Matrix> X) const override;
  bool symmetric() const override;
  bool response(const SparseRows& H, Eigen::Ref<Matrix> W) const override;
  SolveRecord record() const override;
  void forget() override;
  const PythonSide& side() const { return side_; }

 private:
  PythonSide side_;
};

/// Wraps an operator owned by a Python object for a factor that requires ownership.
class HeldOperator final : public Operator {
 public:
  explicit HeldOperator(std::shared_ptr<const Operator> held) : held_(std::move(held)) {}
  void solve(Eigen::Ref<Matrix> X) const override { held_->solve(X); }
  bool symmetric() const override { return held_->symmetric(); }
  bool response(const SparseRows& H, Eigen::Ref<Matrix> W) const override {
    return held_->response(H, W);
  }
  SolveRecord record() const override { return held_->record(); }
  void forget() override { const_cast<Operator&>(*held_).forget(); }
  const std::shared_ptr<const Operator>& held() const { return held_; }

 private:
  std::shared_ptr<const Operator> held_;
};

/// Rows by their entries for Python, in separate arrays.
struct LentRows {
  py::array_t<int> offset, column;
  py::array_t<double> value;
};

/// A text that stays valid until the end of the process, one copy of each.
std::string_view lasting(const std::string& text);

}  // namespace saltus::python

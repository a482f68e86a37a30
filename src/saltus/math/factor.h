// Factorised step operators A = m M + c C + k K in the form that is cheapest for each kind of body.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "saltus/base/base.h"

namespace saltus {

class Stop;

/// A = diag; holds 1/A_jj (0 where a degree of freedom is prescribed or cannot be excited) [1/kg].
struct Diagonal {
  Vector inverse;
};

/// One 6 x 6 block a body, inverted [1/kg, 1/(kg m^2)]; may be unsymmetric.
struct Blocks6 {
  std::vector<Eigen::Matrix<double, 6, 6>> inverse;
};

/// What iterative solves did since the operator was told to forget, with every A that it held: the worst of a step.
struct SolveRecord {
  double residual = 0.0;  ///< largest |b - A x| / |b| [1]
  int iterations = 0;     ///< all together
  /// Why a solve ended above its tolerance, in words of static life; empty: none did.
  std::string_view failure;
};

/// Rows by their entries: column[k], value[k] for k = offset[i] .. offset[i + 1] - 1. A column may come more than once.
struct SparseRows {
  std::span<const int> offset, column;
  std::span<const double> value;
};

/// Large, sparse, dense, masked or foreign operators. May be unsymmetric.
class Operator {
 public:
  virtual ~Operator() = default;
  /// X <- A^-1 X, all right-hand sides (columns) at once.
  virtual void solve(Eigen::Ref<Matrix> X) const = 0;
  virtual bool symmetric() const = 0;
  /// W += H A^-1 H^T where that is to be had for less than a solve of all rows; else false, and W is as it was.
  virtual bool response(const SparseRows& H, Eigen::Ref<Matrix> W) const {
    static_cast<void>(H), static_cast<void>(W);
    return false;
  }
  /// Of those that iterate. Default: nothing to tell.
  virtual SolveRecord record() const { return {}; }
  virtual void forget() {}
  /// Of those that iterate: solves end at once where `stop`, which must outlive them, is requested.
  virtual void stop_by(Stop* stop) { static_cast<void>(stop); }
};

/// A dense A by LU with partial pivoting; unsymmetric matrices welcome.
class DenseOperator final : public Operator {
 public:
  DenseOperator();
  ~DenseOperator() override;
  /// Throws nothing; a singular A gives non-finite solutions, which the step driver reports.
  void factorise(const Matrix& A);
  void solve(Eigen::Ref<Matrix> X) const override;
  bool symmetric() const override { return symmetric_; }

 private:
  struct Lu;
  std::unique_ptr<Lu> lu_;
  bool symmetric_ = true;
};

/// The factor of A. Refilled in place by Dynamics::factorise, never shared.
struct Factor {
  std::variant<std::monostate, Diagonal, Blocks6, std::unique_ptr<Operator>> form;
};

/// X <- A^-1 X for all columns (or a vector). A must have been factorised.
void solve(const Factor& A, Eigen::Ref<Matrix> X);
bool symmetric(const Factor& A);
/// Operator::response of A; false for the other forms.
bool response(const Factor& A, const SparseRows& H, Eigen::Ref<Matrix> W);
SolveRecord record(const Factor& A);
void forget(Factor& A);  ///< begins a new record
void stop_by(Factor& A, Stop* stop);

}  // namespace saltus

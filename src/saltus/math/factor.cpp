#include "saltus/math/factor.h"

#include <Eigen/LU>
#include <atomic>

#include "saltus/base/error.h"
#include "saltus/math/blocks_internal.h"

namespace saltus {

struct DenseOperator::Lu {
  Eigen::PartialPivLU<Matrix> value;
  Vector work;  ///< of solve(); one factor belongs to one group
};

DenseOperator::DenseOperator() : lu_(std::make_unique<Lu>()) {}
DenseOperator::~DenseOperator() = default;

void DenseOperator::factorise(const Matrix& A) {
  symmetric_ = (A - A.transpose()).lpNorm<Eigen::Infinity>() <= 1e-14 * A.lpNorm<Eigen::Infinity>();
  lu_->value.compute(A);
}

void DenseOperator::solve(Eigen::Ref<Matrix> X) const {
  // P A = L U: X <- U^-1 L^-1 P X
  for (Eigen::Index j = 0; j < X.cols(); ++j) {
    lu_->work = X.col(j);
    const auto& to = lu_->value.permutationP().indices();
    for (Eigen::Index i = 0; i < X.rows(); ++i) X(to[i], j) = lu_->work[i];
    auto x = X.col(j);
    lu_->value.matrixLU().triangularView<Eigen::UnitLower>().solveInPlace(x);
    lu_->value.matrixLU().triangularView<Eigen::Upper>().solveInPlace(x);
  }
}

namespace {

struct Solve {
  Eigen::Ref<Matrix> X;
  void operator()(const std::monostate&) const {
    expects(false, "the operator A was not factorised");
  }
  void operator()(const Diagonal& A) { X.array().colwise() *= A.inverse.array(); }
  void operator()(const Blocks6& A) {
    in_blocks(A.inverse.size(), [&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        auto rows = X.middleRows<6>(6 * static_cast<Eigen::Index>(i));
        for (Eigen::Index j = 0; j < X.cols(); ++j) {
          const Eigen::Matrix<double, 6, 1> x = rows.col(j);
          rows.col(j).noalias() = A.inverse[i] * x;
        }
      }
    });
  }
  void operator()(const std::unique_ptr<Operator>& A) { A->solve(X); }
};

struct Symmetric {
  bool operator()(const std::monostate&) const { return true; }
  bool operator()(const Diagonal&) const { return true; }
  bool operator()(const Blocks6& A) const {
    std::atomic<bool> all = true;
    in_blocks(A.inverse.size(), [&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const auto& block = A.inverse[i];
        if ((block - block.transpose()).lpNorm<Eigen::Infinity>() >
            1e-14 * block.lpNorm<Eigen::Infinity>())
          all = false;
      }
    });
    return all;
  }
  bool operator()(const std::unique_ptr<Operator>& A) const { return A->symmetric(); }
};

}  // namespace

void solve(const Factor& A, Eigen::Ref<Matrix> X) { std::visit(Solve{X}, A.form); }

bool symmetric(const Factor& A) { return std::visit(Symmetric{}, A.form); }

bool response(const Factor& A, const SparseRows& H, Eigen::Ref<Matrix> W) {
  const auto* given = std::get_if<std::unique_ptr<Operator>>(&A.form);
  return given && *given && (*given)->response(H, W);
}

SolveRecord record(const Factor& A) {
  const auto* given = std::get_if<std::unique_ptr<Operator>>(&A.form);
  return given && *given ? (*given)->record() : SolveRecord{};
}

void forget(Factor& A) {
  if (auto* given = std::get_if<std::unique_ptr<Operator>>(&A.form); given && *given)
    (*given)->forget();
}
void stop_by(Factor& A, Stop* stop) {
  if (auto* given = std::get_if<std::unique_ptr<Operator>>(&A.form); given && *given)
    (*given)->stop_by(stop);
}

}  // namespace saltus

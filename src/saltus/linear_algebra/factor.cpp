#include "saltus/linear_algebra/factor.h"

#include <Eigen/LU>
#include <atomic>

#include "saltus/base/error.h"
#include "saltus/linear_algebra/blocks_internal.h"

namespace saltus {

void Operator::multiply(View, Out) const { expects(false, "only the inverse of A is available"); }

struct DenseOperator::Lu {
  Eigen::PartialPivLU<Matrix> value;
  Matrix A;
  Vector work;  ///< work space of solve(); each factor belongs to one group
};

DenseOperator::DenseOperator() : lu_(std::make_unique<Lu>()) {}
DenseOperator::~DenseOperator() = default;

void DenseOperator::factorise(const Matrix& A) {
  symmetric_ = (A - A.transpose()).lpNorm<Eigen::Infinity>() <= 1e-14 * A.lpNorm<Eigen::Infinity>();
  lu_->value.compute(A);
  lu_->A = A;
}

bool DenseOperator::blocks(DiagonalBlocks& D, bool& whole) const {
  const Matrix& A = lu_->A;
  if (A.rows() > kLargestBlock) return false;
  Eigen::Map<Matrix>(D.add(static_cast<int>(A.rows())), A.rows(), A.rows()) = A;
  whole = true;
  return true;
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

const Operator* operator_of(const Factor& A) {
  const auto* given = std::get_if<std::unique_ptr<Operator>>(&A.form);
  return given ? given->get() : nullptr;
}

/// Inverts A_b^-1, whose rows are 0 for locked degrees of freedom. Returns false if it is singular
/// for another reason.
bool block_of(const Eigen::Matrix<double, 6, 6>& inverse, double* block, std::vector<char>& moves) {
  Eigen::Matrix<double, 6, 6> B = inverse;
  for (int i = 0; i < 6; ++i) {
    const bool locked = B.row(i).isZero(0.0) && B.col(i).isZero(0.0);
    moves.push_back(locked ? 0 : 1);
    if (locked) B(i, i) = 1.0;
  }
  const Eigen::FullPivLU<Eigen::Matrix<double, 6, 6>> lu(B);
  if (!lu.isInvertible()) return false;
  Eigen::Map<Eigen::Matrix<double, 6, 6>> inverted(block);
  inverted = lu.inverse();
  return true;
}

}  // namespace

bool blocks(const Factor& A, DiagonalBlocks& D, std::vector<char>& moves, bool& whole) {
  whole = true;
  if (const auto* diagonal = std::get_if<Diagonal>(&A.form)) {
    for (const double x : diagonal->inverse) {
      *D.add(1) = x == 0.0 ? 1.0 : 1.0 / x;
      moves.push_back(x == 0.0 ? 0 : 1);
    }
    return true;
  }
  if (const auto* six = std::get_if<Blocks6>(&A.form)) {
    for (const auto& inverse : six->inverse)
      if (!block_of(inverse, D.add(6), moves)) return false;
    return true;
  }
  const Operator* const given = operator_of(A);
  whole = false;
  if (!given || !given->blocks(D, whole)) return false;
  moves.resize(static_cast<std::size_t>(D.rows()), 1);
  return true;
}

void multiply(const Factor& A, View x, Out y) {
  const Operator* const given = operator_of(A);
  expects(given != nullptr, "A has no entries outside its diagonal blocks");
  given->multiply(x, y);
}

void solve_near(const Factor& A, View b, Out x) {
  if (const Operator* const given = operator_of(A)) {
    given->solve_near(b, x);
  } else {
    x = b;
    solve(A, x);
  }
}

double tolerance(const Factor& A) {
  const Operator* const given = operator_of(A);
  return given ? given->tolerance() : 0.0;
}

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

// The choice of factor for a matrix, and the two factors that need no sparse library.
#include <algorithm>
#include <limits>

#include "saltus/base/error.h"
#include "saltus/base/index_internal.h"
#include "saltus/linear_algebra/sparse_internal.h"

namespace saltus {
namespace {

// Below these sizes LU of the full matrix is as fast as any alternative (measured: 32 rows of a
// chain, 0.3 us per solve).
constexpr int kAlwaysDense = 32, kMaybeDense = 200;
constexpr int kNodeRows = 3;  ///< number of axes of a node
constexpr double kFull = 0.3;

}  // namespace

bool TridiagonalFactor::fits(const SparseMatrix& A) {
  const auto offset = A.offset(), column = A.column();
  for (int i = 0; i < A.size(); ++i) {
    const int first = offset[index(i)], last = offset[index(i) + 1];
    if (first < last && (column[index(first)] < i - 1 || column[index(last) - 1] > i + 1))
      return false;
  }
  return true;
}

int TridiagonalFactor::factorise(const SparseMatrix& A) {
  const int n = A.size();
  l_.setZero(n);
  inverse_.resize(n);
  double above = 0.0;  // l of the previous row
  for (int i = 0; i < n; ++i) {
    double pivot = 0.0, below = 0.0;  // a_ii, a_{i,i-1}
    for (int k = A.offset()[index(i)]; k < A.offset()[index(i) + 1]; ++k) {
      if (A.column()[index(k)] == i) pivot = A.value()[index(k)];
      if (A.column()[index(k)] == i - 1) below = A.value()[index(k)];
    }
    if (i > 0) {
      above = below * inverse_[i - 1];
      l_[i - 1] = above;
      pivot -= above * below;
    }
    if (!(pivot > 0.0)) return i;
    inverse_[i] = 1.0 / pivot;
  }
  return -1;
}

void TridiagonalFactor::solve(Eigen::Ref<Matrix> X) const {
  const Eigen::Index n = l_.size();
  const double *l = l_.data(), *inverse = inverse_.data();
  for (Eigen::Index j = 0; j < X.cols(); ++j) {
    double* x = X.col(j).data();
    for (Eigen::Index i = 1; i < n; ++i) x[i] -= l[i - 1] * x[i - 1];
    x[n - 1] *= inverse[n - 1];
    for (Eigen::Index i = n - 1; i-- > 0;) x[i] = x[i] * inverse[i] - l[i] * x[i + 1];
  }
}

struct SparseOperator::Impl {
  enum class Form { none, tridiagonal, dense, cholesky, lu, singular };
  Form form = Form::none;
  bool is_symmetric = true;

  // The analysed pattern, and data that depend only on it
  std::vector<int> offset, column;
  std::vector<double> values;  ///< values of A
  std::vector<int> twin;       ///< index of the entry (j, i) for each entry (i, j), -1: none
  bool tridiagonal = false, dense = false;
  bool cholesky_knows = false, lu_knows = false;  ///< whether they have analysed the pattern

  TridiagonalFactor tri;
  DenseOperator full;
  Matrix entries;  ///< entries of A, for `full`
  std::unique_ptr<SparseCholesky> cholesky;
  std::unique_ptr<SparseLu> lu;

  void analyse(const SparseMatrix& A);
  bool symmetric(const SparseMatrix& A) const;
  void factorise(const SparseMatrix& A);
};

void SparseOperator::Impl::analyse(const SparseMatrix& A) {
  if (std::ranges::equal(offset, A.offset()) && std::ranges::equal(column, A.column())) return;
  offset.assign(A.offset().begin(), A.offset().end());
  column.assign(A.column().begin(), A.column().end());
  cholesky_knows = lu_knows = false;
  const int n = A.size();
  tridiagonal = TridiagonalFactor::fits(A);
  dense =
      n <= kAlwaysDense || (n <= kMaybeDense && static_cast<double>(column.size()) > kFull * n * n);
  // Columns are visited by increasing row, and the rows of the transpose by increasing column
  twin.assign(column.size(), -1);
  std::vector<int> next(offset.begin(), offset.end() - 1);
  for (int i = 0; i < n; ++i)
    for (int k = offset[index(i)]; k < offset[index(i) + 1]; ++k) {
      const int j = column[index(k)];
      int& at = next[index(j)];
      while (at < offset[index(j) + 1] && column[index(at)] < i) ++at;
      if (at < offset[index(j) + 1] && column[index(at)] == i) twin[index(k)] = at;
    }
}

bool SparseOperator::Impl::symmetric(const SparseMatrix& A) const {
  const auto value = A.value();
  double largest = 0.0;
  for (double a : value) largest = std::max(largest, std::abs(a));
  for (std::size_t k = 0; k < value.size(); ++k) {
    const double mirrored = twin[k] < 0 ? 0.0 : value[index(twin[k])];
    if (!(std::abs(value[k] - mirrored) <= 1e-14 * largest)) return false;
  }
  return true;
}

void SparseOperator::Impl::factorise(const SparseMatrix& A) {
  analyse(A);
  values.assign(A.value().begin(), A.value().end());
  is_symmetric = symmetric(A);
  form = Form::singular;
  if (!A.finite()) return;
  if (tridiagonal && is_symmetric && tri.factorise(A) < 0) {
    form = Form::tridiagonal;
    return;
  }
  if (dense) {
    entries.setZero(A.size(), A.size());
    for (int i = 0; i < A.size(); ++i)
      for (int k = offset[index(i)]; k < offset[index(i) + 1]; ++k)
        entries(i, column[index(k)]) = A.value()[index(k)];
    full.factorise(entries);
    form = Form::dense;
    return;
  }
  if (is_symmetric && !tridiagonal) {
    if (!cholesky) cholesky = std::make_unique<SparseCholesky>();
    const bool definite = cholesky->factorise(A, cholesky_knows) < 0;
    cholesky_knows = true;
    if (definite) {
      form = Form::cholesky;
      return;
    }
  }
  if (!lu) lu = std::make_unique<SparseLu>();
  if (lu->factorise(A, lu_knows)) form = Form::lu;
  lu_knows = true;
}

SparseOperator::SparseOperator() : impl_(std::make_unique<Impl>()) {}
SparseOperator::~SparseOperator() = default;

void SparseOperator::factorise(const SparseMatrix& A) { impl_->factorise(A); }

void SparseOperator::solve(Eigen::Ref<Matrix> X) const {
  const Impl& f = *impl_;
  expects(f.form != Impl::Form::none, "the operator A was not factorised");
  expects(X.rows() + 1 == static_cast<Eigen::Index>(f.offset.size()),
          "right-hand sides must have as many rows as the matrix");
  if (X.size() == 0) return;
  switch (f.form) {
    case Impl::Form::tridiagonal:
      return f.tri.solve(X);
    case Impl::Form::dense:
      return f.full.solve(X);
    case Impl::Form::cholesky:
      return f.cholesky->solve(X);
    case Impl::Form::lu:
      return f.lu->solve(X);
    default:
      X.setConstant(std::numeric_limits<double>::quiet_NaN());
  }
}

bool SparseOperator::symmetric() const { return impl_->is_symmetric; }

bool SparseOperator::blocks(DiagonalBlocks& D, bool& whole) const {
  const Impl& f = *impl_;
  const int n = static_cast<int>(f.offset.size()) - 1;
  if (n < 1) return false;
  whole = n <= kLargestBlock;
  const auto columns = [&](int i) {
    return std::span(f.column).subspan(index(f.offset[index(i)]),
                                       index(f.offset[index(i) + 1] - f.offset[index(i)]));
  };
  for (int begin = 0, end = 0; begin < n; begin = end) {
    for (end = begin + 1; end < n && (whole || (end - begin < kNodeRows &&
                                                std::ranges::equal(columns(begin), columns(end))));)
      ++end;
    double* const block = D.add(end - begin);
    for (int i = begin; i < end; ++i)
      for (int k = f.offset[index(i)]; k < f.offset[index(i) + 1]; ++k)
        if (const int j = f.column[index(k)]; j >= begin && j < end)
          block[(i - begin) * (end - begin) + j - begin] = f.values[index(k)];
  }
  return true;
}

void SparseOperator::multiply(View x, Out y) const {
  const Impl& f = *impl_;
  for (std::size_t i = 0; i + 1 < f.offset.size(); ++i) {
    double sum = 0.0;
    for (int k = f.offset[i]; k < f.offset[i + 1]; ++k)
      sum += f.values[index(k)] * x[f.column[index(k)]];
    y[static_cast<Eigen::Index>(i)] = sum;
  }
}

bool SparseOperator::response(const SparseRows& H, Eigen::Ref<Matrix> W) const {
  if (impl_->form != Impl::Form::cholesky) return false;
  impl_->cholesky->response(H, W);
  return true;
}

// A pivot below 1e-14 of its diagonal entry counts as round-off.
int first_bad_pivot(const SparseMatrix& M) {
  constexpr double kRoundOff = 1e-14;
  const int n = M.size();
  if (n > 500)
    return TridiagonalFactor::fits(M) ? TridiagonalFactor().factorise(M)
                                      : SparseCholesky().factorise(M, false);
  Matrix L = M.dense();  // the lower triangle
  for (int i = 0; i < n; ++i) {
    const double diagonal = L(i, i);
    const double pivot = diagonal - L.row(i).head(i).squaredNorm();
    if (!(pivot > kRoundOff * diagonal)) return i;
    L(i, i) = std::sqrt(pivot);
    for (int j = i + 1; j < n; ++j)
      L(j, i) = (L(j, i) - L.row(j).head(i).dot(L.row(i).head(i))) / L(i, i);
  }
  return -1;
}

}  // namespace saltus

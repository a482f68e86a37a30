// Eigen's LU, unpacked into plain columns: Eigen's own solve allocates its work space in each call.
#include <Eigen/SparseCore>
#include <Eigen/SparseLU>

#include "saltus/base/index_internal.h"

#include "saltus/linear_algebra/sparse_internal.h"

namespace saltus {
namespace {

// A triangular matrix by columns, without its diagonal.
struct Columns {
  std::vector<int> offset, row;
  std::vector<double> value;

  void clear() {
    offset.assign(1, 0);
    row.clear();
    value.clear();
  }
  void add(Eigen::Index i, double a) {
    row.push_back(static_cast<int>(i));
    value.push_back(a);
  }
  void close() { offset.push_back(static_cast<int>(row.size())); }
  /// x -= (column j) x_j
  void eliminate(int j, double* x) const {
    const double xj = x[j];
    for (int k = offset[index(j)]; k < offset[index(j) + 1]; ++k)
      x[row[index(k)]] -= value[index(k)] * xj;
  }
};

}  // namespace

struct SparseLu::Impl {
  using Sparse = Eigen::SparseMatrix<double, Eigen::ColMajor, int>;
  Eigen::SparseLU<Sparse, Eigen::COLAMDOrdering<int>> lu;
  Columns L, U;
  Vector pivot;         ///< diagonal of U
  mutable Vector work;  // each factor belongs to one simulation
};

SparseLu::SparseLu() : impl_(std::make_unique<Impl>()) {}
SparseLu::~SparseLu() = default;

bool SparseLu::factorise(const SparseMatrix& A, bool same_pattern) {
  Impl& f = *impl_;
  const int n = A.size();
  const Eigen::Map<const Eigen::SparseMatrix<double, Eigen::RowMajor, int>> rows(
      n, n, static_cast<Eigen::Index>(A.value().size()), A.offset().data(), A.column().data(),
      A.value().data());
  const Impl::Sparse columns = rows;
  if (!same_pattern) f.lu.analyzePattern(columns);
  f.lu.factorize(columns);
  if (f.lu.info() != Eigen::Success) return false;

  // A supernode of L also stores its diagonal triangle of U.
  const auto L = f.lu.matrixL();
  const auto U = f.lu.matrixU();
  f.L.clear();
  f.U.clear();
  f.pivot.setZero(n);
  for (int j = 0; j < n; ++j) {
    for (std::remove_cvref_t<decltype(U.m_mapU)>::InnerIterator it(U.m_mapU, j); it; ++it)
      f.U.add(it.index(), it.value());
    for (std::remove_cvref_t<decltype(L.m_mapL)>::InnerIterator it(L.m_mapL, j); it; ++it) {
      if (it.index() < j) f.U.add(it.index(), it.value());
      if (it.index() == j) f.pivot[j] = it.value();
      if (it.index() > j) f.L.add(it.index(), it.value());
    }
    f.L.close();
    f.U.close();
  }
  f.work.resize(n);
  return true;
}

// P A Q = L U:  x = Q U^-1 L^-1 P b
void SparseLu::solve(Eigen::Ref<Matrix> X) const {
  const Impl& f = *impl_;
  const int n = static_cast<int>(f.pivot.size());
  double* y = f.work.data();
  for (Eigen::Index c = 0; c < X.cols(); ++c) {
    f.work = f.lu.rowsPermutation() * X.col(c);
    for (int j = 0; j < n; ++j) f.L.eliminate(j, y);
    for (int j = n; j-- > 0;) {
      y[j] /= f.pivot[j];
      f.U.eliminate(j, y);
    }
    X.col(c) = f.lu.colsPermutation().inverse() * f.work;
  }
}

}  // namespace saltus

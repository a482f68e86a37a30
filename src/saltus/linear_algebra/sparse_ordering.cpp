// Elimination order of a sparse symmetric matrix: the better of AMD and METIS as selected by
// CHOLMOD if available, else Eigen's AMD. (27 neighbours in space, three components each, 12 288
// rows: 4.5 million entries of L with CHOLMOD, 6.3 million with Eigen.)
#include "saltus/linear_algebra/sparse_internal.h"

#ifdef SALTUS_HAVE_CHOLMOD

#include <cholmod.h>

#include <mutex>
#include <new>

namespace saltus {

// The lower triangle by rows is the upper one by columns, which CHOLMOD calls stype 1. Only the
// analysis of CHOLMOD is used.
std::vector<int> elimination_order(const LowerPattern& A) {
  static std::mutex one_at_a_time;  // METIS uses rand(), which all threads share
  const std::lock_guard lock(one_at_a_time);
  cholmod_common common;
  cholmod_start(&common);
  common.print = 0;
  common.supernodal = CHOLMOD_SIMPLICIAL;
  LowerPattern copy = A;  // CHOLMOD is not const-correct
  cholmod_sparse pattern{};
  pattern.nrow = pattern.ncol = A.offset.size() - 1;
  pattern.nzmax = A.column.size();
  pattern.p = copy.offset.data();
  pattern.i = copy.column.data();
  pattern.stype = 1;
  pattern.itype = CHOLMOD_INT;
  pattern.xtype = CHOLMOD_PATTERN;
  pattern.dtype = CHOLMOD_DOUBLE;
  pattern.sorted = pattern.packed = 1;
  cholmod_factor* factor = cholmod_analyze(&pattern, &common);
  std::vector<int> order;
  if (factor) {
    const auto* first = static_cast<const int*>(factor->Perm);
    order.assign(first, first + pattern.nrow);
  }
  cholmod_free_factor(&factor, &common);
  cholmod_finish(&common);
  if (order.empty()) throw std::bad_alloc();
  return order;
}

}  // namespace saltus

#else

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>

namespace saltus {

std::vector<int> elimination_order(const LowerPattern& A) {
  using Pattern = Eigen::SparseMatrix<double, Eigen::ColMajor, int>;
  const int n = A.size();
  const Vector ones = Vector::Ones(static_cast<Eigen::Index>(A.column.size()));
  const Pattern upper =
      Eigen::Map<const Pattern>(n, n, ones.size(), A.offset.data(), A.column.data(), ones.data());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> order;
  Eigen::AMDOrdering<int>()(upper.selfadjointView<Eigen::Upper>(), order);
  return {order.indices().begin(), order.indices().end()};
}

}  // namespace saltus

#endif

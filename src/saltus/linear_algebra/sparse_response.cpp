// W += H A^-1 H^T by half solves:  Y = L^-1 P H^T,  W += Y^T Y.
//
// A row of H reaches only the supernodes on the paths from its columns up the tree. In each
// supernode, the rows of H that reach it are the columns of a dense front: its own rows of Y are
// final and are added to W immediately; its updates to rows below wait for the parent. For a solid
// with 12 288 unknowns and 900 rows see docs/decisions/0018.
#include <algorithm>

#include "saltus/base/index_internal.h"
#include "saltus/linear_algebra/dense_panel.h"
#include "saltus/linear_algebra/sparse_cholesky_internal.h"

namespace saltus {
namespace {

using Eigen::Index;

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using ResponseFront = Eigen::Map<Rows>;
using ResponsePanel = Eigen::Map<const Matrix, 0, Eigen::OuterStride<>>;

/// Returns a block of at least that many doubles; it never shrinks.
double* room(std::vector<double>& of, std::size_t size) {
  if (of.size() < size) of.resize(size);
  return of.data();
}

}  // namespace

void SparseCholesky::response(const SparseRows& H, Eigen::Ref<Matrix> W) const {
  const Impl& f = *impl_;
  HalfSolves& w = f.half;
  const auto count = static_cast<int>(H.offset.size()) - 1;
  w.active.resize(index(f.supernodes()));
  w.given.resize(index(f.supernodes()));
  w.seen.assign(index(f.supernodes()), -1);
  w.place.resize(index(f.n));
  w.at.resize(index(count));
  for (int s = 0; s < f.supernodes(); ++s) {
    w.active[index(s)].clear();
    w.given[index(s)].clear();
  }
  for (int i = 0; i < count; ++i)
    for (int k = H.offset[index(i)]; k < H.offset[index(i) + 1]; ++k) {
      const int row = f.rank[index(H.column[index(k)])];
      int s = f.supernode_of[index(row)];
      w.given[index(s)].push_back({row, i, H.value[index(k)]});
      for (; s >= 0 && w.seen[index(s)] != i; s = f.parent(s)) {
        w.seen[index(s)] = i;
        w.active[index(s)].push_back(i);
      }
    }

  std::size_t top = 0;  // of the pending updates
  for (int s = 0; s < f.supernodes(); ++s) {
    const std::vector<int>& active = w.active[index(s)];
    if (active.empty()) continue;
    const auto own = f.rows_of(s);
    const Index m = static_cast<Index>(active.size()), height = static_cast<Index>(own.size()),
                width = f.width(s), below = height - width;
    for (std::size_t i = 0; i < own.size(); ++i) w.place[index(own[i])] = static_cast<int>(i);
    for (Index j = 0; j < m; ++j)
      w.at[index(active[static_cast<std::size_t>(j)])] = static_cast<int>(j);
    ResponseFront T(room(w.front, static_cast<std::size_t>(height * m)), height, m);
    T.setZero();
    for (const HalfSolves::Given& g : w.given[index(s)])
      T(w.place[index(g.row)], w.at[index(g.column)]) += g.value;
    for (auto child = f.children[index(s)].rbegin(); child != f.children[index(s)].rend();
         ++child) {
      const std::vector<int>& theirs = w.active[index(*child)];
      if (theirs.empty()) continue;
      const auto from = f.rows_of(*child).subspan(index(f.width(*child)));
      top -= from.size() * theirs.size();
      const double* value = w.waiting.data() + top;
      for (const int row : from) {
        auto to = T.row(w.place[index(row)]);
        for (const int i : theirs) to[w.at[index(i)]] += *value++;
      }
    }

    const ResponsePanel L(f.panel.data() + f.panel_at[index(s)], height, width,
                          Eigen::OuterStride<>(height));
    auto Y = T.topRows(width);
    L.topRows(width).triangularView<Eigen::Lower>().solveInPlace(Y);
    if (below > 0) {
      ResponseFront U(room(w.waiting, top + static_cast<std::size_t>(below * m)) + top, below, m);
      U = T.bottomRows(below);
      U.noalias() -= L.bottomRows(below) * Y;
      top += static_cast<std::size_t>(below * m);
    }
    ResponseFront Yt(room(w.transposed, static_cast<std::size_t>(width * m)), m, width);
    Yt = Y.transpose();
    ResponseFront G(room(w.product, static_cast<std::size_t>(m * m)), m, m);
    G.setZero();
    subtract_upper(static_cast<int>(m), static_cast<int>(m), static_cast<int>(width), Yt.data(),
                   T.data(), m, G.data(), m);
    for (Index a = 0; a < m; ++a)
      for (Index b = a; b < m; ++b) {
        const int i = active[static_cast<std::size_t>(a)], j = active[static_cast<std::size_t>(b)];
        W(i, j) -= G(a, b);
        if (a != b) W(j, i) -= G(a, b);
      }
  }
}

}  // namespace saltus

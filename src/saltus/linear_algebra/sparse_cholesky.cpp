// P A P^T = L L^T by the multifrontal method: columns of L with the same pattern form a supernode,
// a dense panel, so that dense kernels do the work.
//
//     supernode: rows of its own columns    [ L11 ]    the columns of A and the updates of the
//                rows below them            [ L21 ]    children are added up in the panel
//     L11 L11^T = panel11,   L21 = panel21 L11^-T,   update for the parent: panel22 - L21 L21^T
//
// Source: J. W. H. Liu, The multifrontal method for sparse matrix solution, SIAM Review 34 (1992).
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "saltus/base/index_internal.h"

#include "saltus/linear_algebra/sparse_cholesky_internal.h"

namespace saltus {
namespace {

constexpr int kPanel = 32;  // columns factorised at a time within a supernode

using Panel = Eigen::Map<Matrix, 0, Eigen::OuterStride<>>;
using ConstPanel = Eigen::Map<const Matrix, 0, Eigen::OuterStride<>>;

// Replaces the first `width` columns of a dense symmetric matrix, lower triangle, by those of its
// factor. Returns the first column without a positive pivot, -1 if there is none.
int factor_panel(Panel& P) {
  const Eigen::Index rows = P.rows(), width = P.cols();
  for (Eigen::Index k = 0; k < width; k += kPanel) {
    const Eigen::Index w = std::min<Eigen::Index>(kPanel, width - k), end = k + w;
    for (Eigen::Index j = k; j < end; ++j) {  // the diagonal block
      const double pivot = P(j, j) - P.row(j).segment(k, j - k).squaredNorm();
      if (!(pivot > 0.0)) return static_cast<int>(j);
      const double root = std::sqrt(pivot);
      P(j, j) = root;
      for (Eigen::Index i = j + 1; i < end; ++i)
        P(i, j) = (P(i, j) - P.row(i).segment(k, j - k).dot(P.row(j).segment(k, j - k))) / root;
    }
    if (end == rows) break;
    auto below = P.block(end, k, rows - end, w);
    P.block(k, k, w, w)
        .triangularView<Eigen::Lower>()
        .transpose()
        .solveInPlace<Eigen::OnTheRight>(below);
    if (end < width)
      P.block(end, end, rows - end, width - end).noalias() -=
          below * below.topRows(width - end).transpose();
  }
  return -1;
}

// One supernode of the finished factor, for solves. x: all rows in the order of L; t: work space
// for the rows of the panel, which is traversed four columns at a time.
struct Block {
  const double* panel;
  const double* inverse;  ///< 1 / diagonal of L
  const int* below;       ///< rows below the supernode
  int first, width, height;

  void forward(double* x, double* t) const {
    gather(x, t);
    for (int k = 0; k < width; k += 4) strip(k, [&](auto columns) { forward<columns>(k, t); });
    std::copy_n(t, width, x + first);
    for (int i = width; i < height; ++i) x[below[i - width]] = t[i];
  }
  void backward(double* x, double* t) const {
    gather(x, t);
    for (int k = (width - 1) / 4 * 4; k >= 0; k -= 4)
      strip(k, [&](auto columns) { backward<columns>(k, t); });
    std::copy_n(t, width, x + first);
  }

 private:
  template <int n>
  using Fixed = std::integral_constant<int, n>;
  using Column = Eigen::Map<const Vector>;

  void gather(const double* x, double* t) const {
    std::copy_n(x + first, width, t);
    for (int i = width; i < height; ++i) t[i] = x[below[i - width]];
  }
  template <class Use>
  void strip(int k, Use use) const {
    switch (width - k) {
      case 1:
        return use(Fixed<1>{});
      case 2:
        return use(Fixed<2>{});
      case 3:
        return use(Fixed<3>{});
      default:
        return use(Fixed<4>{});
    }
  }
  double at(int i, int j) const { return panel[i + static_cast<std::ptrdiff_t>(j) * height]; }
  Column column(int from, int j) const {
    return {&panel[from + static_cast<std::ptrdiff_t>(j) * height], height - from};
  }

  // y = L_kk^-1 t_k,   t_below -= L_bk y
  template <int n>
  void forward(int k, double* t) const {
    double* y = t + k;
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < j; ++i) y[j] -= at(k + j, k + i) * y[i];
      y[j] *= inverse[k + j];
    }
    const int from = k + n;
    Eigen::Map<Vector> rest(t + from, height - from);
    if constexpr (n == 1) rest -= y[0] * column(from, k);
    if constexpr (n == 2) rest -= y[0] * column(from, k) + y[1] * column(from, k + 1);
    if constexpr (n == 3)
      rest -= y[0] * column(from, k) + y[1] * column(from, k + 1) + y[2] * column(from, k + 2);
    if constexpr (n == 4)
      rest -= (y[0] * column(from, k) + y[1] * column(from, k + 1)) +
              (y[2] * column(from, k + 2) + y[3] * column(from, k + 3));
  }
  // t_k = L_kk^-T (t_k - L_bk^T t_below)
  template <int n>
  void backward(int k, double* t) const {
    const int from = k + n;
    const Column rest(t + from, height - from);
    double* y = t + k;
    for (int j = 0; j < n; ++j) y[j] -= column(from, k + j).dot(rest);
    for (int j = n; j-- > 0;) {
      for (int i = j + 1; i < n; ++i) y[j] -= at(k + i, k + j) * y[i];
      y[j] *= inverse[k + j];
    }
  }
};

}  // namespace

// Finds the positions of the entries (i, j), j <= i, of A in P A P^T, by rows and by columns.
void SparseCholesky::Impl::arrange(const SparseMatrix& A, const std::vector<int>& new_order,
                                   LowerPattern& by_rows) {
  order = new_order;
  rank.resize(index(n));
  for (int i = 0; i < n; ++i) rank[index(order[index(i)])] = i;
  const auto each = [&](auto use) {
    for (int i = 0; i < n; ++i)
      for (int k = A.offset()[index(i)]; k < A.offset()[index(i) + 1] && A.column()[index(k)] <= i;
           ++k) {
        const auto [low, high] = std::minmax(rank[index(i)], rank[index(A.column()[index(k)])]);
        use(high, low, k);
      }
  };
  offset.assign(index(n) + 1, 0);
  by_rows.offset = offset;
  each([&](int high, int low, int) {
    ++offset[index(low) + 1];
    ++by_rows.offset[index(high) + 1];
  });
  std::partial_sum(offset.begin(), offset.end(), offset.begin());
  std::partial_sum(by_rows.offset.begin(), by_rows.offset.end(), by_rows.offset.begin());
  row.resize(index(offset.back()));
  source = by_rows.column = row;
  std::vector<int> next_column = offset, next_row = by_rows.offset;
  each([&](int high, int low, int k) {
    const int at = next_column[index(low)]++;
    row[index(at)] = high;
    source[index(at)] = k;
    by_rows.column[index(next_row[index(high)]++)] = low;
  });
}

void SparseCholesky::Impl::analyse(const SparseMatrix& A) {
  n = A.size();
  LowerPattern lower;
  std::vector<int> natural(index(n));
  std::iota(natural.begin(), natural.end(), 0);
  arrange(A, natural, lower);
  const std::vector<int> saving = elimination_order(lower);
  arrange(A, saving, lower);
  std::vector<int> sorted = postorder(elimination_tree(lower));
  for (int& j : sorted) j = saving[index(j)];
  arrange(A, sorted, lower);
  const std::vector<int> parent = elimination_tree(lower);
  first = first_columns(parent, column_counts(lower, parent));

  std::vector<int> seen(index(n), -1);
  supernode_of.resize(index(n));
  for (int s = 0; s < supernodes(); ++s)
    for (int j = first[index(s)]; j < first[index(s) + 1]; ++j) supernode_of[index(j)] = s;
  children.assign(index(supernodes()), {});
  rows_at.assign(1, 0);
  panel_at.assign(1, 0);
  rows.clear();
  std::size_t waiting = 0;
  deepest = 0;
  for (int s = 0; s < supernodes(); ++s) {
    const int begin = first[index(s)], end = first[index(s) + 1];
    const auto add = [&](int i) {
      if (i < end || seen[index(i)] == s) return;
      seen[index(i)] = s;
      rows.push_back(i);
    };
    for (int j = begin; j < end; ++j) rows.push_back(j);
    for (int j = begin; j < end; ++j)
      for (int k = offset[index(j)]; k < offset[index(j) + 1]; ++k) add(row[index(k)]);
    std::size_t freed = 0;
    for (int child : children[index(s)]) {
      const std::size_t from = rows_at[index(child)] + index(width(child));
      const std::size_t to = rows_at[index(child) + 1];
      for (std::size_t k = from; k < to; ++k) add(rows[k]);
      freed += (to - from) * (to - from);
    }
    std::sort(rows.begin() + static_cast<std::ptrdiff_t>(rows_at.back()) + width(s), rows.end());
    rows_at.push_back(rows.size());
    const std::size_t height = rows_of(s).size(), below = height - index(width(s));
    panel_at.push_back(panel_at.back() + height * index(width(s)));
    if (below > 0) children[index(supernode_of[index(rows_of(s)[index(width(s))])])].push_back(s);
    waiting += below * below;
    deepest = std::max(deepest, waiting);
    waiting -= freed;
  }
  panel.resize(panel_at.back());
  updates.resize(deepest);
  inverse.resize(index(n));
  place.resize(index(n));
  work.resize(n, 1);
  Eigen::Index tallest = 0;
  for (int s = 0; s < supernodes(); ++s)
    tallest = std::max(tallest, static_cast<Eigen::Index>(rows_of(s).size()));
  part.resize(tallest);
}

// Pending updates are on a stack in the order of the tree: those of the children of a supernode are
// on top when it is processed.
int SparseCholesky::Impl::factorise(const SparseMatrix& A) {
  std::ranges::fill(panel, 0.0);
  std::size_t top = 0;
  for (int s = 0; s < supernodes(); ++s) {
    const auto own = rows_of(s);
    const Eigen::Index height = static_cast<Eigen::Index>(own.size()), w = width(s),
                       below = height - w;
    Panel P(panel.data() + panel_at[index(s)], height, w, Eigen::OuterStride<>(height));
    for (std::size_t i = 0; i < own.size(); ++i) place[index(own[i])] = static_cast<int>(i);
    for (Eigen::Index j = 0; j < w; ++j) {
      const auto column = index(first[index(s)]) + static_cast<std::size_t>(j);
      for (int k = offset[column]; k < offset[column + 1]; ++k)
        P(place[index(row[index(k)])], j) += A.value()[index(source[index(k)])];
    }
    const std::size_t made = top;
    Panel U(updates.data() + made, below, below, Eigen::OuterStride<>(below));
    U.triangularView<Eigen::Lower>().setZero();
    for (auto child = children[index(s)].rbegin(); child != children[index(s)].rend(); ++child) {
      const auto from = rows_of(*child).subspan(index(width(*child)));
      const auto size = static_cast<Eigen::Index>(from.size());
      top -= from.size() * from.size();
      const ConstPanel V(updates.data() + top, size, size, Eigen::OuterStride<>(size));
      for (Eigen::Index j = 0; j < size; ++j) {
        const int to = place[index(from[static_cast<std::size_t>(j)])];
        double* target = to < w ? &P(0, to) : &U(0, to - w);
        const int shift = to < w ? 0 : static_cast<int>(w);
        for (Eigen::Index i = j; i < size; ++i)
          target[place[index(from[static_cast<std::size_t>(i)])] - shift] += V(i, j);
      }
    }
    if (const int bad = factor_panel(P); bad >= 0) return order[index(first[index(s)] + bad)];
    for (Eigen::Index j = 0; j < w; ++j)
      inverse[index(first[index(s)]) + static_cast<std::size_t>(j)] = 1.0 / P(j, j);
    if (below == 0) continue;
    U.selfadjointView<Eigen::Lower>().rankUpdate(P.bottomRows(below), -1.0);
    if (top < made) std::copy_n(updates.data() + made, below * below, updates.data() + top);
    top += static_cast<std::size_t>(below * below);
  }
  return -1;
}

SparseCholesky::SparseCholesky() : impl_(std::make_unique<Impl>()) {}
SparseCholesky::~SparseCholesky() = default;

int SparseCholesky::factorise(const SparseMatrix& A, bool same_pattern) {
  if (!same_pattern) impl_->analyse(A);
  return impl_->factorise(A);
}

// Processes a few right-hand sides together in each supernode, so that its panel is loaded only
// once.
void SparseCholesky::solve(Eigen::Ref<Matrix> X) const {
  constexpr Eigen::Index kTogether = 8;
  const Impl& f = *impl_;
  const auto block_of = [&](int s) {
    return Block{f.panel.data() + f.panel_at[index(s)],
                 f.inverse.data() + f.first[index(s)],
                 f.rows_of(s).data() + f.width(s),
                 f.first[index(s)],
                 f.width(s),
                 static_cast<int>(f.rows_of(s).size())};
  };
  const Eigen::Index wanted = std::min(kTogether, X.cols());
  if (f.work.cols() < wanted) f.work.resize(f.n, wanted);
  for (Eigen::Index first = 0; first < X.cols(); first += kTogether) {
    const Eigen::Index count = std::min(kTogether, X.cols() - first);
    for (Eigen::Index c = 0; c < count; ++c)
      for (int i = 0; i < f.n; ++i) f.work(i, c) = X(f.order[index(i)], first + c);
    for (int s = 0; s < f.supernodes(); ++s) {
      const Block block = block_of(s);
      for (Eigen::Index c = 0; c < count; ++c) block.forward(f.work.col(c).data(), f.part.data());
    }
    for (int s = f.supernodes(); s-- > 0;) {
      const Block block = block_of(s);
      for (Eigen::Index c = 0; c < count; ++c) block.backward(f.work.col(c).data(), f.part.data());
    }
    for (Eigen::Index c = 0; c < count; ++c)
      for (int i = 0; i < f.n; ++i) X(f.order[index(i)], first + c) = f.work(i, c);
  }
}

}  // namespace saltus

#include "saltus/math/block_ldlt.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/base/error.h"
#include "saltus/math/dense_panel.h"
#include "saltus/math/lanes.h"

namespace saltus {
namespace {

constexpr int kPanelRows = 12;  ///< of several nodes; a larger node is a panel by itself
constexpr int kColumns = 4;     ///< right-hand sides that are solved together

/// At least `size` elements, never fewer than before.
template <class T>
void grow(std::vector<T>& v, std::size_t size) {
  if (v.size() < size) v.resize(size);
}

/// z <- L^-1 z of a panel, K columns side by side; R rows known to the compiler, which keeps them in registers, or 0.
template <int K, int R>
SALTUS_INLINE void forward_panel(int panel_rows, int width, const double* L, double* z) {
  using lanes::V;
  const int rows = R > 0 ? R : panel_rows;
  if constexpr (R > 0) {
    V<K> y[R];
#pragma GCC unroll 8
    for (int t = 0; t < R; ++t) y[t] = lanes::at<K>(z + K * t).v;
#pragma GCC unroll 8
    for (int t = 0; t < R; ++t)
#pragma GCC unroll 8
      for (int j = t + 1; j < R; ++j) y[j] -= L[t * width + j] * y[t];
#pragma GCC unroll 8
    for (int t = 0; t < R; ++t) lanes::at<K>(z + K * t).v = y[t];
  } else {
    for (int t = 0; t < rows; ++t)
      for (int j = t + 1; j < rows; ++j)
        lanes::at<K>(z + K * j).v -= L[std::ptrdiff_t{t} * width + j] * lanes::at<K>(z + K * t).v;
  }
  int j = rows;
  if constexpr (K == 1)
    for (; j + 2 <= width; j += 2) {
      V<2> sum = {};
#pragma GCC unroll 8
      for (int t = 0; t < rows; ++t)
        sum += lanes::at<2>(L + std::ptrdiff_t{t} * width + j).v * z[t];
      lanes::at<2>(z + j).v -= sum;
    }
  for (; j < width; ++j) {
    V<K> sum = {};
#pragma GCC unroll 8
    for (int t = 0; t < rows; ++t)
      sum += L[std::ptrdiff_t{t} * width + j] * lanes::at<K>(z + K * t).v;
    lanes::at<K>(z + K * j).v -= sum;
  }
}

/// z <- L^-T z of a panel. In its rows what was found last is subtracted last: nothing waits for the rest of the sum.
template <int K, int R>
SALTUS_INLINE void backward_panel(int panel_rows, int width, const double* L, double* z) {
  using lanes::V;
  const int rows = R > 0 ? R : panel_rows;
  if constexpr (R > 0) {
    V<K> x[R] = {};
    for (int j = R; j < width; ++j) {
      const V<K> zj = lanes::at<K>(z + K * j).v;
#pragma GCC unroll 8
      for (int t = 0; t < R; ++t) x[t] += L[t * width + j] * zj;
    }
#pragma GCC unroll 8
    for (int t = 0; t < R; ++t) x[t] = lanes::at<K>(z + K * t).v - x[t];
#pragma GCC unroll 8
    for (int j = R - 1; j > 0; --j)
#pragma GCC unroll 8
      for (int t = 0; t < j; ++t) x[t] -= L[t * width + j] * x[j];
#pragma GCC unroll 8
    for (int t = 0; t < R; ++t) lanes::at<K>(z + K * t).v = x[t];
  } else {
    for (int t = rows - 1; t >= 0; --t) {
      const double* const l = L + std::ptrdiff_t{t} * width;
      V<K> sum = {};
      for (int j = rows; j < width; ++j) sum += l[j] * lanes::at<K>(z + K * j).v;
      V<K> x = lanes::at<K>(z + K * t).v - sum;
      for (int j = rows - 1; j > t; --j) x -= l[j] * lanes::at<K>(z + K * j).v;
      lanes::at<K>(z + K * t).v = x;
    }
  }
}

/// scaled, width - rows rows of L <- right of the pivots of a panel U = D L^T.
template <int R>
SALTUS_INLINE void scale_panel(int panel_rows, int width, const double* U, const double* inverse,
                               double* scaled) {
  const int rows = R > 0 ? R : panel_rows;
  for (int j = rows; j < width; ++j)
#pragma GCC unroll 8
    for (int t = 0; t < rows; ++t) *scaled++ = U[std::ptrdiff_t{t} * width + j] * inverse[t];
}

/// U <- L^T, in the rows of which nothing is divided again.
template <int R>
SALTUS_INLINE void divide_panel(int panel_rows, int width, const double* scaled,
                                const double* inverse, double* U) {
  const int rows = R > 0 ? R : panel_rows;
#pragma GCC unroll 8
  for (int t = 0; t < rows; ++t)
    for (int j = t + 1; j < rows; ++j) U[std::ptrdiff_t{t} * width + j] *= inverse[t];
  for (int j = rows; j < width; ++j)
#pragma GCC unroll 8
    for (int t = 0; t < rows; ++t) U[std::ptrdiff_t{t} * width + j] = *scaled++;
}

/// f with the number of rows as a constant, as far as joints have them.
template <class F>
SALTUS_INLINE void with_rows(int rows, F&& f) {
  switch (rows) {
    case 1:
      return f.template operator()<1>();
    case 2:
      return f.template operator()<2>();
    case 3:
      return f.template operator()<3>();
    case 4:
      return f.template operator()<4>();
    case 5:
      return f.template operator()<5>();
    case 6:
      return f.template operator()<6>();
    default:
      return f.template operator()<0>();
  }
}

/// Short copies, for which a call is long.
SALTUS_INLINE double* copy(const double* from, int n, double* to) {
  for (int i = 0; i < n; ++i) lanes::at<1>(to + i).v = lanes::at<1>(from + i).v;
  return to + n;
}

}  // namespace

void BlockLdlt::begin(const int* size) {
  const BlockPattern& pattern = *pattern_;
  const int n = pattern.nodes();
  size_.assign(size, size + n);
  row_.resize(at(n) + 1);
  grow(place_, at(n)), grow(local_, at(n)), grow(end_, at(n));
  row_[0] = 0;
  for (int i = 0; i < n; ++i) row_[at(i) + 1] = row_[at(i)] + size[i];

  fronts_.clear(), panels_.clear(), updates_.clear();
  stored_ = 0;
  std::size_t stack = 0, deepest = 0;
  int place = 0, widest = 0, border = 0;
  for (int s = 0; s < pattern.fronts(); ++s) {
    int p = 0, q = 0, subtree = 1;
    for (const int i : pattern.pivots(s)) {
      place_[at(i)] = place + p;
      local_[at(i)] = p, p += size[i];
      end_[at(i)] = 0;
    }
    for (const int i : pattern.border(s)) local_[at(i)] = p + q, q += size[i];
    for (int c = 0; c < pattern.children(s); ++c) {
      const int child = updates_.back().front;
      if (const auto rest = pattern.border(child); !rest.empty()) {
        const int last = local_[at(rest.back())] + size[rest.back()];
        for (const int i : rest)
          if (local_[at(i)] < p) end_[at(i)] = std::max(end_[at(i)], last);
      }
      subtree += fronts_[at(child)].fronts;
      stack = updates_.back().begin;
      updates_.pop_back();
    }
    fronts_.push_back({place, p, q, subtree, 0});
    place_panels(s);
    updates_.push_back({stack, s});
    stack += at(q) * at(q);
    deepest = std::max(deepest, stack);
    place += p;
    widest = std::max(widest, p + q);
    border = std::max(border, q);
  }
  updates_.clear();
  grow(S_, at(place)), grow(weight_, at(place)), grow(inverse_, at(place));
  grow(factor_, stored_), grow(stack_, deepest), grow(F22_, at(border) * at(border));
  grow(offset_, at(widest)), grow(index_, at(widest));
  grow(scaled_, at(widest) * at(widest));
  grow(z_, at(kColumns) * at(widest)), grow(x_, at(kColumns) * at(place));
}

/// Rows of a pivot end where its part of S and the updates of children end, and not before those of the row above that
/// reach it: a chain of nodes in one front holds no zeros.
void BlockLdlt::place_panels(int s) {
  Front& front = fronts_.back();
  const std::size_t before = s == 0 ? 0 : at(fronts_[at(s) - 1].panels);
  int above = 0;
  for (const int i : pattern_->pivots(s)) {
    const int first = local_[at(i)], rows = size_[at(i)];
    if (rows == 0) continue;
    int end = end_[at(i)];
    for (const auto& [to, out, in] : pattern_->couplings(i))
      end = std::max(end, local_[at(to)] + size_[at(to)]);
    if (above > first) end = std::max(end, above);
    Panel* const last = panels_.size() > before ? &panels_.back() : nullptr;
    if (last && end == above && last->rows + rows <= kPanelRows && above > first)
      last->rows += rows;
    else
      panels_.push_back({0, first, rows, end - first});
    above = end;
  }
  for (std::size_t k = before; k < panels_.size(); ++k) {
    panels_[k].begin = stored_;
    stored_ += at(panels_[k].rows) * at(panels_[k].width);
  }
  front.panels = static_cast<int>(panels_.size());
}

void BlockLdlt::assemble(int s, const double* value, const std::size_t* start) {
  const Front& front = fronts_[at(s)];
  std::size_t k = s == 0 ? 0 : at(fronts_[at(s) - 1].panels);
  if (k == at(front.panels)) return;
  const Panel& end = panels_[at(front.panels) - 1];
  std::fill(factor_.data() + panels_[k].begin,
            factor_.data() + end.begin + at(end.rows) * at(end.width), 0.0);
  int next = 0;
  for (const int i : pattern_->pivots(s)) local_[at(i)] = next, next += size_[at(i)];
  for (const int i : pattern_->border(s)) local_[at(i)] = next, next += size_[at(i)];
  for (const int i : pattern_->pivots(s)) {
    const int rows = size_[at(i)], row = local_[at(i)];
    if (rows == 0) continue;
    while (panels_[k].first + panels_[k].rows <= row) ++k;
    const Panel& panel = panels_[k];
    for (int a = 0; a < rows; ++a)  // from 0: columns left of the panel are not asked for
      offset_[at(row + a)] =
          panel.begin + at(row + a - panel.first) * at(panel.width) - at(panel.first);
    for (const auto& [to, out, in] : pattern_->couplings(i)) {
      const int columns = size_[at(to)];
      const double* from = value + start[out];
      for (int a = 0; a < rows; ++a, from += columns)
        std::copy_n(from, columns, &factor_[offset_[at(row + a)] + at(local_[at(to)])]);
    }
  }
}

/// Adds the update of a child.
void BlockLdlt::extend(const Update& child, const Front& front) {
  int rows = 0;
  for (const int i : pattern_->border(child.front))
    for (int a = 0; a < size_[at(i)]; ++a) index_[at(rows++)] = local_[at(i)] + a;
  const double* from = stack_.data() + child.begin;
  for (int a = 0; a < rows; ++a, from += rows) {
    const int row = index_[at(a)];
    if (row < front.p) {
      const std::size_t to = offset_[at(row)];
      for (int b = a; b < rows; ++b) factor_[to + at(index_[at(b)])] += from[b];
    } else {
      double* const to = F22_.data() + at(row - front.p) * at(front.q);
      for (int b = a; b < rows; ++b) to[index_[at(b)] - front.p] += from[b];
    }
  }
}

/// Row by row, with l = U_sr / D_ss:  U_r <- U_r - sum_s l U_s  for the rows below that a panel reaches.
bool BlockLdlt::eliminate_front(int s, double threshold) {
  const auto& [place, p, q, fronts, panels] = fronts_[at(s)];
  for (std::size_t k = s == 0 ? 0 : at(fronts_[at(s) - 1].panels); k < at(panels); ++k) {
    const auto& [begin, first, rows, width] = panels_[k];
    double* const U = factor_.data() + begin;
    double* const inverse = inverse_.data() + place + first;
    const double* const S = S_.data() + place + first;
    for (int t = 0; t < rows; ++t)
      inverse[t] = std::max(threshold * S[t], std::numeric_limits<double>::min());
    eliminate_panel(rows, width, U, inverse);
    for (int t = 0; t < rows; ++t) {
      double* const u = U + at(t) * at(width);
      if (!std::isfinite(u[t])) return false;
      if (inverse[t] > 0.0) continue;
      for (int j = t + 1; j < width; ++j)
        if (!std::isfinite(u[j])) return false;
      keep_rest(s, place + first + t, first + t, u + t, width - t);
    }

    const int end = first + width;
    double* const scaled = scaled_.data();
    with_rows(
        rows, [&]<int R>() __attribute__((always_inline)) {
          scale_panel<R>(rows, width, U, inverse, scaled);
        });
    const auto update = [&](int from, int to, double* C, int stride) {  // rows of the front
      subtract_upper(to - from, end - from, rows, scaled + at(from - first - rows) * at(rows),
                     U + (from - first), width, C, stride);
    };
    for (std::size_t l = k + 1; l < at(panels) && panels_[l].first < end; ++l) {
      const Panel& target = panels_[l];
      update(target.first, std::min(target.first + target.rows, end), factor_.data() + target.begin,
             target.width);
    }
    if (end > p) update(p, end, F22_.data(), q);

    with_rows(
        rows, [&]<int R>() __attribute__((always_inline)) {
          divide_panel<R>(rows, width, scaled, inverse, U);
        });
  }
  return true;
}

bool BlockLdlt::factorise(const BlockPattern& pattern, const int* size, const double* value,
                          const std::size_t* start, View weight, double threshold) {
  pattern_ = &pattern;
  dependent_.clear(), dropped_.clear(), rest_.clear(), dependence_.clear();
  begin(size);
  expects(weight.size() == rows(), "the weights must be as many as the rows");
  for (int i = 0; i < pattern.nodes(); ++i) {
    if (size[i] == 0) continue;
    const double* const block = value + start[pattern.couplings(i).front().out];
    for (int a = 0; a < size[i]; ++a) {
      S_[at(place_[at(i)] + a)] = block[a * size[i] + a];
      weight_[at(place_[at(i)] + a)] = weight[row_[at(i)] + a];
    }
  }
  for (int s = 0; s < pattern.fronts(); ++s) {
    const Front& front = fronts_[at(s)];
    assemble(s, value, start);
    const std::size_t square = at(front.q) * at(front.q);
    std::fill_n(F22_.data(), square, 0.0);
    std::size_t end = updates_.empty() ? 0 : updates_.back().begin + [&] {
      const int q = fronts_[at(updates_.back().front)].q;
      return at(q) * at(q);
    }();
    for (int c = 0; c < pattern.children(s); ++c) {
      extend(updates_.back(), front);
      end = updates_.back().begin;
      updates_.pop_back();
    }
    if (!eliminate_front(s, threshold)) return false;
    std::copy_n(F22_.data(), square, stack_.data() + end);
    updates_.push_back({end, s});
  }
  if (!dropped_.empty()) find_dependence();
  return true;
}

/// z <- the rows of a front; K columns side by side.
template <int K>
void BlockLdlt::gather(int s, const double* x) const {
  const Front& front = fronts_[at(s)];
  double* z = copy(x + std::ptrdiff_t{K} * front.place, K * front.p, z_.data());
  for (const int i : pattern_->border(s))
    z = copy(x + std::ptrdiff_t{K} * place_[at(i)], K * size_[at(i)], z);
}

/// z <- L^-1 z, and x <- D^-1 z at the pivots.
template <int K>
void BlockLdlt::forward(int s, double* x) const {
  const Front front = fronts_[at(s)];
  gather<K>(s, x);
  for (int k = s == 0 ? 0 : fronts_[at(s) - 1].panels; k < front.panels; ++k) {
    const Panel panel = panels_[at(k)];
    with_rows(
        panel.rows, [&]<int R>() __attribute__((always_inline)) {
          forward_panel<K, R>(panel.rows, panel.width, factor_.data() + panel.begin,
                              z_.data() + K * panel.first);
        });
  }
  const double* z = z_.data();
  double* const to = x + std::ptrdiff_t{K} * front.place;
  const double* const inverse = inverse_.data() + front.place;
  for (int a = 0; a < front.p; ++a)
    for (int k = 0; k < K; ++k) to[K * a + k] = *z++ * inverse[a];
  for (const int i : pattern_->border(s)) {
    copy(z, K * size_[at(i)], x + std::ptrdiff_t{K} * place_[at(i)]);
    z += K * size_[at(i)];
  }
}

/// x <- L^-T x at the pivots, with what the border has.
template <int K>
void BlockLdlt::backward(int s, double* x) const {
  const Front front = fronts_[at(s)];
  gather<K>(s, x);
  const int before = s == 0 ? 0 : fronts_[at(s) - 1].panels;
  for (int k = front.panels - 1; k >= before; --k) {
    const Panel panel = panels_[at(k)];
    with_rows(
        panel.rows, [&]<int R>() __attribute__((always_inline)) {
          backward_panel<K, R>(panel.rows, panel.width, factor_.data() + panel.begin,
                               z_.data() + K * panel.first);
        });
  }
  copy(z_.data(), K * front.p, x + std::ptrdiff_t{K} * front.place);
}

template void BlockLdlt::forward<1>(int s, double* x) const;
template void BlockLdlt::backward<1>(int s, double* x) const;

template <int K>
void BlockLdlt::solve_columns(Eigen::Ref<Matrix> X) const {
  const int n = pattern_->nodes(), columns = static_cast<int>(X.cols());
  double* const x = x_.data();
  const auto each = [&](auto&& move) {
    for (int i = 0; i < n; ++i)
      for (int a = 0; a < size_[at(i)]; ++a) {
        double* const to = x + std::ptrdiff_t{K} * (place_[at(i)] + a);
        for (int k = 0; k < K; ++k) move(to[k], row_[at(i)] + a, k);
      }
  };
  each([&](double& to, int row, int k) { to = k < columns ? X(row, k) : 0.0; });
  const int fronts = static_cast<int>(fronts_.size());
  for (int s = 0; s < fronts; ++s) forward<K>(s, x);
  for (int s = fronts - 1; s >= 0; --s) backward<K>(s, x);
  if (!dropped_.empty())
    for (int k = 0; k < K; ++k) add_least(x + k, K);
  each([&](double& from, int row, int k) {
    if (k < columns) X(row, k) = from;
  });
}

void BlockLdlt::solve(Eigen::Ref<Matrix> X) const {
  expects(X.rows() == rows(), "the right-hand side must have as many rows as the matrix");
  if (rows() == 0) return;
  for (Eigen::Index k = 0; k < X.cols(); k += kColumns) {
    const Eigen::Index count = std::min<Eigen::Index>(kColumns, X.cols() - k);
    if (count == 1)
      solve_columns<1>(X.middleCols(k, count));
    else
      solve_columns<kColumns>(X.middleCols(k, count));
  }
}

}  // namespace saltus

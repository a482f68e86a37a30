#include "saltus/linear_algebra/block_ldlt.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/base/error.h"
#include "saltus/linear_algebra/block_ldlt_internal.h"
#include "saltus/linear_algebra/dense_panel.h"

namespace saltus {
namespace {

constexpr double kDoubtful = 1e-3;  ///< of S_ii: smaller pivots are examined
/// multiplier above which a row is set aside, times sqrt(S_jj / S_ii)
constexpr double kGrowth = 32.0;

/// Grows v to at least `size` elements; never shrinks it.
template <class T>
void grow(std::vector<T>& v, std::size_t size) {
  if (v.size() < size) v.resize(size);
}

/// scaled <- the width - rows rows of L that belong to the columns right of the pivots of a panel
/// U = D L^T.
template <int R>
SALTUS_INLINE void scale_panel(int panel_rows, int width, const double* U, const double* inverse,
                               double* scaled) {
  const int rows = R > 0 ? R : panel_rows;
  for (int j = rows; j < width; ++j)
#pragma GCC unroll 8
    for (int t = 0; t < rows; ++t) *scaled++ = U[std::ptrdiff_t{t} * width + j] * inverse[t];
}

/// U <- L^T, without further divisions for the columns stored in `scaled`.
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

}  // namespace

void BlockLdlt::begin(const SymmetricBlocks& S, View weight) {
  layout_.make(S);
  expects(weight.size() == rows(), "there must be one weight per row");
  const std::size_t widest = at(layout_.widest()), border = at(layout_.border());
  grow(local_, at(S.pattern.nodes()));
  grow(S_, at(rows())), grow(weight_, at(rows())), grow(inverse_, at(rows()));
  grow(factor_, layout_.stored()), grow(stack_, layout_.deepest()), grow(F22_, border * border);
  grow(offset_, widest), grow(index_, widest);
  grow(scaled_, widest * widest);
  grow(z_, at(kPanelColumns) * widest), grow(x_, at(kPanelColumns) * at(rows()));

  for (int i = 0; i < S.pattern.nodes(); ++i) {
    if (layout_.size(i) == 0) continue;
    const double* const block = S.value + S.start[S.pattern.couplings(i).front().out];
    const int* const active = layout_.active(i);
    for (int a = 0; a < layout_.size(i); ++a) {
      S_[at(layout_.place(i) + a)] = block[(active[a] - layout_.row(i)) * (S.size[i] + 1)];
      weight_[at(layout_.place(i) + a)] = weight[active[a]];
    }
  }
  out_.assign(at(layout_.places()), 0);
}

void BlockLdlt::assemble(int s, const SymmetricBlocks& S) {
  const FrontLayout::Front& front = layout_.fronts()[at(s)];
  std::size_t k = at(layout_.first_panel(s));
  if (k == at(front.panels)) return;
  const FrontLayout::Panel& end = layout_.panels()[at(front.panels) - 1];
  std::fill(factor_.data() + layout_.panels()[k].begin,
            factor_.data() + end.begin + at(end.rows) * at(end.width), 0.0);
  int next = 0;
  for (const int i : layout_.pattern().pivots(s)) local_[at(i)] = next, next += layout_.size(i);
  for (const int i : layout_.pattern().border(s)) local_[at(i)] = next, next += layout_.size(i);
  for (const int i : layout_.pattern().pivots(s)) {
    const int rows = layout_.size(i), row = local_[at(i)];
    if (rows == 0) continue;
    while (layout_.panels()[k].first + layout_.panels()[k].rows <= row) ++k;
    const FrontLayout::Panel& panel = layout_.panels()[k];
    for (int a = 0; a < rows; ++a)  // from 0: columns left of the panel are never accessed
      offset_[at(row + a)] =
          panel.begin + at(row + a - panel.first) * at(panel.width) - at(panel.first);
    const int* const own = layout_.active(i);
    for (const auto& [to, out, in] : layout_.pattern().couplings(i)) {
      const int columns = layout_.size(to), stride = S.size[to];
      const int* const other = layout_.active(to);
      for (int a = 0; a < rows; ++a) {
        const double* const from = S.value + S.start[out] + (own[a] - layout_.row(i)) * stride;
        double* const target = factor_.data() + offset_[at(row + a)] + at(local_[at(to)]);
        if (columns == stride)
          std::copy_n(from, columns, target);
        else
          for (int b = 0; b < columns; ++b) target[b] = from[other[b] - layout_.row(to)];
      }
    }
  }
}

/// Adds the update of a child front.
void BlockLdlt::extend(const Update& child, const FrontLayout::Front& front) {
  int rows = 0;
  for (const int i : layout_.pattern().border(child.front))
    for (int a = 0; a < layout_.size(i); ++a) index_[at(rows++)] = local_[at(i)] + a;
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

/// Calls f(j, place) for the columns right of a pivot; j counts from the pivot.
template <class F>
void BlockLdlt::each_column(int s, int row, int width, F&& f) const {
  const FrontLayout::Front& front = layout_.fronts()[at(s)];
  int j = 1;
  for (; j < width && row + j < front.p; ++j) f(j, front.place + row + j);
  int column = front.p;
  for (const int i : layout_.pattern().border(s))
    for (int a = 0; a < layout_.size(i); ++a, ++column)
      if (column == row + j && j < width) f(j++, layout_.place(i) + a);
}

/// Whether row `row` of front s would update another row with a multiplier above kGrowth; U begins
/// at its pivot.
bool BlockLdlt::grows(int s, int row, const double* U, int width) const {
  const double least = kGrowth * U[0] / std::sqrt(S_[at(layout_.fronts()[at(s)].place + row)]);
  bool strong = false;
  each_column(s, row, width, [&](int j, int place) {
    strong = strong || std::abs(U[j]) > least * std::sqrt(S_[at(place)]);
  });
  return strong;
}

/// Stores the remainder of a row at its pivot, except round-off of S.
void BlockLdlt::keep_rest(int s, int row, const double* U, int width) {
  const int place = layout_.fronts()[at(s)].place + row;
  each_column(s, row, width, [&](int j, int to) {
    const double least = kRoundOff * std::sqrt(S_[at(place)]) * std::sqrt(S_[at(to)]);
    if (std::abs(U[j]) > least) rest_.push_back({to, U[j]});
  });
  left_out_.add(place, s, rest_.size(), U[0]);
}

/// Row by row, with l = U_sr / D_ss:  U_r <- U_r - sum_s l U_s  for the later rows within reach of
/// the panel.
bool BlockLdlt::eliminate_front(int s, bool choosing, double threshold) {
  const auto& [place, p, q, fronts, panels] = layout_.fronts()[at(s)];
  for (std::size_t k = at(layout_.first_panel(s)); k < at(panels); ++k) {
    const FrontLayout::Panel& panel = layout_.panels()[k];
    const int first = panel.first, rows = panel.rows, width = panel.width;
    double* const U = factor_.data() + panel.begin;
    double* const inverse = inverse_.data() + place + first;
    const double* const S = S_.data() + place + first;
    const auto least = [S](int t, double part) {
      return std::max(part * S[t], std::numeric_limits<double>::min());
    };
    const double doubtful = choosing ? std::max(kDoubtful, threshold) : threshold;
    for (int t = 0; t < rows; ++t)
      inverse[t] = out_[at(place + first + t)] != 0 ? std::numeric_limits<double>::infinity()
                                                    : least(t, doubtful);
    for (int t = 0; (t = eliminate_panel(t, rows, width, U, inverse)) < rows; ++t) {
      const double* const u = U + at(t) * at(width + 1);
      const bool keeps =
          choosing && u[0] > least(t, threshold) && !grows(s, first + t, u, width - t);
      inverse[t] = keeps ? 1.0 / u[0] : 0.0;
    }
    for (int t = 0; t < rows; ++t) {
      double* const u = U + at(t) * at(width);
      if (!std::isfinite(u[t])) return false;
      if (inverse[t] > 0.0) continue;
      for (int j = t + 1; j < width; ++j)
        if (!std::isfinite(u[j])) return false;
      keep_rest(s, first + t, u + t, width - t);
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
    for (std::size_t l = k + 1; l < at(panels) && layout_.panels()[l].first < end; ++l) {
      const FrontLayout::Panel& target = layout_.panels()[l];
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

bool BlockLdlt::eliminate(const SymmetricBlocks& S, bool choosing, double threshold) {
  dependent_.clear();
  left_out_.clear(), rest_.clear();
  updates_.clear();
  for (int s = 0; s < S.pattern.fronts(); ++s) {
    const FrontLayout::Front& front = layout_.fronts()[at(s)];
    assemble(s, S);
    const std::size_t square = at(front.q) * at(front.q);
    std::fill_n(F22_.data(), square, 0.0);
    std::size_t end = updates_.empty() ? 0 : updates_.back().begin + [&] {
      const int q = layout_.fronts()[at(updates_.back().front)].q;
      return at(q) * at(q);
    }();
    for (int c = 0; c < S.pattern.children(s); ++c) {
      extend(updates_.back(), front);
      end = updates_.back().begin;
      updates_.pop_back();
    }
    if (!eliminate_front(s, choosing, threshold)) return false;
    std::copy_n(F22_.data(), square, stack_.data() + end);
    updates_.push_back({end, s});
  }
  if (!left_out_.empty()) find_null_vectors();
  return true;
}

/// Completes the list of rows left out and factorises the minimum-norm problem for them.
void BlockLdlt::finish(bool of_choice) {
  dependent_.assign(layout_.zeros().begin(), layout_.zeros().end());
  if (left_out_.empty()) return;
  layout_.rows_of_places(row_of_);
  for (const DependentRows::Dropped& d : left_out_.dropped())
    dependent_.push_back(row_of_[at(d.place)]);
  std::sort(dependent_.begin(), dependent_.end());
  left_out_.factorise(weight_.data(), row_of_, of_choice, x_.data());
}

bool BlockLdlt::factorise(const SymmetricBlocks& S, View weight, double threshold) {
  begin(S, weight);
  if (!eliminate(S, true, threshold)) return false;
  if (!left_out_.empty()) layout_.rows_of_places(row_of_);
  if (left_out_.choose(threshold, S_.data(), row_of_, out_) &&
      !eliminate(S, false, std::min(kRoundOff, threshold)))
    return false;
  finish(false);
  left_out_.keep_choice(weight_.data(), row_of_);
  return true;
}

bool BlockLdlt::factorise_in_order(const SymmetricBlocks& S, View weight, double threshold) {
  begin(S, weight);
  if (!eliminate(S, false, threshold)) return false;
  finish(false);
  return true;
}

bool BlockLdlt::factorise_again(const SymmetricBlocks& S, View weight, double threshold) {
  begin(S, weight);
  if (left_out_.has_choice()) layout_.rows_of_places(row_of_);
  left_out_.take_choice(rows(), row_of_, out_);
  if (!eliminate(S, false, threshold)) return false;
  finish(true);
  return true;
}

}  // namespace saltus

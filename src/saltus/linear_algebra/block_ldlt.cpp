#include "saltus/linear_algebra/block_ldlt.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/base/error.h"
#include "saltus/linear_algebra/block_ldlt_internal.h"
#include "saltus/linear_algebra/dense_panel.h"

namespace saltus {
namespace {

constexpr double kDoubtful = 1e-3;  ///< of S_ii: a pivot that is looked at
constexpr double kGrowth = 32.0;    ///< multiplier that puts its row aside, by sqrt(S_jj / S_ii)
constexpr int kPanelRows = 12;      ///< of several nodes; a larger node is a panel by itself

/// At least `size` elements, never fewer than before.
template <class T>
void grow(std::vector<T>& v, std::size_t size) {
  if (v.size() < size) v.resize(size);
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

}  // namespace

void BlockLdlt::begin(const Blocks& S, View weight) {
  pattern_ = &S.pattern;
  const BlockPattern& pattern = *pattern_;
  const int n = pattern.nodes();
  row_.resize(at(n) + 1);
  grow(place_, at(n)), grow(local_, at(n)), grow(end_, at(n));
  row_[0] = 0;
  for (int i = 0; i < n; ++i) row_[at(i) + 1] = row_[at(i)] + S.size[i];
  expects(weight.size() == rows(), "the weights must be as many as the rows");
  find_zeros(S);
  const int* const size = size_.data();

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
  grow(S_, at(rows())), grow(weight_, at(rows())), grow(inverse_, at(rows()));
  grow(factor_, stored_), grow(stack_, deepest), grow(F22_, at(border) * at(border));
  grow(offset_, at(widest)), grow(index_, at(widest));
  grow(scaled_, at(widest) * at(widest));
  grow(z_, at(kPanelColumns) * at(widest)), grow(x_, at(kPanelColumns) * at(rows()));

  for (int i = 0; i < n; ++i) {
    if (size[i] == 0) continue;
    const double* const block = S.value + S.start[pattern.couplings(i).front().out];
    const int* const active = &active_[at(active_begin_[at(i)])];
    for (int a = 0; a < size[i]; ++a) {
      S_[at(place_[at(i)] + a)] = block[(active[a] - row_[at(i)]) * (S.size[i] + 1)];
      weight_[at(place_[at(i)] + a)] = weight[active[a]];
    }
  }
  out_.assign(at(place), 0);
}

/// The rows that have places, and those that do not: of a planar mechanism in space more than half, which would be
/// eliminated over and over.
void BlockLdlt::find_zeros(const Blocks& S) {
  const int n = pattern_->nodes();
  size_.resize(at(n)), active_begin_.resize(at(n) + 1);
  active_.clear(), zeros_.clear();
  active_.reserve(at(rows())), zeros_.reserve(at(rows()));
  for (int i = 0; i < n; ++i) {
    active_begin_[at(i)] = places();
    const double* const block =
        S.size[i] == 0 ? nullptr : S.value + S.start[pattern_->couplings(i).front().out];
    for (int a = 0; a < S.size[i]; ++a)
      (block[a * (S.size[i] + 1)] == 0.0 ? zeros_ : active_).push_back(row_[at(i)] + a);
    size_[at(i)] = places() - active_begin_[at(i)];
  }
  active_begin_[at(n)] = places();
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

void BlockLdlt::assemble(int s, const Blocks& S) {
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
    const int* const own = &active_[at(active_begin_[at(i)])];
    for (const auto& [to, out, in] : pattern_->couplings(i)) {
      const int columns = size_[at(to)], stride = S.size[to];
      const int* const other = active_.data() + active_begin_[at(to)];
      for (int a = 0; a < rows; ++a) {
        const double* const from = S.value + S.start[out] + (own[a] - row_[at(i)]) * stride;
        double* const target = factor_.data() + offset_[at(row + a)] + at(local_[at(to)]);
        if (columns == stride)
          std::copy_n(from, columns, target);
        else
          for (int b = 0; b < columns; ++b) target[b] = from[other[b] - row_[at(to)]];
      }
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

/// f(j, place) of the columns right of a pivot, j from it on.
template <class F>
void BlockLdlt::each_column(int s, int row, int width, F&& f) const {
  const Front& front = fronts_[at(s)];
  int j = 1;
  for (; j < width && row + j < front.p; ++j) f(j, front.place + row + j);
  int column = front.p;
  for (const int i : pattern_->border(s))
    for (int a = 0; a < size_[at(i)]; ++a, ++column)
      if (column == row + j && j < width) f(j++, place_[at(i)] + a);
}

/// Row `row` of front s would update another many times as strongly as itself; U begins at its pivot.
bool BlockLdlt::grows(int s, int row, const double* U, int width) const {
  const double least = kGrowth * U[0] / std::sqrt(S_[at(fronts_[at(s)].place + row)]);
  bool strong = false;
  each_column(s, row, width, [&](int j, int place) {
    strong = strong || std::abs(U[j]) > least * std::sqrt(S_[at(place)]);
  });
  return strong;
}

/// What is left of a row at its pivot, but for round-off of S.
void BlockLdlt::keep_rest(int s, int row, const double* U, int width) {
  const int place = fronts_[at(s)].place + row;
  each_column(s, row, width, [&](int j, int to) {
    const double least = kRoundOff * std::sqrt(S_[at(place)]) * std::sqrt(S_[at(to)]);
    if (std::abs(U[j]) > least) rest_.push_back({to, U[j]});
  });
  dropped_.push_back({place, s, rest_.size(), 0, U[0], 0, -1});
}

/// Row by row, with l = U_sr / D_ss:  U_r <- U_r - sum_s l U_s  for the rows below that a panel reaches.
bool BlockLdlt::eliminate_front(int s, bool choosing, double threshold) {
  const auto& [place, p, q, fronts, panels] = fronts_[at(s)];
  for (std::size_t k = s == 0 ? 0 : at(fronts_[at(s) - 1].panels); k < at(panels); ++k) {
    const Panel& panel = panels_[k];
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

bool BlockLdlt::eliminate(const Blocks& S, bool choosing, double threshold) {
  dependent_.clear();
  dropped_.clear(), rest_.clear(), dependence_.clear(), couplings_.clear();
  updates_.clear();
  for (int s = 0; s < S.pattern.fronts(); ++s) {
    const Front& front = fronts_[at(s)];
    assemble(s, S);
    const std::size_t square = at(front.q) * at(front.q);
    std::fill_n(F22_.data(), square, 0.0);
    std::size_t end = updates_.empty() ? 0 : updates_.back().begin + [&] {
      const int q = fronts_[at(updates_.back().front)].q;
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
  if (!dropped_.empty()) find_dependence();
  return true;
}

bool BlockLdlt::factorise(const Blocks& S, View weight, double threshold) {
  begin(S, weight);
  if (!eliminate(S, true, threshold)) return false;
  if (choose(threshold) && !eliminate(S, false, std::min(kRoundOff, threshold))) return false;
  finish_dependence(false);
  keep_choice();
  return true;
}

bool BlockLdlt::factorise_in_order(const Blocks& S, View weight, double threshold) {
  begin(S, weight);
  if (!eliminate(S, false, threshold)) return false;
  finish_dependence(false);
  return true;
}

bool BlockLdlt::factorise_again(const Blocks& S, View weight, double threshold) {
  begin(S, weight);
  take_choice();
  if (!eliminate(S, false, threshold)) return false;
  finish_dependence(true);
  return true;
}

}  // namespace saltus

// The least solution of dependent rows. Left out, row D has the null vector (-C^T e_D, e_D) of S, but for what is left of
// the row at its pivot: the backward half of a solution with x_D = 1. Of two loops that share no body the vectors share no
// row, so they are kept sparse and  W_D + C W_B C^T  in blocks: N loops in a chain cost O(N).
#include <algorithm>
#include <cmath>

#include "saltus/math/block_ldlt.h"

namespace saltus {
namespace {

/// Entry (i, j) relative to sqrt(S_ii S_jj) that is round-off of S.
constexpr double kRoundOff = 1e-14;

bool below_round_off(double a, double S_ii, double S_jj) {
  return a == 0.0 || std::abs(a) <= kRoundOff * std::sqrt(S_ii) * std::sqrt(S_jj);
}

}  // namespace

/// `row` of front s and its place; U begins at its pivot.
void BlockLdlt::keep_rest(int s, int place, int row, const double* U, int width) {
  const auto keep = [&](int j, int at_place) {
    if (!below_round_off(U[j], S_[at(place)], S_[at(at_place)])) rest_.push_back({at_place, U[j]});
  };
  const Front& front = fronts_[at(s)];
  int j = 1;
  for (; j < width && row + j < front.p; ++j) keep(j, place + j);
  int column = front.p;
  for (const int i : pattern_->border(s))
    for (int a = 0; a < size_[at(i)]; ++a, ++column)
      if (column == row + j && j < width) keep(j++, place_[at(i)] + a);
  dropped_.push_back({place, s, rest_.size(), 0, 0});
}

/// x is zero at the pivots of front s, and at its border.
bool BlockLdlt::silent(int s, const double* x, bool border) const {
  const Front& front = fronts_[at(s)];
  const auto zero = [&](int begin, int size) {
    return std::all_of(x + begin, x + begin + size, [](double a) { return a == 0.0; });
  };
  if (!zero(front.place, front.p)) return false;
  if (!border) return true;
  const auto nodes = pattern_->border(s);
  return std::all_of(nodes.begin(), nodes.end(),
                     [&](int i) { return zero(place_[at(i)], size_[at(i)]); });
}

/// N_D = -C^T e_D = L_BB^-T (-L_DB^T e_D - D_B^-1 L_BB^-1 r),  r what is left of the row: zero if it depends exactly.
/// Entries below the round-off of S are zero, which leaves out whole branches.
void BlockLdlt::find_dependence() {
  double* const x = x_.data();
  std::fill_n(x, rows(), 0.0);
  std::size_t rest = 0, begin = 0;
  for (Dropped& d : dropped_) {
    int top = d.front;
    if (rest < d.rest) {
      for (; rest < d.rest; ++rest) x[rest_[rest].place] = -rest_[rest].value;
      top = static_cast<int>(fronts_.size()) - 1;
      for (int s = d.front; s <= top; ++s)
        if (!silent(s, x, false)) forward<1>(s, x);
    }
    x[d.place] = 1.0;
    const int last = top == d.front ? top - fronts_[at(top)].fronts : -1;
    const double least = kRoundOff * std::sqrt(S_[at(d.place)]);
    for (int s = top; s > last;) {
      const Front& front = fronts_[at(s)];
      const bool above = s - front.fronts < d.front && d.front < s;  // of the row: it comes below
      if (silent(s, x, true)) {
        s -= above ? 1 : front.fronts;
        continue;
      }
      backward<1>(s, x);
      for (int k = front.place; k < front.place + front.p; ++k) {
        if (k == d.place) continue;
        if (std::abs(x[k]) * std::sqrt(S_[at(k)]) <= least)
          x[k] = 0.0;
        else
          dependence_.push_back({k, x[k]});
      }
      --s;
    }
    x[d.place] = 0.0;
    for (std::size_t k = begin; k < dependence_.size(); ++k) x[dependence_[k].place] = 0.0;
    d.end = begin = dependence_.size();
  }

  owner_.resize(at(rows()));
  for (int i = 0; i < pattern_->nodes(); ++i)
    for (int a = 0; a < size_[at(i)]; ++a) owner_[at(place_[at(i)] + a)] = row_[at(i)] + a;
  for (const Dropped& d : dropped_) dependent_.push_back(owner_[at(d.place)]);
  std::sort(dependent_.begin(), dependent_.end());
  join_dependence();
}

std::span<const BlockLdlt::Entry> BlockLdlt::null_vector(int i) const {
  const std::size_t begin = i == 0 ? 0 : dropped_[at(i) - 1].end;
  return {dependence_.data() + begin, dropped_[at(i)].end - begin};
}

/// Blocks of M: null vectors that have places in common, in the order of their first.
void BlockLdlt::join_dependence() {
  const int count = static_cast<int>(dropped_.size());
  const auto first = [&](int i) {
    while (dropped_[at(i)].first != i) i = dropped_[at(i)].first;
    return i;
  };
  std::fill(owner_.begin(), owner_.end(), -1);
  for (int i = 0; i < count; ++i) {
    dropped_[at(i)].first = i;
    for (const auto& [place, value] : null_vector(i)) {
      int& owner = owner_[at(place)];
      if (owner >= 0) {
        const int one = first(owner), other = first(i);
        dropped_[at(std::max(one, other))].first = std::min(one, other);
      }
      owner = i;
    }
  }
  group_.resize(at(count));
  for (int i = 0; i < count; ++i) {
    group_[at(i)] = i;
    dropped_[at(i)].first = first(i);  // those before i are final
  }
  std::sort(group_.begin(), group_.end(), [&](int i, int j) {
    const int one = dropped_[at(i)].first, other = dropped_[at(j)].first;
    return one != other ? one < other : i < j;
  });
  blocks_.clear();
  std::size_t size = 0;
  int largest = 0;
  for (int i = 0; i < count;) {
    int end = i + 1;
    while (end < count && dropped_[at(group_[at(end)])].first == group_[at(i)]) ++end;
    blocks_.push_back({i, end - i, size});
    size += at(end - i) * at(end - i);
    largest = std::max(largest, end - i);
    i = end;
  }
  if (M_.size() < size) M_.resize(size);
  if (least_.size() < at(largest)) least_.resize(at(largest));
  for (const Block& block : blocks_) factorise_least(block);
}

/// M = W_D + C W_B C^T = L L^T. Its pivots are w_D at least: Schur complements of W_D + a semidefinite matrix.
void BlockLdlt::factorise_least(const Block& block) {
  const int k = block.size;
  double* const M = M_.data() + block.M;
  double* const x = x_.data();  // zero
  for (int i = 0; i < k; ++i) {
    const int row = group_[at(block.begin + i)];
    for (const auto& [place, value] : null_vector(row)) x[place] = weight_[at(place)] * value;
    for (int j = 0; j <= i; ++j) {
      double sum = 0.0;
      for (const auto& [place, value] : null_vector(group_[at(block.begin + j)]))
        sum += x[place] * value;
      M[i * k + j] = sum;
    }
    M[i * k + i] += weight_[at(dropped_[at(row)].place)];
    for (const auto& [place, value] : null_vector(row)) x[place] = 0.0;
  }
  for (int i = 0; i < k; ++i) {
    double* const l = M + std::ptrdiff_t{i} * k;
    for (int j = 0; j <= i; ++j) {
      const double* const other = M + std::ptrdiff_t{j} * k;
      double sum = l[j];
      for (int m = 0; m < j; ++m) sum -= l[m] * other[m];
      l[j] = j < i ? sum / other[j]
                   : std::sqrt(std::max(
                         sum, weight_[at(dropped_[at(group_[at(block.begin + i)])].place)]));
    }
  }
}

/// M x_D = C W_B x_B,  x_B <- x_B - C^T x_D,  of which x holds every `stride`th number.
void BlockLdlt::add_least(double* x, int stride) const {
  const auto at_place = [&](int place) -> double& { return x[std::ptrdiff_t{stride} * place]; };
  double* const y = least_.data();
  for (const auto& [begin, k, offset] : blocks_) {
    const double* const M = M_.data() + offset;
    for (int i = 0; i < k; ++i) {
      double sum = 0.0;
      for (const auto& [place, value] : null_vector(group_[at(begin + i)]))
        sum -= weight_[at(place)] * value * at_place(place);
      for (int j = 0; j < i; ++j) sum -= M[std::ptrdiff_t{i} * k + j] * y[j];
      y[i] = sum / M[std::ptrdiff_t{i} * (k + 1)];
    }
    for (int i = k - 1; i >= 0; --i) {
      for (int j = i + 1; j < k; ++j) y[i] -= M[std::ptrdiff_t{j} * k + i] * y[j];
      y[i] /= M[std::ptrdiff_t{i} * (k + 1)];
    }
    for (int i = 0; i < k; ++i) {
      const int row = group_[at(begin + i)];
      for (const auto& [place, value] : null_vector(row)) at_place(place) += value * y[i];
      at_place(dropped_[at(row)].place) = y[i];
    }
  }
}

}  // namespace saltus

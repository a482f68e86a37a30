// The least solution of dependent rows. Left out, row D has the null vector N_D = (-C^T e_D, e_D) of S, but for what is
// left of the row at its pivot: the backward half of a solution with x_D = 1. Of two loops that share no body the
// vectors share no row, so they are kept sparse and  M = V^T W N,  V = N or the null vectors of the last choice, in
// blocks: N loops in a chain cost O(N).
#include <algorithm>
#include <cmath>

#include "saltus/linear_algebra/block_ldlt.h"
#include "saltus/linear_algebra/block_ldlt_internal.h"

namespace saltus {
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

/// x, which holds minus the rest r of row d, <- -D_B^-1 L_BB^-1 r; returns  r^T L_BB^-T D_B^-1 L_BB^-1 r. Leaves T at
/// the other rows that are left out.
double BlockLdlt::sweep_rest(const Dropped& d, double* x) {
  double square = 0.0;
  for (const Dropped& other : dropped_)
    inverse_[at(other.place)] = -1.0;  // their rows of L are zero
  for (int s = d.front; s < static_cast<int>(fronts_.size()); ++s) {
    if (silent(s, x, false)) continue;
    forward<1>(s, x);
    const Front& front = fronts_[at(s)];
    for (int k = front.place; k < front.place + front.p; ++k)
      if (inverse_[at(k)] > 0.0) square += x[k] * x[k] / inverse_[at(k)];
  }
  for (const Dropped& other : dropped_) inverse_[at(other.place)] = 0.0;
  return square;
}

/// N_D = -C^T e_D = L_BB^-T (-L_DB^T e_D - D_B^-1 L_BB^-1 r),  r what is left of the row: zero if it depends exactly.
/// Entries below the round-off of S are zero, which leaves out whole branches. T = S_DD - C S_BD, which is what is left
/// of r.
void BlockLdlt::find_dependence() {
  double* const x = x_.data();
  std::fill_n(x, places(), 0.0);
  std::size_t rest = 0, begin = 0;
  const int count = static_cast<int>(dropped_.size());
  for (int i = 0; i < count; ++i) {
    Dropped& d = dropped_[at(i)];
    int top = d.front;
    if (rest < d.rest) {
      for (; rest < d.rest; ++rest) x[rest_[rest].place] = -rest_[rest].value;
      d.pivot -= sweep_rest(d, x);
      for (int j = i + 1; j < count; ++j) {
        double& T = x[dropped_[at(j)].place];
        if (T != 0.0) couplings_.push_back({i, j, T});
        T = 0.0;
      }
      top = static_cast<int>(fronts_.size()) - 1;
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
}

std::span<const BlockLdlt::Entry> BlockLdlt::null_vector(int i) const {
  const std::size_t begin = i == 0 ? 0 : dropped_[at(i) - 1].end;
  return {dependence_.data() + begin, dropped_[at(i)].end - begin};
}

/// V_D without D itself, with its weights where it is of the last choice.
std::span<const BlockLdlt::Entry> BlockLdlt::kept_vector(int i) const {
  const int k = dropped_[at(i)].of_last;
  if (k < 0) return null_vector(i);
  const std::size_t begin = k == 0 ? 0 : kept_[at(k) - 1].end;
  return {kept_entries_.data() + begin, kept_[at(k)].end - begin};
}

/// Blocks of M: null vectors that have places in common, or rows that T couples, in the order of their first.
void BlockLdlt::join_dependence() {
  const int count = static_cast<int>(dropped_.size());
  const auto first = [&](int i) {
    while (dropped_[at(i)].first != i) i = dropped_[at(i)].first;
    return i;
  };
  const auto join = [&](int i, int j) {
    const int one = first(i), other = first(j);
    dropped_[at(std::max(one, other))].first = std::min(one, other);
  };
  owner_.assign(at(places()), -1);
  for (int i = 0; i < count; ++i) {
    dropped_[at(i)].first = i;
    for (const auto& vector : {null_vector(i), kept_vector(i)})
      for (const auto& [place, value] : vector) {
        int& owner = owner_[at(place)];
        if (owner >= 0) join(owner, i);
        owner = i;
      }
  }
  for (const auto& [i, j, value] : couplings_) join(i, j);
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
  exchange_.resize(at(count));
}

/// The names of the rows left out, and M.
void BlockLdlt::finish_dependence(bool again) {
  dependent_.assign(zeros_.begin(), zeros_.end());
  if (dropped_.empty()) return;
  fill_rows();
  std::size_t next = 0;  // rows stand in the same order unless others were left out as well
  for (Dropped& d : dropped_) {
    const int row = owner_[at(d.place)];
    dependent_.push_back(row);
    if (!again) continue;
    if (next >= kept_.size() || kept_[next].row != row) {
      next = 0;
      while (next < kept_.size() && kept_[next].row != row) ++next;
    }
    if (next < kept_.size()) d.of_last = static_cast<int>(next++);
  }
  std::sort(dependent_.begin(), dependent_.end());
  join_dependence();
  for (const Block& block : blocks_) factorise_least(block);
}

/// owner_ <- the row of each place
void BlockLdlt::fill_rows() {
  owner_.resize(at(places()));
  for (int i = 0; i < pattern_->nodes(); ++i)
    std::copy_n(active_.begin() + active_begin_[at(i)], size_[at(i)],
                owner_.begin() + place_[at(i)]);
}

/// M = V_B^T W_B N_B + W_D  by LU with exchanges of rows. With V = N it is W_D + a semidefinite matrix.
void BlockLdlt::factorise_least(const Block& block) {
  const int k = block.size;
  double* const M = M_.data() + block.M;
  double* const x = x_.data();  // zero
  for (int i = 0; i < k; ++i) {
    const int row = group_[at(block.begin + i)];
    const Dropped& d = dropped_[at(row)];
    for (const auto& [place, value] : kept_vector(row))
      x[place] = (d.of_last < 0 ? weight_[at(place)] : 1.0) * value;
    for (int j = 0; j < k; ++j) {
      double sum = 0.0;
      for (const auto& [place, value] : null_vector(group_[at(block.begin + j)]))
        sum += x[place] * value;
      M[i * k + j] = sum;
    }
    M[i * k + i] += d.of_last < 0 ? weight_[at(d.place)] : kept_[at(d.of_last)].weight;
    for (const auto& [place, value] : kept_vector(row)) x[place] = 0.0;
  }
  for (int j = 0; j < k; ++j) {
    int best = j;
    for (int i = j + 1; i < k; ++i)
      if (std::abs(M[i * k + j]) > std::abs(M[best * k + j])) best = i;
    exchange_[at(block.begin + j)] = best;
    double* const u = M + std::ptrdiff_t{j} * k;
    if (best != j) std::swap_ranges(u, u + k, M + std::ptrdiff_t{best} * k);
    for (int i = j + 1; i < k; ++i) {
      double* const m = M + std::ptrdiff_t{i} * k;
      m[j] /= u[j];
      if (m[j] == 0.0) continue;
      for (int l = j + 1; l < k; ++l) m[l] -= m[j] * u[l];
    }
  }
}

/// M x_D = -V_B^T W_B x_B,  x_B <- x_B + N_B x_D,  of which x holds every `stride`th number.
void BlockLdlt::add_least(double* x, int stride) const {
  const auto at_place = [&](int place) -> double& { return x[std::ptrdiff_t{stride} * place]; };
  double* const y = least_.data();
  for (const auto& [begin, k, offset] : blocks_) {
    const double* const M = M_.data() + offset;
    for (int i = 0; i < k; ++i) {
      const int row = group_[at(begin + i)];
      const bool weighed = dropped_[at(row)].of_last >= 0;
      y[i] = 0.0;
      for (const auto& [place, value] : kept_vector(row))
        y[i] -= (weighed ? 1.0 : weight_[at(place)]) * value * at_place(place);
    }
    for (int j = 0; j < k; ++j) std::swap(y[j], y[exchange_[at(begin + j)]]);
    for (int i = 1; i < k; ++i)
      for (int j = 0; j < i; ++j) y[i] -= M[std::ptrdiff_t{i} * k + j] * y[j];
    for (int i = k - 1; i >= 0; --i) {
      for (int j = i + 1; j < k; ++j) y[i] -= M[std::ptrdiff_t{i} * k + j] * y[j];
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

#include "saltus/linear_algebra/dependent_rows.h"

#include <algorithm>
#include <cmath>

namespace saltus {

void DependentRows::clear() { dropped_.clear(), couplings_.clear(), entries_.clear(); }

std::span<const DependentRows::Entry> DependentRows::null_vector(int i) const {
  const std::size_t begin = i == 0 ? 0 : dropped_[at(i) - 1].end;
  return {entries_.data() + begin, dropped_[at(i)].end - begin};
}

/// V_D without D itself; includes the weights if the row was in the last choice.
std::span<const DependentRows::Entry> DependentRows::kept_vector(int i) const {
  const int k = dropped_[at(i)].of_last;
  if (k < 0) return null_vector(i);
  const std::size_t begin = k == 0 ? 0 : kept_[at(k) - 1].end;
  return {kept_entries_.data() + begin, kept_[at(k)].end - begin};
}

/// Determines the blocks of M: null vectors that have places in common, or rows coupled by T,
/// ordered by their first row.
void DependentRows::join(std::size_t places) {
  const int count = static_cast<int>(dropped_.size());
  const auto first = [&](int i) {
    while (dropped_[at(i)].first != i) i = dropped_[at(i)].first;
    return i;
  };
  const auto join = [&](int i, int j) {
    const int one = first(i), other = first(j);
    dropped_[at(std::max(one, other))].first = std::min(one, other);
  };
  owner_.assign(places, -1);
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
  number_blocks();
}

void DependentRows::number_blocks() {
  const int count = static_cast<int>(dropped_.size());
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

void DependentRows::factorise(const double* weight, std::span<const int> row_of, bool of_choice,
                              double* x) {
  std::size_t next = 0;  // rows are in the same order unless others were left out as well
  for (Dropped& d : dropped_) {
    if (!of_choice) break;
    const int row = row_of[at(d.place)];
    if (next >= kept_.size() || kept_[next].row != row) {
      next = 0;
      while (next < kept_.size() && kept_[next].row != row) ++next;
    }
    if (next < kept_.size()) d.of_last = static_cast<int>(next++);
  }
  join(row_of.size());
  for (const Block& block : blocks_) factorise(block, weight, x);
}

/// M = V_B^T W_B N_B + W_D,  by LU with row exchanges. If V = N, it is W_D plus a semidefinite
/// matrix.
void DependentRows::factorise(const Block& block, const double* weight, double* x) {
  const int k = block.size;
  double* const M = M_.data() + block.M;
  for (int i = 0; i < k; ++i) {
    const int row = group_[at(block.begin + i)];
    const Dropped& d = dropped_[at(row)];
    for (const auto& [place, value] : kept_vector(row))
      x[place] = (d.of_last < 0 ? weight[at(place)] : 1.0) * value;
    for (int j = 0; j < k; ++j) {
      double sum = 0.0;
      for (const auto& [place, value] : null_vector(group_[at(block.begin + j)]))
        sum += x[place] * value;
      M[i * k + j] = sum;
    }
    M[i * k + i] += d.of_last < 0 ? weight[at(d.place)] : kept_[at(d.of_last)].weight;
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

/// M x_D = -V_B^T W_B x_B,  x_B <- x_B + N_B x_D, where x contains every `stride`th number.
void DependentRows::add_least(const double* weight, double* x, int stride) const {
  const auto at_place = [&](int place) -> double& { return x[std::ptrdiff_t{stride} * place]; };
  double* const y = least_.data();
  for (const auto& [begin, k, offset] : blocks_) {
    const double* const M = M_.data() + offset;
    for (int i = 0; i < k; ++i) {
      const int row = group_[at(begin + i)];
      const bool weighed = dropped_[at(row)].of_last >= 0;
      y[i] = 0.0;
      for (const auto& [place, value] : kept_vector(row))
        y[i] -= (weighed ? 1.0 : weight[at(place)]) * value * at_place(place);
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

// Chooses which of the linearly dependent rows are left out. S has the Schur complement T over the
// rows P that were set aside, and for given x_P the solution of  S_BB x_B = -S_BP x_P  is x = N
// x_P. T is eliminated with the largest pivot first, together with the rows of N: the remaining
// ones, N_D, are null vectors of S. They are then expressed with other rows D wherever one of their
// entries is much larger than that of the row left out.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "saltus/base/error.h"
#include "saltus/linear_algebra/dependent_rows.h"

namespace saltus {
namespace {

/// values of |C_ij| sqrt(S_jj / S_ii) up to this are not exchanged
constexpr double kExchange = 2.0;

/// row_i <- row_i - (row_ij / row_j) row
void subtract_row(double factor, const double* row, int n, double* from) {
  for (int k = 0; k < n; ++k)
    if (row[k] != 0.0) from[k] -= factor * row[k];
}

}  // namespace

bool DependentRows::choose(double threshold, const double* S, std::span<const int> row_of,
                           std::vector<char>& out) {
  if (dropped_.empty()) return false;
  join(row_of.size());
  std::sort(couplings_.begin(), couplings_.end(), [&](const Coupling& a, const Coupling& b) {
    const int one = dropped_[at(a.i)].first, other = dropped_[at(b.i)].first;
    return std::tie(one, a.i, a.j) < std::tie(other, b.i, b.j);
  });
  auto begin = couplings_.begin();
  for (const Block& block : blocks_) {
    const int first = group_[at(block.begin)];
    const auto end = std::find_if(begin, couplings_.end(), [&](const Coupling& c) {
      return dropped_[at(c.i)].first != first;
    });
    choose(block, {begin, end}, threshold, S, row_of, out);
    begin = end;
  }
  const auto chosen = std::count(out.begin(), out.end(), 1);
  const bool same = static_cast<std::size_t>(chosen) == dropped_.size() &&
                    std::all_of(dropped_.begin(), dropped_.end(),
                                [&](const Dropped& d) { return out[at(d.place)] != 0; });
  return !same;
}

void DependentRows::choose(const Block& block, std::span<const Coupling> couplings,
                           double threshold, const double* S, std::span<const int> row_of,
                           std::vector<char>& out) {
  const int k = block.size;
  if (k == 1 && null_vector(group_[at(block.begin)]).empty()) {  // no row to exchange it with
    const Dropped& d = dropped_of(block, 0);
    out[at(d.place)] = d.pivot <= threshold * S[d.place] ? 1 : 0;
    return;
  }
  gather(block, couplings, S);
  eliminate_by_pivots(block, threshold, row_of);
  exchange_rows(block);
  for (int a = 0; a < k; ++a)
    if (own_[at(a)] >= 0) out[at(column_[at(own_[at(a)])])] = 1;
}

/// Collects T and N of a block.
void DependentRows::gather(const Block& block, std::span<const Coupling> couplings,
                           const double* S) {
  const int k = block.size;
  // columns: the rows of P, then the rows of B in their null vectors; in units of 1/sqrt(S_ii)
  column_.clear();
  for (int a = 0; a < k; ++a) column_.push_back(dropped_of(block, a).place);
  for (int a = 0; a < k; ++a)
    for (const auto& [place, value] : null_vector(group_[at(block.begin + a)]))
      column_.push_back(place);
  std::sort(column_.begin() + k, column_.end());
  column_.erase(std::unique(column_.begin() + k, column_.end()), column_.end());
  const int m = static_cast<int>(column_.size());
  T_.assign(at(k) * at(k), 0.0);
  N_.assign(at(k) * at(m), 0.0);
  const auto unit = [&](int place) { return S[place] > 0.0 ? std::sqrt(S[place]) : 1.0; };
  for (int a = 0; a < k; ++a) {
    const double one = unit(dropped_of(block, a).place);
    N(a)[a] = 1.0;
    for (const auto& [place, value] : null_vector(group_[at(block.begin + a)])) {
      const auto j = std::lower_bound(column_.begin() + k, column_.end(), place) - column_.begin();
      N(a)[j] = value * unit(place) / one;
    }
    T(a, k)[a] = dropped_of(block, a).pivot / (one * one);
  }
  const auto of = [&](int dropped) {
    const auto first = group_.begin() + block.begin;
    return static_cast<int>(std::lower_bound(first, first + k, dropped) - first);
  };
  for (const auto& [i, j, value] : couplings) {
    const int a = of(i), b = of(j);
    const double t = value / (unit(dropped_of(block, a).place) * unit(dropped_of(block, b).place));
    T(a, k)[b] = T(b, k)[a] = t;
  }
}

/// Eliminates T with the largest pivot first, together with the rows of N; sets own_ to 1 for
/// independent rows.
void DependentRows::eliminate_by_pivots(const Block& block, double threshold,
                                        std::span<const int> row_of) {
  const int k = block.size, m = static_cast<int>(column_.size());
  own_.assign(at(k), 0);
  for (;;) {
    int best = -1;
    for (int a = 0; a < k; ++a) {
      if (own_[at(a)] != 0 || !(T(a, k)[a] > threshold)) continue;
      const auto first = [&](int i) { return row_of[at(dropped_of(block, i).place)]; };
      if (best < 0 || T(a, k)[a] > T(best, k)[best] ||
          (T(a, k)[a] == T(best, k)[best] && first(a) < first(best)))
        best = a;
    }
    if (best < 0) break;
    own_[at(best)] = 1;
    for (int a = 0; a < k; ++a) {
      if (own_[at(a)] != 0 || T(a, k)[best] == 0.0) continue;
      const double factor = T(a, k)[best] / T(best, k)[best];
      subtract_row(factor, T(best, k), k, T(a, k));
      subtract_row(factor, N(best), m, N(a));
    }
  }
}

/// own_ <- for each row of N, the column of the row left out, or -1 if its row is kept.
void DependentRows::exchange_rows(const Block& block) {
  const int k = block.size, m = static_cast<int>(column_.size());
  // express N_D with rows such that no entry is much above 1
  std::vector<int>& own = own_;
  for (int a = 0; a < k; ++a) own[at(a)] = own[at(a)] != 0 ? -1 : a;
  for (int exchange = 0; exchange < 4 * m; ++exchange) {
    int best = -1, column = -1;
    double most = kExchange;
    for (int a = 0; a < k; ++a)
      for (int j = 0; own[at(a)] >= 0 && j < m; ++j)
        if (std::abs(N(a)[j]) > most) most = std::abs(N(a)[j]), best = a, column = j;
    if (best < 0) break;
    const double pivot = N(best)[column];
    for (int j = 0; j < m; ++j) N(best)[j] /= pivot;
    for (int a = 0; a < k; ++a) {
      if (a == best || own[at(a)] < 0 || N(a)[column] == 0.0) continue;
      subtract_row(N(a)[column], N(best), m, N(a));
      N(a)[column] = 0.0;
    }
    N(best)[column] = 1.0;
    own[at(best)] = column;
  }
}

void DependentRows::keep_choice(const double* weight, std::span<const int> row_of) {
  kept_.clear(), kept_rows_.clear();
  if (dropped_.empty()) return;
  for (int i = 0; i < static_cast<int>(dropped_.size()); ++i) {
    for (const auto& [place, value] : null_vector(i))
      kept_rows_.push_back({row_of[at(place)], weight[place] * value});
    const int place = dropped_[at(i)].place;
    kept_.push_back({row_of[at(place)], weight[place], kept_rows_.size()});
  }
}

void DependentRows::take_choice(int rows, std::span<const int> row_of, std::vector<char>& out) {
  kept_entries_.clear();
  if (kept_.empty()) return;
  column_.assign(at(rows), -1);
  for (int place = 0; place < std::ssize(row_of); ++place) column_[at(row_of[at(place)])] = place;
  for (const auto& [row, value] : kept_rows_) {
    expects(row < rows, "the matrix must not have fewer rows than at the choice");
    const int place = column_[at(row)];  // a row that has become zero contributes nothing
    kept_entries_.push_back({std::max(place, 0), place < 0 ? 0.0 : value});
  }
  for (const Kept& kept : kept_) {
    expects(kept.row < rows, "the matrix must not have fewer rows than at the choice");
    if (const int place = column_[at(kept.row)]; place >= 0) out[at(place)] = 1;
  }
}

}  // namespace saltus

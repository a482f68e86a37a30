// Which of the rows that depend on each other are left out. Over the rows P that were put aside S has the Schur
// complement T, and with x_P given  S_BB x_B = -S_BP x_P  is solved by x = N x_P. T is eliminated with the largest
// pivot first, the rows of N with it: those that are left, N_D, are null vectors of S. They are then written on other
// rows D wherever one of their entries is much larger than that of the row left out.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "saltus/base/error.h"
#include "saltus/linear_algebra/block_ldlt.h"

namespace saltus {
namespace {

constexpr double kExchange = 2.0;  ///< |C_ij| sqrt(S_jj / S_ii) that is not exchanged

/// row_i <- row_i - (row_ij / row_j) row
void subtract_row(double factor, const double* row, int n, double* from) {
  for (int k = 0; k < n; ++k)
    if (row[k] != 0.0) from[k] -= factor * row[k];
}

}  // namespace

/// out_ <- the rows to leave out. False: those that are.
bool BlockLdlt::choose(double threshold) {
  if (dropped_.empty()) return false;
  join_dependence();
  fill_rows();
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
    choose(block, {begin, end}, threshold);
    begin = end;
  }
  const auto chosen = std::count(out_.begin(), out_.end(), 1);
  const bool same = static_cast<std::size_t>(chosen) == dropped_.size() &&
                    std::all_of(dropped_.begin(), dropped_.end(),
                                [&](const Dropped& d) { return out_[at(d.place)] != 0; });
  return !same;
}

void BlockLdlt::choose(const Block& block, std::span<const Coupling> couplings, double threshold) {
  const int k = block.size;
  const auto row = [&](int a) -> const Dropped& {
    return dropped_[at(group_[at(block.begin + a)])];
  };
  if (k == 1 && null_vector(group_[at(block.begin)]).empty()) {  // nothing to exchange it with
    out_[at(row(0).place)] = row(0).pivot <= threshold * S_[at(row(0).place)] ? 1 : 0;
    return;
  }

  // columns: the rows of P, then those of B that their null vectors reach; in units of 1/sqrt(S_ii)
  column_.clear();
  for (int a = 0; a < k; ++a) column_.push_back(row(a).place);
  for (int a = 0; a < k; ++a)
    for (const auto& [place, value] : null_vector(group_[at(block.begin + a)]))
      column_.push_back(place);
  std::sort(column_.begin() + k, column_.end());
  column_.erase(std::unique(column_.begin() + k, column_.end()), column_.end());
  const int m = static_cast<int>(column_.size());
  T_.assign(at(k) * at(k), 0.0);
  N_.assign(at(k) * at(m), 0.0);
  const auto unit = [&](int place) { return S_[at(place)] > 0.0 ? std::sqrt(S_[at(place)]) : 1.0; };
  const auto T = [&](int a) { return T_.data() + at(a) * at(k); };
  const auto N = [&](int a) { return N_.data() + at(a) * at(m); };
  for (int a = 0; a < k; ++a) {
    const double one = unit(row(a).place);
    N(a)[a] = 1.0;
    for (const auto& [place, value] : null_vector(group_[at(block.begin + a)])) {
      const auto j = std::lower_bound(column_.begin() + k, column_.end(), place) - column_.begin();
      N(a)[j] = value * unit(place) / one;
    }
    T(a)[a] = row(a).pivot / (one * one);
  }
  const auto of = [&](int dropped) {
    const auto first = group_.begin() + block.begin;
    return static_cast<int>(std::lower_bound(first, first + k, dropped) - first);
  };
  for (const auto& [i, j, value] : couplings) {
    const int a = of(i), b = of(j);
    T(a)[b] = T(b)[a] = value / (unit(row(a).place) * unit(row(b).place));
  }

  own_.assign(at(k), 0);
  for (;;) {
    int best = -1;
    for (int a = 0; a < k; ++a) {
      if (own_[at(a)] != 0 || !(T(a)[a] > threshold)) continue;
      const auto first = [&](int i) { return owner_[at(row(i).place)]; };
      if (best < 0 || T(a)[a] > T(best)[best] ||
          (T(a)[a] == T(best)[best] && first(a) < first(best)))
        best = a;
    }
    if (best < 0) break;
    own_[at(best)] = 1;
    for (int a = 0; a < k; ++a) {
      if (own_[at(a)] != 0 || T(a)[best] == 0.0) continue;
      const double factor = T(a)[best] / T(best)[best];
      subtract_row(factor, T(best), k, T(a));
      subtract_row(factor, N(best), m, N(a));
    }
  }

  // N_D, written on rows where no entry is much above 1
  std::vector<int>& own = own_;  // from here on column of the row left out, -1: kept
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
  for (int a = 0; a < k; ++a)
    if (own[at(a)] >= 0) out_[at(column_[at(own[at(a)])])] = 1;
}

/// W N by rows, for factorise_again().
void BlockLdlt::keep_choice() {
  kept_.clear(), kept_rows_.clear();
  if (dropped_.empty()) return;
  fill_rows();
  for (int i = 0; i < static_cast<int>(dropped_.size()); ++i) {
    for (const auto& [place, value] : null_vector(i))
      kept_rows_.push_back({owner_[at(place)], weight_[at(place)] * value});
    const int place = dropped_[at(i)].place;
    kept_.push_back({owner_[at(place)], weight_[at(place)], kept_rows_.size()});
  }
}

void BlockLdlt::take_choice() {
  kept_entries_.clear();
  if (kept_.empty()) return;
  fill_rows();
  column_.assign(at(rows()), -1);
  for (int place = 0; place < places(); ++place) column_[at(owner_[at(place)])] = place;
  for (const auto& [row, value] : kept_rows_) {
    expects(row < rows(), "as many rows as at the choice");
    const int place = column_[at(row)];  // a row that is zero by now carries nothing
    kept_entries_.push_back({std::max(place, 0), place < 0 ? 0.0 : value});
  }
  for (const Kept& kept : kept_) {
    expects(kept.row < rows(), "as many rows as at the choice");
    if (const int place = column_[at(kept.row)]; place >= 0) out_[at(place)] = 1;
  }
}

}  // namespace saltus

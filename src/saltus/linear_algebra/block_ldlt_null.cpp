// Null vectors of the rows that are left out (DependentRows): the backward half of a solve with
// x_D = 1, corrected for the remainder of the row at its pivot.
#include <algorithm>
#include <cmath>

#include "saltus/linear_algebra/block_ldlt.h"
#include "saltus/linear_algebra/block_ldlt_internal.h"

namespace saltus {

/// Whether x is zero at the pivots of front s and, if `border`, at its border.
bool BlockLdlt::silent(int s, const double* x, bool border) const {
  const FrontLayout::Front& front = layout_.fronts()[at(s)];
  const auto zero = [&](int begin, int size) {
    return std::all_of(x + begin, x + begin + size, [](double a) { return a == 0.0; });
  };
  if (!zero(front.place, front.p)) return false;
  if (!border) return true;
  const auto nodes = layout_.pattern().border(s);
  return std::all_of(nodes.begin(), nodes.end(),
                     [&](int i) { return zero(layout_.place(i), layout_.size(i)); });
}

/// On entry x contains minus the remainder r of row d.
///     x <- -D_B^-1 L_BB^-1 r,  returns  r^T L_BB^-T D_B^-1 L_BB^-1 r
/// Leaves T at the other rows that are left out.
double BlockLdlt::sweep_rest(const DependentRows::Dropped& d, double* x) {
  double square = 0.0;
  for (const DependentRows::Dropped& other : left_out_.dropped())
    inverse_[at(other.place)] = -1.0;  // their rows of L are zero
  for (int s = d.front; s < static_cast<int>(layout_.fronts().size()); ++s) {
    if (silent(s, x, false)) continue;
    forward<1>(s, x);
    const FrontLayout::Front& front = layout_.fronts()[at(s)];
    for (int k = front.place; k < front.place + front.p; ++k)
      if (inverse_[at(k)] > 0.0) square += x[k] * x[k] / inverse_[at(k)];
  }
  for (const DependentRows::Dropped& other : left_out_.dropped()) inverse_[at(other.place)] = 0.0;
  return square;
}

/// The null vector is
///     N_D = -C^T e_D = L_BB^-T (-L_DB^T e_D - D_B^-1 L_BB^-1 r)
/// where r is the remainder of the row, zero if the row is exactly dependent. Entries below the
/// round-off of S are set to zero, which skips whole branches of the tree. T = S_DD - C S_BD is
/// what remains of the pivot.
void BlockLdlt::find_null_vectors() {
  double* const x = x_.data();
  std::fill_n(x, layout_.places(), 0.0);
  std::size_t rest = 0;
  const std::span<DependentRows::Dropped> dropped = left_out_.dropped();
  const int count = static_cast<int>(dropped.size());
  for (int i = 0; i < count; ++i) {
    DependentRows::Dropped& d = dropped[at(i)];
    int top = d.front;
    if (rest < d.rest) {
      for (; rest < d.rest; ++rest) x[rest_[rest].place] = -rest_[rest].value;
      d.pivot -= sweep_rest(d, x);
      for (int j = i + 1; j < count; ++j) {
        double& T = x[dropped[at(j)].place];
        if (T != 0.0) left_out_.couple(i, j, T);
        T = 0.0;
      }
      top = static_cast<int>(layout_.fronts().size()) - 1;
    }
    x[d.place] = 1.0;
    const int last = top == d.front ? top - layout_.fronts()[at(top)].fronts : -1;
    const double least = kRoundOff * std::sqrt(S_[at(d.place)]);
    for (int s = top; s > last;) {
      const FrontLayout::Front& front = layout_.fronts()[at(s)];
      const bool above = s - front.fronts < d.front && d.front < s;  // ancestor of d.front
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
          left_out_.add_entry(k, x[k]);
      }
      --s;
    }
    x[d.place] = 0.0;
    left_out_.end_vector(d);
    for (const auto& [place, value] : left_out_.null_vector(i)) x[place] = 0.0;
  }
}

}  // namespace saltus

#include "saltus/linear_algebra/block_pivoting.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "saltus/math/small_cholesky.h"

namespace saltus {
namespace {

using Eigen::Index;

// block pivots allowed without a decrease of the number of wrong rows
constexpr int kPatience = 10;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

BlockPivoting::BlockPivoting(Matrix W) : W_(std::move(W)) {
  const Index m = W_.rows();
  R_.resize(m, m);
  pressed_.reserve(at(m));
  factored_.reserve(at(m));
  in_.assign(at(m), 0);
  y_.resize(m);
  u_.resize(m);
}

bool BlockPivoting::factorise() {
  if (pressed_ == factored_) return true;
  factored_.clear();
  const auto n = static_cast<Index>(pressed_.size());
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i <= j; ++i) R_(i, j) = W_(pressed_[at(i)], pressed_[at(j)]);
  if (!factor_corner(R_, n)) return false;
  factored_ = pressed_;
  return true;
}

void BlockPivoting::solve_pressed(Out y) const {
  solve_corner(R_, static_cast<Index>(pressed_.size()), y);
}

bool BlockPivoting::solve(View w, Out x) {
  const Index m = W_.rows();
  x.setZero();
  pressed_.clear();
  if (m == 0) return true;
  if (!w.allFinite()) return false;
  // smaller values are round-off
  const double noise = 64.0 * std::numeric_limits<double>::epsilon(), gap = w.cwiseAbs().maxCoeff();
  for (Index i = 0; i < m; ++i) in_[at(i)] = w[i] < 0.0;
  Index fewest = m + 1;
  int patience = kPatience;
  for (Index pivot = 0; pivot < 100 + 20 * m; ++pivot) {
    pressed_.clear();
    for (Index i = 0; i < m; ++i)
      if (in_[at(i)]) pressed_.push_back(static_cast<int>(i));
    if (!factorise()) return false;
    const auto n = static_cast<Index>(pressed_.size());
    for (Index k = 0; k < n; ++k) y_[k] = -w[pressed_[at(k)]];
    solve_pressed(y_.head(n));
    x.setZero();
    for (Index k = 0; k < n; ++k) x[pressed_[at(k)]] = y_[k];
    const double force = x.cwiseAbs().maxCoeff();
    u_ = w;
    for (const int j : pressed_) u_ += x[j] * W_.col(j);
    Index wrong = 0, last = -1;
    for (Index i = 0; i < m; ++i)
      if (in_[at(i)] ? x[i] < -noise * force : u_[i] < -noise * gap) {
        ++wrong;
        last = i;
      }
    if (wrong == 0) return true;
    if (wrong < fewest) {
      fewest = wrong;
      patience = kPatience;
    } else {
      --patience;
    }
    for (Index i = patience >= 0 ? 0 : last; i <= last; ++i)
      if (in_[at(i)] ? x[i] < -noise * force : u_[i] < -noise * gap) in_[at(i)] = !in_[at(i)];
  }
  return false;
}

}  // namespace saltus

#include "saltus/solvers/spin_states.h"

#include <algorithm>
#include <limits>

#include "saltus/solvers/local_coulomb.h"
#include "saltus/solvers/local_rolling.h"

namespace saltus {

void SpinStates::solve(int state, double* p) {
  if (state > 0) return turn(state == 1 ? side_ : -side_, p);
  const double held = hold(p);
  side_ = held > 0.0 || (held == 0.0 && b_[S_] < 0.0) ? 1.0 : -1.0;
}

/// Returns p_S before it is projected onto its interval. A row without mobility gets p_S = 0.
double SpinStates::hold(double* p) const {
  const double W_SS = at(S_, S_);
  double W_X[25], b_X[5];
  for (int i = 0; i < S_; ++i) {
    const double share = W_SS > 0.0 ? at(i, S_) / W_SS : 0.0;
    for (int j = 0; j < S_; ++j) W_X[i * S_ + j] = at(i, j) - share * at(S_, j);
    b_X[i] = b_[i] - share * b_[S_];
  }
  rest(W_X, b_X, p);
  double u = b_[S_];
  for (int j = 0; j < S_; ++j) u += at(S_, j) * p[j];
  const double held = W_SS > 0.0 ? -u / W_SS : 0.0, most = sigma_ * p[0];
  p[S_] = std::clamp(held, -most, most);
  return held;
}

void SpinStates::turn(double s, double* p) const {
  double W_X[25];
  for (int i = 0; i < S_; ++i) {
    for (int j = 0; j < S_; ++j) W_X[i * S_ + j] = at(i, j);
    W_X[i * S_] += s * sigma_ * at(i, S_);
  }
  rest(W_X, b_, p);
  p[S_] = s * sigma_ * p[0];
}

void SpinStates::rest(const double* W_X, const double* b_X, double* p) const {
  double W[25];
  std::copy_n(W_X, S_ * S_, W);
  W[0] = std::max(W[0], 16.0 * std::numeric_limits<double>::epsilon() * at(0, 0));
  if (S_ == 3)
    solve_coulomb(S_, W, b_X, mu_, p);
  else
    solve_rolling(S_, W, b_X, mu_, mu_R_, 0.0, p);
}

}  // namespace saltus

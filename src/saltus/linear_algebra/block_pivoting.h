// Small linear complementarity problems with a symmetric positive definite matrix, by block
// principal pivoting.
#pragma once
#include <span>
#include <vector>

#include "saltus/base/base.h"

namespace saltus {

/// 0 <= W x + w perp x >= 0, W dense, symmetric and positive definite: there is one solution. A set
/// F of rows is pressed, W_FF x_F = -w_F; rows of the wrong sign change sides, all at once while
/// that makes them fewer, then one by one by the largest number, which ends for every such W. The
/// first F is that of w < 0: results depend on W and w alone, not on the problem before.
/// Source: J. J. Judice and F. M. Pires, Comput. Oper. Res. 21 (1994); K. G. Murty, Opsearch 11
/// (1974).
class BlockPivoting {
 public:
  BlockPivoting() = default;
  explicit BlockPivoting(Matrix W);
  int rows() const { return static_cast<int>(W_.rows()); }
  const Matrix& W() const { return W_; }
  /// False: not finite, or no solution within the limit of pivots; x is then the last iterate.
  /// Nothing is allocated.
  bool solve(View w, Out x);
  /// F of the last solve, increasing: rows with x > 0 but for round-off.
  std::span<const int> pressed() const { return {pressed_.data(), pressed_.size()}; }
  /// y_F <- W_FF^-1 y_F for the F of the last solve, y in the order of pressed().
  void solve_pressed(Out y) const;

 private:
  bool factorise();

  Matrix W_, R_;  ///< R_: upper left corner, R^T R = W_FF
  std::vector<int> pressed_, factored_;
  std::vector<char> in_;
  Vector y_, u_;
};

}  // namespace saltus

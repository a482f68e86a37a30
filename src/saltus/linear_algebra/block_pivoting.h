// Small linear complementarity problems with a symmetric positive definite matrix, solved by block
// principal pivoting.
#pragma once
#include <span>
#include <vector>

#include "saltus/base/base.h"

namespace saltus {

/// Solves  0 <= W x + w perp x >= 0,  W dense, symmetric and positive definite, so the solution is
/// unique. The rows of a set F are active, W_FF x_F = -w_F. Rows of the wrong sign change sides,
/// all at once while that reduces their number, then one by one, always the one with the largest
/// index, which terminates for every such W. The first F contains the rows with w < 0, so results
/// depend only on W and w, not on the previous problem. Sources: J. J. Judice and F. M. Pires,
/// Comput. Oper. Res. 21 (1994); K. G. Murty, Opsearch 11 (1974).
class BlockPivoting {
 public:
  BlockPivoting() = default;
  explicit BlockPivoting(Matrix W);
  int rows() const { return static_cast<int>(W_.rows()); }
  const Matrix& W() const { return W_; }
  /// Returns false if w is not finite, or if there is no solution within the limit of pivots; x is
  /// then the last iterate. Allocates nothing.
  bool solve(View w, Out x);
  /// F of the last solve, in increasing order: rows with x > 0 except for round-off.
  std::span<const int> pressed() const { return {pressed_.data(), pressed_.size()}; }
  /// y_F <- W_FF^-1 y_F for the F of the last solve, y in the order of pressed().
  void solve_pressed(Out y) const;

 private:
  bool factorise();

  Matrix W_, R_;  ///< R_: R^T R = W_FF in the upper left corner
  std::vector<int> pressed_, factored_;
  std::vector<char> in_;
  Vector y_, u_;
};

}  // namespace saltus

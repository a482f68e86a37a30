// Linear systems with the pattern of W.
#pragma once
#include "saltus/contact/block_delassus.h"
#include "saltus/math/block_lu.h"

namespace saltus {

/// K x = r with blocks where W has them; the order of elimination is found once for a pattern. Takes nothing from the
/// heap once it has seen a size.
class BlockSystem {
 public:
  /// Takes the pattern and the values of W.
  void begin(const BlockMatrix& W);
  /// K = W again, with W as given to begin().
  void refill(const BlockMatrix& W) { K.value = W.value; }
  /// Row `row` of contact c becomes that of the identity.
  void make_identity(int c, int row);
  /// False if K is singular.
  bool factorise();
  /// x <- K^-1 x, refined with the residual `refinements` times.
  void solve(Vector& x, int refinements);
  int factorisations() const { return factorisations_; }

  BlockMatrix K;

 private:
  BlockPattern pattern_;
  BlockLu lu_;
  std::vector<int> size_;
  Vector right_, correction_;
  int factorisations_ = 0;
};

}  // namespace saltus

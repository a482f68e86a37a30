// W by contacts: sparse blocks, each as large as the two contacts it couples.
#pragma once
#include <vector>

#include "saltus/contact/contact_solver.h"

namespace saltus {

/// Contact c has rows first[c] .. first[c + 1] - 1 and the blocks W_cd, d = column[k], k =
/// offset[c] .. offset[c + 1] - 1, d increasing; value[start[k] + i size(d) + j] = (W_cd)_ij
/// [1/kg]. The diagonal block is always there.
struct BlockMatrix {
  std::vector<int> first{0}, offset{0}, column;
  std::vector<std::size_t> start;
  std::vector<double> value;

  int contacts() const { return static_cast<int>(first.size()) - 1; }
  int rows() const { return first.back(); }
  int size(int c) const {
    return first[static_cast<std::size_t>(c) + 1] - first[static_cast<std::size_t>(c)];
  }
  /// Index k of block (c, d), -1 if it is not there.
  int find(int c, int d) const;
  const double* block(int k) const { return value.data() + start[static_cast<std::size_t>(k)]; }
};

/// W <- (W + W^T)/2: what two orders of a sum leave.
void symmetrise(BlockMatrix& W);

/// The blocks of any W with an entry that is not zero; contacts are the laws. O(rows^2) where W is
/// not held in blocks.
void blocks_of(const ContactProblem& problem, BlockMatrix& out);

/// W held by blocks.
class BlockDelassus final : public Delassus {
 public:
  BlockDelassus() = default;
  explicit BlockDelassus(BlockMatrix blocks, bool symmetric = true)
      : W(std::move(blocks)), is_symmetric(symmetric) {
    index();
  }
  /// To be called after a change of W.first.
  void index();

  BlockMatrix W;
  bool is_symmetric = true;

  int rows() const override { return W.rows(); }
  bool symmetric() const override { return is_symmetric; }
  double entry(int i, int j) const override;
  void column(int j, double p, Out u) const override;  ///< by the row of W when that is symmetric
  void apply(View p, Out u) const override;
  const BlockMatrix* blocks() const override { return &W; }

 private:
  std::vector<int> contact_;  ///< of each row
};

}  // namespace saltus

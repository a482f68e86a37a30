// W as sparse blocks, one for each pair of coupled contacts.
#pragma once
#include <vector>

#include "saltus/contact/contact_solver.h"

namespace saltus {

/// Contact c has rows first[c] .. first[c + 1] - 1 and the blocks W_cd, d = column[k] increasing,
/// k = offset[c] .. offset[c + 1] - 1:
///     value[start[k] + i size(d) + j] = (W_cd)_ij [1/kg]
/// The diagonal block is always present.
struct BlockMatrix {
  std::vector<int> first{0}, offset{0}, column;
  std::vector<std::size_t> start;
  std::vector<double> value;

  int contacts() const { return static_cast<int>(first.size()) - 1; }
  int rows() const { return first.back(); }
  int size(int c) const {
    return first[static_cast<std::size_t>(c) + 1] - first[static_cast<std::size_t>(c)];
  }
  /// Index k of block (c, d), or -1 if there is none.
  int find(int c, int d) const;
  const double* block(int k) const { return value.data() + start[static_cast<std::size_t>(k)]; }
};

/// W <- (W + W^T)/2: removes differences in round-off between W_cd and W_dc.
void symmetrise(BlockMatrix& W);

/// The blocks of any W that have a nonzero entry; one contact per law. O(rows^2) unless W is stored
/// in blocks.
void blocks_of(const ContactProblem& problem, BlockMatrix& out);

/// W stored in blocks.
class BlockDelassus final : public Delassus {
 public:
  BlockDelassus() = default;
  explicit BlockDelassus(BlockMatrix blocks, bool symmetric = true)
      : W(std::move(blocks)), is_symmetric(symmetric) {
    index();
  }
  /// Call it after W.first has changed.
  void index();

  BlockMatrix W;
  bool is_symmetric = true;

  int rows() const override { return W.rows(); }
  bool symmetric() const override { return is_symmetric; }
  double entry(int i, int j) const override;
  void column(int j, double p, Out u) const override;  ///< uses the row of W if that is symmetric
  void apply(View p, Out u) const override;
  const BlockMatrix* blocks() const override { return &W; }

 private:
  std::vector<int> contact_;  ///< contact of each row
};

}  // namespace saltus

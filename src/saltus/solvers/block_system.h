// Cone problems with W held by blocks of contacts.
#pragma once
#include <vector>

#include "saltus/contact/block_delassus.h"
#include "saltus/linear_algebra/block_lu.h"
#include "saltus/solvers/cone_system.h"

namespace saltus {

/// K with blocks where W has them, of which an LU is made; the order of elimination is found once
/// for a pattern.
class BlockSystem final : public ConeSystem {
 public:
  void begin(const ContactProblem& contact, ConeProblem& problem) override;
  void apply(View x, Out v) const override { multiply(W_, x, v); }
  bool factorise(std::span<const ConeRows> rows) override;
  void solve(Vector& x, int refinements) override;

  static void multiply(const BlockMatrix& A, View x, Out y);  ///< y = A x

 private:
  void fill(const ConeProblem::Cone& cone, const ConeRows& rows);

  const ConeProblem* problem_ = nullptr;
  BlockMatrix W_, K_;  // W~; blocks are those of the laws
  BlockPattern pattern_;
  BlockLu lu_;
  std::vector<int> size_;
  std::vector<std::size_t> diagonal_;  // place of the diagonal block of each contact
  Vector entries_, right_, correction_;
};

}  // namespace saltus

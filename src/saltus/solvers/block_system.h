// Cone problems with W stored as blocks of contacts.
#pragma once
#include <vector>

#include "saltus/contact/block_delassus.h"
#include "saltus/linear_algebra/block_lu.h"
#include "saltus/solvers/cone_system.h"

namespace saltus {

/// K has the blocks of W; LU factorisation, with one elimination order per pattern.
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
  BlockMatrix W_, K_;  // W~; its blocks are those of the laws
  BlockPattern pattern_;
  BlockLu lu_;
  std::vector<int> size_;
  std::vector<std::size_t> diagonal_;  // index of the diagonal block of each contact
  Vector entries_, right_, correction_;
};

}  // namespace saltus

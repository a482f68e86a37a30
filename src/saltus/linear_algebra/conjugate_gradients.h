// Conjugate gradients for the symmetric positive definite matrices of meshes.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "saltus/linear_algebra/factor.h"
#include "saltus/linear_algebra/node_matrix.h"

namespace saltus {

/// Conjugate gradients, starting from x = 0, or from the x given to solve_near() if its residual is
/// smaller, preconditioned by the inverse diagonal blocks. Loops run on the threads of the caller's
/// tbb::task_arena; results do not depend on the number of threads.
///
/// A solve ends when |b - A x| <= tolerance |b|. The residual of the recursion is then verified
/// with A itself, and the iteration restarts from x if it was wrong (at most twice). A solve fails,
/// with the reason in record(), if the iterations are used up or p . A p <= 0. With tolerance 0 it
/// performs the given number of iterations, or stops when the residual is 0, and never fails for
/// lack of iterations.
class ConjugateGradients final : public Operator {
 public:
  /// b and x of solve() are the components `free` of vectors with 3 numbers per node, in that
  /// order; the other components are fixed at 0.
  ConjugateGradients(std::shared_ptr<const NodeGraph> graph, std::span<const int> free,
                     double tolerance, int iterations);

  NodeMatrix& matrix() { return A_; }
  const NodeMatrix& matrix() const { return A_; }
  ThreadPool& thread_pool() { return thread_pool_; }
  /// Must be called after every change of matrix(); the record continues. Diagonal blocks that are
  /// not positive definite are accepted: the solve detects them.
  void refilled();

  /// Allocates nothing. The work vectors belong to the operator, so it is not thread-safe.
  void solve(Eigen::Ref<Matrix> X) const override;
  bool symmetric() const override { return true; }
  bool blocks(DiagonalBlocks& D, bool& whole) const override;  ///< one block per node
  void multiply(View x, Out y) const override;
  void solve_near(View b, Out x) const override;
  double tolerance() const override { return tolerance_; }
  SolveRecord record() const override { return record_; }
  void forget() override { record_ = {}; }
  void stop_by(Stop* stop) override { stop_ = stop; }

 private:
  struct Sums {
    double first = 0.0, second = 0.0;
  };
  template <class Use>
  Sums over_nodes(const Use& use) const;
  Sums start() const;                   ///< z = P r, p = z; r.z, r.r
  double apply() const;                 ///< q = A p; p.q
  Sums advance(double alpha) const;     ///< x += alpha p, r -= alpha q, z = P r; r.z, r.r
  double leave(const double* b) const;  ///< r = b - A x; r.r
  std::string_view iterate(double b_b, int& left) const;
  void gather(View x, AlignedArray& out) const;
  void solve_from_x(bool near) const;  ///< x_ <- A^-1 b_, from 0 or from x_

  NodeMatrix A_;
  std::vector<int> free_;
  AlignedArray held_;     ///< 1 for free components, 0 for fixed ones
  AlignedArray inverse_;  ///< inverse diagonal blocks, 9 numbers per node
  double tolerance_;
  int iterations_;
  Stop* stop_ = nullptr;
  // Work space: an operator belongs to one simulation
  mutable ThreadPool thread_pool_;              // used in one solve
  mutable AlignedArray b_, x_, r_, z_, p_, q_;  // used in one solve
  mutable std::vector<Sums> part_;              // used in one solve
  mutable double square_ = 0.0;                 // |r|^2 of the current x in a solve
  mutable SolveRecord record_;                  // since the last forget()
};

}  // namespace saltus

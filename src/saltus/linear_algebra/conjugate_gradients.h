// Conjugate gradients for the symmetric positive definite matrices of meshes.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "saltus/linear_algebra/factor.h"
#include "saltus/linear_algebra/node_matrix.h"

namespace saltus {

/// Conjugate gradients from x = 0, or from what solve_near() is given where that is nearer,
/// preconditioned by the inverse blocks of the diagonal. Loops run on the threads of the caller's
/// tbb::task_arena; no bit depends on them.
///
/// A solve ends when |b - A x| <= tolerance |b|. What the recursion says is then checked with A
/// itself, and the iteration begun again from x where it was wrong (at most twice). It fails, and
/// record() says why, where the iterations are used up or p . A p <= 0. With tolerance 0 it makes
/// as many iterations as given, or until the residual is 0, and never fails for lack of them.
class ConjugateGradients final : public Operator {
 public:
  /// b and x of solve() are the components `free` of vectors of 3 numbers a node, in that order;
  /// the others are held at 0.
  ConjugateGradients(std::shared_ptr<const NodeGraph> graph, std::span<const int> free,
                     double tolerance, int iterations);

  NodeMatrix& matrix() { return A_; }
  const NodeMatrix& matrix() const { return A_; }
  ThreadPool& thread_pool() { return thread_pool_; }
  /// After every change of matrix(); the record goes on. A block of the diagonal that is not
  /// positive definite is taken as
  /// given: the solve will find out.
  void refilled();

  /// Takes nothing from the heap. The work vectors belong to the operator: one thread at a time.
  void solve(Eigen::Ref<Matrix> X) const override;
  bool symmetric() const override { return true; }
  bool blocks(DiagonalBlocks& D, bool& whole) const override;  ///< of the nodes
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
  AlignedArray held_;     ///< 1 of a free component, 0 of another
  AlignedArray inverse_;  ///< of the diagonal blocks, 9 a node
  double tolerance_;
  int iterations_;
  Stop* stop_ = nullptr;
  // An operator belongs to one simulation
  mutable ThreadPool thread_pool_;              // of one solve
  mutable AlignedArray b_, x_, r_, z_, p_, q_;  // of one solve
  mutable std::vector<Sums> part_;              // of one solve
  mutable double square_ = 0.0;                 // of one solve: |r|^2 of the present x
  mutable SolveRecord record_;                  // of the step that asks for it
};

}  // namespace saltus

// The Delassus operator W = H A^-1 H^T of one contact problem.
#pragma once
#include "saltus/base/base.h"

namespace saltus {

struct BlockMatrix;
struct BodyRows;
struct JointedRows;
class VelocityDelassus;

/// u = W p over the rows of one problem: p impulses [N s], u velocities [m/s], W [1/kg].
class Delassus {
 public:
  virtual ~Delassus() = default;
  virtual int rows() const = 0;
  virtual bool symmetric() const = 0;
  /// True if row ids (ContactProblem::ids) have the same W in every step, so that a solver may keep
  /// a factor of it in its SolverMemory.
  virtual bool constant() const { return false; }
  virtual double entry(int i, int j) const = 0;  ///< W_ij [1/kg]
  /// W_ii, or a value of similar size if that is cheaper. It sets the steps rho of the residual.
  virtual double scale(int i) const { return entry(i, i); }
  virtual void column(int j, double p, Out u) const = 0;  ///< u += W(:, j) p
  virtual void apply(View p, Out u) const = 0;            ///< u = W p; fixed order of summation

  // Storage format of W, nullptr if it is another: solvers that support it need no entry().
  virtual const Matrix* dense() const { return nullptr; }
  virtual const BlockMatrix* blocks() const { return nullptr; }           ///< block_delassus.h
  virtual const BodyRows* bodies() const { return nullptr; }              ///< body_delassus.h
  virtual const JointedRows* jointed() const { return nullptr; }          ///< jointed_delassus.h
  virtual const VelocityDelassus* velocities() const { return nullptr; }  ///< velocity_delassus.h
};

/// W stored as a matrix, assembled for this step.
class DenseDelassus final : public Delassus {
 public:
  Matrix W;
  bool is_symmetric = true;
  int rows() const override { return static_cast<int>(W.rows()); }
  bool symmetric() const override { return is_symmetric; }
  const Matrix* dense() const override { return &W; }
  double entry(int i, int j) const override { return W(i, j); }
  void column(int j, double p, Out u) const override { u += p * W.col(j); }
  void apply(View p, Out u) const override {
    u.setZero();
    for (int j = 0; j < rows(); ++j)
      if (p[j] != 0.0) u += p[j] * W.col(j);
  }
};

}  // namespace saltus

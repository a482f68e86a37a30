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
  /// True when row ids (ContactProblem::ids) always carry the same W from step to step, so that a
  /// solver may keep a factor of it in its SolverMemory.
  virtual bool constant() const { return false; }
  virtual double entry(int i, int j) const = 0;  ///< W_ij [1/kg]
  /// W_ii, or a number of its size where that costs less: the steps in which residuals are
  /// measured.
  virtual double scale(int i) const { return entry(i, i); }
  virtual void column(int j, double p, Out u) const = 0;  ///< u += W(:, j) p
  virtual void apply(View p, Out u) const = 0;            ///< u = W p; fixed order of summation

  // The form in which W is held, nullptr for others: solvers that know it need no entry().
  virtual const Matrix* dense() const { return nullptr; }
  virtual const BlockMatrix* blocks() const { return nullptr; }           ///< block_delassus.h
  virtual const BodyRows* bodies() const { return nullptr; }              ///< body_delassus.h
  virtual const JointedRows* jointed() const { return nullptr; }          ///< jointed_delassus.h
  virtual const VelocityDelassus* velocities() const { return nullptr; }  ///< velocity_delassus.h
};

/// W held as a matrix, assembled for this step.
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

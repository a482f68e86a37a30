// Points of a group whose velocity rows are constant: the fast path of strings, plates and linear
// systems.
#pragma once
#include <vector>

#include "saltus/base/base.h"
#include "saltus/linear_algebra/factor.h"
#include "saltus/math/sine_transform.h"

namespace saltus {

/// A point fixed in a body: index of the body in the group, feature (node, face, element), and
/// position on the feature in the body frame [m].
struct PointRef {
  int body = 0, feature = 0;
  Vector3 local = Vector3::Zero();
};

/// Work space of one thread for PointTable; grows on first use.
struct PointScratch {
  SineTransform::Workspace transform;
  std::vector<double> in, out;
};

/// S, rows() x velocities(): maps q to the displacement of fixed points along fixed directions,
/// y = S q, y' = S v. Every result depends only on the arguments; evaluated together with different
/// rows, a row may differ by round-off.
class PointTable {
 public:
  virtual ~PointTable() = default;
  virtual int rows() const = 0;
  /// Component at q = 0 of every point along its direction [m]: the position is rest + S q.
  virtual const Vector& rest() const = 0;
  /// y = S x, all rows.
  virtual void apply(View x, PointScratch& scratch, Out y) const = 0;
  /// y[k] = S(rows[k], :) x.
  virtual void apply(std::span<const int> rows, View x, PointScratch& scratch, Out y) const = 0;
  /// r += sum_k p[k] S(rows[k], :)^T.
  virtual void accumulate(std::span<const int> rows, View p, PointScratch& scratch,
                          Out r) const = 0;
  /// D = S A^-1 S^T, rows() x rows() [1/kg], symmetric when A is.
  virtual void response(const Factor& A, Matrix& D) const = 0;
};

}  // namespace saltus

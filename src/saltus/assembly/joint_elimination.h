// Eliminates joints from W of the contacts of an island.
#pragma once
#include <vector>

#include "saltus/contact/joint_system.h"

namespace saltus {

/// With the columns X = A^-1 H^T of each member: Y = sum of G X, W -= Y^T S^-1 Y.
class JointElimination {
 public:
  /// Y <- 0, for as many columns.
  void open(const JointSystem& joints, Eigen::Index columns) { Y_.setZero(joints.rows(), columns); }
  void gather(const JointSystem& joints, std::size_t member, const Matrix& X);
  void close(const JointSystem& joints, Matrix& W);

 private:
  struct Entry {
    Eigen::Index row;
    double value;
  };
  Matrix Y_, Z_;
  std::vector<std::size_t> column_;  ///< columns of Y: where their entries begin
  std::vector<Entry> entries_;
};

}  // namespace saltus

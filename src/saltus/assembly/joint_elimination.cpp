#include "saltus/assembly/joint_elimination.h"

namespace saltus {

void JointElimination::gather(const JointSystem& joints, std::size_t member, const Matrix& X) {
  for (Eigen::Index j = 0; j < X.cols(); ++j)
    joints.multiply_add(static_cast<int>(member), X.col(j), Y_.col(j));
}

// A column of Y has entries only in the joint rows of two bodies, a column of Z = S^-1 Y in all
// rows.
void JointElimination::close(const JointSystem& joints, Matrix& W) {
  Z_ = Y_;
  joints.solve(Z_);
  column_.assign(1, 0);
  entries_.clear();
  for (Eigen::Index j = 0; j < Y_.cols(); ++j) {
    for (Eigen::Index i = 0; i < Y_.rows(); ++i)
      if (Y_(i, j) != 0.0) entries_.push_back({i, Y_(i, j)});
    column_.push_back(entries_.size());
  }
  for (Eigen::Index j = 0; j < W.cols(); ++j) {
    const double* const z = Z_.col(j).data();
    for (Eigen::Index i = 0; i < W.rows(); ++i) {
      const auto k = static_cast<std::size_t>(i);
      double sum = 0.0;
      for (std::size_t e = column_[k]; e < column_[k + 1]; ++e)
        sum += entries_[e].value * z[entries_[e].row];
      W(i, j) -= sum;
    }
  }
}

}  // namespace saltus

#include "saltus/contact/constraint_projection.h"

namespace saltus {

ConstraintProjection::ConstraintProjection(JointSystem& joints,
                                           std::span<const Eigen::Index> velocities)
    : joints_(joints) {
  for (const Eigen::Index n : velocities) correction_.emplace_back(n);
}

const Vector& ConstraintProjection::gaps(double t, const Places& q) {
  gap_.resize(joints_.rows());
  joints_.gaps(t, q, gap_);
  return gap_;
}

double ConstraintProjection::violation() const {
  return gap_.size() > 0 ? gap_.cwiseAbs().maxCoeff<Eigen::PropagateNaN>() : 0.0;
}

void ConstraintProjection::solve_positions(double h) {
  impulse_ = -gap_ / h;
  joints_.solve(impulse_);
}

void ConstraintProjection::solve_velocities(const Vector& c) {
  impulse_ = c;
  joints_.solve(impulse_);
}

void ConstraintProjection::correct(const Masses& M) {
  for (std::size_t m = 0; m < correction_.size(); ++m) {
    Vector& w = correction_[m];
    if (w.size() == 0) continue;
    w.setZero();
    add_impulses(static_cast<int>(m), w);
    solve(M(static_cast<int>(m)), w);
  }
}

}  // namespace saltus

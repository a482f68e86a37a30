#include "saltus/event_driven/constrained_correction.h"

#include "saltus/event_driven/constraint_rows.h"

namespace saltus {

ConstrainedCorrection::ConstrainedCorrection(const Model& model, const GroupKinematics& kinematics,
                                             JointConstraints& joints)
    : model_(model), kinematics_(kinematics), joints_(joints), A_(model.groups().size()) {}

void ConstrainedCorrection::factorise(double g, const Matrix& B, const Matrix& D) {
  const auto groups = kinematics_.groups();
  for (std::size_t i = 0; i < groups.size(); ++i)
    if (groups[i].v.size() > 0)
      model_.groups()[i].dynamics->factorise({1.0, g, g * g}, kinematics_.time(), groups[i].q,
                                             groups[i].v, A_[i]);
  const auto m = B.rows();
  const int joints = joints_.rows();
  B_.resize(joints + m, kinematics_.size());
  D_.resize(kinematics_.size(), joints + m);
  if (joints > 0) {
    joints_.dense(G_, joint_rate_);
    B_.topRows(joints) = G_;
    D_.leftCols(joints) = G_.transpose();
  }
  B_.bottomRows(m) = B;
  D_.rightCols(m) = D;
  Y_ = D_;
  for (std::size_t i = 0; i < groups.size(); ++i)
    if (const auto n = groups[i].v.size(); n > 0)
      solve(A_[i], Y_.middleRows(kinematics_.first()[i], n));
  S_.noalias() = B_ * Y_;
}

void ConstrainedCorrection::apply(Out x) {
  if (S_.rows() > 0) rhs_.noalias() = B_ * x;
  const auto groups = kinematics_.groups();
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const auto n = groups[i].v.size();
    if (n == 0) continue;
    auto part = x.segment(kinematics_.first()[i], n);
    const Vector given = part;
    model_.groups()[i].dynamics->multiply({1.0, 0.0, 0.0}, kinematics_.time(), groups[i].q,
                                          groups[i].v, given, part);
    solve(A_[i], part);
  }
  if (S_.rows() == 0) return;
  rhs_.noalias() -= B_ * x;
  solve_rows(S_, rhs_, mu_);
  x.noalias() += Y_ * mu_;
}

}  // namespace saltus

#include "saltus/event_driven/joint_constraints.h"

#include <algorithm>

#include "saltus/base/index_internal.h"

namespace saltus {

JointConstraints::JointConstraints(const Model& model, GroupKinematics& kinematics,
                                   JointSystem& system)
    : model_(model), kinematics_(kinematics), system_(system), rows_(system.rows()) {
  bool moved = false;
  for (const Group& group : model.groups()) {
    const Dynamics& body = *group.dynamics;
    moved = moved || body.velocities() == 0 || body.prescribed() > 0;
    const bool fixed = has(body.traits(), Trait::fixed_points);
    analytic_ = analytic_ && (has(body.traits(), Trait::rigid) || body.velocities() == 0 ||
                              (fixed && body.prescribed() == 0));
  }
  prescribed_ = rows_ > 0 &&
                (moved || std::ranges::any_of(model.couplings(), [](const JointCoupling& coupling) {
                   return coupling.value != nullptr;
                 }));
  scratch_ = Vector::Zero(kinematics.size());
}

double JointConstraints::gaps(Vector& g) {
  g.setZero(rows_);
  if (rows_ == 0) return 0.0;
  system_.gaps(
      kinematics_.time(), [&](int m) -> const Vector& { return kinematics_.q(m); }, g);
  return g.cwiseAbs().maxCoeff();
}

void JointConstraints::make_rows() {
  if (rows_made_) return;
  system_.make_rows(kinematics_.time(), [&](int m) -> const Vector& { return kinematics_.q(m); });
  rows_made_ = true;
}

void JointConstraints::rates(Vector& rate) {
  make_rows();
  rate = system_.drift0();
  const auto groups = kinematics_.groups();
  for (std::size_t g = 0; g < groups.size(); ++g)
    if (groups[g].v.size() > 0) system_.multiply_add(static_cast<int>(g), groups[g].v, rate);
}

void JointConstraints::dense(Matrix& G, Vector& rate) {
  rates(rate);
  G.resize(rows_, kinematics_.size());
  const auto first = kinematics_.first();
  for (std::size_t g = 0; g + 1 < first.size(); ++g)
    if (const int n = first[g + 1] - first[g]; n > 0)
      system_.dense(static_cast<int>(g), G.middleCols(first[g], n));
}

// Uses the closed form if the system has one for these groups, otherwise a difference of G v + d.
void JointConstraints::bias(Vector& gamma) {
  const double t = kinematics_.time();
  const Difference by = kinematics_.difference();
  gamma.resize(rows_);
  if (analytic_) {
    system_.bias(
        t, by, [&](int m) -> const Vector& { return kinematics_.q(m); },
        [&](int m) -> const Vector& { return kinematics_.v(m); }, gamma);
    bias_made_ = true;
    return;
  }
  gamma.setZero();
  Vector rate(rows_);
  const auto groups = kinematics_.groups();
  for (std::size_t k = 0; k < Difference::kPoints; ++k) {
    const std::vector<GroupState>& shifted = kinematics_.shifted(by.after(k));
    system_.make_rows(by.time(k), [&](int m) -> const Vector& { return shifted[at(m)].q; });
    rate = system_.drift0();
    for (std::size_t g = 0; g < groups.size(); ++g)
      if (groups[g].v.size() > 0) system_.multiply_add(static_cast<int>(g), groups[g].v, rate);
    gamma += by.weight(k) * rate;
  }
  system_.make_rows(t, [&](int m) -> const Vector& { return kinematics_.q(m); });
  system_.put_exact(t, by, gamma);
}

void JointConstraints::expect_bias() {
  if (!bias_made_) bias(gamma_);
}

void JointConstraints::factorise(bool again) {
  const auto mass = [&](int m) -> const Factor& { return kinematics_.mass(m); };
  if (system_.loops() && (again || !redundant_known_)) system_.find_dependent(mass);
  redundant_known_ = true;
  system_.factorise_kept(mass);
}

void JointConstraints::add_rate_of(View v, Out rate) const {
  const auto first = kinematics_.first();
  for (std::size_t g = 0; g + 1 < first.size(); ++g)
    if (const int n = first[g + 1] - first[g]; n > 0)
      system_.multiply_add(static_cast<int>(g), v.segment(first[g], n), rate);
}

void JointConstraints::accelerations(View L, Out a) const {
  a.setZero();
  const auto first = kinematics_.first();
  for (std::size_t g = 0; g + 1 < first.size(); ++g)
    if (const int n = first[g + 1] - first[g]; n > 0)
      system_.transpose_add(static_cast<int>(g), L, a.segment(first[g], n));
  kinematics_.solve_mass(a);
}

void JointConstraints::project_out(Matrix& X, Matrix& R) {
  R.setZero(rows_, X.cols());
  if (rows_ == 0) return;
  for (Eigen::Index r = 0; r < X.cols(); ++r) add_rate_of(X.col(r), R.col(r));
  system_.solve(R);
  for (Eigen::Index r = 0; r < X.cols(); ++r) {
    accelerations(R.col(r), scratch_);
    X.col(r) -= scratch_;
  }
}

// Redundant rows are detected once per step, and again if the error of G a = -gamma exceeds
// round-off.
void JointConstraints::constrain(Vector& a, Vector& L) {
  make_rows();
  bias(gamma_);
  for (bool again = !redundant_known_;; again = true) {
    factorise(again);
    rhs_ = gamma_;
    add_rate_of(a, rhs_);
    const double size = rhs_.cwiseAbs().maxCoeff();
    L = -rhs_;
    system_.solve(L);
    accelerations(L, scratch_);
    scratch_ += a;
    if (!again && system_.loops()) {
      rhs_ = gamma_;
      add_rate_of(scratch_, rhs_);
      if (!(rhs_.cwiseAbs().maxCoeff() <= 1e-8 * size)) continue;
    }
    a.swap(scratch_);
    return;
  }
}

void JointConstraints::add_loads(const Vector& L, double weight,
                                 std::span<std::array<Vector3, 2>> loads) {
  make_rows();
  JointRows rows;
  for (std::size_t i = 0; i < loads.size(); ++i) {
    const auto [first, count] = system_.rows_of(static_cast<int>(i));
    if (count == 0) continue;
    const auto [a, b] = system_.frames(static_cast<int>(i));
    joint_rows(model_.joints()[i].kind, model_.joints()[i].length, a, b, rows);
    for (int k = 0; k < count; ++k) {
      const JointRow& row = rows.row[at(k)];
      loads[i][row.spin ? 1 : 0] += weight * L[first + k] * row.direction;
    }
  }
}

}  // namespace saltus

#include "saltus/event_driven/mechanism.h"

#include <Eigen/Cholesky>
#include <cmath>

#include "saltus/base/error.h"
#include "saltus/base/index_internal.h"
#include "saltus/contact/rows.h"
#include "saltus/event_driven/constrained_motion.h"

namespace saltus {

struct Mechanism::Parts {
  explicit Parts(const Model& of) : model(of), motion(model) {}
  Model model;
  ConstrainedMotion motion;
};

Mechanism::Mechanism(const Model& model) : parts_(std::make_unique<Parts>(model)) {}
Mechanism::~Mechanism() = default;

bool Mechanism::is_of(const Model& model) const {
  return parts_->model.groups().data() == model.groups().data();
}

JointDynamics Mechanism::at(double t, std::span<const GroupState> groups) {
  ConstrainedMotion& motion = parts_->motion;
  JointConstraints& joints = motion.joints();
  expects(joints.analytic() && !joints.prescribed(),
          "equations in joint coordinates need rigid bodies, and joints and couplings that are not "
          "driven");
  motion.start(groups);
  motion.set_modes({});
  const Vector w = Vector::Zero(motion.size()), v = motion.kinematics().velocities(groups);
  motion.go(t, w, v);
  Vector a = motion.free_acceleration(), forces;
  if (joints.rows() > 0) joints.constrain(a, forces);
  joints.make_rows();
  joints.expect_bias();

  const auto all = parts_->model.joints();
  Eigen::Index count = 0;
  for (const Joint& joint : all) count += independent_count(joint.kind);
  const auto first = motion.kinematics().first();
  Matrix C = Matrix::Zero(count, motion.size());
  Vector fixed(count);  // c'' without forces on the coordinates
  Eigen::Index row = 0;
  GroupRows rows;
  for (int j = 0; j < static_cast<int>(all.size()); ++j)
    for (int k = 0; k < independent_count(all[static_cast<std::size_t>(j)].kind); ++k, ++row) {
      for (std::size_t g = 0; g + 1 < first.size(); ++g) {
        rows.clear(1);
        joints.system().add_coordinate(j, k, 1.0, static_cast<int>(g), 0, rows);
        rows.each(0, [&](int column, double value) { C(row, first[g] + column) += value; });
      }
      fixed[row] = C.row(row).dot(a) + joints.system().coordinate_bias(j, k);
    }
  Matrix X = C.transpose(), R;
  motion.kinematics().solve_mass(X);
  joints.project_out(X, R);
  const Matrix inverse = C * X;
  const Eigen::LLT<Matrix> factor(0.5 * (inverse + inverse.transpose()));
  const double least = count > 0 ? factor.matrixLLT().diagonal().cwiseAbs().minCoeff() : 1.0;
  expects(factor.info() == Eigen::Success &&
              least * least > 1e-12 * inverse.diagonal().cwiseAbs().maxCoeff(),
          "the coordinates of the joints depend on each other, as in a loop");
  JointDynamics made;
  made.mass = factor.solve(Matrix::Identity(count, count));
  made.bias = -(made.mass * fixed);
  made.velocities = X * made.mass;
  Matrix some(motion.size(), 1);  // any velocities, of which joints leave a part
  for (Eigen::Index i = 0; i < some.rows(); ++i)
    some(i, 0) = std::sin(1.0 + static_cast<double>(i));
  joints.project_out(some, R);
  made.undetermined = some.col(0) - made.velocities * (C * some.col(0));
  return made;
}

}  // namespace saltus

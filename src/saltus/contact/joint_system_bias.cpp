// gamma of the rows of a JointSystem: the rate of change of their rates at v' = 0.
#include "saltus/base/error.h"
#include "saltus/base/index_internal.h"
#include "saltus/contact/joint_bias.h"
#include "saltus/contact/joint_work_internal.h"

namespace saltus {
// Motion of bodies with v' = 0: points of rigid bodies have acceleration omega x (omega x r); in
// the body frame Omega' = 0, so that omega' = 0.
void JointSystem::Structure::move(double t, const Difference& rate, View q, View v, Member& m) {
  const std::size_t n = m.own.size();
  m.motion.assign(n, {});
  if (n == 0) return;
  const Dynamics& body = *m.of.body;
  if (m.frames && body.velocities() > 0) {
    for (std::size_t i = 0; i < n; ++i) {
      const Pose& pose = m.pose[at(m.own[i].body)];
      const auto u = v.segment<6>(6 * m.own[i].body);
      JointMotion& x = m.motion[i];
      const Vector3 arm = pose.R * m.own[i].local;
      x.omega = pose.R * u.tail<3>();
      const Vector3 turning = x.omega.cross(arm);
      x.v = u.head<3>() + turning;
      x.a = x.omega.cross(turning);
    }
  } else if (m.frames) {  // prescribed motion
    const auto each = [&](double time, double weight, auto part) {
      body.point_drift(time, q, m.own, m.d);
      body.spin_drift(time, q, m.own, m.d_spin);
      for (std::size_t i = 0; i < n; ++i) {
        const auto k = three(static_cast<int>(i));
        part(m.motion[i], weight * m.d.segment<3>(k), weight * m.d_spin.segment<3>(k));
      }
    };
    each(t, 1.0, [](JointMotion& x, const auto& d, const auto& d_spin) {
      x.v = d;
      x.omega = d_spin;
    });
    for (std::size_t k = 0; k < Difference::kPoints; ++k)
      each(rate.time(k), rate.weight(k), [](JointMotion& x, const auto& d, const auto& d_spin) {
        x.a += d;
        x.alpha += d_spin;
      });
  } else {  // x' = J v with a constant J
    const PointRows& J = m.J.rows;
    for (std::size_t i = 0; i < n; ++i)
      for (int k = J.offset[i]; k < J.offset[i + 1]; ++k) {
        const Eigen::Map<const Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::RowMajor>> block(
            J.value.data() + 3 * at(J.width) * at(k), 3, J.width);
        m.motion[i].v.noalias() += block * v.segment(J.column[at(k)], J.width);
      }
  }
}

const JointMotion& JointSystem::Structure::motion(const Side& s) const {
  static const JointMotion kRest;
  return s.member < 0 ? kRest : members[at(s.member)].motion[at(s.point)];
}

void JointSystem::bias(double t, const Difference& rate, const Configuration& q,
                       const Configuration& v, Out gamma) {
  Structure& d = *structure_;
  for (std::size_t m = 0; m < d.members.size(); ++m)
    d.move(t, rate, q(static_cast<int>(m)), v(static_cast<int>(m)), d.members[m]);
  for (std::size_t i = 0; i < d.held.size(); ++i) {
    const Structure::Held& joint = d.held[i];
    if (joint.node < 0) continue;
    const auto rates = joint_accelerations(joint.kind, d.at_rows[i].a, d.at_rows[i].b,
                                           d.motion(joint.side[0]), d.motion(joint.side[1]));
    const auto [first, count] = d.rows_of_joint[at(joint.given)];
    for (int k = 0; k < count; ++k) gamma[first + k] = rates[at(k)];
  }
  int row = d.rows - static_cast<int>(d.coupled.size());
  for (const Structure::Coupled& c : d.coupled) {
    double sum = 0.0;
    for (std::size_t k = 0; k < c.joint.size(); ++k) {
      const Structure::Held& joint = d.held[at(c.joint[k])];
      const Structure::Frames& f = d.at_rows[at(c.joint[k])];
      sum += c.given.terms[k].weight *
             joint_coordinate_acceleration(joint.kind, c.given.terms[k].coordinate, f.a, f.b,
                                           d.motion(joint.side[0]), d.motion(joint.side[1]));
    }
    if (c.given.second)
      sum -= c.given.second(t);
    else if (c.given.value)
      for (std::size_t k = 0; k < Difference::kPoints; ++k)
        sum -= rate.weight(k) * c.given.value(rate.time(k))[1];
    gamma[row++] = sum;
  }
}

void JointSystem::put_exact(double t, const Difference& rate, Out gamma) const {
  const Structure& d = *structure_;
  int row = d.rows - static_cast<int>(d.coupled.size());
  for (const Structure::Coupled& c : d.coupled) {
    if (c.given.second) {
      for (std::size_t k = 0; k < Difference::kPoints; ++k)
        gamma[row] += rate.weight(k) * c.given.value(rate.time(k))[1];
      gamma[row] -= c.given.second(t);
    }
    ++row;
  }
}

double JointSystem::coordinate_bias(int joint, int coordinate) const {
  const Structure& d = *structure_;
  expects(d.held_of[at(joint)] >= 0, "the joint must belong to one of these groups");
  const std::size_t i = at(d.held_of[at(joint)]);
  const Structure::Held& of = d.held[i];
  return joint_coordinate_acceleration(of.kind, coordinate, d.at_rows[i].a, d.at_rows[i].b,
                                       d.motion(of.side[0]), d.motion(of.side[1]));
}

}  // namespace saltus

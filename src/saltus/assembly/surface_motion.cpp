#include "saltus/assembly/surface_motion.h"

#include <algorithm>
#include <cmath>

#include "saltus/base/index_internal.h"

namespace saltus {
namespace {

/// Share of the step over which rates are differences, if contacts are detected in its middle.
constexpr double kShare = 1.0 / 16.0;
/// Pairs that turn by less in a step of the scene [rad], or shift by less than this share of the
/// margin, count as moving straight on.
constexpr double kStill = 1e-6;
/// Smaller changes of rates, relative to the speeds and rotations that cause them, count as none:
/// they have no effect on the motion, but redundant contacts, as under the wheels of a car, would
/// contradict each other by them.
constexpr double kNegligible = 1e-7;

}  // namespace

bool SurfaceMotion::still(const DetectedContact& contact, std::span<const Collider> colliders,
                          double margin) const {
  Vector3 shift = Vector3::Zero();
  double turn = 0.0, sign = 1.0;
  for (const int collider : {contact.a, contact.b}) {
    if (const int frame = colliders[at(collider)].frame; frame >= 0) {
      const Twist& twist = twist_[at(frame)];
      shift += sign * twist.v;
      turn += twist.omega.norm();
    }
    sign = -1.0;
  }
  return course_.interval * turn < kStill && course_.interval * shift.norm() < kStill * margin;
}

/// Of the bodies of a contact relative to each other, at its point [m/s].
double SurfaceMotion::speed(const DetectedContact& contact,
                            std::span<const Collider> colliders) const {
  Vector3 w = Vector3::Zero();
  double sign = 1.0;
  for (const int collider : {contact.a, contact.b}) {
    if (const int frame = colliders[at(collider)].frame; frame >= 0) {
      const Twist& twist = twist_[at(frame)];
      w += sign * (twist.v + twist.omega.cross(contact.point.x - poses_[at(frame)].x));
    }
    sign = -1.0;
  }
  return w.norm();
}

void SurfaceMotion::follow(const SurfaceCourse& course, SurfaceFrames::Configurations q,
                           std::span<const Pose> poses, std::span<const DetectedContact> found,
                           Detector& detector) {
  active_ = true;
  course_ = course;
  poses_ = poses;
  const double t = course.t0 + course.phi * course.h, dt = kShare * course.h;
  ahead_.resize(poses.size());
  middle_.resize(poses.size());
  twist_.resize(poses.size());
  frames_.place(middle_time(), course.middle, middle_);
  frames_.place_ahead(t, dt, q, course.v, poses, ahead_);
  for (std::size_t f = 0; f < poses.size(); ++f) {
    const Matrix3 turn = poses[f].R.transpose() * ahead_[f].R;
    twist_[f] = {(ahead_[f].x - poses[f].x) / dt, poses[f].R * log_rotation(Quaternion(turn)) / dt};
  }
  dt_ = at_middle() ? dt : middle_time() - t;
  pairs_.clear();
  // a contact that closes fast may be farther away than the margin in the middle of the step
  double gap = detector.margin();
  for (const DetectedContact& contact : found) {
    if (still(contact, detector.colliders(), detector.margin())) continue;
    if (pairs_.empty() || pairs_.back() != std::array<int, 2>{contact.a, contact.b})
      pairs_.push_back({contact.a, contact.b});
    gap = std::max(gap,
                   contact.point.gap + 2.0 * std::abs(dt_) * speed(contact, detector.colliders()));
  }
  detector.refine(at_middle() ? ahead_ : middle_, pairs_, gap, moved_);
  moved_of_.assign(found.size(), -1);
  std::size_t m = 0;
  for (std::size_t k = 0; k < found.size(); ++k) {
    while (m < moved_.size() && moved_[m].key < found[k].key) ++m;
    if (m < moved_.size() && moved_[m].key == found[k].key) moved_of_[k] = static_cast<int>(m);
  }
}

Vector3 SurfaceMotion::place(const std::array<int, 2>& frame, const ContactPoint& point) const {
  Vector3 x = point.x;
  if (!frames_.moves(frame[1])) x += 0.5 * point.gap * point.normal;
  if (!frames_.moves(frame[0])) x -= 0.5 * point.gap * point.normal;
  return x;
}

// A prescribed motion knows the acceleration of its own points, so only the travel along it counts.
// Without a second detection c is a point of the bodies. If the contact travels along a body by
// more than its arm within the step, or turns by more than a radian, the step does not resolve it:
// then the law holds for the points that are in contact at the detection.
SurfaceMotion::Carried SurfaceMotion::carried(std::size_t k, const std::array<int, 2>& frame,
                                              const Vector3& x, const Vector3& n) const {
  std::array<Vector3, 2> arm, rate;  // c - x_s, and the rate of the point of body s at c
  Vector3 c_rate = Vector3::Zero();
  double moving = 0.0, speed = 0.0, turn = 0.0;
  for (std::size_t s = 0; s < 2; ++s) {
    arm[s] = rate[s] = Vector3::Zero();
    if (frame[s] < 0) continue;
    const Twist& twist = twist_[at(frame[s])];
    arm[s] = x - poses_[at(frame[s])].x;
    rate[s] = twist.v + twist.omega.cross(arm[s]);
    speed += twist.omega.norm() * arm[s].norm();
    turn += twist.omega.norm();
    if (!frames_.moves(frame[s])) continue;
    c_rate += rate[s];
    moving += 1.0;
  }
  c_rate /= moving;
  const Vector3 w = rate[0] - rate[1];
  speed += w.norm();
  const double h = course_.h, ahead = at_middle() ? 0.0 : dt_;  // from the detection to h/2

  // c, n in the middle of the step, and rates of c - x_s and n
  Vector3 c = Vector3::Zero(), n_rate = Vector3::Zero();
  std::array<Vector3, 2> arm_rate;
  Carried carried{n, {}, {}, Vector3::Zero()};
  const ContactPoint* const moved = moved_of_[k] < 0 ? nullptr : &moved_[at(moved_of_[k])].point;
  if (moved) n_rate = (moved->normal - n) / dt_;
  for (std::size_t s = 0; s < 2; ++s) {
    arm_rate[s] = Vector3::Zero();
    if (frame[s] < 0) continue;
    const Pose& there = (at_middle() ? ahead_ : middle_)[at(frame[s])];
    arm_rate[s] = moved ? Vector3((place(frame, *moved) - there.x - arm[s]) / dt_)
                        : Vector3(c_rate - twist_[at(frame[s])].v);
  }
  bool resolved = h * n_rate.norm() <= 1.0;
  for (std::size_t s = 0; s < 2; ++s) {
    if (frame[s] < 0) continue;
    const Vector3 turning = twist_[at(frame[s])].omega.cross(arm[s]);
    if (frames_.moves(frame[s]))
      resolved = resolved && h * twist_[at(frame[s])].omega.norm() <= 1.0 &&
                 h * (arm_rate[s] - turning).norm() <= arm[s].norm();
    else
      arm_rate[s] -= turning;
  }
  if (resolved && moved && !at_middle()) {
    c = place(frame, *moved);
    carried.normal = moved->normal;
  } else {
    for (std::size_t s = 0; s < 2; ++s)
      if (frames_.moves(frame[s]))
        c += (middle_[at(frame[s])].x + arm[s] + (resolved ? ahead : 0.0) * arm_rate[s]) / moving;
  }
  for (std::size_t s = 0; s < 2; ++s) {
    if (frame[s] < 0) {
      carried.local[s] = carried.place[s] = c;
      continue;
    }
    const Pose &pose = poses_[at(frame[s])], &middle = middle_[at(frame[s])];
    carried.local[s] = middle.R.transpose() * (c - middle.x);
    carried.place[s] = pose * carried.local[s];
  }
  if (!resolved) return carried;
  for (std::size_t s = 0; s < 2; ++s)
    if (frame[s] >= 0)
      carried.rate += (s == 0 ? 1.0 : -1.0) * twist_[at(frame[s])].omega.cross(arm_rate[s]);
  carried.rate += w.cross(n.cross(n_rate));
  if (carried.rate.norm() <= kNegligible * speed * turn) carried.rate.setZero();
  return carried;
}

}  // namespace saltus

#include "saltus/detection/passage.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace saltus {
namespace {

constexpr double kTouchShare = 1e-3;  // of the size: a gap that counts as contact
constexpr double kDeepShare = 1e-2;   // of the size: a depth that counts as inside
constexpr int kMostAdvances = 100;    // per pair
constexpr int kDepths = 8;  // samples after the first contact at which the depth is measured

/// Farthest point of a shape from the origin of its frame [m]; infinite for planes.
double reach_of(const Shape& shape, const Pose& local) {
  if (std::holds_alternative<Sphere>(shape))
    return local.x.norm();  // rotation of the shape about its own centre does not matter
  const Bounds box = bounds(shape, local);
  return box.low.cwiseAbs().cwiseMax(box.high.cwiseAbs()).norm();
}

/// The contact with the smallest gap within a margin; false if there is none.
bool nearest(const MovingShape& a, const MovingShape& b, double fraction, double margin,
             std::vector<ContactPoint>& points, ContactPoint& least) {
  points.clear();
  collide(*a.shape, a.at(fraction), *b.shape, b.at(fraction), margin, points);
  if (points.empty()) return false;
  least = *std::ranges::min_element(points, {}, &ContactPoint::gap);
  return std::isfinite(least.gap);
}

}  // namespace

MovingShape::MovingShape(const Shape& of, const Pose& in, const Pose& from, const Pose& to)
    : shape(&of), local(in), start(from), shift(to.x - from.x) {
  if (!from.R.isApprox(to.R, 1e-12)) {
    turn = log_rotation(Quaternion(Matrix3(from.R.transpose() * to.R)));
    reach = reach_of(of, in);
  }
}

Pose MovingShape::at(double fraction) const {
  Pose frame{start.x + fraction * shift, start.R};
  if (!turn.isZero(0.0)) frame.R = frame.R * exp_rotation(fraction * turn).toRotationMatrix();
  return frame * local;
}

double relative_motion(const MovingShape& a, const MovingShape& b) {
  const double turning = a.turn.norm() * a.reach + b.turn.norm() * b.reach;
  return (a.shift - b.shift).norm() + (turning > 0.0 ? turning : 0.0);
}

// The gap changes by at most the relative motion V: from a gap g, no contact can occur before the
// fraction has grown by g/V.
Passage passage(const MovingShape& a, const MovingShape& b, double size,
                std::vector<ContactPoint>& points) {
  if (std::holds_alternative<Plane>(*a.shape) || std::holds_alternative<Plane>(*b.shape))
    return Passage::none;
  const double V = relative_motion(a, b), touch = kTouchShare * size;
  if (!(V > 0.0) || !std::isfinite(V) || !(size > 0.0) || !std::isfinite(size))
    return Passage::none;
  ContactPoint at, first;
  double way = 0.0;
  bool hit = false;
  for (int i = 0; i < kMostAdvances && !hit; ++i) {
    if (!nearest(a, b, way, (1.0 - way) * V + touch, points, first)) return Passage::none;
    hit = first.gap <= touch;
    if (hit) break;
    way += std::max(first.gap, touch) / V;
    if (way >= 1.0) return Passage::none;
  }
  if (!hit) return Passage::none;  // the shapes pass each other at a small distance
  const double start = std::min(first.gap, 0.0), part = 0.25 * size / V;
  bool inside = false;
  for (int k = 1; k <= kDepths && !inside; ++k) {
    const double place = way + k * part;
    if (place >= 1.0) break;
    inside = nearest(a, b, place, 0.0, points, at) && at.gap < start - kDeepShare * size;
  }
  if (!inside) return Passage::none;
  // An open surface reports no contact on its back.
  if (!nearest(a, b, 1.0, V + touch, points, at)) return Passage::beyond;
  if (at.normal.dot(first.normal) < 0.0) return Passage::beyond;
  return at.gap > 0.0 ? Passage::through : Passage::none;
}

}  // namespace saltus

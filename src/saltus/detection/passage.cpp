#include "saltus/detection/passage.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace saltus {
namespace {

// As shares of the size: a depth that counts as inside, and the relative motion between two samples
// of the depth.
constexpr double kDeepShare = 1e-2, kPartShare = 0.25;
constexpr int kMostAdvances = 100;  // per pair
// Samples of the depth: a thin body is crossed soon after the first contact, along other paths
// shapes slide on each other before they get deep.
constexpr int kSamples = 8, kMoreSamples = 200;

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

MovingShape::MovingShape(const Shape& of, const Pose& in, const Pose& from, const Pose& to,
                         const Vector3& spin)
    : shape(&of), local(in), start(from), shift(to.x - from.x) {
  constexpr double kTurn = 2.0 * std::numbers::pi;
  if (!from.R.isApprox(to.R, 1e-12))
    turn = log_rotation(Quaternion(Matrix3(from.R.transpose() * to.R)));
  const double angle = turn.norm(), most = spin.norm();
  if (most > 0.25 * kTurn && std::isfinite(most)) {
    const Vector3 axis = angle > 1e-6 ? Vector3(turn / angle) : Vector3(spin / most);
    turn += std::round((spin.dot(axis) - angle) / kTurn) * kTurn * axis;
  }
  if (!turn.isZero(0.0)) reach = reach_of(of, in);
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
// fraction has grown by g/V. Frames rotate at constant rate here, which differs from a free
// rotation by up to an eighth of the square of the angle: parts of the step that should end before
// the impact are shorter by that.
Passage passage(const MovingShape& a, const MovingShape& b, double size,
                std::vector<ContactPoint>& points) {
  using How = Passage::How;
  const double V = relative_motion(a, b), near = kNearShare * size;
  if (!(V > 0.0) || !std::isfinite(V) || !(size > 0.0) || !std::isfinite(size)) return {};
  ContactPoint at, first;
  double way = 0.0;
  for (int i = 0; i < kMostAdvances; ++i) {
    if (!nearest(a, b, way, (1.0 - way) * V + near, points, first)) return {};
    if (first.gap <= near) break;
    way += (first.gap - 0.5 * near) / V;
    if (way >= 1.0) return {};
  }
  const double deep = std::min(first.gap, 0.0) - kDeepShare * size;
  const auto deep_at = [&](double place) {
    return nearest(a, b, place, 0.0, points, at) && at.gap < deep;
  };
  double before = way, inside = 2.0;  // the last sample before a deep one, and that one
  const auto sample = [&](double place) {
    if (inside > 1.0 && place <= 1.0) (deep_at(place) ? inside : before) = place;
  };
  const double part = kPartShare * size / V;
  for (int k = 1; k <= kSamples; ++k) sample(way + k * part);
  const double dense = way + kSamples * part, rest = std::max((1.0 - dense) / kMoreSamples, part);
  for (int k = 1; k < kMoreSamples && dense + k * rest < 1.0; ++k) sample(dense + k * rest);
  sample(1.0);
  if (inside > 1.0) return {};
  while ((inside - before) * V > 0.25 * near) {
    const double middle = 0.5 * (before + inside);
    (deep_at(middle) ? inside : before) = middle;
  }
  if (before > way && nearest(a, b, before, V, points, at)) first = at;
  const double bent =
      0.125 * before * before * (a.turn.squaredNorm() * a.reach + b.turn.squaredNorm() * b.reach);
  const double start = std::max(0.0, std::max(way, before - near / V) - bent / V);
  const bool planes =
      std::holds_alternative<Plane>(*a.shape) || std::holds_alternative<Plane>(*b.shape);
  // An open surface reports no contact on its back.
  if (!nearest(a, b, 1.0, V + near, points, at)) return {How::beyond, start};
  if (!planes && at.normal.dot(first.normal) < 0.0) return {How::beyond, start};
  if (at.gap < deep - kInsideShare * size) return {How::inside, start};
  return {at.gap > 0.0 && !planes ? How::through : How::none, start};
}

}  // namespace saltus

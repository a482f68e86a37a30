#include "saltus/event_driven/surface_speeds.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/base/index_internal.h"
#include "saltus/math/bernstein.h"

namespace saltus {
namespace {

/// The largest |J v| of the points of J.
double fastest_point(const PointRows& J, View v) {
  double most = 0.0;
  const std::size_t block = 3 * at(J.width);
  for (std::size_t i = 0; i + 1 < J.offset.size(); ++i) {
    Vector3 u = Vector3::Zero();
    for (std::size_t k = at(J.offset[i]); k < at(J.offset[i + 1]); ++k)
      for (int a = 0; a < 3; ++a)
        for (int c = 0; c < J.width; ++c)
          u[a] += J.value[block * k + at(a * J.width + c)] * v[J.column[k] + c];
    most = std::max(most, u.norm());
  }
  return most;
}

}  // namespace

SurfaceSpeeds::SurfaceSpeeds(const Model& model, const ConstrainedMotion& motion)
    : model_(model), motion_(motion) {
  const Surfaces& all = model.surfaces();
  for (std::size_t f = 0; f < all.frames.size(); ++f) {
    Surface one;
    one.group = all.frames[f].group;
    const Dynamics& body = *model.groups()[at(one.group)].dynamics;
    constexpr double kEver = std::numeric_limits<double>::infinity();
    if (body.velocities() == 0 && body.fastest_drift(-kEver, kEver, 1.0) == 0.0) continue;
    one.first = motion.kinematics().first()[at(one.group)];
    if (body.rigid()) one.body = all.frames[f].body;
    for (const Collider& collider : all.colliders) {
      if (collider.frame != static_cast<int>(f)) continue;
      const Bounds box = bounds(collider.shape, collider.local);
      const Vector3 far = box.low.cwiseAbs().cwiseMax(box.high.cwiseAbs());
      one.reach = std::max(one.reach, far.allFinite() ? far.norm() : kEver);
    }
    surfaces_.push_back(one);
  }
  for (std::size_t k = 0; k < all.boundaries.size(); ++k) {
    Surface one;
    one.group = all.boundaries[k].group;
    one.first = motion.kinematics().first()[at(one.group)];
    one.boundary = static_cast<int>(k);
    surfaces_.push_back(one);
    // two parts of it may close on each other
    if (all.boundaries[k].self) surfaces_.push_back(one);
  }
}

void SurfaceSpeeds::read(double t) {
  const auto q = [&](const Surface& one) -> const Vector& {
    return motion_.kinematics().groups()[at(one.group)].q;
  };
  bool planes = false;
  for (Surface& one : surfaces_) {
    planes = planes || !std::isfinite(one.reach);
    if (one.boundary >= 0)
      model_.groups()[at(one.group)].dynamics->point_rows(
          q(one), q(one), model_.surfaces().boundaries[at(one.boundary)].boundary.vertices,
          one.rows);
  }
  if (!planes) return;
  double largest = 0.0, reach = 0.0;
  std::vector<Pose> poses;
  Vector places;
  for (const Surface& one : surfaces_) {
    const Dynamics& body = *model_.groups()[at(one.group)].dynamics;
    if (std::isfinite(one.reach)) reach = std::max(reach, one.reach);
    if (one.boundary >= 0) {
      const auto& vertices = model_.surfaces().boundaries[at(one.boundary)].boundary.vertices;
      places.resize(3 * std::ssize(vertices));
      body.points(t, q(one), vertices, places);
      for (Eigen::Index i = 0; i < places.size(); i += 3)
        largest = std::max(largest, places.segment<3>(i).norm());
    } else if (&one == surfaces_.data() || one.group != (&one - 1)->group) {
      poses.resize(at(body.bodies()));
      body.frames(t, q(one), poses);
      for (const Pose& pose : poses) largest = std::max(largest, pose.x.norm());
    }
  }
  span_ = 2.0 * largest + reach;
}

double SurfaceSpeeds::fastest_drift(double from, double to) const {
  double most = 0.0;
  for (const Surface& one : surfaces_)
    most = std::max(most, model_.groups()[at(one.group)].dynamics->fastest_drift(
                              from, to, std::isfinite(one.reach) ? one.reach : span_));
  return most;
}

// Stores the coefficients of `count` components of v on [from, to] of the step in part_.
void SurfaceSpeeds::take_part(const OdeStep& step, double from, double to, Eigen::Index first,
                              Eigen::Index count) {
  const auto columns = step.v.cols();
  const auto size = static_cast<std::size_t>(columns);
  part_.resize(count, columns);
  Vector whole(columns), part(columns);
  for (Eigen::Index i = 0; i < count; ++i) {
    whole = step.v.row(first + i);
    bernstein_part({whole.data(), size}, from, to, {part.data(), size});
    part_.row(i) = part;
  }
}

// Upper bound of the speed of any point of the surface on [from, to] [m/s]: v lies in the convex
// hull of its coefficients, and |u| + r |omega| and |J v| are convex.
double SurfaceSpeeds::speed(const Surface& one, const OdeStep& step, double from, double to,
                            double reach) {
  const Dynamics& body = *model_.groups()[at(one.group)].dynamics;
  double u = 0.0;
  if (one.boundary >= 0) {
    take_part(step, from, to, one.first, body.velocities());
    for (Eigen::Index k = 0; k < part_.cols(); ++k)
      u = std::max(u, fastest_point(one.rows, part_.col(k)));
  } else if (one.body >= 0) {
    take_part(step, from, to, one.first + 6 * static_cast<Eigen::Index>(one.body), 6);
    for (Eigen::Index k = 0; k < part_.cols(); ++k) {
      const double turns = part_.col(k).tail<3>().norm();
      u = std::max(u, part_.col(k).head<3>().norm() + (turns > 0.0 ? turns * reach : 0.0));
    }
  }
  return u + body.fastest_drift(step.t0 + from * step.h, step.t0 + to * step.h, reach);
}

double SurfaceSpeeds::closing(const OdeStep& step, double from, double to) {
  double fastest = 0.0, second = 0.0;
  const auto look = [&](const Surface& one, double reach) {
    const double u = speed(one, step, from, to, reach);
    second = std::max(second, std::min(u, fastest));
    fastest = std::max(fastest, u);
  };
  for (const Surface& one : surfaces_)
    if (std::isfinite(one.reach)) look(one, one.reach);
  const double span = span_ + step.h * fastest;  // displacement of surfaces in the step
  for (const Surface& one : surfaces_)
    if (!std::isfinite(one.reach)) look(one, span);
  return fastest + second;
}

}  // namespace saltus

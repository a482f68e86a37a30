#include "saltus/bodies/moving.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "saltus/base/error.h"

namespace saltus {
namespace {

Vector3 place(const PrescribedMotion& m, double t) {
  return Vector3(m.position[0].value(t), m.position[1].value(t), m.position[2].value(t)) +
         t * m.velocity;
}
Vector3 velocity(const PrescribedMotion& m, double t) {
  return Vector3(m.position[0].rate(t), m.position[1].rate(t), m.position[2].rate(t)) + m.velocity;
}
Quaternion turned(const PrescribedMotion& m, double t) {
  return exp_rotation((m.angle.value(t) + m.spin * t) * m.axis) * m.rotation;
}
Vector3 spin(const PrescribedMotion& m, double t) { return (m.angle.rate(t) + m.spin) * m.axis; }

void no_entries(std::size_t points, PointRows& J) {
  J.width = 1;
  J.offset.assign(points + 1, 0);
  J.column.clear();
  J.value.clear();
}

}  // namespace

bool PrescribedMotion::rests() const {
  return position[0].is_constant() && position[1].is_constant() && position[2].is_constant() &&
         angle.is_constant() && velocity.isZero(0.0) && spin == 0.0;
}

Moving::Moving(std::vector<PrescribedMotion> motions) : motions_(std::move(motions)) {
  expects(!motions_.empty(), "at least one body is required");
  bool moves = false;
  for (std::size_t i = 0; i < motions_.size(); ++i) {
    PrescribedMotion& m = motions_[i];
    const auto says = [&](bool condition, const char* text) {
      if (!condition) expects(false, "body " + std::to_string(i) + ": " + text);
    };
    says(m.axis.allFinite() && !m.axis.isZero(0.0), "the axis must be finite and not 0");
    says(m.rotation.coeffs().allFinite() && !m.rotation.coeffs().isZero(0.0),
         "the rotation must be a quaternion that is finite and not 0");
    says(m.velocity.allFinite() && std::isfinite(m.spin), "velocity and spin must be finite");
    m.axis.stableNormalize();
    m.rotation.normalize();
    moves = moves || !m.rests();
  }
  if (moves) sources_.push_back({"prescribed", false});
}
Moving::~Moving() = default;

unsigned Moving::traits() const {
  return Trait::tangents | Trait::affine | Trait::symmetric | Trait::second_order |
         Trait::constant_mass | Trait::potential | Trait::separable;
}

void Moving::factorise(Combination, double, View, View, Factor& A) const {
  if (!std::holds_alternative<Diagonal>(A.form)) A.form = Diagonal{};
}

void Moving::frames(double t, View, std::span<Pose> out) const {
  for (std::size_t i = 0; i < motions_.size(); ++i)
    out[i] = {place(motions_[i], t), turned(motions_[i], t).toRotationMatrix()};
}

void Moving::breaks(Breaks& out) const {
  for (const PrescribedMotion& m : motions_)
    for (const Signal* x : {&m.position[0], &m.position[1], &m.position[2], &m.angle}) {
      x->points(out.ends, true);
      x->jumps(out.jumps);
    }
}

void Moving::points(double t, View, std::span<const PointRef> at, Out x) const {
  for (std::size_t i = 0; i < at.size(); ++i) {
    const PrescribedMotion& m = motions_[static_cast<std::size_t>(at[i].body)];
    x.segment<3>(3 * static_cast<Eigen::Index>(i)) = place(m, t) + turned(m, t) * at[i].local;
  }
}

void Moving::point_rows(View, View, std::span<const PointRef> at, PointRows& J) const {
  no_entries(at.size(), J);
}
void Moving::spin_rows(View, View, std::span<const PointRef> at, PointRows& J) const {
  no_entries(at.size(), J);
}

// x' + omega x R X
void Moving::point_drift(double t, View, std::span<const PointRef> at, Out d) const {
  for (std::size_t i = 0; i < at.size(); ++i) {
    const PrescribedMotion& m = motions_[static_cast<std::size_t>(at[i].body)];
    const Vector3 arm = turned(m, t) * at[i].local;
    d.segment<3>(3 * static_cast<Eigen::Index>(i)) = velocity(m, t) + spin(m, t).cross(arm);
  }
}

// |x' + omega x r| <= |x'| + |omega| |r|
double Moving::fastest_spin_drift(double from, double to) const {
  double most = 0.0;
  for (const PrescribedMotion& m : motions_)
    most = std::max(most, m.angle.fastest(from, to) + std::abs(m.spin));
  return most;
}

double Moving::fastest_drift(double from, double to, double reach) const {
  double most = 0.0;
  for (const PrescribedMotion& m : motions_) {
    Vector3 u;
    for (int i = 0; i < 3; ++i)
      u[i] = m.position[static_cast<std::size_t>(i)].fastest(from, to) + std::abs(m.velocity[i]);
    const double turns = m.angle.fastest(from, to) + std::abs(m.spin);
    most = std::max(most, u.norm() + (turns > 0.0 ? turns * reach : 0.0));
  }
  return most;
}

void Moving::spin_drift(double t, View, std::span<const PointRef> at, Out d) const {
  for (std::size_t i = 0; i < at.size(); ++i)
    d.segment<3>(3 * static_cast<Eigen::Index>(i)) =
        spin(motions_[static_cast<std::size_t>(at[i].body)], t);
}

void Moving::power(double, std::optional<double>, View, View, View,
                   std::span<double> by_source) const {
  std::fill(by_source.begin(), by_source.end(), 0.0);
}

}  // namespace saltus

// Second rates of gaps and coordinates against differences of their first ones along a motion.
#include "saltus/contact/joint_bias.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <string>

#include "tests/unit/contact/joint_samples.h"

using namespace saltus;
using namespace saltus::test;

namespace {

constexpr double kLength = 0.7;
constexpr JointKind kKinds[] = {JointKind::fixed,    JointKind::ball,      JointKind::socket,
                                JointKind::revolute, JointKind::prismatic, JointKind::cylindrical,
                                JointKind::planar,   JointKind::universal, JointKind::distance,
                                JointKind::along,    JointKind::line};

/// A side whose point and axes move with constant accelerations a and alpha about t = 0.
struct Course {
  JointFrame start;
  JointMotion of;

  explicit Course(JointRandom& random)
      : start{random.vector(), random.rotation()},
        of{random.vector(), random.vector(), random.vector(), random.vector()} {}
  // R(t) = exp(omega t + alpha t^2/2) R(0) has R'' = (alpha^ + omega^ omega^) R at 0
  JointFrame at(double t) const {
    return {start.x + t * of.v + 0.5 * t * t * of.a,
            exp_rotation(t * of.omega + 0.5 * t * t * of.alpha).toRotationMatrix() * start.R};
  }
};

/// f''(0) of order 4.
template <class F>
double second(const F& f) {
  const double e = 1e-3;
  return (16.0 * (f(e) + f(-e)) - (f(2.0 * e) + f(-2.0 * e)) - 30.0 * f(0.0)) / (12.0 * e * e);
}

}  // namespace

TEST_CASE("second rates of gaps and coordinates are those of the motion, wherever the sides are") {
  JointRandom random;
  for (const JointKind kind : kKinds) {
    CAPTURE(std::string(name_of(kind)));
    for (int sample = 0; sample < 20; ++sample) {
      const Course a(random), b(random);
      const auto got = joint_accelerations(kind, a.start, b.start, a.of, b.of);
      for (int i = 0; i < row_count(kind); ++i) {
        CAPTURE(i);
        const auto k = static_cast<std::size_t>(i);
        const double expected = second([&](double t) {
          JointRows rows;
          joint_rows(kind, kLength, a.at(t), b.at(t), rows);
          return rows.row[k].gap;
        });
        CHECK(std::abs(got[k] - expected) <= 1e-7 * (1.0 + std::abs(expected)));
      }
      for (int i = 0; i < coordinate_count(kind); ++i) {
        CAPTURE(i);
        const double here = joint_coordinate(kind, i, a.start, b.start).gap;
        const double expected = second([&](double t) {  // of angles without their jump at pi
          const double c = joint_coordinate(kind, i, a.at(t), b.at(t)).gap - here;
          return is_angle(kind, i) ? std::remainder(c, 2.0 * std::numbers::pi) : c;
        });
        const double value = joint_coordinate_acceleration(kind, i, a.start, b.start, a.of, b.of);
        CHECK(std::abs(value - expected) <= 1e-5 * (1.0 + std::abs(expected)));
      }
    }
  }
}

TEST_CASE("coincident points of a link and undefined angles have second rates that are finite") {
  JointRandom random;
  Course a(random), b(random);
  b.start.x = a.start.x;
  const Vector3 n = a.start.R.col(2);
  CHECK(joint_accelerations(JointKind::distance, a.start, b.start, a.of, b.of)[0] ==
        n.dot(b.of.a - a.of.a));
  CHECK(joint_coordinate_acceleration(JointKind::line, 0, a.start, b.start, a.of, b.of) ==
        n.dot(b.of.a - a.of.a));
  a.start.R.setIdentity();
  b.start.R << 0, 0, 1, 0, 1, 0, -1, 0, 0;  // x of b along -z of a, so that p = q = 0
  CHECK(joint_coordinate_acceleration(JointKind::revolute, 0, a.start, b.start, a.of, b.of) ==
        (b.of.alpha - a.of.alpha)[2]);
}

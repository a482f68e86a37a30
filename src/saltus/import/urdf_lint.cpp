#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "saltus/base/error.h"
#include "saltus/import/urdf_tree.h"
#include "saltus/math/dense.h"

namespace saltus {
namespace {

/// The radius of gyration of a solid in a box of diagonal d is at most d/2; a value far below means
/// that the mass is concentrated in one point.
constexpr double kLargestGyration = 0.5, kSmallestGyration = 0.02;
/// No solid is denser than osmium [kg/m^3].
constexpr double kDensest = 22600.0;
/// Relative to the diagonal of the shapes: a mass centre farther from their middle lies well
/// outside them.
constexpr double kFarCentre = 1.0;

}  // namespace

void expect_physical(const UrdfRobot& robot, const UrdfLink& link) {
  const UrdfInertial& inertial = link.inertial.value();
  const Vector3 J = symmetric_values(inertial.inertia);
  const auto refuse = [&](const std::string& what, const std::string& hint) {
    throw SceneError(fmt::format("link '{}'", link.name),
                     fmt::format("the inertia has the principal moments {:.4g}, {:.4g}, {:.4g} kg "
                                 "m^2{}",
                                 J[0], J[1], J[2], what),
                     hint)
        .at(robot.file, inertial.line, 0);
  };
  if (!(J[0] > 0.0)) refuse("", "all three must be > 0");
  if (J[2] > (J[0] + J[1]) * (1.0 + 1e-12))
    refuse(", which no mass distribution has",
           fmt::format("none may exceed the sum of the other two, here {:.6g}", J[0] + J[1]));
}

void lint_inertia(const UrdfRobot& robot, const UrdfLink& link, const Bounds& box,
                  std::vector<std::string>& warnings) {
  const Vector3 extent = box.high - box.low;
  const double size = extent.norm();
  if (!link.inertial || !(size > 0.0) || !std::isfinite(size)) return;
  const UrdfInertial& inertial = *link.inertial;
  const auto warn = [&](const std::string& what) {
    warnings.push_back(
        fmt::format("{}:{}: link '{}': {}", robot.file, inertial.line, link.name, what));
  };
  const double gyration = std::sqrt(symmetric_values(inertial.inertia)[2] / inertial.mass);
  if (gyration > kLargestGyration * size || gyration < kSmallestGyration * size)
    warn(
        fmt::format("the radius of gyration {:.3g} m is {:.2g} times the size {:.3g} m of its "
                    "shapes: is the inertia in kg m^2, the mass in kg, a mesh in m?",
                    gyration, gyration / size, size));
  const double density = inertial.mass / extent.prod();
  if (density > kDensest)
    warn(
        fmt::format("{:.3g} kg in a box of {:.3g} x {:.3g} x {:.3g} m, denser than any metal: is "
                    "the mass in kg?",
                    inertial.mass, extent.x(), extent.y(), extent.z()));
  const double away = (inertial.at.x - 0.5 * (box.low + box.high)).norm();
  if (away > kFarCentre * size)
    warn(
        fmt::format("the mass centre is {:.3g} m from the middle of its shapes, whose size is "
                    "{:.3g} m",
                    away, size));
}

void lint_limits(const UrdfRobot& robot, std::vector<std::string>& warnings) {
  for (const UrdfJoint& joint : robot.joints) {
    const int line = joint.limit ? joint.limit->line : joint.line;
    const auto warn = [&](const std::string& what) {
      warnings.push_back(fmt::format("{}:{}: joint '{}': {}", robot.file, line, joint.name, what));
    };
    if (!joint.has_coordinate() && (joint.damping > 0.0 || joint.friction > 0.0))
      warn(fmt::format("damping and friction of a joint of type {} are ignored",
                       name_of(joint.kind)));
    if (!joint.limit || !joint.has_coordinate()) continue;
    const UrdfLimit& limit = *joint.limit;
    if (!limit.effort) warn("<limit> has no effort");
    if (!limit.velocity) warn("<limit> has no velocity");
    if (limit.effort == 0.0) warn("effort is 0: a motor could not move it");
    if (limit.velocity == 0.0) warn("velocity is 0: it could not move");
  }
}

}  // namespace saltus

// Two spheres, or a sphere and a plane, that meet under a law that is a force, and what elastic laws say of it.
#pragma once
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include "support/event_run.h"
#include "support/rigid_scene.h"

namespace saltus::test {

struct Meeting {
  AnyLaw law;
  SchemeChoice scheme{MoreauJeanOptions{}};
  TimeMode mode = TimeMode::stepping;
  double h = 0.0;                           ///< [s]
  double m = 0.03, r = 0.01, v = 1.0;       ///< mass, radius, and speed of one against the other
  double gap = 1e-5;                        ///< at the start [m]
  double aside = 0.0;                       ///< of the second, across the way of the first [m]
  Vector3 along{0.6, 0.0, 0.8};             ///< the way of the first
  Vector3 origin = Vector3::Zero();         ///< of the first
  bool one_group = false, at_rest = false;  ///< at rest: the second
  bool plane = false;                       ///< in the place of the second
  double tolerance = 1e-12;                 ///< of events

  /// m*, of the relative motion [kg]
  double reduced() const { return plane ? m : 0.5 * m; }
};

inline ModelParts parts_of(const Meeting& x) {
  ModelParts parts;
  const Vector3 n = x.along.normalized(), across = n.unitOrthogonal();
  const double share = x.at_rest || x.plane ? 1.0 : 0.5;
  RigidThing first{Sphere{x.r}, x.m, x.origin, share * x.v * n},
      second{Sphere{x.r}, x.m, x.origin + (2.0 * x.r + x.gap) * n + x.aside * across,
             (share - 1.0) * x.v * n};
  std::vector<std::vector<RigidThing>> groups{{first}};
  if (!x.plane && x.one_group) groups[0].push_back(second);
  if (!x.plane && !x.one_group) groups.push_back({second});
  for (const std::vector<RigidThing>& things : groups) {
    RigidSystem system;
    const int g = static_cast<int>(parts.groups.size());
    for (const RigidThing& one : things) {
      RigidBody body;
      body.mass = one.mass;
      body.inertia = 0.4 * one.mass * x.r * x.r * Matrix3::Identity();
      const int number = static_cast<int>(system.bodies.size());
      system.bodies.push_back(body);
      parts.surfaces.colliders.push_back(
          {one.shape, {}, static_cast<int>(parts.surfaces.frames.size()), 0});
      parts.surfaces.frames.push_back({g, number, "ball"});
    }
    parts.groups.push_back(
        {"balls", "rigid", std::make_shared<Rigid>(system), make_scheme(x.scheme), {}});
    parts.initial.push_back(rigid_state(things));
  }
  if (x.plane)
    parts.surfaces.colliders.push_back(
        {Plane{},
         {x.origin + (x.r + x.gap) * n,
          Quaternion::FromTwoVectors(Vector3::UnitZ(), -n).toRotationMatrix()},
         -1,
         0});
  parts.laws.push_back(x.law);
  parts.surfaces.law = {0};
  parts.surfaces.margin = 0.01 * x.r;
  parts.solver = solvers().front().make();
  parts.options.h = x.h;
  parts.options.instant = ContactInstant::end;
  parts.options.contact = {1e-13, 10'000};
  parts.options.mode = x.mode;
  parts.options.events.tolerance = x.tolerance;
  return parts;
}

inline Vector3 place(const Simulation& sim, const Meeting& x, int body) {
  const auto& groups = sim.state().groups;
  return x.one_group ? groups[0].q.segment<3>(7 * body)
                     : groups[static_cast<std::size_t>(body)].q.head<3>();
}
inline Vector3 speed(const Simulation& sim, const Meeting& x, int body) {
  const auto& groups = sim.state().groups;
  return x.one_group ? groups[0].v.segment<3>(6 * body)
                     : groups[static_cast<std::size_t>(body)].v.head<3>();
}

/// What a run to `end` shows.
struct Met {
  double duration = 0.0;     ///< of the contact [s]
  double deepest = 0.0;      ///< [m]
  double left = 0.0;         ///< speed of one from the other along the line [m/s]
  double energy = 0.0;       ///< largest |E/E0 - 1|
  double unexplained = 0.0;  ///< largest of a step [E0]
  double residual = 0.0;     ///< of the laws on finished states
  std::vector<Vector3> v;    ///< of the bodies at the end
};

inline Met meet(const Meeting& x, double end) {
  Met met;
  Simulation sim{Model(parts_of(x))};
  const double E0 = sim.state().energy_start;
  const long steps = std::lround(end / x.h);
  std::vector<double> springs;
  for (long k = 0; k < steps; ++k) {
    const StepReport report = sim.advance();
    REQUIRE(report.converged);
    REQUIRE(report.finite);
    met.deepest = std::max(met.deepest, -report.gap);
    met.energy = std::max(met.energy, std::abs(sim.state().energy.total() / E0 - 1.0));
    met.unexplained = std::max(met.unexplained, std::abs(report.unexplained) / E0);
    met.residual = std::max(met.residual, report.residual_after);
    for (const Event& e : sim.events())
      if (e.kind == Event::Kind::spring) springs.push_back(e.t);
  }
  const Vector3 n = x.along.normalized();
  const int bodies = x.plane ? 1 : 2;
  for (int b = 0; b < bodies; ++b) met.v.push_back(speed(sim, x, b));
  met.left = x.plane ? -n.dot(met.v[0]) : n.dot(met.v[1] - met.v[0]);
  const double way = x.plane ? -n.dot(place(sim, x, 0) - x.origin)
                             : n.dot(place(sim, x, 1) - place(sim, x, 0)) - 2.0 * x.r;
  const double gap = x.plane ? way + x.gap : way;
  if (x.mode == TimeMode::events) {
    REQUIRE(springs.size() == 2);
    met.duration = springs[1] - springs[0];
  } else {
    met.duration = sim.state().t - gap / met.left - x.gap / x.v;
  }
  return met;
}

/// N = K d^p between bodies of the reduced mass m* that meet at v:
///     d_max = ((p + 1) m* v^2/(2 K))^(1/(p + 1)),   T = 2 d_max/v int_0^1 dx/sqrt(1 - x^(p + 1))
struct Elastic {
  double deepest, duration;
  Elastic(double K, double p, double reduced, double v) {
    const double s = 1.0 / (p + 1.0);
    deepest = std::pow(0.5 * (p + 1.0) * reduced * v * v / K, s);
    duration = 2.0 * deepest / v * std::sqrt(std::numbers::pi) * std::tgamma(1.0 + s) /
               std::tgamma(0.5 + s);
  }
};

}  // namespace saltus::test

// B11: an elastic bar of length 10 m, E = 900 Pa, 1 kg/m that falls on a wall 5 m below, by formulas, by finite elements,
// and by finite elements whose node at the wall has no mass.
#pragma once
#include <doctest/doctest.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <vector>

#include "one_group.h"
#include "saltus/bodies/linear.h"
#include "saltus/fem/redistributed_mass.h"

namespace saltus::test {

constexpr double kBarLength = 10.0, kBarYoung = 900.0, kBarHeight = 5.0;

enum class BarKind { formulas, finite_elements, massless };
inline const char* name_of(BarKind kind) {
  return kind == BarKind::formulas          ? "formulas"
         : kind == BarKind::finite_elements ? "finite elements"
                                            : "mass redistribution";
}

/// A bar along the direction of free space, its lower end at node 0.
struct FallingBar {
  std::shared_ptr<const Dynamics> body;
  Vector3 axis;
  Vector mass;                ///< of the components of q [kg]
  bool stops_itself = false;  ///< the wall is a part of the body
  bool weighs = false;        ///< its potential is that of gravity too
  /// Displacements of all nodes, from the lower end.
  std::function<Vector(const Vector& q)> displacements;

  double total() const { return mass.sum(); }
};

inline FemSystem fem_bar(int elements, double gravity) {
  FemSystem system;
  system.mesh = box_mesh(
      {ElementKind::bar2, {elements, 0, 0}, Vector3(kBarLength, 0.0, 0.0), Vector3::Zero()});
  FemMaterial m;
  m.material.law = MaterialLaw::linear;
  m.material.young = kBarYoung;
  m.material.density = 1.0;
  system.materials.push_back(m);
  system.gravity = Vector3(-gravity, 0.0, 0.0);
  return system;
}

/// The nodes with mass of a body whose q are displacements of single degrees of freedom.
inline Vector masses_of(const Dynamics& body) {
  const Vector ones = Vector::Ones(body.velocities()), zero = Vector::Zero(body.velocities());
  Vector mass = ones;
  body.multiply({1.0, 0.0, 0.0}, 0.0, zero, zero, ones, mass);
  return mass;
}

/// `stop` [m]: distance from the lower end to the wall at the start.
inline FallingBar falling_bar(BarKind kind, int elements, double gravity,
                              double stop = kBarHeight) {
  FallingBar bar;
  bar.axis = kind == BarKind::formulas ? Vector3::UnitZ() : Vector3::UnitX();
  bar.displacements = [](const Vector& q) { return q; };
  bar.weighs = kind != BarKind::formulas;
  if (kind == BarKind::formulas) {
    BarMesh mesh;
    mesh.elements = elements;
    mesh.length = kBarLength;
    mesh.young = kBarYoung;
    mesh.axis = bar.axis;
    mesh.lumped = true;
    LinearSystem system = saltus::bar(mesh);
    Vector nodal(system.mass.size());
    system.mass.multiply(Vector::Ones(nodal.size()), nodal);
    system.load = -gravity * nodal;
    bar.body = std::make_shared<Linear>(system);
  } else if (kind == BarKind::finite_elements) {
    bar.body = std::make_shared<Fem>(fem_bar(elements, gravity));
  } else {
    const auto body = std::make_shared<RedistributedMass>(
        fem_bar(elements, gravity), std::vector<NodeStop>{{0, -stop * bar.axis, bar.axis}});
    bar.body = body;
    bar.stops_itself = true;
    bar.displacements = [body](const Vector& q) {
      Vector all(3 * body->fem().mesh().nodes.cols()), u(body->fem().mesh().nodes.cols());
      body->full(0.0, q, all);
      for (Eigen::Index a = 0; a < u.size(); ++a) u[a] = all[3 * a];
      return u;
    };
  }
  bar.mass = masses_of(*bar.body);
  return bar;
}

/// The bar at rest in itself, falling; contact of bars that do not stop themselves by Newton's law with e = 0.
inline Simulation let_fall(const FallingBar& bar, double velocity, const SchemeChoice& scheme,
                           double h, double stop = kBarHeight) {
  const Eigen::Index n = bar.mass.size();
  ModelParts parts =
      one_group({bar.body, Vector::Zero(n), Vector::Constant(n, velocity)}, scheme, h);
  if (!bar.stops_itself) {
    NewtonImpact law;
    add_stop(parts, {}, -stop * bar.axis, bar.axis, law);
  }
  return Simulation{Model(parts)};
}

/// Impulse of the wall in the step reported [N s].
inline double wall_impulse(const FallingBar& bar, const Simulation& sim, const StepReport& report,
                           double h) {
  return bar.stops_itself ? h * sim.reactions(0)[sim.reactions(0).size() - 1] : report.impulse;
}

struct BarImpact {
  double impact = 0.0, release = 0.0, second = 0.0;  ///< times [s]
  double impulse = 0.0;                              ///< of the first contact [N s]
  double start_force = 0.0, end_force = 0.0;         ///< of the straight line through the force [N]
  double velocity = 0.0;                             ///< of the mass centre at the release [m/s]
  double vibration = 0.0;                            ///< energy not in that motion [J]
  double shortest = 0.0;                             ///< largest compression [m]
  double strain = 0.0;                               ///< of the lower end at the release [1]
  double arrival = 0.0;                              ///< of the wave at the upper end [s]
  double penetration = 0.0;                          ///< [m]
};

/// Of the straight line through the strains of the elements from 5 % to 50 % of the length, at the lower end. The front
/// of the release runs ahead below.
inline double strain_of_end(const Vector& u, double element) {
  Eigen::Matrix2d normal = Eigen::Matrix2d::Zero();
  Eigen::Vector2d right = Eigen::Vector2d::Zero();
  const Eigen::Index n = u.size() - 1;
  for (Eigen::Index i = n / 20; i < n / 2; ++i) {
    const Eigen::Vector2d basis(1.0, (static_cast<double>(i) + 0.5) * element);
    normal += basis * basis.transpose();
    right += (u[i + 1] - u[i]) / element * basis;
  }
  return (normal.inverse() * right)[0];
}

inline BarImpact drop_bar(const FallingBar& bar, double velocity, double gravity,
                          const SchemeChoice& scheme, double h) {
  Simulation sim = let_fall(bar, velocity, scheme, h);
  BarImpact b;
  std::vector<double> at, force;
  double arriving = 0.0;
  const double until = 4.5;
  while (sim.state().t < until) {
    const double t0 = sim.state().t;
    const StepReport report = sim.advance();
    REQUIRE(report.converged);
    const double impulse = wall_impulse(bar, sim, report, h);
    const Vector &q = sim.state().groups[0].q, v = velocity_of(sim), u = bar.displacements(q);
    const Eigen::Index n = u.size();
    const double t = sim.state().t, top = v[v.size() - 1];
    const bool in_first = b.second == 0.0;
    if (impulse > 0.0) {
      if (b.impact == 0.0) {
        b.impact = t;
        arriving = top;
      } else if (in_first && t - b.release > 0.5) {
        b.second = t;
      }
      if (b.second == 0.0) b.release = t;
    }
    if (b.impact > 0.0 && b.second == 0.0) {
      at.push_back(0.5 * (t0 + t));
      force.push_back(impulse / h);
      b.impulse += impulse;
      b.shortest = std::max(b.shortest, u[0] - u[n - 1]);
      if (b.release == t) {
        const double mean = bar.mass.dot(v) / bar.total();
        b.velocity = mean;
        const Energy energy = bar.body->energy(t, q, v);
        // of finite elements the potential counts their weight, of formulas it is a load
        const double weight = bar.weighs ? gravity * bar.mass.dot(q) : 0.0;
        b.vibration = energy.total() - weight - 0.5 * bar.total() * mean * mean;
        b.strain = strain_of_end(u, kBarLength / static_cast<double>(n - 1));
      }
      if (b.arrival == 0.0 && std::abs(top - arriving + gravity * (t - b.impact)) > 5.0)
        b.arrival = t;
    }
    b.penetration = std::max(b.penetration, -(u[0] + kBarHeight));
  }
  // the straight line F = a + b s whose integral is nearest to the impulse received up to s
  const double tau = b.release - b.impact + h;
  Eigen::Matrix2d normal = Eigen::Matrix2d::Zero();
  Eigen::Vector2d right = Eigen::Vector2d::Zero();
  double received = 0.0;
  for (std::size_t i = 0; i < at.size() && at[i] < b.release; ++i) {
    received += h * force[i];
    const double s = at[i] + 0.5 * h - (b.impact - h);
    const Eigen::Vector2d basis(s, 0.5 * s * s);
    normal += basis * basis.transpose();
    right += received * basis;
  }
  const Eigen::Vector2d line = normal.inverse() * right;
  b.start_force = line[0];
  b.end_force = line[0] + tau * line[1];
  return b;
}

}  // namespace saltus::test

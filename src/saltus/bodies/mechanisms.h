// A library of small Lagrangian systems. z points up, gravity acts along -z, angles are measured
// from the downward vertical, positive towards x. Motion is in the plane of x and z. All tangents
// are exact. Equations, and where the potential energy is zero: docs/theory/mechanisms.md.
//
// Every function throws UsageError for numbers that are not finite, masses, lengths, moments of
// inertia, moduli or areas that are not positive, and negative dashpots or spring stiffnesses,
// except where a zero is allowed below.
#pragma once
#include <memory>

#include "saltus/bodies/lagrangian.h"

namespace saltus {

/// A bob on a rod: q = angle. Point 0: the bob. Dashpot [N m s] at the pivot.
struct PendulumData {
  double mass = 1.0, length = 1.0, gravity = 9.81, dashpot = 0.0;
  Vector3 pivot = Vector3::Zero();
};
std::shared_ptr<const LagrangianModel> pendulum(const PendulumData& data);

/// n bobs on n rods, each hanging from the previous one: q = angles from the vertical. Point i: bob
/// i. n = 2 is the double pendulum. At most 256 bobs.
struct NPendulumData {
  std::vector<double> mass{1.0, 1.0}, length{1.0, 1.0};
  double gravity = 9.81;
  Vector3 pivot = Vector3::Zero();
};
std::shared_ptr<const LagrangianModel> n_pendulum(const NPendulumData& data);

/// m q'' + c q' + k q + k3 q^3 = 0; point 0 moves along z. k and k3 may have any sign.
struct DuffingData {
  double mass = 1.0, stiffness = 1.0, cubic = 10.0, dashpot = 0.0;
};
std::shared_ptr<const LagrangianModel> duffing(const DuffingData& data);

/// A bob on a spring: q = (x, z) of the bob relative to the pivot; constant mass. Point 0: the bob.
/// gravity and length may be 0. The force of a spring of length > 0 is taken as zero when the bob
/// is at the pivot.
struct SpringPendulumData {
  double mass = 1.0, stiffness = 100.0, length = 1.0, gravity = 9.81;
  Vector3 pivot = Vector3::Zero();
};
std::shared_ptr<const LagrangianModel> spring_pendulum(const SpringPendulumData& data);

/// A mass attracted by a fixed centre, V = -mu m/|q|: q = (x, z). Point 0: the mass.
struct PlanetData {
  double mass = 1.0, mu = 1.0;
};
std::shared_ptr<const LagrangianModel> planet(const PlanetData& data);

/// A thin rigid rod in the plane: q = (x, z, angle of its axis from the x axis, positive from x
/// towards z), constant mass. Points 0 and 1: the ends at -length/2 and +length/2; point 2: the
/// centre. inertia 0: m length^2/12.
struct PlanarRodData {
  double mass = 1.0, length = 1.0, inertia = 0.0, gravity = 9.81;
};
std::shared_ptr<const LagrangianModel> planar_rod(const PlanarRodData& data);

/// Crank, connecting rod and slider, the slider free to move in its guide: q = (crank angle, rod
/// angle, slider angle), all from the x axis, positive from x towards z. The crank rotates about
/// the origin; rod and slider are joined by the pin at the end of the rod. Points 0..3: corners of
/// the slider (rear lower, front lower, rear upper, front upper). Torque [N m] acts on the crank.
/// The centres of mass of crank and rod are at their midpoints.
struct SliderCrankData {
  double crank_length = 0.153, rod_length = 0.306;
  double crank_mass = 0.038, rod_mass = 0.038, slider_mass = 0.076;
  double crank_inertia = 7.4e-5, rod_inertia = 5.9e-4,
         slider_inertia = 2.7e-6;                     ///< about the centres of mass
  double slider_length = 0.05, slider_height = 0.05;  ///< full sizes [m]
  double gravity = 9.81, torque = 0.0;
};
std::shared_ptr<const LagrangianModel> slider_crank(const SliderCrankData& data);

/// A bar of St Venant-Kirchhoff material, linear elements, consistent mass, fixed at x = 0: q =
/// displacements of the free nodes. Element: stretch F = 1 + du/le, strain G = (F^2 - 1)/2, axial
/// force E A G F. Point i: node i + 1, moving along x.
struct StvkBarData {
  int elements = 8;
  double length = 1.0, young = 1000.0, density = 1.0, area = 1.0;
};
std::shared_ptr<const LagrangianModel> stvk_bar(const StvkBarData& data);

}  // namespace saltus

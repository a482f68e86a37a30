// Natural frequencies of meshes against those of beams and plates.
#include <doctest/doctest.h>

#include <Eigen/LU>
#include <cmath>
#include <numbers>
#include <vector>

#include "../support/dense.h"
#include "../support/plate.h"
#include "saltus/bodies/mode_shapes.h"

using namespace saltus;
using namespace saltus::test;

namespace {

constexpr double pi = std::numbers::pi;

/// A rectangular beam of length 1, E = rho = 1.
struct Beam {
  double depth, poisson;
  double area() const { return depth; }  // a unit of width
  double inertia() const { return depth * depth * depth / 12.0; }
};

/// Timoshenko's beam as (w, phi, M, Q)' = A (w, phi, M, Q):
///     w' = phi + Q/(kappa G A),  phi' = M/(E I),  M' = -Q - rho I omega^2 phi,  Q' = -rho A omega^2 w.
/// Zero where a motion of frequency omega meets the ends, (w, phi) = 0 where fixed and (M, Q) = 0 where free.
double timoshenko(const Beam& beam, bool fixed, double omega) {
  const double kappa = 5.0 * (1.0 + beam.poisson) / (6.0 + 5.0 * beam.poisson);
  const double G = 0.5 / (1.0 + beam.poisson);
  Eigen::Matrix4d A = Eigen::Matrix4d::Zero();
  A(0, 1) = 1.0;
  A(0, 3) = 1.0 / (kappa * G * beam.area());
  A(1, 2) = 1.0 / beam.inertia();
  A(2, 3) = -1.0;
  A(2, 1) = -beam.inertia() * omega * omega;
  A(3, 0) = -beam.area() * omega * omega;
  // forces in units of E I, so that the matrix is of even size
  const Eigen::Vector4d unit(1.0, 1.0, beam.inertia(), beam.inertia());
  const Eigen::Matrix4d scaled = unit.cwiseInverse().asDiagonal() * A * unit.asDiagonal();
  const Eigen::Matrix4d T = exponential(scaled);
  return T.block<2, 2>(2, fixed ? 2 : 0).determinant();
}

/// The first bending frequencies, by bisection below those of Euler and Bernoulli.
std::vector<double> bending(const Beam& beam, bool fixed, int count) {
  std::vector<double> roots;
  double omega = 1e-3 * beam.depth, before = timoshenko(beam, fixed, omega);
  while (static_cast<int>(roots.size()) < count) {
    const double next = omega + 2e-2 * beam.depth, now = timoshenko(beam, fixed, next);
    if ((before > 0.0) != (now > 0.0)) {
      double low = omega, high = next;
      for (int i = 0; i < 60; ++i) {
        const double middle = 0.5 * (low + high);
        ((timoshenko(beam, fixed, middle) > 0.0) == (before > 0.0) ? low : high) = middle;
      }
      roots.push_back(0.5 * (low + high));
    }
    omega = next;
    before = now;
  }
  return roots;
}

/// The first bending frequencies of a mesh of that beam; axial motion is held out by its frequency.
std::vector<double> bending_of_mesh(const Beam& beam, bool fixed, ElementKind kind, int cells,
                                    int count) {
  FemSystem system =
      unit_system({kind, {cells, 2, 0}, Vector3(1.0, beam.depth, 0.0), Vector3::Zero()},
                  beam.poisson, PlaneState::stress);
  system.mass = MassForm::consistent;
  if (fixed)
    system.prescribed = fixed_nodes(system.mesh.node_sets.at("x0"), std::vector<int>{0, 1});
  const Fem body(system);
  const NaturalModes modes =
      natural_modes(body, Vector::Zero(body.positions()), count + (fixed ? 2 : 5));
  std::vector<double> found;
  for (int j = 0; j < modes.omega.size() && static_cast<int>(found.size()) < count; ++j) {
    if (modes.omega[j] == 0.0) continue;
    double along = 0.0, across = 0.0;  // of the mode
    for (int a = 0; a < static_cast<int>(system.mesh.nodes.cols()); ++a) {
      if (const int i = body.free_index(3 * a); i >= 0) along += std::pow(modes.shape(i, j), 2);
      if (const int i = body.free_index(3 * a + 1); i >= 0)
        across += std::pow(modes.shape(i, j), 2);
    }
    if (across > along) found.push_back(modes.omega[j]);
  }
  return found;
}

}  // namespace

TEST_CASE("Timoshenko's beam is Euler's and Bernoulli's where it is slender") {
  for (const bool fixed : {true, false}) {
    const Beam beam{1e-3, 0.3};
    const std::vector<double> roots =
        beam_roots(fixed ? BeamEnds::fixed_free : BeamEnds::free_free, fixed ? 3 : 5);
    const std::vector<double> found = bending(beam, fixed, 3);
    for (std::size_t j = 0; j < 3; ++j) {
      const double root = roots[j + (fixed ? 0 : 2)];
      CHECK(found[j] ==
            doctest::Approx(root * root * std::sqrt(beam.inertia() / beam.area())).epsilon(5e-5));
    }
  }
}

TEST_CASE(
    "bending frequencies of held and free beams are Timoshenko's within 1 %, closer on finer "
    "meshes") {
  for (const bool fixed : {true, false})
    for (const ElementKind kind : {ElementKind::quad8, ElementKind::tri6}) {
      const Beam beam{0.05, 0.3};
      const std::vector<double> exact = bending(beam, fixed, 4);
      double before = 2.0;
      for (const int cells : {5, 10, 20}) {
        CAPTURE(fixed);
        CAPTURE(info(kind).name);
        CAPTURE(cells);
        const double off = largest_error(bending_of_mesh(beam, fixed, kind, cells, 4), exact);
        CHECK(off < before / 3.0);
        before = off;
      }
      CHECK(before < 0.006);
    }
}

TEST_CASE(
    "a thin supported plate of quadratic bricks has the frequencies of Kirchhoff within 1 %") {
  const std::vector<double> exact{2.0 * pi * pi, 5.0 * pi * pi, 5.0 * pi * pi, 8.0 * pi * pi};
  double before = 1.0;
  for (const int cells : {4, 8, 12}) {
    const double off = largest_error(plate(cells, 0.01, false, 4), exact);
    CAPTURE(cells);
    CHECK(off < before);
    before = off;
  }
  CHECK(before < 0.01);
}

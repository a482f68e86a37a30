// Natural frequencies of plates of solid elements.
#pragma once
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "saltus/fem/fem.h"
#include "saltus/fem/natural_modes.h"

namespace saltus::test {

inline FemSystem unit_system(const BoxMesh& box, double poisson, PlaneState state) {
  FemSystem system;
  system.mesh = box_mesh(box);
  FemMaterial material;
  material.material.law = MaterialLaw::linear;
  material.material.young = 1.0;
  material.material.poisson = poisson;
  material.material.density = 1.0;
  material.plane = state;
  system.materials.push_back(material);
  return system;
}

/// omega sqrt(rho h/D) a^2 of the first `count` modes of a square plate of side 1, one layer of hex20.
inline std::vector<double> plate(int cells, double thickness, bool clamped, int count) {
  constexpr double nu = 0.3;
  FemSystem system = unit_system(
      {ElementKind::hex20, {cells, cells, 1}, Vector3(1.0, 1.0, thickness), Vector3::Zero()}, nu,
      PlaneState::strain);
  if (clamped)  // finer to the edges, where moments and shear change fast
    system.mesh = moved(std::move(system.mesh), [](const Vector3& X) {
      const auto graded = [](double x) { return x - 0.12 * std::sin(2.0 * std::numbers::pi * x); };
      return Vector3(graded(X.x()), graded(X.y()), X.z());
    });
  system.mass = MassForm::consistent;
  std::vector<bool> held(static_cast<std::size_t>(3 * system.mesh.nodes.cols()), false);
  for (const auto& [side, along] : std::initializer_list<std::pair<const char*, int>>{
           {"x0", 1}, {"x1", 1}, {"y0", 0}, {"y1", 0}})
    for (const int a : system.mesh.node_sets.at(side))
      for (int axis = 0; axis < 3; ++axis)
        if (clamped || axis == 2 || axis == along)
          held[static_cast<std::size_t>(3 * a + axis)] = true;
  for (int dof = 0; dof < static_cast<int>(held.size()); ++dof)
    if (held[static_cast<std::size_t>(dof)])
      system.prescribed.push_back({dof, Signal::constant(0.0)});
  const Fem body(system);
  const NaturalModes modes = natural_modes(body, Vector::Zero(body.positions()), count);
  const double D = std::pow(thickness, 3) / (12.0 * (1.0 - nu * nu));
  std::vector<double> found;
  for (int j = 0; j < count; ++j) found.push_back(modes.omega[j] * std::sqrt(thickness / D));
  return found;
}

inline double largest_error(const std::vector<double>& found, const std::vector<double>& exact) {
  REQUIRE(found.size() == exact.size());
  double most = 0.0;
  for (std::size_t j = 0; j < exact.size(); ++j)
    most = std::max(most, std::abs(found[j] / exact[j] - 1.0));
  return most;
}

}  // namespace saltus::test

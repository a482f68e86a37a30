// A cantilever under a dead load at its tip, by a mesh that comes to rest and by the elastica.
#pragma once
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "one_group.h"
#include "saltus/fem/fem.h"
#include "saltus/schemes/registry.h"

namespace saltus::test {

struct Tip {
  double x, y;  ///< of a cantilever of length 1 that points along x
};

// theta'' = -alpha cos theta, theta(0) = theta'(1) = 0, alpha = P L^2/EI, P dead and across: Runge-Kutta and bisection.
inline Tip elastica(double alpha) {
  Tip tip{};
  const auto bend_at_end = [&](double bend) {
    constexpr int kSteps = 2000;
    constexpr double h = 1.0 / kSteps;
    double theta = 0.0;
    tip = {0.0, 0.0};
    for (int i = 0; i < kSteps; ++i) {
      const double k1 = bend, l1 = -alpha * std::cos(theta);
      const double k2 = bend + 0.5 * h * l1, l2 = -alpha * std::cos(theta + 0.5 * h * k1);
      const double k3 = bend + 0.5 * h * l2, l3 = -alpha * std::cos(theta + 0.5 * h * k2);
      const double k4 = bend + h * l3, l4 = -alpha * std::cos(theta + h * k3);
      const double next = theta + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
      const double middle = 0.5 * (theta + next) + h / 8.0 * (k1 - k4);  // Hermite
      tip.x += h / 6.0 * (std::cos(theta) + 4.0 * std::cos(middle) + std::cos(next));
      tip.y += h / 6.0 * (std::sin(theta) + 4.0 * std::sin(middle) + std::sin(next));
      theta = next;
      bend += h / 6.0 * (l1 + 2.0 * l2 + 2.0 * l3 + l4);
    }
    return bend;
  };
  double below = 0.0, above = alpha + 1.0;
  while (above - below > 1e-14 * above) {
    const double middle = 0.5 * (below + above);
    (bend_at_end(middle) > 0.0 ? above : below) = middle;
  }
  return tip;
}

struct Cantilever {
  ElementKind kind;
  int cells;  ///< along it, one across
  double poisson = 0.3;
};
inline constexpr double kDepth = 0.02;  // of the length 1, so that shear adds 1e-4

/// Tip at alpha = 1 .. 10, each reached by steps of euler-implicit from the one before.
inline std::vector<Tip> bent(const Cantilever& c) {
  FemSystem system;
  const bool solid = info(c.kind).dimension == 3;
  system.mesh =
      box_mesh({c.kind, {c.cells, 1, solid ? 1 : 0}, Vector3(1.0, kDepth, solid ? kDepth : 0.0)});
  FemMaterial material;
  material.material.young = 1.0;
  material.material.poisson = c.poisson;
  material.plane = PlaneState::stress;
  material.thickness = kDepth;
  system.materials.push_back(material);
  std::vector<int> axes{0, 1};
  if (solid) axes.push_back(2);
  system.prescribed = fixed_nodes(system.mesh.node_sets.at("x0"), axes);
  const double EI = std::pow(kDepth, 4) / 12.0, area = kDepth * kDepth;
  const double omega = 3.516 * std::sqrt(EI / area), h = 3.0 / omega;
  constexpr int kRamp = 4, kHold = 14;
  std::vector<double> t{0.0}, load{0.0};
  for (int level = 1; level <= 10; ++level) {
    t.push_back(((level - 1) * (kRamp + kHold) + kRamp) * h);
    t.push_back(level * (kRamp + kHold) * h);
    load.push_back(level * EI);
    load.push_back(level * EI);
  }
  system.loads.push_back(traction_load(system.mesh, system.mesh.face_sets.at("x1"),
                                       Vector3(0.0, 1.0 / area, 0.0), Signal::table(t, load),
                                       kDepth));
  // the tip is the mean of the end's corners
  const std::vector<int> end = system.mesh.node_sets.at("x1");
  const Eigen::Matrix3Xd X = system.mesh.nodes;
  const auto body = std::make_shared<Fem>(std::move(system));
  const Vector zero = Vector::Zero(body->positions());
  const Model model(one_group({body, zero, zero}, EulerImplicitOptions{}, h));
  Simulation sim(model);
  std::vector<Tip> tips;
  Vector all(3 * X.cols()), f(zero.size());
  for (int level = 1; level <= 10; ++level) {
    for (int step = 0; step < kRamp + kHold; ++step) sim.advance();
    const Vector& q = sim.state().groups[0].q;
    body->force(sim.state().t, q, zero, f);
    CHECK(f.norm() < 1e-5 * level * EI);  // at rest
    body->full(0.0, q, all);
    Tip tip{};
    double corners = 0.0;
    for (const int a : end) {
      const bool corner =
          (X(1, a) == 0.0 || X(1, a) == kDepth) && (!solid || X(2, a) == 0.0 || X(2, a) == kDepth);
      if (!corner) continue;
      corners += 1.0;
      tip.x += 1.0 + all[3 * a];
      tip.y += all[3 * a + 1];
    }
    tips.push_back({tip.x / corners, tip.y / corners});
  }
  return tips;
}

/// Largest distance of the tip from the elastica over all loads, as a part of the length.
inline double distance(const Cantilever& c) {
  const std::vector<Tip> tips = bent(c);
  double most = 0.0;
  for (int level = 1; level <= 10; ++level) {
    const Tip exact = elastica(level), tip = tips[static_cast<std::size_t>(level - 1)];
    most = std::max(most, std::hypot(tip.x - exact.x, tip.y - exact.y));
  }
  return most;
}

}  // namespace saltus::test

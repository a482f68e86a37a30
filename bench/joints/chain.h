// A chain of links on hinges, let go from the horizontal: what the comparison asks of an engine, one run of it, and one
// line of JSON.
//
//     links=100 end=5 h=1e-3 seconds=60      the run ends at `end` [s] or after that much CPU time [s]
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "bench/contact/cpu_time.h"
#include "bench/rigid/engine.h"

namespace saltus_bench {

/// Links of 1 kg, bars 1 m long and 0.1 m x 0.1 m thick along x; hinges about y, the first at the origin of the world.
struct Chain {
  int links = 100;
  static constexpr double length = 1.0, mass = 1.0, gravity = 9.81;
  static constexpr double inertia_along = mass * 0.02 / 12.0, inertia_across = mass * 1.01 / 12.0;
};

class ChainEngine {
 public:
  virtual ~ChainEngine() = default;
  virtual std::string name() const = 0;
  virtual void step(double h) = 0;
  virtual void get(std::vector<BodyState>& links) const = 0;
};

/// Q x of a unit quaternion w x y z.
inline Triple turned(const std::array<double, 4>& Q, const Triple& x) {
  const auto& [w, a, b, c] = Q;
  const Triple t{2.0 * (b * x[2] - c * x[1]), 2.0 * (c * x[0] - a * x[2]),
                 2.0 * (a * x[1] - b * x[0])};
  return {x[0] + w * t[0] + b * t[2] - c * t[1], x[1] + w * t[1] + c * t[0] - a * t[2],
          x[2] + w * t[2] + a * t[1] - b * t[0]};
}

/// Largest distance of two points that a hinge holds together [m].
inline double opening(const std::vector<BodyState>& links) {
  double most = 0.0;
  Triple end{};
  for (const BodyState& link : links) {
    const Triple arm = turned(link.Q, {0.5 * Chain::length, 0.0, 0.0});
    const Triple& x = link.x;
    most = std::max(most, distance(end, {x[0] - arm[0], x[1] - arm[1], x[2] - arm[2]}));
    end = {x[0] + arm[0], x[1] + arm[1], x[2] + arm[2]};
  }
  return most;
}

/// {kinetic, potential} energy [J].
inline std::array<double, 2> energies(const std::vector<BodyState>& links) {
  std::array<double, 2> E{};
  for (const BodyState& link : links) {
    const Triple &v = link.v, &w = link.omega;
    const Triple axis = turned(link.Q, {1.0, 0.0, 0.0});
    const double along = w[0] * axis[0] + w[1] * axis[1] + w[2] * axis[2];
    const double square = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
    E[0] += 0.5 * Chain::mass * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) +
            0.5 * Chain::inertia_across * (square - along * along) +
            0.5 * Chain::inertia_along * along * along;
    E[1] += Chain::mass * Chain::gravity * link.x[2];
  }
  return E;
}

/// The motion is looked at every tenth step, outside of the times.
inline int run_chain(const Chain& chain, Settings& settings, ChainEngine& engine) {
  const double end = settings.number("end", 5.0), h = settings.number("h", 1e-3),
               longest = settings.number("seconds", 60.0);
  settings.check();
  std::vector<BodyState> links;
  engine.get(links);
  const std::array<double, 2> first = energies(links);
  double gap = 0.0, error = 0.0, kinetic = 0.0, spent = 0.0;
  std::vector<double> times;
  const int steps = static_cast<int>(std::lround(end / h));
  for (int k = 1; k <= steps && spent < longest; ++k) {
    const double start = cpu_seconds();
    engine.step(h);
    times.push_back(cpu_seconds() - start);
    spent += times.back();
    if (k % 10 != 0 && k != steps) continue;
    engine.get(links);
    const std::array<double, 2> now = energies(links);
    gap = std::max(gap, opening(links));
    kinetic = std::max(kinetic, now[0]);
    const double change = std::abs(now[0] + now[1] - first[0] - first[1]);
    error = std::isfinite(change) ? std::max(error, change) : INFINITY;
  }
  std::printf(
      "{\"engine\": \"%s\", \"links\": %d, \"step\": %g, \"time\": %g, \"seconds\": %.4e, "
      "\"mean\": %.4e, \"gap\": %.2e, \"energy\": %.2e, \"tip\": %.6f}\n",
      engine.name().c_str(), chain.links, h, h * static_cast<double>(times.size()), median(times),
      spent / static_cast<double>(times.size()), gap, kinetic > 0.0 ? error / kinetic : 0.0,
      links.back().x[2]);
  return 0;
}

}  // namespace saltus_bench

// Runs scenes the way the command does: text, registry names, build, Simulation.
#pragma once
#include <array>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "saltus/scene/build.h"
#include "saltus/scene_file/scene_yaml.h"
#include "saltus/sim/simulation.h"

namespace saltus::test {

using AfterStep = std::function<void(const Simulation&, const StepReport&)>;

/// What a run shows of itself, over all its steps.
struct Shown {
  Simulation sim;
  long steps = 0;
  double worst_unexplained = 0.0;  ///< [E0]
  double worst_gain = 0.0;         ///< largest contact work of a step [E0]
  double worst_rise = 0.0;         ///< largest rise of the total energy in a step [E0]
  double smallest_gap = 1e300;     ///< [m]
  double worst_residual = 0.0, worst_after = 0.0;
  double largest_energy = 0.0;  ///< [E0]
  long contact_steps = 0;
  bool converged = true;

  double energy_left() const { return sim.state().energy.total() / sim.state().energy_start; }
};

inline Shown run(const Scene& scene, const AfterStep& after = {}) {
  Shown s{Simulation(build(scene))};
  const double E0 = s.sim.state().energy_start;
  double before = E0;
  const long long steps = step_count(scene.spec.time);
  for (long long k = 0; k < steps; ++k) {
    const StepReport report = s.sim.advance();
    const double E = s.sim.state().energy.total();
    s.worst_unexplained = std::max(s.worst_unexplained, std::abs(report.unexplained) / E0);
    s.worst_gain = std::max(s.worst_gain, report.impact / E0);
    s.worst_rise = std::max(s.worst_rise, (E - before) / E0);
    s.largest_energy = std::max(s.largest_energy, E / E0);
    s.smallest_gap = std::min(s.smallest_gap, report.gap);
    s.worst_residual = std::max(s.worst_residual, report.residual);
    s.worst_after = std::max(s.worst_after, report.residual_after);
    s.contact_steps += report.contacts > 0;
    s.converged = s.converged && report.converged && report.finite;
    before = E;
    ++s.steps;
    if (after) after(s.sim, report);
    if (!s.converged) break;
  }
  return s;
}

inline Shown run_text(const std::string& text, const std::vector<std::string>& set = {},
                      const AfterStep& after = {}) {
  return run(read_scene_text(text, "test.yaml", set), after);
}

inline Shown run_example(const std::string& name, const std::vector<std::string>& set = {},
                         const AfterStep& after = {}) {
  return run(read_scene(std::filesystem::path(SALTUS_EXAMPLES) / name, set), after);
}

/// The end of a run, and of one that goes on from the middle of it on two threads.
inline std::array<State, 2> run_and_resume(const Scene& scene) {
  const Model model = build(scene);
  Simulation whole(model);
  const auto steps = step_count(scene.spec.time);
  for (long long k = 0; k < steps / 2; ++k) whole.advance();
  Simulation resumed(model, whole.state());
  resumed.use_threads(2);
  for (long long k = steps / 2; k < steps; ++k) {
    whole.advance();
    resumed.advance();
  }
  return {whole.state(), resumed.state()};
}

}  // namespace saltus::test

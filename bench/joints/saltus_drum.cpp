// What joints add to the cost of contacts: a chain on a drum (drum.h) with its hinges and without, one line of JSON each.
//
//     saltus_drum drum [links=125] [layers=1] [sway=0] [drop=0] [level=both] [steps=200] [from=50]
#include <tbb/task_arena.h>

#include "bench/joints/drum.h"
#include "bench/rigid/engine.h"
#include "saltus/scene/build.h"
#include "saltus/scene_file/scene_yaml.h"
#include "saltus/sim/simulation.h"

namespace {

using namespace saltus_bench;

/// CPU time of a step: median and mean over the steps `from` .. `steps` - 1 [s]. Returns the median.
double run(const Drum& drum, int from, int steps) {
  saltus::Simulation sim(saltus::build(saltus::read_scene_text(drum.text(10.0), "drum.yaml", {})));
  tbb::task_arena arena(1);
  std::vector<double> times, contacts;
  double residual = 0.0, gap = 0.0, spent = 0.0;
  bool converged = true;
  arena.execute([&] {
    for (int k = 0; k < steps; ++k) {
      const double start = cpu_seconds();
      const saltus::StepReport report = sim.advance();
      const double seconds = cpu_seconds() - start;
      converged = converged && report.converged;
      if (!report.converged) break;
      gap = std::max(gap, report.joint_gap);
      residual = std::max(residual, report.residual);
      if (k < from) continue;
      times.push_back(seconds);
      spent += seconds;
      contacts.push_back(report.contacts);
    }
  });
  const double seconds = median(times);
  std::printf(
      "{\"joints\": %s, \"links\": %d, \"layers\": %d, \"level\": \"%s\", \"sway\": %g, \"drop\": "
      "%g, \"contacts\": %g, \"seconds\": %.4e, \"mean\": %.4e, \"residual\": %.2e, \"gap\": %.2e, "
      "\"converged\": %s}\n",
      drum.joints ? "true" : "false", drum.links, drum.layers, drum.level.c_str(), drum.sway,
      drum.drop, median(contacts), seconds,
      times.empty() ? 0.0 : spent / static_cast<double>(times.size()), residual, gap,
      converged ? "true" : "false");
  return seconds;
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings(argc, argv);
  Drum drum;
  drum.links = settings.count("links", 125);
  drum.layers = settings.count("layers", 1);
  drum.sway = settings.number("sway", 0.0);
  drum.drop = settings.number("drop", 0.0);
  drum.level = settings.text("level", "both");
  const int steps = settings.count("steps", 200), from = settings.count("from", 50);
  settings.check();
  const double with = run(drum, from, steps);
  drum.joints = false;
  const double without = run(drum, from, steps);
  std::printf("{\"ratio\": %.2f}\n", with / without);
  return 0;
}

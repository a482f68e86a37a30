// Runs of the event lane, and what they showed of themselves.
#pragma once
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "saltus/sim/simulation.h"

namespace saltus::test {

/// The same model with other options.
inline Model with_options(const Model& model, const StepOptions& options) {
  ModelParts parts;
  parts.groups.assign(model.groups().begin(), model.groups().end());
  parts.initial.assign(model.initial().begin(), model.initial().end());
  parts.pairs.assign(model.pairs().begin(), model.pairs().end());
  parts.laws.assign(model.laws().begin(), model.laws().end());
  parts.surfaces = model.surfaces();
  parts.joints.assign(model.joints().begin(), model.joints().end());
  parts.couplings.assign(model.couplings().begin(), model.couplings().end());
  parts.joint_laws.assign(model.joint_laws().begin(), model.joint_laws().end());
  parts.probes.assign(model.probes().begin(), model.probes().end());
  const auto kept = std::make_shared<const Model>(model);
  parts.solver = {kept, &kept->solver()};
  parts.options = options;
  return Model(std::move(parts));
}

/// The same model in the event lane, seen at intervals h up to `end` [s], behind which no step of the lane goes.
inline Model in_event_lane(const Model& model, double h, double end,
                           const EventOptions& events = {}) {
  StepOptions options = model.options();
  options.lane = Lane::events;
  options.events = events;
  options.h = h;
  options.end = end;
  options.correct_positions = false;
  return with_options(model, options);
}

/// What a run of the event lane showed.
struct LaneRun {
  bool good = true;     ///< every interval converged and finite
  std::string failure;  ///< why not, and when
  std::vector<Event> log;
  long intervals = 0, steps = 0, rejected = 0, evaluations = 0, located = 0;
  int most_located = 0;                                    ///< events in one interval
  double unexplained = 0.0;                                ///< largest of an interval [J]
  double rise = -std::numeric_limits<double>::infinity();  ///< largest of the energy in one [J]
  double gap =
      std::numeric_limits<double>::infinity();  ///< smallest before the first hand-over [m]
  double gap_stepped = gap;  ///< behind it: what schemes leave of penetration stays [m]
  double joint_gap = 0.0;    ///< largest [m], [rad]

  int count(Event::Kind kind) const {
    return static_cast<int>(
        std::ranges::count_if(log, [kind](const Event& e) { return e.kind == kind; }));
  }
  int impacts() const { return count(Event::Kind::impact); }
  std::vector<Event> of(Event::Kind kind) const {
    std::vector<Event> some;
    for (const Event& e : log)
      if (e.kind == kind) some.push_back(e);
    return some;
  }
};

/// Advances to `end`, over intervals of the model's own h; ends where one fails. `after` sees each.
template <class After>
LaneRun run_lane(Simulation& sim, double end, After&& after) {
  LaneRun run;
  bool stepped = false;
  double before = sim.state().energy.total();
  const double h = sim.model().options().h;
  while (sim.state().t < end - 0.5 * h) {
    const StepReport report = sim.advance();
    ++run.intervals;
    run.steps += report.steps;
    run.rejected += report.rejected;
    run.evaluations += report.evaluations;
    run.located += report.events;
    run.most_located = std::max(run.most_located, report.events);
    run.unexplained = worse(run.unexplained, std::abs(report.unexplained));
    run.joint_gap = worse(run.joint_gap, report.joint_gap);
    const double energy = sim.state().energy.total();
    run.rise = worse(run.rise, energy - before);
    before = energy;
    for (const Event& event : sim.events()) {
      run.log.push_back(event);
      if (event.kind == Event::Kind::hand_over) stepped = true;
    }
    double& gap = stepped ? run.gap_stepped : run.gap;
    gap = std::min(gap, report.gap);
    if (!report.converged || !report.finite) {
      run.good = false;
      run.failure = "t = " + std::to_string(sim.state().t) + " s: " + std::string(report.failure);
      break;
    }
    after(sim, report);
  }
  return run;
}
inline LaneRun run_lane(Simulation& sim, double end) {
  return run_lane(sim, end, [](const Simulation&, const StepReport&) {});
}

}  // namespace saltus::test

// Runs of event-driven integration, and what they showed of themselves.
#pragma once
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "saltus/sim/simulation.h"

namespace saltus::test {

inline EventOptions with_tolerance(double tolerance, OdeKind method = OdeKind::automatic) {
  EventOptions events;
  events.tolerance = tolerance;
  events.method = method;
  return events;
}

/// The model in event-driven integration.
inline Model in_lane(ModelParts parts, const EventOptions& events) {
  parts.options.mode = TimeMode::events;
  parts.options.events = events;
  return Model(std::move(parts));
}
inline Model in_lane(ModelParts parts, double tolerance,
                     ImpactOrder impacts = ImpactOrder::simultaneous) {
  EventOptions events = with_tolerance(tolerance);
  events.impacts = impacts;
  return in_lane(std::move(parts), events);
}
/// The same, seen at intervals h up to `end` [s], behind which no step of event-driven integration goes.
inline Model in_event_mode(ModelParts parts, double h, double end,
                           const EventOptions& events = {}) {
  parts.options.h = h;
  parts.options.end = end;
  parts.options.correct_positions = false;
  return in_lane(std::move(parts), events);
}
inline Model in_event_mode(const Model& model, double h, double end,
                           const EventOptions& events = {}) {
  return in_event_mode(model.parts(), h, end, events);
}

/// One line an event, for messages.
inline std::string told(const std::vector<Event>& events) {
  std::string text;
  for (const Event& e : events)
    text += fmt::format("\n  {:.17g} {} key {} speed {:.9g} impulse {:.9g}, {:.9g}, {:.9g}", e.t,
                        name_of(e.kind), e.key, e.speed, e.impulse[0], e.impulse[1], e.impulse[2]);
  return text;
}

/// What a run of event-driven integration showed.
struct EventRun {
  bool good = true;     ///< every interval converged and finite
  std::string failure;  ///< why not, and when
  std::vector<Event> log;
  long intervals = 0, steps = 0, rejected = 0, evaluations = 0, located = 0;
  int most_located = 0;                                    ///< events in one interval
  double impulse = 0.0;                                    ///< normal, of all contacts [N s]
  double unexplained = 0.0;                                ///< largest of an interval [J]
  double rise = -std::numeric_limits<double>::infinity();  ///< largest of the energy in one [J]
  double gap =
      std::numeric_limits<double>::infinity();  ///< smallest before the first hand-over [m]
  double gap_stepped = gap;  ///< behind it: what schemes leave of penetration stays [m]
  double joint_gap = 0.0;    ///< largest [m], [rad]
  double residual = 0.0;     ///< of laws after the step

  /// Those of one kind, of one contact or of all (0).
  std::vector<Event> of(Event::Kind kind, std::uint64_t key = 0) const {
    std::vector<Event> some;
    std::ranges::copy_if(log, std::back_inserter(some), [&](const Event& e) {
      return e.kind == kind && (key == 0 || e.key == key);
    });
    return some;
  }
  int count(Event::Kind kind) const { return static_cast<int>(of(kind).size()); }
  int impacts() const { return count(Event::Kind::impact); }
  /// The only one of its kind behind `from`.
  Event one(Event::Kind kind, double from = -1.0) const {
    std::vector<Event> some = of(kind);
    std::erase_if(some, [&](const Event& e) { return e.t < from; });
    REQUIRE_MESSAGE(some.size() == 1, some.size() << " events of kind " << name_of(kind));
    return some.front();
  }
};

/// Advances to `end`, over intervals of the model's own h, at least one; ends where one fails. `after` sees each.
template <class After>
EventRun run_in_events(Simulation& sim, double end, After&& after) {
  EventRun run;
  bool stepped = false;
  double before = sim.state().energy.total();
  do {
    const StepReport report = sim.advance();
    ++run.intervals;
    run.steps += report.steps;
    run.rejected += report.rejected;
    run.evaluations += report.evaluations;
    run.located += report.events;
    run.most_located = std::max(run.most_located, report.events);
    run.impulse += report.impulse;
    run.unexplained = worse(run.unexplained, std::abs(report.unexplained));
    run.joint_gap = worse(run.joint_gap, report.joint_gap);
    if (!stepped) run.residual = worse(run.residual, report.residual_after);
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
      run.failure = fmt::format("t = {} s: {}", sim.state().t, report.failure);
      break;
    }
    after(sim, report);
  } while (sim.state().t < end - 1e-9 * sim.model().options().h);
  return run;
}

/// The same of a run that must not fail; its reports count the events it shows, in the order of time.
template <class After>
EventRun run_events(Simulation& sim, double end, After&& after) {
  EventRun run = run_in_events(sim, end, std::forward<After>(after));
  REQUIRE_MESSAGE(run.good, run.failure);
  CHECK(run.located == static_cast<long>(run.log.size()));
  std::vector<Event> seen =
      run.log;  // bounces end behind the instant at which they are taken together
  std::erase_if(seen, [](const Event& e) { return e.kind == Event::Kind::rest; });
  CHECK(std::ranges::is_sorted(seen, {}, &Event::t));
  return run;
}
inline EventRun run_events(Simulation& sim, double end) {
  return run_events(sim, end, [](const Simulation&, const StepReport&) {});
}

/// Change of energy since the start that the accounts, without those of what is not known, do not explain [J].
inline double open_in_ledger(const Simulation& sim) {
  double open = sim.state().energy.total() - sim.state().energy_start;
  for (std::size_t i = 0; i < sim.model().accounts().size(); ++i)
    if (sim.model().accounts()[i] != "scheme" && sim.model().accounts()[i] != "unexplained")
      open -= sim.state().ledger[i];
  return std::abs(open);
}

}  // namespace saltus::test

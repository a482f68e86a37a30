// Runs of the event lane, with everything it located.
#pragma once
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <set>
#include <string>
#include <vector>

#include "saltus/sim/simulation.h"

namespace saltus::test {

/// The model in the event lane.
inline Model in_lane(ModelParts parts, const EventOptions& events = {}) {
  parts.options.lane = Lane::events;
  parts.options.events = events;
  return Model(std::move(parts));
}
inline Model in_lane(ModelParts parts, double tolerance,
                     ImpactOrder impacts = ImpactOrder::simultaneous) {
  EventOptions events;
  events.tolerance = tolerance;
  events.impacts = impacts;
  return in_lane(std::move(parts), events);
}

/// What a run of the event lane shows.
struct EventRun {
  std::vector<Event> events;
  double impulse = 0.0;            ///< normal, of impacts and lasting contact [N s]
  double worst_unexplained = 0.0;  ///< of an interval [J]
  double smallest_gap = 1e300;     ///< at the ends of intervals [m]
  long steps = 0, evaluations = 0;

  /// Those of one kind, of one contact or of all (0).
  std::vector<Event> of(Event::Kind kind, std::uint64_t key = 0) const {
    std::vector<Event> some;
    std::ranges::copy_if(events, std::back_inserter(some), [&](const Event& e) {
      return e.kind == kind && (key == 0 || e.key == key);
    });
    return some;
  }
  /// The only one of its kind behind `from`.
  Event one(Event::Kind kind, double from = -1.0) const {
    std::vector<Event> some = of(kind);
    std::erase_if(some, [&](const Event& e) { return e.t < from; });
    REQUIRE_MESSAGE(some.size() == 1, some.size() << " events of kind " << name_of(kind));
    return some.front();
  }
};

/// One line an event, for messages.
inline std::string told(const std::vector<Event>& events) {
  std::string text;
  for (const Event& e : events)
    text += fmt::format("\n  {:.17g} {} key {} speed {:.9g} impulse {:.9g}, {:.9g}, {:.9g}", e.t,
                        name_of(e.kind), e.key, e.speed, e.impulse[0], e.impulse[1], e.impulse[2]);
  return text;
}

/// Intervals of the model's length up to `end`, at least one.
inline EventRun run_events(Simulation& sim, double end) {
  EventRun run;
  do {
    const StepReport report = sim.advance();
    REQUIRE_MESSAGE((report.converged && report.finite),
                    "t = " << sim.state().t << " s: " << std::string(report.failure));
    const auto events = sim.events();
    CHECK(report.events == static_cast<int>(events.size()));
    run.events.insert(run.events.end(), events.begin(), events.end());
    run.impulse += report.impulse;
    run.worst_unexplained = std::max(run.worst_unexplained, std::abs(report.unexplained));
    run.smallest_gap = std::min(run.smallest_gap, report.gap);
    run.steps += report.steps;
    run.evaluations += report.evaluations;
  } while (sim.state().t < end - 1e-9 * sim.model().options().h);
  CHECK(std::ranges::is_sorted(run.events, {}, &Event::t));
  return run;
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

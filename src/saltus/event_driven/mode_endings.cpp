#include "saltus/event_driven/mode_endings.h"

#include <algorithm>
#include <cmath>

#include "saltus/base/index_internal.h"
#include "saltus/event_driven/slips.h"

namespace saltus {
namespace {

/// Relative to the largest force: a smaller margin of redundant contacts counts as zero.
constexpr double kNoMargin = 1e-9;
/// relative to the magnitude of a force: friction that has a direction
constexpr double kStrong = 1e-6;

}  // namespace

EventEnding ModeEndings::ending_of(const EventState& event_state) const {
  using Kind = EventSearch::Kind;
  const auto kind = static_cast<Kind>(event_state.ends_with);
  EventEnding ending{EventEnding::Kind::opens, event_state.ends_key, {}};
  if (kind == Kind::ends) ending.kind = EventEnding::Kind::ends;
  if (kind == Kind::presses) {
    const int i = motion_.contacts().index_of(event_state.ends_key);
    if (i >= 0 && !motion_.contacts().law(at(i)).set_valued())
      ending.kind = EventEnding::Kind::ends;
  }
  if (kind == Kind::gap || kind == Kind::resumes) ending.kind = EventEnding::Kind::closes;
  return ending;
}

bool ModeEndings::add(State& state, double time, std::vector<EventEnding>& endings) {
  using Kind = EventSearch::Kind;
  EventState& event_state = state.event_state;
  const auto kind = static_cast<Kind>(event_state.ends_with);
  EventEnding ending = ending_of(event_state);
  bool redundant = kind == Kind::bears;
  if (kind == Kind::holds || kind == Kind::presses) {
    motion_.rates_at(state);
    redundant = ending.kind != EventEnding::Kind::ends && mark_redundant(event_state);
    if (redundant) {
      motion_.rates_at(state);
      if (motion_.distribute(true) > kNoMargin) return false;
    }
    if (kind == Kind::holds) {  // the friction at this instant determines the direction of the slip
      ending.kind = EventEnding::Kind::slides;
      ending.direction = search_.slip(event_state.ends_key);
    }
  }
  const EventOptions& options = model_.options().events;
  // A slip without remaining distance has ended, whatever round-off remains across it.
  if (kind == Kind::slips && has_stopped(motion_, state, event_state.ends_key, options.zeno))
    endings.push_back({EventEnding::Kind::stops, event_state.ends_key, {}});
  if (redundant) {
    InstantReport none;
    endings = response_.foresee(state.t, std::min(time, model_.options().h), state.groups,
                                event_state.modes, none);
    point_slips(state, endings);
  } else if (kind != Kind::slips && kind != Kind::leaves) {
    endings.push_back(ending);
  }
  return true;
}

// If the contact that ends the step is redundant at the last rates(), marks its group.
bool ModeEndings::mark_redundant(EventState& event_state) {
  for (std::size_t k = 0; k < motion_.modes().size(); ++k) {
    if (motion_.modes()[k].key != event_state.ends_key || !motion_.redundant(k)) continue;
    motion_.mark_redundant(k, event_state.modes);
    return true;
  }
  return false;
}

// Slips begin opposite to the friction at this instant, if there is any.
void ModeEndings::point_slips(const State& state, std::vector<EventEnding>& endings) {
  motion_.rates_at(state);
  motion_.distribute(true);
  std::vector<double> sizes;
  motion_.force_sizes(sizes);
  for (std::size_t k = 0; k < motion_.modes().size(); ++k) {
    const Vector3& f = motion_.force(k);
    if (!(std::hypot(f[1], f[2]) > kStrong * sizes[k])) continue;
    for (EventEnding& ending : endings)
      if (ending.kind == EventEnding::Kind::slides && ending.key == motion_.modes()[k].key)
        ending.direction = search_.slip(ending.key);
  }
}

}  // namespace saltus

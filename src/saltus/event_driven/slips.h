// Contacts that slide in a smooth motion: how long their slips last, and which of them are over.
#pragma once
#include <span>
#include <vector>

#include "saltus/event_driven/constrained_motion.h"
#include "saltus/event_driven/instant.h"

namespace saltus {

bool any_slides(std::span<const ContactMode> modes);

/// The time after which a slip in a plane would be another, at the start of a step, after
/// motion.rates() [s]: twice that of its end, u^2/(-u . u'), and that in which it turns,
/// |u|/|u'_across|. After its end its force keeps its direction, and a step of which most lies
/// there would seem to be without error. Infinite: no contact slides.
double slip_time(ConstrainedMotion& motion, const OdeStep& step);

/// u^2 <= 2 zeno |u'| of the slip of a mode at the state.
bool has_stopped(ConstrainedMotion& motion, const State& state, std::uint64_t key, double zeno);

/// Slips whose distance to their end is below a small part of `zeno`, at the start of a step. Where
/// a body turns while it slides, the directions of its slips turn ever faster towards their common
/// end, and no step is short enough.
std::vector<EventEnding> stopping_slips(ConstrainedMotion& motion, const OdeStep& step,
                                        double zeno);

/// Slips continue from their present directions; time: how long the next step is about [s].
void update_directions(ConstrainedMotion& motion, State& state, double time);

}  // namespace saltus

// Contacts that slide in a smooth motion: how long their slips last, and which have ended.
#pragma once
#include <span>
#include <vector>

#include "saltus/event_driven/constrained_motion.h"
#include "saltus/event_driven/instant.h"

namespace saltus {

bool any_slides(std::span<const ContactMode> modes);

/// The time scale of a slip with two tangents at the start of a step, after motion.rates() [s]: the
/// smaller of twice the time to its end, u^2/(-u . u'), and of the time in which it changes
/// direction, |u|/|u'_across|. After its end the force keeps its direction, and a step that is
/// mostly beyond the end would seem to have no error. Infinite: no contact slides.
double slip_time(ConstrainedMotion& motion, const OdeStep& step);

/// True if u^2 <= 2 zeno |u'| for the slip of a mode at the state.
bool has_stopped(ConstrainedMotion& motion, const State& state, std::uint64_t key, double zeno);

/// Slips whose distance to their end is below a small fraction of `zeno`, at the start of a step.
/// If a body rotates while it slides, its slips change direction ever faster towards their common
/// end, and no step is short enough.
std::vector<EventEnding> stopping_slips(ConstrainedMotion& motion, const OdeStep& step,
                                        double zeno);

/// Updates the mode directions to the present slips; time: approximate length of the next step [s].
void update_directions(ConstrainedMotion& motion, State& state, double time);

}  // namespace saltus

// The step that ends at a frame, as a frame keeps it beside its own moment: with it the equations of the step can be made anew.
#pragma once
#include <span>

#include "saltus/sim/contact_view.h"
#include "saltus/sim/state.h"

namespace saltus {

struct FrameStep {
  /// All groups at the beginning of the step, q and v as their schemes hold them; empty: no step ends here.
  std::span<const GroupState> start;
  /// What the rows of the contacts were made of, in the order of the contacts of the frame (Simulation::seen_contacts());
  /// empty: not known.
  std::span<const SeenContact> contacts;
};

}  // namespace saltus

// The end of a Zeno sequence: infinitely many impacts of a contact in a finite time.
//
// A contact that opens with u_N = v > 0 and is pulled back by a_N < 0 bounces for tau = 2 v/(|a_N|
// (1 - e)) and then rests. The impacts give it in all  m v (1 + e)/(1 - e) = m |a_N| tau - m v:  as
// much as if it were closed from now on but for -m v, which is taken from it here.
#pragma once
#include "saltus/event_driven/active_contacts.h"

namespace saltus {

/// Closes one of the active contacts that open and will be closed again after less than
/// EventOptions::zeno of height and half of now.scale. groups get the velocities of the contacts.
/// False: there is none.
bool close_zeno_sequence(const Model& model, ConstrainedMotion& motion, const Instant& now,
                         ActiveContacts& active, std::vector<GroupState>& groups,
                         std::vector<Event>& events, InstantReport& report);

}  // namespace saltus

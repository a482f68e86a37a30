// The end of a Zeno sequence: infinitely many impacts of a contact in a finite time.
//
// A contact that opens with u_N = v > 0 and is accelerated back by a_N < 0 bounces for a time tau
// and then rests. Its impacts have the total impulse P:
//     tau = 2 v/(|a_N| (1 - e)),     P = m v (1 + e)/(1 - e) = m |a_N| tau - m v
// P is the impulse of a contact closed from now on, minus m v, which is applied here.
#pragma once
#include "saltus/event_driven/active_contacts.h"

namespace saltus {

/// Closes one of the active contacts that open and will close again from a height below
/// EventOptions::zeno and within half of now.scale. Sets the velocities of `groups` to those of the
/// contacts. False: there is none.
bool close_zeno_sequence(const Model& model, ConstrainedMotion& motion, const Instant& now,
                         ActiveContacts& active, std::vector<GroupState>& groups,
                         std::vector<Event>& events, InstantReport& report);

}  // namespace saltus

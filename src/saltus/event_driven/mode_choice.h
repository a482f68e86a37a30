// Determines which of the active contacts stay closed, stick or slide from here on, from the
// contact problem of the accelerations:
//
//     u' = W lambda + b,   b = H a + bias,     0 <= u'_N perp N >= 0,  Coulomb's cone where u_T = 0
//
// The force of a sliding contact has the direction n - mu d.
#pragma once
#include "saltus/contact/contact_solver.h"
#include "saltus/event_driven/active_contacts.h"

namespace saltus {

/// Sets ActiveContact::held, kind and direction of all active contacts, and computes the bias.
/// False: no acceleration was found that obeys the laws; report.failure is set. `asked`: the
/// tolerance for the solver; `allowed`: the tolerance that its result must meet.
bool choose_modes(const ContactSolver& solver, const Limits& asked, double allowed,
                  ActiveContacts& active, InstantReport& report);

}  // namespace saltus

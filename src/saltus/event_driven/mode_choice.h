// Which of the active contacts stay closed, stick or slide from here on: the contact problem of the
// accelerations,
//
//     u' = W lambda + b,   b = H a + bias,     0 <= u'_N perp N >= 0,  Coulomb's cone where u_T = 0
//
// One that slides has the direction of force n - mu d.
#pragma once
#include "saltus/contact/contact_solver.h"
#include "saltus/event_driven/active_contacts.h"

namespace saltus {

/// Sets ActiveContact::held, kind and direction of all active contacts, and makes the bias. False:
/// no acceleration was found that obeys the laws, and report.failure says so. `asked`, `allowed`:
/// the tolerance that the solver is given, and the one that its result must have.
bool choose_modes(const ContactSolver& solver, const Limits& asked, double allowed,
                  ActiveContacts& active, InstantReport& report);

}  // namespace saltus

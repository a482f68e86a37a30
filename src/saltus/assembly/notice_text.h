// Notices in sentences: what happened to which bodies, and what to write instead.
#pragma once
#include <string>

#include "saltus/assembly/surface_finder.h"
#include "saltus/model/model.h"
#include "saltus/state/contact_view.h"

namespace saltus {

/// A body passed through another one in a step of h [s].
std::string passed_text(const Model& model, const SurfacePassages::Passed& passed, double h);

/// A dashpot reversed a rate, z = h c/m > 2; joint_law: index in Model::joint_laws(), -1: a
/// contact.
std::string overdamped_text(const Model& model, int joint_law, double damping, double z, double h);
/// A contact held two bodies (numbers as in Surfaces::excluded) a gap [m] apart; time: of the fall
/// across the gap [s].
std::string points_text(const Model& model, int a, int b);
std::string across_text(const Model& model, int a, int b, double gap, double h, double time);
/// Contacts, given as the subject of a sentence, carry load and are open by a gap [m].
std::string open_text(const std::string& contacts, double gap, const ContactLaw& law);
/// "'body'" or "a fixed body".
std::string side_name(const Model& model, const ContactView::Side& side);
/// "'ball' with 'floor'": a fixed body comes last.
std::string pair_name(const Model& model, const ContactView& view, std::string_view word);
/// The friction axis of a law was along the normal of a contact.
std::string undirected_text(const Model& model, int law);
/// A rigid body turned by an angle [rad] of more than half a turn in a step.
/// A joint turned so far and so unevenly in a step of h [s] that the number of its turns is
/// ambiguous.
std::string turn_text(const Model& model, const JointAngle& of, double h);
std::string spins_text(const Model& model, int group, int body, double angle, double h);

/// The largest number of one digit that is not above x > 0: for step sizes that a message proposes.
double rounded_down(double x);

}  // namespace saltus

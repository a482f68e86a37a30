// What steps met, in sentences: what happened to whom, and what to write instead.
#pragma once
#include <string>

#include "saltus/assembly/surface_finder.h"
#include "saltus/model/model.h"
#include "saltus/state/contact_view.h"

namespace saltus {

/// A body passed through another in a step of h [s].
std::string passed_text(const Model& model, const SurfacePassages::Passed& passed, double h);

/// A dashpot turned a rate round, z = h c/m > 2; joint_law: index into Model::joint_laws(), -1: of
/// a contact.
std::string overdamped_text(const Model& model, int joint_law, double damping, double z, double h);
/// A contact of two bodies (numbers as in Surfaces::excluded) held one a gap [m] above the other;
/// time: of its fall to it [s].
std::string across_text(const Model& model, int a, int b, double gap, double h, double time);
/// Contacts, by a sentence's subject, carry load and stand open by a gap [m].
std::string open_text(const std::string& contacts, double gap, const ContactLaw& law);
/// "'body'" or "what is fixed".
std::string side_name(const Model& model, const ContactView::Side& side);
/// "'ball' with 'floor'": what is fixed comes last.
std::string pair_name(const Model& model, const ContactView& view, std::string_view word);
/// The axis of the friction of a law stood along the normal of a contact.
std::string undirected_text(const Model& model, int law);
/// A rigid body turned by an angle [rad] of more than half a turn in a step.
std::string spins_text(const Model& model, int group, int body, double angle, double h);

/// The largest number of one digit that is not above x > 0: for steps that a message proposes.
double rounded_down(double x);

}  // namespace saltus

#include "saltus/assembly/law_needs.h"

namespace saltus {

LawNeeds LawNeeds::of(const Model& model, const ContactList& list) {
  LawNeeds needs;
  for (const int i : list.laws()) {
    const ContactLaw& law = model.law(i);
    const LawFacts& facts = law.facts();
    needs.start_gaps = needs.start_gaps || facts.reads_start_gap || facts.closes_gaps;
    needs.reach = needs.reach || facts.closes_gaps;
    needs.forces = needs.forces || !law.set_valued();
    needs.follows = needs.follows || facts.follows_passes;
    needs.damping = needs.damping || facts.damping > 0.0;
    needs.activates = needs.activates || law.activated();
    needs.expands = needs.expands || facts.expands;
    needs.coheres = needs.coheres || facts.cohesion > 0.0;
    needs.falls = needs.falls || law.weakens();
  }
  for (std::size_t i = 0; i < list.named(); ++i) {
    if (list[i].joint_law < 0) continue;
    needs.W = needs.W || list.law(i).facts().reads_W;
    needs.given = needs.given || list.law(i).facts().given;
    if (list[i].actuated) {
      needs.actuators = true;
      continue;
    }
    needs.dampers = needs.dampers || list.law(i).facts().damping > 0.0;
    needs.stops = needs.stops || !list.law(i).slides_on_normal();
  }
  return needs;
}

}  // namespace saltus

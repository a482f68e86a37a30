// What the laws of the contacts of an island require of a step.
#pragma once
#include "saltus/assembly/contact_list.h"

namespace saltus {

struct LawNeeds {
  bool start_gaps = false;
  bool reach = false;      ///< some law uses Y
  bool forces = false;     ///< some law is not set-valued: it adds to the diagonal of W
  bool follows = false;    ///< the contacts that some law admits change from pass to pass
  bool damping = false;    ///< some law has a dashpot
  bool dampers = false;    ///< some law on a joint has a dashpot
  bool stops = false;      ///< some law on a joint is not friction
  bool actuators = false;  ///< some law on a joint has an actuator
  bool W = false;          ///< some law on a joint uses W of its row
  bool given = false;      ///< some law on a joint is a given force
  bool activates = false;  ///< some law restricts rates of contacts that it admits by their gaps
  bool expands = false;    ///< a compression problem is solved first
  bool coheres = false;
  bool falls = false;  ///< friction of some law depends on the slip

  /// For the laws that contacts of the list may have.
  static LawNeeds of(const Model& model, const ContactList& list);
};

}  // namespace saltus

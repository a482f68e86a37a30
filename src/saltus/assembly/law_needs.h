// What the laws of the contacts of an island need of a step.
#pragma once
#include "saltus/assembly/contact_list.h"

namespace saltus {

struct LawNeeds {
  bool start_gaps = false;
  bool reach = false;      ///< Y
  bool forces = false;     ///< a law is no set-valued one: it adds to the diagonal of W
  bool follows = false;    ///< what some law lets in changes from pass to pass
  bool damping = false;    ///< some law has a dashpot,
  bool dampers = false;    ///< one that acts on a joint
  bool stops = false;      ///< some law acts on a joint and is no friction
  bool activates = false;  ///< a law restricts rates of points that it lets in by their gaps
  bool expands = false;    ///< a problem of compression comes before
  bool coheres = false;
  bool falls = false;  ///< friction of some law depends on the slip

  /// Of the laws that contacts of the list may have.
  static LawNeeds of(const Model& model, const ContactList& list);
};

}  // namespace saltus

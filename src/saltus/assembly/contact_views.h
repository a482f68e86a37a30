// The contacts of an island after a solve: for viewers, for the next step, and for groups with
// prescribed degrees of freedom.
#pragma once
#include <vector>

#include "saltus/assembly/contact_list.h"
#include "saltus/assembly/island_problem.h"

namespace saltus {

/// Appends every contact of the list with its gap in the finished state, impulses and status.
void append_views(const ContactList& list, const IslandProblem& problem,
                  std::vector<SeenContact>& contacts);

/// Appends the contacts with an impulse, and those whose bond is intact, by increasing key. A bond
/// is lost if it carries its maximum, P = -h c, and opens: u > 0, by more than the error of the
/// solver. Otherwise other contacts carry the rest of the load, and the bond stays.
void append_memory(const Model& model, const ContactList& list, const IslandProblem& problem,
                   std::vector<ContactMemory>& contacts);

/// Appends the impulses that contacts between surfaces and laws on joints exert on groups with
/// prescribed degrees of freedom.
void append_point_impulses(const Model& model, const ContactList& list,
                           const IslandProblem& problem, const JointSystem& joints,
                           std::vector<PointImpulse>& impulses);

}  // namespace saltus

// The contacts of an island after a solve: for viewers, for the next step, and for what is
// prescribed.
#pragma once
#include <vector>

#include "saltus/assembly/contact_list.h"
#include "saltus/assembly/island_problem.h"

namespace saltus {

/// Appends every contact of the list with its gap of the finished state, impulses and status.
void append_views(const ContactList& list, const IslandProblem& problem,
                  std::vector<SeenContact>& contacts);

/// Appends the contacts with an impulse, and those whose bond holds, by increasing key. A bond is
/// lost where it carries all it can, P = -h c, and opens: u > 0, beyond what the solver leaves of
/// it. Others may carry what is more, and it stays.
void append_memory(const Model& model, const ContactList& list, const IslandProblem& problem,
                   std::vector<ContactMemory>& contacts);

/// Appends the impulses of contacts between surfaces and of laws on joints on groups with
/// prescribed degrees of freedom.
void append_point_impulses(const Model& model, const ContactList& list,
                           const IslandProblem& problem, const JointSystem& joints,
                           std::vector<PointImpulse>& impulses);

}  // namespace saltus

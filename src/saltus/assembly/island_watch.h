// What a finished step of an island shows of a step that is too long, and says: bodies that passed
// through others, dashpots that turn rates round, contacts that hold at a distance, angles that are
// counted no longer.
#pragma once
#include <array>
#include <vector>

#include "saltus/assembly/contact_watch.h"
#include "saltus/assembly/island_problem.h"
#include "saltus/state/open_contacts.h"

namespace saltus {

class IslandWatch {
 public:
  IslandWatch(const Model& model, ContactList& list, const IslandProblem& problem);

  /// What passed through another; the ends are where gaps were measured last.
  void find_passed(IslandStep& step);
  /// After IslandProblem::measure(). rates: the last stage was one of rates.
  void look(IslandStep& step, bool rates);
  /// Springs and stops of angles that are counted no longer: beyond half a turn from where they
  /// look for it, or after a step of more than half a turn by the mean rate.
  void expect_counted(IslandStep& step, StepReport& report);

 private:
  static std::size_t size(int i) { return static_cast<std::size_t>(i); }
  void find_mechanisms();
  double kinetic_of(const IslandStep& step, std::size_t i) const;
  void find_overdamped(IslandStep& step);
  void find_across(IslandStep& step);
  double speed_of(const IslandStep& step, std::size_t i) const;
  void find_open(IslandStep& step);
  void find_undirected(IslandStep& step);

  const Model& model_;
  ContactList& list_;
  const IslandProblem& problem_;
  ContactWatch contacts_;
  bool directs_ = false;                    ///< friction of some law depends on its direction
  std::vector<std::size_t> mechanism_;      ///< of every joint of the model, if a law has a dashpot
  std::vector<std::array<int, 3>> joined_;  ///< mechanism, group and body, sorted
  std::vector<std::array<int, 2>> acted_;   ///< scratch of find_passed()
  OpenContacts open_;
  Vector u_;  ///< rates at the end
};

}  // namespace saltus

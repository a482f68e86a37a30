// Detects and reports signs that a step of an island is too long: bodies that passed through
// others, dashpots that reverse rates, contacts that hold at a distance, angles that are no longer
// tracked.
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

  /// Finds bodies that passed through another one or ended deep in it: the first one is reported if
  /// the step can be divided there, else those that passed. The end states are those at which gaps
  /// were last measured.
  void find_passed(IslandStep& step, StepReport& report);
  /// A step that was made with contacts at the points of the detection.
  void tell_points(IslandStep& step);
  /// Checks whether the contact problem, which was not solved, has a solution at all.
  void find_contradiction(Stop* stop, StepReport& report) const;
  /// After IslandProblem::measure(). rates: the last stage was one of velocities.
  void look(IslandStep& step, bool rates);
  /// Fails a step in which an angle with a spring or a stop turned by more than half a turn at the
  /// mean rate.
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
  bool directs_ = false;                    ///< friction of some law is direction-dependent
  std::vector<std::size_t> mechanism_;      ///< of each joint of the model, if a law has a dashpot
  std::vector<std::array<int, 3>> joined_;  ///< mechanism, group and body, sorted
  std::vector<std::array<int, 2>> acted_;   ///< work space of find_passed()
  OpenContacts open_;
  Vector u_;  ///< rates at the end
};

}  // namespace saltus

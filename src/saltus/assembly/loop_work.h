// Joints that close loops, at positions where their rows are nearly dependent.
#pragma once
#include <vector>

#include "saltus/assembly/island_joints.h"

namespace saltus {

/// The work of the joints of an island, which is none without drives.
class LoopWork {
 public:
  /// groups: the members of the island.
  LoopWork(const Model& model, std::span<const int> groups);

  /// Work, relative to the kinetic energies at both ends of the step, of a step that is made once
  /// more, and of one that has failed.
  static constexpr double kSuspect = 1e-3, kMost = 0.05;

  /// After the last stage, before the ends are written: fails a step in which joints with loops and
  /// without drives did more work than `most`. Near positions where rows are dependent, the
  /// equations of a step have several solutions, and not all keep the energy.
  void find(const IslandJoints& joints, const IslandStep& step, double most, StepReport& report);

 private:
  struct Member {
    int group;
    Vector r, y;
  };
  std::vector<Member> members_;
};

}  // namespace saltus

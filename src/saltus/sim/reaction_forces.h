// Forces on the prescribed degrees of freedom of groups, mean over a step, including contacts and
// joints.
#pragma once
#include <vector>

#include "saltus/sim/step_in_work.h"

namespace saltus {

class ReactionForces {
 public:
  explicit ReactionForces(const Model& model);

  /// True if some group has prescribed degrees of freedom.
  bool any() const { return any_; }
  /// Before the first step: sets the reactions of the motion without contact.
  void start(const State& state, PreparedSchemes prepared);

  /// Impulses of the current step on points of groups, except those of pairs and of joints of
  /// islands.
  std::vector<PointImpulse>& impulses() { return impulses_; }
  /// After a step of h from the state to `ends`; contacts: of pairs, sorted by key.
  void update(double h, const State& state, std::span<const GroupState> ends,
              std::span<const ContactMemory> contacts, Islands islands);

  /// Reactions of each group [N], [N m]; empty without prescribed degrees of freedom.
  std::vector<Vector>& values() { return values_; }
  const std::vector<Vector>& values() const { return values_; }

 private:
  void add_pairs(std::size_t g, double t, double h, std::span<const ContactMemory> contacts);
  void add_impulse(std::size_t g, double t, double h, const PointImpulse& on);

  const Model& model_;
  bool is_static_;
  bool any_ = false;
  std::vector<Vector> values_;
  std::vector<PointImpulse> impulses_;
  Vector q_, v_, a_, f_;  ///< of a group in the middle of the step
};

}  // namespace saltus

// Forces of an interval that consists of several steps: means over the interval.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "saltus/state/contact_view.h"

namespace saltus {

class IntervalForces {
 public:
  /// Mean force of all contacts of b on a, in space [N].
  struct Pair {
    ContactView::Side a, b;
    Vector3 force = Vector3::Zero();
  };

  /// An interval begins, with the reactions and joints of this model.
  void begin(std::span<const Vector> reactions, std::size_t joints);
  /// A step that covers this fraction of the interval.
  void add_reactions(double fraction, std::span<const Vector> of_step);
  void add_load(double fraction, std::size_t joint, const std::array<Vector3, 2>& of_step);
  void add_contact(double fraction, double h, const ContactView& of_step);

  std::vector<Vector>& reactions() { return reactions_; }  ///< as ReactionForces::values()
  /// Of each joint, as Simulation::joint_load.
  const std::vector<std::array<Vector3, 2>>& loads() const { return loads_; }
  const std::vector<Pair>& contacts() const { return contacts_; }
  /// Mean force or torque of the law on a joint with this key [N], [N m].
  double law(std::uint64_t key) const;

 private:
  std::vector<Vector> reactions_;
  std::vector<std::array<Vector3, 2>> loads_;
  std::vector<Pair> contacts_;
  std::vector<std::pair<std::uint64_t, double>> laws_;
};

}  // namespace saltus

// Geometric stiffness of links: the force of a joint of kind distance turns with its direction.
//
// The impulse L < 0 of a link of length l under tension, a mean over the step, changes across its
// direction by  -k u  where the velocity of one end relative to the other changes by u across it:
//
//     k = (gain h/2) |L|/l                                                                      (1)
//
// Where k is large beside the masses of the ends, the passes converge only if they follow this
// force. For such steps the links have two rows more, across their direction, with the compliance
// 1/k instead of a constraint: their impulses are -k u, and vanish as the passes converge.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "saltus/assembly/island.h"
#include "saltus/contact/joint_system.h"

namespace saltus {

class TautLinks {
 public:
  /// groups: the members of the island, in their order.
  TautLinks(const Model& model, std::span<const int> groups);

  /// The system has rows across links.
  bool taut() const { return taut_; }
  /// Row i is one of them.
  bool across(Eigen::Index i) const { return taut_ && across_[static_cast<std::size_t>(i)] != 0; }

  /// Before a pass, with the impulses L of the previous one on the rows of the system, which have
  /// been factorised: gives it rows across its links if (1) matters for some, and these their
  /// compliance. Returns true if its rows, which have to be made, and L are now others.
  bool tauten(const IslandStep& step, std::span<const char> left_out, JointSystem& system,
              Vector& L);
  /// For a pass with the rows of the previous one: rows across links do nothing.
  void relax(JointSystem& system);
  /// The system has no such rows any more; L keeps the impulses of the others. False: it had none.
  bool slacken(JointSystem& system, Vector& L);
  void forget() { other_.reset(); }  ///< other joints are left out

  /// u -= compliance L
  void subtract(const Vector& L, Vector& u) const {
    if (taut_) u -= compliance_.cwiseProduct(L);
  }
  /// Twice the energy of the impulses across links [J].
  double energy(const JointSystem& system, const Vector& L) const;

 private:
  struct Link {
    int joint = 0, group = 0;  ///< a group that moves
    double k = 0.0;            ///< (1) [kg]
    double diagonal = 0.0;     ///< S_ii of its constraint [1/kg]
  };
  void measure(const IslandStep& step, const JointSystem& system, const Vector& L);
  bool matter(const JointSystem& system);
  void exchange(std::span<const char> left_out, JointSystem& system, Vector& L);
  void yield(bool follow, JointSystem& system);

  const Model& model_;
  std::vector<JointMember> members_;
  std::vector<Link> links_;
  std::optional<JointSystem> other_;  ///< with rows across links, or while taut_ without
  bool taut_ = false;
  std::vector<char> across_;  ///< of each row of the system with such rows
  Vector compliance_;         ///< while taut_
};

}  // namespace saltus

// Angles of joints over any number of turns.
//
// The poses of the bodies determine an angle up to full turns, c in (-pi, pi]. A step from t0 to t1
// selects the turn nearest to the angle predicted from the rates u at its ends:
//
//     phi1 = c1 + 2 pi n,   n the integer with the least |phi1 - (phi0 + (t1 - t0) (u0 + u1)/2)|
//
// GroupState::angles stores phi (see Model::angles()), so that a resumed run continues in the same
// turn.
#pragma once
#include <array>
#include <span>
#include <vector>

#include "saltus/contact/joint_system.h"
#include "saltus/model/model.h"

namespace saltus {

/// The angle stored in the groups [rad].
inline double stored_angle(const JointAngle& of, std::span<const GroupState> groups) {
  return groups[static_cast<std::size_t>(of.group)].angles[static_cast<std::size_t>(of.slot)];
}

class JointAngles {
 public:
  explicit JointAngles(const Model& model);

  bool empty() const { return model_.angles().empty(); }
  /// Whether the groups store all their angles.
  bool known(std::span<const GroupState> groups) const;
  /// Sets the angles of groups at t that have none, as at the start of a run: to the turn nearest
  /// to Joint::start if that is not 0, otherwise to a turn between the stops of the coordinate if
  /// there is one, otherwise to (-pi, pi]. joints: all joints of the model.
  void start(JointSystem& joints, double t, std::span<GroupState> groups);
  /// Sets the angles of `after` at t1 from those of `before` at t0; q and v of both are given.
  /// Returns the first angle (of Model::angles()) that differs from the prediction by a quarter
  /// turn or more, so that its turn is ambiguous, or the twist of a ball joint whose axes passed
  /// through opposite directions; null: none.
  const JointAngle* follow(JointSystem& joints, double t0, std::span<const GroupState> before,
                           double t1, std::span<GroupState> after);

 private:
  /// theta, theta', and s_x, s_y of each ball joint.
  struct Swings {
    Vector theta, rate, s;
  };

  double turning(const JointAngle& of, std::span<const GroupState> groups) const;
  void values(JointSystem& joints, double t, std::span<const GroupState> groups);
  const JointAngle* passed_opposite(JointSystem& joints, double t0,
                                    std::span<const GroupState> before, double t1,
                                    std::span<const GroupState> after);
  void measure(JointSystem& joints, double t, std::span<const GroupState> groups, Swings& of) const;
  void rates(JointSystem& joints, double t, std::span<const GroupState> groups, Vector& u) const;

  const Model& model_;
  std::vector<std::array<int, 2>> coordinates_;  ///< joint and coordinate of each angle
  std::vector<std::size_t> count_;               ///< angles of each group
  /// Of each angle: it changes no faster than its two sides turn, rigid bodies or the world.
  std::vector<char> bounded_;
  /// Of each ball joint: index of its twist; joint and coordinate of theta and of its components.
  std::vector<std::size_t> twists_;
  std::vector<std::array<int, 2>> swings_, components_;
  Swings before_, after_;
  Vector c_, u0_, u1_;
};

}  // namespace saltus

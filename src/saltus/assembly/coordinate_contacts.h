// Laws on joint coordinates (springs, stops, friction) among the contacts of an island.
#pragma once
#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

#include "saltus/assembly/island_contacts.h"
#include "saltus/contact/joint_system.h"
#include "saltus/model/model.h"

namespace saltus {

/// Reason why a spring or a stop lost its angle, in StepReport::failure.
inline constexpr std::string_view kFastTurn = "turned by more than half a turn in one step";

/// Angles count turns: an angle within a step has the turn nearest to the angle at its start
/// (joint_angles.h). A step therefore must not turn a joint with a spring or a stop by more than
/// half a turn.
class CoordinateContacts {
 public:
  /// Adds the laws to the named contacts. joints: those of the island; they must outlive this
  /// object.
  CoordinateContacts(IslandContacts& contacts, JointSystem& joints);

  const JointLaw& law(const IslandContact& c) const {
    return contacts_.model().joint_laws()[static_cast<std::size_t>(c.joint_law)];
  }
  /// A step begins with the angles and set-points stored in its start state.
  void begin(std::span<const Trial> trials);
  /// Gap of contact i at t with the members at q [m], [rad].
  double gap(std::size_t i, double t, const JointSystem::Configuration& q) {
    const IslandContact& c = contacts_[i];
    const JointLaw& of = law(c);
    const Angle& angle = angle_[static_cast<std::size_t>(c.beside)];
    const double x = joints_.coordinate(t, q, of.joint, of.coordinate);
    const double target = of.actuator < 0 ? of.offset : driven(c).target(t);
    return of.sign * ((angle.of ? nearest_turn(x, angle.start) : x) - target);
  }
  /// The actuator of a law that has one, with its set-point.
  const DrivenActuator& driven(const IslandContact& c) const {
    return driven_[static_cast<std::size_t>(c.beside)];
  }
  /// Round-off of its coordinate [m], [rad].
  double round_off(const IslandContact& c) const {
    const Angle& angle = angle_[static_cast<std::size_t>(c.beside)];
    const double size = angle.of ? 1.0 + std::abs(angle.start) : joints_.extent();
    return 8.0 * std::numeric_limits<double>::epsilon() * size;
  }
  /// Whether some law has an actuator.
  bool actuated() const { return actuated_; }

  /// Whether some law needs an angle itself.
  bool counts_angles() const { return counts_angles_; }

  /// The drifts of a step from t0 to t1 without those of members: of actuators.
  void begin_drifts(double t0, double t1);
  /// Adds the row of c to H of a member, and the prescribed velocity of the member to drift().
  /// Returns the drifts of this member.
  std::array<double, 2> add_row(const IslandContact& c, int member, GroupRows& H);
  /// Drift of its row at the start and the end of the step.
  const std::array<double, 2>& drift(const IslandContact& c) const {
    return drift_[static_cast<std::size_t>(c.beside)];
  }

 private:
  struct Angle {
    const JointAngle* of = nullptr;  ///< where states store it; null: the coordinate is a length
    double start = 0.0;              ///< at the start of the step [rad]
  };

  IslandContacts& contacts_;
  JointSystem& joints_;
  std::vector<Angle> angle_;            ///< one per law
  std::vector<DrivenActuator> driven_;  ///< likewise; without `of`: no actuator
  bool actuated_ = false;
  std::vector<std::array<double, 2>> drift_;
  bool counts_angles_ = false;
};

}  // namespace saltus

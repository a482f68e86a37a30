// Laws on joint coordinates (springs, stops, friction) among the contacts of an island.
#pragma once
#include <array>
#include <cmath>
#include <numbers>
#include <string_view>
#include <vector>

#include "saltus/assembly/island_contacts.h"
#include "saltus/contact/joint_system.h"
#include "saltus/model/model.h"

namespace saltus {

/// Reasons why a spring or a stop lost its angle, in StepReport::failure.
inline constexpr std::string_view kHalfTurn = "passed half a turn",
                                  kFastTurn = "turned by more than half a turn in one step";

/// Centre of the range in which the law tracks the angle of its coordinate, half a turn to both
/// sides [rad].
double counted_about(const Model& model, const JointLaw& law);

/// Angles are known up to full turns and are followed from step to step. A law that needs the angle
/// itself can track it only within half a turn from counted_about().
class CoordinateContacts {
 public:
  /// Adds the laws to the named contacts. joints: those of the island; they must outlive this
  /// object.
  CoordinateContacts(IslandContacts& contacts, JointSystem& joints);

  const JointLaw& law(const IslandContact& c) const {
    return contacts_.model().joint_laws()[static_cast<std::size_t>(c.joint_law)];
  }
  /// A step begins: angles continue from their present values and are not wrapped into one turn.
  void begin(std::span<const Trial> trials);
  /// Gap of contact i at t with the members at q [m], [rad].
  double gap(std::size_t i, double t, const JointSystem::Configuration& q) {
    const IslandContact& c = contacts_[i];
    const JointLaw& of = law(c);
    const Angle& angle = angle_[static_cast<std::size_t>(c.beside)];
    const double x = joints_.coordinate(t, q, of.joint, of.coordinate);
    return of.sign * ((angle.turns ? nearest_turn(x, angle.start) : x) - of.offset);
  }

  /// Whether some law needs an angle itself.
  bool counts_angles() const { return counts_angles_; }
  /// The first such law, as index of the model's joint laws, whose angle is beyond half a turn,
  /// with gap_of(i) the gap of contact i at the end of the step: the next step would wrap the angle
  /// by a turn. -1: none.
  template <class Gap>
  int lost_angle(Gap&& gap_of) const {
    if (!counts_angles_) return -1;
    for (std::size_t i = contacts_.pairs(); i < contacts_.named(); ++i) {
      const IslandContact& c = contacts_[i];
      if (!c.counted) continue;
      const Angle& on = angle_[static_cast<std::size_t>(c.beside)];
      const double angle = law(c).sign * gap_of(i) + law(c).offset;
      if (on.lost || std::abs(angle - on.centre) > std::numbers::pi) return c.joint_law;
    }
    return -1;
  }

  void clear_drifts();
  /// Adds the row of c to H of a member, and the prescribed velocity of the member to drift().
  /// Returns the drifts of this member.
  std::array<double, 2> add_row(const IslandContact& c, int member, GroupRows& H);
  /// Drift of its row at the start and the end of the step.
  const std::array<double, 2>& drift(const IslandContact& c) const {
    return drift_[static_cast<std::size_t>(c.beside)];
  }

 private:
  struct Angle {
    bool turns = false;                ///< the coordinate is an angle, known up to full turns
    double centre = 0.0, start = 0.0;  ///< centre of its range, and value at the start of the step
    bool lost = false;  ///< at the start of the run it was more than half a turn from centre
  };

  IslandContacts& contacts_;
  JointSystem& joints_;
  std::vector<Angle> angle_;  ///< one per law
  std::vector<std::array<double, 2>> drift_;
  bool counts_angles_ = false;
};

}  // namespace saltus

// Laws on coordinates of joints - springs, stops, friction - among the contacts of an island.
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

/// Why a spring or a stop lost its angle, in StepReport::failure.
inline constexpr std::string_view kHalfTurn = "passed half a turn",
                                  kFastTurn = "turned by more than half a turn in one step";

/// About which angle the law counts that of its coordinate: half a turn to both sides [rad].
double counted_about(const Model& model, const JointLaw& law);

/// Angles are known but for turns: they are followed from step to step. A law that needs the angle
/// itself knows it within half a turn from counted_about() alone.
class CoordinateContacts {
 public:
  /// Adds the laws to the named contacts. joints: of the island, used as long as this is.
  CoordinateContacts(IslandContacts& contacts, JointSystem& joints);

  const JointLaw& law(const IslandContact& c) const {
    return contacts_.model().joint_laws()[static_cast<std::size_t>(c.joint_law)];
  }
  /// A step begins: angles are followed from where they are, not taken back into one turn.
  void begin(std::span<const Trial> trials);
  /// Gap of contact i at t with the members at q [m], [rad].
  double gap(std::size_t i, double t, const JointSystem::Configuration& q) {
    const IslandContact& c = contacts_[i];
    const JointLaw& of = law(c);
    const Angle& angle = angle_[static_cast<std::size_t>(c.beside)];
    const double x = joints_.coordinate(t, q, of.joint, of.coordinate);
    return of.sign * ((angle.turns ? nearest_turn(x, angle.start) : x) - of.offset);
  }

  /// Some law needs an angle itself.
  bool counts_angles() const { return counts_angles_; }
  /// The first such law, of the model's joint laws, whose angle is beyond half a turn where
  /// gap_of(i) is the gap of contact i at the end of the step: the next step would take it back by
  /// a turn. -1: none.
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
  /// Adds the row of c to H of a member, and what the member moves it by itself to drift(). Returns
  /// the drifts of this member.
  std::array<double, 2> add_row(const IslandContact& c, int member, GroupRows& H);
  /// Of its row by itself at the start and the end of the step.
  const std::array<double, 2>& drift(const IslandContact& c) const {
    return drift_[static_cast<std::size_t>(c.beside)];
  }

 private:
  struct Angle {
    bool turns = false;                ///< the coordinate is an angle, known but for turns:
    double centre = 0.0, start = 0.0;  ///< about which it is counted, and at the start of the step
    bool lost = false;  ///< at the start of the run it was farther than half a turn from centre
  };

  IslandContacts& contacts_;
  JointSystem& joints_;
  std::vector<Angle> angle_;  ///< of each law
  std::vector<std::array<double, 2>> drift_;
  bool counts_angles_ = false;
};

}  // namespace saltus

#include "saltus/assembly/coordinate_contacts.h"

#include <algorithm>

#include "saltus/base/index_internal.h"

namespace saltus {

CoordinateContacts::CoordinateContacts(IslandContacts& contacts, JointSystem& joints)
    : contacts_(contacts), joints_(joints) {
  const Model& model = contacts.model();
  for (std::size_t i = 0; i < model.joint_laws().size(); ++i) {
    const JointLaw& of = model.joint_laws()[i];
    const Joint& joint = model.joints()[at(of.joint)];
    const int a = joint.a.group < 0 ? -1 : contacts.member_of(joint.a.group),
              b = joint.b.group < 0 ? -1 : contacts.member_of(joint.b.group);
    if (a < 0 && b < 0) continue;
    IslandContact contact;
    contact.key = of.key;
    contact.law = of.law;
    contact.joint_law = static_cast<int>(i);
    const auto moves = [&](int member) {
      return member >= 0 && contacts.dynamics(contacts.members()[at(member)]).velocities() > 0;
    };
    contact.side[0].member = moves(a) || b < 0 ? a : b;
    contact.beside = static_cast<int>(angle_.size());
    Angle& angle = angle_.emplace_back();
    angle.of = model.angle_of(of.joint, of.coordinate);
    contact.counted = angle.of && model.law(of.law).facts().uses_angle;
    counts_angles_ = counts_angles_ || contact.counted;
    contact.actuated = of.actuator >= 0;
    actuated_ = actuated_ || contact.actuated;
    driven_.push_back({contact.actuated ? &model.actuators()[at(of.actuator)] : nullptr});
    contacts.add_named(contact);
  }
  drift_.resize(angle_.size());
}

void CoordinateContacts::begin(std::span<const Trial> trials) {
  const Model& model = contacts_.model();
  for (std::size_t i = contacts_.pairs(); i < contacts_.named(); ++i) {
    const IslandContact& c = contacts_[i];
    if (c.actuated) {
      const ActuatorPlace& place = model.actuator_places()[at(law(c).actuator)];
      driven_[at(c.beside)].set = SetPoint::of(trials[at(place.group)].start->set_points, place);
    }
    Angle& angle = angle_[at(c.beside)];
    if (!angle.of) continue;
    angle.start = trials[at(angle.of->group)].start->angles[at(angle.of->slot)];
  }
}

void CoordinateContacts::begin_drifts(double t0, double t1) {
  std::ranges::fill(drift_, std::array{0.0, 0.0});
  if (!actuated_) return;
  for (std::size_t i = contacts_.pairs(); i < contacts_.named(); ++i) {
    const IslandContact& c = contacts_[i];
    if (!c.actuated) continue;
    const auto [v0, v1] = driven(c).velocities(t0, t1);
    drift_[at(c.beside)] = {-law(c).sign * v0, -law(c).sign * v1};
  }
}

std::array<double, 2> CoordinateContacts::add_row(const IslandContact& c, int member,
                                                  GroupRows& H) {
  const JointLaw& of = law(c);
  const auto d = joints_.add_coordinate(of.joint, of.coordinate, of.sign, member, c.first_row, H);
  drift_[at(c.beside)][0] += d[0];
  drift_[at(c.beside)][1] += d[1];
  return d;
}

}  // namespace saltus

#include "saltus/assembly/coordinate_contacts.h"

#include <algorithm>

#include "saltus/base/index_internal.h"

namespace saltus {

// The middle between two stops, or the rest position of a spring. For a single stop the range
// starts a quarter turn beyond the stop, though within -pi to pi: for sign s the centre c is given
// by
//     s c = max(s offset + pi/2, 0)
double counted_about(const Model& model, const JointLaw& law) {
  const auto stop = [&](const JointLaw& x) { return model.law(x.law).unilateral(); };
  if (!stop(law)) return law.offset;
  for (const JointLaw& other : model.joint_laws())
    if (other.joint == law.joint && other.coordinate == law.coordinate && other.sign == -law.sign &&
        stop(other))
      return 0.5 * (law.offset + other.offset);
  return law.sign * std::max(law.sign * law.offset + 0.5 * std::numbers::pi, 0.0);
}

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
    contact.side[0].member = a >= 0 ? a : b;
    contact.beside = static_cast<int>(angle_.size());
    Angle& angle = angle_.emplace_back();
    angle.turns = is_angle(joint.kind, of.coordinate);
    angle.centre = angle.start = counted_about(model, of);
    contact.counted = angle.turns && model.law(of.law).facts().uses_angle;
    counts_angles_ = counts_angles_ || contact.counted;
    contacts.add_named(contact);
  }
  drift_.resize(angle_.size());
}

void CoordinateContacts::begin(std::span<const Trial> trials) {
  for (std::size_t i = contacts_.pairs(); i < contacts_.named(); ++i) {
    const IslandContact& c = contacts_[i];
    Angle& angle = angle_[at(c.beside)];
    if (!angle.turns) continue;
    const double x = joints_.coordinate(
        trials.front().t0,
        [&](int m) -> const Vector& {
          return trials[at(contacts_.members()[at(m)].group)].start->q;
        },
        law(c).joint, law(c).coordinate);
    angle.start = nearest_turn(x, angle.centre);
    if (trials.front().t0 == 0.0) angle.lost = std::abs(x - angle.centre) > std::numbers::pi;
  }
}

void CoordinateContacts::clear_drifts() { std::ranges::fill(drift_, std::array{0.0, 0.0}); }

std::array<double, 2> CoordinateContacts::add_row(const IslandContact& c, int member,
                                                  GroupRows& H) {
  const JointLaw& of = law(c);
  const auto d = joints_.add_coordinate(of.joint, of.coordinate, of.sign, member, c.first_row, H);
  drift_[at(c.beside)][0] += d[0];
  drift_[at(c.beside)][1] += d[1];
  return d;
}

}  // namespace saltus

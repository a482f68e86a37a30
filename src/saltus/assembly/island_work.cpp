#include "saltus/assembly/island_work.h"

#include <algorithm>

namespace saltus {

/// The part of the normal impulse of contact i that belongs to `part`.
double IslandWork::normal(ImpulseOf part, std::size_t i) const {
  if (list_[i].actuated) return part == ImpulseOf::actuators ? problem_.normal(i) : 0.0;
  const bool slides = list_.law(i).slides_on_normal();
  switch (part) {
    case ImpulseOf::friction:
      return slides ? problem_.normal(i) : 0.0;
    case ImpulseOf::dampers:
      return problem_.damping(i);
    case ImpulseOf::actuators:
      return 0.0;
    default:  // stops
      return slides || list_[i].joint_law < 0 ? 0.0 : problem_.normal(i) - problem_.damping(i);
  }
}

bool IslandWork::impulse(ImpulseOf part, int group, Out r) const {
  if (part == ImpulseOf::joints) return !joints_.empty() && joints_.impulse(group, r);
  if ((part == ImpulseOf::dampers && !problem_.needs().dampers) ||
      (part == ImpulseOf::stops && !problem_.needs().stops) ||
      (part == ImpulseOf::actuators && !problem_.needs().actuators))
    return false;
  const auto& members = list_.members();  // by increasing group
  const auto member = std::ranges::lower_bound(members, group, {}, &ContactList::Member::group);
  if (member == members.end() || member->group != group) return false;
  if (part != made_) {
    if (part == ImpulseOf::friction)
      p_ = problem_.impulses();  // tangents and moments
    else
      p_.setZero(problem_.impulses().size());
    const std::size_t count = part == ImpulseOf::friction ? list_.count() : list_.named();
    for (std::size_t i = 0; i < count; ++i) p_[list_[i].first_row] = normal(part, i);
    made_ = part;
  }
  r.setZero();
  problem_.add_impulses(p_, static_cast<std::size_t>(member - members.begin()), r);
  return true;
}

DriftWork IslandWork::drift_work() const {
  DriftWork sum;
  sum.joints = joints_.drift_work();
  for (std::size_t i = 0; i < list_.count(); ++i)
    for (int a = 0; a < list_[i].rows() && !list_[i].actuated; ++a) {
      const double p = problem_.impulses()[list_[i].first_row + a];
      if (p == 0.0) continue;
      double d = list_.mean_drift(i, a);
      const bool rubs = list_.law(i).slides_on_normal();
      if (rubs) d -= list_.law(i).facts().velocity;  // velocity of the surface
      const bool stop = a == 0 && !rubs && list_[i].joint_law >= 0;
      (a > 0 || rubs ? sum.friction : stop ? sum.stops : sum.normal) += p * d;
      if (!stop) continue;
      const double damped = problem_.damping(i) * d;
      sum.damping += damped;
      sum.stops -= damped;
    }
  return sum;
}

}  // namespace saltus

#include "saltus/assembly/contact_rows.h"

#include "saltus/base/index_internal.h"

namespace saltus {

// The contacts of each member, increasing; laws on joints are listed for every member.
void ContactRows::sort_by_members() {
  const auto visit = [&](const auto& use) {  // use(contact, member)
    for (std::size_t i = 0; i < contacts_.count(); ++i) {
      const IslandContact& c = contacts_[i];
      const int a = c.side[0].member, b = c.side[1].member;
      if (c.joint_law >= 0) {
        for (std::size_t m = 0; m < contacts_.members().size(); ++m) use(i, m);
        continue;
      }
      if (a >= 0) use(i, at(a));
      if (b >= 0 && b != a) use(i, at(b));
    }
  };
  begin_.assign(contacts_.members().size() + 2, 0);
  visit([&](std::size_t, std::size_t m) { ++begin_[m + 2]; });
  for (std::size_t m = 2; m < begin_.size(); ++m) begin_[m] += begin_[m - 1];
  contact_.resize(at(begin_.back()));
  visit([&](std::size_t i, std::size_t m) { contact_[at(begin_[m + 1]++)] = static_cast<int>(i); });
}

/// Contribution of running surfaces to the rate of row a > 0 of a contact:  t_a . (w_a - w_b), w
/// the velocity of a surface on its body.
double ContactRows::surface_rate(std::size_t i, int a, double t) const {
  const IslandContact& c = contacts_[i];
  double u = 0.0;
  for (std::size_t s = 0; s < 2 && a <= c.tangents; ++s)
    if (const IslandContacts::Running& side = contacts_.running(i, s); side.runs >= 0) {
      const double w = contacts_.model().running()[at(side.runs)].value.value(t);
      u += (s == 0 ? w : -w) * c.direction[at(a)].dot(side.along);
    }
  return u;
}

void ContactRows::make(std::span<const Trial> trials, Vector& rate) {
  rate.setZero();
  sort_by_members();
  runs_ = !contacts_.model().running().empty();
  t0_ = trials.front().t0;
  t1_ = t0_ + trials.front().h;
  if (runs_)
    for (std::size_t i = 0; i < contacts_.count(); ++i)
      for (int a = 1; a <= contacts_[i].tangents; ++a)
        rate[contacts_[i].first_row + a] += surface_rate(i, a, t0_);
  coordinates_.begin_drifts(t0_, t1_);
  drifts_ = runs_ || coordinates_.actuated();
  for (std::size_t i = contacts_.pairs(); drifts_ && i < contacts_.named(); ++i)
    if (contacts_[i].actuated) rate[contacts_[i].first_row] += coordinates_.drift(contacts_[i])[0];
  if (contacts_.follows()) {
    drifts_ = true;
    for (std::size_t i = 0; i < contacts_.count(); ++i)
      for (int a = 0; a <= contacts_[i].tangents && contacts_[i].joint_law < 0; ++a)
        rate[contacts_[i].first_row + a] +=
            contacts_[i].direction[at(a)].dot(contacts_.end_rate(i, false));
  }
  for (std::size_t index = 0; index < contacts_.members().size(); ++index) {
    IslandContacts::Member& m = contacts_.members()[index];
    m.H.clear(contacts_.rows());
    if (m.at.empty() && contacts_.pairs() == contacts_.named()) continue;
    const Dynamics& body = contacts_.dynamics(m);
    const Trial& trial = trials[at(m.group)];
    const bool turns = has(body.traits(), Trait::rotations);
    const Vector& axes = turns ? m.axes : m.q;
    if (!m.at.empty()) {
      body.point_rows(m.arms(), axes, m.at, m.J);
      body.point_drift(trial.t0, m.q, m.at, m.drift0);
      body.point_drift(trial.t0 + trial.h, m.q, m.at, m.drift1);
    }
    if (!m.spin_at.empty()) {
      body.spin_rows(m.arms(), axes, m.spin_at, m.Js);
      body.spin_drift(trial.t0, m.q, m.spin_at, m.spin_drift0);
      body.spin_drift(trial.t0 + trial.h, m.q, m.spin_at, m.spin_drift1);
    }
    drifts_ =
        drifts_ || !m.drift1.isZero(0.0) || (!m.spin_at.empty() && !m.spin_drift1.isZero(0.0));
    const int self = static_cast<int>(index);
    for (int k = begin_[index]; k < begin_[index + 1]; ++k) {
      const IslandContact& c = contacts_[at(contact_[at(k)])];
      if (c.joint_law >= 0) {
        const auto d = coordinates_.add_row(c, self, m.H);
        drifts_ = drifts_ || d[0] != 0.0 || d[1] != 0.0;
        rate[c.first_row] += d[0];
        continue;
      }
      for (int a = 0; a < c.rows(); ++a)
        for (std::size_t s = 0; s < 2; ++s) {
          const IslandContact::Side& side = c.side[s];
          if (side.member != self) continue;
          const double sign = s == 0 ? 1.0 : -1.0;
          const int row = c.first_row + a;
          if (a <= c.tangents) {
            const Vector3& d = c.direction[at(a)];
            m.H.add(row, sign, d, m.J, side.point);
            rate[row] += sign * d.dot(m.drift0.segment<3>(3 * side.point));
          } else {
            const Vector3& d = contacts_.axis_of_row(c, a);
            const int spin = contacts_.turning(c).spin[s];
            m.H.add(row, sign, d, m.Js, spin);
            rate[row] += sign * d.dot(m.spin_drift0.segment<3>(3 * spin));
          }
        }
    }
    m.H.multiply_add(trial.start->v, rate);
  }
}

void ContactRows::add_drift(Vector& u) const {
  if (!drifts_) return;
  for (std::size_t i = 0; i < contacts_.count(); ++i) {
    const IslandContact& c = contacts_[i];
    if (c.joint_law >= 0) {
      u[c.first_row] += coordinates_.drift(c)[1];
      continue;
    }
    for (int a = 1; runs_ && a <= c.tangents; ++a) u[c.first_row + a] += surface_rate(i, a, t1_);
    for (int a = 0; contacts_.follows() && a <= c.tangents; ++a)
      u[c.first_row + a] += c.direction[at(a)].dot(contacts_.end_rate(i, true));
    for (std::size_t s = 0; s < 2; ++s) {
      const IslandContact::Side& side = c.side[s];
      if (side.member < 0) continue;
      const IslandContacts::Member& m = contacts_.members()[at(side.member)];
      if (m.drift1.size() == 0) continue;
      const double sign = s == 0 ? 1.0 : -1.0;
      for (int a = 0; a < c.rows(); ++a)
        u[c.first_row + a] +=
            sign * (a <= c.tangents ? c.direction[at(a)].dot(m.drift1.segment<3>(3 * side.point))
                                    : contacts_.axis_of_row(c, a).dot(m.spin_drift1.segment<3>(
                                          3 * contacts_.turning(c).spin[s])));
    }
  }
}

double ContactRows::mean_drift(std::size_t i, int a) const {
  const IslandContact& c = contacts_[i];
  if (c.joint_law >= 0) return 0.5 * (coordinates_.drift(c)[0] + coordinates_.drift(c)[1]);
  double d = runs_ && a > 0 ? 0.5 * (surface_rate(i, a, t0_) + surface_rate(i, a, t1_)) : 0.0;
  for (std::size_t s = 0; s < 2; ++s) {
    const IslandContact::Side& side = c.side[s];
    if (side.member < 0) continue;
    const IslandContacts::Member& m = contacts_.members()[at(side.member)];
    if (m.drift0.size() == 0) continue;
    const double half = s == 0 ? 0.5 : -0.5;
    if (a <= c.tangents)
      d += half * c.direction[at(a)].dot(m.drift0.segment<3>(3 * side.point) +
                                         m.drift1.segment<3>(3 * side.point));
    else
      d += half * contacts_.axis_of_row(c, a).dot(
                      m.spin_drift0.segment<3>(3 * contacts_.turning(c).spin[s]) +
                      m.spin_drift1.segment<3>(3 * contacts_.turning(c).spin[s]));
  }
  return d;
}

}  // namespace saltus

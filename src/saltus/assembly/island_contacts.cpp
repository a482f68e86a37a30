#include "saltus/assembly/island_contacts.h"

#include <algorithm>
#include <cmath>

#include "saltus/base/index_internal.h"
#include "saltus/linear_algebra/blocks_internal.h"

namespace saltus {
namespace {

/// Two unit vectors perpendicular to n and to each other. They jump only where |n_z| crosses 0.9,
/// which does not happen by round-off on faces at right angles to the axes.
std::array<Vector3, 2> across(const Vector3& n) {
  const Vector3 other = std::abs(n.z()) < 0.9 ? Vector3::UnitZ() : Vector3::UnitX();
  const Vector3 t = other.cross(n).normalized();
  return {t, n.cross(t)};
}

/// Tangents of direction-dependent friction: t1 is the axis projected on the surface, t2 is
/// perpendicular to it, each as long as its ratio; a tangent of ratio 0 is left out. If the axis is
/// along the normal, all directions have the smaller coefficient.
void direct(IslandContact& contact, std::array<Vector3, 3>& axes, const Friction& friction,
            const Vector3& axis) {
  constexpr double kAlong = 1e-6;  // smallest projected length, relative to the axis
  const Vector3& n = contact.direction[0];
  const Vector3 on = axis - axis.dot(n) * n;
  contact.lost_axis = !(on.norm() > kAlong * axis.norm());
  contact.scale = friction.ratio;
  if (contact.lost_axis)
    contact.scale.fill(std::min(friction.ratio[0], friction.ratio[1]));
  else
    axes = {on.normalized(), n.cross(on).normalized(), n};
  contact.tangents = 0;
  for (std::size_t a = 0; a < 2; ++a) {
    const double ratio = contact.scale[a];
    if (ratio == 0.0) continue;
    const std::size_t k = contact.tangents++;
    contact.scale[k] = ratio;
    contact.direction[k + 1] = ratio * axes[a];
  }
}

}  // namespace

IslandContacts::IslandContacts(const Model& model, std::span<const int> groups,
                               std::span<const int> pairs)
    : model_(model) {
  for (const int g : groups) {
    Member member;
    member.group = g;
    const Dynamics& body = *model.groups()[at(g)].dynamics;
    member.q.resize(body.positions());
    member.axes.resize(body.positions());
    member.rigid = has(body.traits(), Trait::rigid);
    members_.push_back(std::move(member));
  }
  for (const int i : pairs) {
    const ContactPair& pair = model.pairs()[at(i)];
    IslandContact contact;
    contact.key = pair.key;
    contact.law = pair.law;
    contact.tangents = static_cast<std::uint8_t>(pair.tangents);
    contact.direction = {pair.normal, pair.tangent[0], pair.tangent[1]};
    contact.offset = -pair.distance;
    const ContactSide* sides[2] = {&pair.a, &pair.b};
    for (std::size_t s = 0; s < 2; ++s) {
      IslandContact::Side& side = contact.side[s];
      if (s == 1 && pair.runs >= 0) {
        running_.resize(contacts_.size() + 1);
        running_.back()[s] = {pair.runs, model.running()[at(pair.runs)].along};
      }
      if (sides[s]->group < 0) {
        side.point = static_cast<int>(places_.size());
        places_.push_back(sides[s]->ref.local);
        continue;
      }
      side.member = member_of(sides[s]->group);
      Member& member = members_[at(side.member)];
      side.point = static_cast<int>(member.at.size());
      member.at.push_back(sides[s]->ref);
    }
    contacts_.push_back(contact);
  }
  pairs_ = contacts_.size();
}

int IslandContacts::member_of(int group) const {
  const auto m = std::ranges::find(members_, group, &Member::group);
  return m == members_.end() ? -1 : static_cast<int>(m - members_.begin());
}

void IslandContacts::end_named() {
  named_ = contacts_.size();
  named_places_ = places_.size();
  if (!model_.running().empty()) running_.resize(named_);
  for (const Member& m : members_) named_points_.push_back(m.at.size());
}

void IslandContacts::clear_detected() {
  for (std::size_t m = 0; m < members_.size(); ++m) {
    members_[m].at.resize(named_points_[m]);
    members_[m].spin_at.clear();
  }
  contacts_.resize(named_);
  carried_.resize(named_, Vector3::Zero());
  ends_.clear();
  places_.resize(named_places_);
  turning_.clear();
}

void IslandContacts::number_rows(bool points, bool drifts) {
  rows_ = 0;
  for (IslandContact& contact : contacts_) {
    contact.first_row = rows_;
    rows_ += contact.rows();
  }
  for (Member& m : members_) {
    const auto n = 3 * static_cast<Eigen::Index>(m.at.size()),
               k = 3 * static_cast<Eigen::Index>(m.spin_at.size());
    m.x.resize(points ? n : 0);
    for (Vector* x : {&m.drift0, &m.drift1})
      x->resize(!drifts && dynamics(m).velocities() > 0 ? 0 : n);
    for (Vector* x : {&m.spin_drift0, &m.spin_drift1}) x->resize(k);
  }
}

// Points are numbered in the order of the contacts; any number of threads fill them afterwards.
template <class HeadingOf, class TouchOf>
void IslandContacts::take(std::size_t count, const HeadingOf& heading_of, const TouchOf& touch_of) {
  const bool planar = !model_.surfaces().plane.isZero(0.0);
  contacts_.resize(named_ + count);
  carried_.resize(named_ + count, Vector3::Zero());
  if (!running_.empty() || !model_.running().empty()) running_.resize(named_ + count);
  next_point_.assign(named_points_.begin(), named_points_.end());
  std::size_t next_place = named_places_;
  for (std::size_t k = 0; k < count; ++k) {
    const SurfaceFinder::Heading head = heading_of(k);
    IslandContact& contact = contacts_[named_ + k];
    contact = {};
    contact.law = head.law;
    for (std::size_t s = 0; s < 2; ++s) {
      const int m = head.member[s];
      contact.side[s] = {m, static_cast<int>(m < 0 ? next_place++ : next_point_[at(m)]++)};
    }
    const Friction& friction = model_.law(head.law).facts().friction;
    if (!(friction.coefficient > 0.0)) continue;
    contact.rolls = friction.rolling > 0.0;
    contact.spins = !planar && friction.spinning > 0.0;
    if (!contact.rolls && !contact.spins) continue;
    contact.beside = static_cast<int>(turning_.size());
    Turning& turning = turning_.emplace_back();
    for (std::size_t s = 0; s < 2; ++s)
      if (head.member[s] >= 0) {
        std::vector<PointRef>& spin_at = members_[at(head.member[s])].spin_at;
        turning.spin[s] = static_cast<int>(spin_at.size());
        spin_at.emplace_back();
      }
  }
  for (std::size_t m = 0; m < members_.size(); ++m) members_[m].at.resize(next_point_[m]);
  places_.resize(next_place);
  in_blocks(count, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) fill(named_ + k, touch_of(k));
  });
}

void IslandContacts::fill(std::size_t i, const SurfaceFinder::Touch& found) {
  const Surfaces& surfaces = model_.surfaces();
  const Friction& friction = model_.law(found.law).facts().friction;
  IslandContact& contact = contacts_[i];
  contact.key = found.key;
  carried_[i] = found.carried;
  const Vector3& n = found.normal;
  contact.offset = found.gap - n.dot(found.side[0].place - found.side[1].place);
  contact.direction[0] = n;
  if (friction.coefficient > 0.0) {
    std::array<Vector3, 3> axes;
    if (!surfaces.plane.isZero(0.0)) {
      contact.tangents = 1;
      contact.direction[1] = surfaces.plane.cross(n).normalized();
      axes[0] = surfaces.plane;
    } else {
      contact.tangents = 2;
      const auto [t1, t2] = across(n);
      contact.direction[1] = t1;
      contact.direction[2] = t2;
      axes = {t1, t2, n};
      if (friction.directed()) direct(contact, axes, friction, found.axis);
    }
    if (contact.beside >= 0) turning_[at(contact.beside)].axis = axes;
  }
  for (std::size_t s = 0; s < 2; ++s) {
    const SurfaceFinder::Touch::Side& side = found.side[s];
    if (!running_.empty()) running_[i][s] = {side.runs, side.along};
    if (side.member < 0) {
      places_[at(contact.side[s].point)] = side.place;
      continue;
    }
    Member& m = members_[at(side.member)];
    m.at[at(contact.side[s].point)] = side.ref;
    if (contact.beside >= 0) m.spin_at[at(turning_[at(contact.beside)].spin[s])] = side.ref;
  }
}

void IslandContacts::add_detected(const SurfaceFinder& finder, std::size_t count) {
  take(
      count, [&](std::size_t k) { return finder.heading(k); },
      [&](std::size_t k) { return finder.touch(k); });
}

void IslandContacts::add_detected(std::span<const SurfaceFinder::Touch> touches) {
  take(
      touches.size(), [&](std::size_t k) { return touches[k].heading(); },
      [&](std::size_t k) { return touches[k]; });
}

// omega x (omega x r) of the material points of a pair, with its normal fixed in space.
Vector3 IslandContacts::carried_pair(const IslandContact& c, std::span<const Trial> trials) const {
  Vector3 a = Vector3::Zero();
  for (std::size_t s = 0; s < 2; ++s) {
    if (!moves(c.side[s]) || !members_[at(c.side[s].member)].rigid) continue;
    const Member& m = members_[at(c.side[s].member)];
    const PointRef& ref = m.at[at(c.side[s].point)];
    const Trial& trial = trials[at(m.group)];
    const RigidAt body(ref.body);
    const Vector3 Omega = body.spin(trial.start->v);
    if (trial.h * Omega.norm() > 1.0) continue;  // the step does not resolve the rotation
    a += (s == 0 ? 1.0 : -1.0) * (body.Q(m.arms()) * Omega.cross(Omega.cross(ref.local)));
  }
  return a;
}

void IslandContacts::follow(std::span<const Trial> trials) {
  if (std::ranges::none_of(members_, &Member::rigid)) return;
  carried_.resize(contacts_.size(), Vector3::Zero());
  ends_.resize(contacts_.size());
  for (std::size_t i = 0; i < pairs_; ++i) carried_[i] = carried_pair(contacts_[i], trials);
  in_blocks(contacts_.size(), [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      double g = 1.0, h = 0.0;
      for (const IslandContact::Side& side : contacts_[i].side) {
        if (!moves(side)) continue;
        const Trial& trial = trials[at(members_[at(side.member)].group)];
        g = std::min(g, trial.stage == 0 ? trial.gain : 0.5);
        h = trial.h;
      }
      ends_[i] = {-g * h * carried_[i], (1.0 - g) * h * carried_[i]};
    }
  });
}

void IslandContacts::see(std::size_t i, SeenContact& seen) const {
  const IslandContact& c = contacts_[i];
  seen.view.key = c.key;
  seen.offset = c.offset;
  if (follows()) seen.carried = carried_[i];
  seen.on_joint = c.joint_law >= 0;
  if (!seen.on_joint) seen.view.normal = c.direction[0];
  for (int a = 0; a < c.tangents; ++a) seen.tangent[at(a)] = c.tangent(a);
  for (std::size_t s = 0; s < 2; ++s) {
    ContactView::Side& side = s == 0 ? seen.view.a : seen.view.b;
    if (seen.on_joint) {
      const Joint& joint = model_.joints()[at(model_.joint_laws()[at(c.joint_law)].joint)];
      const JointSide& of = s == 0 ? joint.a : joint.b;
      seen.at[s] = of.ref;
      seen.place[s] = of.ref.local;
      if (of.group >= 0) side = {of.group, of.ref.body};
      continue;
    }
    if (c.side[s].member < 0) {
      seen.place[s] = places_[at(c.side[s].point)];
      continue;
    }
    const Member& m = members_[at(c.side[s].member)];
    seen.at[s] = m.at[at(c.side[s].point)];
    side = {m.group, seen.at[s].body};
  }
}

}  // namespace saltus

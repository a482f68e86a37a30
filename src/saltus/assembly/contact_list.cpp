#include "saltus/assembly/contact_list.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "saltus/base/index_internal.h"
#include "saltus/linear_algebra/blocks_internal.h"

namespace saltus {
namespace {

/// From so many on rows are made for the problem alone: below, H of all contacts is in the cache.
constexpr std::size_t kManyContacts = 500;

/// Two unit vectors across n and each other. They jump only where |n_z| passes 0.9, which faces at right angles to the
/// axes do not do by round-off.
std::array<Vector3, 2> across(const Vector3& n) {
  const Vector3 other = std::abs(n.z()) < 0.9 ? Vector3::UnitZ() : Vector3::UnitX();
  const Vector3 t = other.cross(n).normalized();
  return {t, n.cross(t)};
}

/// Tangents of friction that depends on its direction: t1 the axis projected on the surface, t2 across it, each as long as its
/// ratio; one of ratio 0 is left out. Where the axis stands along the normal all directions have the smaller coefficient.
void direct(IslandContact& contact, std::array<Vector3, 3>& axes, const Friction& friction,
            const Vector3& axis) {
  constexpr double kAlong = 1e-6;  // of its length in the surface
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

// The middle of its stops, the rest of a spring. In front of a single stop, where what is not behind it is within a turn from
// -pi to pi: of the sign s the centre c has  s c = max(s offset + pi/2, 0).
double counted_about(const Model& model, const JointLaw& law) {
  const auto stop = [&](const JointLaw& x) { return model.law(x.law).unilateral(); };
  if (!stop(law)) return law.offset;
  for (const JointLaw& other : model.joint_laws())
    if (other.joint == law.joint && other.coordinate == law.coordinate && other.sign == -law.sign &&
        stop(other))
      return 0.5 * (law.offset + other.offset);
  return law.sign * std::max(law.sign * law.offset + 0.5 * std::numbers::pi, 0.0);
}

ContactList::ContactList(const Model& model, std::vector<int> groups, std::vector<int> pairs,
                         JointSystem& joints, double margin)
    : model_(model), joints_(joints), surfaces_(model, groups, margin), at_(groups.size()) {
  for (int g : groups) {
    Member member;
    member.group = g;
    const Dynamics& body = *model.groups()[at(g)].dynamics;
    member.q.resize(body.positions());
    member.axes.resize(body.positions());
    members_.push_back(std::move(member));
  }
  const auto member_of = [&](int g) {
    const auto m = std::find_if(members_.begin(), members_.end(),
                                [&](const Member& x) { return x.group == g; });
    return m == members_.end() ? -1 : static_cast<int>(m - members_.begin());
  };
  for (int i : pairs) {
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
    laws_.push_back(pair.law);
  }
  pairs_ = contacts_.size();
  for (std::size_t i = 0; i < model.joint_laws().size(); ++i) {
    const JointLaw& law = model.joint_laws()[i];
    const Joint& joint = model.joints()[at(law.joint)];
    const int a = joint.a.group < 0 ? -1 : member_of(joint.a.group),
              b = joint.b.group < 0 ? -1 : member_of(joint.b.group);
    if (a < 0 && b < 0) continue;
    IslandContact contact;
    contact.key = law.key;
    contact.law = law.law;
    contact.joint_law = static_cast<int>(i);
    contact.side[0].member = a >= 0 ? a : b;
    contact.beside = static_cast<int>(on_joint_.size());
    OnJoint& on = on_joint_.emplace_back();
    on.turns = is_angle(joint.kind, law.coordinate);
    on.centre = on.start = counted_about(model, law);
    contact.counted = on.turns && model.law(law.law).facts().uses_angle;
    counts_angles_ = counts_angles_ || contact.counted;
    contacts_.push_back(contact);
    laws_.push_back(law.law);
  }
  fixed_ = contacts_.size();
  fixed_places_ = places_.size();
  if (!model.running().empty()) running_.resize(fixed_);
  for (const Member& m : members_) fixed_points_.push_back(m.at.size());

  const auto is_force = [&](int law) { return !model.law(law).set_valued(); };
  std::vector<int> of_surfaces;
  surfaces_.add_laws(of_surfaces);
  force_surfaces_ = std::ranges::any_of(of_surfaces, is_force);
  forces_alone_ =
      force_surfaces_ && std::ranges::all_of(of_surfaces, is_force) &&
      std::ranges::all_of(pairs, [&](int i) { return is_force(model.pairs()[at(i)].law); });
  laws_.insert(laws_.end(), of_surfaces.begin(), of_surfaces.end());
  std::sort(laws_.begin(), laws_.end());
  laws_.erase(std::unique(laws_.begin(), laws_.end()), laws_.end());
  number_rows();
}

ContactList::~ContactList() = default;

void ContactList::number_rows() {
  rows_ = 0;
  for (IslandContact& contact : contacts_) {
    contact.first_row = rows_;
    rows_ += contact.rows();
  }
  lean_ = may_be_lean_ && contacts_.size() >= kManyContacts && turning_.empty();
  for (Member& m : members_) {
    const auto points = 3 * static_cast<Eigen::Index>(m.at.size()),
               k = 3 * static_cast<Eigen::Index>(m.spin_at.size());
    m.x.resize(lean_ ? 0 : points);
    const Eigen::Index n = lean_ && dynamics(m).velocities() > 0 ? 0 : points;
    for (Vector* x : {&m.drift0, &m.drift1}) x->resize(n);
    for (Vector* x : {&m.spin_drift0, &m.spin_drift1}) x->resize(k);
  }
}

// Rigid bodies, and what only follows a prescribed motion; nothing on joints, and no surface that runs.
void ContactList::allow_lean() {
  may_be_lean_ = pairs_ == fixed_ && model_.running().empty() && !force_surfaces_ &&
                 std::ranges::all_of(members_, [&](const Member& m) {
                   return dynamics(m).velocities() == 0 || has(dynamics(m).traits(), Trait::rigid);
                 });
}

void ContactList::detect(double t) {
  if (surfaces_.empty()) return;
  for (std::size_t m = 0; m < members_.size(); ++m) {
    members_[m].at.resize(fixed_points_[m]);
    members_[m].spin_at.clear();
    at_[m] = &members_[m].q;
  }
  contacts_.resize(fixed_);
  places_.resize(fixed_places_);
  turning_.clear();
  const std::size_t count = surfaces_.find(t, at_);
  if (beside_.empty()) {
    take(
        count, [&](std::size_t k) { return surfaces_.heading(k); },
        [&](std::size_t k) { return surfaces_.touch(k); });
  } else {
    std::vector<SurfaceFinder::Touch> all;
    auto beside = beside_.begin();
    for (std::size_t k = 0; k < count; ++k) {
      const SurfaceFinder::Touch found = surfaces_.touch(k);
      for (; beside != beside_.end() && beside->key <= found.key; ++beside)
        if (beside->key < found.key) all.push_back(*beside);
      all.push_back(found);
    }
    all.insert(all.end(), beside, beside_.end());
    take(
        all.size(), [&](std::size_t k) { return all[k].heading(); },
        [&](std::size_t k) { return all[k]; });
    beside_.clear();
  }
  number_rows();
}

// Points get their numbers in the order of the contacts; any number of threads fill them then.
template <class HeadingOf, class TouchOf>
void ContactList::take(std::size_t count, const HeadingOf& heading_of, const TouchOf& touch_of) {
  const bool planar = !model_.surfaces().plane.isZero(0.0);
  contacts_.resize(fixed_ + count);
  if (!running_.empty() || !model_.running().empty()) running_.resize(fixed_ + count);
  next_point_.assign(fixed_points_.begin(), fixed_points_.end());
  std::size_t next_place = fixed_places_;
  for (std::size_t k = 0; k < count; ++k) {
    const SurfaceFinder::Heading head = heading_of(k);
    IslandContact& contact = contacts_[fixed_ + k];
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
    for (std::size_t k = begin; k < end; ++k) fill(fixed_ + k, touch_of(k));
  });
}

void ContactList::fill(std::size_t i, const SurfaceFinder::Touch& found) {
  const Surfaces& surfaces = model_.surfaces();
  const Friction& friction = model_.law(found.law).facts().friction;
  IslandContact& contact = contacts_[i];
  contact.key = found.key;
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

// Each once, by increasing key.
void ContactList::add_beside(double t) {
  const std::size_t count = surfaces_.find(t, at_);
  for (std::size_t k = 0; k < count; ++k) {
    const SurfaceFinder::Touch found = surfaces_.touch(k);
    if (!(found.gap < 0.0) || model_.law(found.law).set_valued()) continue;
    const auto place = std::ranges::lower_bound(beside_, found.key, {}, &SurfaceFinder::Touch::key);
    if (place == beside_.end() || place->key != found.key) beside_.insert(place, found);
  }
}

// Where the shapes do not show a contact any more it keeps the gap of its points along its normal.
void ContactList::find_gaps(double t, Vector& gap) {
  std::size_t i = fixed_;
  surfaces_.each_gap(t, at_, [&](std::uint64_t key, double found) {
    while (i < contacts_.size() && contacts_[i].key < key) ++i;
    if (i < contacts_.size() && contacts_[i].key == key && !law(i).set_valued())
      gap[static_cast<Eigen::Index>(i)] = found;
  });
}

void ContactList::measure_gaps(Vector& gap) const {
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const IslandContact& c = contacts_[i];
    if (c.joint_law >= 0) continue;
    Vector3 x[2];
    for (std::size_t s = 0; s < 2; ++s)
      x[s] = c.side[s].member < 0
                 ? places_[at(c.side[s].point)]
                 : Vector3(members_[at(c.side[s].member)].x.segment<3>(3 * c.side[s].point));
    gap[static_cast<Eigen::Index>(i)] = c.direction[0].dot(x[0] - x[1]) + c.offset;
  }
}

void ContactList::begin(std::span<const Trial> trials) {
  for (std::size_t i = pairs_; i < fixed_; ++i) {
    const IslandContact& c = contacts_[i];
    OnJoint& on = on_joint_[at(c.beside)];
    if (!on.turns) continue;
    const JointLaw& law = law_of_joint(c);
    const double x = joints_.coordinate(
        trials.front().t0,
        [&](int m) -> const Vector& { return trials[at(members_[at(m)].group)].start->q; },
        law.joint, law.coordinate);
    on.start = nearest_turn(x, on.centre);
    if (trials.front().t0 == 0.0) on.lost = std::abs(x - on.centre) > std::numbers::pi;
  }
}

// The contacts of each member, increasing; laws on joints are looked at by all of them.
void ContactList::sort_by_members() {
  const auto visit = [&](const auto& use) {  // use(contact, member)
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
      const IslandContact& c = contacts_[i];
      const int a = c.side[0].member, b = c.side[1].member;
      if (c.joint_law >= 0) {
        for (std::size_t m = 0; m < members_.size(); ++m) use(i, m);
        continue;
      }
      if (a >= 0) use(i, at(a));
      if (b >= 0 && b != a) use(i, at(b));
    }
  };
  touched_begin_.assign(members_.size() + 2, 0);
  visit([&](std::size_t, std::size_t m) { ++touched_begin_[m + 2]; });
  for (std::size_t m = 2; m < touched_begin_.size(); ++m)
    touched_begin_[m] += touched_begin_[m - 1];
  touched_.resize(at(touched_begin_.back()));
  visit([&](std::size_t i, std::size_t m) {
    touched_[at(touched_begin_[m + 1]++)] = static_cast<int>(i);
  });
}

/// What surfaces that run add to the rate of row a > 0 of a contact:  t_a . (w_a - w_b), w the velocity of a surface on its body.
double ContactList::surface_rate(std::size_t i, int a, double t) const {
  const IslandContact& c = contacts_[i];
  double u = 0.0;
  for (std::size_t s = 0; s < 2 && a <= c.tangents; ++s)
    if (const Running& side = running_[i][s]; side.runs >= 0) {
      const double w = model_.running()[at(side.runs)].value.value(t);
      u += (s == 0 ? w : -w) * c.direction[at(a)].dot(side.along);
    }
  return u;
}

void ContactList::make_rows(std::span<const Trial> trials, Vector& rate) {
  if (lean_) return make_normal_rates(trials, rate);
  rate.setZero();
  sort_by_members();
  runs_ = !model_.running().empty();
  t0_ = trials.front().t0;
  t1_ = t0_ + trials.front().h;
  if (runs_)
    for (std::size_t i = 0; i < contacts_.size(); ++i)
      for (int a = 1; a <= contacts_[i].tangents; ++a)
        rate[contacts_[i].first_row + a] += surface_rate(i, a, t0_);
  for (OnJoint& on : on_joint_) on.drift = {0.0, 0.0};
  drifts_ = runs_;
  for (std::size_t index = 0; index < members_.size(); ++index) {
    Member& m = members_[index];
    m.H.clear(rows_);
    if (m.at.empty() && pairs_ == fixed_) continue;
    const Dynamics& body = dynamics(m);
    const Trial& trial = trials[at(m.group)];
    const bool turns = has(body.traits(), Trait::rotations);
    const Vector& axes = turns ? m.axes : m.q;
    if (!m.at.empty()) {
      body.point_rows(m.q, axes, m.at, m.J);
      body.point_drift(trial.t0, m.q, m.at, m.drift0);
      body.point_drift(trial.t0 + trial.h, m.q, m.at, m.drift1);
    }
    if (!m.spin_at.empty()) {
      body.spin_rows(m.q, axes, m.spin_at, m.Js);
      body.spin_drift(trial.t0, m.q, m.spin_at, m.spin_drift0);
      body.spin_drift(trial.t0 + trial.h, m.q, m.spin_at, m.spin_drift1);
    }
    drifts_ =
        drifts_ || !m.drift1.isZero(0.0) || (!m.spin_at.empty() && !m.spin_drift1.isZero(0.0));
    const int self = static_cast<int>(index);
    for (int k = touched_begin_[index]; k < touched_begin_[index + 1]; ++k) {
      const IslandContact& c = contacts_[at(touched_[at(k)])];
      if (c.joint_law >= 0) {
        const JointLaw& law = law_of_joint(c);
        const auto d =
            joints_.add_coordinate(law.joint, law.coordinate, law.sign, self, c.first_row, m.H);
        on_joint_[at(c.beside)].drift[0] += d[0];
        on_joint_[at(c.beside)].drift[1] += d[1];
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
            const Vector3& d = axis_of_row(c, a);
            const int spin = turning(c).spin[s];
            m.H.add(row, sign, d, m.Js, spin);
            rate[row] += sign * d.dot(m.spin_drift0.segment<3>(3 * spin));
          }
        }
    }
    m.H.multiply_add(trial.start->v, rate);
  }
}

void ContactList::add_drift(Vector& u) const {
  if (!drifts_) return;
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const IslandContact& c = contacts_[i];
    if (c.joint_law >= 0) {
      u[c.first_row] += on_joint(c).drift[1];
      continue;
    }
    for (int a = 1; runs_ && a <= c.tangents; ++a) u[c.first_row + a] += surface_rate(i, a, t1_);
    for (std::size_t s = 0; s < 2; ++s) {
      const IslandContact::Side& side = c.side[s];
      if (side.member < 0) continue;
      const Member& m = members_[at(side.member)];
      if (m.drift1.size() == 0) continue;
      const double sign = s == 0 ? 1.0 : -1.0;
      for (int a = 0; a < c.rows(); ++a)
        u[c.first_row + a] +=
            sign * (a <= c.tangents
                        ? c.direction[at(a)].dot(m.drift1.segment<3>(3 * side.point))
                        : axis_of_row(c, a).dot(m.spin_drift1.segment<3>(3 * turning(c).spin[s])));
    }
  }
}

double ContactList::mean_drift(std::size_t i, int a) const {
  const IslandContact& c = contacts_[i];
  if (c.joint_law >= 0) return 0.5 * (on_joint(c).drift[0] + on_joint(c).drift[1]);
  double d = runs_ && a > 0 ? 0.5 * (surface_rate(i, a, t0_) + surface_rate(i, a, t1_)) : 0.0;
  for (std::size_t s = 0; s < 2; ++s) {
    const IslandContact::Side& side = c.side[s];
    if (side.member < 0) continue;
    const Member& m = members_[at(side.member)];
    if (m.drift0.size() == 0) continue;
    const double half = s == 0 ? 0.5 : -0.5;
    if (a <= c.tangents)
      d += half * c.direction[at(a)].dot(m.drift0.segment<3>(3 * side.point) +
                                         m.drift1.segment<3>(3 * side.point));
    else
      d += half * axis_of_row(c, a).dot(m.spin_drift0.segment<3>(3 * turning(c).spin[s]) +
                                        m.spin_drift1.segment<3>(3 * turning(c).spin[s]));
  }
  return d;
}

/// use(body, its column, value) for the entries of the row of a law on a coordinate of a joint.
template <class Use>
void ContactList::for_coordinate(const IslandContact& c, const Use& use) const {
  for (std::size_t m = 0; m < members_.size(); ++m)
    members_[m].H.each(c.first_row, [&](int column, double value) {
      use(first_body_[m] + column / 6, column % 6, value);
    });
}

bool ContactList::by_bodies(std::span<const Trial> trials, std::span<const int> admitted,
                            std::span<const int> sizes, BodyRows& H) const {
  H.width = 6;
  first_body_.resize(members_.size());
  std::size_t bodies = 0;
  for (std::size_t m = 0; m < members_.size(); ++m) {
    first_body_[m] = static_cast<int>(bodies);
    const Trial& trial = trials[at(members_[m].group)];
    if (trial.v.size() == 0) continue;
    const auto* blocks = std::get_if<Blocks6>(&trial.A.form);
    if (!blocks || !symmetric(trial.A)) return false;
    H.inverse.resize(36 * (bodies + blocks->inverse.size()));
    double* const inverse = H.inverse.data() + 36 * bodies;
    in_blocks(blocks->inverse.size(), [&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t b = begin; b < end; ++b) {
        const auto& block = blocks->inverse[b];
        for (int i = 0; i < 6; ++i)
          for (int j = 0; j < 6; ++j)
            inverse[36 * b + at(6 * i + j)] = 0.5 * (block(i, j) + block(j, i));
      }
    });
    bodies += blocks->inverse.size();
  }
  H.inverse.resize(36 * bodies);

  // use(s, body) for the sides of contact c that do not move by themselves
  const auto for_sides = [&](const IslandContact& c, const auto& use) {
    for (std::size_t s = 0; s < 2 && c.joint_law < 0; ++s) {
      const IslandContact::Side& side = c.side[s];
      if (side.member < 0) continue;
      const Member& m = members_[at(side.member)];
      if (dynamics(m).velocities() > 0)
        use(s, first_body_[at(side.member)] + m.at[at(side.point)].body);
    }
  };
  H.first.assign(1, 0);
  H.offset.assign(1, 0);
  H.body.clear();
  H.start.clear();
  std::size_t filled = 0;
  for (std::size_t k = 0; k < admitted.size(); ++k) {
    const IslandContact& c = contacts_[at(admitted[k])];
    for_sides(c, [&](std::size_t, int body) {
      H.touch(body, filled);
      filled += 6 * at(sizes[k]);
    });
    if (c.joint_law >= 0)
      for_coordinate(c, [&](int body, int, double) {
        const auto begin = H.body.begin() + H.offset.back();
        if (std::find(begin, H.body.end(), body) != H.body.end()) return;
        H.touch(body, filled);
        filled += 6;
      });
    H.close(sizes[k]);
  }
  H.value.resize(filled);
  if (lean_) {
    fill_rows(admitted, sizes, H);
    return true;
  }
  in_blocks(admitted.size(), [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      const IslandContact& c = contacts_[at(admitted[k])];
      if (H.offset[k] == H.offset[k + 1]) continue;
      double* value = &H.value[H.start[at(H.offset[k])]];
      if (c.joint_law >= 0) {
        const auto first = H.body.begin() + H.offset[k];
        std::fill_n(value, 6 * (H.offset[k + 1] - H.offset[k]), 0.0);
        for_coordinate(c, [&](int body, int column, double x) {
          value[6 * (std::find(first, H.body.end(), body) - first) + column] += x;
        });
        continue;
      }
      for_sides(c, [&](std::size_t s, int) {
        const Member& m = members_[at(c.side[s].member)];
        const int entry = m.J.offset[at(c.side[s].point)];
        const double sign = s == 0 ? 1.0 : -1.0;
        for (int a = 0; a < sizes[k]; ++a) {
          const bool spins = a > c.tangents;
          const Vector3& d = spins ? axis_of_row(c, a) : c.direction[at(a)];
          const double* block = spins ? &m.Js.value[18 * at(m.Js.offset[at(turning(c).spin[s])])]
                                      : &m.J.value[18 * at(entry)];
          for (int j = 0; j < 6; ++j)
            *value++ = sign * (d[0] * block[j] + d[1] * block[6 + j] + d[2] * block[12 + j]);
        }
      });
    }
  });
  return true;
}

void ContactList::see(std::size_t i, double gap, SeenContact& seen) const {
  const IslandContact& c = contacts_[i];
  seen.view.key = c.key;
  seen.offset = c.offset;
  seen.on_joint = c.joint_law >= 0;
  if (seen.on_joint)
    seen.view.gap = gap;
  else
    seen.view.normal = c.direction[0];
  for (int a = 0; a < c.tangents; ++a) seen.tangent[at(a)] = c.tangent(a);
  for (std::size_t s = 0; s < 2; ++s) {
    ContactView::Side& side = s == 0 ? seen.view.a : seen.view.b;
    if (seen.on_joint) {
      const Joint& joint = model_.joints()[at(law_of_joint(c).joint)];
      const JointSide& of = s == 0 ? joint.a : joint.b;
      seen.at[s] = of.ref;
      seen.place[s] = of.ref.local;
      if (of.group >= 0) side = {of.group, of.ref.body};
      continue;
    }
    if (c.side[s].member < 0) {
      seen.place[s] = places_[at(c.side[s].point)];
      if (i >= fixed_)
        for (const int number : bodies_of(i))  // below 0 where it is fixed
          if (number < 0) side.body = -1 - number;
      continue;
    }
    const Member& m = members_[at(c.side[s].member)];
    seen.at[s] = m.at[at(c.side[s].point)];
    side = {m.group, seen.at[s].body};
  }
}

}  // namespace saltus

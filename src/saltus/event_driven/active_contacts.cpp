#include "saltus/event_driven/active_contacts.h"

#include <algorithm>
#include <cmath>

#include "saltus/base/index_internal.h"

namespace saltus {

const ContactMode* find_mode(std::span<const ContactMode> modes, std::uint64_t key) {
  const auto mode = std::ranges::lower_bound(modes, key, {}, &ContactMode::key);
  return mode != modes.end() && mode->key == key ? &*mode : nullptr;
}

ActiveContacts::ActiveContacts(const Model& model, ConstrainedMotion& motion)
    : model_(model), motion_(motion) {
  w_ = Vector::Zero(motion.size());
}

void ActiveContacts::find(const Instant& now, const Vector& v) {
  v_ = v;
  evaluate(now);
}

// The active springs change the free acceleration; they are determined by the rates of their
// contacts.
void ActiveContacts::evaluate(const Instant& now) {
  const auto go = [&] {
    motion_.go(now.t, w_, v_);
    motion_.contacts().find_rows(motion_.kinematics().time(), motion_.kinematics().groups());
  };
  motion_.set_modes({});
  go();
  motion_.set_modes(active_springs(now));
  go();
  a_ = motion_.free_acceleration();
  find_contacts(now);
  X_ = H_.transpose();
  motion_.kinematics().solve_mass(X_);
  eliminate_joints();
  W_ = H_ * X_;
  W_ = 0.5 * (W_ + W_.transpose()).eval();
  begin_impulses();
}

// Bilateral springs are always active; others are active from the time they are reached to the
// event that ends them.
std::vector<ContactMode> ActiveContacts::active_springs(const Instant& now) const {
  const EventContacts& contacts = motion_.contacts();
  std::vector<ContactMode> modes;
  for (std::size_t i = 0; i < contacts.count(); ++i) {
    const ContactLaw& law = contacts.law(i);
    if (law.set_valued()) continue;
    const std::uint64_t key = contacts.key(i);
    const bool ends = std::ranges::any_of(now.endings, [&](const EventEnding& e) {
      return e.key == key && e.kind == EventEnding::Kind::ends;
    });
    const bool closes = std::ranges::any_of(now.endings, [&](const EventEnding& e) {
      return e.key == key && e.kind == EventEnding::Kind::closes;
    });
    const double y = contacts.gap(i), u = contacts.rate(i, 0);
    const bool active = closes || (y < 0.0 && law.force(y, u, 0.0) > 0.0) ||
                        (y < kSameInstant * motion_.kinematics().extent() && u < 0.0);
    if (law.bilateral() || (!ends && (active || find_mode(now.before, key))))
      modes.push_back({key, ContactMode::Kind::closed, {}, 0.0});
  }
  return modes;
}

// The active contacts, their rows H and rates u.
void ActiveContacts::find_contacts(const Instant& now) {
  EventContacts& contacts = motion_.contacts();
  const double L = motion_.kinematics().extent();
  Vector row(motion_.size());
  contacts_.clear();
  int rows = 0;
  double fastest = 0.0;
  const Vector motion = v_.cwiseAbs() + now.scale * a_.cwiseAbs();
  for (std::size_t i = 0; i < contacts.count(); ++i) {
    const ContactLaw& law = contacts.law(i);
    ActiveContact c;
    c.key = contacts.key(i);
    c.index = i;
    c.law = &law;
    const double speed = contacts.row_size(i, 0, motion);
    fastest = std::max(fastest, speed);
    c.still = kSameInstant * (speed + std::abs(contacts.rate(i, 0)));
    const double y = contacts.gap(i);
    double near = kSameInstant * (L + now.scale * std::abs(contacts.rate(i, 0)));
    if (now.crowded && c.law->unilateral()) near = std::max(near, model_.options().events.zeno);
    const ContactMode* const mode = find_mode(now.before, c.key);
    bool active = law.bilateral() || mode != nullptr || y <= near;
    for (const EventEnding& ending : now.endings) {
      if (ending.key != c.key) continue;
      if (ending.kind == EventEnding::Kind::closes) active = true;
      if (ending.kind == EventEnding::Kind::opens) c.ended = true;
      if (ending.kind == EventEnding::Kind::stops) c.stopped = true;
      if (ending.kind == EventEnding::Kind::slides) {
        c.given = true;
        c.direction = ending.direction;
      }
    }
    if (!law.set_valued()) active = find_mode(motion_.modes(), c.key) != nullptr;
    if (!active) continue;
    c.gap = mode ? mode->gap : y;
    c.first = rows;
    c.rows = law.set_valued() ? 1 : 0;
    if (c.law->unilateral()) c.rows += contacts.contact(i).tangents;
    c.held = !law.unilateral();
    rows += c.rows;
    contacts_.push_back(c);
  }
  H_.setZero(rows, motion_.size());
  u_.resize(rows);
  for (const ActiveContact& c : contacts_)
    for (int a = 0; a < c.rows; ++a) {
      row.setZero();
      contacts.add_row(c.index, a, 1.0, row);
      H_.row(c.first + a) = row;
      u_[c.first + a] = contacts.rate(c.index, a);
    }
  drift_ = u_ - H_ * v_;
  for (ActiveContact& c : contacts_)  // sliding is measured along the tangents
    for (int a = 1; a < c.rows; ++a)
      c.still = std::max(c.still, kSameInstant * contacts.row_size(c.index, a, motion));
  for (ActiveContact& c : contacts_) c.still = std::max(c.still, 1e-14 * fastest);
}

void ActiveContacts::eliminate_joints() {
  joint_impulses_.resize(0, X_.cols());
  JointConstraints& joints = motion_.joints();
  if (joints.rows() == 0) return;
  joints.make_rows();
  joints.bias(joint_rate_);
  joints.factorise();
  joints.project_out(X_, joint_impulses_);
  joint_impulses_ *= -1.0;
  joint_drift_ = joints.drift();
  // a <- a - M^-1 G^T (G M^-1 G^T)^-1 (G a + gamma)
  joints.add_rate_of(a_, joint_rate_);
  joints.solve(joint_rate_);
  Vector taken(a_.size());
  joints.accelerations(joint_rate_, taken);
  a_ -= taken;
}

void ActiveContacts::begin_impulses() {
  u_before_ = u_;
  drift_before_ = drift_;
  joint_drift_before_ = joint_drift_;
}

void ActiveContacts::make_bias() {
  std::vector<std::uint64_t> keys;
  std::vector<int> rows;
  for (const ActiveContact& c : contacts_) {
    keys.push_back(c.key);
    rows.push_back(c.rows);
  }
  motion_.contact_bias(keys, rows, bias_);
}

void ActiveContacts::record_impulse(const ActiveContact& c, const Vector3& impulse,
                                    const Vector& u_after, InstantReport& report) const {
  const IslandContact& contact = motion_.contacts().contact(c.index);
  for (int a = 0; a < c.rows; ++a) {
    const int r = c.first + a;
    const double mean = 0.5 * (u_before_[r] + u_after[r]);
    (a > 0                    ? report.friction
     : contact.joint_law >= 0 ? report.stops
                              : report.impact) += impulse[a] * mean;
    report.prescribed -= impulse[a] * 0.5 * (drift_before_[r] + drift_[r]);
  }
  report.impulses.emplace_back(c.key, contact.on_units(impulse));
}

void ActiveContacts::record_joints(const Vector& p, InstantReport& report) {
  if (motion_.joints().rows() == 0) return;
  const Vector L = joint_impulses_ * p;
  report.prescribed -= 0.5 * (joint_drift_before_ + joint_drift_).dot(L);
  report.joints.resize(model_.joints().size(), {Vector3::Zero(), Vector3::Zero()});
  motion_.joints().add_loads(L, 1.0, report.joints);
}

double ActiveContacts::work(const Vector& p, const Vector& u_after) const {
  return 0.5 * p.dot(u_before_ + u_after - drift_before_ - drift_);
}

void ActiveContacts::apply(const Vector& p, const Vector& u_after) {
  v_ += X_ * p;
  u_ = u_after;
}

void ActiveContacts::apply_jump(const Instant& now, InstantReport& report) {
  const std::vector<ActiveContact> contacts = contacts_;
  const Vector u = u_, drift = drift_, joint_drift = joint_drift_;
  motion_.enter_smooth_interval(now.t);
  evaluate(now);
  JointConstraints& joints = motion_.joints();
  if (joints.rows() > 0) {
    joints.rates(joint_rate_);
    Vector L = -joint_rate_, dv(v_.size());
    joints.solve(L);
    joints.accelerations(L, dv);
    v_ += dv;
    report.prescribed -= 0.5 * (joint_drift + joint_drift_).dot(L);
    report.joints.resize(model_.joints().size(), {Vector3::Zero(), Vector3::Zero()});
    joints.add_loads(L, 1.0, report.joints);
    evaluate(now);
    joint_drift_before_ = joint_drift;
  }
  for (const ActiveContact& c : contacts_) {
    const auto old = std::ranges::find(contacts, c.key, &ActiveContact::key);
    if (old == contacts.end() || old->rows != c.rows) continue;
    u_before_.segment(c.first, c.rows) = u.segment(old->first, c.rows);
    drift_before_.segment(c.first, c.rows) = drift.segment(old->first, c.rows);
  }
}

Vector ActiveContacts::direction_of(const ActiveContact& c) const {
  Vector direction = Vector::Zero(u_.size());
  direction[c.first] = 1.0;
  const int tangents = c.rows - 1;
  const double slip = tangents > 0 ? u_.segment(c.first + 1, tangents).norm() : 0.0;
  if (slip > c.still)
    direction.segment(c.first + 1, tangents) =
        -c.law->strength(slip) / slip * u_.segment(c.first + 1, tangents);
  return direction;
}

void ActiveContacts::put_velocity(std::vector<GroupState>& groups) const {
  const auto first = motion_.contacts().first();
  for (std::size_t g = 0; g < groups.size(); ++g)
    groups[g].v = v_.segment(first[g], groups[g].v.size());
}

void ActiveContacts::modes(std::vector<ContactMode>& modes) const {
  modes.clear();
  for (const ActiveContact& c : contacts_)
    if (c.held) modes.push_back({c.key, c.kind, c.direction, c.gap});
  for (ContactMode& mode : modes)
    if (mode.kind != ContactMode::Kind::slides) mode.direction = {};
}

}  // namespace saltus

#include "saltus/event_driven/zeno_closing.h"

#include <cmath>

#include "saltus/event_driven/constraint_rows.h"

namespace saltus {
namespace {

// Contacts that open and may bounce: u_N > 0, e < 1.
std::vector<std::size_t> opening_contacts(const ActiveContacts& active) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < active.contacts().size(); ++i) {
    const ActiveContact& c = active.contacts()[i];
    if (c.law->unilateral() && !c.held && !c.ended && active.u()[c.first] > c.still &&
        c.law->facts().restitution < 1.0)
      found.push_back(i);
  }
  return found;
}

// The impulse in the direction of c, with 1 in the normal of c, that keeps the held contacts
// closed.
Vector impulse_with_held_contacts(const ActiveContacts& active, const ActiveContact& c) {
  const auto n = active.u().size();
  std::vector<int> kept;
  Matrix C = Matrix::Zero(n, n);
  for (const ActiveContact& other : active.contacts()) {
    if (!other.held || !other.law->unilateral() || &other == &c) continue;
    C.col(static_cast<Eigen::Index>(kept.size())) = active.direction_of(other);
    kept.push_back(other.first);
    for (int r = 1; other.kind == ContactMode::Kind::sticks && r < other.rows; ++r) {
      C(other.first + r, static_cast<Eigen::Index>(kept.size())) = 1.0;
      kept.push_back(other.first + r);
    }
  }
  const auto m = static_cast<Eigen::Index>(kept.size());
  Vector direction = active.direction_of(c);
  if (m == 0) return direction;
  const Matrix WC = active.W() * C.leftCols(m);
  const Vector Wd = active.W() * direction;
  Matrix S(m, m);
  Vector rhs(m), y;
  for (Eigen::Index k = 0; k < m; ++k) {
    S.row(k) = WC.row(kept[static_cast<std::size_t>(k)]);
    rhs[k] = -Wd[kept[static_cast<std::size_t>(k)]];
  }
  solve_rows(S, rhs, y);
  direction += C.leftCols(m) * y;
  return direction;
}

Vector3 impulse_of(const ActiveContact& c, const Vector& p) {
  Vector3 impulse = Vector3::Zero();
  for (int r = 0; r < c.rows; ++r) impulse[r] = p[c.first + r];
  return impulse;
}

}  // namespace

bool close_zeno_sequence(const Model& model, ConstrainedMotion& motion, const Instant& now,
                         ActiveContacts& active, std::vector<GroupState>& groups,
                         std::vector<Event>& events, InstantReport& report) {
  const double zeno = model.options().events.zeno;
  if (!(zeno > 0.0)) return false;
  const std::vector<std::size_t> opening = opening_contacts(active);
  if (opening.empty()) return false;
  active.put_velocity(groups);
  std::vector<ContactMode> modes;
  active.modes(modes);
  motion.start(groups);
  motion.set_modes(modes);
  Vector dw(motion.size()), dv(motion.size());
  motion.rates(now.t, Vector::Zero(motion.size()), active.v(), dw, dv);
  for (const std::size_t i : opening) {
    const ActiveContact& c = active.contacts()[i];
    const double v = active.u()[c.first], e = c.law->facts().restitution;
    const double a = active.H().row(c.first).dot(dv) + active.bias()[c.first];
    if (!(a < 0.0) || v * v > -2.0 * a * zeno) continue;
    const double tau = -2.0 * v / (a * (1.0 - e));
    if (tau > 0.5 * now.scale) continue;
    const Vector direction = impulse_with_held_contacts(active, c);
    const double compliance = active.W().row(c.first).dot(direction);
    if (!(compliance > 1e-12 * active.W()(c.first, c.first))) continue;
    const Vector p = -v / compliance * direction, u_after = active.u() + active.W() * p;
    for (const ActiveContact& other : active.contacts())
      if (&other != &c && !p.segment(other.first, other.rows).isZero(0.0))
        active.record_impulse(other, impulse_of(other, p), u_after, report);
    const Vector3 taken = impulse_of(c, p);
    active.record_impulse(c, taken, u_after, report);
    events.push_back({Event::Kind::rest, now.t + tau, c.key, v,
                      -(1.0 + e) / (1.0 - e) * motion.contacts().contact(c.index).on_units(taken),
                      0.0});
    active.record_joints(p, report);
    active.apply(p, u_after);
    for (const ActiveContact& other : active.contacts())
      if (other.law->unilateral() &&
          (&other == &c || std::abs(active.u()[other.first]) <= other.still))
        active.set_rate(other.first, 0.0);
    return true;  // the other contacts depend on what this one changed
  }
  return false;
}

}  // namespace saltus

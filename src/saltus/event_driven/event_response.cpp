#include "saltus/event_driven/event_response.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/base/error.h"
#include "saltus/base/index_internal.h"
#include "saltus/event_driven/constraint_rows.h"

namespace saltus {
namespace {

/// What modes are told by must be better than what steps need: asked for, and missed down to what the scene allows.
constexpr double kSolve = 1e-13;
/// Accelerations below this share of those without contact are the round-off of a solution that holds still.
constexpr double kMoves = 1e-9;
/// Of the time ahead: after so much of it foresee() asks first.
constexpr double kForesee = 1e-6;

/// What counts as the same instant, and as nothing beside what is there.
constexpr double kTie = 1e-12;

/// Of the size of a coordinate: the round-off of a gap, and corrections after which factors of the place before still do. Of the
/// largest velocity: a correction that one round makes to round-off.
constexpr double kRound = 4e-16, kNear = 1e-6, kSmall = 1e-8;

const ContactMode* find_mode(std::span<const ContactMode> modes, std::uint64_t key) {
  const auto mode = std::ranges::lower_bound(modes, key, {}, &ContactMode::key);
  return mode != modes.end() && mode->key == key ? &*mode : nullptr;
}

}  // namespace

EventResponse::EventResponse(const Model& model, ConstrainedMotion& motion)
    : model_(model), motion_(motion) {
  w_ = Vector::Zero(motion.size());
}

// Springs that press: those that pull do always, others from the place where they are reached to the event that ends them.
std::vector<ContactMode> EventResponse::springs(std::span<const ContactMode> before) const {
  const EventContacts& contacts = motion_.contacts();
  std::vector<ContactMode> modes;
  for (std::size_t i = 0; i < contacts.count(); ++i) {
    const ContactLaw& law = contacts.law(i);
    if (law.set_valued()) continue;
    const std::uint64_t key = contacts.key(i);
    const bool ends = std::ranges::any_of(endings_, [&](const EventEnding& e) {
      return e.key == key && e.kind == EventEnding::Kind::ends;
    });
    const bool closes = std::ranges::any_of(endings_, [&](const EventEnding& e) {
      return e.key == key && e.kind == EventEnding::Kind::closes;
    });
    const double y = contacts.gap(i), u = contacts.rate(i, 0);
    const bool pressed = closes || (y < 0.0 && law.force(y, u, 0.0) > 0.0) ||
                         (y < kTie * motion_.kinematics().extent() && u < 0.0);
    if (law.bilateral() || (!ends && (pressed || find_mode(before, key))))
      modes.push_back({key, ContactMode::Kind::closed, {}, 0.0});
  }
  return modes;
}

// Contacts that touch, their rows, and W.
void EventResponse::look(const Instant& now, std::span<const ContactMode> before) {
  EventContacts& contacts = motion_.contacts();
  a_ = motion_.free_acceleration();
  const double L = motion_.kinematics().extent();
  Vector row(motion_.size());
  touching_.clear();
  int rows = 0;
  double fastest = 0.0;
  const Vector motion = v_.cwiseAbs() + now.scale * a_.cwiseAbs();
  for (std::size_t i = 0; i < contacts.count(); ++i) {
    const ContactLaw& law = contacts.law(i);
    Touching c;
    c.key = contacts.key(i);
    c.index = i;
    c.law = &law;
    const double speed = contacts.row_size(i, 0, motion);
    fastest = std::max(fastest, speed);
    c.still = kTie * (speed + std::abs(contacts.rate(i, 0)));
    const double y = contacts.gap(i);
    double near = kTie * (L + now.scale * std::abs(contacts.rate(i, 0)));
    if (crowded_ && c.law->unilateral()) near = std::max(near, model_.options().events.zeno);
    const ContactMode* const mode = find_mode(before, c.key);
    bool touches = law.bilateral() || mode != nullptr || y <= near;
    for (const EventEnding& ending : endings_) {
      if (ending.key != c.key) continue;
      if (ending.kind == EventEnding::Kind::closes) touches = true;
      if (ending.kind == EventEnding::Kind::opens) c.ended = true;
      if (ending.kind == EventEnding::Kind::stops) c.stopped = true;
      if (ending.kind == EventEnding::Kind::slides) {
        c.given = true;
        c.direction = ending.direction;
      }
    }
    if (!law.set_valued()) touches = find_mode(motion_.modes(), c.key) != nullptr;
    if (!touches) continue;
    c.gap = mode ? mode->gap : y;
    c.first = rows;
    c.rows = law.set_valued() ? 1 : 0;
    if (c.law->unilateral()) c.rows += contacts.contact(i).tangents;
    c.held = !law.unilateral();
    rows += c.rows;
    touching_.push_back(c);
  }
  H_.setZero(rows, motion_.size());
  u_.resize(rows);
  for (const Touching& c : touching_)
    for (int a = 0; a < c.rows; ++a) {
      row.setZero();
      contacts.add_row(c.index, a, 1.0, row);
      H_.row(c.first + a) = row;
      u_[c.first + a] = contacts.rate(c.index, a);
    }
  drift_ = u_ - H_ * v_;
  for (Touching& c : touching_)  // sliding is measured along the tangents
    for (int a = 1; a < c.rows; ++a)
      c.still = std::max(c.still, kTie * contacts.row_size(c.index, a, motion));
  for (Touching& c : touching_) c.still = std::max(c.still, 1e-14 * fastest);
  X_ = H_.transpose();
  motion_.kinematics().solve_mass(X_);
  joint_share_.resize(0, X_.cols());
  if (motion_.joints().rows() > 0) {
    motion_.joints().rates(joint_rate_);
    motion_.joints().bias(joint_rate_);
    motion_.joints().factorise();
    motion_.joints().project_out(X_, joint_share_);
    joint_share_ *= -1.0;
    joint_drift_ = motion_.joints().drift();
    motion_.joints().add_rate_of(a_, joint_rate_);
    motion_.joints().solve(joint_rate_);
    Vector taken(a_.size());
    motion_.joints().accelerations(joint_rate_, taken);
    a_ -= taken;
  }
  W_ = H_ * X_;
  W_ = 0.5 * (W_ + W_.transpose()).eval();
  take_as_before();
}

// From the start that motion_ knows, with v_ and the springs that press there.
void EventResponse::look_from(const Instant& now, std::span<const ContactMode> before) {
  const auto go = [&] {
    motion_.go(now.t, w_, v_);
    motion_.contacts().find_rows(motion_.kinematics().time(), motion_.kinematics().groups());
  };
  motion_.set_modes({});
  go();
  motion_.set_modes(springs(before));
  go();
  look(now, before);
}

void EventResponse::take_as_before() {
  u_before_ = u_;
  drift_before_ = drift_;
  joint_drift_before_ = joint_drift_;
}

// Books an impulse on contact c that leads from u_ to u_after.
void EventResponse::give(const Instant& now, const Touching& c, const Vector3& impulse,
                         const Vector& u_after) {
  for (int a = 0; a < c.rows; ++a) {
    const int r = c.first + a;
    const double mean = 0.5 * (u_before_[r] + u_after[r]);
    const bool stop = motion_.contacts().contact(c.index).joint_law >= 0;
    (a > 0  ? now.account.friction
     : stop ? now.account.stops
            : now.account.impact) += impulse[a] * mean;
    now.account.prescribed -= impulse[a] * 0.5 * (drift_before_[r] + drift_[r]);
  }
  now.impulses.emplace_back(c.key, motion_.contacts().contact(c.index).on_units(impulse));
  now.account.impulse += impulse[0];
}

// What the joints do when contacts get the impulses p.
void EventResponse::give_joints(const Instant& now, const Vector& p) {
  if (motion_.joints().rows() == 0) return;
  const Vector L = joint_share_ * p;
  now.account.prescribed -= 0.5 * (joint_drift_before_ + joint_drift_).dot(L);
  now.account.joints.resize(model_.joints().size(), {Vector3::Zero(), Vector3::Zero()});
  motion_.joints().add_loads(L, 1.0, now.account.joints);
}

// Drives and supports go on with new rates d: joints obey them at once, v <- v + M^-1 G^T L, S L = -(G v + d). All impulses of
// the instant, those of contacts too, work with the means of the rates before and after.
void EventResponse::meet_jump(const Instant& now, std::span<const ContactMode> before) {
  const std::vector<Touching> touched = touching_;
  const Vector u = u_, drift = drift_, joint_drift = joint_drift_;
  motion_.enter_smooth_interval(now.t);
  look_from(now, before);
  if (motion_.joints().rows() > 0) {
    motion_.joints().rates(joint_rate_);
    Vector L = -joint_rate_, dv(v_.size());
    motion_.joints().solve(L);
    motion_.joints().accelerations(L, dv);
    v_ += dv;
    now.account.prescribed -= 0.5 * (joint_drift + joint_drift_).dot(L);
    now.account.joints.resize(model_.joints().size(), {Vector3::Zero(), Vector3::Zero()});
    motion_.joints().add_loads(L, 1.0, now.account.joints);
    look_from(now, before);
    joint_drift_before_ = joint_drift;
  }
  for (const Touching& c : touching_) {
    const auto old = std::ranges::find(touched, c.key, &Touching::key);
    if (old == touched.end() || old->rows != c.rows) continue;
    u_before_.segment(c.first, c.rows) = u.segment(old->first, c.rows);
    drift_before_.segment(c.first, c.rows) = drift.segment(old->first, c.rows);
  }
}

// Velocities: contacts that close with speed, and equalities that are not obeyed, as where a motor starts. True: there was an
// impact.
bool EventResponse::strike(const Instant& now) {
  const bool closing = std::ranges::any_of(touching_, [&](const Touching& c) {
    if (c.law->facts().impact == ImpactForm::held)
      return std::abs(u_[c.first] - c.law->facts().velocity) > c.still;
    return c.law->unilateral() && u_[c.first] < -c.still;
  });
  if (!closing) return false;
  std::vector<ImpactContact> contacts;
  std::vector<const Touching*> of;
  std::vector<int> rows, ids;
  for (const Touching& c : touching_) {
    const LawFacts& law = c.law->facts();
    if (!law.impact || c.rows == 0) continue;
    ImpactContact x;
    x.form = *law.impact;
    x.first = static_cast<int>(rows.size());
    x.tangents = c.rows - 1;
    // What a drive jerks against others did not close before: by Newton's law it does not bounce.
    const bool jerked = jumped_ && x.form == ImpactForm::newton && u_before_[c.first] >= -c.still;
    x.restitution = crowded_ || jerked ? 0.0 : law.restitution;
    x.tangential = jerked ? 0.0 : law.friction.tangential;
    if (c.rows > 1) x.friction = c.law->strength(u_.segment(c.first + 1, c.rows - 1).norm());
    contacts.push_back(x);
    of.push_back(&c);
    for (int a = 0; a < c.rows; ++a) rows.push_back(c.first + a);
  }
  const auto m = static_cast<Eigen::Index>(rows.size());
  Matrix W(m, m);
  Vector u(m), P = Vector::Zero(m);
  for (Eigen::Index i = 0; i < m; ++i) {
    ids.push_back(static_cast<int>(i));
    u[i] = u_[rows[static_cast<std::size_t>(i)]];
    for (Eigen::Index j = 0; j < m; ++j)
      W(i, j) = W_(rows[static_cast<std::size_t>(i)], rows[static_cast<std::size_t>(j)]);
  }
  for (std::size_t k = 0; k < of.size(); ++k)
    if (contacts[k].form == ImpactForm::held) u[contacts[k].first] -= of[k]->law->facts().velocity;
  const Limits allowed = model_.options().contact;
  const Limits asked{.tolerance = std::min(kSolve, allowed.tolerance),
                     .iterations = allowed.iterations,
                     .stop = stop_};
  const ImpactReport report = solve_impact({W, u, contacts, ids}, model_.options().events.impacts,
                                           model_.solver(), asked, P);
  now.account.iterations += report.iterations;
  now.account.residual = worse(now.account.residual, report.residual);
  if (!report.certified || (!report.converged && !(report.residual <= allowed.tolerance))) {
    now.account.failure = report.failure.empty()
                              ? "the contact solver did not reach its tolerance in an impact"
                              : report.failure;
    return false;
  }
  if (report.tied[0] >= 0 && !now.account.tied)
    now.account.tied = {of[at(report.tied[0])]->key, of[at(report.tied[1])]->key};
  Vector all = Vector::Zero(u_.size());
  for (Eigen::Index i = 0; i < m; ++i) all[rows[static_cast<std::size_t>(i)]] = P[i];
  const Vector u_after = u_ + W_ * all;
  v_ += X_ * all;
  double energy = 0.5 * all.dot(u_before_ + u_after - drift_before_ - drift_), fastest = 0.0;
  for (std::size_t k = 0; k < of.size(); ++k) {
    Vector3 impulse = Vector3::Zero();
    for (int a = 0; a < of[k]->rows; ++a) impulse[a] = all[of[k]->first + a];
    fastest = std::max(fastest, std::abs(u_[of[k]->first]));
    if (impulse.isZero(0.0)) continue;
    if (of[k]->law->unilateral()) {
      now.events.push_back({Event::Kind::impact, now.t, of[k]->key, u_[of[k]->first],
                            motion_.contacts().contact(of[k]->index).on_units(impulse), energy});
      energy = 0.0;
    }
    give(now, *of[k], impulse, u_after);
  }
  give_joints(now, all);
  // What an impact leaves of velocities that it stopped is the residual of its solver.
  for (Touching& c : touching_)
    c.still = std::max(c.still, std::max(1e-10, 1e2 * report.residual) * fastest);
  u_ = u_after;
  return true;
}

// Accelerations: which contacts stay closed, stick or slide. False: no acceleration obeys the laws.
bool EventResponse::choose(const Instant& now) {
  std::vector<std::uint64_t> keys;
  std::vector<int> counts;
  for (const Touching& c : touching_) {
    keys.push_back(c.key);
    counts.push_back(c.rows);
  }
  motion_.contact_bias(keys, counts, bias_);
  Vector a = a_;
  // Columns of the unknown forces over the rows of H, and the rows that the laws see.
  std::vector<Touching*> of;
  std::vector<Law> laws;
  std::vector<int> seen;
  Matrix C = Matrix::Zero(u_.size(), u_.size());
  bool symmetric = true;
  for (Touching& c : touching_) {
    if (c.rows == 0) continue;
    const auto column = static_cast<Eigen::Index>(seen.size());
    Law law = c.law->entry({.rows = 1}, 1.0);
    law.first = static_cast<int>(column);
    if (c.law->slides_on_normal()) {
      const double s = u_[c.first] - c.law->facts().velocity;
      if (c.given || (std::abs(s) > c.still && !c.stopped)) {
        c.kind = ContactMode::Kind::slides;
        if (!c.given) c.direction = {s > 0.0 ? 1.0 : -1.0, 0.0};
        a -= X_.col(c.first) * (c.law->strength(std::abs(s)) * c.direction[0]);
        continue;
      }
      law.bound = c.law->strength(0.0);
    } else if (c.law->unilateral()) {
      c.held = false;
      if (c.ended || u_[c.first] > c.still) continue;  // it leaves
      const int tangents = c.rows - 1;
      const double slip = tangents > 0 ? u_.segment(c.first + 1, tangents).norm() : 0.0;
      if (tangents > 0 && (c.given || (slip > c.still && !c.stopped))) {
        c.kind = ContactMode::Kind::slides;
        if (!c.given)
          for (int b = 0; b < 2; ++b)
            c.direction[at(b)] = b < tangents ? u_[c.first + 1 + b] / slip : 0.0;
        for (int b = 0; b < tangents; ++b)
          C(c.first + 1 + b, column) = -c.law->strength(slip) * c.direction[at(b)];
        symmetric = symmetric && c.law->strength(slip) == 0.0;
      } else if (tangents > 0) {
        c.kind = ContactMode::Kind::sticks;
        law.kind = LawKind::coulomb;
        law.size = c.rows;
        law.friction = c.law->strength(0.0);
      }
    }
    for (int r = 0; r < law.size; ++r) {
      C(c.first + r, column + r) = 1.0;
      seen.push_back(c.first + r);
    }
    laws.push_back(law);
    of.push_back(&c);
  }
  if (of.empty()) return true;
  const auto m = static_cast<Eigen::Index>(seen.size());
  DenseDelassus W;
  const Matrix WC = W_ * C.leftCols(m);
  const Vector all = H_ * a + bias_;
  Vector b(m), p = Vector::Zero(m);
  W.W.resize(m, m);
  std::vector<int> ids;
  for (Eigen::Index i = 0; i < m; ++i) {
    W.W.row(i) = WC.row(seen[static_cast<std::size_t>(i)]);
    b[i] = all[seen[static_cast<std::size_t>(i)]];
    ids.push_back(static_cast<int>(i));
  }
  W.is_symmetric = symmetric;
  SolverMemory memory;
  const Limits allowed = model_.options().contact;
  const Limits asked{.tolerance = std::min(kSolve, allowed.tolerance),
                     .iterations = allowed.iterations,
                     .stop = stop_};
  const SolveReport report = model_.solver().solve({W, b, laws, ids}, asked, memory, p);
  now.account.iterations += report.iterations;
  now.account.residual = worse(now.account.residual, report.residual);
  if (!report.certified || (!report.converged && !(report.residual <= allowed.tolerance))) {
    now.account.failure =
        "no acceleration was found that obeys the laws of the contacts that touch";
    return false;
  }
  const double most = p.cwiseAbs().maxCoeff(), pull = b.cwiseAbs().maxCoeff();
  Vector after(m);
  W.apply(p, after);
  after += b;
  for (std::size_t k = 0; k < of.size(); ++k) {
    Touching& c = *of[k];
    const Law& law = laws[k];
    if (law.kind == LawKind::equality) continue;
    if (law.kind == LawKind::box) {
      const bool slides = std::abs(p[law.first]) >= (1.0 - 1e-11) * law.bound &&
                          std::abs(after[law.first]) > kMoves * pull;
      c.kind = slides ? ContactMode::Kind::slides : ContactMode::Kind::sticks;
      c.direction = {p[law.first] > 0.0 ? -1.0 : 1.0, 0.0};
      continue;
    }
    // One that carries nothing and does not open either shares its load with others that could do without it.
    c.held = p[law.first] > 1e-13 * most || after[law.first] <= kMoves * pull;
    if (law.kind != LawKind::coulomb || !c.held) continue;
    const auto T = p.segment(law.first + 1, law.size - 1);
    const double strength = T.norm();
    if (strength < (1.0 - 1e-11) * law.friction * p[law.first] ||
        after.segment(law.first + 1, law.size - 1).norm() <= kMoves * pull)
      continue;
    c.kind = ContactMode::Kind::slides;
    for (int d = 0; d < 2; ++d)
      c.direction[at(d)] = d < T.size() && strength > 0.0 ? -T[d] / strength : 0.0;
  }
  return true;
}

// Directions of impulses over the rows of H: the normal, or the row of friction of a contact that slides.
Vector EventResponse::along(const Touching& c) const {
  Vector way = Vector::Zero(u_.size());
  way[c.first] = 1.0;
  const int tangents = c.rows - 1;
  const double slip = tangents > 0 ? u_.segment(c.first + 1, tangents).norm() : 0.0;
  if (slip > c.still)
    way.segment(c.first + 1, tangents) =
        -c.law->strength(slip) / slip * u_.segment(c.first + 1, tangents);
  return way;
}

// A contact that leaves with u_N = v > 0 and is pressed back by a_N < 0 hops for tau = 2 v/(|a_N| (1 - e)) and then rests. The
// hops give it in all  m v (1 + e)/(1 - e) = m |a_N| tau - m v:  as much as if it were closed from now on but for -m v, which
// is taken from it here.
bool EventResponse::close_hops(const Instant& now, std::vector<GroupState>& groups) {
  const double zeno = model_.options().events.zeno;
  if (!(zeno > 0.0)) return false;
  std::vector<Touching*> leaving;
  for (Touching& c : touching_)
    if (c.law->unilateral() && !c.held && !c.ended && u_[c.first] > c.still &&
        c.law->facts().restitution < 1.0)
      leaving.push_back(&c);
  if (leaving.empty()) return false;
  put_velocity(groups);
  std::vector<ContactMode> modes;
  gather(modes);
  motion_.start(groups);
  motion_.set_modes(modes);
  Vector dw(v_.size()), dv(v_.size());
  motion_.rates(now.t, w_, v_, dw, dv);
  for (Touching* c : leaving) {
    const double v = u_[c->first], e = c->law->facts().restitution;
    const double a = H_.row(c->first).dot(dv) + bias_[c->first];
    if (!(a < 0.0) || v * v > -2.0 * a * zeno) continue;
    const double tau = -2.0 * v / (a * (1.0 - e));
    if (tau > 0.5 * now.scale) continue;
    // Along the row on which it slides, or the normal; contacts that are held stay so.
    std::vector<int> kept;
    Matrix C = Matrix::Zero(u_.size(), u_.size());
    for (const Touching& other : touching_) {
      if (!other.held || !other.law->unilateral() || &other == c) continue;
      C.col(static_cast<Eigen::Index>(kept.size())) = along(other);
      kept.push_back(other.first);
      for (int r = 1; other.kind == ContactMode::Kind::sticks && r < other.rows; ++r) {
        C(other.first + r, static_cast<Eigen::Index>(kept.size())) = 1.0;
        kept.push_back(other.first + r);
      }
    }
    const auto m = static_cast<Eigen::Index>(kept.size());
    Vector way = along(*c);
    if (m > 0) {
      const Matrix WC = W_ * C.leftCols(m);
      const Vector Ww = W_ * way;
      Matrix S(m, m);
      Vector rhs(m), y;
      for (Eigen::Index k = 0; k < m; ++k) {
        S.row(k) = WC.row(kept[static_cast<std::size_t>(k)]);
        rhs[k] = -Ww[kept[static_cast<std::size_t>(k)]];
      }
      solve_rows(S, rhs, y);
      way += C.leftCols(m) * y;
    }
    const double compliance = W_.row(c->first).dot(way);
    if (!(compliance > 1e-12 * W_(c->first, c->first))) continue;
    const Vector p = -v / compliance * way, u_after = u_ + W_ * p;
    for (const Touching& other : touching_)
      if (&other != c && !p.segment(other.first, other.rows).isZero(0.0)) {
        Vector3 share = Vector3::Zero();
        for (int r = 0; r < other.rows; ++r) share[r] = p[other.first + r];
        give(now, other, share, u_after);
      }
    Vector3 taken = Vector3::Zero();
    for (int r = 0; r < c->rows; ++r) taken[r] = p[c->first + r];
    give(now, *c, taken, u_after);
    now.events.push_back(
        {Event::Kind::rest, now.t + tau, c->key, v,
         -(1.0 + e) / (1.0 - e) * motion_.contacts().contact(c->index).on_units(taken), 0.0});
    v_ += X_ * p;
    give_joints(now, p);
    u_ = u_after;
    for (const Touching& other : touching_)
      if (other.law->unilateral() && (&other == c || std::abs(u_[other.first]) <= other.still))
        u_[other.first] = 0.0;
    return true;  // the others see what this has changed
  }
  return false;
}

void EventResponse::put_velocity(std::vector<GroupState>& groups) const {
  const auto first = motion_.contacts().first();
  for (std::size_t g = 0; g < groups.size(); ++g)
    groups[g].v = v_.segment(first[g], groups[g].v.size());
}

void EventResponse::gather(std::vector<ContactMode>& modes) const {
  modes.clear();
  for (const Touching& c : touching_)
    if (c.held) modes.push_back({c.key, c.kind, c.direction, c.gap});
  for (ContactMode& mode : modes)
    if (mode.kind != ContactMode::Kind::slides) mode.direction = {};
}

// What changed: contacts that close, open, stick or slide from here on.
void EventResponse::tell(const Instant& now, std::span<const ContactMode> before,
                         std::span<const ContactMode> after) const {
  const auto say = [&](Event::Kind kind, std::uint64_t key) {
    now.events.push_back({kind, now.t, key, 0.0, Vector3::Zero(), 0.0});
  };
  const auto is_spring = [&](std::uint64_t key) {
    const int i = motion_.contacts().index_of(key);
    return i >= 0 && !motion_.contacts().law(at(i)).set_valued();
  };
  for (const ContactMode& mode : before)
    if (!find_mode(after, mode.key))
      say(is_spring(mode.key) ? Event::Kind::spring : Event::Kind::opens, mode.key);
  for (const ContactMode& mode : after) {
    const ContactMode* const old = find_mode(before, mode.key);
    if (!old) {
      if (is_spring(mode.key)) {
        say(Event::Kind::spring, mode.key);
        continue;
      }
      const bool rests = std::ranges::any_of(now.events, [&](const Event& e) {
        return e.kind == Event::Kind::rest && e.key == mode.key && e.t >= now.t;
      });
      if (!rests) say(Event::Kind::closes, mode.key);
    }
    if (old ? old->kind != mode.kind || old->direction[0] * mode.direction[0] < 0.0
            : mode.kind != ContactMode::Kind::closed)
      say(mode.kind == ContactMode::Kind::sticks ? Event::Kind::sticks : Event::Kind::slides,
          mode.key);
  }
}

bool EventResponse::resolve(double t, double scale, bool crowded, std::vector<GroupState>& groups,
                            std::span<const ContactMode> before,
                            std::span<const EventEnding> endings, std::vector<ContactMode>& modes,
                            std::vector<Event>& events,
                            std::vector<std::pair<std::uint64_t, Vector3>>& impulses,
                            Account& account) {
  const Instant now{t, scale, events, impulses, account};
  crowded_ = crowded && model_.options().events.zeno > 0.0;
  endings_.assign(endings.begin(), endings.end());
  v_ = velocities(groups);
  motion_.contacts().settle(t, groups);
  motion_.start(groups);
  look_from(now, before);
  jumped_ =
      std::ranges::find(endings_, EventEnding::Kind::jumps, &EventEnding::kind) != endings_.end();
  if (jumped_) meet_jump(now, before);
  bool good = true;
  for (int round = 0; good; ++round) {
    strike(now);
    take_as_before();
    good = account.failure.empty() && choose(now);
    if (!good || !close_hops(now, groups)) break;
    take_as_before();
    if (round > 100) {
      account.failure = "hops of contacts that touch do not come to an end";
      good = false;
    }
  }
  put_velocity(groups);
  gather(modes);
  if (!good) return false;
  if (!project(t, groups, modes, false)) {
    account.failure = kNotHeld;
    return false;
  }
  motion_.start(groups);
  motion_.set_modes(modes);
  tell(now, before, modes);
  return true;
}

std::vector<EventEnding> EventResponse::foresee(double t, double ahead,
                                                const std::vector<GroupState>& groups,
                                                std::span<const ContactMode> modes,
                                                Account& account) {
  const auto first = motion_.contacts().first();
  const Vector v = velocities(groups);
  Vector dw(v.size()), dv(v.size());
  motion_.start(groups);
  motion_.set_modes(modes);
  motion_.rates(t, w_, v, dw, dv);
  std::vector<GroupState> there = groups;
  std::vector<Event> no_events;
  std::vector<std::pair<std::uint64_t, Vector3>> no_impulses;
  std::vector<EventEnding> found;
  endings_.clear();
  crowded_ = jumped_ = false;
  for (double s = kForesee * ahead; found.empty() && s <= ahead; s *= 10.0) {
    motion_.start(groups);
    motion_.kinematics().move(s * v + 0.5 * s * s * dv, there);
    for (std::size_t g = 0; g < there.size(); ++g)
      there[g].v = groups[g].v + s * dv.segment(first[g], groups[g].v.size());
    project(t + s, there, modes, true);
    const Instant then{t + s, ahead, no_events, no_impulses, account};
    v_ = velocities(there);
    motion_.start(there);
    look_from(then, modes);
    for (Touching& c : touching_)  // the modes hold them: what rates they have is the error of s
      if (const ContactMode* const mode = find_mode(modes, c.key))
        c.still = std::max(c.still, mode->kind == ContactMode::Kind::slides
                                        ? std::abs(u_[c.first])
                                        : u_.segment(c.first, c.rows).cwiseAbs().maxCoeff());
    if (!choose(then)) {
      account.failure = {};
      continue;
    }
    for (const Touching& c : touching_) {
      const ContactMode* const mode = find_mode(modes, c.key);
      if (!mode || c.rows == 0) continue;
      if (!c.held)
        found.push_back({EventEnding::Kind::opens, c.key, {}});
      else if (mode->kind == ContactMode::Kind::sticks && c.kind == ContactMode::Kind::slides)
        found.push_back({EventEnding::Kind::slides, c.key, c.direction});
    }
  }
  return found;
}

// w = -M^-1 B^T (B M^-1 B^T)^-1 g, again while it gets better; then the same of the rates with v. B is made again only where
// its change would matter.
bool EventResponse::project(double t, std::vector<GroupState>& groups,
                            std::span<const ContactMode> modes, bool positions) {
  const auto first = motion_.contacts().first();
  const EventContacts& contacts = motion_.contacts();
  const int joints = motion_.joints().rows();
  Vector v(motion_.size()), g, part, lambda, move, scale, row(motion_.size());
  Matrix B, X, R, S;
  const auto put = [&](bool rows) {
    motion_.start(groups);
    motion_.set_modes(modes);
    for (std::size_t i = 0; i < groups.size(); ++i)
      v.segment(first[i], groups[i].v.size()) = groups[i].v;
    if (rows || modes.empty())
      motion_.go(t, w_, v);
    else
      motion_.look(t, w_, v);
  };
  // Rows of the modes: contact, row, value.
  struct Row {
    std::size_t contact;
    int row;
    double value;
  };
  std::vector<Row> of;
  const auto find = [&](bool of_positions) {
    of.clear();
    for (const ContactMode& mode : modes) {
      const int index = contacts.index_of(mode.key);
      if (index < 0) continue;
      const auto i = at(index);
      const ContactLaw& law = contacts.law(i);
      const bool sticks = mode.kind == ContactMode::Kind::sticks;
      if (law.held_rows(contacts.contact(i).tangents, sticks) == 0) continue;
      const bool bilateral = law.bilateral();
      if (of_positions) {
        if (!bilateral) of.push_back({i, 0, contacts.gap(i) - mode.gap});
        continue;
      }
      of.push_back({i, 0, contacts.rate(i, 0) - (bilateral ? law.facts().velocity : 0.0)});
      for (int a = 1; sticks && !bilateral && a <= contacts.contact(i).tangents; ++a)
        of.push_back({i, a, contacts.rate(i, a)});
    }
    g.resize(joints + static_cast<Eigen::Index>(of.size()));
    for (std::size_t r = 0; r < of.size(); ++r)
      g[joints + static_cast<Eigen::Index>(r)] = of[r].value;
    if (joints > 0) {
      if (of_positions)
        motion_.joints().gaps(part);
      else
        motion_.joints().rates(part);
      g.head(joints) = part;
    }
    return g.size() > 0;
  };
  const auto make = [&] {
    if (joints > 0) {
      motion_.joints().make_rows();
      motion_.joints().factorise();
    }
    B.resize(static_cast<Eigen::Index>(of.size()), motion_.size());
    for (std::size_t r = 0; r < of.size(); ++r) {
      row.setZero();
      contacts.add_row(of[r].contact, of[r].row, 1.0, row);
      B.row(static_cast<Eigen::Index>(r)) = row;
    }
    X = B.transpose();
    motion_.kinematics().solve_mass(X);
    scale = row_scale(B, X);
    motion_.joints().project_out(X, R);
    S = B.lazyProduct(X);
  };
  // -M^-1 B^T (B M^-1 B^T)^-1 g of joints and then, within what they leave, of contacts; of rates g this changes the kinetic
  // energy by g^T (B M^-1 B^T)^-1 g/2
  double taken = 0.0;
  const auto step = [&]() -> const Vector& {
    move.setZero(motion_.size());
    if (joints > 0) {
      part = g.head(joints);
      motion_.joints().solve(part);
      taken += 0.5 * std::abs(part.dot(g.head(joints)));
      motion_.joints().accelerations(part, move);
      move *= -1.0;
    }
    if (B.rows() > 0) {
      part = g.tail(B.rows());
      part.noalias() += B * move;
      solve_rows(S, part, lambda, scale);
      taken += 0.5 * std::abs(part.dot(lambda));
      move.noalias() -= X * lambda;
    }
    return move;
  };
  // Newton's method by chords: factors are kept while a round leaves less than three tenths of what it found; where one with
  // new factors leaves more, that is round-off.
  constexpr double kAny = std::numeric_limits<double>::infinity();
  bool made = false, just_made = false;
  double last = kAny, worst = 0.0;
  const auto stuck = [&](double size) {
    const bool slow = size > 0.3 * last;
    last = size;
    if (slow && just_made) return true;
    just_made = false;
    made = made && !slow;
    return false;
  };
  if (positions) {
    for (int round = 0; round < 8; ++round) {
      put(!made);
      if (!find(true)) break;
      const double size = g.cwiseAbs().maxCoeff();
      if (round == 0) worst = size;
      if (size <= kRound * motion_.kinematics().extent() || stuck(size)) break;
      if (!made) {
        if (round > 0) put(true);
        make();
        made = just_made = true;
      }
      motion_.kinematics().move(step(), groups);
    }
  }
  // Of contacts other rows count for rates than for gaps.
  const double near = worst / motion_.kinematics().extent();
  made = made && modes.empty() && near <= kNear;
  just_made = false;
  last = kAny;
  taken = 0.0;
  const Vector before = velocities(groups);
  for (int round = 0; round < 4; ++round) {
    put(true);
    if (!find(false)) break;
    const double size = g.cwiseAbs().maxCoeff();
    if (size == 0.0 || stuck(size)) break;
    if (!made) {
      make();
      made = just_made = true;
    }
    const Vector& dv = step();
    for (std::size_t i = 0; i < groups.size(); ++i)
      groups[i].v += dv.segment(first[i], groups[i].v.size());
    if ((just_made ? size * kSmall : size * near) <= kRound * v.cwiseAbs().maxCoeff()) break;
  }
  const double most = kDrift * std::max(in_play_, of_fall_) + kWays * of_distance_;
  if (!(taken > most) || most == 0.0) return true;
  for (std::size_t i = 0; i < groups.size(); ++i)
    groups[i].v = before.segment(first[i], groups[i].v.size());
  return false;
}

Vector EventResponse::velocities(std::span<const GroupState> groups) const {
  Vector v(motion_.size());
  const auto first = motion_.contacts().first();
  for (std::size_t i = 0; i < groups.size(); ++i)
    v.segment(first[i], groups[i].v.size()) = groups[i].v;
  return v;
}

}  // namespace saltus

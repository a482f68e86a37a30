#include "saltus/event_driven/event_response.h"

#include <algorithm>
#include <cmath>

#include "saltus/base/error.h"
#include "saltus/base/index_internal.h"
#include "saltus/event_driven/mode_choice.h"
#include "saltus/event_driven/zeno_closing.h"

namespace saltus {
namespace {

/// Modes need a more accurate solution than steps do: the solver gets this tolerance, but results
/// down to the tolerance of the scene are accepted.
constexpr double kSolve = 1e-13;
/// The first time of foresee(), relative to the time ahead.
constexpr double kForesee = 1e-6;
constexpr int kMostClosings = 100;  ///< Zeno sequences that end at one instant

bool jumps(const Instant& now) {
  return std::ranges::find(now.endings, EventEnding::Kind::jumps, &EventEnding::kind) !=
         now.endings.end();
}

}  // namespace

EventResponse::EventResponse(const Model& model, ConstrainedMotion& motion)
    : model_(model), motion_(motion), active_(model, motion), projection_(motion) {}

Limits EventResponse::limits() const {
  const Limits allowed = model_.options().contact;
  return {.tolerance = std::min(kSolve, allowed.tolerance),
          .iterations = allowed.iterations,
          .stop = stop_};
}

// True if a contact closes at nonzero speed or an equality is violated, as when a motor starts.
bool EventResponse::closes_with_speed() const {
  return std::ranges::any_of(active_.contacts(), [&](const ActiveContact& c) {
    if (c.law->facts().impact == ImpactForm::held)
      return std::abs(active_.u()[c.first] - c.law->facts().velocity) > c.still;
    return c.law->unilateral() && active_.u()[c.first] < -c.still;
  });
}

EventResponse::Impact EventResponse::impact_of(const Instant& now) const {
  Impact impact;
  const bool jumped = jumps(now);
  const Vector& u = active_.u();
  for (const ActiveContact& c : active_.contacts()) {
    const LawFacts& law = c.law->facts();
    if (!law.impact || c.rows == 0) continue;
    ImpactContact x;
    x.form = *law.impact;
    x.first = static_cast<int>(impact.rows.size());
    x.tangents = c.rows - 1;
    // A contact that closes only because a drive jumps was not closing earlier, so it does not
    // rebound under Newton's law.
    const bool by_jump =
        jumped && x.form == ImpactForm::newton && active_.u_before()[c.first] >= -c.still;
    x.restitution = now.crowded || by_jump ? 0.0 : law.restitution;
    x.tangential = by_jump ? 0.0 : law.friction.tangential;
    if (c.rows > 1) x.friction = c.law->strength(u.segment(c.first + 1, c.rows - 1).norm());
    impact.contacts.push_back(x);
    impact.of.push_back(&c);
    for (int a = 0; a < c.rows; ++a) impact.rows.push_back(c.first + a);
  }
  return impact;
}

// u+ = W P + u- of the contacts that have impulses. A failure is stored in the report.
void EventResponse::apply_impacts(const Instant& now, std::vector<Event>& events,
                                  InstantReport& report) {
  if (!closes_with_speed()) return;
  const Impact impact = impact_of(now);
  const auto m = static_cast<Eigen::Index>(impact.rows.size());
  Matrix W(m, m);
  Vector u(m), P = Vector::Zero(m);
  std::vector<int> ids;
  for (Eigen::Index i = 0; i < m; ++i) {
    ids.push_back(static_cast<int>(i));
    u[i] = active_.u()[impact.rows[static_cast<std::size_t>(i)]];
    for (Eigen::Index j = 0; j < m; ++j)
      W(i, j) = active_.W()(impact.rows[static_cast<std::size_t>(i)],
                            impact.rows[static_cast<std::size_t>(j)]);
  }
  for (std::size_t k = 0; k < impact.of.size(); ++k)
    if (impact.contacts[k].form == ImpactForm::held)
      u[impact.contacts[k].first] -= impact.of[k]->law->facts().velocity;
  const ImpactReport solved = solve_impact(
      {W, u, impact.contacts, ids}, model_.options().events.impacts, model_.solver(), limits(), P);
  report.iterations += solved.iterations;
  report.residual = worse(report.residual, solved.residual);
  const double allowed = model_.options().contact.tolerance;
  if (!solved.certified || (!solved.converged && !(solved.residual <= allowed))) {
    report.failure = solved.failure.empty()
                         ? "the contact solver did not reach its tolerance in an impact"
                         : solved.failure;
    return;
  }
  if (solved.tied[0] >= 0 && !report.tied)
    report.tied = {impact.of[at(solved.tied[0])]->key, impact.of[at(solved.tied[1])]->key};
  record_impacts(now, impact, P, solved, events, report);
}

void EventResponse::record_impacts(const Instant& now, const Impact& impact, const Vector& P,
                                   const ImpactReport& solved, std::vector<Event>& events,
                                   InstantReport& report) {
  const Vector& u = active_.u();
  Vector all = Vector::Zero(u.size());
  for (Eigen::Index i = 0; i < P.size(); ++i) all[impact.rows[static_cast<std::size_t>(i)]] = P[i];
  const Vector u_after = u + active_.W() * all;
  double energy = active_.work(all, u_after), fastest = 0.0;
  for (const ActiveContact* const c : impact.of) {
    Vector3 impulse = Vector3::Zero();
    for (int a = 0; a < c->rows; ++a) impulse[a] = all[c->first + a];
    fastest = std::max(fastest, std::abs(u[c->first]));
    if (impulse.isZero(0.0)) continue;
    if (c->law->unilateral()) {
      events.push_back({Event::Kind::impact, now.t, c->key, u[c->first],
                        motion_.contacts().contact(c->index).on_units(impulse), energy});
      energy = 0.0;
    }
    active_.record_impulse(*c, impulse, u_after, report);
  }
  active_.record_joints(all, report);
  // Velocities that an impact should stop keep the residual of its solver.
  for (ActiveContact& c : active_.contacts())
    c.still = std::max(c.still, std::max(1e-10, 1e2 * solved.residual) * fastest);
  active_.apply(all, u_after);
}

// Reports mode changes: contacts that close, open, stick or slide from here on.
void EventResponse::report_modes(const Instant& now, std::span<const ContactMode> after,
                                 std::vector<Event>& events) const {
  const auto add = [&](Event::Kind kind, std::uint64_t key) {
    events.push_back({kind, now.t, key, 0.0, Vector3::Zero(), 0.0});
  };
  const auto is_spring = [&](std::uint64_t key) {
    const int i = motion_.contacts().index_of(key);
    return i >= 0 && !motion_.contacts().law(at(i)).set_valued();
  };
  for (const ContactMode& mode : now.before)
    if (!find_mode(after, mode.key))
      add(is_spring(mode.key) ? Event::Kind::spring : Event::Kind::opens, mode.key);
  for (const ContactMode& mode : after) {
    const ContactMode* const old = find_mode(now.before, mode.key);
    if (!old) {
      if (is_spring(mode.key)) {
        add(Event::Kind::spring, mode.key);
        continue;
      }
      const bool rests = std::ranges::any_of(events, [&](const Event& e) {
        return e.kind == Event::Kind::rest && e.key == mode.key && e.t >= now.t;
      });
      if (!rests) add(Event::Kind::closes, mode.key);
    }
    if (old ? old->kind != mode.kind || old->direction[0] * mode.direction[0] < 0.0
            : mode.kind != ContactMode::Kind::closed)
      add(mode.kind == ContactMode::Kind::sticks ? Event::Kind::sticks : Event::Kind::slides,
          mode.key);
  }
}

bool EventResponse::resolve(const Instant& instant, std::vector<GroupState>& groups,
                            std::vector<ContactMode>& modes, std::vector<Event>& events,
                            InstantReport& report) {
  Instant now = instant;
  now.crowded = now.crowded && model_.options().events.zeno > 0.0;
  motion_.contacts().settle(now.t, groups);
  motion_.start(groups);
  active_.find(now, motion_.kinematics().velocities(groups));
  if (jumps(now)) active_.apply_jump(now, report);
  for (int closings = 0;; ++closings) {
    apply_impacts(now, events, report);
    active_.begin_impulses();
    if (!report.failure.empty() ||
        !choose_modes(model_.solver(), limits(), model_.options().contact.tolerance, active_,
                      report))
      break;
    if (!close_zeno_sequence(model_, motion_, now, active_, groups, events, report)) break;
    active_.begin_impulses();
    if (closings > kMostClosings) {
      report.failure = "too many Zeno sequences end at one instant";
      break;
    }
  }
  active_.put_velocity(groups);
  active_.modes(modes);
  if (!report.failure.empty()) return false;
  if (!projection_.project(now.t, groups, modes, false)) {
    report.failure = EventProjection::kNotHeld;
    return false;
  }
  motion_.start(groups);
  motion_.set_modes(modes);
  report_modes(now, modes, events);
  return true;
}

std::vector<EventEnding> EventResponse::foresee(double t, double ahead,
                                                const std::vector<GroupState>& groups,
                                                std::span<const ContactMode> modes,
                                                InstantReport& report) {
  const auto first = motion_.contacts().first();
  const Vector v = motion_.kinematics().velocities(groups);
  Vector dw(v.size()), dv(v.size());
  motion_.start(groups);
  motion_.set_modes(modes);
  motion_.rates(t, Vector::Zero(v.size()), v, dw, dv);
  std::vector<GroupState> there = groups;
  std::vector<EventEnding> found;
  for (double s = kForesee * ahead; found.empty() && s <= ahead; s *= 10.0) {
    motion_.start(groups);
    motion_.kinematics().move(s * v + 0.5 * s * s * dv, there);
    for (std::size_t g = 0; g < there.size(); ++g)
      there[g].v = groups[g].v + s * dv.segment(first[g], groups[g].v.size());
    projection_.project(t + s, there, modes, true);
    motion_.start(there);
    active_.find({.t = t + s, .scale = ahead, .before = modes},
                 motion_.kinematics().velocities(there));
    // The modes keep the contacts closed: their remaining rates are the error of s.
    for (ActiveContact& c : active_.contacts())
      if (const ContactMode* const mode = find_mode(modes, c.key))
        c.still =
            std::max(c.still, mode->kind == ContactMode::Kind::slides
                                  ? std::abs(active_.u()[c.first])
                                  : active_.u().segment(c.first, c.rows).cwiseAbs().maxCoeff());
    if (!choose_modes(model_.solver(), limits(), model_.options().contact.tolerance, active_,
                      report)) {
      report.failure = {};
      continue;
    }
    for (const ActiveContact& c : active_.contacts()) {
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

}  // namespace saltus

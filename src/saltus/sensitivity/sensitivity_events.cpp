#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/sensitivity/event_derivatives_internal.h"

namespace saltus::sensitivity {
namespace {

using Kind = ContactMode::Kind;

double product(const std::array<double, 2>& a, const std::array<double, 2>& b) {
  return a[0] * b[0] + a[1] * b[1];
}

}  // namespace

// Contacts whose mode changes at the end of a stretch.
std::vector<EventDerivatives::Change> EventDerivatives::changes_of(const Stretch& stretch) const {
  std::vector<Change> changes;
  const auto &before = stretch.step->modes, &after = stretch.next->modes;
  for (const ContactMode& mode : before) {
    const ContactMode* then = mode_of(after, mode.key);
    if (!then || then->kind != mode.kind ||
        (mode.kind == Kind::slides && product(mode.direction, then->direction) < 0.0))
      changes.push_back({mode.key, &mode, then});
  }
  for (const ContactMode& mode : after)
    if (!mode_of(before, mode.key)) changes.push_back({mode.key, nullptr, &mode});
  return changes;
}

void EventDerivatives::expect_no_rest(const Stretch& stretch) const {
  const double t0 = stretch.step->t0, t1 = t0 + stretch.dt;
  for (const Event& rest : run_.rests) {
    const bool here = rest.t > t0 && rest.t <= t1;
    const bool begins = stretch.next && rest.t >= t1 && !mode_of(stretch.step->modes, rest.key) &&
                        mode_of(stretch.next->modes, rest.key);
    if (here || begins)
      throw Refusal{
          fmt::format("contact {} comes to rest at t = {:.10g} s by a Zeno sequence of impacts",
                      rest.key, rest.t)};
  }
}

// Events at the end of a stretch.
void EventDerivatives::pass(const Stretch& stretch, std::vector<Direction>& s,
                            Sensitivity& result) {
  const double t = stretch.next->t0;
  std::vector<std::uint64_t> closing;
  bool impact = false;
  for (const Event& event : stretch.events) {
    switch (event.kind) {
      case Event::Kind::hand_over:
      case Event::Kind::take_back:
        throw Refusal{fmt::format(
            "time stepping continues from t = {:.10g} s on, and its effect on events is unknown",
            event.t)};
      case Event::Kind::impact:
        impact = true;
        if (!mode_of(stretch.step->modes, event.key) &&
            std::ranges::find(closing, event.key) == closing.end())
          closing.push_back(event.key);
        break;
      default:
        break;
    }
  }
  if (impact && closing.empty())
    throw Refusal{fmt::format("an impact at t = {:.10g} s closes no contact", t)};
  const std::vector<Change> changes = changes_of(stretch);
  if (impact) {
    pass_impacts(stretch, closing, s, result);
  } else if (!changes.empty()) {
    pass_changes(stretch, changes, s, result);
  }
}

// The rate at which a contact closes, and all rates there. Refusal: the impact is grazing. Without
// contact the gap would become -closing^2/(2 bend); if the tolerance of the run does not resolve
// this, the time of the impact is not known accurately enough.
double EventDerivatives::closing_rate(const Stretch& stretch, const Groups& at,
                                      std::span<const ContactMode> modes, std::uint64_t key,
                                      Direction& rates) {
  const double t = stretch.next->t0;
  d_.runner().rates(t, at, modes, stretch.e, rates);
  EventContacts& contacts = d_.runner().motion().contacts();
  Vector bias, row = Vector::Zero(n_);
  const int one = 1;
  d_.runner().motion().contact_bias({&key, 1}, {&one, 1}, bias);
  const std::size_t i = d_.runner().find(key);
  const double closing = contacts.rate(i, 0);
  contacts.add_row(i, 0, 1.0, row);
  const double bend = row.dot(rates.v) + bias[0];
  const double way = row.cwiseAbs().dot(d_.scale().head(n_)),
               speed = row.cwiseAbs().dot(d_.scale().tail(n_));
  if (!(closing < -1e-9 * speed) ||
      closing * closing < 2.0 * d_.options().grazing * d_.tolerance() * std::abs(bend) * way)
    throw Refusal{fmt::format(
        "grazing: contact {} closes at t = {:.10g} s at only {:.3g} m/s, and at 0 the derivative "
        "is infinite",
        key, t, -closing)};
  return closing;
}

EventDerivatives::Impacts EventDerivatives::after_impacts(const Stretch& stretch,
                                                          const std::vector<std::uint64_t>& order,
                                                          const std::vector<Direction>& s_before) {
  const double t = stretch.next->t0;
  Impacts result{s_before, {}};
  Groups before = stretch.end;
  std::vector<ContactMode> modes = stretch.step->modes;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const std::uint64_t key = order[k];
    const bool last = k + 1 == order.size();
    Direction f0, f1;
    const double closing = closing_rate(stretch, before, modes, key, f0);
    std::vector<std::uint64_t> keys{key};
    for (const ContactMode& mode : modes) {
      if (d_.runner().motion().contacts().law(d_.runner().find(mode.key)).facts().impact)
        keys.push_back(mode.key);
    }
    std::ranges::sort(keys);
    Groups after;
    std::vector<int> status, here;
    d_.runner().strike(t, before, keys, after, status);
    if (const ContactMode* then = mode_of(stretch.next->modes, key)) modes.push_back(*then);
    std::ranges::sort(modes, {}, &ContactMode::key);
    if (last) {
      // The run solved them together: solving them in sequence gives the same result only if they
      // are independent.
      const Vector d = d_.difference().local(stretch.next->start, after) -
                       d_.difference().local(stretch.next->start, stretch.next->start);
      if (order.size() > 1 && !(d.cwiseAbs().array() <= 1e-9 * d_.scale().array()).all())
        throw Refusal{};
      after = stretch.next->start;
      modes = stretch.next->modes;
    }
    d_.runner().rates(t, after, modes, stretch.e, f1);

    const auto gap = [&](Runner& r, const Groups& groups, double at) {
      r.place(at, groups, {}, 1.0);
      return Vector{{r.motion().contacts().gap(r.find(key))}};
    };
    const auto map = [&](Runner& r, const Groups& groups, double at) {
      Groups end;
      r.strike(at, groups, keys, end, here);
      if (here != status)
        throw Refusal{fmt::format(
            "the impact at t = {:.10g} s is at the limit between two kinds of impact (a contact "
            "that opens or not, sticks or slides)",
            t)};
      return d_.difference().local(before, end);
    };
    Vector dt(std::ssize(s_before));
    for (std::size_t j = 0; j < s_before.size(); ++j) {
      Direction& s = result.s[j];
      const double tau = -d_.total(j, before, t, s, gap)[0] / closing;
      const Direction z{s.w + tau * f0.w, s.v + tau * f0.v, tau};
      const Vector d = d_.total(j, before, t, z, map);
      s.w = d.head(n_) - tau * f1.w;
      s.v = d.tail(n_) - tau * f1.v;
      dt[static_cast<Eigen::Index>(j)] = tau;
    }
    result.dt.push_back(std::move(dt));
    before = std::move(after);
  }
  return result;
}

// Impacts at one instant: there is no derivative if their order affects the result.
void EventDerivatives::pass_impacts(const Stretch& stretch, const std::vector<std::uint64_t>& keys,
                                    std::vector<Direction>& s, Sensitivity& result) {
  const double t = stretch.next->t0;
  if (t - last_impact_ < 1e-9 * d_.time())
    throw Refusal{fmt::format(
        "two impacts at t = {:.10g} s are {:.2g} s apart: their order would affect the result", t,
        t - last_impact_)};
  last_impact_ = t;
  const auto decides = [&] {
    return Refusal{
        fmt::format("contacts {} and {} close at the same instant, t = {:.10g} s: their order "
                    "would affect the result",
                    keys[0], keys[1], t)};
  };
  Impacts passed;
  try {
    passed = after_impacts(stretch, keys, s);
    if (keys.size() > 1) {
      const Impacts other = after_impacts(stretch, {keys.rbegin(), keys.rend()}, s);
      for (std::size_t j = 0; j < s.size(); ++j) {
        const Direction &a = passed.s[j], &b = other.s[j];
        const double size = (a.w.array() / d_.scale().head(n_).array()).abs().maxCoeff() +
                            (a.v.array() / d_.scale().tail(n_).array()).abs().maxCoeff();
        if (!((a.w - b.w).array().abs() <= 1e-6 * size * d_.scale().head(n_).array()).all() ||
            !((a.v - b.v).array().abs() <= 1e-6 * size * d_.scale().tail(n_).array()).all())
          throw Refusal{};
      }
    }
  } catch (const Refusal& refusal) {
    if (!refusal.reason.empty()) throw;
    throw decides();
  }
  s = std::move(passed.s);
  result.validity = Sensitivity::Validity::saltation;
  for (std::size_t k = 0; k < keys.size(); ++k)
    result.events.push_back({Event::Kind::impact, t, keys[k], passed.dt[k]});
}

// A force that ends through its damping: the gap is still negative then.
bool EventDerivatives::ends_without_force(const Stretch& stretch, std::uint64_t key) const {
  d_.runner().place(stretch.next->t0, stretch.next->start, {}, 1.0);
  ConstrainedMotion& motion = d_.runner().motion();
  const std::size_t i = d_.runner().find(key);
  return motion.contacts().law(i).facts().yields &&
         motion.contacts().gap(i) < -1e-9 * motion.kinematics().extent();
}

// The function that vanishes where a mode ends, with the modes before the event.
Difference::Function EventDerivatives::event_function(const Stretch& stretch,
                                                      const Change& change) const {
  const auto& modes = stretch.step->modes;
  const std::size_t place =
      change.before ? static_cast<std::size_t>(change.before - modes.data()) : 0;
  const double e = stretch.e;
  const bool no_force = change.before && ends_without_force(stretch, change.key);
  return [&modes, &change, place, e, no_force](Runner& r, const Groups& groups, double t) {
    Direction f;
    r.rates(t, groups, modes, e, f);
    ConstrainedMotion& motion = r.motion();
    const std::size_t i = r.find(change.key);
    const ContactLaw& law = motion.contacts().law(i);
    double x = 0.0;
    if (!change.before) {
      x = motion.contacts().gap(i);
    } else if (!law.set_valued()) {
      x = law.facts().damping != 0.0 ? motion.force(place)[0]
          : no_force                 ? law.pressing(motion.contacts().gap(i), motion.rate(place)[0])
                                     : motion.contacts().gap(i);
    } else if (law.slides_on_normal()) {
      x = change.before->kind == Kind::slides
              ? (motion.rate(place)[0] - law.facts().velocity) * change.before->direction[0]
              : law.strength_at_rest() - std::abs(motion.force(place)[0]);
    } else if (!change.after || change.before->kind == Kind::closed) {
      x = motion.force(place)[0];
    } else if (change.before->kind == Kind::slides) {
      const Vector3& u = motion.rate(place);
      x = product({u[1], u[2]}, change.before->direction);
    } else {
      const Vector3& force = motion.force(place);
      x = law.strength_at_rest() * force[0] - std::hypot(force[1], force[2]);
    }
    return Vector{{x}};
  };
}

void EventDerivatives::pass_changes(const Stretch& stretch, const std::vector<Change>& changes,
                                    std::vector<Direction>& s, Sensitivity& result) {
  const double t = stretch.next->t0;
  const Groups& groups = stretch.next->start;
  for (const Change& c : changes) {
    if (c.before) continue;
    d_.runner().place(t, groups, {}, 1.0);
    if (d_.runner().motion().contacts().law(d_.runner().find(c.key)).set_valued())
      throw Refusal{fmt::format(
          "contact {} closes at zero speed at t = {:.10g} s: a grazing impact", c.key, t)};
  }
  Direction f0, f1;
  d_.runner().rates(t, groups, stretch.next->modes, stretch.e, f1);
  d_.runner().rates(t, groups, stretch.step->modes, stretch.e, f0);
  const Vector jump = f0.v - f1.v;
  const bool smooth =
      (d_.time() * jump.cwiseAbs().array() <= 1e-7 * d_.scale().tail(n_).array()).all();
  if (changes.size() == 1) {
    pass_change(stretch, changes.front(), f0, jump, smooth, s, result);
  } else {
    // If the forces do not jump, the time of a change has no first-order effect.
    if (!smooth)
      throw Refusal{
          fmt::format("contacts {} and {} change at the same instant, t = {:.10g} s: their order "
                      "would affect the result",
                      changes[0].key, changes[1].key, t)};
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const Change& c : changes)
      result.events.push_back({Event::Kind::opens, t, c.key, Vector::Constant(std::ssize(s), nan)});
  }
  result.validity = Sensitivity::Validity::saltation;
}

// jump: the accelerations before the change, of `rates`, minus those after it; smooth: there is no
// jump.
void EventDerivatives::pass_change(const Stretch& stretch, const Change& change,
                                   const Direction& rates, const Vector& jump, bool smooth,
                                   std::vector<Direction>& s, Sensitivity& result) {
  const double t = stretch.next->t0;
  const Groups& groups = stretch.next->start;
  Runner& runner = d_.runner();
  const auto phi = event_function(stretch, change);
  const Direction along{rates.w, rates.v, 1.0};
  const double rate = d_.difference().along(runner, groups, t, along, phi)[0];
  runner.place(t, groups, {}, 1.0);
  const std::size_t i = runner.find(change.key);
  const bool slip = change.before && change.before->kind == Kind::slides && change.after;
  const int a = slip && runner.motion().contacts().contact(i).tangents > 0 ? 1 : 0;
  const double speed = d_.size_of_row(i, a, d_.scale().tail(n_));
  // units of phi: speeds over the time of a step, or gaps
  if (!smooth && ((slip && !(d_.time() * std::abs(rate) > 1e-6 * speed)) ||
                  (!change.before && !(std::abs(rate) > 1e-6 * speed)) || !(std::abs(rate) > 0.0)))
    throw Refusal{fmt::format(
        "grazing: the mode of contact {} ends at t = {:.10g} s at a rate of zero", change.key, t)};
  Event::Kind kind = !change.after                        ? Event::Kind::opens
                     : change.after->kind == Kind::sticks ? Event::Kind::sticks
                     : change.after->kind == Kind::slides ? Event::Kind::slides
                                                          : Event::Kind::spring;
  if (!runner.motion().contacts().law(i).set_valued()) kind = Event::Kind::spring;
  Sensitivity::Moved moved{kind, t, change.key, Vector(std::ssize(s))};
  for (std::size_t j = 0; j < s.size(); ++j) {
    const double tau = -d_.total(j, groups, t, s[j], phi)[0] / rate;
    moved.dt[static_cast<Eigen::Index>(j)] = tau;
    if (!smooth) s[j].v += tau * jump;
  }
  result.events.push_back(std::move(moved));
}

}  // namespace saltus::sensitivity

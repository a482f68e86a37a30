#include "saltus/sensitivity/sensitivity_walk_internal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace saltus::sensitivity {
namespace {

using Kind = ContactMode::Kind;
const ContactMode* mode_of(std::span<const ContactMode> modes, std::uint64_t key) {
  const auto mode = std::ranges::find(modes, key, &ContactMode::key);
  return mode != modes.end() ? &*mode : nullptr;
}

double product(const std::array<double, 2>& a, const std::array<double, 2>& b) {
  return a[0] * b[0] + a[1] * b[1];
}

}  // namespace

// Modes that are other ones behind the end of a stretch.
std::vector<Walk::Change> Walk::changes_of(const Stretch& stretch) const {
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

// Hops end behind the step in which they are taken together.
void Walk::expect_no_rest(const Stretch& stretch) const {
  const double t0 = stretch.step->t0, t1 = t0 + stretch.dt;
  for (const Event& rest : rests_) {
    const bool here = rest.t > t0 && rest.t <= t1;
    const bool begins = stretch.next && rest.t >= t1 && !mode_of(stretch.step->modes, rest.key) &&
                        mode_of(stretch.next->modes, rest.key);
    if (here || begins)
      throw Refusal{fmt::format("contact {} comes to rest at t = {:.10g} s by hops without number",
                                rest.key, rest.t)};
  }
}

// Events at the end of a stretch.
void Walk::pass(const Stretch& stretch, Sensitivity& result) {
  const double t = stretch.next->t0;
  std::vector<std::uint64_t> closing;
  bool struck = false;
  for (const Event& event : stretch.events) {
    switch (event.kind) {
      case Event::Kind::hand_over:
      case Event::Kind::take_back:
        throw Refusal{fmt::format(
            "the schemes step from t = {:.10g} s on, and what they do to events is not known",
            event.t)};
      case Event::Kind::impact:
        struck = true;
        if (!mode_of(stretch.step->modes, event.key) &&
            std::ranges::find(closing, event.key) == closing.end())
          closing.push_back(event.key);
        break;
      default:
        break;
    }
  }
  if (struck && closing.empty())
    throw Refusal{fmt::format("an impact at t = {:.10g} s closes no contact", t)};
  const std::vector<Change> changes = changes_of(stretch);
  if (struck) {
    impacts(stretch, closing, result);
  } else if (!changes.empty()) {
    change(stretch, changes, result);
  }
}

// The rate at which a contact closes, and all rates there. Refusal: it grazes. Were there no contact, the gap would become
// -closing^2/(2 bend): below what the tolerance lets the run see, the time of the impact is not known well enough.
double Walk::closing_rate(const Stretch& stretch, const Groups& at,
                          std::span<const ContactMode> modes, std::uint64_t key, Direction& rates) {
  const double t = stretch.next->t0;
  runner_->rates(t, at, modes, stretch.e, rates);
  EventContacts& contacts = runner_->motion().contacts();
  Vector bias, row = Vector::Zero(n_);
  const int one = 1;
  runner_->motion().contact_bias({&key, 1}, {&one, 1}, bias);
  const std::size_t i = runner_->find(key);
  const double closing = contacts.rate(i, 0);
  contacts.add_row(i, 0, 1.0, row);
  const double bend = row.dot(rates.v) + bias[0];
  const double way = row.cwiseAbs().dot(scale_.head(n_)),
               speed = row.cwiseAbs().dot(scale_.tail(n_));
  if (!(closing < -1e-9 * speed) ||
      closing * closing < 2.0 * options_.grazing * tolerance() * std::abs(bend) * way)
    throw Refusal{fmt::format(
        "grazing: contact {} closes at t = {:.10g} s with {:.3g} m/s only, and at 0 the derivative "
        "is infinite",
        key, t, -closing)};
  return closing;
}

Walk::Struck Walk::strike(const Stretch& stretch, const std::vector<std::uint64_t>& order) {
  const double t = stretch.next->t0;
  Struck result{s_, {}};
  Groups before = stretch.end;
  std::vector<ContactMode> modes = stretch.step->modes;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const std::uint64_t key = order[k];
    const bool last = k + 1 == order.size();
    Direction f0, f1;
    const double closing = closing_rate(stretch, before, modes, key, f0);
    std::vector<std::uint64_t> keys{key};
    for (const ContactMode& mode : modes) {
      if (runner_->motion().contacts().law(runner_->find(mode.key)).facts().impact)
        keys.push_back(mode.key);
    }
    std::ranges::sort(keys);
    Groups behind;
    std::vector<int> status, here;
    runner_->strike(t, before, keys, behind, status);
    if (const ContactMode* then = mode_of(stretch.next->modes, key)) modes.push_back(*then);
    std::ranges::sort(modes, {}, &ContactMode::key);
    if (last) {
      // One after the other is what the run did only where they know nothing of each other.
      const Vector d = difference_->local(stretch.next->start, behind) -
                       difference_->local(stretch.next->start, stretch.next->start);
      if (order.size() > 1 && !(d.cwiseAbs().array() <= 1e-9 * scale_.array()).all())
        throw Refusal{};
      behind = stretch.next->start;
      modes = stretch.next->modes;
    }
    runner_->rates(t, behind, modes, stretch.e, f1);

    const auto gap = [&](Runner& r, const Groups& groups, double at) {
      r.place(at, groups, {}, 1.0);
      return Vector{{r.motion().contacts().gap(r.find(key))}};
    };
    const auto map = [&](Runner& r, const Groups& groups, double at) {
      Groups end;
      r.strike(at, groups, keys, end, here);
      if (here != status)
        throw Refusal{
            fmt::format("the impact at t = {:.10g} s is between two kinds of impact (a contact "
                        "that opens or not, "
                        "sticks or slides)",
                        t)};
      return difference_->local(before, end);
    };
    Vector dt(std::ssize(s_));
    for (std::size_t j = 0; j < s_.size(); ++j) {
      Direction& s = result.s[j];
      const double tau = -total(j, before, t, s, gap)[0] / closing;
      const Direction z{s.w + tau * f0.w, s.v + tau * f0.v, tau};
      const Vector d = total(j, before, t, z, map);
      s.w = d.head(n_) - tau * f1.w;
      s.v = d.tail(n_) - tau * f1.v;
      dt[static_cast<Eigen::Index>(j)] = tau;
    }
    result.dt.push_back(std::move(dt));
    before = std::move(behind);
  }
  return result;
}

// Impacts at one instant: where their order decides there is no derivative.
void Walk::impacts(const Stretch& stretch, const std::vector<std::uint64_t>& keys,
                   Sensitivity& result) {
  const double t = stretch.next->t0;
  if (t - last_impact_ < 1e-9 * time_)
    throw Refusal{
        fmt::format("two impacts at t = {:.10g} s are {:.2g} s apart: their order would decide", t,
                    t - last_impact_)};
  last_impact_ = t;
  const auto decides = [&] {
    return Refusal{fmt::format(
        "contacts {} and {} close at the same instant, t = {:.10g} s: their order would decide",
        keys[0], keys[1], t)};
  };
  Struck struck;
  try {
    struck = strike(stretch, keys);
    if (keys.size() > 1) {
      const Struck other = strike(stretch, {keys.rbegin(), keys.rend()});
      for (std::size_t j = 0; j < s_.size(); ++j) {
        const Direction &a = struck.s[j], &b = other.s[j];
        const double size = (a.w.array() / scale_.head(n_).array()).abs().maxCoeff() +
                            (a.v.array() / scale_.tail(n_).array()).abs().maxCoeff();
        if (!((a.w - b.w).array().abs() <= 1e-6 * size * scale_.head(n_).array()).all() ||
            !((a.v - b.v).array().abs() <= 1e-6 * size * scale_.tail(n_).array()).all())
          throw Refusal{};
      }
    }
  } catch (const Refusal& refusal) {
    if (!refusal.reason.empty()) throw;
    throw decides();
  }
  s_ = std::move(struck.s);
  result.validity = Sensitivity::Validity::saltation;
  for (std::size_t k = 0; k < keys.size(); ++k)
    result.events.push_back({Event::Kind::impact, t, keys[k], struck.dt[k]});
}

// A force that its damping takes away: the gap is negative where it ends.
bool Walk::ends_slack(const Stretch& stretch, std::uint64_t key) const {
  runner_->place(stretch.next->t0, stretch.next->start, {}, 1.0);
  ConstrainedMotion& motion = runner_->motion();
  const std::size_t i = runner_->find(key);
  return motion.contacts().law(i).facts().yields &&
         motion.contacts().gap(i) < -1e-9 * motion.kinematics().extent();
}

// What vanishes where a mode ends, of the modes before.
Difference::Function Walk::event_function(const Stretch& stretch, const Change& change) const {
  const auto& modes = stretch.step->modes;
  const std::size_t place =
      change.before ? static_cast<std::size_t>(change.before - modes.data()) : 0;
  const double e = stretch.e;
  const bool slack = change.before && ends_slack(stretch, change.key);
  return [&modes, &change, place, e, slack](Runner& r, const Groups& groups, double t) {
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
          : slack                    ? law.pressing(motion.contacts().gap(i), motion.rate(place)[0])
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

void Walk::change(const Stretch& stretch, const std::vector<Change>& changes, Sensitivity& result) {
  const double t = stretch.next->t0;
  const Groups& groups = stretch.next->start;
  for (const Change& c : changes) {
    if (c.before) continue;
    runner_->place(t, groups, {}, 1.0);
    if (runner_->motion().contacts().law(runner_->find(c.key)).set_valued())
      throw Refusal{fmt::format(
          "contact {} closes without speed at t = {:.10g} s: an impact that grazes", c.key, t)};
  }
  Direction f0, f1;
  runner_->rates(t, groups, stretch.next->modes, stretch.e, f1);
  runner_->rates(t, groups, stretch.step->modes, stretch.e, f0);
  const Vector jump = f0.v - f1.v;
  const bool smooth = (time_ * jump.cwiseAbs().array() <= 1e-7 * scale_.tail(n_).array()).all();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  if (changes.size() > 1) {
    // Where the forces do not jump the time of a change has no first-order effect.
    if (!smooth)
      throw Refusal{fmt::format(
          "contacts {} and {} change at the same instant, t = {:.10g} s: their order would decide",
          changes[0].key, changes[1].key, t)};
    for (const Change& c : changes)
      result.events.push_back(
          {Event::Kind::opens, t, c.key, Vector::Constant(std::ssize(s_), nan)});
    result.validity = Sensitivity::Validity::saltation;
    return;
  }
  const Change& c = changes.front();
  const auto phi = event_function(stretch, c);
  const Direction along{f0.w, f0.v, 1.0};
  const double rate = difference_->along(*runner_, groups, t, along, phi)[0];
  runner_->place(t, groups, {}, 1.0);
  const std::size_t i = runner_->find(c.key);
  const bool slip = c.before && c.before->kind == Kind::slides && c.after;
  const int a = slip && runner_->motion().contacts().contact(i).tangents > 0 ? 1 : 0;
  const double speed = size_of_row(*runner_, i, a, scale_.tail(n_));
  // of phi itself: speeds over the time of a step, or gaps
  if (!smooth && ((slip && !(time_ * std::abs(rate) > 1e-6 * speed)) ||
                  (!c.before && !(std::abs(rate) > 1e-6 * speed)) || !(std::abs(rate) > 0.0)))
    throw Refusal{fmt::format(
        "grazing: what contact {} does ends at t = {:.10g} s as slowly as it could go on", c.key,
        t)};
  Event::Kind kind = !c.after                        ? Event::Kind::opens
                     : c.after->kind == Kind::sticks ? Event::Kind::sticks
                     : c.after->kind == Kind::slides ? Event::Kind::slides
                                                     : Event::Kind::spring;
  if (!runner_->motion().contacts().law(i).set_valued()) kind = Event::Kind::spring;
  Sensitivity::Moved moved{kind, t, c.key, Vector(std::ssize(s_))};
  for (std::size_t j = 0; j < s_.size(); ++j) {
    const double tau = -total(j, groups, t, s_[j], phi)[0] / rate;
    moved.dt[static_cast<Eigen::Index>(j)] = tau;
    if (!smooth) s_[j].v += tau * jump;
  }
  result.validity = Sensitivity::Validity::saltation;
  result.events.push_back(std::move(moved));
}

// -- contacts that all but close -------------------------------------------------------------------------------------

void Walk::look_for_misses() {
  if (!runner_->motion().contacts().any()) return;
  for (std::size_t k = 0; k < stretches_.size(); ++k)
    stretches_[k].miss = miss_in(stretches_[k], k == 0);
}

// A gap that turns from falling to rising, open by less than the tolerance lets the run see.
std::optional<Refusal> Walk::miss_in(const Stretch& stretch, bool first) {
  constexpr int kParts = 16;
  const EventTrace::Step& step = *stretch.step;
  const auto method = make_method(step.method);
  Groups end;
  runner_->step(step.t0, stretch.dt, step.start, step.modes, stretch.e, *method, end);
  const OdeStep& ode = runner_->interpolated(*method);
  ConstrainedMotion& motion = runner_->motion();
  EventContacts& contacts = motion.contacts();
  Vector w(n_), v(n_);
  const auto go = [&](double x) {
    dense_output(ode, x, w, v);
    motion.go(step.t0 + x * stretch.dt, w, v);
    contacts.find_rows(motion.kinematics().time(), motion.kinematics().groups());
  };
  // Those that part from here do not turn here.
  const auto parts = [&](std::uint64_t key) {
    if (first) return true;
    const Stretch& before = *(&stretch - 1);
    return mode_of(before.step->modes, key) != nullptr ||
           std::ranges::find(before.events, key, &Event::key) != before.events.end();
  };
  std::map<std::uint64_t, double> last;
  for (int k = 0; k <= kParts; ++k) {
    go(static_cast<double>(k) / kParts);
    std::map<std::uint64_t, double> here;
    for (std::size_t i = 0; i < contacts.count(); ++i) {
      const ContactLaw& law = contacts.law(i);
      // A spring without damping begins to press without a jump: a near miss does not matter.
      if (law.bilateral() || mode_of(step.modes, contacts.key(i)) ||
          (!law.set_valued() && law.force(0.0, -1.0, 0.0) == 0.0))
        continue;
      here[contacts.key(i)] = contacts.rate(i, 0);
    }
    if (k == 0)
      for (auto& [key, rate] : here)
        if (parts(key)) rate = std::abs(rate);
    for (const auto& [key, rate] : here) {
      const auto before = last.find(key);
      const bool fell = k > 0 && (before == last.end() || before->second < 0.0);
      if (!fell || !(rate >= 0.0)) continue;
      double low = static_cast<double>(k - 1) / kParts, high = static_cast<double>(k) / kParts;
      for (int n = 0; n < 60; ++n) {
        const double x = 0.5 * (low + high);
        go(x);
        const int i = contacts.index_of(key);
        if (i < 0 || contacts.rate(static_cast<std::size_t>(i), 0) < 0.0)
          low = x;
        else
          high = x;
      }
      go(high);
      const int i = contacts.index_of(key);
      if (i < 0) continue;
      const auto at = static_cast<std::size_t>(i);
      const double way = size_of_row(*runner_, at, 0, scale_.head(n_));
      if (contacts.gap(at) < options_.grazing * tolerance() * way)
        return Refusal{
            fmt::format("grazing: contact {} misses by {:.3g} m at t = {:.10g} s, and a change of "
                        "the run would "
                        "close it",
                        key, contacts.gap(at), motion.kinematics().time())};
    }
    last = std::move(here);
  }
  return std::nullopt;
}

}  // namespace saltus::sensitivity

#include "saltus/event_driven/event_search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "saltus/base/index_internal.h"

namespace saltus {
namespace {

constexpr int kDeepest = 24;       ///< halvings of a step
constexpr int kDeepestShape = 12;  ///< because a polynomial does not fit, or contacts come and go
constexpr int kDeepestForce = 5;   ///< the same of forces, which cost an evaluation each
constexpr double kSearchNoise = 1e-12;  ///< of what is subtracted in a gap
constexpr double kForceNoise = 1e-10;
constexpr double kLeft = 1e3, kSoon = 1e-9;  ///< of the round-off of a gap, of a step
constexpr double kRoom = 1e-14;              ///< of the largest force: no room
/// How well a polynomial must fit between its nodes, of its largest value.
constexpr double kFit = 1e-10, kForceFit = 1e-7;

const double kNotKnown = std::numeric_limits<double>::quiet_NaN();

/// The largest distance between two nodes.
double widest(std::span<const double> nodes) {
  double most = 0.0;
  for (std::size_t k = 1; k < nodes.size(); ++k) most = std::max(most, nodes[k] - nodes[k - 1]);
  return most;
}

/// The largest |J v| of the points of J.
double fastest_point(const PointRows& J, View v) {
  double most = 0.0;
  const std::size_t block = 3 * at(J.width);
  for (std::size_t i = 0; i + 1 < J.offset.size(); ++i) {
    Vector3 u = Vector3::Zero();
    for (std::size_t k = at(J.offset[i]); k < at(J.offset[i + 1]); ++k)
      for (int a = 0; a < 3; ++a)
        for (int c = 0; c < J.width; ++c)
          u[a] += J.value[block * k + at(a * J.width + c)] * v[J.column[k] + c];
    most = std::max(most, u.norm());
  }
  return most;
}

}  // namespace

EventSearch::EventSearch(const Model& model, ConstrainedMotion& motion)
    : model_(model), motion_(motion) {
  const auto n = static_cast<Eigen::Index>(motion.size());
  w_ = v_ = dw_ = dv_ = Vector::Zero(n);
  const Surfaces& all = model.surfaces();
  for (std::size_t f = 0; f < all.frames.size(); ++f) {
    Surface one;
    one.group = all.frames[f].group;
    const Dynamics& body = *model.groups()[at(one.group)].dynamics;
    constexpr double kEver = std::numeric_limits<double>::infinity();
    if (body.velocities() == 0 && body.fastest_drift(-kEver, kEver, 1.0) == 0.0) continue;
    one.first = motion.contacts().first()[at(one.group)];
    if (body.rigid()) one.body = all.frames[f].body;
    for (const Collider& collider : all.colliders) {
      if (collider.frame != static_cast<int>(f)) continue;
      const Bounds box = bounds(collider.shape, collider.local);
      const Vector3 far = box.low.cwiseAbs().cwiseMax(box.high.cwiseAbs());
      one.reach = std::max(one.reach, far.allFinite() ? far.norm() : kEver);
    }
    surfaces_.push_back(one);
  }
  for (std::size_t k = 0; k < all.boundaries.size(); ++k) {
    Surface one;
    one.group = all.boundaries[k].group;
    one.first = motion.contacts().first()[at(one.group)];
    one.boundary = static_cast<int>(k);
    surfaces_.push_back(one);
    if (all.boundaries[k].self) surfaces_.push_back(one);  // its pieces meet each other
  }
}

// Rows of boundary surfaces and, where planes move, the span of the surfaces, at the place of the motion.
void EventSearch::see_surfaces(double t) {
  const auto q = [&](const Surface& one) -> const Vector& {
    return motion_.kinematics().groups()[at(one.group)].q;
  };
  bool planes = false;
  for (Surface& one : surfaces_) {
    planes = planes || !std::isfinite(one.reach);
    if (one.boundary >= 0)
      model_.groups()[at(one.group)].dynamics->point_rows(
          q(one), q(one), model_.surfaces().boundaries[at(one.boundary)].boundary.vertices,
          one.rows);
  }
  if (!planes) return;
  double largest = 0.0, reach = 0.0;
  std::vector<Pose> poses;
  Vector places;
  for (const Surface& one : surfaces_) {
    const Dynamics& body = *model_.groups()[at(one.group)].dynamics;
    if (std::isfinite(one.reach)) reach = std::max(reach, one.reach);
    if (one.boundary >= 0) {
      const auto& vertices = model_.surfaces().boundaries[at(one.boundary)].boundary.vertices;
      places.resize(3 * std::ssize(vertices));
      body.points(t, q(one), vertices, places);
      for (Eigen::Index i = 0; i < places.size(); i += 3)
        largest = std::max(largest, places.segment<3>(i).norm());
    } else if (&one == surfaces_.data() || one.group != (&one - 1)->group) {
      poses.resize(at(body.bodies()));
      body.frames(t, q(one), poses);
      for (const Pose& pose : poses) largest = std::max(largest, pose.x.norm());
    }
  }
  span_ = 2.0 * largest + reach;
}

double EventSearch::fastest_drift(double from, double to) const {
  double most = 0.0;
  for (const Surface& one : surfaces_)
    most = std::max(most, model_.groups()[at(one.group)].dynamics->fastest_drift(
                              from, to, std::isfinite(one.reach) ? one.reach : span_));
  return most;
}

// Coefficients of v on [from, to] of the step, of `count` components, in part_.
void EventSearch::take_part(const OdeStep& step, double from, double to, Eigen::Index first,
                            Eigen::Index count) {
  const auto columns = step.v.cols();
  const auto size = static_cast<std::size_t>(columns);
  part_.resize(count, columns);
  Vector whole(columns), part(columns);
  for (Eigen::Index i = 0; i < count; ++i) {
    whole = step.v.row(first + i);
    bernstein_part({whole.data(), size}, from, to, {part.data(), size});
    part_.row(i) = part;
  }
}

// No place of the surface is faster on [from, to] [m/s]: v lies in the hull of its coefficients, and |u| + r |omega| and |J v|
// are convex.
double EventSearch::speed(const Surface& one, const OdeStep& step, double from, double to,
                          double reach) {
  const Dynamics& body = *model_.groups()[at(one.group)].dynamics;
  double u = 0.0;
  if (one.boundary >= 0) {
    take_part(step, from, to, one.first, body.velocities());
    for (Eigen::Index k = 0; k < part_.cols(); ++k)
      u = std::max(u, fastest_point(one.rows, part_.col(k)));
  } else if (one.body >= 0) {
    take_part(step, from, to, one.first + 6 * static_cast<Eigen::Index>(one.body), 6);
    for (Eigen::Index k = 0; k < part_.cols(); ++k) {
      const double turns = part_.col(k).tail<3>().norm();
      u = std::max(u, part_.col(k).head<3>().norm() + (turns > 0.0 ? turns * reach : 0.0));
    }
  }
  return u + body.fastest_drift(step.t0 + from * step.h, step.t0 + to * step.h, reach);
}

// No gap changes faster on [from, to] of the step [m/s]: the two fastest surfaces against each other.
double EventSearch::closing(const OdeStep& step, double from, double to) {
  double fastest = 0.0, second = 0.0;
  const auto look = [&](const Surface& one, double reach) {
    const double u = speed(one, step, from, to, reach);
    second = std::max(second, std::min(u, fastest));
    fastest = std::max(fastest, u);
  };
  for (const Surface& one : surfaces_)
    if (std::isfinite(one.reach)) look(one, one.reach);
  const double span = span_ + step.h * fastest;  // what surfaces go in the step
  for (const Surface& one : surfaces_)
    if (!std::isfinite(one.reach)) look(one, span);
  return fastest + second;
}

double EventSearch::held_at(std::uint64_t key) const {
  const auto it =
      std::ranges::lower_bound(held_, key, {}, &std::pair<std::uint64_t, double>::first);
  return it != held_.end() && it->first == key ? it->second : 0.0;
}

const double* EventSearch::slack(std::uint64_t key) const {
  const auto it =
      std::ranges::lower_bound(slack_, key, {}, &std::pair<std::uint64_t, double>::first);
  return it != slack_.end() && it->first == key ? &it->second : nullptr;
}

namespace {
EventSearch::Kind kind_of(Guard::Until until) {
  switch (until) {
    case Guard::Until::slides:
      return EventSearch::Kind::holds;
    case Guard::Until::sticks:
      return EventSearch::Kind::slips;
    default:
      return EventSearch::Kind::presses;
  }
}

// What yields inside its contact: it pressed until its damping took all of its force, and the gap is still negative. One that
// ended with its contact, as closely as that was found, would press again.
bool lets_go(const ContactLaw& law, double y, double u) {
  if (!law.facts().yields) return false;
  const double held = law.pressing(y, 0.0), now = law.pressing(y, u);
  return !(now > 1e-3 * (std::abs(held) + std::abs(now - held)));
}
}  // namespace

void EventSearch::begin(double t, View v, double h) {
  motion_.force_sizes(force_);
  forces_ = false;
  slack_.clear();
  w_.setZero();
  motion_.go(t, w_, v);
  EventContacts& contacts = motion_.contacts();
  held_.clear();
  if (!contacts.any()) return;
  contacts.find_rows(motion_.kinematics().time(), motion_.kinematics().groups());
  if (contacts.detects()) see_surfaces(motion_.kinematics().time());
  round_ = kSearchNoise * motion_.kinematics().extent();
  for (std::size_t i = 0; i < contacts.count(); ++i) {
    if (!(contacts.gap(i) <= round_)) continue;
    const double y = contacts.gap(i), u = contacts.rate(i, 0);
    held_.emplace_back(contacts.key(i), y);
    // What opens and needs next to no time to its end is no longer in contact: its place was found as closely as that.
    const bool left = u > 0.0 && -y <= std::max(kLeft * round_, kSoon * u * h);
    if (y < -round_ && !left && lets_go(contacts.law(i), y, u))
      slack_.emplace_back(contacts.key(i), std::max(contacts.law(i).pressing(y, u), 0.0));
  }
  for (const ContactMode& mode : motion_.modes()) {
    const int i = contacts.index_of(mode.key);
    if (i < 0) continue;
    const ContactLaw& law = contacts.law(at(i));
    forces_ = forces_ || law.bounded();
  }
}

// Gaps need places alone; forces and slips need the accelerations.
void EventSearch::sample(double t, View w, View v, bool forces, std::vector<Sample>& out) {
  out.clear();
  EventContacts& contacts = motion_.contacts();
  const auto modes = motion_.modes();
  if (!forces) {
    if (!slack_.empty())
      motion_.go(t, w, v);  // with the rates of gaps
    else
      motion_.look(t, w, v);
    const double L = motion_.kinematics().extent();
    for (std::size_t i = 0; i < contacts.count(); ++i) {
      const ContactLaw& law = contacts.law(i);
      if (law.bilateral()) continue;
      const std::uint64_t key = contacts.key(i);
      const auto mode = std::ranges::lower_bound(modes, key, {}, &ContactMode::key);
      const bool open = mode == modes.end() || mode->key != key;
      const double* const left = open ? slack(key) : nullptr;
      if (left) {
        // of the sign of -N, which is to be positive while y < 0, less what was left of it where it let go
        const double y = contacts.gap(i), u = contacts.rate(i, 0), now = law.pressing(y, u);
        const double size =
            law.pressing(-std::max(L, std::abs(y)), 0.0) + std::abs(now - law.pressing(y, 0.0));
        out.push_back({Kind::resumes, key, *left - now, size});
        out.push_back({Kind::leaves, key, -y, L});
      } else if (open) {
        out.push_back({Kind::gap, key, contacts.gap(i) - held_at(key), L});
      } else if (!law.set_valued()) {
        out.push_back({Kind::ends, key, -contacts.gap(i), L});
      }
    }
    return;
  }
  motion_.rates(t, w, v, dw_, dv_);
  const double speed = v.size() > 0 ? v.cwiseAbs().maxCoeff() : 0.0;
  if (const auto mode = std::ranges::find_if(modes, &ContactMode::shared); mode != modes.end())
    out.push_back({Kind::bears, mode->key, motion_.distribute(), 1.0});
  for (std::size_t k = 0; k < modes.size(); ++k) {
    const ContactMode& mode = modes[k];
    const int i = motion_.index(k);
    if (i < 0) {
      out.push_back({Kind::lost, mode.key, -1.0, 1.0});
      continue;
    }
    const ContactLaw& law = contacts.law(at(i));
    const bool slides = mode.kind == ContactMode::Kind::slides;
    if (mode.shared && !slides) continue;  // its room is watched
    Guards guards;
    law.guards({.sticks = mode.kind == ContactMode::Kind::sticks,
                .slides = slides,
                .shared = mode.shared,
                .force = motion_.force(k),
                .rate = motion_.rate(k),
                .direction = mode.direction,
                .size = force_[k],
                .speed = speed,
                .gap = contacts.gap(at(i))},
               guards);
    for (const Guard& guard : guards)
      out.push_back({kind_of(guard.until), mode.key, guard.value, guard.scale});
  }
}

std::optional<EventSearch::Found> EventSearch::earliest(const OdeStep& step,
                                                        const AtRates& at_rates) {
  if (!motion_.contacts().any() || step.w.rows() == 0) return {};
  // Forces first: they need no look at every place on the way, and what they end need not be looked at.
  std::optional<Found> force;
  if (forces_) force = part(step, 0.0, 1.0, true, 0, 0, at_rates);
  const auto gap =
      part(step, 0.0, force && force->theta > 0.0 ? force->theta : 1.0, false, 0, 0, at_rates);
  return gap && (!force || gap->theta <= force->theta) ? gap : force;
}

std::optional<EventSearch::Found> EventSearch::part(const OdeStep& step, double from, double to,
                                                    bool forces, int depth, int bends,
                                                    const AtRates& at_rates) {
  const auto halves = [&](int bent) -> std::optional<Found> {
    const double middle = 0.5 * (from + to);
    if (auto found = part(step, from, middle, forces, depth + 1 - bent, bends + bent, at_rates))
      return found;
    return part(step, middle, to, forces, depth + 1 - bent, bends + bent, at_rates);
  };
  const int n = static_cast<int>(step.w.cols());  // one more than the degree of the dense output
  const auto nodes = lobatto_nodes(n);
  const EventContacts& contacts = motion_.contacts();
  double way = 0.0;  // that a gap may go between two nodes
  if (!forces && contacts.detects()) {
    way = closing(step, from, to) * step.h * (to - from) * widest(nodes);
    // Nothing may come from beyond the margin to contact between two nodes.
    if (way > model_.surfaces().margin_of_events() && depth < kDeepest) return halves(0);
  }
  std::vector<std::vector<Sample>> at_node(static_cast<std::size_t>(n) + 1);
  for (int k = 0; k <= n; ++k) {
    const double theta = from + (to - from) * nodes[static_cast<std::size_t>(k)];
    dense_output(step, theta, w_, v_);
    sample(step.t0 + theta * step.h, w_, v_, forces, at_node[static_cast<std::size_t>(k)]);
    if (forces) at_rates(theta);
  }
  std::optional<Found> best;
  for (int k = 0; k <= n && forces && !best; ++k)
    for (const Sample& one : at_node[at(k)]) {
      const auto theta = [&](int node) { return from + (to - from) * nodes[at(node)]; };
      const double last = theta(std::max(k - 1, 0));
      std::optional<Found> found;
      if (one.kind == Kind::bears && one.value < -kForceNoise)
        found = last_room(step, one.key, last, theta(k));
      if (one.kind == Kind::lost) found = hidden(step, one.key, last, theta(k));
      if (found && (!best || found->theta < best->theta)) best = found;
    }
  if (best && best->kind == Kind::lost) {  // what else there is until then
    if (!(best->theta > from)) return best;
    const auto before = part(step, from, best->theta, forces, depth, bends, at_rates);
    return before ? before : best;
  }
  // The functions of all nodes together.
  std::vector<Sample> all;
  for (const auto& node : at_node)
    for (const Sample& one : node) {
      if (one.kind == Kind::bears || one.kind == Kind::lost) continue;
      const auto same = std::ranges::find_if(
          all, [&](const Sample& x) { return x.key == one.key && x.kind == one.kind; });
      if (same == all.end())
        all.push_back(one);
      else
        same->size = std::max(same->size, one.size);
    }
  std::ranges::sort(all, [](const Sample& a, const Sample& b) {
    return a.key != b.key ? a.key < b.key : a.kind < b.kind;
  });
  const auto count = static_cast<Eigen::Index>(all.size());
  Matrix values = Matrix::Constant(count, n + 1, kNotKnown), B;
  for (int k = 0; k <= n; ++k)
    for (const Sample& one : at_node[static_cast<std::size_t>(k)])
      for (Eigen::Index r = 0; r < count; ++r)
        if (all[static_cast<std::size_t>(r)].key == one.key &&
            all[static_cast<std::size_t>(r)].kind == one.kind)
          values(r, k) = one.value;
  // Between the first two nodes and the middle ones, where an interpolant is at its worst.
  std::vector<Sample> between[2];
  const double places[2] = {0.5 * (nodes[0] + nodes[1]),
                            0.5 * (nodes[at(n / 2)] + nodes[at(n / 2 + 1)])};
  for (int k = 0; k < 2 && !all.empty(); ++k) {
    const double theta = from + (to - from) * places[k];
    dense_output(step, theta, w_, v_);
    sample(step.t0 + theta * step.h, w_, v_, forces, between[k]);
  }
  for (Eigen::Index r = 0; r < count; ++r) {
    const Sample& of = all[static_cast<std::size_t>(r)];
    const bool known = values.row(r).allFinite();
    const double noise = of.kind == Kind::presses || of.kind == Kind::holds
                             ? kForceNoise * of.size
                             : kSearchNoise * of.size;
    if (!known) {
      // A contact that comes into sight or goes out of it: where it would have to go farther than surfaces do, from the gap of
      // one node down to 0 and up to that of the next, it does not touch.
      double least = std::numeric_limits<double>::infinity();
      for (int k = 0; k <= n; ++k)
        if (std::isfinite(values(r, k))) least = std::min(least, values(r, k));
      if (of.kind == Kind::gap && 2.0 * least > way) continue;
      if (bends < kDeepestShape) return halves(1);
      for (int k = 1; k <= n && of.kind == Kind::gap; ++k)
        if (values(r, k) < -noise) {
          const auto theta = [&](int node) { return from + (to - from) * nodes[at(node)]; };
          const Found found = bisect(step, of.kind, of.key, theta(k - 1), theta(k));
          if (!best || found.theta < best->theta) best = found;
          break;
        }
      continue;
    }
    bernstein_through(values.row(r), B);
    const std::span<const double> b(B.data(), static_cast<std::size_t>(B.size()));
    const double fit =
        std::max(2.0 * noise, (forces ? kForceFit : kFit) * values.row(r).cwiseAbs().maxCoeff());
    for (int k = 0; k < 2 && bends < (forces ? kDeepestForce : kDeepestShape); ++k)
      for (const Sample& one : between[k])
        if (one.key == of.key && one.kind == of.kind &&
            !(std::abs(bernstein_value(b, places[k]) - one.value) <= fit))
          return halves(1);
    if (const auto root = first_negative(b, noise)) {
      const double theta = from + (to - from) * *root;
      if (best && !(theta < best->theta)) continue;
      std::vector<double> rate(b.size() - 1);
      bernstein_derivative(b, rate);
      best = Found{of.kind, of.key, theta, bernstein_value(rate, *root) / (step.h * (to - from))};
    }
  }
  return best;
}

// A gap that is not known everywhere: where it becomes negative, not known counted as open.
EventSearch::Found EventSearch::bisect(const OdeStep& step, Kind kind, std::uint64_t key,
                                       double from, double to) {
  const auto at_theta = [&](double theta) {
    dense_output(step, theta, w_, v_);
    return value({kind, key, theta, 0.0}, step.t0 + theta * step.h, w_, v_);
  };
  for (int round = 0; round < 60 && to - from > 1e-16; ++round) {
    const double middle = 0.5 * (from + to);
    (at_theta(middle) < 0.0 ? to : from) = middle;
  }
  const double ahead = std::min(1.0, to + 1e-6),
               slope = (at_theta(ahead) - at_theta(to)) / ((ahead - to) * step.h);
  return {kind, key, to, std::isfinite(slope) ? slope : 0.0};
}

// The last instant at which the surfaces of a contact that is held show it: it passes on to another of their features, or from an
// edge.
EventSearch::Found EventSearch::hidden(const OdeStep& step, std::uint64_t key, double from,
                                       double to) {
  while (to - from > 4e-16) {
    const double middle = 0.5 * (from + to);
    if (!(middle > from && middle < to)) break;
    dense_output(step, middle, w_, v_);
    motion_.look(step.t0 + middle * step.h, w_, v_);
    (motion_.contacts().index_of(key) < 0 ? to : from) = middle;
  }
  return {Kind::lost, key, from, 0.0};
}

// Where the room of contacts that share a load ends, which it has no more at `to`. It is as smooth as the forces but for kinks:
// by the rule of the false position, halved where that is slow.
EventSearch::Found EventSearch::last_room(const OdeStep& step, std::uint64_t key, double from,
                                          double to) {
  const auto room = [&](double theta) {
    dense_output(step, theta, w_, v_);
    motion_.rates(step.t0 + theta * step.h, w_, v_, dw_, dv_);
    return motion_.distribute(true);
  };
  double a = from < to ? room(from) : -1.0, b = a > 0.0 ? room(to) : -1.0;
  if (!(a > 0.0)) to = from;
  for (int round = 0; round < 100 && to - from > 4e-16; ++round) {
    const double by_chord = from + (to - from) * a / (a - b);
    const bool halve = round % 3 == 2 || !(by_chord > from && by_chord < to);
    const double middle = halve ? 0.5 * (from + to) : by_chord;
    const double here = room(middle);
    (here < 0.0 ? to : from) = middle;
    (here < 0.0 ? b : a) = here;
    if (std::abs(here) <= kRoom) {
      to = middle;
      break;
    }
  }
  return {Kind::bears, key, to, 0.0};
}

double EventSearch::value(const Found& of, double t, View w, View v) {
  std::vector<Sample> here;
  const bool forces = of.kind == Kind::presses || of.kind == Kind::holds || of.kind == Kind::slips;
  sample(t, w, v, forces, here);
  for (const Sample& one : here)
    if (one.key == of.key && one.kind == of.kind) return one.value;
  return kNotKnown;
}

std::array<double, 2> EventSearch::slip(std::uint64_t key) const {
  const auto modes = motion_.modes();
  for (std::size_t k = 0; k < modes.size(); ++k) {
    if (modes[k].key != key || motion_.index(k) < 0) continue;
    const Vector3& f = motion_.force(k);
    const EventContacts& contacts = motion_.contacts();
    if (contacts.law(at(motion_.index(k))).slides_on_normal())
      return {f[0] > 0.0 ? -1.0 : 1.0, 0.0};
    const double strength = std::hypot(f[1], f[2]);
    if (strength > 0.0) return {-f[1] / strength, -f[2] / strength};
  }
  return {1.0, 0.0};
}

}  // namespace saltus

#include "saltus/event_driven/event_search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "saltus/base/index_internal.h"

namespace saltus {
namespace {

constexpr int kDeepest = 24;  ///< halvings of a step
/// halvings because a polynomial does not fit, or contacts change
constexpr int kDeepestShape = 12;
constexpr int kDeepestForce = 5;        ///< the same for forces, which cost one evaluation each
constexpr double kSearchNoise = 1e-12;  ///< relative to the terms that are subtracted in a gap
constexpr double kForceNoise = 1e-10;
constexpr double kLeft = 1e3, kSoon = 1e-9;  ///< relative to the round-off of a gap, and to a step
constexpr double kRoom = 1e-14;              ///< relative to the largest force: no margin
/// Allowed misfit of a polynomial between its nodes, relative to its largest value.
constexpr double kFit = 1e-10, kForceFit = 1e-7;

const double kNotKnown = std::numeric_limits<double>::quiet_NaN();

/// The largest distance between two neighbouring nodes.
double widest(std::span<const double> nodes) {
  double most = 0.0;
  for (std::size_t k = 1; k < nodes.size(); ++k) most = std::max(most, nodes[k] - nodes[k - 1]);
  return most;
}

}  // namespace

EventSearch::EventSearch(const Model& model, ConstrainedMotion& motion)
    : model_(model), motion_(motion), surfaces_(model, motion) {
  const auto n = static_cast<Eigen::Index>(motion.size());
  w_ = v_ = dw_ = dv_ = Vector::Zero(n);
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

// True for a compliant contact whose damping cancelled all of its force while the gap is still
// negative. A contact whose gap ended, within the accuracy of the search, does not count: it would
// become active again.
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
  if (contacts.detects()) surfaces_.read(motion_.kinematics().time());
  round_ = kSearchNoise * motion_.kinematics().extent();
  for (std::size_t i = 0; i < contacts.count(); ++i) {
    if (!(contacts.gap(i) <= round_)) continue;
    const double y = contacts.gap(i), u = contacts.rate(i, 0);
    held_.emplace_back(contacts.key(i), y);
    // A contact that opens and needs almost no time to its end is no longer in contact, because its
    // end was located only to that accuracy.
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

// Gaps need only positions; forces and slips need accelerations.
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
        // same sign as -N, positive while y < 0, minus its value where the force ended
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
    if (mode.shared && !slides) continue;  // its margin is searched instead
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
  // Forces first: they need no contact detection at every point, and gaps after the event that they
  // find need not be searched.
  std::optional<Found> force;
  if (forces_) force = part({step, 0.0, 1.0, true}, at_rates);
  const auto gap =
      part({step, 0.0, force && force->theta > 0.0 ? force->theta : 1.0, false}, at_rates);
  return gap && (!force || gap->theta <= force->theta) ? gap : force;
}

std::optional<EventSearch::Found> EventSearch::part(const Part& of, const AtRates& at_rates) {
  const auto halves = [&](int bent) -> std::optional<Found> {
    Part half{of.step,        of.from, 0.5 * (of.from + of.to), of.forces, of.depth + 1 - bent,
              of.bends + bent};
    if (auto found = part(half, at_rates)) return found;
    half.from = half.to;
    half.to = of.to;
    return part(half, at_rates);
  };
  const int n = static_cast<int>(of.step.w.cols());  // one more than the degree of the dense output
  const auto nodes = lobatto_nodes(n);
  double travel = 0.0;  // maximum change of a gap between two nodes
  if (!of.forces && motion_.contacts().detects()) {
    travel =
        surfaces_.closing(of.step, of.from, of.to) * of.step.h * (of.to - of.from) * widest(nodes);
    // Between two nodes, nothing may come into contact from beyond the margin.
    if (travel > model_.surfaces().margin_of_events() && of.depth < kDeepest) return halves(0);
  }
  std::vector<std::vector<Sample>> at_node(static_cast<std::size_t>(n) + 1);
  for (int k = 0; k <= n; ++k) {
    sample_at(of, nodes[at(k)], at_node[at(k)]);
    if (of.forces) at_rates(of.theta(nodes[at(k)]));
  }
  std::optional<Found> best = lost_or_exhausted(of, nodes, at_node);
  if (best && best->kind == Kind::lost) {  // search for other events until then
    if (!(best->theta > of.from)) return best;
    Part before = of;
    before.to = best->theta;
    const auto found = part(before, at_rates);
    return found ? found : best;
  }
  Functions functions = functions_of(at_node);
  for (int k = 0; k < 2 && !functions.all.empty(); ++k) {
    // between the first two nodes and the middle ones, where an interpolant is least accurate
    const std::size_t left = k == 0 ? 0 : at(n / 2);
    functions.place[k] = 0.5 * (nodes[left] + nodes[left + 1]);
    sample_at(of, functions.place[k], functions.between[k]);
  }
  for (Eigen::Index r = 0; r < functions.values.rows(); ++r)
    if (!find_root(of, functions, r, travel, best)) return halves(1);
  return best;
}

void EventSearch::sample_at(const Part& of, double x, std::vector<Sample>& out) {
  const double theta = of.theta(x);
  dense_output(of.step, theta, w_, v_);
  sample(of.step.t0 + theta * of.step.h, w_, v_, of.forces, out);
}

// The first contact that is lost, or margin that is exhausted, between one node and the next.
std::optional<EventSearch::Found> EventSearch::lost_or_exhausted(
    const Part& of, std::span<const double> nodes, std::span<const std::vector<Sample>> at_node) {
  std::optional<Found> best;
  for (std::size_t k = 0; k < at_node.size() && of.forces && !best; ++k)
    for (const Sample& one : at_node[k]) {
      const double last = of.theta(nodes[k > 0 ? k - 1 : 0]), here = of.theta(nodes[k]);
      std::optional<Found> found;
      if (one.kind == Kind::bears && one.value < -kForceNoise)
        found = last_margin(of.step, one.key, last, here);
      if (one.kind == Kind::lost) found = last_contact(of.step, one.key, last, here);
      if (found && (!best || found->theta < best->theta)) best = found;
    }
  return best;
}

// The functions of all nodes together, sorted by key and kind.
EventSearch::Functions EventSearch::functions_of(
    std::span<const std::vector<Sample>> at_node) const {
  Functions functions;
  std::vector<Sample>& all = functions.all;
  for (const auto& node : at_node)
    for (const Sample& one : node) {
      if (one.kind == Kind::bears || one.kind == Kind::lost) continue;
      const auto same = std::ranges::find_if(all, [&](const Sample& x) { return x.is(one); });
      if (same == all.end())
        all.push_back(one);
      else
        same->size = std::max(same->size, one.size);
    }
  std::ranges::sort(all, [](const Sample& a, const Sample& b) {
    return a.key != b.key ? a.key < b.key : a.kind < b.kind;
  });
  functions.values = Matrix::Constant(std::ssize(all), std::ssize(at_node), kNotKnown);
  for (std::size_t k = 0; k < at_node.size(); ++k)
    for (const Sample& one : at_node[k])
      for (std::size_t r = 0; r < all.size(); ++r)
        if (all[r].is(one))
          functions.values(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(k)) = one.value;
  return functions;
}

// Finds the root of function r and stores it in `best` if it is earlier. False: the function is not
// a polynomial on this part.
bool EventSearch::find_root(const Part& of, const Functions& functions, Eigen::Index r,
                            double travel, std::optional<Found>& best) {
  const Sample& function = functions.all[static_cast<std::size_t>(r)];
  const auto values = functions.values.row(r);
  const double noise = function.kind == Kind::presses || function.kind == Kind::holds
                           ? kForceNoise * function.size
                           : kSearchNoise * function.size;
  if (!values.allFinite()) return find_root_of_unknown(of, function, values, noise, travel, best);
  Matrix B;
  bernstein_through(values, B);
  const std::span<const double> b(B.data(), static_cast<std::size_t>(B.size()));
  const double fit =
      std::max(2.0 * noise, (of.forces ? kForceFit : kFit) * values.cwiseAbs().maxCoeff());
  for (int k = 0; k < 2 && of.bends < (of.forces ? kDeepestForce : kDeepestShape); ++k)
    for (const Sample& one : functions.between[k])
      if (one.is(function) &&
          !(std::abs(bernstein_value(b, functions.place[k]) - one.value) <= fit))
        return false;
  if (const auto root = first_negative(b, noise)) {
    const double theta = of.theta(*root);
    if (best && !(theta < best->theta)) return true;
    std::vector<double> rate(b.size() - 1);
    bernstein_derivative(b, rate);
    best = Found{function.kind, function.key, theta,
                 bernstein_value(rate, *root) / (of.step.h * (of.to - of.from))};
  }
  return true;
}

// For a function that is unknown at some nodes: a contact that is detected only at some of them.
// The contact does not close if its gap would have to change faster than surfaces move to fall from
// its value at one node to 0 and rise to that at the next.
bool EventSearch::find_root_of_unknown(const Part& of, const Sample& function,
                                       const Eigen::RowVectorXd& values, double noise,
                                       double travel, std::optional<Found>& best) {
  double least = std::numeric_limits<double>::infinity();
  for (const double value : values)
    if (std::isfinite(value)) least = std::min(least, value);
  if (function.kind == Kind::gap && 2.0 * least > travel) return true;
  if (of.bends < kDeepestShape) return false;
  if (function.kind != Kind::gap) return true;
  const auto nodes = lobatto_nodes(static_cast<int>(values.size()) - 1);
  for (Eigen::Index k = 1; k < values.size(); ++k)
    if (values[k] < -noise) {
      const auto node = static_cast<std::size_t>(k);
      const Found found = bisect(of.step, function.kind, function.key, of.theta(nodes[node - 1]),
                                 of.theta(nodes[node]));
      if (!best || found.theta < best->theta) best = found;
      break;
    }
  return true;
}

// For a gap that is not known everywhere: finds where it becomes negative, with unknown values
// counted as open.
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

// The last instant at which the surfaces of a closed contact have this contact: after it the
// contact moves to another feature, or off an edge.
EventSearch::Found EventSearch::last_contact(const OdeStep& step, std::uint64_t key, double from,
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

// Finds where the margin of redundant contacts, exhausted at `to`, reaches zero. It is as smooth as
// the forces except at kinks: uses false position, and bisection where that is slow.
EventSearch::Found EventSearch::last_margin(const OdeStep& step, std::uint64_t key, double from,
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

#include "saltus/event_driven/event_step.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "saltus/base/stop.h"
#include "saltus/event_driven/slips.h"
#include "saltus/event_driven/step_length.h"
#include "saltus/math/bernstein.h"

namespace saltus {
namespace {

constexpr int kMostTrials = 60;      ///< trial lengths of a step
constexpr int kTrials = 4;           ///< trials without a search for ending slips
constexpr double kTurn = 2.5;        ///< maximum rotation of a body in a step [rad]
constexpr double kCounted = 1.5;     ///< its value if angles between bodies are counted [rad]
constexpr double kMargins = 2000.0;  ///< margins that a body may move in a step
constexpr double kShortest = 1e-15;
/// Consecutive steps, each below kCrawl intervals and as long as friction lets an explicit method
/// step at the slowest slip.
constexpr int kMostCrawls = 300;
constexpr double kCrawl = 1e-3, kStiff = 0.3;
constexpr double kTime = 1e-14;  ///< accuracy of the end of a step, relative to the time
constexpr int kRounds = 3;       ///< iterations of Newton's method for it
/// Error assigned to a step that is not finite, or rotates too far.
constexpr double kUseless = 1e3;

std::unique_ptr<OdeMethod> method_of(const EventOptions& options) {
  switch (options.method) {
    case OdeKind::dormand_prince_5:
      return make_dormand_prince_5();
    case OdeKind::dormand_prince_8:
      return make_dormand_prince_8();
    case OdeKind::esdirk:
      return make_esdirk();
    case OdeKind::automatic:
      break;
  }
  return options.tolerance > 1e-5 ? make_dormand_prince_5() : make_dormand_prince_8();
}

bool same(const Vector& a, const Vector& b) {
  return a.size() == b.size() && (a.array() == b.array()).all();
}

}  // namespace

EventStep::EventStep(const Model& model, ConstrainedMotion& motion, EventProjection& projection,
                     EventSearch& search)
    : model_(model),
      motion_(motion),
      projection_(projection),
      search_(search),
      method_(method_of(model.options().events)),
      scale_(model, motion),
      balance_(model, motion),
      jumps_(model.breaks().restarts()) {
  std::ranges::set_union(model.breaks().ends, jumps_, std::back_inserter(ends_));
  for (const JointAngle& of : model.angles())
    for (const JointSide* side : {&model.joints()[static_cast<std::size_t>(of.joint)].a,
                                  &model.joints()[static_cast<std::size_t>(of.joint)].b})
      if (side->group >= 0 &&
          model.groups()[static_cast<std::size_t>(side->group)].dynamics->velocities() == 0)
        turned_groups_.push_back(side->group);
  w_ = v_ = dw_ = Vector::Zero(motion.size());
}

double EventStep::next_end(double t) const {
  const auto next = std::ranges::upper_bound(ends_, t);
  return next == ends_.end() ? std::numeric_limits<double>::infinity() : *next;
}

double EventStep::end_time(const EventState& event_state) const {
  const double t = event_state.t + event_state.length, end = next_end(event_state.t);
  return std::abs(t - end) <= 4.0 * 0x1p-52 * t ? end : t;  // end may be infinite
}

bool EventStep::jumps_at(double t) const { return std::ranges::binary_search(jumps_, t); }

bool EventStep::crawls() const { return crawls_ > kMostCrawls; }

void EventStep::end(EventState& event_state) {
  event_state.h = 0.0;
  event_state.ends_with = -1;
  event_state.ends_key = 0;
  ready_ = false;
}

// Sets the motion and the step to their start, for a step of about h.
void EventStep::start(EventState& event_state, double h) {
  step_.h = h;
  motion_.joints().reset_redundant_rows();
  motion_.enter_smooth_interval(event_state.t);
  motion_.start(event_state.start);
  if (motion_.contacts().settles()) motion_.contacts().settle(event_state.t, event_state.start);
  motion_.set_modes(event_state.modes);
  motion_.set_time(event_state.rate_time);
  const EventOptions& options = model_.options().events;
  w_.setZero();
  step_.t0 = event_state.t;
  step_.v0 = v_ = motion_.kinematics().velocities(event_state.start);
  step_.dv0.resize(v_.size());
  if (any_slides(event_state.modes)) {  // slips that are round-off have no direction
    motion_.go(event_state.t, w_, v_);
    pull_ = motion_.free_acceleration();
    motion_.mark_slips(std::max(1e-9, 10.0 * options.tolerance),
                       v_.cwiseAbs() + 1e3 * event_state.rate_time * pull_.cwiseAbs());
  }
  motion_.rates(event_state.t, w_, v_, dw_, step_.dv0);
  motion_.applied_acceleration(pull_);
  const double interval = model_.options().h;
  motion_.driving_forces(driving_);
  driven_ = driving_;
  motion_.kinematics().solve_mass(driven_);
  projection_.allow(0.5 * interval * interval * driving_.dot(driven_),
                    options.zeno * driving_.cwiseAbs().sum());
}

void EventStep::start_trial(EventState& event_state, double h) {
  event_state.rate_time = 1e-3 * h;
  start(event_state, h);
}

// The time to the next end or limit, also limited because increments of rotations are singular at
// 2 pi and joint angles have the turn nearest to that at the start of a step.
double EventStep::longest(double t, double limit) const {
  double left = std::min(limit, next_end(t)) - t;
  for (const int g : turned_groups_)
    if (const double spin =
            model_.groups()[static_cast<std::size_t>(g)].dynamics->fastest_spin_drift(t, t + left);
        spin * left > kCounted)
      left = kCounted / spin;
  const double turn = motion_.contacts().counts_angles() ? kCounted : kTurn;
  const double spin = motion_.kinematics().fastest_turn(v_);
  return spin > 0.0 ? std::min(left, turn / spin) : left;
}

// u h + a h^2/2 <= kMargins margins of contact.
double EventStep::by_surfaces(const EventState& event_state, double h) const {
  const double u = std::max(motion_.kinematics().fastest(step_.v0),
                            search_.surfaces().fastest_drift(event_state.t, event_state.t + h)),
               path = kMargins * model_.surfaces().margin_of_events(),
               a = step_.dv0.cwiseAbs().maxCoeff();
  return 2.0 * path / (u + std::sqrt(u * u + 2.0 * a * path));
}

// Starts the step with the length of the first trial.
void EventStep::begin(EventState& event_state, double left) {
  start_trial(event_state, std::min(event_state.next > 0.0 ? event_state.next : left, left));
  scale_.find_links(step_.v0);
  if (!(event_state.next > 0.0))
    start_trial(event_state, std::min(step_.h, first_step(motion_, step_, step_.h)));
  if (const double most = slip_time(motion_, step_); step_.h > most) start_trial(event_state, most);
  search_.begin(step_.t0, step_.v0, step_.h);
  if (!motion_.contacts().detects()) return;
  if (const double most = by_surfaces(event_state, step_.h); step_.h > most)
    start_trial(event_state, most);
  if (const double most = spring_time(motion_, step_.h); most < step_.h)
    start_trial(event_state, most);
}

// Tries a step of step_.h and returns its error relative to the tolerance; whole: the step is
// finite.
double EventStep::trial_error(bool& whole) {
  whole = method_->step(motion_, step_) && step_.v1.allFinite() && step_.w1.allFinite();
  if (!whole) return kUseless;
  scale_.measure(step_, pull_);
  const double error = method_->error(step_, scale_.values());
  const bool turns_too_far =
      motion_.contacts().counts_angles() && motion_.kinematics().fastest_turn(step_.w1) > kCounted;
  return error <= 1.0 && turns_too_far ? kUseless : error;
}

// Tries steps of decreasing length until the error is below the tolerance.
EventStep::Made EventStep::integrate(EventState& event_state, double t, double left,
                                     StepReport& report) {
  scale_.begin_noise();
  for (int trial = 0;; ++trial) {
    if (stop_requested(stop_)) return Made::nothing;
    bool whole = false;
    error_ = trial_error(whole);
    if (error_ <= 1.0) return Made::step;
    ++report.rejected;
    const double h = step_.h;
    if (trial == 0 && whole) {
      start_trial(event_state, h);  // a step that is too long may have led far away
      scale_.measure_noise(step_, pull_);
      scale_.measure(step_, pull_);
      if (method_->error(step_, scale_.values()) <= 1.0) {
        // the error is round-off: repeat the same step with that scale
        start_trial(event_state, h);
        continue;
      }
    }
    if (trial >= kTrials) {
      stops_ = stopping_slips(motion_, step_, model_.options().events.zeno);
      if (!stops_.empty()) return Made::slips_end;
    }
    if (trial > kMostTrials || h < kShortest * std::max(std::abs(t), left)) {
      report.failure = "the integrator does not meet time.tolerance with any step length";
      return Made::nothing;
    }
    const double q = method_->error_order();
    start_trial(
        event_state,
        h * (std::isfinite(error_) ? std::clamp(0.9 * std::pow(error_, -1.0 / q), 0.1, 0.9) : 0.1));
  }
}

EventStep::Made EventStep::make(State& state, double limit, StepReport& report) {
  EventState& event_state = state.event_state;
  event_state.start.resize(state.groups.size());
  for (std::size_t g = 0; g < state.groups.size(); ++g) {
    event_state.start[g].q = state.groups[g].q;
    event_state.start[g].v = state.groups[g].v;
    event_state.start[g].angles = state.groups[g].angles;
    event_state.start[g].set_points = state.groups[g].set_points;
  }
  event_state.t = state.t;
  v_ = motion_.kinematics().velocities(state.groups);
  const double left = longest(state.t, limit);
  begin(event_state, left);
  if (const Made made = integrate(event_state, state.t, left, report); made != Made::step)
    return made;
  const double h = step_.h;
  report.error = std::max(report.error, error_ * scale_.tolerance());
  ++report.steps;
  crawls_ = h < kCrawl * model_.options().h && any_slides(event_state.modes) &&
                    h * motion_.slip_rate(pull_) > kStiff
                ? crawls_ + 1
                : 0;
  const double q = method_->error_order();
  const double next =
      h * (error_ > 0.0 ? std::clamp(0.9 * std::pow(error_, -1.0 / q), 0.2, 5.0) : 5.0);
  search(event_state);
  // An event that ends a step early is no reason for a shorter next step.
  event_state.next = h < left || next < h ? next : std::max(next, event_state.next);
  if (trace_) record(event_state);
  ready_ = true;
  done_ = 0.0;
  return Made::step;
}

// Computes the dense output of the step, up to the earliest event on it.
void EventStep::search(EventState& event_state) {
  method_->interpolate(motion_, step_);
  event_state.h = event_state.length = step_.h;
  balance_.begin(step_);
  const auto nodes = lobatto_nodes(static_cast<int>(step_.w.cols()));
  const auto found = search_.earliest(step_, [&](double theta) {
    const auto node = std::ranges::find(nodes, theta);
    if (node != nodes.end())
      balance_.sample(static_cast<std::size_t>(node - nodes.begin()), motion_.kinematics().time(),
                      true);
  });
  event_state.ends_with = -1;
  event_state.ends_key = 0;
  if (found) {
    event_state.ends_with = static_cast<std::int32_t>(found->kind);
    event_state.ends_key = found->key;
    locate(event_state, *found);
  } else {
    balance_.complete(step_, step_.h);
  }
}

// Moves from the length `from` of the step to the root of the function that found the event, by
// Newton's method: at(h) sets w, v to those at t0 + h. The function is not evaluated after the last
// change c, because c^2 is round-off. Returns nothing if the iteration diverges.
template <class At>
std::optional<double> EventStep::root(const EventSearch::Found& found, double from, double most,
                                      const At& at) {
  double h = from;
  for (int round = 0;; ++round) {
    at(h);
    if (found.slope == 0.0 || round == kRounds) return h;
    const double change = -search_.value(found, step_.t0 + h, w_, v_) / found.slope,
                 better = h + change;
    if (!std::isfinite(change) || std::abs(change) <= 1e-16 * (std::abs(step_.t0) + h)) return h;
    if (!(better > 0.5 * h && better < 1.5 * h && better <= 1.001 * most)) return {};
    if (change * change <= kTime * h * (std::abs(step_.t0) + h)) return better;
    h = better;
  }
}

// Ends the step at its event: on its dense output if that satisfies the equations of motion
// accurately enough, otherwise by repeating the step up to the event.
void EventStep::locate(EventState& event_state, const EventSearch::Found& found) {
  const double most = step_.h, from = found.theta * most;
  if (!(from > 0.0)) {  // the event is at the start of the step
    step_.h = event_state.h = event_state.length = 0.0;
    return;
  }
  const bool constrained = motion_.joints().rows() > 0 || !motion_.modes().empty();
  if (constrained) {  // the rates that determine the accuracy are sampled for the balance anyway
    const auto h =
        root(found, from, most, [&](double to) { dense_output(step_, to / most, w_, v_); });
    if (h) {
      event_state.length = *h;
      if (balance_.complete_if_accurate(step_, *h, scale_.values())) return;
    }
  }
  const auto again = [&](double to) {
    step_.h = to;
    method_->step(motion_, step_);
    w_ = step_.w1;
    v_ = step_.v1;
  };
  const auto h = root(found, from, most, again);
  event_state.h = step_.h;
  event_state.length = h.value_or(step_.h);
  method_->interpolate(motion_, step_);
  balance_.begin(step_);
  balance_.complete(step_, event_state.length);
}

void EventStep::record(const EventState& event_state) const {
  EventTrace::Step one{event_state.t, event_state.length, event_state.start, event_state.modes,
                       model_.options().events.method};
  if (one.method == OdeKind::automatic)
    one.method = method_->order() == 8 ? OdeKind::dormand_prince_8
                 : method_->implicit() ? OdeKind::esdirk
                                       : OdeKind::dormand_prince_5;
  trace_->steps.push_back(std::move(one));
}

bool EventStep::resume(State& state) {
  EventState& event_state = state.event_state;
  start(event_state, event_state.h);
  if (!method_->step(motion_, step_)) return false;
  method_->interpolate(motion_, step_);
  balance_.begin(step_);
  balance_.complete(step_, event_state.length);
  done_ = (state.t - event_state.t) / event_state.length;
  std::vector<GroupState> here = state.groups;
  place(state.t, done_, event_state, here);
  for (std::size_t g = 0; g < here.size(); ++g)
    if (!same(here[g].q, state.groups[g].q) || !same(here[g].v, state.groups[g].v)) return false;
  ready_ = true;
  return true;
}

bool EventStep::place(double t, double theta, const EventState& event_state,
                      std::vector<GroupState>& groups) {
  if (theta >= 1.0 && event_state.length == event_state.h) {
    w_ = step_.w1;
    v_ = step_.v1;
  } else {
    dense_output(step_, std::min(theta, 1.0) * (event_state.length / event_state.h), w_, v_);
  }
  motion_.start(event_state.start);
  motion_.kinematics().move(w_, groups);
  const auto first = motion_.kinematics().first();
  for (std::size_t g = 0; g < groups.size(); ++g)
    groups[g].v = v_.segment(first[g], groups[g].v.size());
  return (motion_.joints().rows() == 0 && event_state.modes.empty()) ||
         projection_.project(t, groups, event_state.modes, true);
}

}  // namespace saltus

#include "saltus/event_driven/event_integrator.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "saltus/base/error.h"
#include "saltus/base/index_internal.h"
#include "saltus/base/stop.h"
#include "saltus/event_driven/slips.h"

namespace saltus {
namespace {

constexpr std::string_view kNoEnd = "contact modes change endlessly at one instant";
constexpr int kMostAtOnce = 20;  ///< events without time between them
constexpr int kClose = 3;  ///< limit of nearby contacts, as a multiple of EventOptions::closed
constexpr double kStill = 1e-12;     ///< relative to the velocity scale: slower counts as at rest
constexpr double kLongest = 1000.0;  ///< in intervals
/// Value of EventState::crowd above which impacts are treated as crowded.
constexpr std::uint64_t kCrowd = 8;

double length_to_try(const EventState& event_state, const Model& model) {
  return event_state.next > 0.0 ? event_state.next : model.options().h;
}

}  // namespace

EventIntegrator::EventIntegrator(const Model& model)
    : model_(model),
      terms_(model_),
      motion_(model_),
      response_(model_, motion_),
      search_(model_, motion_),
      step_(model_, motion_, response_.projection(), search_),
      endings_(model_, motion_, search_, response_),
      springs_(model_),
      joint_impulses_(model_),
      angles_(model_) {
  yields_ =
      std::ranges::any_of(model_.laws(), [](const AnyLaw& law) { return law->facts().yields; });
}

void EventIntegrator::stop_by(Stop* stop) {
  stop_ = stop;
  step_.stop_by(stop);
  response_.stop_by(stop);
}

void EventIntegrator::trace(EventTrace* trace) {
  trace_ = trace;
  step_.trace(trace);
}

void EventIntegrator::enter(State& state) {
  state.event_state.active = true;
  state.event_state.h = 0.0;
  state.event_state.modes.clear();
  state.event_state.start.clear();
  for (GroupState& group : state.groups) group.memory.clear();
  motion_.joints().reset_redundant_rows();
  step_.reset();
}

void EventIntegrator::restart(State& state) {
  EventState& event_state = state.event_state;
  event_state.h = event_state.length = 0.0;
  event_state.modes.clear();
  event_state.start.clear();
  event_state.ends_with = -1;
  step_.reset();
}

void EventIntegrator::leave(State& state) {
  state.event_state.active = false;
  state.event_state.h = state.event_state.length = 0.0;
  state.event_state.modes.clear();
  state.event_state.start.clear();
  state.event_state.ends_with = -1;
  step_.reset();
}

EventIntegrator::End EventIntegrator::busy(Interval& now, std::string_view why) {
  now.report.failure = why;
  return End::busy;
}

EventIntegrator::End EventIntegrator::endless(Interval& now) {
  now.report.failure = kNoEnd;
  return End::failed;
}

EventIntegrator::End EventIntegrator::advance(State& state, double t1, StepReport& report,
                                              std::vector<Event>& events) {
  EventState& event_state = state.event_state;
  const std::size_t before = events.size();
  const auto ledger = state.ledger;
  const double start_energy = state.energy.total();
  response_.projection().allow(std::max(std::abs(state.energy_start),
                                        state.energy.kinetic + std::abs(state.energy.potential)));
  order_decided_ = false;
  ambiguous_angle_ = nullptr;
  report.steps = 0;
  step_.begin_crawls();
  if (!step_.ready() && event_state.h > 0.0 && !step_.resume(state))
    restart(state);  // it was changed by the caller
  // After resume(), whose evaluations have been counted by the earlier run.
  const std::uint64_t evaluations = motion_.evaluations();
  Interval now{
      .state = state, .t1 = t1, .limit = 0.0, .report = report, .events = events, .before = before};
  End end = start(now);
  // Steps are limited in length, so that their dense output loses no digits in the intervals.
  now.limit = std::max(t1, state.t + kLongest * model_.options().h);
  while (end == End::reached && state.t < t1 && !stop_requested(stop_)) end = advance_once(now);
  const auto first = events.begin() + static_cast<std::ptrdiff_t>(before);
  std::ranges::stable_sort(first, events.end(), {}, &Event::t);
  if (trace_) trace_->events.insert(trace_->events.end(), first, events.end());
  balance_energy(state, ledger, start_energy);
  measure(state, report);
  report.finite = report.finite && std::isfinite(state.energy.total());
  report.evaluations += static_cast<int>(motion_.evaluations() - evaluations);
  for (const auto& [key, p] : impulses_) {
    report.contacts += p.isZero(0.0) ? 0 : 1;
    report.impulse += p[0];
  }
  if (end == End::failed) {
    report.converged = false;
    if (!now.held) report.failure = EventProjection::kNotHeld;
  }
  return end;
}

// The modes of a state that has none yet.
EventIntegrator::End EventIntegrator::start(Interval& now) {
  State& state = now.state;
  if (!state.event_state.start.empty()) {
    if (state.event_state.h == 0.0) motion_.enter_smooth_interval(state.t);
    return End::reached;
  }
  // If time stepping left a jump at this instant unfinished, it is completed here.
  const bool jump = state.t > 0.0 && step_.jumps_at(state.t);
  motion_.enter_smooth_interval(jump ? std::nextafter(state.t, 0.0) : state.t);
  if (many_near(state)) return busy(now, kManyClosed);
  return respond(now, jump) ? End::reached : End::failed;
}

// Advances to the end of the current step, or to t1 within it.
EventIntegrator::End EventIntegrator::advance_once(Interval& now) {
  State& state = now.state;
  EventState& event_state = state.event_state;
  if (!step_.ready()) {
    bool made = false;
    const End end = make_step(now, made);
    if (!made) return end;
  }
  if (step_.end_time(event_state) > now.t1) {
    state.t = now.t1;
    now.held = move_to(now, (now.t1 - event_state.t) / event_state.length);
    return now.held ? End::reached : End::failed;
  }
  const bool moved = event_state.h > 0.0;
  now.at_once = moved ? 0 : now.at_once + 1;
  if (moved) {
    now.held = move_to(now, 1.0);
    if (!now.held) return End::failed;
  }
  return end_step(now, moved);
}

EventIntegrator::End EventIntegrator::make_step(Interval& now, bool& made) {
  State& state = now.state;
  if (many_near(state)) return busy(now, kManyClosed);
  update_directions(motion_, state, length_to_try(state.event_state, model_));
  const EventStep::Made result = step_.make(state, now.limit, now.report);
  if (step_.crawls()) return busy(now, kCrawls);
  switch (result) {
    case EventStep::Made::step:
      made = true;
      return End::reached;
    case EventStep::Made::slips_end: {
      state.event_state.h = 0.0;
      const bool good = respond(now);
      if (++now.at_once > kMostAtOnce) return endless(now);
      return good ? End::reached : End::failed;
    }
    case EventStep::Made::nothing:
      break;
  }
  return End::failed;
}

// Processes the event at the end of a step.
EventIntegrator::End EventIntegrator::end_step(Interval& now, bool moved) {
  EventState& event_state = now.state.event_state;
  const EventOptions& options = model_.options().events;
  End end = End::reached;
  if (event_state.ends_with >= 0) {
    if (!respond(now)) end = End::failed;
    if (now.at_once > kMostAtOnce) end = endless(now);
    if (end == End::reached && static_cast<int>(now.events.size() - now.before) > options.limit)
      end = busy(now, kManyEvents);
  } else {
    if (std::ranges::any_of(event_state.modes, &ContactMode::shared)) {
      motion_.rates_at(now.state);
      motion_.unmark_redundant(event_state.modes);
    }
    step_.end(event_state);
  }
  if (end != End::failed && moved && step_.jumps_at(now.state.t) && !respond(now, true))
    end = End::failed;
  const auto closed = std::ranges::count_if(event_state.modes, [](const ContactMode& mode) {
    return mode.kind != ContactMode::Kind::closed;
  });
  return end == End::reached && closed > options.closed ? busy(now, kManyClosed) : end;
}

// Springs of contacts and joints with a negative gap and no force still store energy, which their
// damping dissipates while they recover. Adds this energy [J] times sign.
void EventIntegrator::add_inactive_energy(double t, State& state, double sign) {
  EventContacts& contacts = motion_.contacts();
  contacts.find(motion_.kinematics().inside(t), state.groups);
  double of_contacts = 0.0, of_joints = 0.0;
  for (std::size_t i = 0; i < contacts.count(); ++i) {
    const ContactLaw& law = contacts.law(i);
    if (law.set_valued() || law.bilateral()) continue;
    if (!find_mode(state.event_state.modes, contacts.key(i)))
      (contacts.contact(i).joint_law >= 0 ? of_joints : of_contacts) +=
          law.stored_energy(contacts.gap(i));
  }
  state.ledger[at(terms_.impact)] += sign * of_contacts;
  if (terms_.joints >= 0) state.ledger[at(terms_.joints)] += sign * of_joints;
}

// Moves the state from its position in the step to theta and adds work and impulses. False: the
// modes are not satisfied there.
bool EventIntegrator::move_to(Interval& now, double theta) {
  State& state = now.state;
  const EventState& event_state = state.event_state;
  const bool ledger = model_.options().ledger, inactive = yields_ && ledger;
  const double from = step_.done(), to = std::min(theta, 1.0);
  if (inactive) add_inactive_energy(event_state.t + from * event_state.length, state, -1.0);
  if (theta >= 1.0) state.t = step_.end_time(event_state);
  const bool held = step_.place(state.t, theta, event_state, state.groups);
  if (const JointAngle* const angle = angles_.follow(motion_.contacts().joints(), event_state.t,
                                                     event_state.start, state.t, state.groups))
    ambiguous_angle_ = angle;
  if (inactive) add_inactive_energy(state.t, state, 1.0);
  if (step_.ode().h > 0.0) {
    const StepBalance& balance = step_.balance();
    const StepIntegral integral = balance.integral(event_state.length, from, to);
    if (ledger) balance.add_work(integral, state.ledger);
    if (balance.with_forces())
      joint_impulses_.add(integral, balance.joint_loads());
    else if (motion_.joints().rows() > 0)
      joint_impulses_.add_path(balance.number(), event_state, step_.ode(), from, to);
    balance.add_impulses(integral, event_state.modes, impulses_);
  }
  step_.set_done(theta);
  return held;
}

// Resolves the end of the step and sets the modes after it. jump: of a prescribed motion, which is
// identified only by its time.
bool EventIntegrator::respond(Interval& now, bool jump) {
  State& state = now.state;
  EventState& event_state = state.event_state;
  std::vector<EventEnding> endings = step_.take_stops();
  if (jump) endings.push_back({EventEnding::Kind::jumps, 0, {}});
  const double time = length_to_try(event_state, model_);
  if (event_state.ends_with >= 0 && !endings_.add(state, time, endings)) {
    step_.end(event_state);  // the modes last
    return true;
  }
  std::vector<ContactMode> modes;
  InstantReport instant;
  const std::size_t before = now.events.size();
  const bool good = response_.resolve({.t = state.t,
                                       .scale = time,
                                       .crowded = event_state.crowd > kCrowd,
                                       .before = event_state.modes,
                                       .endings = endings},
                                      state.groups, modes, now.events, instant);
  record(now, instant, before);
  event_state.modes = modes;
  count_crowded(now, before, jump);
  step_.end(event_state);
  if (!good) now.report.failure = instant.failure;
  return good;
}

void EventIntegrator::record(Interval& now, const InstantReport& instant, std::size_t before) {
  joint_impulses_.add(instant.joints);
  for (const auto& [key, p] : instant.impulses)
    impulses_.try_emplace(key, Vector3::Zero()).first->second += p;
  std::vector<double>& ledger = now.state.ledger;
  if (model_.options().ledger) {
    ledger[at(terms_.impact)] += instant.impact;
    if (terms_.joints >= 0) ledger[at(terms_.joints)] += instant.stops;
    ledger[at(terms_.friction)] += instant.friction;
    ledger[at(terms_.prescribed)] += instant.prescribed;
  }
  if (const auto& pair = instant.tied) {
    order_decided_ = true;
    const EventContacts& contacts = motion_.contacts();
    if (tied_.empty())
      tied_ = contacts.bodies_of((*pair)[0]) + " and " + contacts.bodies_of((*pair)[1]);
  }
  StepReport& report = now.report;
  report.impact += instant.impact + instant.stops;
  report.friction += instant.friction;
  report.iterations += instant.iterations;
  report.residual = worse(report.residual, instant.residual);
  report.events += static_cast<int>(now.events.size() - before);
}

// Counts impacts between which everything moves by less than EventOptions::zeno, and counts down at
// others.
void EventIntegrator::count_crowded(const Interval& now, std::size_t before, bool jump) {
  EventState& event_state = now.state.event_state;
  double closing = 0.0;
  for (std::size_t i = before; i < now.events.size(); ++i)
    if (now.events[i].kind == Event::Kind::impact)
      closing = std::max(closing, -now.events[i].speed);
  if (!(closing > 0.0) || jump) return;
  if (closing * event_state.length < model_.options().events.zeno)
    ++event_state.crowd;
  else if (event_state.crowd > 0)
    --event_state.crowd;
}

// True if more contacts are closed or might close than EventOptions::closed allows.
bool EventIntegrator::many_near(const State& state) {
  EventContacts& contacts = motion_.contacts();
  if (!contacts.detects()) return false;  // listed in the model: their number is known
  contacts.find(state.t, state.groups);
  int count = 0;
  for (std::size_t i = 0; i < contacts.count(); ++i) count += !contacts.law(i).bilateral();
  return count > kClose * model_.options().events.closed;
}

// The scheme entry is the energy error of the integrator.
void EventIntegrator::balance_energy(State& state, const std::vector<double>& ledger,
                                     double start_energy) {
  state.energy = energy_of(model_, state, springs_);
  if (!model_.options().ledger) return;
  double explained = 0.0;
  for (std::size_t i = 0; i < ledger.size(); ++i) explained += state.ledger[i] - ledger[i];
  state.ledger[at(terms_.scheme)] += state.energy.total() - start_energy - explained;
}

// Velocity scale of the terms of rates [m/s], since rates may be only round-off, all of them if
// bodies only slide. 0: the bodies are at rest compared with the velocity that corresponds to the
// energy scale.
double EventIntegrator::speed_in_play(const State& state) {
  const EventContacts& contacts = motion_.contacts();
  const Vector v = motion_.kinematics().velocities(state.groups);
  double speed = motion_.kinematics().fastest(v);
  for (std::size_t i = 0; i < contacts.count() && !state.event_state.modes.empty(); ++i)
    speed = std::max(speed, contacts.row_size(i, 0, v));
  const double most = std::max(std::abs(state.energy_start),
                               state.energy.kinetic + std::abs(state.energy.potential));
  return state.energy.kinetic > kStill * kStill * most ? speed : 0.0;
}

// Gaps, joints and laws at the state.
void EventIntegrator::measure(const State& state, StepReport& report) {
  motion_.go_to(state);
  EventContacts& contacts = motion_.contacts();
  if (contacts.any()) {
    if (state.event_state.modes.empty())  // otherwise go_to() did this
      contacts.find(state.t, motion_.kinematics().groups());
    for (std::size_t i = 0; i < contacts.count(); ++i)
      if (!contacts.law(i).bilateral()) report.gap = std::min(report.gap, contacts.gap(i));
    if (contacts.detects() && report.gap == std::numeric_limits<double>::infinity())
      report.gap = contacts.least_gap(state.t);
    const double speed = speed_in_play(state);
    for (std::size_t k = 0; k < state.event_state.modes.size(); ++k)
      if (motion_.index(k) >= 0 && speed > 0.0 && contacts.law(at(motion_.index(k))).unilateral())
        report.residual_after = worse(report.residual_after, std::abs(motion_.rate(k)[0]) / speed);
  }
  if (motion_.joints().rows() > 0) {
    Vector g;
    report.joint_gap = motion_.joints().gaps(g);
  }
}

int EventIntegrator::undirected(const State& state) {
  if (std::ranges::none_of(model_.laws(),
                           [](const AnyLaw& law) { return law->facts().friction.directed(); }))
    return -1;
  EventContacts& contacts = motion_.contacts();
  motion_.enter_smooth_interval(state.t);
  contacts.find(motion_.kinematics().inside(state.t), state.groups);
  for (const ContactMode& mode : state.event_state.modes)
    if (const int i = contacts.index_of(mode.key); i >= 0 && contacts.contact(at(i)).lost_axis)
      return contacts.contact(at(i)).law;
  return -1;
}

void EventIntegrator::begin_means() {
  impulses_.clear();
  joint_impulses_.begin();
}

void EventIntegrator::store_impulses(std::vector<ContactMemory>& contacts) const {
  contacts.clear();
  for (const auto& [key, p] : impulses_)
    if (!p.isZero(0.0)) contacts.push_back({key, p, Vector3::Zero()});
}

void EventIntegrator::describe(const State& state, std::vector<SeenContact>& contacts) {
  EventContacts& list = motion_.contacts();
  motion_.enter_smooth_interval(state.t);
  list.find_rows(motion_.kinematics().inside(state.t), state.groups);
  for (std::size_t i = 0; i < list.count(); ++i) {
    const std::uint64_t key = list.key(i);
    const auto p = impulses_.find(key);
    // Contacts are detected here with a larger margin than that of the scene.
    if (i >= list.list().named() && p == impulses_.end() && list.gap(i) > model_.surfaces().margin)
      continue;
    SeenContact& seen = contacts.emplace_back();
    list.list().see(i, list.gap(i), seen);
    if (p != impulses_.end()) seen.view.impulse = p->second;
    using Status = ContactView::Status;
    seen.view.status = Status::open;
    if (const ContactMode* const mode = find_mode(state.event_state.modes, key))
      seen.view.status = mode->kind == ContactMode::Kind::sticks   ? Status::sticks
                         : mode->kind == ContactMode::Kind::slides ? Status::slides
                                                                   : Status::closed;
    else if (!seen.view.impulse.isZero(0.0))
      seen.view.status = Status::closed;
  }
}

std::string_view name_of(Event::Kind kind) {
  constexpr std::array<std::string_view, 9> names{
      "impact", "rest", "closes", "opens", "sticks", "slides", "spring", "hand_over", "take_back"};
  return names[static_cast<std::size_t>(kind)];
}

}  // namespace saltus

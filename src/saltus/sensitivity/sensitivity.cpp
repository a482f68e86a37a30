#include "saltus/sensitivity/sensitivity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "saltus/base/error.h"
#include "saltus/event_driven/event_integrator.h"
#include "saltus/sensitivity/sensitivity_walk_internal.h"

namespace saltus {
namespace sensitivity {
namespace {

bool same_structure(const Model& a, const Model& b) {
  if (a.groups().size() != b.groups().size() || a.pairs().size() != b.pairs().size() ||
      a.joints().size() != b.joints().size() || a.joint_laws().size() != b.joint_laws().size())
    return false;
  for (std::size_t g = 0; g < a.groups().size(); ++g)
    if (a.groups()[g].dynamics->velocities() != b.groups()[g].dynamics->velocities() ||
        a.groups()[g].dynamics->positions() != b.groups()[g].dynamics->positions())
      return false;
  for (std::size_t i = 0; i < a.pairs().size(); ++i)
    if (a.pairs()[i].key != b.pairs()[i].key) return false;
  return true;
}

}  // namespace

Walk::Walk(const Model& model, const EventTrace& trace, double end,
           std::span<const SensitivityParameter> parameters, const SensitivityOptions& options)
    : model_(model), parameters_(parameters), options_(options) {
  expects(options.difference > 0.0 && options.difference < 0.1 && options.grazing > 0.0,
          "SensitivityOptions: difference is above 0 and below 0.1, grazing above 0");
  runner_ = std::make_unique<Runner>(model);
  n_ = runner_->motion().size();
  for (const SensitivityParameter& p : parameters) {
    expects((p.w.size() == 0 || p.w.size() == n_) && (p.v.size() == 0 || p.v.size() == n_),
            "a direction of the start has one increment for each velocity of the model");
    expects(p.minus.has_value() == p.plus.has_value(),
            "a parameter of the model comes with two models, minus and plus");
    Pair pair;
    if (p.minus) {
      expects(p.delta > 0.0, "the distance of two models is positive: SensitivityParameter::delta");
      expects(same_structure(model, *p.minus) && same_structure(model, *p.plus),
              "models of a parameter have the groups, contacts and joints of the run");
      pair.minus = std::make_unique<Runner>(*p.minus);
      pair.plus = std::make_unique<Runner>(*p.plus);
    }
    pairs_.push_back(std::move(pair));
  }
  cut(trace, end);
}

// The trace as stretches between starts of steps, up to `end`.
void Walk::cut(const EventTrace& trace, double end) {
  expects(!trace.steps.empty() && trace.steps[0].start.size() == model_.groups().size(),
          "a trace of this model, with its steps");
  start_ = trace.steps[0].start;
  std::size_t event = 0;
  std::ranges::copy_if(trace.events, std::back_inserter(rests_),
                       [](const Event& e) { return e.kind == Event::Kind::rest; });
  // What happens at the start of the run belongs to its start.
  while (event < trace.events.size() && trace.events[event].t <= trace.steps[0].t0)
    at_start_.push_back(trace.events[event++]);
  for (std::size_t k = 0; k < trace.steps.size() && trace.steps[k].t0 < end; ++k) {
    Stretch stretch;
    stretch.step = &trace.steps[k];
    const double t0 = stretch.step->t0;
    const bool last = k + 1 == trace.steps.size() || trace.steps[k + 1].t0 > end;
    const double until = last ? end : trace.steps[k + 1].t0;
    stretch.dt = until - t0;
    expects(stretch.dt <= stretch.step->h * (1.0 + 1e-9), "a trace that reaches the end asked for");
    // A step that an event cut short is no measure of what the motion changes in.
    stretch.e = stretch.step->h;
    if (k > 0) stretch.e = std::max(stretch.e, trace.steps[k - 1].h);
    if (k + 1 < trace.steps.size()) stretch.e = std::max(stretch.e, trace.steps[k + 1].h);
    stretch.e *= 1e-3;
    if (!last) stretch.next = &trace.steps[k + 1];
    for (; !last && event < trace.events.size() && trace.events[event].t <= until; ++event)
      stretch.events.push_back(trace.events[event]);
    stretches_.push_back(std::move(stretch));
  }
  expects(!stretches_.empty(), "derivatives at a time behind the start");
  // Steps of no length hand their events on.
  for (std::size_t k = stretches_.size(); k-- > 1;)
    if (stretches_[k].dt <= 0.0) {
      Stretch& before = stretches_[k - 1];
      before.next = stretches_[k].next;
      before.events.insert(before.events.end(), stretches_[k].events.begin(),
                           stretches_[k].events.end());
      stretches_.erase(stretches_.begin() + static_cast<std::ptrdiff_t>(k));
    }
}

// The run again, for what its steps end with and for the size of what moves in it.
void Walk::measure() {
  Vector most = Vector::Zero(n_);
  const auto first = runner_->motion().contacts().first();
  const auto take = [&](const Groups& groups) {
    for (std::size_t g = 0; g < groups.size(); ++g)
      for (Eigen::Index i = 0; i < groups[g].v.size(); ++i)
        most[first[g] + i] = std::max(most[first[g] + i], std::abs(groups[g].v[i]));
  };
  time_ = 0.0;
  for (Stretch& s : stretches_) {
    runner_->step(s.step->t0, s.dt, s.step->start, s.step->modes, s.e, *make_method(s.step->method),
                  s.end);
    take(s.step->start);
    take(s.end);
    time_ += s.dt / static_cast<double>(stretches_.size());
  }
  const double all = n_ > 0 ? most.maxCoeff() : 0.0;
  for (std::size_t g = 0; g + 1 < first.size(); ++g) {
    if (first[g + 1] == first[g]) continue;
    auto part = most.segment(first[g], first[g + 1] - first[g]);
    const double least = std::max(1e-3 * part.maxCoeff(), 1e-6 * all);
    part = part.cwiseMax(least > 0.0 ? least : 1.0);
  }
  scale_.resize(2 * n_);
  scale_ << time_ * most, most;
  difference_ = std::make_unique<Difference>(model_, scale_, options_.difference);
}

Vector Walk::total(std::size_t j, const Groups& groups, double t, const Direction& s,
                   const Difference::Function& f, double longest) {
  Vector d = difference_->along(*runner_, groups, t, s, f, longest);
  if (pairs_[j].plus)
    d += (f(*pairs_[j].plus, groups, t) - f(*pairs_[j].minus, groups, t)) /
         (2.0 * parameters_[j].delta);
  return d;
}

double Walk::size_of_row(Runner& runner, std::size_t i, int a, const Vector& x) const {
  Vector row = Vector::Zero(n_);
  runner.motion().contacts().add_row(i, a, 1.0, row);
  return row.cwiseAbs().dot(x.cwiseAbs());
}

void Walk::begin() {
  s_.clear();
  for (std::size_t j = 0; j < parameters_.size(); ++j) {
    const SensitivityParameter& p = parameters_[j];
    Direction s{p.w.size() > 0 ? p.w : Vector::Zero(n_), p.v.size() > 0 ? p.v : Vector::Zero(n_)};
    if (p.plus) {
      const auto state = [&](const Model& model) {
        return Groups(model.initial().begin(), model.initial().end());
      };
      const Vector d = (difference_->local(start_, state(*p.plus)) -
                        difference_->local(start_, state(*p.minus))) /
                       (2.0 * p.delta);
      s.w += d.head(n_);
      s.v += d.tail(n_);
    }
    s_.push_back(std::move(s));
  }
}

// A start that leaves what is closed, or the joints, would make a jump: its derivative is one-sided at best.
void Walk::check_start() {
  constexpr double kLeast = 1e-6, kNone = 1e-3;
  const EventTrace::Step& step = *stretches_.front().step;
  std::vector<std::uint64_t> keys;
  std::vector<int> tangents;
  runner_->place(step.t0, start_, step.modes, stretches_.front().e);
  const int joints = runner_->motion().joints().rows();
  for (const ContactMode& mode : step.modes) {
    const std::size_t i = runner_->find(mode.key);
    const ContactLaw& law = runner_->motion().contacts().law(i);
    if (law.held_rows(0, mode.kind == ContactMode::Kind::sticks) == 0) continue;
    keys.push_back(mode.key);
    tangents.push_back(mode.kind == ContactMode::Kind::sticks
                           ? runner_->motion().contacts().contact(i).tangents
                           : 0);
  }
  if (keys.empty() && joints == 0) return;
  // Of every row its gap (normals of unilateral contacts, joints) and its rate.
  const auto f = [&](Runner& r, const Groups& groups, double t) {
    r.place(t, groups, step.modes, 1.0);
    std::vector<double> x;
    for (std::size_t k = 0; k < keys.size(); ++k) {
      const std::size_t i = r.find(keys[k]);
      const bool unilateral = r.motion().contacts().law(i).unilateral();
      x.push_back(unilateral ? r.motion().contacts().gap(i) : 0.0);
      for (int a = 0; a <= tangents[k]; ++a) x.push_back(r.motion().contacts().rate(i, a));
    }
    Vector all = Eigen::Map<Vector>(x.data(), static_cast<Eigen::Index>(x.size()));
    if (joints > 0) {
      Matrix G;
      Vector rate, gap;
      r.motion().joints().dense(G, rate);
      r.motion().joints().gaps(gap);
      Vector more(all.size() + 2 * joints);
      more << all, gap, rate;
      all = more;
    }
    return all;
  };
  // Sizes of the same rows, of directions that change them at all.
  for (std::size_t j = 0; j < s_.size(); ++j) {
    const Vector d = total(j, start_, step.t0, s_[j], f);
    runner_->place(step.t0, start_, step.modes, 1.0);
    double model_share = 0.0;
    if (pairs_[j].plus) {
      const Vector p =
          (f(*pairs_[j].plus, start_, step.t0) - f(*pairs_[j].minus, start_, step.t0)) /
          (2.0 * parameters_[j].delta);
      model_share = p.size() > 0 ? p.cwiseAbs().maxCoeff() : 0.0;
    }
    const Vector reach = s_[j].w.cwiseAbs() + time_ * s_[j].v.cwiseAbs();
    const auto refuse = [&](const std::string& what) {
      throw Refusal{fmt::format("'{}' moves the start off {}: the derivative is one-sided at best",
                                parameters_[j].name, what)};
    };
    Eigen::Index row = 0;
    for (std::size_t k = 0; k < keys.size(); ++k) {
      const std::size_t i = runner_->find(keys[k]);
      for (int a = -1; a <= tangents[k]; ++a, ++row) {
        const double size = size_of_row(*runner_, i, std::max(a, 0), reach) + model_share;
        if (std::abs(d[row]) * (a < 0 ? 1.0 : time_) > kLeast * size)
          refuse(fmt::format("contact {}, which is closed there", keys[k]));
      }
    }
    if (joints == 0) continue;
    Matrix G;
    Vector rate;
    runner_->motion().joints().dense(G, rate);
    const Vector sizes = G.cwiseAbs() * reach;
    for (int i = 0; i < joints; ++i) {
      // of a row that nothing moves, round-off of the others is all there is
      const double size = std::max(sizes[i], kNone * sizes.maxCoeff()) + model_share;
      if (std::abs(d[row + i]) > kLeast * size ||
          std::abs(d[row + joints + i]) * time_ > kLeast * size)
        refuse("the joints");
    }
  }
}

std::string Walk::contact_name(std::uint64_t key) {
  return fmt::format("contact {} ({})", key, runner_->motion().contacts().bodies_of(key));
}

// Where a contact of the start is on a limit of its law, a parameter that is a little lower gives it another mode than one that is
// a little higher: the derivative is one-sided at best. And a slip that begins there follows the acceleration: where that turns,
// differences of steps, which begin with the direction of the run, do not.
void Walk::check_limits() {
  constexpr double kTurned = 1e-8, kRest = 1e-9;
  for (const Event& event : at_start_)
    if (event.kind == Event::Kind::impact) {
      runner_->place(event.t, start_, {}, 1.0);
      throw Refusal{
          fmt::format("{} closes with {:.3g} m/s where the run starts, and an impact there is not "
                      "differentiated: start the run a little before it, or behind it",
                      contact_name(event.key), -event.speed)};
    }
  const EventTrace::Step& step = *stretches_.front().step;
  if (!runner_->motion().contacts().any()) return;
  const Runner::Begin run = runner_->begin(step.t0, start_, step.modes, time_);
  if (!run.known) return;
  std::vector<std::uint64_t> resting;  // slips that begin
  runner_->place(step.t0, start_, run.modes, 1.0);
  for (const ContactMode& mode : run.modes) {
    if (mode.kind != ContactMode::Kind::slides) continue;
    const std::size_t i = runner_->find(mode.key);
    const EventContacts& contacts = runner_->motion().contacts();
    double slip = 0.0, size = 0.0;
    for (int a = 1; a <= contacts.contact(i).tangents; ++a) {
      slip = std::max(slip, std::abs(contacts.rate(i, a)));
      size = std::max(size, size_of_row(*runner_, i, a, scale_.tail(n_)));
    }
    if (slip <= kRest * size) resting.push_back(mode.key);
  }
  for (std::size_t j = 0; j < s_.size(); ++j) {
    const auto refuse = [&](std::uint64_t key, const char* what) {
      runner_->place(step.t0, start_, {}, 1.0);
      throw Refusal{fmt::format(
          "at the start {} is on a limit of its law, and '{}' {}: the derivative is one-sided at "
          "best; start the run off that limit",
          contact_name(key), parameters_[j].name, what)};
    };
    double most = 0.0;
    for (Eigen::Index i = 0; i < n_; ++i)
      most =
          std::max({most, std::abs(s_[j].w[i]) / scale_[i], std::abs(s_[j].v[i]) / scale_[n_ + i]});
    for (const double sign : {-1.0, 1.0}) {
      double x = parameters_[j].delta;
      if (!pairs_[j].plus) {
        if (most == 0.0) break;
        x = options_.difference / most;
      }
      Runner& runner = !pairs_[j].plus ? *runner_ : sign > 0.0 ? *pairs_[j].plus : *pairs_[j].minus;
      Groups moved;
      difference_->move(start_, s_[j], sign * x, moved);
      const Runner::Begin other = runner.begin(step.t0, moved, step.modes, time_);
      if (!other.struck.empty()) refuse(other.struck.front(), "makes it close with speed");
      const auto mode_in = [](const Runner::Begin& begin, std::uint64_t key) {
        const auto mode = std::ranges::find(begin.modes, key, &ContactMode::key);
        return mode != begin.modes.end() ? &*mode : nullptr;
      };
      for (const ContactMode& mode : other.modes)
        if (!mode_in(run, mode.key)) refuse(mode.key, "decides whether it stays closed");
      for (const ContactMode& mode : run.modes) {
        const ContactMode* const then = mode_in(other, mode.key);
        if (!then) refuse(mode.key, "decides whether it stays closed");
        if (then->kind != mode.kind) refuse(mode.key, "decides whether it sticks or slides");
        if (mode.kind != ContactMode::Kind::slides) continue;
        const double turn = std::hypot(then->direction[0] - mode.direction[0],
                                       then->direction[1] - mode.direction[1]);
        if (turn > kTurned && std::ranges::find(resting, mode.key) != resting.end())
          refuse(mode.key, "turns the direction in which it begins to slide");
      }
    }
  }
}

// Differences turn no slip round that is short beside the others, as those are that have just begun.
double Walk::longest(const Stretch& stretch, const Direction& s) {
  constexpr double kPart = 0.02;
  double most = std::numeric_limits<double>::infinity();
  const EventTrace::Step& step = *stretch.step;
  if (std::ranges::none_of(step.modes, [](const ContactMode& mode) {
        return mode.kind == ContactMode::Kind::slides;
      }))
    return most;
  runner_->place(step.t0, step.start, step.modes, stretch.e);
  const EventContacts& contacts = runner_->motion().contacts();
  for (const ContactMode& mode : step.modes) {
    if (mode.kind != ContactMode::Kind::slides) continue;
    const std::size_t i = runner_->find(mode.key);
    double slip = 0.0, change = 0.0;
    for (int a = 1; a <= contacts.contact(i).tangents; ++a) {
      slip = std::hypot(slip, contacts.rate(i, a));
      change = std::max(change, contacts.row_size(i, a, s.v));
    }
    if (slip > 0.0 && change > 0.0) most = std::min(most, kPart * slip / change);
  }
  return most;
}

void Walk::follow(const Stretch& stretch) {
  const EventTrace::Step& step = *stretch.step;
  const auto method = make_method(step.method);
  const auto f = [&](Runner& r, const Groups& groups, double t) {
    Groups end;
    r.step(t, stretch.dt, groups, step.modes, stretch.e, *method, end);
    return difference_->local(stretch.end, end);
  };
  for (std::size_t j = 0; j < s_.size(); ++j) {
    const Vector d = total(j, step.start, step.t0, s_[j], f, longest(stretch, s_[j]));
    s_[j].w = d.head(n_);
    s_[j].v = d.tail(n_);
  }
}

void Walk::go(Sensitivity& result) {
  try {
    measure();
    begin();
    look_for_misses();
    check_start();
    check_limits();
    const std::vector<double> jumps = model_.breaks().jumps;
    const auto refuse_jump = [&] {
      const double off = Breaks::kSameInstant * result.t;
      const auto next = std::ranges::lower_bound(jumps, result.t - off);
      if (next != jumps.end() && *next <= result.t + off && result.t > 0.0)
        throw Refusal{
            fmt::format("the rate of a drive or support jumps at t = {:.10g} s, an "
                        "impact that is not differentiated",
                        result.t)};
    };
    for (const Stretch& stretch : stretches_) {
      result.t = stretch.step->t0;
      refuse_jump();
      if (stretch.miss) throw *stretch.miss;
      follow(stretch);
      result.t = stretch.step->t0 + stretch.dt;
      expect_no_rest(stretch);
      if (stretch.next)
        pass(stretch, result);
      else
        refuse_jump();
      for (std::size_t j = 0; j < s_.size(); ++j)
        if (!s_[j].w.allFinite() || !s_[j].v.allFinite())
          throw Refusal{fmt::format("it is not finite at t = {:.10g} s", result.t)};
    }
  } catch (const Refusal& refusal) {
    result.validity = Sensitivity::Validity::none;
    result.reason = refusal.reason;
    return;
  }
  result.end = stretches_.back().next ? stretches_.back().next->start : stretches_.back().end;
  result.state.resize(2 * n_, static_cast<Eigen::Index>(s_.size()));
  for (std::size_t j = 0; j < s_.size(); ++j)
    result.state.col(static_cast<Eigen::Index>(j)) << s_[j].w, s_[j].v;
}

}  // namespace sensitivity

SensitivityParameter start_parameter(const Model& model, int group, int i, bool velocity) {
  expects(group >= 0 && group < std::ssize(model.groups()), "a group of the model");
  Eigen::Index n = 0, at = 0;
  for (int g = 0; g < std::ssize(model.groups()); ++g) {
    if (g == group) at = n;
    n += model.groups()[static_cast<std::size_t>(g)].dynamics->velocities();
  }
  const Group& of = model.groups()[static_cast<std::size_t>(group)];
  expects(i >= 0 && i < of.dynamics->velocities(), "a velocity of the group");
  SensitivityParameter p;
  p.name = fmt::format("{}[{}] of '{}'", velocity ? "velocity" : "position", i, of.name);
  Vector& d = velocity ? p.v : p.w;
  d = Vector::Unit(n, at + i);
  return p;
}

std::string_view name_of(Sensitivity::Validity validity) {
  using enum Sensitivity::Validity;
  return validity == smooth ? "smooth" : validity == saltation ? "saltation" : "none";
}

Sensitivity sensitivities(const Model& model, const EventTrace& trace, double end,
                          std::span<const SensitivityParameter> parameters,
                          const SensitivityOptions& options) {
  Sensitivity result;
  result.t = end;
  sensitivity::Walk(model, trace, end, parameters, options).go(result);
  return result;
}

Sensitivity sensitivities(const Model& model, std::span<const SensitivityParameter> parameters,
                          const SensitivityOptions& options) {
  expects(model.options().lane == TimeMode::events && model.options().end > 0.0,
          "sensitivities are of runs of the event lane with an end (time.lane: events)");
  EventTrace trace;
  EventIntegrator lane(model);
  lane.trace(&trace);
  State state = initial_state(model);
  const double h = model.options().h > 0.0 ? model.options().h : model.options().end;
  Sensitivity none;
  none.validity = Sensitivity::Validity::none;
  while (state.t < model.options().end) {
    StepReport report;
    std::vector<Event> events;
    ++state.step;
    const double until = std::min(static_cast<double>(state.step) * h, model.options().end);
    lane.begin_means();
    const EventIntegrator::End end = lane.advance(state, until, report, events);
    none.t = state.t;
    if (end == EventIntegrator::End::failed)
      none.reason =
          fmt::format("the run fails at t = {:.10g} s: {}", state.t,
                      report.failure.empty() ? "its numbers are not finite" : report.failure);
    if (end == EventIntegrator::End::busy)
      none.reason = fmt::format(
          "more events than events.limit, or contacts closed than events.closed, at t = {:.10g} s: "
          "the "
          "schemes would step from here on, and what they do to events is not known",
          state.t);
    if (end != EventIntegrator::End::reached) return none;
  }
  return sensitivities(model, trace, model.options().end, parameters, options);
}

}  // namespace saltus

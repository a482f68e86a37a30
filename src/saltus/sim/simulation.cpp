#include "saltus/sim/simulation.h"

#include <tbb/global_control.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "saltus/base/error.h"
#include "saltus/base/stop.h"
#include "saltus/math/flush_denormals.h"
#include "saltus/sim/simulation_internal.h"

namespace saltus {

Simulation::Drivers::Drivers(Model model, State state)
    : steps(std::move(model), std::move(state)), probes(steps.model(), steps.joints()) {
  const StepOptions& options = steps.model().options();
  if (options.mode == TimeMode::events) events = std::make_unique<EventDriver>(steps, parts);
  if (options.mode == TimeMode::statics) statics = std::make_unique<StaticDriver>(steps);
  if (options.controlled()) adaptive = std::make_unique<AdaptiveDriver>(steps);
}

void Simulation::Drivers::cover(double h, double t1, StepReport& report) {
  if (events)
    events->advance(t1, report);
  else if (statics)
    statics->advance(h, t1, report);
  else if (adaptive)
    adaptive->advance(h, t1, report);
  else
    parts.advance(h, t1, report);
}

void Simulation::Drivers::put_back(const State& before) {
  steps.put_back(before);
  if (before.event_state.active) events->integrator().reset();
}

void Simulation::Drivers::recover(const State* before) {
  steps.recover(before);
  if (before && before->event_state.active) events->integrator().reset();
}

/// Of probes of accelerations, at the start of an interval.
void Simulation::Drivers::measure_velocities() {
  const auto all = steps.model().probes();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].quantity != Probe::Quantity::acceleration) continue;
    velocities.resize(all.size(), 0.0);
    velocities[i] = velocity_of(i);
  }
  pushes.clear();
  for (const Probe& probe : all)
    for (const Probe::Held& held : probe.held)
      for (std::size_t k = 0; k < steps.model().joint_laws().size(); ++k) {
        const JointLaw& law = steps.model().joint_laws()[k];
        if (law.joint == held.joint) pushes.push_back({k, probes.push(law, steps.state())});
      }
  interval_start = steps.state().t;
}

/// Mean over the last interval of ProbeValues::push() of a law.
Vector3 Simulation::Drivers::push(std::size_t law) {
  const Vector3 now = probes.push(steps.model().joint_laws()[law], steps.state());
  const auto before = std::ranges::find(pushes, law, &std::pair<std::size_t, Vector3>::first);
  return before == pushes.end() ? now : Vector3(0.5 * (before->second + now));
}

double Simulation::Drivers::velocity_of(std::size_t probe) {
  return probes.value(steps.model().probes()[probe], Probe::Quantity::velocity, steps.state(),
                      steps.prepared(), steps.reactions().values());
}

double Simulation::Drivers::acceleration(std::size_t probe) {
  const double h = steps.state().t - interval_start;
  return h > 0.0 && probe < velocities.size() ? (velocity_of(probe) - velocities[probe]) / h : 0.0;
}

StepReport Simulation::Drivers::interval(double h) {
  ++intervals;
  const FlushDenormals flush;
  expects(steps.usable(),
          "an exception left this simulation between two steps; create another one from its model");
  State& state = steps.state();
  const StepOptions& options = steps.model().options();
  // Steps of equal length end at t = k h, so that round-off does not accumulate. A step of another
  // length starts from the present time.
  const double on_grid = static_cast<double>(state.step + 1) * h;
  const bool regular = h == options.h && std::abs(on_grid - (state.t + h)) <= 1e-6 * h;
  const double t1 = regular ? on_grid : state.t + h;
  // The hand-over to another step length changes memories: this must be undone if the step fails.
  std::optional<State> before;
  if (steps.stop()) steps.store_solvers();
  if ((h != state.h && !adaptive) ||
      (events && (state.event_state.active || state.event_state.stepping == 0)))
    before = state;
  if (!applied.empty()) use_applied();
  hold_servos();
  measure_velocities();
  StepReport report;
  try {
    cover(h, t1, report);
  } catch (...) {
    recover(adaptive ? &adaptive->before() : before ? &*before : nullptr);
    if (steps.stop()) steps.restore_solvers();
    steps.notices().discard();
    throw;
  }
  const bool kept = (report.converged && report.finite) ||
                    (options.on_failure == OnFailure::accept && report.finite);
  if (kept) {
    ++state.step;
    steps.notices().commit(state.t);
  } else {
    if (before) put_back(*before);
    if (is_stop(report.failure)) steps.restore_solvers();
    steps.notices().discard();
  }
  return report;
}

Simulation::Simulation(Model model) {
  const Model plain = model.without_applied_forces();
  drivers_ = std::make_unique<Drivers>(plain, initial_state(plain));
}
Simulation::Simulation(Model model, State state)
    : drivers_(Drivers::of(model, std::move(state), false)) {}
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation::~Simulation() = default;

const Model& Simulation::model() const { return drivers_->steps.model(); }
const State& Simulation::state() const { return drivers_->steps.state(); }

const GroupState& Simulation::hold(int group) {
  const auto g = static_cast<std::size_t>(group);
  expects(g < model().groups().size(), "no such group");
  drivers_->steps.pin(g);
  return state().groups[g];
}

StepReport Simulation::advance() { return advance(model().options().h); }

StepReport Simulation::advance(double h) {
  obey_applied();
  if (!drivers_->arena) return drivers_->interval(h);
  return drivers_->arena->execute([&] { return drivers_->interval(h); });
}

void Simulation::use_threads(int count) {
  expects(count >= 0, "give a number of threads, or 0 for those of the caller");
  const auto most = static_cast<int>(
      tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism));
  drivers_->arena = count > 0 ? std::make_unique<tbb::task_arena>(std::min(count, most)) : nullptr;
}

void Simulation::trace(EventTrace* trace) {
  expects(drivers_->events != nullptr,
          "only event-driven integration has a trace: time.mode is stepping");
  drivers_->events->integrator().trace(trace);
}

void Simulation::stop_by(Stop* stop) {
  drivers_->steps.stop_by(stop);
  if (drivers_->events) drivers_->events->integrator().stop_by(stop);
}

void Simulation::observe(ContactObserver* observer) { drivers_->steps.observe(observer); }

void Simulation::velocity(int group, Out v) const {
  const auto g = static_cast<std::size_t>(group);
  expects(g < model().groups().size(), "no such group");
  const Group& at = model().groups()[g];
  if (state().event_state.active) {
    v = state().groups[g].v;
    return;
  }
  at.scheme->velocity(*at.dynamics, drivers_->steps.prepared()[g].get(), state().t, state().h,
                      state().groups[g], v);
}

const Vector& Simulation::reactions(int group) const {
  const auto g = static_cast<std::size_t>(group);
  expects(g < model().groups().size(), "no such group");
  return drivers_->steps.reactions().values()[g];
}

std::array<Vector3, 2> Simulation::joint_load(int joint) const {
  const auto i = static_cast<std::size_t>(joint);
  expects(i < model().joints().size(), "no such joint");
  if (state().event_state.active) {
    const FlushDenormals flush;  // as in advance(): reading the load changes nothing
    auto load = drivers_->events->integrator().joint_impulse(joint);
    const double h = drivers_->measured();
    for (Vector3& part : load) part = h > 0.0 ? Vector3(part / h) : Vector3::Zero();
    return load;
  }
  const IntervalForces* const mean = drivers_->interval_forces();
  return mean ? mean->loads()[i] : drivers_->steps.joint_load(i);
}

void Simulation::joint_coordinates(std::vector<double>& values, std::vector<double>& rates) const {
  drivers_->probes.joint_coordinates(state(), drivers_->steps.prepared(), values, rates);
}

std::array<double, 2> Simulation::joint_coordinate(int joint, int coordinate) const {
  const auto i = static_cast<std::size_t>(joint);
  expects(i < model().joints().size() && coordinate >= 0 &&
              coordinate < coordinate_count(model().joints()[i].kind),
          "no such coordinate of a joint");
  return drivers_->probes.joint_coordinate(joint, coordinate, state(), drivers_->steps.prepared());
}

void Simulation::Drivers::find_contacts(double most, std::vector<SeenContact>& seen,
                                        std::vector<ContactView>& placed) {
  const State& state = steps.state();
  seen.clear();
  if (steps.contacts_known() && state.event_state.active)
    events->integrator().describe(state, seen);
  else if (steps.contacts_known())
    for (const auto& island : steps.islands())
      if (island) island->see(steps.model(), most, seen);
  place_contacts(steps.model(), state.t, measured() > 0.0 ? measured() : state.h, state.groups,
                 seen, placed);
}

void Simulation::Drivers::find_forces() {
  if (force_interval != intervals) find_contacts(0.0, force_contacts, force_views);
  force_interval = intervals;
}

std::span<const ContactView> Simulation::contacts(double most) const {
  drivers_->find_contacts(most, drivers_->contacts, drivers_->views);
  return drivers_->views;
}

Vector3 Simulation::contact_force(const Probe& probe) const {
  const auto is = [](const ContactView::Side& side, const ContactBody& body) {
    return side.group == body.group &&
           (side.body == body.body || (body.group < 0 && body.body < 0));
  };
  Vector3 sum = Vector3::Zero();
  const auto add = [&](const auto& contacts) {
    for (const auto& c : contacts) {
      if (is(c.a, probe.body) && (probe.from_any || is(c.b, probe.from))) sum += c.force;
      if (is(c.b, probe.body) && (probe.from_any || is(c.a, probe.from))) sum -= c.force;
    }
  };
  Drivers& w = *drivers_;
  if (const IntervalForces* const mean = w.interval_forces()) {
    add(mean->contacts());
    return sum;
  }
  w.find_forces();  // in vectors of its own: the result of contacts() stays valid
  add(w.force_views);
  return sum;
}

// Contacts, joints and their laws push the body, the support pushes back.
Vector3 Simulation::support(const Probe& probe) const {
  Vector3 sum = contact_force(probe);
  for (const Probe::Held& held : probe.held) {
    Vector3 on_b = joint_load(held.joint)[0];
    const auto laws = model().joint_laws();
    for (std::size_t k = 0; k < laws.size(); ++k)
      if (laws[k].joint == held.joint)
        if (const double force = law_force(laws[k]); force != 0.0)
          on_b += force * drivers_->push(k);
    sum += held.sign * on_b;
  }
  return -sum;
}

std::span<const SeenContact> Simulation::seen_contacts() const { return drivers_->contacts; }

std::span<const Event> Simulation::events() const {
  return drivers_->events ? std::span<const Event>(drivers_->events->events())
                          : std::span<const Event>();
}

std::vector<Notice> Simulation::notices() const { return drivers_->steps.notices().all(); }

double Simulation::probe(int index) const {
  expects(index >= 0 && static_cast<std::size_t>(index) < model().probes().size(), "no such probe");
  using Quantity = Probe::Quantity;
  const Probe& probe = model().probes()[static_cast<std::size_t>(index)];
  const auto part = [&](const Vector3& x) {
    return probe.direction.isZero(0.0) ? x.norm() : probe.direction.dot(x);
  };
  if (probe.quantity == Quantity::contact_force) return part(contact_force(probe));
  if (probe.quantity == Quantity::support) return part(support(probe));
  if (probe.quantity == Quantity::joint_effort || probe.quantity == Quantity::joint_power) {
    double effort = 0.0;
    for (const JointLaw& law : model().joint_laws())
      if (law.actuator >= 0 && law.joint == probe.joint && law.coordinate == probe.coordinate)
        effort += actuator_force(law.actuator);
    return probe.quantity == Quantity::joint_effort
               ? effort
               : effort * joint_coordinate(probe.joint, probe.coordinate)[1];
  }
  if (probe.quantity == Quantity::acceleration)
    return drivers_->acceleration(static_cast<std::size_t>(index));
  if (probe.quantity == Quantity::joint_force || probe.quantity == Quantity::joint_torque)
    return part(joint_load(probe.joint)[probe.quantity == Quantity::joint_torque ? 1 : 0]);
  return drivers_->probes.value(probe, state(), drivers_->steps.prepared(),
                                drivers_->steps.reactions().values());
}

}  // namespace saltus

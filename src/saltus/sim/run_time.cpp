// What a program may change between two steps: set-points of actuators, applied forces, positions
// and velocities.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "saltus/assembly/joint_angles.h"
#include "saltus/base/error.h"
#include "saltus/dynamics/applied_forces.h"
#include "saltus/sim/simulation_internal.h"

namespace saltus {
namespace {

using List = AppliedForces::List;

/// The ledger of a state in the accounts of another form of its model; those it lacks are 0.
void fit_ledger(State& state, const Model& from, const Model& to) {
  std::vector<double> fitted(to.accounts().size(), 0.0);
  for (std::size_t i = 0; i < from.accounts().size(); ++i) {
    const auto at = std::ranges::find(to.accounts(), from.accounts()[i]);
    fitted[static_cast<std::size_t>(at - to.accounts().begin())] = state.ledger[i];
  }
  state.ledger = std::move(fitted);
}

/// Throws UsageError if a joint is open in these configurations.
void expect_closed(const Model& model, JointSystem& joints, double t,
                   std::span<const GroupState> groups) {
  constexpr double kClosed = 1e-8;  // of the largest coordinate [m], or [rad]
  if (joints.empty()) return;
  Vector gap(joints.rows());
  joints.gaps(
      t, [&](int g) -> const Vector& { return groups[static_cast<std::size_t>(g)].q; }, gap);
  double extent = 1.0;
  for (const GroupState& group : groups)
    if (group.q.size() > 0) extent = std::max(extent, group.q.cwiseAbs().maxCoeff());
  for (std::size_t i = 0; i < model.joints().size(); ++i) {
    const auto [first, count] = joints.rows_of(static_cast<int>(i));
    const double open = count > 0 ? gap.segment(first, count).cwiseAbs().maxCoeff() : 0.0;
    expects(open <= kClosed * extent,
            fmt::format("joint '{}' would be open by {:g}: place all bodies of the mechanism in "
                        "one call",
                        model.joints()[i].name, open));
  }
}

}  // namespace

void Simulation::Drivers::restart() {
  if (steps.state().event_state.active) events->integrator().restart(steps.state());
}

void Simulation::Drivers::set(int actuator, const SetPoint& values) {
  const Model& model = steps.model();
  const ActuatorPlace& place = model.actuator_places()[static_cast<std::size_t>(actuator)];
  State& state = steps.state();
  const auto g = static_cast<std::size_t>(place.group);
  std::vector<double>& points = state.groups[g].set_points;
  if (points.empty()) points.assign(model.set_point_counts()[g], SetPoint::kNone);
  const std::array<double, SetPoint::kSize> now{values.target, values.velocity, values.effort};
  const auto at = points.begin() + place.slot;
  const auto same = [](double a, double b) { return a == b || (a != a && b != b); };
  if (std::ranges::equal(now, std::span(at, now.size()), same)) return;
  std::ranges::copy(now, at);
  restart();
}

// The forces of held servos at the start of an interval,
//     T = clip(stiffness (target - c) + damping (rate of the target - c'), bound)
void Simulation::Drivers::hold_servos() {
  const Model& model = steps.model();
  if (std::ranges::none_of(model.actuators(), &Actuator::held)) return;
  const State& state = steps.state();
  probes.joint_coordinates(state, steps.prepared(), joint_values, joint_rates);
  if (first_coordinate.empty()) {
    first_coordinate.push_back(0);
    for (const Joint& joint : model.joints())
      first_coordinate.push_back(first_coordinate.back() +
                                 static_cast<std::size_t>(independent_count(joint.kind)));
  }
  for (const JointLaw& law : model.joint_laws()) {
    if (law.actuator < 0) continue;
    const auto i = static_cast<std::size_t>(law.actuator);
    const Actuator& servo = model.actuators()[i];
    if (!servo.held) continue;
    const ActuatorPlace& place = model.actuator_places()[i];
    const auto g = static_cast<std::size_t>(place.group);
    DrivenActuator now{&servo, SetPoint::of(state.groups[g].set_points, place)};
    const std::size_t c = first_coordinate[static_cast<std::size_t>(law.joint)] +
                          static_cast<std::size_t>(law.coordinate);
    now.set.effort = std::clamp(servo.stiffness * (now.target(state.t) - joint_values[c]) +
                                    servo.damping * (now.velocity(state.t) - joint_rates[c]),
                                -servo.bound, servo.bound);
    set(law.actuator, now.set);
  }
}

void Simulation::Drivers::use_applied() {
  const State& state = steps.state();
  for (std::size_t g = 0; g < applied.size(); ++g) *applied[g] = state.groups[g].applied;
}

// A state with applied forces, or one that had some, needs a model that obeys them: its ledger has
// their account.
std::unique_ptr<Simulation::Drivers> Simulation::Drivers::of(const Model& model, State state,
                                                             bool obeys_applied) {
  const Model plain = model.without_applied_forces();
  const bool own = state.ledger.size() == plain.accounts().size();
  if (own && !obeys_applied && std::ranges::all_of(state.groups, [](const GroupState& group) {
        return group.applied.empty();
      }))
    return std::make_unique<Drivers>(plain, std::move(state));
  std::vector<std::shared_ptr<std::vector<AppliedForce>>> lists;
  for (std::size_t g = 0; g < plain.groups().size(); ++g)
    lists.push_back(std::make_shared<std::vector<AppliedForce>>());
  Model obeying = plain.with_applied_forces({lists.begin(), lists.end()});
  if (own) fit_ledger(state, plain, obeying);
  auto made = std::make_unique<Drivers>(std::move(obeying), std::move(state));
  made->applied = std::move(lists);
  made->use_applied();
  return made;
}

void Simulation::adopt(std::unique_ptr<Drivers> made, bool keep_notices) {
  made->steps.take_over(drivers_->steps, keep_notices);
  made->arena = std::move(drivers_->arena);
  if (made->events) {
    made->events->integrator().stop_by(made->steps.stop());
    made->events->integrator().trace(drivers_->events->integrator().trace());
  }
  drivers_ = std::move(made);
}

// The first step with applied forces: until then the last step can still be measured.
void Simulation::obey_applied() {
  if (!drivers_->applied.empty()) return;
  if (std::ranges::all_of(state().groups,
                          [](const GroupState& group) { return group.applied.empty(); }))
    return;
  adopt(Drivers::of(Model(model()), std::move(drivers_->steps.state()), true), true);
}

void Simulation::expect_set(int actuator, const SetPoint& values) const {
  expects(actuator >= 0 && actuator < std::ssize(model().actuators()), "no such actuator");
  const Actuator& at = model().actuators()[static_cast<std::size_t>(actuator)];
  using enum Actuator::Kind;
  const auto check = [&](double value, bool used, std::string_view what) {
    if (!SetPoint::given(value)) return;
    const auto name = [&] {
      return std::ranges::find(model().joint_laws(), actuator, &JointLaw::actuator)->name;
    };
    if (!used)
      expects(false,
              fmt::format("'{}' has no {}: leave it out, or give NaN in an array", name(), what));
    if (!std::isfinite(value))
      expects(false, fmt::format("the {} of '{}' is not finite", what, name()));
  };
  check(values.target, at.kind == servo, "target");
  check(values.velocity, at.kind != effort, "velocity");
  check(values.effort, at.kind == effort, "given torque or force");
}

void Simulation::set(int actuator, const SetPoint& values) {
  expect_set(actuator, values);
  drivers_->set(actuator, values);
}

void Simulation::expect_set_all(std::span<const SetPoint> values) const {
  expects(values.size() == model().actuators().size(), "give one set-point for each actuator");
  for (int i = 0; i < std::ssize(values); ++i) expect_set(i, values[static_cast<std::size_t>(i)]);
}

void Simulation::set_all(std::span<const SetPoint> values) {
  expect_set_all(values);
  for (int i = 0; i < std::ssize(values); ++i)
    drivers_->set(i, values[static_cast<std::size_t>(i)]);
}

SetPoint Simulation::set_point(int actuator) const {
  expects(actuator >= 0 && actuator < std::ssize(model().actuators()), "no such actuator");
  const ActuatorPlace& place = model().actuator_places()[static_cast<std::size_t>(actuator)];
  SetPoint found =
      SetPoint::of(state().groups[static_cast<std::size_t>(place.group)].set_points, place);
  if (model().actuators()[static_cast<std::size_t>(actuator)].kind != Actuator::Kind::effort)
    found.effort = SetPoint::kNone;  // of a held servo
  return found;
}

double Simulation::actuator_force(int actuator) const {
  expects(actuator >= 0 && actuator < std::ssize(model().actuators()), "no such actuator");
  return law_force(*std::ranges::find(model().joint_laws(), actuator, &JointLaw::actuator));
}

/// Force [N] or torque [N m] of a law along its coordinate, mean over the last interval.
double Simulation::law_force(const JointLaw& law) const {
  const double h = drivers_->measured();
  if (!(h > 0.0)) return 0.0;
  if (const IntervalForces* const mean = drivers_->interval_forces())
    return law.sign * mean->law(law.key);
  drivers_->find_forces();
  const std::vector<ContactView>& views = drivers_->force_views;
  const auto view = std::ranges::lower_bound(views, law.key, {}, &ContactView::key);
  return view != views.end() && view->key == law.key ? law.sign * view->impulse[0] / h : 0.0;
}

void Simulation::apply(int group, int body, std::span<const AppliedForce> forces) {
  const auto g = static_cast<std::size_t>(group);
  expects(group >= 0 && g < model().groups().size(), "no such group");
  const Group at = model().groups()[g];
  expects(body >= 0 && body < at.dynamics->bodies(), "no such body");
  expects(at.dynamics->velocities() > 0, "forces cannot move this body: it is fixed or driven");
  expects(takes_forces(at), "forces can be applied to rigid bodies and particles");
  for (const AppliedForce& one : forces) {
    expects(one.at.body == body, "a force is given for another body");
    expects(one.at.local.allFinite() && one.force.allFinite() && one.torque.allFinite(),
            "a force and its place must be finite");
    expects(one.torque.isZero(0.0) || has(at.dynamics->traits(), Trait::rigid),
            "a torque acts on rigid bodies only");
  }
  expects(!model().options().joints_in_stages,
          "forces cannot be applied to bodies whose joints act inside stages: give joint: "
          "{in_stages: false}");
  Vector v(at.dynamics->velocities());
  velocity(group, v);
  State& state = drivers_->steps.state();
  std::vector<AppliedForce>& all = state.groups[g].applied;
  const auto of_body =
      std::ranges::equal_range(all, body, {}, [](const AppliedForce& one) { return one.at.body; });
  const auto place = all.erase(of_body.begin(), of_body.end());
  all.insert(place, forces.begin(), forces.end());
  if (drivers_->applied.empty())  // the model obeys them from the next step on: obey_applied()
    return drivers_->start_again(g, v,
                                 AppliedForces(at.dynamics, std::make_shared<const List>(all)));
  *drivers_->applied[g] = all;
  drivers_->start_again(g, v, *model().groups()[g].dynamics);
}

Model Simulation::acting_model() const {
  const auto none = [](const GroupState& group) { return group.applied.empty(); };
  if (!drivers_->applied.empty() || std::ranges::all_of(state().groups, none)) return model();
  std::vector<std::shared_ptr<const List>> lists;
  for (const GroupState& group : state().groups)
    lists.push_back(std::make_shared<const List>(group.applied));
  return model().with_applied_forces(lists);
}

std::span<const AppliedForce> Simulation::applied(int group) const {
  const auto g = static_cast<std::size_t>(group);
  expects(g < model().groups().size(), "no such group");
  return state().groups[g].applied;
}

/// The groups with their physical velocities.
std::vector<GroupState> Simulation::Drivers::physical() const {
  const State& state = steps.state();
  std::vector<GroupState> groups = state.groups;
  for (std::size_t g = 0; g < groups.size() && !state.event_state.active; ++g) {
    const Group& of = steps.model().groups()[g];
    of.scheme->velocity(*of.dynamics, steps.prepared()[g].get(), state.t, state.h, state.groups[g],
                        groups[g].v);
  }
  return groups;
}

// The scheme starts again, because its memory may contain accelerations by the former forces.
void Simulation::Drivers::start_again(std::size_t g, View v, const Dynamics& body) {
  State& state = steps.state();
  if (state.event_state.active) return restart();
  const Scheme& scheme = *steps.model().groups()[g].scheme;
  GroupState started = state.groups[g];
  started.v = v;
  started.memory.clear();
  scheme.start(body, scheme.prepare(body, state.h).get(), state.t, state.h, started);
  GroupState& now = state.groups[g];
  if (now.v == started.v && now.memory == started.memory) return;
  now = started;  // into the same memory
  steps.measure_energy_again();
}

void Simulation::place(std::span<const Placement> placements) {
  std::vector<GroupState> placed = drivers_->physical();
  for (const auto& [group, q, v] : placements) {
    const auto g = static_cast<std::size_t>(group);
    expects(group >= 0 && g < placed.size(), "no such group");
    expects(q.size() == placed[g].q.size() && v.size() == placed[g].v.size(),
            "give as many positions and velocities as the group has");
    expects(q.allFinite() && v.allFinite(), "positions and velocities must be finite");
    placed[g].q = q;
    placed[g].v = v;
    for (Eigen::Index i = 3; model().groups()[g].dynamics->rigid() && i < q.size(); i += 7) {
      expects(q.segment<4>(i).norm() > 0.0, "a quaternion is zero");
      placed[g].q.segment<4>(i).normalize();
    }
  }
  drivers_->place(std::move(placed));
}

// The schemes start again from the physical state; joint angles keep their turns.
void Simulation::Drivers::place(std::vector<GroupState> placed) {
  const Model& model = steps.model();
  State& state = steps.state();
  expect_closed(model, steps.joints(), state.t, placed);
  JointAngles(model).follow(steps.joints(), state.t, state.groups, state.t, placed);
  if (!state.event_state.active) start_schemes(model, state, placed);
  const double before = state.energy.total();
  for (std::size_t g = 0; g < placed.size(); ++g) state.groups[g] = placed[g];  // in place
  steps.set_contacts_known(false);
  steps.clear_solvers();
  for (const auto& island : steps.islands())
    if (island) island->forget();
  if (!state.event_state.active) steps.set_step(state.h);
  state.energy = energy_of(model, state);
  state.energy_start += state.energy.total() - before;
  ++intervals;
  interval_start = state.t;
  restart();
}

void Simulation::reset(State state) {
  State& now = drivers_->steps.state();
  expects(state.groups.size() == now.groups.size(), "the state belongs to another model");
  for (std::size_t g = 0; g < now.groups.size(); ++g)
    expects(state.groups[g].q.size() == now.groups[g].q.size() &&
                state.groups[g].v.size() == now.groups[g].v.size(),
            "the state belongs to another model");
  auto made = Drivers::of(model(), std::move(state), !drivers_->applied.empty());
  for (std::size_t g = 0; g < now.groups.size(); ++g) {  // addresses of hold()
    GroupState& fresh = made->steps.state().groups[g];
    now.groups[g].q = fresh.q;
    now.groups[g].v = fresh.v;
    now.groups[g].q.swap(fresh.q);
    now.groups[g].v.swap(fresh.v);
  }
  adopt(std::move(made), false);
}

}  // namespace saltus

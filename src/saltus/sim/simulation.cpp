// The step driver: one step of all groups with their contacts, from the predictors to the books, and what Simulation shows
// of it. A step changes the state in commit() and nowhere else; one that fails is dropped or tried as two halves. The other
// ways through an interval are in simulation_adaptive.cpp and simulation_lanes.cpp.
#include "saltus/sim/simulation.h"

#include <fmt/format.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "saltus/advice/damper_advice.h"
#include "saltus/assembly/notice_text.h"
#include "saltus/assembly/stored_energy.h"
#include "saltus/base/error.h"
#include "saltus/base/stop.h"
#include "saltus/math/flush_denormals.h"
#include "saltus/math/kernels.h"
#include "saltus/sim/simulation_internal.h"
#include "saltus/spec/joint_spec.h"

namespace saltus {

std::vector<std::unique_ptr<Prepared>> prepare(const Model& model, double h) {
  std::vector<std::unique_ptr<Prepared>> prepared;
  for (const Group& group : model.groups())
    prepared.push_back(group.scheme->prepare(*group.dynamics, h));
  return prepared;
}

// What a step did, with what the one before it in the same interval did.
void add_earlier(StepReport& step, const StepReport& before) {
  step.passes += before.passes;
  step.contacts = std::max(before.contacts, step.contacts);
  step.iterations += before.iterations;
  step.outstanding = std::max(before.outstanding, step.outstanding);
  step.joint_gap = std::max(before.joint_gap, step.joint_gap);
  step.joints += before.joints;
  step.residual = std::max(before.residual, step.residual);
  step.speed = std::max(before.speed, step.speed);
  step.closing = std::max(before.closing, step.closing);
  step.residual_after = std::max(before.residual_after, step.residual_after);
  step.linear_residual = std::max(before.linear_residual, step.linear_residual);
  step.gap = std::min(before.gap, step.gap);
  step.impulse += before.impulse;
  step.impact += before.impact;
  step.friction += before.friction;
  step.unexplained += before.unexplained;
  step.halvings += before.halvings;
}

namespace {

Energy energy_of(const Model& model, std::span<const std::unique_ptr<Prepared>> prepared, double t,
                 double h, std::span<const GroupState> groups) {
  Energy sum;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const Group& group = model.groups()[g];
    const Energy E = group.scheme->energy(*group.dynamics, prepared[g].get(), t, h, groups[g]);
    sum.kinetic += E.kinetic;
    sum.potential += E.potential;
  }
  return sum;
}

}  // namespace

State initial_state(const Model& model) {
  State state;
  state.h = model.options().h;
  state.groups.assign(model.initial().begin(), model.initial().end());
  state.solvers.resize(static_cast<std::size_t>(model.island_count()));
  state.ledger.assign(model.accounts().size(), 0.0);
  state.lane.active = model.options().lane == TimeMode::events;
  if (!state.lane.active) {
    const auto prepared = prepare(model, state.h);
    for (std::size_t g = 0; g < state.groups.size(); ++g) {
      const Group& group = model.groups()[g];
      group.scheme->start(*group.dynamics, prepared[g].get(), 0.0, state.h, state.groups[g]);
    }
  }
  state.energy = energy_of(model, state);
  state.energy_start = state.energy.total();
  return state;
}

Energy energy_of(const Model& model, const State& state) {
  Springs springs(model);
  return energy_of(model, state, springs);
}

Energy energy_of(const Model& model, const State& state, Springs& springs) {
  Energy energy;
  if (state.lane.active)
    for (std::size_t g = 0; g < state.groups.size(); ++g) {
      const auto& [q, v, memory] = state.groups[g];
      const Energy E = model.groups()[g].dynamics->energy(state.t, q, v);
      energy.kinetic += E.kinetic;
      energy.potential += E.potential;
    }
  else
    energy = energy_of(model, prepare(model, state.h), state.t, state.h, state.groups);
  if (springs.any()) {
    JointSystem joints = all_joints(model);
    energy.potential += springs.stored(joints, state.t, state.groups).all;
  }
  return energy;
}

Simulation::Work::Work(Model m, State s)
    : model(std::move(m)), state(std::move(s)), joints(all_joints(model)), springs(model) {
  const std::size_t n = model.groups().size();
  expects(state.groups.size() == n && state.ledger.size() == model.accounts().size() &&
              state.solvers.size() == static_cast<std::size_t>(model.island_count()),
          "the state belongs to another model");
  for (const BrokenJoint& one : state.broken)
    expects(one.joint >= 0 && static_cast<std::size_t>(one.joint) < model.joints().size() &&
                model.joints()[static_cast<std::size_t>(one.joint)].strength > 0.0,
            "the state belongs to another model");
  trials.resize(n);
  ends.resize(n);
  fixed.assign(n, 0);
  const auto accounts = model.accounts();
  Eigen::Index widest = 0;
  for (std::size_t g = 0; g < n; ++g) {
    const Dynamics& body = *model.groups()[g].dynamics;
    expects(state.groups[g].q.size() == body.positions() &&
                state.groups[g].v.size() == body.velocities(),
            "the state belongs to another model");
    Trial& trial = trials[g];
    trial.q.resize(body.positions());
    trial.v.resize(body.velocities());
    trial.v_free.resize(body.velocities());
    trial.r = Vector::Zero(body.velocities());
    ends[g] = state.groups[g];
    widest = std::max(widest, trial.v.size());
    reactions.push_back(Vector::Zero(body.prescribed()));
    reacts = reacts || body.prescribed() > 0;
    by_source.emplace_back(body.sources().size(), 0.0);
    std::vector<int> entry;
    for (const Source& source : body.sources())
      entry.push_back(source.potential ? -1
                                       : static_cast<int>(std::find(accounts.begin(),
                                                                    accounts.end(), source.name) -
                                                          accounts.begin()));
    account.push_back(entry);
  }
  ledger = state.ledger;
  w.resize(widest);
  r_part.resize(widest);
  for (int i = 0; i < static_cast<int>(accounts.size()); ++i) {
    if (accounts[static_cast<std::size_t>(i)] == "friction") friction_account = i;
    if (accounts[static_cast<std::size_t>(i)] == "projection") projection_account = i;
    if (accounts[static_cast<std::size_t>(i)] == "prescribed") prescribed_account = i;
    if (accounts[static_cast<std::size_t>(i)] == "joints") joints_account = i;
    if (accounts[static_cast<std::size_t>(i)] == "damping") damping_account = i;
  }
  const std::vector<GroupState> physical = state.groups;
  if (state.lane.active) start_schemes(state.groups);
  set_step(state.h);  // tells which groups keep their operator
  for (int island = 0; island < model.island_count(); ++island) {
    std::vector<int> groups, pairs;
    for (std::size_t g = 0; g < n; ++g)
      if (model.islands()[g] == island) groups.push_back(static_cast<int>(g));
    for (std::size_t i = 0; i < model.pairs().size(); ++i)
      if (model.islands()[static_cast<std::size_t>(model.pairs()[i].a.group)] == island)
        pairs.push_back(static_cast<int>(i));
    const bool free_motion = std::all_of(groups.begin(), groups.end(), [&](int g) {
      const Group& group = model.groups()[static_cast<std::size_t>(g)];
      return group.scheme->free_motion(*group.dynamics);
    });
    const auto here = [&](const auto& surface) {
      return model.islands()[static_cast<std::size_t>(surface.group)] == island;
    };
    const bool shapes = std::ranges::any_of(model.surfaces().frames, here) ||
                        std::ranges::any_of(model.surfaces().boundaries, here);
    const bool one_stage =
        model.groups()[static_cast<std::size_t>(groups.front())].scheme->stages().size() == 1;
    const bool joined =
        std::any_of(model.joints().begin(), model.joints().end(), [&](const Joint& joint) {
          const int g = joint.a.group >= 0 ? joint.a.group : joint.b.group;
          return g >= 0 && model.islands()[static_cast<std::size_t>(g)] == island;
        });
    if (pairs.empty() && !shapes && !joined && free_motion && one_stage) {
      islands.push_back(nullptr);
      tabled.push_back(0);
      continue;
    }
    std::unique_ptr<Island> island_of_pairs;
    const bool constant = std::ranges::all_of(
        groups, [&](int g) { return trials[static_cast<std::size_t>(g)].factorised; });
    if (!pairs.empty() && !shapes && !joined && one_stage && constant &&
        fits_fixed_island(model, groups, pairs))
      island_of_pairs = fixed_island(model, groups, pairs);
    tabled.push_back(island_of_pairs != nullptr);
    islands.push_back(island_of_pairs ? std::move(island_of_pairs)
                                      : general_island(model, std::move(groups), std::move(pairs)));
  }
  contacts.reserve(model.pairs().size());
  state.contacts.reserve(model.pairs().size());
  for (auto& island : islands)
    if (island) island->prepare(trials);
  // Before a step the forces that hold the free motion; contacts are not known yet.
  for (std::size_t g = 0; g < n; ++g) {
    if (reactions[g].size() == 0) continue;
    const Dynamics& body = *model.groups()[g].dynamics;
    const GroupState& at = state.groups[g];
    v_mid.resize(body.velocities());
    a_mid.resize(body.velocities());
    model.groups()[g].scheme->velocity(body, prepared[g].get(), state.t, state.h, at, v_mid);
    body.force(state.t, at.q, v_mid, a_mid);
    Factor M;
    body.factorise({1.0, 0.0, 0.0}, state.t, at.q, v_mid, M);
    solve(M, a_mid);
    body.reactions(state.t, at.q, v_mid, a_mid, reactions[g]);
  }
  if (state.lane.active) state.groups = physical;
  for (std::size_t i = 0; i < model.probes().size(); ++i) {
    const Probe& probe = model.probes()[i];
    if (probe.quantity != Probe::Quantity::joint ||
        !is_angle(model.joints()[static_cast<std::size_t>(probe.joint)].kind, probe.coordinate))
      continue;
    angle_probes.push_back(static_cast<int>(i));
    angle_of.push_back({probe.joint, probe.coordinate});
  }
  angles.resize(static_cast<Eigen::Index>(angle_of.size()));
  measure_angles();
  if (model.options().lane == TimeMode::events) lane = std::make_unique<EventIntegrator>(model);
  if (model.options().controlled()) adaptive = std::make_unique<Adaptive>(model, state.h);
}

// Drops every coefficient, factor and table that belongs to another h.
void Simulation::Work::set_step(double h) {
  if (adaptive && take_tables(h)) {
    state.h = h;
    if (springs.any()) stored = springs.stored(joints, state.t, state.groups);
    return;
  }
  prepared = prepare(model, h);
  for (std::size_t g = 0; g < trials.size(); ++g) {
    trials[g].prepared = prepared[g].get();
    trials[g].factorised = false;
  }
  state.h = h;
  if (springs.any()) stored = springs.stored(joints, state.t, state.groups);
  begin(
      h);  // fills the constant factors, from which islands make their tables now rather than in the first step
  for (auto& island : islands)
    if (island) island->prepare(trials);
}

// Predictors of all groups from the present state.
void Simulation::Work::begin(double h) {
  for (std::size_t g = 0; g < trials.size(); ++g) {
    Trial& trial = trials[g];
    trial.t0 = state.t;
    trial.h = h;
    trial.start = &state.groups[g];
    trial.stage = trial.pass = 0;
    trial.failure = {};
    trial.stop = stop;
    saltus::forget(trial.A);
    saltus::stop_by(trial.A, stop);
    const auto island = static_cast<std::size_t>(model.islands()[g]);
    if (island < islands.size() && islands[island]) trial.r.setZero();  // others never touch it
    trial.ledger = model.options().ledger && !(adaptive && adaptive->estimating);
    model.groups()[g].scheme->begin(*model.groups()[g].dynamics, trial);
  }
}

// Another h: hand the physical velocities over to the schemes as they are with the new step.
void Simulation::Work::use(double h) {
  if (h == state.h) return;
  expects(h > 0.0 && std::isfinite(h), "the step must be positive and finite");
  for (std::size_t g = 0; g < trials.size(); ++g) {
    const Group& group = model.groups()[g];
    expects(!group.scheme->fixed_step(), "a group of this model has a scheme of fixed step");
    Vector v(group.dynamics->velocities());
    group.scheme->velocity(*group.dynamics, prepared[g].get(), state.t, state.h, state.groups[g],
                           v);
    state.groups[g].v = v;
  }
  for (SolverMemory& memory : state.solvers) memory = {};
  set_step(h);
  for (std::size_t g = 0; g < trials.size(); ++g) {
    const Group& group = model.groups()[g];
    GroupState started = state.groups[g];
    group.scheme->start(*group.dynamics, prepared[g].get(), state.t, h, started);
    state.groups[g] = started;  // into the same memory
  }
  if (adaptive && adaptive->estimating) return;
  // Some schemes measure energy with the step; what a change of the measure makes is the scheme's.
  const double before = state.energy.total();
  state.energy = energy_of(model, prepared, state.t, h, state.groups);
  state.energy.potential += stored.all;
  if (model.options().ledger)
    state.ledger[state.ledger.size() - 2] += state.energy.total() - before;
}

// What is prescribed goes from where it stood in the step to where it is at its end. Returns what that changes of the energy,
// V(q1, u1) - V(q1, u0), which is work of the prescribed motion, and gives the energy there.
double Simulation::Work::move_prescribed(std::size_t g, Energy& E) {
  const Group& group = model.groups()[g];
  const double t1 = state.t + state.h;
  if (!has(group.dynamics->traits(), Trait::driven)) return 0.0;
  const double before = E.total();
  E = group.scheme->energy(*group.dynamics, prepared[g].get(), t1, state.h, ends[g]);
  return E.total() - before;
}

//     E1 - E0 = work of the sources + projection + friction + impact + scheme + unexplained
void Simulation::Work::book(StepReport& report) {
  std::copy(state.ledger.begin(), state.ledger.end(), ledger.begin());
  const std::size_t impact = ledger.size() - 3, scheme = ledger.size() - 2,
                    unexplained = ledger.size() - 1;
  energy = {};
  double explained = 0.0, damping = 0.0, stops = 0.0;
  for (std::size_t g = 0; g < trials.size(); ++g) {
    const Group& group = model.groups()[g];
    StepWork work{by_source[g]};
    group.scheme->work(*group.dynamics, trials[g], ends[g], work);
    const double moved = move_prescribed(g, work.energy);
    if (prescribed_account >= 0) {
      ledger[static_cast<std::size_t>(prescribed_account)] += moved;
      explained += moved;
    }
    energy.kinetic += work.energy.kinetic;
    energy.potential += work.energy.potential;
    for (std::size_t s = 0; s < account[g].size(); ++s)
      if (account[g][s] >= 0) {
        ledger[static_cast<std::size_t>(account[g][s])] += by_source[g][s];
        explained += by_source[g][s];
      }
    ledger[scheme] += work.scheme;
    explained += work.scheme + work.projection;
    if (work.projection != 0.0)
      ledger[static_cast<std::size_t>(projection_account)] += work.projection;
    const Island* const island = islands[static_cast<std::size_t>(model.islands()[g])].get();
    if (island && (report.contacts > 0 || island->joints())) {
      const auto n = static_cast<Eigen::Index>(trials[g].r.size());
      group.scheme->work_velocity(trials[g], ends[g], w.head(n));
      const auto work_of = [&](ImpulseOf part) {
        return island->impulse(part, static_cast<int>(g), r_part.head(n))
                   ? dot(static_cast<int>(n), r_part.data(), w.data())
                   : 0.0;
      };
      const double held = work_of(ImpulseOf::joints);
      report.joints += held;
      report.impact -= held;
      report.impact += dot(static_cast<int>(n), trials[g].r.data(), w.data());
      damping += work_of(ImpulseOf::dampers);
      stops += work_of(ImpulseOf::stops);
      if (friction_account >= 0) report.friction += work_of(ImpulseOf::friction);
    }
  }
  report.impact -= report.friction + damping;
  // Contact works on the relative motion; what a support that moves gives to the bodies on it is work of its drive.
  if (prescribed_account >= 0 && (report.contacts > 0 || !model.joints().empty()))
    for (const auto& island : islands) {
      if (!island) continue;
      const DriftWork drift = island->drift_work();
      report.impact += drift.normal + drift.stops;
      stops += drift.stops;
      report.friction += drift.friction;
      report.joints += drift.joints;
      damping += drift.damping;
      const double drive =
          drift.normal + drift.stops + drift.friction + drift.joints + drift.damping;
      ledger[static_cast<std::size_t>(prescribed_account)] -= drive;
      explained -= drive;
    }
  if (springs.any()) {  // what the springs of the contacts took up is energy, not loss
    stored_end = springs.stored(joints, state.t + state.h, ends);
    energy.potential += stored_end.all;
    report.impact += stored_end.all - stored.all;
    stops += stored_end.joints - stored.joints;
  }
  if (joints_account >= 0) {
    ledger[static_cast<std::size_t>(joints_account)] += report.joints + stops;
    explained += report.joints;
  }
  if (damping != 0.0) {
    ledger[static_cast<std::size_t>(damping_account)] += damping;
    explained += damping;
  }
  if (friction_account >= 0) ledger[static_cast<std::size_t>(friction_account)] += report.friction;
  ledger[impact] += report.impact - stops;
  explained += report.impact + report.friction;
  report.unexplained = energy.total() - state.energy.total() - explained;
  ledger[unexplained] += report.unexplained;
  report.finite = report.finite && std::isfinite(energy.total());
  if (!report.finite && report.group < 0) report.group = lost();
}

/// The first group whose motion or energy is not finite, -1: none is to blame alone.
int Simulation::Work::lost() const {
  for (std::size_t g = 0; g < ends.size(); ++g) {
    const GroupState& end = ends[g];
    const Dynamics& body = *model.groups()[g].dynamics;
    if (!end.q.allFinite() || !end.v.allFinite() ||
        !std::isfinite(body.energy(state.t + state.h, end.q, end.v).total()))
      return static_cast<int>(g);
  }
  return -1;
}

// What a scheme, or an iterative solve with its A, could not do in the step.
bool Simulation::Work::failed(StepReport& report) {
  for (std::size_t g = 0; g < trials.size(); ++g) {
    const SolveRecord solves = record(trials[g].A);
    report.linear_residual = std::max(report.linear_residual, solves.residual);
    if (trials[g].failure.empty()) trials[g].failure = solves.failure;
  }
  for (std::size_t g = 0; g < trials.size(); ++g)
    if (!trials[g].failure.empty()) {
      report.failure = trials[g].failure;
      report.group = static_cast<int>(g);
      report.converged = report.finite = false;
      return true;
    }
  return false;
}

/// The step in work, of island i.
IslandStep Simulation::Work::of_island(std::size_t i) {
  return {model,
          state.h,
          state.energy.kinetic + std::abs(state.energy.potential),
          trials,
          ends,
          state.contacts,
          state.solvers[i],
          notices,
          state.broken,
          state.energy.kinetic,
          !(adaptive && adaptive->estimating),
          stop,
          observer != nullptr};
}

// One step: predict, touch, correct, finish, measure, book. The state changes only in commit().
void Simulation::Work::step(double h, StepReport& report) {
  report.gap = std::numeric_limits<double>::infinity();
  begin(h);
  if (failed(report)) return;
  for (std::size_t i = 0; i < islands.size(); ++i) {
    if (!islands[i]) continue;
    IslandStep at = of_island(i);
    islands[i]->solve(at, report);
    if (observer && !(adaptive && adaptive->estimating) && !stop_requested(stop))
      islands[i]->show(at, static_cast<int>(i), *observer);
  }
  if (failed(report)) return;
  const bool estimating = adaptive && adaptive->estimating;
  if (adaptive && !estimating)
    for (std::size_t g = 0; g < trials.size(); ++g)
      adaptive->estimator.accelerate(static_cast<int>(g), trials[g], h);
  report.passes = std::max(report.passes, 1);
  for (std::size_t g = 0; g < trials.size(); ++g)
    model.groups()[g].scheme->finish(*model.groups()[g].dynamics, trials[g], ends[g]);
  if (!estimating) find_spins(h);
  contacts.clear();
  pressed.clear();
  if (adaptive) adaptive->touches.clear();
  for (std::size_t i = 0; i < islands.size(); ++i) {
    if (!islands[i]) continue;
    IslandStep at = of_island(i);
    if (!aligned(i)) islands[i]->check(at, report);
    const std::size_t earlier = contacts.size();
    islands[i]->remember(contacts);
    if (adaptive)
      for (const ContactMemory& one : std::span(contacts).subspan(earlier))
        adaptive->touches.push_back({one.key, static_cast<int>(i)});
    if (reacts) islands[i]->point_impulses(pressed);
  }
  if (islands.size() > 1)
    std::sort(contacts.begin(), contacts.end(),
              [](const auto& a, const auto& b) { return a.key < b.key; });
  if (model.options().ledger && !estimating)
    book(report);
  else if (!estimating)
    watch(report);
  if (report.finite) align(report);
  const bool closes = std::ranges::any_of(islands, [](const std::unique_ptr<Island>& island) {
    return island && island->joints() && island->joints()->closes();
  });
  if ((model.options().correct_positions || closes) && report.finite) correct(report);
}

// Rigid bodies that turn by more than half a turn: no place of the step says which way they went.
void Simulation::Work::find_spins(double h) {
  const double most = std::numbers::pi * std::numbers::pi / (h * h);
  for (std::size_t g = 0; g < ends.size(); ++g) {
    if (!model.groups()[g].dynamics->rigid()) continue;
    const Vector& v = ends[g].v;
    for (int i = 0; 6 * i < v.size(); ++i) {
      const double spin = v.segment<3>(6 * i + 3).squaredNorm();
      if (!(spin > most)) continue;
      follows.resize(ends.size());
      if (follows[g] == 0) follows[g] = follows_any_spin(*model.groups()[g].scheme) ? '\1' : '\2';
      if (follows[g] == 1) break;
      const int group = static_cast<int>(g);
      notices.add(Notice::Kind::wrapped, -1 - group, i,
                  [&] { return spins_text(model, group, i, h * std::sqrt(spin), h); });
    }
  }
}

/// Whether align() changes the velocities of an island.
bool Simulation::Work::aligned(std::size_t i) const {
  return islands[i] && islands[i]->joints() && islands[i]->joints()->aligns();
}

// Joints at level both, under step control, and where rates jump: the velocities of the finished step obey them too. Measures the laws on what that leaves.
// What rates that jump need is work of the drives.
void Simulation::Work::align(StepReport& report) {
  for (std::size_t i = 0; i < islands.size(); ++i) {
    if (!aligned(i)) continue;
    IslandStep at = of_island(i);
    const double work = islands[i]->finish(at);
    islands[i]->check(at, report);
    if (!model.options().ledger) continue;
    energy.kinetic += work;
    const bool drives = islands[i]->joints()->jumps() && prescribed_account >= 0;
    ledger[static_cast<std::size_t>(drives ? prescribed_account : projection_account)] += work;
  }
}

// Position correction, and joints whose rates jumped: what it does to the energy is booked as projection.
void Simulation::Work::correct(StepReport& report) {
  const auto energy_of_ends = [&] {
    Energy sum;
    for (std::size_t g = 0; g < ends.size(); ++g) {
      const Energy e = model.groups()[g].dynamics->energy(state.t + state.h, ends[g].q, ends[g].v);
      sum.kinetic += e.kinetic, sum.potential += e.potential;
    }
    return sum;
  };
  const bool ledger_too = model.options().ledger;
  const Energy before = ledger_too ? energy_of_ends() : Energy{};
  bool moved = false;
  for (std::size_t i = 0; i < islands.size(); ++i) {
    if (!islands[i]) continue;
    IslandStep at = of_island(i);
    moved = islands[i]->project(at, report) || moved;
  }
  if (!moved) return;
  report.gap = std::numeric_limits<double>::infinity();
  report.joint_gap = 0.0;
  for (std::size_t i = 0; i < islands.size(); ++i) {
    if (!islands[i]) continue;
    IslandStep at = of_island(i);
    islands[i]->measure_gaps(at, report);
  }
  if (!ledger_too) return;
  const Energy after = energy_of_ends();
  const double T = after.kinetic - before.kinetic;
  double V = after.potential - before.potential;
  if (springs.any()) {
    const StoredEnergy stored_before =
        std::exchange(stored_end, springs.stored(joints, state.t + state.h, ends));
    V += stored_end.all - stored_before.all;
  }
  energy.kinetic += T;
  energy.potential += V;
  ledger[static_cast<std::size_t>(projection_account)] += T + V;
}

// Without a ledger nothing sums over all velocities; non-finite ones are looked for in every 64th step.
void Simulation::Work::watch(StepReport& report) {
  std::copy(state.ledger.begin(), state.ledger.end(), ledger.begin());
  energy = state.energy;
  if (state.step % 64 == 0)
    for (const GroupState& end : ends) report.finite = report.finite && end.v.allFinite();
  if (!report.finite && report.group < 0) report.group = lost();
}

// Forces on the prescribed degrees of freedom with the mean acceleration of the step, at the middle of the interval
// over which the velocity of the scheme changed; contacts and joints press on them too.
void Simulation::Work::react(double h) {
  for (std::size_t g = 0; g < reactions.size(); ++g) {
    if (reactions[g].size() == 0) continue;
    const Group& group = model.groups()[g];
    const GroupState &at0 = state.groups[g], &at1 = ends[g];
    const double back =
        state.lane.active
            ? 0.0
            : 1.0 - group.scheme->velocity_at();  // half-step velocities: centred on t0
    q_mid = at0.q;
    if (back == 0.0) q_mid = 0.5 * (at0.q + at1.q);
    v_mid = 0.5 * (at0.v + at1.v);
    a_mid = (at1.v - at0.v) / h;
    const double t = state.t + (0.5 - back) * h;
    group.dynamics->reactions(t, q_mid, v_mid, a_mid, reactions[g]);
    // contact impulses of the step, as forces on the points of this group
    auto pair = model.pairs().begin();
    for (const ContactMemory& contact : contacts) {
      while (pair != model.pairs().end() && pair->key < contact.key) ++pair;
      if (pair == model.pairs().end()) break;  // the others are between surfaces
      for (const auto& [side, sign] : {std::pair(&pair->a, 1.0), std::pair(&pair->b, -1.0)}) {
        if (side->group != static_cast<int>(g)) continue;
        f_mid.setZero(3);
        for (int a = 0; a < pair->rows(); ++a)
          f_mid += sign / h * contact.impulse[a] * pair->direction(a);
        group.dynamics->point_reactions(t, q_mid, std::span(&side->ref, 1), f_mid, reactions[g]);
      }
    }
    const auto press = [&](const PointImpulse& on) {
      if (on.group != static_cast<int>(g)) return;
      f_mid = on.impulse / h;
      group.dynamics->point_reactions(t, q_mid, std::span(&on.at, 1), f_mid, reactions[g]);
    };
    for (const PointImpulse& on : pressed) press(on);
    for (const auto& island : islands)
      if (!state.lane.active && island && island->joints())
        for (const PointImpulse& on : island->joints()->loads().on_prescribed()) press(on);
  }
}

void Simulation::Work::commit(double t1) {
  if (reacts) react(state.h);
  std::swap(state.groups, ends);
  for (std::size_t g = 0; g < fixed.size(); ++g) {
    if (!fixed[g]) continue;  // the old state lay where the views look: the new one takes its place
    ends[g].q = state.groups[g].q;
    ends[g].v = state.groups[g].v;
    ends[g].q.swap(state.groups[g].q);
    ends[g].v.swap(state.groups[g].v);
  }
  // Schemes hand their iterate to the end by swapping buffers: giving the old state back to the trial keeps a step on
  // two sets of arrays instead of three, which is what the cache holds.
  for (std::size_t g = 0; g < trials.size(); ++g) {
    trials[g].q.swap(ends[g].q);
    trials[g].v.swap(ends[g].v);
  }
  state.contacts.swap(contacts);
  state.ledger.swap(ledger);
  state.energy = energy;
  stored = stored_end;
  state.t = t1;
  touched = true;
  const auto held = static_cast<std::ptrdiff_t>(state.broken.size());
  for (const auto& island : islands)
    if (island && island->joints()) island->joints()->breakable().append_broken(t1, state.broken);
  std::sort(state.broken.begin() + held, state.broken.end(),
            [](const BrokenJoint& a, const BrokenJoint& b) { return a.joint < b.joint; });
}

// A step that was in work when the program was asked to end: its solvers may have broken off. Whether it is done is not asked,
// or what is kept would depend on the moment.
bool Simulation::Work::dropped(StepReport& report) {
  if (!stop_requested(stop)) return false;
  report.converged = report.finite = false;
  report.failure = kStopRequested;
  return true;
}

// A step that failed leaves the groups as they were; what solvers and islands remember of it is dropped.
void Simulation::Work::forget() {
  touched = false;
  notices.drop();
  for (SolverMemory& memory : state.solvers) memory = {};
  for (auto& island : islands)
    if (island) island->forget();
}

// What solvers carry from step to step, which no other thing can be made of again: that of the steps that count.
void Simulation::Work::keep_solvers() {
  solvers_before.resize(state.solvers.size());
  for (std::size_t i = 0; i < state.solvers.size(); ++i) {
    const SolverMemory& now = state.solvers[i];
    solvers_before[i].active.assign(now.active.begin(), now.active.end());
    solvers_before[i].factor.assign(now.factor.begin(), now.factor.end());
    solvers_before[i].changes = now.changes;
  }
}
void Simulation::Work::give_solvers_back() {
  for (std::size_t i = 0; i < state.solvers.size(); ++i) state.solvers[i] = solvers_before[i];
}

// The state as it was, in the same memory.
void Simulation::Work::put_back(const State& before) {
  state = before;
  if (state.lane.active) {
    lane->forget();
    touched = false;
    return;
  }
  set_step(state.h);
  forget();
}

// After an exception out of a step. `before` where the state may have changed, else null.
void Simulation::Work::recover(const State* before) {
  unusable = true;                                       // unless the rest goes well
  for (Trial& trial : trials) trial.factorised = false;  // what was being made may be half made
  if (adaptive) {
    adaptive->estimating = false;
    adaptive->kept.clear();
    adaptive->length = 0.0;
  }
  if (before)
    put_back(*before);
  else
    forget();
  unusable = false;
}

void Simulation::Work::advance(double h, double t1, int depth, StepReport& report) {
  use(h);
  step(h, report);
  const bool stopped = dropped(report);
  const OnFailure policy = model.options().on_failure;
  const bool good = report.converged && report.finite;
  if (good || (policy == OnFailure::accept && report.finite)) {
    commit(t1);
    notices.accept();
    return;
  }
  forget();
  if (policy == OnFailure::halve && depth < 10 && !stopped) halve(h, t1, depth, report);
}

// The step in two halves. The report is that of both, or of the half that failed.
void Simulation::Work::halve(double h, double t1, int depth, StepReport& report) {
  // A step of which only a part succeeds does not count.
  std::optional<State> before;
  std::vector<Vector> reactions_before;
  if (depth == 0) {
    before = state;
    reactions_before = reactions;
  }
  const double t_mid = state.t + 0.5 * h;
  StepReport first;
  try {
    advance(0.5 * h, t_mid, depth + 1, first);
    report = first;
    if (first.converged && first.finite) {
      report = {};
      advance(0.5 * h, t1, depth + 1, report);
    }
  } catch (...) {
    if (before) recover(&*before);
    throw;
  }
  StepReport& second = report;
  if (!second.converged || !second.finite) {
    if (depth > 0) return;
    put_back(*before);
    reactions = reactions_before;
    return;
  }
  add_earlier(second, first);
  ++second.halvings;
}

// The angles of outputs in the state.
void Simulation::Work::measure_angles() {
  if (angle_of.empty()) return;
  joints.coordinates(
      state.t, [&](int g) -> const Vector& { return state.groups[static_cast<std::size_t>(g)].q; },
      angle_of, angles);
}

// Outputs of angles that passed from pi to -pi, or back, in the interval that just ended.
void Simulation::Work::notice_wraps() {
  if (angle_of.empty()) return;
  angles_before.swap(angles);
  angles.resize(angles_before.size());
  measure_angles();
  for (Eigen::Index i = 0; i < angles.size(); ++i) {
    if (!(std::abs(angles[i] - angles_before[i]) > std::numbers::pi)) continue;
    const int index = angle_probes[static_cast<std::size_t>(i)];
    notices.add(Notice::Kind::wrapped, index, 0, [&] {
      const Probe& probe = model.probes()[static_cast<std::size_t>(index)];
      const Joint& joint = model.joints()[static_cast<std::size_t>(probe.joint)];
      return fmt::format(
          "output '{}' jumps by 2 pi where joint '{}' passes half a turn, because it gives the "
          "angle from -pi to pi; sum up an output with `quantity: velocity` to count turns",
          probe.name, coordinate_text(joint.name, joint.kind, probe.coordinate));
    });
  }
}

// c, and G_c v + d
std::array<double, 2> Simulation::Work::joint_coordinate(int joint, int coordinate) {
  const auto at = [&](int g) -> const Vector& {
    return state.groups[static_cast<std::size_t>(g)].q;
  };
  joints.make_rows(state.t, at);
  double rate = 0.0;
  for (std::size_t g = 0; g < trials.size(); ++g) {
    probe_row.clear(1);
    rate += joints.add_coordinate(joint, coordinate, 1.0, static_cast<int>(g), 0, probe_row)[0];
    const Group& group = model.groups()[g];
    w_probe.resize(group.dynamics->velocities());
    group.scheme->velocity(*group.dynamics, prepared[g].get(), state.t, state.h, state.groups[g],
                           w_probe);
    Eigen::Matrix<double, 1, 1> u;
    u.setZero();
    probe_row.multiply_add(w_probe, u);
    rate += u[0];
  }
  return {joints.coordinate(joint, coordinate), rate};
}

// n . x(q) - rest, or n . (J v + d)
double Simulation::Work::point_probe(const Probe& probe, View q, View v, bool velocity) {
  const Dynamics& body = *model.groups()[static_cast<std::size_t>(probe.group)].dynamics;
  const std::array at{probe.point};
  Vector3 x;
  if (!velocity) {
    body.points(state.t, q, at, x);
    return probe.direction.dot(x) - probe.rest;
  }
  PointRows& J = probe_rows;
  body.point_drift(state.t, q, at, x);
  body.point_rows(q, q, at, J);
  double sum = probe.direction.dot(x);
  for (int k = J.offset[0]; k < J.offset[1]; ++k)
    for (int axis = 0; axis < 3; ++axis)
      for (int j = 0; j < J.width; ++j)
        sum += probe.direction[axis] *
               J.value[static_cast<std::size_t>((3 * k + axis) * J.width + j)] *
               v[J.column[static_cast<std::size_t>(k)] + j];
  return sum;
}

std::array<Vector3, 2> Simulation::Work::joint_load(std::size_t i) const {
  const Joint& of = model.joints()[i];
  const auto island = static_cast<std::size_t>(
      model.islands()[static_cast<std::size_t>(of.a.group >= 0 ? of.a.group : of.b.group)]);
  const IslandJoints* const here = islands[island]->joints();
  if (!here) return {Vector3::Zero(), Vector3::Zero()};
  return here->loads().mean()[i];
}

Simulation::Simulation(Model model) {
  State state = initial_state(model);
  work_ = std::make_unique<Work>(std::move(model), std::move(state));
}
Simulation::Simulation(Model model, State state)
    : work_(std::make_unique<Work>(std::move(model), std::move(state))) {}
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation::~Simulation() = default;

const Model& Simulation::model() const { return work_->model; }
const State& Simulation::state() const { return work_->state; }

const GroupState& Simulation::hold(int group) {
  const auto g = static_cast<std::size_t>(group);
  expects(g < model().groups().size(), "no such group");
  work_->fixed[g] = 1;
  return work_->state.groups[g];
}

StepReport Simulation::advance() { return advance(model().options().h); }

StepReport Simulation::Work::interval(double h) {
  const FlushDenormals flush;
  expects(!unusable,
          "an exception left this simulation between two steps; make another of its model");
  // Steps of equal length lie on t = k h: no sum of round-off. A step of another length counts from where it is.
  const double on_grid = static_cast<double>(state.step + 1) * h;
  const bool regular = h == model.options().h && std::abs(on_grid - (state.t + h)) <= 1e-6 * h;
  // The hand-over to another step changes memories: a step that fails must not have done it.
  std::optional<State> before;
  const double t1 = regular ? on_grid : state.t + h;
  if (stop) keep_solvers();
  const bool adapts = adaptive != nullptr;  // restores by itself what fails
  if ((h != state.h && !adapts) || (lane && (state.lane.active || state.lane.stepping == 0)))
    before = state;
  StepReport report;
  try {
    if (lane)
      advance_by_events(t1, report);
    else if (adapts)
      cover(h, t1, report);
    else
      advance(h, t1, 0, report);
  } catch (...) {
    recover(adapts ? &adaptive->before : before ? &*before : nullptr);
    if (stop) give_solvers_back();
    notices.discard();
    throw;
  }
  const bool kept = (report.converged && report.finite) ||
                    (model.options().on_failure == OnFailure::accept && report.finite);
  if (kept) {
    ++state.step;
    notice_wraps();
    notices.commit(state.t);
  } else {
    if (before) put_back(*before);
    if (is_stop(report.failure)) give_solvers_back();
    notices.discard();
  }
  return report;
}

StepReport Simulation::advance(double h) {
  if (!work_->arena) return work_->interval(h);
  return work_->arena->execute([&] { return work_->interval(h); });
}

void Simulation::use_threads(int count) {
  expects(count >= 0, "a number of threads, or 0: those of the caller");
  const auto most = static_cast<int>(
      tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism));
  work_->arena = count > 0 ? std::make_unique<tbb::task_arena>(std::min(count, most)) : nullptr;
}

void Simulation::trace(EventTrace* trace) {
  expects(work_->lane != nullptr, "only the event lane has a trace: time.lane is stepping");
  work_->lane->trace(trace);
}

void Simulation::stop_by(Stop* stop) {
  work_->stop = stop;
  if (work_->lane) work_->lane->stop_by(stop);
}

void Simulation::observe(ContactObserver* observer) { work_->observer = observer; }

void Simulation::velocity(int group, Out v) const {
  const auto g = static_cast<std::size_t>(group);
  expects(g < model().groups().size(), "no such group");
  const Group& at = model().groups()[g];
  if (state().lane.active) {
    v = state().groups[g].v;
    return;
  }
  at.scheme->velocity(*at.dynamics, work_->prepared[g].get(), state().t, state().h,
                      state().groups[g], v);
}

const Vector& Simulation::reactions(int group) const {
  const auto g = static_cast<std::size_t>(group);
  expects(g < model().groups().size(), "no such group");
  return work_->reactions[g];
}

std::array<Vector3, 2> Simulation::joint_load(int joint) const {
  const auto i = static_cast<std::size_t>(joint);
  expects(i < model().joints().size(), "no such joint");
  if (work_->state.lane.active) {
    const FlushDenormals flush;  // as in advance(): who asks changes nothing
    auto load = work_->lane->joint_impulse(joint);
    for (Vector3& part : load) part /= model().options().h;
    return load;
  }
  return work_->adaptive ? work_->adaptive->loads[i] : work_->joint_load(i);
}

std::array<double, 2> Simulation::joint_coordinate(int joint, int coordinate) const {
  const auto i = static_cast<std::size_t>(joint);
  expects(i < model().joints().size() && coordinate >= 0 &&
              coordinate < coordinate_count(model().joints()[i].kind),
          "no such coordinate of a joint");
  return work_->joint_coordinate(joint, coordinate);
}

std::span<const ContactView> Simulation::contacts(double most) const {
  Work& w = *work_;
  w.seen.clear();
  if (w.touched && w.state.lane.active)
    w.lane->see(w.state, w.seen);
  else if (w.touched)
    for (const auto& island : w.islands)
      if (island) island->see(w.model, most, w.seen);
  place_contacts(w.model, w.state.t, w.state.h, w.state.groups, w.seen, w.views);
  return w.views;
}

std::span<const SeenContact> Simulation::seen_contacts() const { return work_->seen; }

std::span<const Event> Simulation::events() const { return work_->events; }

std::vector<Notice> Simulation::notices() const { return work_->notices.all(); }

double Simulation::probe(int index) const {
  expects(index >= 0 && static_cast<std::size_t>(index) < model().probes().size(), "no such probe");
  const Probe& probe = model().probes()[static_cast<std::size_t>(index)];
  const GroupState& state = work_->state.groups[static_cast<std::size_t>(probe.group)];
  using Quantity = Probe::Quantity;
  if (probe.quantity == Quantity::joint || probe.quantity == Quantity::joint_rate)
    return work_->joint_coordinate(probe.joint,
                                   probe.coordinate)[probe.quantity == Quantity::joint ? 0 : 1];
  const bool velocity = probe.quantity == Quantity::velocity;
  const bool reaction = probe.quantity == Quantity::reaction;
  const Vector& reactions = work_->reactions[static_cast<std::size_t>(probe.group)];
  if (!probe.table)
    return reaction ? reactions[probe.reaction]
                    : work_->point_probe(probe, state.q, state.v, velocity);
  Eigen::Matrix<double, 1, 1> y;
  probe.table->apply(reaction ? reactions : velocity ? state.v : state.q, work_->scratch, y);
  return y[0];
}

}  // namespace saltus

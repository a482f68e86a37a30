#include "saltus/sim/step_driver.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "saltus/advice/damper_advice.h"
#include "saltus/assembly/island_joints.h"
#include "saltus/assembly/notice_text.h"
#include "saltus/base/error.h"
#include "saltus/base/stop.h"

namespace saltus {
namespace {

void expect_state_of(const Model& model, const State& state) {
  constexpr std::string_view kOther = "the state belongs to another model";
  const std::size_t n = model.groups().size();
  expects(state.groups.size() == n && state.ledger.size() == model.accounts().size() &&
              state.solvers.size() == static_cast<std::size_t>(model.island_count()),
          kOther);
  for (const BrokenJoint& one : state.broken)
    expects(one.joint >= 0 && static_cast<std::size_t>(one.joint) < model.joints().size() &&
                model.joints()[static_cast<std::size_t>(one.joint)].strength > 0.0,
            kOther);
  for (std::size_t g = 0; g < n; ++g)
    expects(state.groups[g].q.size() == model.groups()[g].dynamics->positions() &&
                state.groups[g].v.size() == model.groups()[g].dynamics->velocities(),
            kOther);
  const bool former = std::ranges::all_of(
      state.groups, [](const GroupState& group) { return group.angles.empty(); });
  expects(former || JointAngles(model).known(state.groups), kOther);
  std::vector<std::size_t> set_points(n, 0);
  for (const ActuatorPlace& at : model.actuator_places())
    set_points[static_cast<std::size_t>(at.group)] += SetPoint::kSize;
  for (std::size_t g = 0; g < n; ++g)
    expects(
        state.groups[g].set_points.empty() || state.groups[g].set_points.size() == set_points[g],
        kOther);
}

State complete(const Model& model, State state) {
  expect_state_of(model, state);
  start_angles(model, state);
  return state;
}

}  // namespace

StepDriver::StepDriver(Model model, State state)
    : model_(std::move(model)),
      state_(complete(model_, std::move(state))),
      joints_(all_joints(model_)),
      tables_(model_),
      balance_(model_, joints_, state_),
      reactions_(model_),
      angles_(model_),
      ends_(state_.groups),
      pinned_(model_.groups().size(), 0) {
  const std::vector<GroupState> physical = state_.groups;
  if (state_.event_state.active) start_schemes(model_, state_, state_.groups);
  set_step(state_.h);  // determines which groups keep their operator
  tables_.make_islands();
  contacts_.reserve(model_.pairs().size());
  state_.contacts.reserve(model_.pairs().size());
  tables_.prepare_islands();
  reactions_.start(state_, prepared());
  if (state_.event_state.active) state_.groups = physical;
}

void StepDriver::estimate_by(StepEstimator* estimator) {
  estimator_ = estimator;
  tables_.store_lengths(state_.h);
}

void StepDriver::set_step(double h) {
  const bool there = tables_.stores_lengths() && tables_.exchange(h);
  if (!there) tables_.prepare(h);
  state_.h = h;
  balance_.start(state_);
  if (there) return;
  // Computes the constant factors, so that islands build their tables now rather than in the first
  // step.
  begin(h);
  tables_.prepare_islands();
}

// Predictors of all groups from the present state.
void StepDriver::begin(double h) {
  const std::span<Trial> trials = tables_.trials();
  for (std::size_t g = 0; g < trials.size(); ++g) {
    Trial& trial = trials[g];
    trial.t0 = state_.t;
    trial.h = h;
    trial.start = &state_.groups[g];
    trial.stage = trial.pass = 0;
    trial.failure = {};
    trial.stop = stop_;
    saltus::forget(trial.A);
    saltus::stop_by(trial.A, stop_);
    const auto island = static_cast<std::size_t>(model_.islands()[g]);
    if (island < islands().size() && islands()[island]) trial.r.setZero();  // stays 0 for others
    trial.ledger = model_.options().ledger && purpose_ == Purpose::counts;
    model_.groups()[g].scheme->begin(*model_.groups()[g].dynamics, trial);
  }
}

void StepDriver::use(double h) {
  if (h == state_.h) return;
  expects(h > 0.0 && std::isfinite(h), "the step must be positive and finite");
  for (std::size_t g = 0; g < state_.groups.size(); ++g) {
    const Group& group = model_.groups()[g];
    expects(!group.scheme->fixed_step(), "a group of this model has a scheme of fixed step");
    Vector v(group.dynamics->velocities());
    group.scheme->velocity(*group.dynamics, prepared()[g].get(), state_.t, state_.h,
                           state_.groups[g], v);
    state_.groups[g].v = v;
  }
  clear_solvers();
  const double before = state_.h;
  set_step(h);
  for (std::size_t g = 0; g < state_.groups.size(); ++g) {
    const Group& group = model_.groups()[g];
    GroupState started = state_.groups[g];
    group.scheme->change_step(*group.dynamics, prepared()[g].get(), state_.t, before, h, started);
    state_.groups[g] = started;  // into the same memory
  }
  if (purpose_ == Purpose::estimate) return;
  measure_energy_again();
}

// Records failures of a scheme, or of an iterative solution with its A, in the step.
bool StepDriver::failed(StepReport& report) {
  const std::span<Trial> trials = tables_.trials();
  for (Trial& trial : trials) {
    const SolveRecord solves = record(trial.A);
    report.linear_residual = std::max(report.linear_residual, solves.residual);
    if (trial.failure.empty()) trial.failure = solves.failure;
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

IslandStep StepDriver::of_island(std::size_t i) {
  return {model_,
          state_.h,
          state_.energy.kinetic + std::abs(state_.energy.potential),
          tables_.trials(),
          ends_,
          state_.contacts,
          state_.solvers[i],
          notices_,
          state_.broken,
          state_.energy.kinetic,
          purpose_ == Purpose::counts,
          stop_,
          observer_ != nullptr,
          reports_missed_};
}

StepInWork StepDriver::in_work() {
  return {state_, tables_.trials(), ends_, prepared(), islands()};
}

void StepDriver::step(double h, StepReport& report) {
  report.gap = std::numeric_limits<double>::infinity();
  begin(h);
  if (failed(report)) return;
  for (std::size_t i = 0; i < islands().size(); ++i) {
    if (!islands()[i]) continue;
    IslandStep at = of_island(i);
    islands()[i]->solve(at, report);
    if (observer_ && purpose_ == Purpose::counts && !stop_requested(stop_))
      islands()[i]->show(at, static_cast<int>(i), *observer_);
  }
  if (failed(report)) return;
  report.passes = std::max(report.passes, 1);
  finish(h);
  check(report);
  balance(report);
  if (report.finite) align(report);
  const bool closes = std::ranges::any_of(islands(), [](const std::unique_ptr<Island>& island) {
    return island && island->joints() && island->joints()->closes();
  });
  if ((model_.options().correct_positions || closes) && report.finite) project(report);
}

// The solved trials become the ends of the step.
void StepDriver::finish(double h) {
  const std::span<Trial> trials = tables_.trials();
  if (estimator_ && purpose_ == Purpose::counts)
    for (std::size_t g = 0; g < trials.size(); ++g)
      estimator_->accelerate(static_cast<int>(g), trials[g], h);
  for (std::size_t g = 0; g < trials.size(); ++g)
    model_.groups()[g].scheme->finish(*model_.groups()[g].dynamics, trials[g], ends_[g]);
  for (std::size_t g = 0; g < ends_.size(); ++g) {
    ends_[g].set_points = state_.groups[g].set_points;
    ends_[g].applied = state_.groups[g].applied;
  }
  const JointAngle* const doubtful =
      angles_.follow(joints_, state_.t, state_.groups, state_.t + h, ends_);
  if (purpose_ == Purpose::estimate) return;
  check_spins(h);
  if (doubtful)
    notices_.add(Notice::Kind::turn, doubtful->joint, doubtful->coordinate,
                 [&] { return turn_text(model_, *doubtful, h); });
}

// Checks the laws at the ends of the step and collects the impulses of its contacts.
void StepDriver::check(StepReport& report) {
  contacts_.clear();
  reactions_.impulses().clear();
  touches_.clear();
  for (std::size_t i = 0; i < islands().size(); ++i) {
    if (!islands()[i]) continue;
    IslandStep at = of_island(i);
    if (!aligns(i)) islands()[i]->check(at, report);
    const std::size_t earlier = contacts_.size();
    islands()[i]->remember(contacts_);
    if (estimator_)
      for (const ContactMemory& one : std::span(contacts_).subspan(earlier))
        touches_.push_back({one.key, static_cast<int>(i)});
    if (reactions_.any()) islands()[i]->point_impulses(reactions_.impulses());
  }
  if (islands().size() > 1)
    std::sort(contacts_.begin(), contacts_.end(),
              [](const auto& a, const auto& b) { return a.key < b.key; });
}

// Without an energy balance no sum covers all velocities, so they are checked for non-finite values
// in every 64th step.
void StepDriver::balance(StepReport& report) {
  if (purpose_ == Purpose::estimate) return;
  if (model_.options().ledger) {
    balance_.balance(in_work(), report);
  } else {
    balance_.skip(state_);
    if (state_.step % 64 == 0)
      for (const GroupState& end : ends_) report.finite = report.finite && end.v.allFinite();
  }
  if (!report.finite && report.group < 0) find_lost_group(report);
}

// Finds the first group whose motion or energy is not finite; -1: the failure is not that of one
// group.
void StepDriver::find_lost_group(StepReport& report) const {
  report.group = -1;
  for (std::size_t g = 0; g < ends_.size() && report.group < 0; ++g) {
    const GroupState& end = ends_[g];
    const Dynamics& body = *model_.groups()[g].dynamics;
    if (!end.q.allFinite() || !end.v.allFinite() ||
        !std::isfinite(body.energy(state_.t + state_.h, end.q, end.v).total()))
      report.group = static_cast<int>(g);
  }
}

// Reports rigid bodies that rotate by more than half a turn in a step: its positions do not
// determine the direction of rotation.
void StepDriver::check_spins(double h) {
  const double most = std::numbers::pi * std::numbers::pi / (h * h);
  for (std::size_t g = 0; g < ends_.size(); ++g) {
    if (!model_.groups()[g].dynamics->rigid()) continue;
    const Vector& v = ends_[g].v;
    for (int i = 0; 6 * i < v.size(); ++i) {
      const double spin = v.segment<3>(6 * i + 3).squaredNorm();
      if (!(spin > most)) continue;
      follows_.resize(ends_.size());
      if (follows_[g] == FollowsSpin::unknown)
        follows_[g] =
            follows_any_spin(*model_.groups()[g].scheme) ? FollowsSpin::yes : FollowsSpin::no;
      if (follows_[g] == FollowsSpin::yes) break;
      const int group = static_cast<int>(g);
      notices_.add(Notice::Kind::wrapped, -1 - group, i,
                   [&] { return spins_text(model_, group, i, h * std::sqrt(spin), h); });
    }
  }
}

/// True if align() changes the velocities of an island.
bool StepDriver::aligns(std::size_t i) const {
  return islands()[i] && islands()[i]->joints() && islands()[i]->joints()->aligns();
}

// For joints at level both, with step-size control and where rates jump: projects the velocities of
// the finished step onto the joints as well, then checks the laws. The work for rates that jump is
// done by the drives.
void StepDriver::align(StepReport& report) {
  for (std::size_t i = 0; i < islands().size(); ++i) {
    if (!aligns(i)) continue;
    IslandStep at = of_island(i);
    const double work = islands()[i]->finish(at);
    islands()[i]->check(at, report);
    if (model_.options().ledger) balance_.add_joint_work(work, islands()[i]->joints()->jumps());
  }
}

Energy StepDriver::energy_of_ends() const {
  Energy sum;
  for (std::size_t g = 0; g < ends_.size(); ++g) {
    const Energy e =
        model_.groups()[g].dynamics->energy(state_.t + state_.h, ends_[g].q, ends_[g].v);
    sum.kinetic += e.kinetic, sum.potential += e.potential;
  }
  return sum;
}

// Constraint projection of the positions, and of joints whose rates jumped: its energy change
// counts as projection.
void StepDriver::project(StepReport& report) {
  const bool ledger = model_.options().ledger;
  const Energy before = ledger ? energy_of_ends() : Energy{};
  bool moved = false;
  for (std::size_t i = 0; i < islands().size(); ++i) {
    if (!islands()[i]) continue;
    IslandStep at = of_island(i);
    moved = islands()[i]->project(at, report) || moved;
  }
  if (!moved) return;
  report.gap = std::numeric_limits<double>::infinity();
  report.joint_gap = 0.0;
  for (std::size_t i = 0; i < islands().size(); ++i) {
    if (!islands()[i]) continue;
    IslandStep at = of_island(i);
    islands()[i]->measure_gaps(at, report);
  }
  if (!ledger) return;
  Energy change = energy_of_ends();
  change.kinetic -= before.kinetic;
  change.potential -= before.potential;
  balance_.add_projection(in_work(), change);
}

void StepDriver::take_over(StepDriver& other, bool keep_notices) {
  if (keep_notices) notices_ = std::move(other.notices_);
  pinned_ = other.pinned_;
  observer_ = other.observer_;
  stop_ = other.stop_;
}

// Some energy measures depend on the step length or on forces; such changes count as work of the
// scheme.
void StepDriver::measure_energy_again() {
  const double before = state_.energy.total();
  state_.energy = energy_of(model_, prepared(), state_.t, state_.h, state_.groups);
  state_.energy.potential += balance_.stored().all;
  if (model_.options().ledger)
    state_.ledger[state_.ledger.size() - 2] += state_.energy.total() - before;
}

void StepDriver::commit(double t1) {
  if (reactions_.any()) reactions_.update(state_.h, state_, ends_, contacts_, islands());
  std::swap(state_.groups, ends_);
  for (std::size_t g = 0; g < pinned_.size(); ++g) {
    if (!pinned_[g]) continue;  // views point to the old state: the new one replaces it
    ends_[g].q = state_.groups[g].q;
    ends_[g].v = state_.groups[g].v;
    ends_[g].q.swap(state_.groups[g].q);
    ends_[g].v.swap(state_.groups[g].v);
  }
  // Schemes pass their iterate to the end by swapping buffers: returning the old state to the trial
  // keeps a step on two sets of arrays instead of three, which fit into the cache.
  const std::span<Trial> trials = tables_.trials();
  for (std::size_t g = 0; g < trials.size(); ++g) {
    trials[g].q.swap(ends_[g].q);
    trials[g].v.swap(ends_[g].v);
  }
  state_.contacts.swap(contacts_);
  balance_.commit(state_);
  state_.t = t1;
  contacts_known_ = true;
  const auto earlier = static_cast<std::ptrdiff_t>(state_.broken.size());
  for (const auto& island : islands())
    if (island && island->joints()) island->joints()->breakable().append_broken(t1, state_.broken);
  std::sort(state_.broken.begin() + earlier, state_.broken.end(),
            [](const BrokenJoint& a, const BrokenJoint& b) { return a.joint < b.joint; });
}

bool StepDriver::dropped(StepReport& report) const {
  if (!stop_requested(stop_)) return false;
  report.converged = report.finite = false;
  report.failure = kStopRequested;
  return true;
}

void StepDriver::clear_solvers() {
  for (SolverMemory& memory : state_.solvers) memory = {};
}

void StepDriver::reset() {
  contacts_known_ = false;
  notices_.drop();
  clear_solvers();
  for (const auto& island : islands())
    if (island) island->forget();
}

void StepDriver::store_solvers() {
  solvers_before_.resize(state_.solvers.size());
  for (std::size_t i = 0; i < state_.solvers.size(); ++i) {
    const SolverMemory& now = state_.solvers[i];
    solvers_before_[i].active.assign(now.active.begin(), now.active.end());
    solvers_before_[i].factor.assign(now.factor.begin(), now.factor.end());
    solvers_before_[i].changes = now.changes;
  }
}
void StepDriver::restore_solvers() {
  for (std::size_t i = 0; i < state_.solvers.size(); ++i) state_.solvers[i] = solvers_before_[i];
}

void StepDriver::put_back(const State& before) {
  state_ = before;
  if (state_.event_state.active) {
    contacts_known_ = false;
    return;
  }
  set_step(state_.h);
  reset();
}

void StepDriver::recover(const State* before) {
  usable_ = false;  // unless everything below succeeds
  for (Trial& trial : tables_.trials()) trial.factorised = false;  // it may be incomplete
  purpose_ = Purpose::counts;
  tables_.clear();
  if (before)
    put_back(*before);
  else
    reset();
  usable_ = true;
}

std::array<Vector3, 2> StepDriver::joint_load(std::size_t i) const {
  const Joint& of = model_.joints()[i];
  const auto island = static_cast<std::size_t>(
      model_.islands()[static_cast<std::size_t>(of.a.group >= 0 ? of.a.group : of.b.group)]);
  const IslandJoints* const here = islands()[island]->joints();
  if (!here) return {Vector3::Zero(), Vector3::Zero()};
  return here->loads().mean()[i];
}

void StepDriver::add_forces(double fraction, IntervalForces& sum) {
  sum.add_reactions(fraction, reactions_.values());
  for (std::size_t i = 0; i < model_.joints().size(); ++i) sum.add_load(fraction, i, joint_load(i));
  const bool asked = std::ranges::any_of(model_.probes(), [](const Probe& probe) {
    return probe.quantity == Probe::Quantity::contact_force ||
           probe.quantity == Probe::Quantity::support;
  });
  if (!asked && model_.joint_laws().empty()) return;
  seen_.clear();
  for (const auto& island : islands())
    if (island) island->see(model_, 0.0, seen_);
  place_contacts(model_, state_.t, state_.h, state_.groups, seen_, views_);
  for (const ContactView& view : views_) sum.add_contact(fraction, state_.h, view);
}

}  // namespace saltus

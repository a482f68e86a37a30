#include "saltus/sim/energy_balance.h"

#include <algorithm>
#include <cmath>

#include "saltus/math/kernels.h"

namespace saltus {

EnergyBalance::EnergyBalance(const Model& model, JointSystem& joints, const State& state)
    : model_(model), joints_(joints), springs_(model), ledger_(state.ledger) {
  const auto accounts = model.accounts();
  Eigen::Index widest = 0;
  for (const Group& group : model.groups()) {
    const Dynamics& body = *group.dynamics;
    widest = std::max(widest, static_cast<Eigen::Index>(body.velocities()));
    by_source_.emplace_back(body.sources().size(), 0.0);
    std::vector<int> entry;
    for (const Source& source : body.sources())
      entry.push_back(source.potential ? -1
                                       : static_cast<int>(std::find(accounts.begin(),
                                                                    accounts.end(), source.name) -
                                                          accounts.begin()));
    source_.push_back(entry);
  }
  w_.resize(widest);
  r_.resize(widest);
  for (int i = 0; i < static_cast<int>(accounts.size()); ++i) {
    const auto& name = accounts[static_cast<std::size_t>(i)];
    if (name == "friction") friction_ = i;
    if (name == "projection") projection_ = i;
    if (name == "prescribed") prescribed_ = i;
    if (name == "joints") of_joints_ = i;
    if (name == "damping") damping_ = i;
    if (name == "actuators") actuators_ = i;
  }
}

void EnergyBalance::start(const State& state) {
  if (springs_.any()) stored_ = springs_.stored(joints_, state.t, state.groups);
}

void EnergyBalance::skip(const State& state) {
  std::copy(state.ledger.begin(), state.ledger.end(), ledger_.begin());
  energy_ = state.energy;
}

// Moves prescribed values from where they were during the step to where they are at its end.
// Returns the resulting energy change V(q1, u1) - V(q1, u0), which is work of the prescribed
// motion, and sets E to the energy there.
double EnergyBalance::prescribed_work(const StepInWork& step, std::size_t g, Energy& E) const {
  const Group& group = model_.groups()[g];
  if (!has(group.dynamics->traits(), Trait::driven)) return 0.0;
  const double t1 = step.state.t + step.state.h, before = E.total();
  E = group.scheme->energy(*group.dynamics, step.prepared[g].get(), t1, step.state.h, step.ends[g]);
  return E.total() - before;
}

void EnergyBalance::add_group(const StepInWork& step, std::size_t g, StepReport& report,
                              Sums& sums) {
  const Group& group = model_.groups()[g];
  StepWork work{by_source_[g]};
  group.scheme->work(*group.dynamics, step.trials[g], step.ends[g], work);
  const double moved = prescribed_work(step, g, work.energy);
  if (prescribed_ >= 0) {
    entry(prescribed_) += moved;
    sums.explained += moved;
  }
  energy_.kinetic += work.energy.kinetic;
  energy_.potential += work.energy.potential;
  for (std::size_t s = 0; s < source_[g].size(); ++s)
    if (source_[g][s] >= 0) {
      entry(source_[g][s]) += by_source_[g][s];
      sums.explained += by_source_[g][s];
    }
  ledger_[ledger_.size() - 2] += work.scheme;
  sums.explained += work.scheme + work.projection;
  if (work.projection != 0.0) entry(projection_) += work.projection;
  add_impulses(step, g, report, sums);
}

// Work of the impulses on a group, r . w.
void EnergyBalance::add_impulses(const StepInWork& step, std::size_t g, StepReport& report,
                                 Sums& sums) {
  const Island* const island = step.islands[static_cast<std::size_t>(model_.islands()[g])].get();
  if (!island || (report.contacts == 0 && !island->joints())) return;
  Trial& trial = step.trials[g];
  const auto n = static_cast<Eigen::Index>(trial.r.size());
  model_.groups()[g].scheme->work_velocity(trial, step.ends[g], w_.head(n));
  const auto work_of = [&](ImpulseOf part) {
    return island->impulse(part, static_cast<int>(g), r_.head(n))
               ? dot(static_cast<int>(n), r_.data(), w_.data())
               : 0.0;
  };
  const double of_joints = work_of(ImpulseOf::joints);
  report.joints += of_joints;
  report.impact -= of_joints;
  report.impact += dot(static_cast<int>(n), trial.r.data(), w_.data());
  sums.damping += work_of(ImpulseOf::dampers);
  sums.stops += work_of(ImpulseOf::stops);
  if (actuators_ >= 0) sums.actuators += work_of(ImpulseOf::actuators);
  if (friction_ >= 0) report.friction += work_of(ImpulseOf::friction);
}

// Contact work is that on the relative motion; the work of a moving support on the bodies in
// contact with it is work of its drive.
void EnergyBalance::add_drift_work(const StepInWork& step, StepReport& report, Sums& sums) {
  for (const auto& island : step.islands) {
    if (!island) continue;
    const DriftWork drift = island->drift_work();
    report.impact += drift.normal + drift.stops;
    sums.stops += drift.stops;
    report.friction += drift.friction;
    report.joints += drift.joints;
    sums.damping += drift.damping;
    const double drive = drift.normal + drift.stops + drift.friction + drift.joints + drift.damping;
    entry(prescribed_) -= drive;
    sums.explained -= drive;
  }
}

void EnergyBalance::balance(const StepInWork& step, StepReport& report) {
  const State& state = step.state;
  std::copy(state.ledger.begin(), state.ledger.end(), ledger_.begin());
  const std::size_t impact = ledger_.size() - 3, unexplained = ledger_.size() - 1;
  energy_ = {};
  Sums sums;
  for (std::size_t g = 0; g < step.trials.size(); ++g) add_group(step, g, report, sums);
  report.impact -= report.friction + sums.damping + sums.actuators;
  if (prescribed_ >= 0 && (report.contacts > 0 || !model_.joints().empty()))
    add_drift_work(step, report, sums);
  if (springs_.any()) {  // energy stored by contact springs is not lost
    stored_end_ = springs_.stored(joints_, state.t + state.h, step.ends);
    energy_.potential += stored_end_.all;
    report.impact += stored_end_.all - stored_.all;
    sums.stops += stored_end_.joints - stored_.joints;
  }
  if (of_joints_ >= 0) {
    entry(of_joints_) += report.joints + sums.stops;
    sums.explained += report.joints;
  }
  if (sums.damping != 0.0) {
    entry(damping_) += sums.damping;
    sums.explained += sums.damping;
  }
  if (actuators_ >= 0) {
    entry(actuators_) += sums.actuators;
    sums.explained += sums.actuators;
  }
  if (friction_ >= 0) entry(friction_) += report.friction;
  ledger_[impact] += report.impact - sums.stops;
  sums.explained += report.impact + report.friction;
  report.unexplained = energy_.total() - state.energy.total() - sums.explained;
  ledger_[unexplained] += report.unexplained;
  report.finite = report.finite && std::isfinite(energy_.total());
}

void EnergyBalance::add_joint_work(double work, bool drives) {
  energy_.kinetic += work;
  entry(drives && prescribed_ >= 0 ? prescribed_ : projection_) += work;
}

void EnergyBalance::add_projection(const StepInWork& step, const Energy& change) {
  const double T = change.kinetic;
  double V = change.potential;
  if (springs_.any()) {
    const StoredEnergy before = std::exchange(
        stored_end_, springs_.stored(joints_, step.state.t + step.state.h, step.ends));
    V += stored_end_.all - before.all;
  }
  energy_.kinetic += T;
  energy_.potential += V;
  entry(projection_) += T + V;
}

void EnergyBalance::commit(State& state) {
  state.ledger.swap(ledger_);
  state.energy = energy_;
  stored_ = stored_end_;
}

}  // namespace saltus

#include "saltus/assembly/island_projection.h"

#include "saltus/state/failure_words.h"

namespace saltus {

void IslandProjection::fail(StepReport& report) const {
  report.group = list_.members().front().group;
  report.failure = failure::kNoPlace;
}

/// Sets trial.A = M at the end states, given by m.q.
void IslandProjection::masses(IslandStep& step) {
  for (ContactList::Member& m : list_.members()) {
    Trial& trial = trial_of(step, m);
    if (trial.v.size() > 0)
      group(m).dynamics->factorise({1.0, 0.0, 0.0}, trial.t0 + trial.h, m.q, trial.start->v,
                                   trial.A);
    trial.factorised = false;
  }
}

/// Sets the members to the end states.
void IslandProjection::sync(IslandStep& step) {
  for (ContactList::Member& m : list_.members())
    if (trial_of(step, m).v.size() > 0) m.q = end_of(step, m);
}

/// Moves the end states by h M^-1 (r + G^T L), with joints closed; r is 0 afterwards.
void IslandProjection::move(IslandStep& step) {
  if (!joints_.empty()) joints_.add_impulses(step);
  for (ContactList::Member& m : list_.members()) {
    Trial& trial = trial_of(step, m);
    Vector& q = end_of(step, m);
    if (trial.v.size() == 0) continue;
    saltus::solve(trial.A, trial.r);
    trial.r *= step.h;
    group(m).dynamics->retract(q, trial.r, m.q);
    q = m.q;
    trial.r.setZero();
  }
}

bool IslandProjection::close_joints(IslandStep& step, StepReport& report) {
  for (ContactList::Member& m : list_.members()) {
    m.q = m.axes = end_of(step, m);
    trial_of(step, m).r.setZero();
  }
  masses(step);
  report.finite = joints_.begin(step) && report.finite;
  if (!report.finite) return false;
  joints_.close(step);
  sync(step);
  masses(step);
  report.finite = joints_.restore_rates(step) && report.finite;
  return true;
}

// Detects the contacts between shapes at the end states and assembles W. Returns false if it is not
// finite.
bool IslandProjection::gather(IslandStep& step, double t) {
  for (ContactList::Member& m : list_.members()) m.q = m.axes = end_of(step, m);
  list_.detect(t);
  problem_.resize();
  problem_.drop_impulses();
  list_.make_rows(step.trials, problem_.motion.u0);
  problem_.clear();
  for (std::size_t i = list_.named(); i < list_.count(); ++i) problem_.take(i, {});
  problem_.size_rows();
  masses(step);
  return (joints_.empty() || joints_.begin(step)) && problem_.assemble(step);
}

bool IslandProjection::separate(IslandStep& step, StepReport& report, double gap) {
  const double t = step.trials.front().t0 + step.h, deepest = -gap;
  const auto at_end = [&](const ContactList::Member& m) -> Vector& { return end_of(step, m); };
  const bool finite = gather(step, t);
  if (problem_.empty()) return false;
  if (!finite) {
    report.finite = false;
    fail(report);
    return false;
  }
  constexpr int kPasses = 4;
  bool moved = false;
  for (int pass = 0; pass < kPasses && gap < -1e-3 * deepest; ++pass) {
    list_.gaps(t, at_end, problem_.motion.y);
    const SolveReport found = problem_.close_gaps(step);
    report.iterations += found.iterations;
    if (!found.converged) {
      report.converged = false;
      fail(report);
      break;
    }
    for (std::size_t k = 0; k < list_.members().size(); ++k) {
      Trial& trial = trial_of(step, list_.members()[k]);
      if (trial.v.size() == 0) continue;
      trial.r.setZero();
      problem_.add_impulses(problem_.impulses(), k, trial.r);
    }
    move(step);
    if (!joints_.empty()) {  // the rotation of a move leaves gaps in the joints
      joints_.close(step);
      sync(step);
    }
    moved = true;
    gap = list_.least_gap(t, at_end);
  }
  if (moved && !joints_.empty()) {
    masses(step);
    report.finite = joints_.restore_rates(step) && report.finite;
  }
  return moved;
}

}  // namespace saltus

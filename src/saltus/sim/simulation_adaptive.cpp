// An interval H covered by steps whose lengths follow an error estimate by step doubling. Of each step:
//
//   estimate   one step of s, which leaves no trace but where it ends
//   take       the same way in two steps of s/2, which count
//   judge      the estimator compares the two ends (time_stepping/step_control.h): the step counts, or everything goes back to its start
//
// Few different lengths occur, so their factors and tables are kept: take_tables(). Theory and measurements:
// docs/theory/adaptive-stepping.md.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "saltus/base/error.h"
#include "saltus/base/stop.h"
#include "saltus/sim/simulation_internal.h"

namespace saltus {
namespace {

constexpr int kMostTries = 100'000;  // steps in an interval, rejected ones too
constexpr double kSlack = 0.25;  // share of the tolerance for a step with a sudden change of force
constexpr std::string_view kTooManySteps =
    "the step control needs more than 100000 steps for an interval to meet time.tolerance";

/// The points between t and t1; those that are on an end but for round-off lie outside.
std::span<const double> points_within(std::span<const double> points, double t, double t1) {
  const double round_off = 1e-9 * (t1 - t);
  const auto first = std::ranges::upper_bound(points, t + round_off),
             end = std::ranges::lower_bound(points, t1 - round_off);
  return first < end ? std::span<const double>(first, end) : std::span<const double>();
}

/// Whether functions of time with these points bend in a step of s where its error would not tell. A midpoint rule of s and
/// of its halves looks at quarters: it sees one point in the middle half. Beyond the quarters, with d between the point and
/// the end of the step, L to the next point, what bends by k there leaves k d^2/2 unseen: below the tolerance of the step
/// where d^2 <= 2 tolerance s L, since what comes of the whole piece is of size k L H.
bool bends_unseen(std::span<const double> points, double t, double s, double tolerance) {
  const std::span<const double> within = points_within(points, t, t + s);
  if (within.empty()) return false;
  if (within.back() - within.front() > 1e-9 * s) return true;  // a whole piece
  const double before = within.front() - t, after = t + s - within.back(),
               d = std::min(before, after);
  if (d >= 0.25 * s) return false;
  const double* const first = within.data();
  const double* const end = first + within.size();
  double L = s;
  if (before < after)
    L = first == points.data() ? s : std::min(s, *first - *(first - 1));
  else if (end != points.data() + points.size())
    L = std::min(s, *end - *(end - 1));
  return d * d > 2.0 * tolerance * s * L;
}

}  // namespace

Simulation::Work::Adaptive::Adaptive(const Model& model, double h)
    : estimator(model, model.options().step_tolerance), length(h) {
  const Breaks breaks = model.breaks();
  std::ranges::set_union(breaks.ends, breaks.jumps, std::back_inserter(points));
  Eigen::Index size = 0;
  for (const Group& group : model.groups()) size += group.dynamics->velocities();
  most = size <= 200 ? 64 : size <= 2000 ? 16 : 6;
  loads.assign(model.joints().size(), {Vector3::Zero(), Vector3::Zero()});
}

// The tables of an island that keeps some are for one h: the same island without them.
std::unique_ptr<Island> Simulation::Work::island_with_tables(std::size_t island) const {
  std::vector<int> groups, pairs;
  for (std::size_t i = 0; i < model.pairs().size(); ++i)
    if (model.islands()[static_cast<std::size_t>(model.pairs()[i].a.group)] ==
        static_cast<int>(island))
      pairs.push_back(static_cast<int>(i));
  for (std::size_t g = 0; g < model.groups().size(); ++g)
    if (model.islands()[g] == static_cast<int>(island)) groups.push_back(static_cast<int>(g));
  return fixed_island(model, groups, std::move(pairs));
}

// Puts the tables in use away and takes those for h. False: there were none, and the new ones have to be filled.
bool Simulation::Work::take_tables(double h) {
  Adaptive& a = *adaptive;
  bool there = h == a.length;
  if (!there) {
    Tables old{a.length, std::move(prepared), std::move(trials), {}}, taken;
    old.islands.resize(islands.size());
    taken.islands.resize(islands.size());
    const auto found = std::ranges::find(a.kept, h, &Tables::h);
    there = found != a.kept.end();
    if (there) {
      taken = std::move(*found);
      a.kept.erase(found);
    } else {
      taken.trials.resize(old.trials.size());
      for (std::size_t g = 0; g < taken.trials.size(); ++g) {
        Trial& trial = taken.trials[g];
        trial.q.resize(old.trials[g].q.size());
        trial.v.resize(old.trials[g].v.size());
        trial.v_free.resize(old.trials[g].v_free.size());
        trial.r = Vector::Zero(old.trials[g].r.size());
      }
    }
    for (std::size_t i = 0; i < islands.size(); ++i) {
      if (!tabled[i]) continue;
      old.islands[i] = std::move(islands[i]);
      islands[i] = there ? std::move(taken.islands[i]) : island_with_tables(i);
    }
    prepared = std::move(taken.prepared);
    trials = std::move(taken.trials);
    if (a.length > 0.0) a.kept.insert(a.kept.begin(), std::move(old));
    if (a.kept.size() > a.most) a.kept.pop_back();
    a.length = h;
  }
  for (auto& island : islands)
    if (island) island->forget();  // of another step
  return there;
}

// Exactly what it was, solver memories included.
void Simulation::Work::restore(const State& from) {
  state = from;
  set_step(state.h);
  touched = false;
  notices.drop();
}

// q, physical v at t, and the contacts of the step in work.
void Simulation::Work::reached(std::span<const GroupState> groups, double t, double h,
                               StepEnd& end) {
  end.q.resize(groups.size());
  end.v.resize(groups.size());
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const Group& group = model.groups()[g];
    end.q[g] = groups[g].q;
    end.v[g].resize(group.dynamics->velocities());
    group.scheme->velocity(*group.dynamics, prepared[g].get(), t, h, groups[g], end.v[g]);
  }
  end.touches = adaptive->touches;
  std::ranges::sort(end.touches, {}, &Touch::key);
}

// What closed in the step in work, and on which bodies.
void Simulation::Work::find_closings(const StepEnd& start, const StepEnd& end) {
  Adaptive& a = *adaptive;
  new_touches(start.touches, end.touches, a.closed);
  for (std::size_t i = 0; i < islands.size(); ++i) {
    const auto here = [&](const Touch& x) { return x.island == static_cast<int>(i); };
    if (std::ranges::none_of(a.closed, here)) continue;
    a.seen.clear();
    islands[i]->see(model, kAllContacts, a.seen);
    for (const SeenContact& one : a.seen)
      if (std::ranges::any_of(a.closed,
                              [&](const Touch& x) { return here(x) && x.key == one.view.key; }))
        a.estimator.closed({static_cast<int>(i), one.view.a, one.view.b, 0.0});
  }
}

// Contacts looked for before the end of a step may be found one step late: open, and below since the second half.
void Simulation::Work::find_missed(double t, double h, bool second) {
  Adaptive& a = *adaptive;
  const auto before = std::move(a.open);
  a.open.clear();
  for (std::size_t i = 0; i < islands.size(); ++i) {
    if (!islands[i]) continue;
    a.seen.clear();
    islands[i]->see(model, kAllContacts, a.seen);
    place_contacts(model, t, h, ends, a.seen, a.views);
    for (const ContactView& one : a.views) {
      if (one.status != ContactView::Status::open) continue;
      a.open.emplace_back(one.key, one.gap);
      if (!second || !(one.gap < 0.0)) continue;
      const auto old = std::ranges::find(before, one.key, &std::pair<std::uint64_t, double>::first);
      if (old != before.end() && old->second >= 0.0)
        a.estimator.missed({static_cast<int>(i), one.a, one.b, (old->second - one.gap) / h});
    }
  }
}

void Simulation::Work::add_forces(double share) {
  Adaptive::Forces& sum = adaptive->forces;
  for (std::size_t g = 0; g < reactions.size(); ++g) sum.reactions[g] += share * reactions[g];
  for (std::size_t i = 0; i < sum.loads.size(); ++i) {
    const auto load = joint_load(i);
    for (std::size_t k = 0; k < 2; ++k) sum.loads[i][k] += share * load[k];
  }
}

// One step of s to adaptive->coarse; the state is then as before.
bool Simulation::Work::estimate(double s, StepReport& report) {
  Adaptive& a = *adaptive;
  a.estimating = true;
  use(s);
  step(s, report);
  dropped(report);
  if (report.finite) reached(ends, state.t + s, s, a.coarse);
  a.estimating = false;
  restore(a.from);
  return report.finite && (report.converged || model.options().on_failure == OnFailure::accept);
}

// The same way in two steps, which count unless they are taken back: adaptive->half and fine.
bool Simulation::Work::take(double s, double t_mid, double t_end, double share,
                            StepReport& report) {
  Adaptive& a = *adaptive;
  const double h = 0.5 * s;
  const bool may_miss = model.options().instant != ContactInstant::end;
  a.forces_before = a.forces;
  a.open.clear();
  use(h);
  for (const bool second : {false, true}) {
    const StepReport first = report;
    report = {};
    step(h, report);
    if (dropped(report) || !report.finite ||
        (!report.converged && model.options().on_failure != OnFailure::accept))
      return false;
    if (may_miss && (!second || report.gap < 0.0)) find_missed(state.t + h, h, second);
    if (second) {
      add_earlier(report, first);
      if (!first.converged) {
        report.converged = false;
        report.group = first.group;
        report.failure = first.failure;
      }
    }
    StepEnd& end = second ? a.fine : a.half;
    reached(ends, state.t + h, h, end);
    find_closings(second ? a.half : a.start, end);
    commit(second ? t_end : t_mid);
    add_forces(0.5 * share);
  }
  return true;
}

// The interval in steps whose lengths follow their error. A step that is rejected leaves no trace; an interval that fails
// neither.
void Simulation::Work::cover(double H, double t1, StepReport& report) {
  expects(H > 0.0 && std::isfinite(H), "the step must be positive and finite");
  Adaptive& a = *adaptive;
  const OnFailure policy = model.options().on_failure;
  const double t0 = state.t;
  const std::vector<Vector> reactions_before = reactions;
  a.before = state;
  a.forces.reactions = reactions;
  for (Vector& r : a.forces.reactions) r.setZero();
  a.forces.loads.assign(a.loads.size(), {Vector3::Zero(), Vector3::Zero()});
  reached(state.groups, state.t, state.h, a.start);
  a.start.touches.clear();
  for (const ContactMemory& one : state.contacts) a.start.touches.push_back({one.key, 0});

  const double tolerance = model.options().step_tolerance;
  StepLadder ladder(state.lane, H);
  StepReport sum;
  sum.steps = 0;
  sum.gap = std::numeric_limits<double>::infinity();
  bool estimated = false;  // coarse is there already
  for (int tries = 0; !ladder.done(); ++tries) {
    while (bends_unseen(a.points, t0 + H * ladder.at(0.0), H * ladder.length(), tolerance) &&
           ladder.shorten())
      estimated = false;
    const double share = ladder.length(), s = H * share, end = ladder.at(1.0);
    a.from = state;
    a.estimator.begin(s, H);
    StepReport made;
    bool good = estimated || estimate(s, made);
    if (good) {
      made = {};
      good = take(s, t0 + H * ladder.at(0.5), end == 1.0 ? t1 : t0 + H * end, share, made);
    }
    StepEstimator::Verdict verdict;
    if (good) {
      // What sets out from rest on a bend has an error that falls no faster than the step, as a sudden change.
      const bool bends = !points_within(a.points, t0 + H * ladder.at(0.0), t0 + H * end).empty();
      const std::size_t all = std::max<std::size_t>(1, points_within(a.points, t0, t1).size());
      const double slack = ladder.stubborn() ? kSlack
                           : bends           ? kSlack / static_cast<double>(all)
                                             : 0.0;
      verdict = a.estimator.judge(t0 + H * end, a.start, a.coarse, a.half, a.fine, slack);
      good = made.finite = verdict.finite;
    }
    const bool gives_up = tries >= kMostTries;
    if (good && !gives_up && (verdict.ratio <= 1.0 || ladder.finest() || !made.converged)) {
      ladder.accept(verdict.ratio, verdict.impact);
      notices.accept();
      std::swap(a.start, a.fine);
      estimated = false;
      add_earlier(made, sum);
      made.steps = sum.steps + 2;
      made.rejected = sum.rejected;
      made.error = worse(sum.error, verdict.error);
      if (!sum.converged) {
        made.converged = false;
        made.group = sum.group;
        made.failure = sum.failure;
      }
      sum = made;
      continue;
    }
    if (gives_up) {
      made.converged = made.finite = false;
      made.failure = kTooManySteps;
    }
    const bool stopped = is_stop(made.failure);
    // A shorter step may count an angle that a long one cannot.
    const bool shortens = policy == OnFailure::halve || made.joint_law >= 0;
    if (gives_up || stopped || (!good && (!shortens || ladder.finest()))) {
      restore(a.before);
      reactions = reactions_before;
      report = made;
      report.steps = sum.steps;
      report.rejected = sum.rejected;
      report.error = worse(sum.error, verdict.error);
      return;
    }
    restore(a.from);
    a.forces = a.forces_before;
    ++sum.rejected;
    if (good) {
      // The first of the two short steps is what a step of half the length would give.
      estimated = ladder.reject(verdict.ratio, verdict.impact) == 1;
      if (estimated) std::swap(a.coarse, a.half);
    } else {
      ladder.fail();
      estimated = false;
    }
  }
  ladder.keep(state.lane);
  if (reacts) reactions.swap(a.forces.reactions);
  a.loads.swap(a.forces.loads);
  report = sum;
}

}  // namespace saltus

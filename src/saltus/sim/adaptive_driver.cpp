#include "saltus/sim/adaptive_driver.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <string_view>

#include "saltus/base/error.h"
#include "saltus/base/stop.h"
#include "saltus/state/failure_words.h"

namespace saltus {
namespace {

constexpr int kMostTries = 100'000;  // steps in an interval, including rejected ones
// fraction of the tolerance for a step with a sudden change of force
constexpr double kSlack = 0.25;
constexpr std::string_view kTooManySteps =
    "the step control needs more than 100000 steps for an interval to meet time.tolerance";

/// The breakpoints between t and t1; those that coincide with an end up to round-off are excluded.
std::span<const double> points_within(std::span<const double> points, double t, double t1) {
  const double round_off = 1e-9 * (t1 - t);
  const auto first = std::ranges::upper_bound(points, t + round_off),
             end = std::ranges::lower_bound(points, t1 - round_off);
  return first < end ? std::span<const double>(first, end) : std::span<const double>();
}

/// True if functions of time with these breakpoints have a kink in a step of s that its error
/// estimate would not detect. A midpoint rule of s and of its halves evaluates at the quarters, so
/// it detects one breakpoint in the middle half. Outside the quarters, with d between the
/// breakpoint and the end of the step and L to the next breakpoint, a kink k there causes an
/// undetected error k d^2/2. This is below the tolerance of the step if d^2 <= 2 tolerance s L,
/// since the effect of the whole piece is of size k L H.
bool bends_undetected(std::span<const double> points, double t, double s, double tolerance) {
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

AdaptiveDriver::AdaptiveDriver(StepDriver& steps)
    : steps_(steps), estimator_(steps.model(), steps.model().options().step_tolerance) {
  const Breaks breaks = steps.model().breaks();
  std::ranges::set_union(breaks.ends, breaks.jumps, std::back_inserter(points_));
  last_.begin(steps.reactions().values(), steps.model().joints().size());
  steps.estimate_by(&estimator_);
}

// Restores the state exactly, including solver memories.
void AdaptiveDriver::restore(const State& from) {
  steps_.state() = from;
  steps_.set_step(from.h);
  steps_.set_contacts_known(false);
  steps_.notices().drop();
}

// q, physical v at t, and the contacts of the current step.
void AdaptiveDriver::read_end(std::span<const GroupState> groups, double t, double h,
                              StepEnd& end) {
  end.q.resize(groups.size());
  end.v.resize(groups.size());
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const Group& group = steps_.model().groups()[g];
    end.q[g] = groups[g].q;
    end.v[g].resize(group.dynamics->velocities());
    group.scheme->velocity(*group.dynamics, steps_.prepared()[g].get(), t, h, groups[g], end.v[g]);
  }
  end.touches = steps_.touches();
  std::ranges::sort(end.touches, {}, &Touch::key);
}

// Contacts that closed in the current step, and their bodies.
void AdaptiveDriver::find_closings(const StepEnd& start, const StepEnd& end) {
  new_touches(start.touches, end.touches, closed_);
  for (std::size_t i = 0; i < steps_.islands().size(); ++i) {
    const auto here = [&](const Touch& x) { return x.island == static_cast<int>(i); };
    if (std::ranges::none_of(closed_, here)) continue;
    contacts_.clear();
    steps_.islands()[i]->see(steps_.model(), kAllContacts, contacts_);
    for (const SeenContact& one : contacts_)
      if (std::ranges::any_of(closed_,
                              [&](const Touch& x) { return here(x) && x.key == one.view.key; }))
        estimator_.closed({static_cast<int>(i), one.view.a, one.view.b, 0.0});
  }
}

// If contacts are detected before the end of a step, they may be found one step late: still open,
// but penetrated since the second half.
void AdaptiveDriver::find_missed(double t, double h, bool second) {
  const auto before = std::move(open_);
  open_.clear();
  for (std::size_t i = 0; i < steps_.islands().size(); ++i) {
    if (!steps_.islands()[i]) continue;
    contacts_.clear();
    steps_.islands()[i]->see(steps_.model(), kAllContacts, contacts_);
    place_contacts(steps_.model(), t, h, steps_.ends(), contacts_, views_);
    for (const ContactView& one : views_) {
      if (one.status != ContactView::Status::open) continue;
      open_.emplace_back(one.key, one.gap);
      if (!second || !(one.gap < 0.0)) continue;
      const auto old = std::ranges::find(before, one.key, &std::pair<std::uint64_t, double>::first);
      if (old != before.end() && old->second >= 0.0)
        estimator_.missed({static_cast<int>(i), one.a, one.b, (old->second - one.gap) / h});
    }
  }
}

// Makes one step of s and stores its end in `coarse_`; then restores the state.
bool AdaptiveDriver::estimate(double s, StepReport& report) {
  steps_.set_purpose(StepDriver::Purpose::estimate);
  steps_.use(s);
  steps_.step(s, report);
  steps_.dropped(report);
  if (report.finite) read_end(steps_.ends(), steps_.state().t + s, s, coarse_);
  steps_.set_purpose(StepDriver::Purpose::counts);
  restore(from_);
  return report.finite && !report.missed.any() &&
         (report.converged || steps_.model().options().on_failure == OnFailure::accept);
}

// Makes two steps over the same time, with ends `half_` and `fine_`; they count unless they are
// rejected.
bool AdaptiveDriver::take(const Interval& now, StepReport& report) {
  const StepOptions& options = steps_.model().options();
  const double fraction = now.ladder.length(), h = 0.5 * (now.H * fraction);
  const bool may_miss = options.instant != ContactInstant::end;
  forces_before_ = forces_;
  open_.clear();
  steps_.use(h);
  for (const bool second : {false, true}) {
    const StepReport first = report;
    report = {};
    steps_.step(h, report);
    if (steps_.dropped(report) || !report.finite || report.missed.any() ||
        (!report.converged && options.on_failure != OnFailure::accept))
      return false;
    const double t = steps_.state().t + h;
    if (may_miss && (!second || report.gap < 0.0)) find_missed(t, h, second);
    if (second) {
      add_earlier(report, first);
      if (!first.converged) {
        report.converged = false;
        report.group = first.group;
        report.failure = first.failure;
      }
    }
    StepEnd& end = second ? fine_ : half_;
    read_end(steps_.ends(), t, h, end);
    find_closings(second ? half_ : start_, end);
    steps_.commit(second ? now.end() : now.at(0.5));
    steps_.add_forces(0.5 * fraction, forces_);
  }
  return true;
}

void AdaptiveDriver::begin(double H) {
  const State& state = steps_.state();
  before_ = state;
  expects(H > 0.0 && std::isfinite(H), "the step must be positive and finite");
  forces_.begin(steps_.reactions().values(), steps_.model().joints().size());
  read_end(state.groups, state.t, state.h, start_);
  start_.touches.clear();
  for (const ContactMemory& one : state.contacts) start_.touches.push_back({one.key, 0});
}

// A step that starts from rest at a kink has an error that decreases no faster than the step
// length, as with a sudden change.
StepEstimator::Verdict AdaptiveDriver::judge(const Interval& now) {
  const double end = now.at(1.0);
  const bool bends = !points_within(points_, now.at(0.0), end).empty();
  const std::size_t all = std::max<std::size_t>(1, points_within(points_, now.t0, now.t1).size());
  const double slack = now.ladder.stubborn() ? kSlack
                       : bends               ? kSlack / static_cast<double>(all)
                                             : 0.0;
  return estimator_.judge(end, start_, coarse_, half_, fine_, slack);
}

void AdaptiveDriver::accept(Interval& now, const StepEstimator::Verdict& verdict,
                            StepReport& made) {
  now.ladder.accept(verdict.ratio, verdict.impact);
  steps_.notices().accept();
  std::swap(start_, fine_);
  const StepReport& sum = now.sum;
  add_earlier(made, sum);
  made.steps = sum.steps + 2;
  made.rejected = sum.rejected;
  made.error = worse(sum.error, verdict.error);
  if (!sum.converged) {
    made.converged = false;
    made.group = sum.group;
    made.failure = sum.failure;
  }
  now.sum = made;
}

// Makes the next step of the ladder. estimated: `coarse_` is already known, on entry for this step
// and on return for the next. given_up: `report` contains the reason.
AdaptiveDriver::Outcome AdaptiveDriver::try_step(Interval& now, bool& estimated, bool last_try,
                                                 StepReport& report) {
  StepLadder& ladder = now.ladder;
  const double s = now.H * ladder.length();
  from_ = steps_.state();
  estimator_.begin(s, now.H);
  StepReport made;
  steps_.report_missed(!ladder.finest());
  bool good = estimated || estimate(s, made);
  if (good) {
    made = {};
    good = take(now, made);
  }
  StepEstimator::Verdict verdict;
  if (good) {
    verdict = judge(now);
    good = made.finite = verdict.finite;
  }
  estimated = false;
  if (good && !last_try && (verdict.ratio <= 1.0 || ladder.finest() || !made.converged)) {
    accept(now, verdict, made);
    return Outcome::accepted;
  }
  if (last_try) {
    made.converged = made.finite = false;
    made.failure = kTooManySteps;
  }
  // A shorter step may be able to count an angle that a long one cannot, meets impacts that a long
  // one misses, and its passes converge from a nearer prediction.
  const bool shortens = steps_.model().options().on_failure == OnFailure::halve ||
                        made.joint_law >= 0 || made.missed.any() ||
                        made.failure == failure::kPassLimit || made.failure == failure::kStagnation;
  if (last_try || is_stop(made.failure) || (!good && (!shortens || ladder.finest()))) {
    report = made;
    report.steps = now.sum.steps;
    report.rejected = now.sum.rejected;
    report.error = worse(now.sum.error, verdict.error);
    return Outcome::given_up;
  }
  restore(from_);
  forces_ = forces_before_;
  ++now.sum.rejected;
  if (!good) {
    ladder.fail();
    return Outcome::rejected;
  }
  // The first of the two short steps equals a step of half the length.
  estimated = ladder.reject(verdict.ratio, verdict.impact) == 1;
  if (estimated) std::swap(coarse_, half_);
  return Outcome::rejected;
}

void AdaptiveDriver::advance(double H, double t1, StepReport& report) {
  const std::vector<Vector> reactions_before = steps_.reactions().values();
  begin(H);
  const double tolerance = steps_.model().options().step_tolerance;
  Interval now{steps_.state().t, t1, H, StepLadder(steps_.state().event_state, H), {}};
  now.sum.steps = 0;
  now.sum.gap = std::numeric_limits<double>::infinity();
  bool estimated = false;
  for (int tries = 0; !now.ladder.done(); ++tries) {
    while (bends_undetected(points_, now.at(0.0), H * now.ladder.length(), tolerance) &&
           now.ladder.shorten())
      estimated = false;
    if (try_step(now, estimated, tries >= kMostTries, report) == Outcome::given_up) {
      restore(before_);
      steps_.reactions().values() = reactions_before;
      return;
    }
  }
  now.ladder.keep(steps_.state().event_state);
  if (steps_.reactions().any()) steps_.reactions().values() = forces_.reactions();
  std::swap(last_, forces_);
  report = now.sum;
}

}  // namespace saltus

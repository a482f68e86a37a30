#include "saltus/sim/step_parts.h"

#include <array>
#include <optional>
#include <vector>

namespace saltus {
namespace {

constexpr int kMostHalvings = 10;
// Impacts at which an interval is divided. Those that it still misses are told.
constexpr int kMostImpacts = 100;
// Shorter parts are left out [1].
constexpr double kLeastPart = 1e-9;

}  // namespace

StepParts::StepParts(StepDriver& steps) : steps_(steps) {
  for (const Group& group : steps.model().groups())
    divides_ = divides_ && !group.scheme->fixed_step();
}

void StepParts::advance(double h, double t1, StepReport& report) {
  nested_ = halvings_ = impacts_ = 0;
  interval_ = h;
  in_parts_ = false;
  attempt(h, t1, report);
  steps_.report_missed(false);
  if (in_parts_ && kept(report) && steps_.reactions().any())
    steps_.reactions().values() = forces_.reactions();
}

bool StepParts::kept(const StepReport& report) const {
  return report.finite &&
         (report.converged || steps_.model().options().on_failure == OnFailure::accept);
}

// Makes one step, or its parts.
void StepParts::attempt(double h, double t1, StepReport& report) {
  steps_.report_missed(divides_ && impacts_ < kMostImpacts);
  steps_.use(h);
  steps_.step(h, report);
  const bool stopped = steps_.dropped(report), missed = report.missed.any() && report.finite;
  if (kept(report) && !missed) {
    steps_.commit(t1);
    steps_.notices().accept();
    if (in_parts_) steps_.add_forces(h / interval_, forces_);
    return;
  }
  steps_.reset();
  if (stopped) return;
  const bool may_halve = halvings_ < kMostHalvings;
  if (missed && !(report.missed.halves && may_halve))
    divide_at(report.missed, h, t1, report);
  else if (may_halve && (missed || steps_.model().options().on_failure == OnFailure::halve))
    halve(h, t1, report);
}

void StepParts::halve(double h, double t1, StepReport& report) {
  ++halvings_;
  divide(h, t1, std::array{0.5, 1.0}, report);
  --halvings_;
}

// The parts before the impact, that in which it is resolved, and the rest.
void StepParts::divide_at(const MissedImpact& missed, double h, double t1, StepReport& report) {
  ++impacts_;
  std::array<double, 3> ends{};
  std::size_t count = 0;
  for (const double end : {missed.start, missed.start + missed.share})
    if (end > (count > 0 ? ends[count - 1] : 0.0) + kLeastPart && end < 1.0 - kLeastPart)
      ends[count++] = end;
  ends[count++] = 1.0;
  divide(h, t1, std::span(ends).first(count), report);
}

// Makes a step of h in parts that end at these fractions of it, increasing up to 1.
void StepParts::divide(double h, double t1, std::span<const double> ends, StepReport& report) {
  // A step of which only a part succeeds does not count.
  const bool outermost = nested_ == 0;
  std::optional<State> before;
  std::vector<Vector> reactions_before;
  if (outermost) {
    before = steps_.state();
    reactions_before = steps_.reactions().values();
    in_parts_ = true;
    forces_.begin(reactions_before, steps_.model().joints().size());
  }
  ++nested_;
  const double t0 = steps_.state().t;
  StepReport sum;
  double from = 0.0;
  try {
    for (const double to : ends) {
      report = {};
      attempt((to - from) * h, to == 1.0 ? t1 : t0 + to * h, report);
      if (!kept(report)) break;
      if (from > 0.0) {
        add_earlier(report, sum);
        if (!sum.converged) {
          report.converged = false;
          report.group = sum.group;
          report.failure = sum.failure;
        }
      }
      sum = report;
      from = to;
    }
  } catch (...) {
    steps_.report_missed(false);
    if (before) steps_.recover(&*before);
    throw;
  }
  --nested_;
  if (kept(report)) {
    ++report.halvings;
    return;
  }
  if (!outermost) return;
  in_parts_ = false;
  steps_.put_back(*before);
  steps_.reactions().values() = reactions_before;
}

}  // namespace saltus

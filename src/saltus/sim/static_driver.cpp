#include "saltus/sim/static_driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "saltus/base/stop.h"
#include "saltus/state/failure_words.h"
#include "saltus/statics/equilibrium.h"
#include "saltus/statics/stability.h"

namespace saltus {
namespace {

// Contacts outside the margin are found from the equilibrium without them, which is then searched
// again.
constexpr int kMostSearches = 12;
// Overlap, and change of a place between two searches, that ends them, relative to the margin of
// detection, which is a hundredth of the smallest body.
constexpr double kOverlap = 1e-5, kSettled = 1e-4;
// Searches that start where the last one ended; after kFewSearches, overlap of this part of the
// margin is accepted.
constexpr int kDirectSearches = 2, kFewSearches = 6;
constexpr double kMostOverlap = 1e-2;
// Increments with up to this number of passes are doubled.
constexpr int kFewPasses = 7;
// Width of the bracket of an unstable load, relative to it.
constexpr double kBracket = 2e-4;

}  // namespace

StaticDriver::StaticDriver(StepDriver& steps) : steps_(steps) {
  yields_ = std::ranges::any_of(steps.model().laws(),
                                [](const AnyLaw& law) { return !law->set_valued(); });
}

/// The factor of constant loads.
double StaticDriver::load(double t) const {
  return std::min(1.0, t / steps_.model().options().end);
}

/// The next search starts this part of the way from the guess of the last one to its ends; 0: from
/// the start of the increment.
void StaticDriver::guess(double part) {
  std::vector<GroupState>& groups = steps_.state().groups;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    Vector& from = groups[g].memory[static_memory::guess];
    if (part == 0.0)
      from.setZero();
    else
      from = part * steps_.ends()[g].v + (1.0 - part) * from;
  }
}

/// The largest change of a coordinate since the last search [m, rad]; stores the ends.
double StaticDriver::change_of_ends() {
  double change = 0.0;
  const std::vector<GroupState>& ends = steps_.ends();
  ends_before_.resize(ends.size());
  for (std::size_t g = 0; g < ends.size(); ++g) {
    Vector& before = ends_before_[g];
    if (before.size() != ends[g].q.size()) before.setZero(ends[g].q.size());
    if (before.size() > 0) change = worse(change, (ends[g].q - before).lpNorm<Eigen::Infinity>());
    before = ends[g].q;
  }
  return change;
}

// Makes an increment of h, which is not committed. Contacts between surfaces are those near the
// places where the passes begin, so the search is repeated from its result until bodies do not
// overlap, and those in contact stay where they are.
bool StaticDriver::find_equilibrium(double h, StepReport& report) {
  const double margin = steps_.model().surfaces().margin;
  steps_.use(h);
  guess(0.0);
  ends_before_.clear();
  bool found = false;
  StepReport before;
  before.gap = std::numeric_limits<double>::infinity();
  for (int search = 0; search < kMostSearches && !found; ++search) {
    report = {};
    steps_.step(h, report);
    const double gap = report.gap;
    add_earlier(report, before);
    for (const Trial& trial : steps_.trials()) report.factorisations += trial.factorisations;
    report.factorisations += before.factorisations;
    if (steps_.dropped(report) || !report.converged || !report.finite) break;
    const double change = change_of_ends();
    const bool settled = report.contacts == 0 || !(margin > 0.0) || change <= kSettled * margin;
    found = (yields_ || !(gap < -kOverlap * margin)) && settled;
    if (search >= kFewSearches) found = yields_ || !(gap < -kMostOverlap * margin);
    // The place of a contact between facets may alternate.
    if (!found) guess(search < kDirectSearches ? 1.0 : 0.5);
    before = report;
    before.gap = std::numeric_limits<double>::infinity();
    before.impulse = 0.0;  // only those of the last search count
    before.residual = before.residual_after = 0.0;
    before.contacts = 0;
  }
  guess(0.0);
  return found;
}

/// Negative eigenvalues of the stiffness matrices in the equilibrium that was found. A singular
/// matrix, of a body that only contacts hold, says nothing about stability.
int StaticDriver::negative() {
  int sum = 0;
  const auto trials = steps_.trials();
  for (std::size_t g = 0; g < trials.size(); ++g) {
    const Trial& x = trials[g];
    if (x.v.size() == 0 || floats(*x.start)) continue;
    const Dynamics& body = *steps_.model().groups()[g].dynamics;
    sum += stability_of(body, x.t_at, steps_.ends()[g].q, x.A, x.h * x.h).negative;
  }
  return sum;
}

void StaticDriver::report_unstable(double from, double to) {
  steps_.notices().add(Notice::Kind::unstable, 0, 0, [&] {
    return fmt::format(
        "the equilibrium becomes unstable at load factor {:.6g} (between {:.6g} and {:.6g}): the "
        "stiffness matrix has a negative eigenvalue from there on, as where a structure buckles; "
        "what follows is a path that it leaves at the least disturbance: give it an imperfection "
        "(a small load across) to see where it goes",
        0.5 * (from + to), from, to);
  });
}

// True: the increment to `parts` crosses an instability, and a shorter one has to be tried first.
bool StaticDriver::brackets(Interval& now, int parts, int negative) {
  if (negative <= known_) return false;
  const double from = now.time(now.at), to = now.time(now.at + parts);
  if (parts > 1 && to - from > kBracket * to) {
    now.brackets = true;
    now.hi = now.at + parts;
    now.wish = parts / 2;
    return true;
  }
  report_unstable(load(from), load(to));
  now.brackets = false;
  return false;
}

void StaticDriver::accept(Interval& now, int parts, StepReport& made) {
  now.at += parts;
  steps_.commit(now.time(now.at));
  // There is no balance of work in statics: changes of the potential count as work of the scheme.
  State& state = steps_.state();
  const double before = state.energy.total();
  steps_.measure_energy_again();
  state.ledger[state.ledger.size() - 2] += state.energy.total() - before;
  now.sum.gap = std::numeric_limits<double>::infinity();  // that of the last increment counts
  steps_.notices().accept();
  add_earlier(made, now.sum);
  made.factorisations += now.sum.factorisations;
  made.steps = now.sum.steps + 1;
  made.rejected = now.sum.rejected;
  made.evaluations = made.factorisations;
  const bool few = made.passes - now.sum.passes <= kFewPasses;
  now.sum = made;
  if (now.brackets)
    now.wish = std::max(1, (now.hi - now.at) / 2);
  else
    now.wish = std::min(few ? 2 * parts : parts, kWhole);
}

void StaticDriver::restore(const State& from) {
  steps_.state() = from;
  steps_.set_step(from.h);
  steps_.reset();
}

std::string StaticDriver::limit_text(const Interval& now, const StepReport& last) const {
  const auto groups = steps_.model().groups();
  const double reached = load(now.time(now.at)), failed = load(now.time(now.at + 1));
  const auto& state = steps_.state().groups;
  for (std::size_t g = 0; g < groups.size(); ++g)
    if (floats(state[g]))
      return fmt::format(
          "there are equilibria up to load factor {:.6g} only: nothing but contacts holds '{}', "
          "whose stiffness matrix is singular, and beyond that load they do not; hold it, lower "
          "the load or raise the friction",
          reached, groups[g].name);
  const std::size_t g = last.group >= 0 ? static_cast<std::size_t>(last.group) : 0;
  const std::string body =
      last.group >= 0 || groups.size() == 1 ? "'" + groups[g].name + "'" : "the scene";
  const std::string why = last.failure.empty() ? "" : fmt::format(" ({})", last.failure);
  return fmt::format(
      "there are equilibria of {} up to load factor {:.6g}, and none next to it at {:.6g}{}, as at "
      "a limit load, beyond which a structure snaps through or collapses; lower the load, "
      "prescribe a motion instead of it, or integrate in time (`time.mode: stepping`)",
      body, reached, failed, why);
}

void StaticDriver::advance(double H, double t1, StepReport& report) {
  const State before = steps_.state();
  const std::vector<Vector> reactions_before = steps_.reactions().values();
  Interval now{before.t, t1, H};
  now.sum.steps = 0;
  now.sum.gap = std::numeric_limits<double>::infinity();
  const int known_before = known_;
  while (now.at < kWhole) {
    const int parts = std::min(now.wish, kWhole - now.at);
    StepReport made;
    bool good = find_equilibrium(now.length(parts), made);
    if (!good && is_stop(made.failure)) {
      report = made;
      break;
    }
    if (good) {
      made.negative = made.contacts > 0 ? -1 : negative();  // contacts may hold what K does not
      if (!brackets(now, parts, made.negative)) {
        if (made.negative >= 0) known_ = made.negative;
        accept(now, parts, made);
        continue;
      }
    } else {
      now.wish = parts / 2;
    }
    now.sum.factorisations += made.factorisations;
    ++now.sum.rejected;
    steps_.reset();
    if (now.wish > 0) continue;
    report = made;
    report.converged = false;
    report.finite = true;
    report.failure = failure::kNoEquilibrium;
    report.detail = limit_text(now, made);
    report.steps = now.sum.steps;
    report.rejected = now.sum.rejected;
    break;
  }
  if (now.at == kWhole) {
    report = now.sum;
    return;
  }
  known_ = known_before;
  restore(before);
  steps_.reactions().values() = reactions_before;
}

}  // namespace saltus

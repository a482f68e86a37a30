// Impulses that grow together as those of stiff springs of equal stiffness that obey Hertz' law:
//
//     lambda = delta^(3/2),     P_N' = lambda,     u = u- + W P,
//     delta_i' = -u_i (u_i < 0, compression),  -u_i/e_i^2 (u_i > 0, expansion)
//
// Every contact stores  E_i = int lambda ddelta = 2/5 delta^(5/2)  and returns e^2 of it. Since
// lambda is proportional to E^(3/5), dP_i/dP_j = (E_i/E_j)^(3/5) as in Liu, Zhao and Brogliato; the
// time of the springs is not the time of the bodies, and their stiffness cancels. Friction is
// Coulomb's law for lambda_N dt: against the slip, or no slip.
#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/event_driven/impact_internal.h"
#include "saltus/event_driven/impact_springs_internal.h"

namespace saltus::impact {
namespace {

constexpr double kTolerance = 1e-13;  ///< of a step, for W and u- of size 1
/// Closing speed below which the rest is treated as one impact without restitution.
constexpr double kEndOfImpact = 1e-10;
constexpr double kEnergyRound = 1e-13;  ///< an event at the start of a step, not within it
constexpr int kMostSteps = 200'000;
constexpr std::string_view kTooLong = "the impact did not end: its contacts cannot be opened";

/// Changes the modes that the trial requires at its very start, each once.
bool change_at_start(Springs& springs, Vector& y, const Vector& before, const Vector& after,
                     std::vector<char>& changed) {
  bool any = false;
  for (Eigen::Index k = 0; k < before.size(); ++k) {
    char& done = changed[static_cast<std::size_t>(k)];
    if (!(after[k] < 0.0) || before[k] > kEnergyRound || done) continue;
    springs.change(static_cast<int>(k), y);
    done = 1;
    any = true;
  }
  return any;
}

/// The shortest step after which one of the events within h has occurred.
double first_event(const Springs& springs, const Vector& y, const Vector& before, double h,
                   Vector& end) {
  double low = 0.0, high = h;
  Vector trial, error;
  for (int i = 0; i < 60 && high - low > 1e-15 * h; ++i) {
    const double middle = 0.5 * (low + high);
    springs.step(y, middle, trial, error);
    const Vector g = springs.events(trial);
    bool crossed = false;
    for (Eigen::Index k = 0; k < g.size(); ++k)
      crossed = crossed || (g[k] < 0.0 && before[k] > kEnergyRound);
    (crossed ? high : low) = middle;
  }
  springs.step(y, high, end, error);
  return high;
}

bool run(Springs& springs, Vector& y, ImpactReport& report, const Limits& limits) {
  Vector trial, error, before, after;
  std::vector<char> changed;
  double h = 1e-3;
  for (int steps = 0; steps < kMostSteps && report.phases < kMostPhases; ++steps) {
    if (springs.over(y, kEndOfImpact)) return true;
    if (limits.stopped()) return false;
    before = springs.events(y);
    changed.resize(static_cast<std::size_t>(before.size()));
    h = std::min(h, springs.longest());
    springs.step(y, h, trial, error);
    const double miss = error.cwiseAbs().maxCoeff() / kTolerance;
    if (!std::isfinite(miss)) return false;
    if (miss > 1.0 && h > 1e-14) {
      h *= std::max(0.2, 0.9 * std::pow(miss, -0.2));
      continue;
    }
    after = springs.events(trial);
    if (change_at_start(springs, y, before, after, changed)) continue;
    bool crossed = false;
    for (Eigen::Index k = 0; k < after.size(); ++k)
      crossed = crossed || (after[k] < 0.0 && before[k] > kEnergyRound);
    if (crossed) {
      first_event(springs, y, before, h, trial);
      after = springs.events(trial);
      y = trial;
      for (Eigen::Index k = 0; k < after.size(); ++k)
        if (after[k] < 0.0 && before[k] > kEnergyRound) springs.change(static_cast<int>(k), y);
    } else {
      y = trial;
      h *= std::min(4.0, 0.9 * std::pow(std::max(miss, 1e-6), -0.2));
    }
    springs.turn(y);
    report.phases = springs.compressions();
    std::ranges::fill(changed, '\0');
  }
  report.failure = report.phases >= kMostPhases ? kTooManyPhases : kTooLong;
  return false;
}

}  // namespace

void energetic(Course& course) {
  Springs springs(course);
  if (springs.closes()) {
    Vector y = springs.start();
    if (!run(springs, y, course.report, course.limits)) {
      course.report.converged = false;
      if (course.report.failure.empty()) course.report.failure = kTooLong;
    }
    course.P = springs.impulses(y);
  } else {
    course.P = springs.impulses(springs.start());
  }
  course.u = course.problem.u;
  course.u.noalias() += course.problem.W * course.P;
  if (course.report.converged) finish(course);
}

}  // namespace saltus::impact

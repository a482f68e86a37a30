// One contact at a time, the one that closes fastest first; rows that are held take part in every impact.
#include <algorithm>
#include <cmath>

#include "saltus/events/impact_internal.h"

namespace saltus::impact {
namespace {

using Kind = ImpactContact::Law;

/// The place of the contact with the largest -u_N among those that close by more than `least` [sqrt(J)]; -1: none. Speeds
/// that differ by round-off alone are equal, and the first of equal ones is taken.
int fastest_contact(const Course& course, double least) {
  constexpr double kEqual = 1e-12;
  int found = -1;
  double speed = 0.0;
  const auto contacts = course.problem.contacts;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const ImpactContact& c = contacts[i];
    if (c.law == Kind::held || !(-course.speed(c.first) > least)) continue;
    if (-course.u[c.first] > (1.0 + kEqual) * speed) {
      found = static_cast<int>(i);
      speed = -course.u[c.first];
    }
  }
  return found;
}

/// A contact of Poisson's law that is alone: (1 + e) times the impulse of compression.
bool strike_poisson(Course& course, std::span<const int> places, double e) {
  Vector p;
  const bool good = solve_rows(course, places, Restitution::none, {}, p);
  ++course.report.phases;
  course.P += (1.0 + e) * p;
  course.u = course.problem.u;
  course.u.noalias() += course.problem.W * course.P;
  return good;
}

}  // namespace

void sequential(Course& course) {
  const auto contacts = course.problem.contacts;
  const std::vector<int> held = held_places(course.problem);
  // A relation that is broken is restored first.
  const double before = course.fastest();
  double broken = 0.0;
  for (const int i : held)
    broken = std::max(broken, std::abs(course.speed(contacts[static_cast<std::size_t>(i)].first)));
  if (broken > kNothing * before && !strike(course, held, Restitution::none)) return;

  const double least =
      std::max(kNothing, 10.0 * course.limits.tolerance) * std::max(before, course.fastest());
  for (int i; (i = fastest_contact(course, least)) >= 0;) {
    if (course.report.phases >= kMostPhases) {
      course.report.converged = false;
      course.report.failure = kTooManyPhases;
      return;
    }
    std::vector<int> places = held;
    places.insert(std::lower_bound(places.begin(), places.end(), i), i);
    const ImpactContact& c = contacts[static_cast<std::size_t>(i)];
    const bool good = c.law == Kind::poisson ? strike_poisson(course, places, c.restitution)
                                             : strike(course, places, Restitution::newton);
    if (!good) return;
  }
  finish(course);
}

}  // namespace saltus::impact

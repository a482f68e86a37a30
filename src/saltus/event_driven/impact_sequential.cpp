// Impacts of one contact at a time, the one that closes fastest first; equality rows take part in
// every impact.
#include <algorithm>
#include <array>
#include <cmath>

#include "saltus/event_driven/impact_internal.h"

namespace saltus::impact {
namespace {

using Kind = ImpactForm;

/// Speeds with smaller differences are equal, or may differ only by round-off.
constexpr double kEqual = 1e-12, kTied = 1e-9;
/// Outcomes that differ by more than this, relative to the fastest speed, are different.
constexpr double kOther = 1e-6;

bool due(const Course& course, const ImpactContact& c, double least) {
  return c.form != Kind::held && -course.speed(c.first) > least;
}

/// The index of the contact with the largest -u_N among those that close faster than `least`
/// [sqrt(J)]; -1: none. Speeds that differ only by round-off are equal; the first or, if `last`,
/// the last of equal ones is used.
int fastest_contact(const Course& course, double least, bool last) {
  int found = -1;
  double speed = 0.0;
  const auto contacts = course.problem.contacts;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const ImpactContact& c = contacts[i];
    if (!due(course, c, least)) continue;
    if (-course.u[c.first] > (last ? 1.0 - kTied : 1.0 + kEqual) * speed) {
      found = static_cast<int>(i);
      speed = -course.u[c.first];
    }
  }
  return found;
}

/// True if an impulse on one contact changes the rates of the other.
bool coupled(const ImpactProblem& problem, const ImpactContact& a, const ImpactContact& b) {
  for (int i = a.first; i <= a.first + a.tangents; ++i)
    for (int j = b.first; j <= b.first + b.tangents; ++j)
      if (std::abs(problem.W(i, j)) > kEqual * std::sqrt(problem.W(i, i) * problem.W(j, j)))
        return true;
  return false;
}

/// A contact that is as due as the one with index i and coupled to it; -1: none.
int tied_with(const Course& course, int i, double least) {
  const auto contacts = course.problem.contacts;
  const ImpactContact& fastest = contacts[static_cast<std::size_t>(i)];
  for (std::size_t j = 0; j < contacts.size(); ++j) {
    const ImpactContact& c = contacts[j];
    if (static_cast<int>(j) == i || !due(course, c, least)) continue;
    if (-course.u[c.first] < -(1.0 - kTied) * course.u[fastest.first]) continue;
    if (coupled(course.problem, fastest, c)) return static_cast<int>(j);
  }
  return -1;
}

/// Impact of a single contact with Poisson's law: (1 + e) times the impulse of compression.
bool strike_poisson(Course& course, std::span<const int> places, double e) {
  Vector p;
  const bool good = solve_rows(course, places, Restitution::none, {}, p);
  ++course.report.phases;
  course.P += (1.0 + e) * p;
  course.u = course.problem.u;
  course.u.noalias() += course.problem.W * course.P;
  return good;
}

/// Solves one contact after the other, of equal ones the first or the last; `tied` returns the
/// first two that were tied.
void one_by_one(Course& course, std::span<const int> held, double least, bool last,
                std::array<int, 2>& tied) {
  const auto contacts = course.problem.contacts;
  for (int i; (i = fastest_contact(course, least, last)) >= 0;) {
    if (course.report.phases >= kMostPhases) {
      course.report.converged = false;
      course.report.failure = kTooManyPhases;
      return;
    }
    if (tied[0] < 0)
      if (const int j = tied_with(course, i, least); j >= 0)
        tied = {std::min(i, j), std::max(i, j)};
    std::vector<int> places(held.begin(), held.end());
    places.insert(std::lower_bound(places.begin(), places.end(), i), i);
    const ImpactContact& c = contacts[static_cast<std::size_t>(i)];
    const bool good = c.form == Kind::poisson ? strike_poisson(course, places, c.restitution)
                                              : strike(course, places, Restitution::newton);
    if (!good) return;
  }
  finish(course);
}

/// True if the outcomes differ.
bool differ(const Course& a, const Course& b) {
  for (int r = 0; r < a.u.size(); ++r)
    if (std::abs(a.speed(r) - b.speed(r)) > kOther * a.first) return true;
  return false;
}

}  // namespace

void sequential(Course& course) {
  const auto contacts = course.problem.contacts;
  const std::vector<int> held = held_places(course.problem);
  // A violated equality is restored first.
  const double before = course.fastest();
  double broken = 0.0;
  for (const int i : held)
    broken = std::max(broken, std::abs(course.speed(contacts[static_cast<std::size_t>(i)].first)));
  if (broken > kNothing * before && !strike(course, held, Restitution::none)) return;

  const double least =
      std::max(kNothing, 10.0 * course.limits.tolerance) * std::max(before, course.fastest());
  const Course start = course;
  std::array<int, 2> tied{-1, -1};
  one_by_one(course, held, least, false, tied);
  if (tied[0] < 0 || !course.report.converged) return;
  // Checks whether it matters which of them is first: Newton's cradle, hit from both sides, ends
  // the same.
  Course other = start;
  std::array<int, 2> same = tied;
  one_by_one(other, held, least, true, same);
  if (differ(course, other)) course.report.tied = tied;
}

}  // namespace saltus::impact

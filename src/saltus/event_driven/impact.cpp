#include "saltus/event_driven/impact.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "saltus/base/error.h"
#include "saltus/event_driven/impact_internal.h"

namespace saltus {
namespace impact {
namespace {

using Kind = ImpactForm;

}  // namespace

double power_below(double x) {
  return x > 0.0 && std::isfinite(x) ? std::exp2(std::floor(std::log2(x))) : 1.0;
}

double Course::speed(int r) const {
  const double w = problem.W(r, r);
  return w > 0.0 ? u[r] / std::sqrt(w) : 0.0;
}

double Course::fastest() const {
  double most = 0.0;
  for (int r = 0; r < u.size(); ++r) most = std::max(most, std::abs(speed(r)));
  return most;
}

double Course::closing() const {
  double most = 0.0;
  for (const ImpactContact& c : problem.contacts)
    if (c.form != Kind::held) most = std::max(most, -speed(c.first));
  return most;
}

bool blocked(const Course& course) {
  const double least = course.u.size() > 0 ? 1e-12 * course.u.cwiseAbs().maxCoeff() : 0.0;
  return std::ranges::any_of(course.problem.contacts, [&](const ImpactContact& c) {
    return c.form != Kind::held && !(course.problem.W(c.first, c.first) > 0.0) &&
           course.u[c.first] < -least;
  });
}

std::vector<int> all_places(const ImpactProblem& problem) {
  std::vector<int> places(problem.contacts.size());
  std::iota(places.begin(), places.end(), 0);
  return places;
}

std::vector<int> held_places(const ImpactProblem& problem) {
  std::vector<int> places;
  for (std::size_t i = 0; i < problem.contacts.size(); ++i)
    if (problem.contacts[i].form == Kind::held) places.push_back(static_cast<int>(i));
  return places;
}

// Solved in units, powers of 2, in which W and b are about 1, so that results scale without
// rounding.
bool solve_rows(Course& course, std::span<const int> places, Restitution which,
                const Vector& pressed, Vector& p) {
  const ImpactProblem& problem = course.problem;
  std::vector<Law> laws;
  std::vector<int> rows, ids;
  std::vector<double> right;
  const bool presses = pressed.size() > 0;
  for (const int i : places) {
    const ImpactContact& c = problem.contacts[static_cast<std::size_t>(i)];
    Law law{LawKind::unilateral, static_cast<int>(rows.size()), 1};
    if (c.form == Kind::held) law.kind = LawKind::equality;
    if (c.form != Kind::held && c.tangents > 0 && c.friction > 0.0) {
      law.kind = LawKind::coulomb;
      law.size = 1 + c.tangents;
      law.friction = c.friction;
    }
    laws.push_back(law);
    const bool newton = which == Restitution::newton && c.form == Kind::newton;
    for (int a = 0; a < law.size; ++a) {
      const int r = c.first + a;
      rows.push_back(r);
      ids.push_back(problem.ids[static_cast<std::size_t>(r)]);
      double b =
          course.u[r] + (newton ? (a == 0 ? c.restitution : c.tangential) * course.u[r] : 0.0);
      if (presses) b += problem.W.row(r).dot(pressed);
      right.push_back(b);
    }
  }
  p.setZero(course.u.size());
  if (rows.empty()) return true;
  const auto n = static_cast<Eigen::Index>(rows.size());
  Vector b = Eigen::Map<const Vector>(right.data(), n);
  DenseDelassus W;
  W.W = problem.W(rows, rows);
  const double mobility = power_below(W.W.diagonal().cwiseAbs().maxCoeff());
  const double velocity = power_below(b.cwiseAbs().maxCoeff());
  W.W /= mobility;
  b /= velocity;
  // The remainder of larger numbers consists partly of their round-off, so its residual is not
  // measured relative to itself.
  double now = 0.0;
  for (Eigen::Index k = 0; k < n; ++k)
    if (const double w = W.W(k, k); w > 0.0)
      now = std::max(now, std::abs(b[k]) * velocity / std::sqrt(w * mobility));
  const double larger = now > 0.0 ? std::max(1.0, course.first / now) : 1.0;
  Limits limits = course.limits;
  limits.tolerance = std::min(limits.tolerance * larger, std::max(limits.tolerance, 1e-3));
  Vector x = Vector::Zero(n);
  SolverMemory memory;
  const SolveReport found = course.solver.solve({W, b, laws, ids}, limits, memory, x);
  for (Eigen::Index k = 0; k < n; ++k)
    p[rows[static_cast<std::size_t>(k)]] = x[k] * velocity / mobility;
  ImpactReport& report = course.report;
  report.iterations += found.iterations;
  if (const double r = found.residual / larger; !(r <= report.residual)) report.residual = r;
  report.certified = report.certified && found.certified;
  if (found.converged && p.allFinite()) return true;
  report.converged = false;
  report.failure = kUnsolved;
  return false;
}

bool strike(Course& course, std::span<const int> places, Restitution which) {
  Vector p;
  const bool good = solve_rows(course, places, which, {}, p);
  ++course.report.phases;
  course.P += p;
  // computed from the sum, so that thousands of phases do not accumulate round-off
  course.u = course.problem.u;
  course.u.noalias() += course.problem.W * course.P;
  return good;
}

void finish(Course& course) {
  if (course.closing() > 0.0) strike(course, all_places(course.problem), Restitution::none);
}

// Poisson: P = (1 + e) P_c + P_x for contacts with that law, only P_x for others, as in time
// stepping.
void simultaneous(Course& course) {
  const ImpactProblem& problem = course.problem;
  const std::vector<int> places = all_places(problem);
  const bool expands = std::ranges::any_of(
      problem.contacts, [](const ImpactContact& c) { return c.form == Kind::poisson; });
  const double enough = std::max(1e-11, 100.0 * course.limits.tolerance) * course.first;
  do {
    Vector pressed, p;
    if (expands) {
      if (!solve_rows(course, places, Restitution::none, {}, p)) return;
      ++course.report.phases;
      pressed = Vector::Zero(p.size());
      for (const ImpactContact& c : problem.contacts)
        if (c.form == Kind::poisson) pressed[c.first] = (1.0 + c.restitution) * p[c.first];
    }
    const bool good = solve_rows(course, places, Restitution::newton, pressed, p);
    ++course.report.phases;
    if (expands) p += pressed;
    course.P += p;
    course.u = problem.u;
    course.u.noalias() += problem.W * course.P;
    if (!good) return;
    if (course.report.phases > kMostPhases) {
      course.report.converged = false;
      course.report.failure = kTooManyPhases;
      return;
    }
    // Newton's law allows a contact that opened, u- > 0, to return with u+ >= -e u-: no time passes
    // before the next impact, which is a part of this one.
  } while (course.closing() > enough);
}

}  // namespace impact

ImpactReport solve_impact(const ImpactProblem& problem, ImpactOrder order,
                          const ContactSolver& solver, Limits limits, Out P) {
  const Eigen::Index n = problem.u.size();
  expects(problem.W.rows() == n && problem.W.cols() == n && P.size() == n &&
              std::ssize(problem.ids) == n,
          "an impact: W, u, ids and P differ in size");
  int next = 0;
  for (const ImpactContact& c : problem.contacts) {
    expects(
        c.first == next && c.tangents >= 0 && c.tangents <= 2,
        "an impact: contacts must cover the rows in order, one normal and 0 to 2 tangents each");
    next += 1 + c.tangents;
    expects(c.form != ImpactForm::held || c.tangents == 0,
            "an impact: an equality row must have no tangents");
    expects(c.form != ImpactForm::poisson || c.friction == 0.0,
            "an impact in two phases must have no friction");
  }
  expects(next == n, "an impact: contacts have fewer rows than the problem");

  impact::Course course{problem, solver, limits, problem.u, Vector::Zero(n), 0.0, {}};
  course.report.phases = 0;
  course.first = course.fastest();
  if (impact::blocked(course)) {
    course.report.converged = false;
    course.report.failure = impact::kBlocked;
  } else if (n > 0 && course.u.cwiseAbs().maxCoeff() > 0.0) {
    switch (order) {
      case ImpactOrder::simultaneous:
        impact::simultaneous(course);
        break;
      case ImpactOrder::sequential:
        impact::sequential(course);
        break;
      case ImpactOrder::energetic:
        impact::energetic(course);
        break;
    }
  }
  P = course.P;
  return course.report;
}

}  // namespace saltus

// Common parts of the three orders of impacts: problems over some of the contacts, and end
// conditions.
#pragma once
#include "saltus/event_driven/impact.h"

namespace saltus::impact {

/// Data of one impact while its impulses are computed.
struct Course {
  const ImpactProblem& problem;
  const ContactSolver& solver;
  Limits limits;
  Vector u;            ///< u- changed by the impulses so far [m/s]
  Vector P;            ///< impulses so far [N s]
  double first = 0.0;  ///< fastest() of u- [sqrt(J)]
  ImpactReport report;

  /// Velocity of row r, scaled so that rows of any unit are comparable: u_r/sqrt(W_rr) [sqrt(J)]; 0
  /// if the row cannot be moved.
  double speed(int r) const;
  /// Largest |speed| of all rows.
  double fastest() const;
  /// Largest speed at which a contact closes; 0 if none does.
  double closing() const;
};

/// Use of the laws in a problem: newton with b = u_N + e u_N, or plain with e = 0 in every contact.
enum class Restitution { newton, none };

/// Computes impulses of the contacts at these places (increasing), with zero for others:
///     u+ = W p + u,   the laws of `which`.
/// `p` has all rows. `pressed`, with all rows or empty, is an additional impulse that only changes
/// velocity. Adds to the report and returns false if the solver misses its tolerance.
bool solve_rows(Course& course, std::span<const int> places, Restitution which,
                const Vector& pressed, Vector& p);
/// As solve_rows() without `pressed`; adds its p to P and W p to u.
bool strike(Course& course, std::span<const int> places, Restitution which);

/// The largest power of 2 not above x, a scale without round-off; 1 for 0 and if x is not finite.
double power_below(double x);
/// True if a contact closes that no impulse can move.
bool blocked(const Course& course);
/// Places of all contacts, and of the held ones.
std::vector<int> all_places(const ImpactProblem& problem);
std::vector<int> held_places(const ImpactProblem& problem);

void simultaneous(Course& course);
void sequential(Course& course);
void energetic(Course& course);

/// There may be infinitely many phases: closing speeds below kNothing of the first ones, or below
/// the accuracy of the solver, are ended by one impact without restitution, finish().
inline constexpr double kNothing = 1e-13;
inline constexpr int kMostPhases = 10'000;
inline constexpr std::string_view kTooManyPhases =
    "the impact did not end within 10 000 phases: contacts close again and again";
inline constexpr std::string_view kBlocked =
    "a contact closes that no impulse can move: both of its bodies are fixed";
inline constexpr std::string_view kUnsolved =
    "the contact solver did not reach its tolerance in an impact";
void finish(Course& course);

}  // namespace saltus::impact

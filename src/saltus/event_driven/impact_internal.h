// What the three orders of impacts have in common: problems over some of the contacts, and when
// they are over.
#pragma once
#include "saltus/event_driven/impact.h"

namespace saltus::impact {

/// Everything known to one impact while its impulses are found.
struct Course {
  const ImpactProblem& problem;
  const ContactSolver& solver;
  Limits limits;
  Vector u;            ///< u- and what the impulses so far made of it [m/s]
  Vector P;            ///< impulses so far [N s]
  double first = 0.0;  ///< fastest() of u- [sqrt(J)]
  ImpactReport report;

  /// Velocity of row r by which rows of any unit compare: u_r/sqrt(W_rr) [sqrt(J)], 0 where nothing
  /// can move it.
  double speed(int r) const;
  /// Largest |speed| of all rows.
  double fastest() const;
  /// Largest speed at which a contact closes; 0 when none does.
  double closing() const;
};

/// How a problem reads the laws: newton with b = u_N + e u_N, or plain with e = 0 in every contact.
enum class Restitution { newton, none };

/// Impulses of the contacts of these places (increasing), others nothing:
///     u+ = W p + u,   the laws of `which`.
/// `p` has all rows. `pressed`, of all rows or empty, is there too and only makes velocity.
/// Adds to report and returns false where the solver misses its tolerance.
bool solve_rows(Course& course, std::span<const int> places, Restitution which,
                const Vector& pressed, Vector& p);
/// solve_rows() without `pressed`, its p added to P, W p to u.
bool strike(Course& course, std::span<const int> places, Restitution which);

/// The power of 2 below x: a scale that costs no bit; 1 for 0 and where x is not finite.
double power_below(double x);
/// Whether a contact closes that no impulse can move.
bool blocked(const Course& course);
/// Places of all contacts, and of the held ones.
std::vector<int> all_places(const ImpactProblem& problem);
std::vector<int> held_places(const ImpactProblem& problem);

void simultaneous(Course& course);
void sequential(Course& course);
void energetic(Course& course);

/// Phases may be infinitely many: closing speeds below kNothing of the first ones, or below what
/// the solver can tell, end in one impact without restitution, finish().
inline constexpr double kNothing = 1e-13;
inline constexpr int kMostPhases = 10'000;
inline constexpr std::string_view kTooManyPhases =
    "the impact did not end within 10 000 phases: contacts close again and again";
inline constexpr std::string_view kBlocked =
    "a contact closes that no impulse can move: both of its bodies are held";
inline constexpr std::string_view kUnsolved =
    "the contact solver did not reach its tolerance in an impact";
void finish(Course& course);

}  // namespace saltus::impact

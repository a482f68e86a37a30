// The numbers of the table at the end of a run, gathered step by step.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>

#include "saltus/model/model.h"
#include "saltus/state/state.h"

namespace saltus {

/// How many kinds of events there are: values of Event::Kind.
inline constexpr std::size_t kEventKinds = static_cast<std::size_t>(Event::Kind::take_back) + 1;

/// The largest (or smallest) value met and the row where it was met first.
struct Extreme {
  double value = 0.0;
  std::uint64_t row = 0;
};

/// Depends on the recorded rows only, so that a resumed run ends with the table of an uninterrupted
/// one.
struct RunStatistics {
  std::uint64_t rows = 0;  ///< start row included
  double time = 0.0;       ///< of the last row [s]
  Extreme residual;        ///< largest StepReport::residual [1]
  Extreme residual_after;  ///< largest StepReport::residual_after [1]
  Extreme gap{std::numeric_limits<double>::infinity(),
              0};                   ///< smallest; < 0: worst penetration [m]
  Extreme joint_gap;                ///< largest StepReport::joint_gap [m], [rad]
  Extreme unexplained;              ///< the largest magnitude in one step, with its sign [J]
  Extreme contacts;                 ///< largest number of contacts with impulse
  Extreme energy;                   ///< largest total energy [J]
  double largest_parts = 0.0;       ///< largest kinetic + |potential| energy [J]
  std::uint64_t iterations = 0;     ///< of the contact solver, all steps
  std::uint64_t passes = 0;         ///< all steps
  std::uint64_t contact_steps = 0;  ///< steps with at least one contact
  std::uint64_t failed_steps = 0;   ///< steps whose contact problem did not converge
  std::uint64_t halvings = 0;       ///< all steps
  double energy_start = 0.0;        ///< total [J]
  Energy energy_end;                ///< [J]
  std::uint64_t substeps = 0;       ///< StepReport::steps, all rows
  std::uint64_t rejected = 0;       ///< of them, made again
  std::uint64_t evaluations = 0;    ///< of the forces by event-driven integration
  Extreme error;                    ///< largest StepReport::error [1]
  std::array<std::uint64_t, kEventKinds> events{};  ///< of event-driven integration, by Event::Kind

  /// Takes one more row; the first one is the start.
  void add(const StepReport& report, const Energy& now, double t);
  void add(std::span<const Event> of_step);
  std::uint64_t event_count() const;
  /// "12: 10 impact, 1 rest, 1 opens" or "none".
  std::string events_text() const;
  /// Largest penetration [m], >= 0.
  double penetration() const { return gap.value < 0.0 ? -gap.value : 0.0; }
};

/// Energy that contacts fed in although nothing of their laws allows it: the largest sum of their
/// work over steps in a row, so that what a step gives and the next one takes back does not count;
/// that of normal impulses and friction together, and that of friction alone, which an impact hides
/// that takes more. What the schemes take out in the same step counts against it: one that books
/// the work of contacts at another velocity than the mean of the step (moreau-jean, theta not 1/2)
/// shows the difference there.
class ContactGain {
 public:
  /// Works of a step [J], of normal impulses, of friction and of the schemes; what contacts carried
  /// in it.
  struct Step {
    double impact = 0.0, friction = 0.0, scheme = 0.0;
    double carried = 0.0;  ///< sum P_N times StepReport::speed [J]
  };
  /// `start`, `now`: energy [J]. Work below 1e-12 of them, and of the two parts of the latter, or
  /// below 1e-9 of `carried`, which what rests has in every step, is round-off.
  void add(const Step& work, double start, const Energy& now, std::uint64_t step);
  /// Whether that is worth a word: above 1e-3 of the energy turned over, the largest kinetic energy
  /// and the accounts of the ledger [J] together; by friction alone above 2e-2. Less is within the
  /// error of order h of steps whose contacts travel on a body that turns.
  bool matters(std::span<const double> ledger) const;

  /// [J], of the two the one that is more by its own measure.
  double fed() const { return by_friction() ? friction_.most() : all_.most(); }
  bool by_friction() const { return kFriction * friction_.most() > all_.most(); }
  std::uint64_t steps = 0;  ///< that fed some in
  Extreme worst;            ///< [J], row = step

 private:
  static constexpr double kMatters = 1e-3, kFriction = 0.05;
  struct Sum {
    double run = 0.0;   ///< that ends with the last step, not below 0 [J]
    double kept = 0.0;  ///< the largest that the next step left [J]
    void add(double work);
    double most() const { return std::max(kept, run); }
  };
  Sum all_, friction_;
  double moved_ = 0.0;  ///< [J]
};

/// What of a model opens and closes, and so may gain energy by its law: "contact", "a stop of a
/// joint", both, or "" where all laws hold both ways.
std::string what_opens(const Model& model);

}  // namespace saltus

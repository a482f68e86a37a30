// The numbers of the table at the end of a run, collected step by step.
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

/// Number of kinds of events, the values of Event::Kind.
inline constexpr std::size_t kEventKinds = static_cast<std::size_t>(Event::Kind::take_back) + 1;

/// The largest (or smallest) value and the first row with it.
struct Extreme {
  double value = 0.0;
  std::uint64_t row = 0;
};

/// Depends only on the recorded rows, so that a resumed run ends with the same table as an
/// uninterrupted one.
struct RunStatistics {
  std::uint64_t rows = 0;  ///< including the start row
  double time = 0.0;       ///< of the last row [s]
  Extreme residual;        ///< largest StepReport::residual [1]
  Extreme residual_after;  ///< largest StepReport::residual_after [1]
  Extreme gap{std::numeric_limits<double>::infinity(),
              0};                   ///< smallest; < 0: largest penetration [m]
  Extreme joint_gap;                ///< largest StepReport::joint_gap [m], [rad]
  Extreme unexplained;              ///< largest magnitude in one step, with its sign [J]
  Extreme contacts;                 ///< largest number of contacts with impulse
  Extreme energy;                   ///< largest total energy [J]
  double largest_parts = 0.0;       ///< largest kinetic + |potential| energy [J]
  std::uint64_t iterations = 0;     ///< of the contact solver, in all steps
  std::uint64_t passes = 0;         ///< in all steps
  std::uint64_t contact_steps = 0;  ///< steps with at least one contact
  std::uint64_t failed_steps = 0;   ///< steps whose contact problem did not converge
  std::uint64_t halvings = 0;       ///< in all steps
  double energy_start = 0.0;        ///< total [J]
  Energy energy_end;                ///< [J]
  std::uint64_t substeps = 0;       ///< StepReport::steps, in all rows
  std::uint64_t rejected = 0;       ///< of these, the rejected ones
  std::uint64_t evaluations = 0;    ///< of the forces by event-driven integration
  Extreme error;                    ///< largest StepReport::error [1]
  std::array<std::uint64_t, kEventKinds> events{};  ///< of event-driven integration, by Event::Kind

  /// Adds one row; the first one is the start.
  void add(const StepReport& report, const Energy& now, double t);
  void add(std::span<const Event> of_step);
  std::uint64_t event_count() const;
  /// "12: 10 impact, 1 rest, 1 opens" or "none".
  std::string events_text() const;
  /// Largest penetration [m], >= 0.
  double penetration() const { return gap.value < 0.0 ? -gap.value : 0.0; }
};

/// Energy added by contacts although their laws do not allow it: the largest sum of their work over
/// consecutive steps, so that work which the next step removes does not count. It is computed for
/// normal impulses and friction together and for friction only, because impacts may dissipate more
/// and hide it. Energy removed by the schemes in the same step is subtracted: a scheme that
/// computes the work of contacts at another velocity than the mean of the step (moreau-jean, theta
/// not 1/2) includes the difference there.
class ContactGain {
 public:
  /// Work in a step [J] of normal impulses, friction and schemes, and a measure of the load that
  /// contacts carried.
  struct Step {
    double impact = 0.0, friction = 0.0, scheme = 0.0;
    double carried = 0.0;  ///< sum P_N times StepReport::speed [J]
  };
  /// `start`, `now`: energy [J]. Work is round-off if it is below 1e-12 of these energies,
  /// including the parts of the latter, or below 1e-9 of `carried`, which is nonzero in every step
  /// for bodies at rest.
  void add(const Step& work, double start, const Energy& now, std::uint64_t step);
  /// Whether to report the gain: above 1e-3 of the energy turned over, which is the largest kinetic
  /// energy plus the work terms of the ledger [J]; for friction only, above 2e-2. Less is within
  /// the error of order h of steps whose contacts move on a rotating body.
  bool matters(std::span<const double> ledger) const;

  /// [J], the larger of the two by its own measure.
  double fed() const { return by_friction() ? friction_.most() : all_.most(); }
  bool by_friction() const { return kFriction * friction_.most() > all_.most(); }
  /// Whether friction did most of that work.
  bool from_friction() const { return 2.0 * friction_.most() > all_.most(); }
  std::uint64_t steps = 0;  ///< number of steps with a gain
  Extreme worst;            ///< [J], row = step

 private:
  static constexpr double kMatters = 1e-3, kFriction = 0.05;
  struct Sum {
    double run = 0.0;   ///< sum that ends with the last step, >= 0 [J]
    double kept = 0.0;  ///< largest sum not removed by the next step [J]
    void add(double work);
    double most() const { return std::max(kept, run); }
  };
  Sum all_, friction_;
  double moved_ = 0.0;  ///< [J]
};

/// The parts of a model that open and close, so that their law may add energy: "contact", "a stop
/// of a joint", both, or "" if all laws are bilateral.
std::string what_opens(const Model& model);

}  // namespace saltus

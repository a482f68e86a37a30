// The numbers of the table at the end of a run, gathered step by step.
#pragma once
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>

#include "saltus/scene/model.h"
#include "saltus/sim/state.h"

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
  std::uint64_t evaluations = 0;    ///< of the forces by the event lane
  Extreme error;                    ///< largest StepReport::error [1]
  std::array<std::uint64_t, kEventKinds> events{};  ///< of the event lane, by Event::Kind

  /// Takes one more row; the first one is the start.
  void add(const StepReport& report, const Energy& now, double t);
  void add(std::span<const Event> of_step);
  std::uint64_t event_count() const;
  /// "12: 10 impact, 1 rest, 1 opens" or "none".
  std::string events_text() const;
  /// Largest penetration [m], >= 0.
  double penetration() const { return gap.value < 0.0 ? -gap.value : 0.0; }
};

/// Steps in which the contacts did positive work although nothing of the laws allows it. What the schemes take out in
/// the same step counts against it: one that books the work of contacts at another velocity than the mean of the step
/// (moreau-jean, theta not 1/2) shows the difference there.
struct ContactGain {
  std::uint64_t steps = 0;
  Extreme worst;             ///< [J], row = step
  bool by_friction = false;  ///< the worst is work of friction
  double total = 0.0;        ///< of all steps [J]
  double moved = 0.0;  ///< largest kinetic energy, or sum P_N times StepReport::speed of a step [J]
  std::uint64_t longest = 0;  ///< most steps in a row with contacts that carry an impulse
  std::uint64_t held = 0;     ///< of them, up to the last step

  /// Works of a step [J], of normal impulses, of friction and of the schemes; what contacts carried in it.
  struct Step {
    double impact = 0.0, friction = 0.0, scheme = 0.0;
    double carried = 0.0;  ///< sum P_N times StepReport::speed [J]
    bool contacts = false;
  };
  /// `start`, `now`: energy [J], below 1e-12 of them, and of the two parts of the latter, work counts as round-off.
  void add(const Step& work, double start, const Energy& now, std::uint64_t step);
  /// Whether the total is worth a word: above 1e-6 of what moved and of the largest account of the ledger [J].
  bool matters(std::span<const double> ledger) const;
};

/// What of a model opens and closes, and so may gain energy by its law: "contact", "a stop of a joint", both, or "" where all
/// laws hold both ways.
std::string what_opens(const Model& model);

}  // namespace saltus

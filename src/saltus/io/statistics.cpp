#include "saltus/io/statistics.h"

#include <algorithm>
#include <cmath>

namespace saltus {
namespace {

// Written so that NaN counts as the worst value and stays.
void raise(Extreme& extreme, double value, std::uint64_t row) {
  if (!(value <= extreme.value) && !std::isnan(extreme.value)) extreme = {value, row};
}

}  // namespace

void RunStatistics::add(const StepReport& report, const Energy& now, double t) {
  const std::uint64_t row = rows++;
  if (row == 0) {
    energy_start = now.total();
    energy = {now.total(), 0};
  }
  time = t;
  energy_end = now;
  raise(residual, report.residual, row);
  raise(residual_after, report.residual_after, row);
  raise(joint_gap, report.joint_gap, row);
  raise(contacts, report.contacts, row);
  raise(energy, now.total(), row);
  if (!(report.gap >= gap.value) && !std::isnan(gap.value)) gap = {report.gap, row};
  if (!(std::abs(report.unexplained) <= std::abs(unexplained.value)) &&
      !std::isnan(unexplained.value))
    unexplained = {report.unexplained, row};
  iterations += static_cast<std::uint64_t>(report.iterations);
  passes += static_cast<std::uint64_t>(report.passes);
  halvings += static_cast<std::uint64_t>(report.halvings);
  contact_steps += report.contacts > 0;
  failed_steps += !report.converged;
}

void ContactGain::add(double impact, double friction, double scheme, double start, double now,
                      std::uint64_t step) {
  const double most = std::max(impact, friction), gain = std::min(most, most + scheme);
  if (!(gain > 1e-12 * std::max(std::abs(start), std::abs(now)))) return;
  ++steps;
  if (gain > worst.value) worst = {gain, step};
}

}  // namespace saltus

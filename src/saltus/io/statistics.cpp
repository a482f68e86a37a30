#include "saltus/io/statistics.h"

#include <algorithm>
#include <cmath>

namespace saltus {
namespace {

// Both parts count: what falls from rest at height 0 has no energy in sum.
double parts_of(const Energy& energy) {
  return std::abs(energy.kinetic) + std::abs(energy.potential);
}

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
  largest_parts = std::max(largest_parts, parts_of(now));
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

void ContactGain::add(double impact, double friction, double scheme, double start,
                      const Energy& now, std::uint64_t step) {
  const double most = std::max(impact, friction), gain = std::min(most, most + scheme);
  if (!(gain > 1e-12 * std::max(std::abs(start), parts_of(now)))) return;
  ++steps;
  if (gain > worst.value) worst = {gain, step};
}

std::string what_opens(const Model& model) {
  const auto opens = [&](int law) {
    return law >= 0 && !model.laws()[static_cast<std::size_t>(law)].bilateral();
  };
  const bool contact = std::ranges::any_of(model.pairs(), opens, &ContactPair::law) ||
                       std::ranges::any_of(model.surfaces().law, opens),
             stop = std::ranges::any_of(model.joint_laws(), opens, &JointLaw::law);
  return contact && stop ? "contact or a stop of a joint"
         : contact       ? "contact"
         : stop          ? "a stop of a joint"
                         : "";
}

}  // namespace saltus

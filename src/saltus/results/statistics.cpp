#include "saltus/results/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace saltus {
namespace {

// Uses both parts: a body that falls from rest at height 0 has a total energy of 0.
double parts_of(const Energy& energy) {
  return std::abs(energy.kinetic) + std::abs(energy.potential);
}

// NaN counts as the worst value and stays.
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
  substeps += static_cast<std::uint64_t>(report.steps);
  rejected += static_cast<std::uint64_t>(report.rejected);
  evaluations += static_cast<std::uint64_t>(report.evaluations);
  raise(error, report.error, row);
  contact_steps += report.contacts > 0;
  failed_steps += !report.converged;
}

void RunStatistics::add(std::span<const Event> of_step) {
  for (const Event& event : of_step) ++events[static_cast<std::size_t>(event.kind)];
}

std::uint64_t RunStatistics::event_count() const {
  return std::accumulate(events.begin(), events.end(), std::uint64_t{0});
}

std::string RunStatistics::events_text() const {
  const std::uint64_t all = event_count();
  if (all == 0) return "none";
  std::string text = std::to_string(all);
  const char* before = ": ";
  for (std::size_t k = 0; k < events.size(); ++k) {
    if (events[k] == 0) continue;
    text += before + std::to_string(events[k]) + " " +
            std::string(name_of(static_cast<Event::Kind>(k)));
    before = ", ";
  }
  return text;
}

void ContactGain::Sum::add(double work) {
  const double before = run;
  run = std::max(run + work, 0.0);
  kept = std::max(kept, std::min(before, run));
}

void ContactGain::add(const Step& work, double start, const Energy& now, std::uint64_t step) {
  moved_ = std::max(moved_, now.kinetic);
  const double nothing =
      std::max(1e-12 * std::max(std::abs(start), parts_of(now)), 1e-9 * work.carried);
  const auto counts = [&](double x) { return std::abs(x) > nothing ? x : 0.0; };
  const double taken = std::min(work.scheme, 0.0),
               sum = counts(work.impact + work.friction + taken),
               friction = counts(work.friction + taken), gain = std::max(sum, friction);
  all_.add(sum);
  friction_.add(friction);
  if (!(gain > 0.0)) return;
  ++steps;
  if (gain > worst.value) worst = {gain, step};
}

bool ContactGain::matters(std::span<const double> ledger) const {
  double turned = moved_;
  for (const double work : ledger) turned += std::abs(work);
  return steps > 0 && !(std::max(all_.most(), kFriction * friction_.most()) <= kMatters * turned);
}

std::string what_opens(const Model& model) {
  const auto opens = [&](int law) { return law >= 0 && !model.law(law).bilateral(); };
  const bool contact = std::ranges::any_of(model.pairs(), opens, &ContactPair::law) ||
                       std::ranges::any_of(model.surfaces().law, opens),
             stop = std::ranges::any_of(model.joint_laws(), opens, &JointLaw::law);
  return contact && stop ? "contact or a stop of a joint"
         : contact       ? "contact"
         : stop          ? "a stop of a joint"
                         : "";
}

}  // namespace saltus

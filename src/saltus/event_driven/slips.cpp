#include "saltus/event_driven/slips.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/base/index_internal.h"

namespace saltus {
namespace {

/// relative to EventOptions::zeno: the remaining distance of a slip that has ended
constexpr double kStop = 1e-6;

/// Slips u = (u_1, u_2) of a mode and their rates u' for accelerations a.
struct SlipRates {
  int tangents = 0;
  std::array<double, 2> u{}, du{};
};
SlipRates slip_rates(ConstrainedMotion& motion, std::size_t k, const Vector& a, Vector& row) {
  const auto i = at(motion.index(k));
  SlipRates slip;
  slip.tangents = motion.contacts().contact(i).tangents;
  for (int t = 0; t < slip.tangents; ++t) {
    row.setZero();
    motion.contacts().add_row(i, 1 + t, 1.0, row);
    slip.u[at(t)] = motion.rate(k)[1 + t];
    slip.du[at(t)] = row.dot(a);
  }
  return slip;
}

bool slides(const ConstrainedMotion& motion, std::size_t k) {
  return motion.modes()[k].kind == ContactMode::Kind::slides && motion.index(k) >= 0;
}

}  // namespace

bool any_slides(std::span<const ContactMode> modes) {
  return std::ranges::any_of(
      modes, [](const ContactMode& mode) { return mode.kind == ContactMode::Kind::slides; });
}

double slip_time(ConstrainedMotion& motion, const OdeStep& step) {
  double time = std::numeric_limits<double>::infinity();
  if (!any_slides(motion.modes())) return time;
  Vector row(motion.size());
  for (std::size_t k = 0; k < motion.modes().size(); ++k) {
    if (!slides(motion, k)) continue;
    const auto [tangents, u, du] = slip_rates(motion, k, step.dv0, row);
    if (tangents < 2) continue;
    const double slip = std::hypot(u[0], u[1]);
    if (!(slip > motion.still(k))) continue;
    const double slower = -(u[0] * du[0] + u[1] * du[1]) / slip,
                 across = std::abs(u[0] * du[1] - u[1] * du[0]) / slip;
    if (slower > 0.0) time = std::min(time, 2.0 * slip / slower);
    if (across > 0.0) time = std::min(time, slip / across);
  }
  return time;
}

bool has_stopped(ConstrainedMotion& motion, const State& state, std::uint64_t key, double zeno) {
  const Vector& a = motion.rates_at(state);
  Vector row(motion.size());
  for (std::size_t k = 0; k < motion.modes().size(); ++k) {
    if (motion.modes()[k].key != key || motion.index(k) < 0) continue;
    const auto [tangents, u, du] = slip_rates(motion, k, a, row);
    double slip = 0.0, change = 0.0;
    for (std::size_t t = 0; t < at(tangents); ++t) {
      slip += u[t] * u[t];
      change += du[t] * du[t];
    }
    return slip <= 2.0 * zeno * std::sqrt(change);
  }
  return false;
}

std::vector<EventEnding> stopping_slips(ConstrainedMotion& motion, const OdeStep& step,
                                        double zeno) {
  std::vector<EventEnding> stops;
  Vector row(motion.size()), dw(motion.size()), dv(motion.size());
  motion.rates(step.t0, Vector::Zero(motion.size()), step.v0, dw, dv);
  for (std::size_t k = 0; k < motion.modes().size(); ++k) {
    if (!slides(motion, k)) continue;
    const auto [tangents, u, du] = slip_rates(motion, k, dv, row);
    double slip = 0.0, slower = 0.0;
    for (std::size_t t = 0; t < at(tangents); ++t) {
      slip += u[t] * u[t];
      slower -= u[t] * du[t];
    }
    // distance = u^2/(2 |u'|), u' = (u . u_T')/u
    if (slower > 0.0 && slip * std::sqrt(slip) <= 2.0 * kStop * zeno * slower)
      stops.push_back({EventEnding::Kind::stops, motion.modes()[k].key, {}});
  }
  return stops;
}

void update_directions(ConstrainedMotion& motion, State& state, double time) {
  if (!any_slides(state.event_state.modes)) return;
  motion.go_to(state);
  const Vector v = motion.kinematics().velocities(state.groups);
  motion.mark_slips(0.0, v.cwiseAbs() + time * motion.free_acceleration().cwiseAbs());
  for (std::size_t k = 0; k < state.event_state.modes.size(); ++k) {
    ContactMode& mode = state.event_state.modes[k];
    if (mode.kind != ContactMode::Kind::slides || motion.index(k) < 0) continue;
    if (motion.contacts().contact(at(motion.index(k))).tangents < 2) continue;
    const double u1 = motion.rate(k)[1], u2 = motion.rate(k)[2], slip = std::hypot(u1, u2);
    if (slip > motion.still(k) && u1 * mode.direction[0] + u2 * mode.direction[1] > 0.1 * slip)
      mode.direction = {u1 / slip, u2 / slip};
  }
}

}  // namespace saltus

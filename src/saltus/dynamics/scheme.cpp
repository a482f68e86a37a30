#include "saltus/dynamics/scheme.h"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

namespace saltus {

std::unique_ptr<Prepared> Scheme::prepare(const Dynamics&, double) const { return nullptr; }

void Scheme::start(const Dynamics&, const Prepared*, double, double, GroupState&) const {}
void Scheme::change_step(const Dynamics& body, const Prepared* prepared, double t, double, double h,
                         GroupState& state) const {
  start(body, prepared, t, h, state);
}

void Scheme::velocity(const Dynamics&, const Prepared*, double, double, const GroupState& state,
                      Out v) const {
  v = state.v;
}

Energy Scheme::energy(const Dynamics& body, const Prepared* prepared, double t, double h,
                      const GroupState& state) const {
  if (velocity_at() == 1.0) return body.energy(t, state.q, state.v);
  Vector v(body.velocities());
  velocity(body, prepared, t, h, state, v);
  return body.energy(t, state.q, v);
}

void Scheme::place(const Dynamics& body, const Trial& trial, double fraction, Out q) const {
  if (fraction == 0.0) {
    q = trial.start->q;
  } else if (fraction == 1.0) {
    q = trial.q;
  } else if (!has(body.traits(), Trait::rotations)) {  // q0 (+) (h/2) (v0 + v1)/2
    q = trial.start->q + 0.25 * trial.h * (trial.start->v + trial.v);
  } else {
    thread_local std::vector<double> room;  // only grows; written before it is read
    const Eigen::Index n = trial.v.size();
    room.resize(std::max(room.size(), static_cast<std::size_t>(n)));
    Eigen::Map<Vector> w(room.data(), n);
    w = 0.25 * trial.h * (trial.start->v + trial.v);
    body.retract(trial.start->q, w, q);
  }
}

double Scheme::stability_limit(double) const { return std::numeric_limits<double>::infinity(); }

std::span<const Stage> Scheme::stages() const {
  static constexpr std::array<Stage, 1> kOne{Stage{}};
  return kOne;
}

void Scheme::work_velocity(const Trial& trial, const GroupState& end, Out w) const {
  w = 0.5 * (trial.start->v + end.v);
}

}  // namespace saltus

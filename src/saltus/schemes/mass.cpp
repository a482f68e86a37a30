#include "saltus/schemes/mass.h"

namespace saltus {

MassFactor::MassFactor(const Dynamics& body) : constant(constant_mass(body)) {
  if (!constant) return;
  const Vector q = Vector::Zero(body.positions()), v = Vector::Zero(body.velocities());
  body.factorise({1.0, 0.0, 0.0}, 0.0, q, v, M);
}

void solve_vector(const Factor& A, Out x) {
  if (const auto* diagonal = std::get_if<Diagonal>(&A.form))
    x.array() *= diagonal->inverse.array();
  else if (const auto* blocks = std::get_if<Blocks6>(&A.form))
    for (std::size_t i = 0; i < blocks->inverse.size(); ++i) {
      Eigen::Map<Eigen::Matrix<double, 6, 1>> part(x.data() + 6 * i);
      part = (blocks->inverse[i] * part).eval();
    }
  else
    solve(A, x);
}

void solve_mass(const Dynamics& body, Trial& trial, double t, View q, View v, Out x) {
  const auto* kept = static_cast<const MassFactor*>(trial.prepared);
  if (kept && kept->constant) return solve_vector(kept->M, x);
  body.factorise({1.0, 0.0, 0.0}, t, q, v, trial.M);
  solve_vector(trial.M, x);
}

void solve_mass(const Dynamics& body, const Prepared* prepared, double t, View q, View v, Out x) {
  const auto* kept = static_cast<const MassFactor*>(prepared);
  if (kept && kept->constant) return solve_vector(kept->M, x);
  Factor M;
  body.factorise({1.0, 0.0, 0.0}, t, q, v, M);
  solve_vector(M, x);
}

void start_accelerations(const Dynamics& body, const Prepared* prepared, double t,
                         GroupState& state) {
  Vector a(body.velocities());
  body.force(t, state.q, state.v, a);
  solve_mass(body, prepared, t, state.q, state.v, a);
  state.memory.assign(2, a);
}

void scale_accelerations(const Dynamics& body, const Prepared* prepared, double t, double ratio,
                         GroupState& state) {
  if (state.memory.empty()) return start_accelerations(body, prepared, t, state);
  const Vector before = state.memory[0];
  start_accelerations(body, prepared, t, state);
  state.memory[0] += ratio * (before - state.memory[1]);
}

}  // namespace saltus

// The exact modal scheme of S. Bilbao for modes  mu (q'' + 2 sigma q' + omega^2 q) = F + r:
//
//     v1 = e v0 - (n/h) q0 + (beta/mu) (h F + r),   q1 = q0 + h v1,
//         v the backward difference (q - q_-)/h
//
// exact at the nodes for any step between contacts; A = mu/beta (diagonal), gain 1. Memory: none
// after the first step. Source: Bilbao's exact modal recursion as Siconos combines it with contact;
// theory in docs/theory/modal-exact.md.
#include "saltus/schemes/modal_exact.h"

#include <cmath>

#include "saltus/math/kernels.h"
#include "saltus/math/modal_coefficients.h"

namespace saltus {
namespace {

struct Coefficients final : Prepared {
  Vector e, n_over_h;  ///< [1], [1/s]
  /// Weight of the discrete energy mu/(2 beta) [kg]; 0: the mode is left out
  Vector g;
  Vector impulse;             ///< beta/mu [1/kg]
  Vector q_from_q, q_from_v;  ///< exact start: q(h) - q = q_from_q q + q_from_v v
  Vector v_from_q, v_from_v;  ///< physical velocity from (q, v)
  Vector zero;
  bool loaded = false;
};

class ModalExact final : public Scheme {
 public:
  explicit ModalExact(const ModalExactOptions& options) : options_(options) {}
  std::string_view name() const override { return ModalExactOptions::name; }
  unsigned needs() const override { return Trait::modal | Trait::affine; }
  bool one_pass(const Dynamics&) const override { return true; }
  bool fixed_step() const override { return true; }
  double gain() const override { return 1.0; }
  double velocity_at() const override { return 0.5; }

  std::unique_ptr<Prepared> prepare(const Dynamics& body, double h) const override;
  void start(const Dynamics& body, const Prepared* prepared, double t, double h,
             GroupState& state) const override;
  void velocity(const Dynamics& body, const Prepared* prepared, double t, double h,
                const GroupState& state, Out v) const override;
  Energy energy(const Dynamics& body, const Prepared* prepared, double t, double h,
                const GroupState& state) const override;
  void begin(const Dynamics& body, Trial& trial) const override;
  void linearise(const Dynamics& body, Trial& trial) const override;
  double correct(const Dynamics& body, Trial& trial) const override;
  void finish(const Dynamics& body, Trial& trial, GroupState& end) const override;
  void work(const Dynamics& body, Trial& trial, const GroupState& end,
            StepWork& work) const override;

 private:
  ModalExactOptions options_;
};

const Coefficients& coefficients(const Prepared* prepared) {
  return *static_cast<const Coefficients*>(prepared);
}

std::unique_ptr<Prepared> ModalExact::prepare(const Dynamics& body, double h) const {
  const ModalData& modes = *body.modal();
  const Eigen::Index n = modes.mass.size();
  auto c = std::make_unique<Coefficients>();
  for (Vector* x : {&c->e, &c->n_over_h, &c->g, &c->impulse, &c->q_from_q, &c->q_from_v,
                    &c->v_from_q, &c->v_from_v})
    x->resize(n);
  for (Eigen::Index j = 0; j < n; ++j) {
    const double mu = modes.mass[j], omega = modes.omega[j], sigma = modes.sigma[j];
    const ModalCoefficients m = modal_coefficients(omega, sigma, h);
    c->e[j] = m.e;
    c->n_over_h[j] = m.n / h;
    c->impulse[j] = m.beta / mu;
    // Impulses cannot move a mode with beta = 0 and its energy cannot be computed from the nodes:
    // it is left out of the energy balance.
    const double g = mu / (2.0 * m.beta);
    c->g[j] = std::isfinite(g) ? g : 0.0;
    const FreeFlow flow = free_flow(omega, sigma, h);
    c->q_from_q[j] = flow.c_minus_1;
    c->q_from_v[j] = flow.b;
    // Where two nodes half a period apart do not determine the velocity, the backward difference is
    // used instead.
    const VelocityMap map = physical_velocity(omega, sigma, h).value_or(VelocityMap{0.0, 1.0});
    c->v_from_q[j] = map.from_q;
    c->v_from_v[j] = map.from_v;
  }
  c->loaded = modes.load >= 0;
  c->zero = Vector::Zero(n);
  return c;
}

// Displacement at h, from rest, under a unit load [m/N]: (1 - c)/(mu omega^2), or the motion under
// drag only at omega = 0.
double rise(double mu, double omega, double sigma, double h, double c_minus_1) {
  if (omega > 0.0) return -c_minus_1 / (mu * omega * omega);
  const double s = 2.0 * sigma * h;
  const double series = 0.5 - s / 6.0 + s * s / 24.0 - s * s * s / 120.0 + s * s * s * s / 720.0;
  return (s > 1e-3 ? (s + std::expm1(-s)) / (s * s) : series) * h * h / mu;
}

// Exact start: the first step must reach the exact q(h) = c q + b v + rise F, so
//     e v0 = w,   w = (q(h) - q)/h + (n/h) q - (beta/mu) h F.
// A mode that loses more than half of its amplitude in a step (e < 1/2) would need a v0 that is
// larger by the factor exp(2 sigma h), and the discrete energy would start with the square of it.
// Such a mode keeps its physical v0, and the missing part w - e v0 acts in the first step like an
// impulse, whose work is booked as work of the scheme. `raw` uses the given velocity as the
// backward difference.
void ModalExact::start(const Dynamics& body, const Prepared* prepared, double t, double h,
                       GroupState& state) const {
  state.memory.clear();
  if (options_.start == ModalExactOptions::Start::raw) return;
  const Coefficients& c = coefficients(prepared);
  const ModalData& modes = *body.modal();
  Vector F = c.zero, missing = c.zero;
  if (c.loaded) body.force(t, c.zero, c.zero, F);
  for (Eigen::Index j = 0; j < state.q.size(); ++j) {
    const double q = state.q[j], v = state.v[j];
    const double up = rise(modes.mass[j], modes.omega[j], modes.sigma[j], h, c.q_from_q[j]);
    const double v1 = (c.q_from_q[j] * q + c.q_from_v[j] * v + up * F[j]) / h;
    const double w = v1 + c.n_over_h[j] * q - c.impulse[j] * h * F[j];
    if (c.e[j] >= 0.5)
      state.v[j] = w / c.e[j];
    else
      missing[j] = w - c.e[j] * v;
  }
  if (!missing.isZero(0.0)) state.memory.push_back(std::move(missing));
}

// q' of the free motion through the nodes q_-, q. A load F moves the rest position to
// q_rest = F/(mu omega^2) or, at omega = 0, changes the drift velocity to v_drift = F/(2 mu sigma);
// without drag (sigma = 0) the parabola gives v + h F/(2 mu).
void ModalExact::velocity(const Dynamics& body, const Prepared* prepared, double, double h,
                          const GroupState& state, Out v) const {
  const Coefficients& c = coefficients(prepared);
  v.array() = c.v_from_q.array() * state.q.array() + c.v_from_v.array() * state.v.array();
  if (!c.loaded) return;
  const ModalData& modes = *body.modal();
  Vector F = c.zero;
  body.force(0.0, c.zero, c.zero, F);
  for (Eigen::Index j = 0; j < v.size(); ++j) {
    const double mu = modes.mass[j], omega = modes.omega[j], sigma = modes.sigma[j];
    if (omega > 0.0)
      v[j] -= c.v_from_q[j] * F[j] / (mu * omega * omega);
    else if (sigma > 0.0)
      v[j] += (1.0 - c.v_from_v[j]) * F[j] / (2.0 * mu * sigma);
    else
      v[j] += h * F[j] / (2.0 * mu);
  }
}

// E = mu [ (a/2) v^2 + (omega^2/2) q q_- ],   q_- = q - h v
Energy ModalExact::energy(const Dynamics&, const Prepared* prepared, double, double h,
                          const GroupState& state) const {
  const Coefficients& c = coefficients(prepared);
  const ModalEnergy E =
      modal_energy(static_cast<int>(state.q.size()), c.e.data(), c.n_over_h.data(), c.g.data(), h,
                   state.q.data(), state.v.data());
  return {E.kinetic, E.potential};
}

/// trial.work: the impulse of the load; the energy balance of the free step {kinetic, potential,
/// damping, 1 if valid}; the direction of the last loop over the modes, which alternates for the
/// cache.
enum Work { load_impulse, free_balance, direction, work_count };

void ModalExact::begin(const Dynamics& body, Trial& trial) const {
  const Coefficients& c = coefficients(trial.prepared);
  const GroupState& at0 = *trial.start;
  const int n = static_cast<int>(at0.q.size());
  trial.gain = 1.0;
  if (trial.work.empty()) {
    trial.work.resize(work_count);
    trial.work[load_impulse] = c.zero;
    trial.work[free_balance] = Vector::Zero(4);
    trial.work[direction] = Vector::Ones(1);
  }
  if (!trial.factorised) {
    trial.A.form = Diagonal{c.impulse};
    trial.factorised = true;
  }
  double& sweep = trial.work[direction][0];
  sweep = -sweep;
  const bool reverse = sweep > 0.0;
  const bool free = at0.memory.empty() && !c.loaded;
  if (free && trial.ledger) {
    const ModalBalance E =
        modal_step_balance(n, trial.h, c.e.data(), c.n_over_h.data(), c.g.data(), at0.q.data(),
                           at0.v.data(), trial.q.data(), trial.v.data(), reverse);
    trial.work[free_balance] << E.kinetic, E.potential, E.damping, 1.0;
    return;
  }
  trial.work[free_balance][3] = 0.0;
  modal_step(n, trial.h, c.e.data(), c.n_over_h.data(), at0.q.data(), at0.v.data(), trial.q.data(),
             trial.v.data(), reverse);
  if (!at0.memory.empty()) {  // first step: the part that the exact start could not put into v0
    trial.v += at0.memory.front();
    trial.q += trial.h * at0.memory.front();
  }
  if (c.loaded) {  // (beta/mu) h F
    body.force(trial.t0, c.zero, c.zero, trial.work[load_impulse]);
    trial.work[load_impulse] *= trial.h;
    modal_kick(n, trial.h, c.impulse.data(), trial.work[load_impulse].data(), trial.q.data(),
               trial.v.data());
  }
}

void ModalExact::linearise(const Dynamics&, Trial& trial) const {
  if (trial.pass <= 1)
    trial.v_free = trial.v;  // begin() computed the free motion; later passes do not change it
}

// v1 = v_free + (beta/mu) r,   q1 = q0 + h v1
double ModalExact::correct(const Dynamics&, Trial& trial) const {
  const Coefficients& c = coefficients(trial.prepared);
  trial.work[free_balance][3] = 0.0;  // no longer free
  trial.v = trial.v_free + c.impulse.cwiseProduct(trial.r);
  trial.q = trial.start->q + trial.h * trial.v;
  return 0.0;
}

void ModalExact::finish(const Dynamics&, Trial& trial, GroupState& end) const {
  end.q.swap(trial.q);
  end.v.swap(trial.v);
  end.memory.clear();
}

//     E1 - E0 = - mu (h sigma*/2) (v1 + v0)^2 + (h F + r) (v1 + v0)/2
void ModalExact::work(const Dynamics& body, Trial& trial, const GroupState& end,
                      StepWork& work) const {
  const Coefficients& c = coefficients(trial.prepared);
  const ModalData& modes = *body.modal();
  const int n = static_cast<int>(end.q.size());
  const Vector& kept = trial.work[free_balance];
  const ModalBalance E =
      kept[3] != 0.0
          ? ModalBalance{kept[0], kept[1], kept[2]}
          : modal_balance(n, c.e.data(), c.n_over_h.data(), c.g.data(), trial.h,
                          trial.start->q.data(), trial.start->v.data(), end.q.data(), end.v.data());
  work.energy = {E.kinetic, E.potential};
  work.by_source[static_cast<std::size_t>(modes.damping)] = E.damping;
  if (!trial.start->memory.empty()) {
    // the missing part acts like the impulse (mu/beta) missing; modes with beta = 0 are not booked
    const Vector& missing = trial.start->memory.front();
    for (Eigen::Index j = 0; j < missing.size(); ++j)
      if (c.g[j] > 0.0)
        work.scheme += missing[j] / c.impulse[j] * 0.5 * (trial.start->v[j] + end.v[j]);
  }
  if (c.loaded)
    work.by_source[static_cast<std::size_t>(modes.load)] =
        dot_sum(n, trial.work[load_impulse].data(), trial.start->v.data(), end.v.data());
}

}  // namespace

std::unique_ptr<Scheme> make_modal_exact(const ModalExactOptions& options) {
  return std::make_unique<ModalExact>(options);
}

}  // namespace saltus

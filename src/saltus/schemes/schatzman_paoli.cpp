// The two-step scheme of Schatzman and Paoli, which implements their impact law
// 0 <= g(q1) + e g(q_-)  perp  P >= 0:
//
//     M (q1 - 2 q0 + q_-)/h = h F(t0, q, v) + r,    v = (q1 - q_-)/(2 h)
//     q = q0: explicit, A = M + (h/2) C, stable up to h omega = 2
//     q = (q_- + 2 q0 + q1)/4: implicit, A = M + (h/2) C + (h^2/4) K, stable at any step
//     start half:  q1 = q0 + h v0 + (h^2/2) M^-1 F of order 2;  full:  (h^2) M^-1 F
//
// The state holds w = (q0 - q_-)/h. Gain 1, order 2. The explicit form is that of central
// differences, with the equations in two_step.h. On affine groups the implicit form needs one pass,
// and the force at the mean position is the mean force.
// Source: L. Paoli, M. Schatzman 2002; theory in docs/theory/schatzman-paoli.md.
#include "saltus/schemes/schatzman_paoli.h"

#include "saltus/schemes/implicit.h"
#include "saltus/schemes/two_step.h"

namespace saltus {
namespace {

using Start = SchatzmanPaoliOptions::Start;

class SchatzmanPaoliExplicit final : public TwoStepExplicit {
 public:
  explicit SchatzmanPaoliExplicit(Start start) : start_(start) {}
  std::string_view name() const override { return SchatzmanPaoliOptions::name; }
  void start(const Dynamics& body, const Prepared* prepared, double t, double h,
             GroupState& state) const override {
    if (start_ == Start::half) TwoStepExplicit::start(body, prepared, t, h, state);
  }

 private:
  Start start_;
};

class SchatzmanPaoliImplicit final : public ImplicitScheme {
 public:
  explicit SchatzmanPaoliImplicit(Start start) : ImplicitScheme({}, false), start_(start) {}
  std::string_view name() const override { return SchatzmanPaoliOptions::name; }
  double gain() const override { return 1.0; }
  double velocity_at() const override { return 0.5; }
  std::unique_ptr<Prepared> prepare(const Dynamics& body, double h) const override {
    return two_step_prepare(body, TwoStepForce::mean, h);
  }
  void start(const Dynamics& body, const Prepared*, double t, double h,
             GroupState& state) const override {
    if (start_ == Start::half) two_step_start(body, TwoStepForce::mean, t, h, state);
  }
  void velocity(const Dynamics& body, const Prepared* prepared, double t, double h,
                const GroupState& state, Out v) const override {
    two_step_velocity(body, TwoStepForce::mean, prepared, t, h, state, v);
  }
  Energy energy(const Dynamics& body, const Prepared*, double t, double h,
                const GroupState& state) const override {
    Vector q_m(body.positions()), u(body.velocities()), Ku;
    return two_step_energy(body, TwoStepForce::mean, t, measured_at(body, t, h), h, state.q,
                           state.v, q_m, u, Ku);
  }
  void work(const Dynamics& body, Trial& x, const GroupState& end, StepWork& out) const override {
    two_step_work(body, TwoStepForce::mean, x, end, x.work[q_at], x.work[increment], x.work[v_at],
                  out);
  }

 protected:
  void place_end(const Dynamics& body, Trial& x) const override {
    x.work[increment] = x.h * x.v;
    body.retract(x.start->q, x.work[increment], x.q);
  }
  void residual(const Dynamics& body, Trial& x, Vector& res) const override;
  Combination matrix(double h) const override { return {1.0, 0.5 * h, 0.25 * h * h}; }

 private:
  Start start_;
};

// M d - h F(t0, q0 (+) (h/4) d, w + d/2),  d = w+ - w
void SchatzmanPaoliImplicit::residual(const Dynamics& body, Trial& x, Vector& res) const {
  const Vector& w = x.start->v;
  x.work[increment] = (0.25 * x.h) * (x.v - w);
  body.retract(x.start->q, x.work[increment], x.work[q_at]);
  x.work[v_at] = 0.5 * (w + x.v);
  x.t_at = x.t0;
  body.force(x.t_at, x.work[q_at], x.work[v_at], x.work[force]);
  x.work[change] = x.v - w;
  body.multiply({1.0, 0.0, 0.0}, x.t_at, x.work[q_at], x.work[v_at], x.work[change], res);
  res -= x.h * x.work[force];
}

}  // namespace

std::unique_ptr<Scheme> make_schatzman_paoli(const SchatzmanPaoliOptions& options) {
  if (options.implicit) return std::make_unique<SchatzmanPaoliImplicit>(options.start);
  return std::make_unique<SchatzmanPaoliExplicit>(options.start);
}

}  // namespace saltus

// Shared by central differences and the scheme of Schatzman and Paoli: a step relates three
// positions,
//
//     M (q1 - 2 q0 + q_-)/h = h F + r.    With w = (q0 - q_-)/h, w+ = (q1 - q0)/h, d = w+ - w:
//
//     M d = h F(t0, q0 (+) s d, w + d/2) + r,     q1 = q0 (+) h w+                           (1)
//
// s = 0: force at q0.  s = h/4: force at the mean (q_- + 2 q0 + q1)/4, stable at any step. The
// state holds w, which belongs to t0 - h/2, as does its energy. A = M + (h/2) C + h s K, gain 1,
// order 2. M is evaluated at the configuration of the force.
#pragma once
#include "saltus/schemes/explicit.h"

namespace saltus {

/// Choice of s: 0 (here) or h/4 (mean).
enum class TwoStepForce { here, mean };

/// Factor of A for affine groups, of M for other groups with constant M; it speeds up
/// two_step_velocity().
std::unique_ptr<Prepared> two_step_prepare(const Dynamics& body, TwoStepForce force, double h);
/// Computes w from the physical v:  M d = h F(t, q (+) s d, v),  w = v - d/2.
void two_step_start(const Dynamics& body, TwoStepForce force, double t, double h,
                    GroupState& state);
/// The physical v at t, inverse of two_step_start(): w + d/2 with d of the free step (1).
void two_step_velocity(const Dynamics& body, TwoStepForce force, const Prepared* prepared, double t,
                       double h, const GroupState& state, Out v);
/// Energy in the middle between q_- and q, with velocity w; for `here`, (h^2/8) w . K w is
/// subtracted from the potential energy. With this definition the step conserves energy exactly on
/// affine groups. Prescribed quantities are evaluated at `held`. q_m, u, Ku are scratch.
Energy two_step_energy(const Dynamics& body, TwoStepForce force, double t, double held, double h,
                       View q, View w, Vector& q_m, Vector& u, Vector& Ku);
/// `held` for a state at t: t - h/2, except for bodies with a driven potential.
inline double measured_at(const Dynamics& body, double t, double h) {
  return has(body.traits(), Trait::driven) ? t : t - 0.5 * h;
}
/// E1 - E0 = h F_s . w_m (sources without potential) + r . w_m,  w_m = (w + w+)/2; q_m, u, w_m are
/// scratch.
void two_step_work(const Dynamics& body, TwoStepForce force, const Trial& x, const GroupState& end,
                   Vector& q_m, Vector& u, Vector& w_m, StepWork& out);

/// The form with s = 0. For groups with damping that are not affine, (1) is solved by two Newton
/// steps from d = 0; the first gives the physical v0.
class TwoStepExplicit : public ExplicitScheme {
 public:
  unsigned needs() const override { return static_cast<unsigned>(Trait::tangents); }
  double gain() const override { return 1.0; }
  double velocity_at() const override { return 0.5; }
  double stability_limit(double) const override { return 2.0; }  ///< for any damping
  std::unique_ptr<Prepared> prepare(const Dynamics& body, double h) const override {
    return two_step_prepare(body, TwoStepForce::here, h);
  }
  void start(const Dynamics& body, const Prepared*, double t, double h,
             GroupState& state) const override {
    two_step_start(body, TwoStepForce::here, t, h, state);
  }
  void velocity(const Dynamics& body, const Prepared* prepared, double t, double h,
                const GroupState& state, Out v) const override {
    two_step_velocity(body, TwoStepForce::here, prepared, t, h, state, v);
  }
  Energy energy(const Dynamics& body, const Prepared*, double t, double h,
                const GroupState& state) const override;
  void work(const Dynamics& body, Trial& x, const GroupState& end, StepWork& out) const override;

 protected:
  enum Own { d = own, v_at, product };
  int own_vectors(const Dynamics&) const override { return 3; }
  void flight(const Dynamics& body, Trial& x) const override;
  bool steady(const Dynamics& body) const override { return has(body.traits(), Trait::affine); }
};

}  // namespace saltus

// Schemes whose motion without contact needs no iteration: flight() stores it in x.q and x.v, and
// sets A and the gain. One pass is exact:
//
//     v1 = v_free + A^-1 r,    q1 = q_free (+) gain h A^-1 r
#pragma once
#include "saltus/schemes/mass.h"

namespace saltus {

class ExplicitScheme : public Scheme {
 public:
  unsigned needs() const override { return 0; }
  /// Data of contacts at fixed points are cached for all steps of equal length, so A must be
  /// constant too. Other groups with fixed points use several passes, of which the first is exact.
  bool one_pass(const Dynamics& body) const override {
    return steady(body) || !has(body.traits(), Trait::fixed_points);
  }

  void begin(const Dynamics& body, Trial& x) const override;
  void linearise(const Dynamics& body, Trial& x) const override;
  double correct(const Dynamics& body, Trial& x) const override;
  /// Stores q1, v1; a derived scheme stores its memory.
  void finish(const Dynamics& body, Trial& x, GroupState& end) const override;

 protected:
  /// Scratch vectors in Trial::work. A derived scheme numbers its own from `own` on, each of size
  /// velocities(). q_free and q_at have size positions(). All may be overwritten inside flight()
  /// and work().
  enum Scratch { q_free, q_at, response, force, own };

  /// Number of scratch vectors of the derived scheme.
  virtual int own_vectors(const Dynamics&) const { return 0; }
  /// Sets x.q, x.v to the end of the motion without contact, sets x.gain, and sets x.A by
  /// use_mass() or use().
  virtual void flight(const Dynamics& body, Trial& x) const = 0;
  /// True if A depends only on (group, h).
  virtual bool steady(const Dynamics& body) const { return constant_mass(body); }

  /// x.A <- M(q), computed once if M is constant.
  static void use_mass(const Dynamics& body, Trial& x, double t, View q, View v);
  /// x.A <- (m M + c C + k K)(q, v), computed once if the group is affine.
  static void use(const Dynamics& body, Trial& x, Combination s, double t, View q, View v);

  /// f = F(t, q, v) + rM M v + rK K v: the force without Rayleigh damping, for comparison forms.
  static void undamped_force(const Dynamics& body, Trial& x, double t, View q, View v, Vector& f);

  /// Work terms of a step
  ///     M (v1 - v0) = h F(t, q, v) + r,  q1 = q0 (+) d.
  /// Tested with w = (v0 + v1)/2, where F_V is the sum of all forces with a potential,
  ///     E1 - E0 = h F_s . w (sources without potential) + r . w + scheme,
  ///     scheme  = h F_V(t, q, v) . w - (F_V(q0) + F_V(q1)) . d/2
  /// exact for constant M and quadratic potentials. If M is not constant, `scheme` stays 0.
  static void book(const Dynamics& body, Trial& x, const GroupState& end, double t, View q, View v,
                   const Vector& d, StepWork& out);
};

/// Power F(t, q, v) . w [W] of the forces with a potential; f is scratch. Without Trait::potential
/// it is the power of the sources that have a potential.
double potential_power(const Dynamics& body, double t, double held, View q, View v, View w,
                       Vector& f);

}  // namespace saltus

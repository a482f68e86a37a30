// Schemes whose motion without contact needs no iteration: flight() leaves it in x.q and x.v, with
// A and the gain beside it. One pass is exact:
//
//     v1 = v_free + A^-1 r,    q1 = q_free (+) gain h A^-1 r
#pragma once
#include "saltus/schemes/mass.h"

namespace saltus {

class ExplicitScheme : public Scheme {
 public:
  unsigned needs() const override { return 0; }
  /// What meets fixed points is kept for all steps of equal length, and so must A be: other groups
  /// are given passes, of which the first is exact.
  bool one_pass(const Dynamics& body) const override {
    return steady(body) || !has(body.traits(), Trait::fixed_points);
  }

  void begin(const Dynamics& body, Trial& x) const override;
  void linearise(const Dynamics& body, Trial& x) const override;
  double correct(const Dynamics& body, Trial& x) const override;
  /// q1, v1; memory is the derived scheme's.
  void finish(const Dynamics& body, Trial& x, GroupState& end) const override;

 protected:
  /// Scratch vectors in Trial::work. Those of a derived scheme are numbered from `own` on, of size
  /// velocities(). q_free and q_at are of size positions(). All are free inside flight() and
  /// work().
  enum Scratch { q_free, q_at, response, force, own };

  /// Number of scratch vectors of the derived scheme.
  virtual int own_vectors(const Dynamics&) const { return 0; }
  /// Fills x.q, x.v with the end of the motion without contact, x.gain, and x.A by use_mass() or
  /// use().
  virtual void flight(const Dynamics& body, Trial& x) const = 0;
  /// True where A belongs to (group, h).
  virtual bool steady(const Dynamics& body) const { return constant_mass(body); }

  /// x.A <- M(q), kept where M is constant.
  static void use_mass(const Dynamics& body, Trial& x, double t, View q, View v);
  /// x.A <- (m M + c C + k K)(q, v), kept where the group is affine.
  static void use(const Dynamics& body, Trial& x, Combination s, double t, View q, View v);

  /// f = F(t, q, v) + rM M v + rK K v: the force without Rayleigh damping, of forms for comparison.
  static void undamped_force(const Dynamics& body, Trial& x, double t, View q, View v, Vector& f);

  /// The accounts of a step  M (v1 - v0) = h F(t, q, v) + r,  q1 = q0 (+) d.  Tested with w = (v0 +
  /// v1)/2, and F_V all forces with a potential,
  ///     E1 - E0 = h F_s . w (sources without potential) + r . w + scheme,
  ///     scheme  = h F_V(t, q, v) . w - (F_V(q0) + F_V(q1)) . d/2
  /// exact for constant M and quadratic potentials. Where M is not constant `scheme` is left at 0.
  static void book(const Dynamics& body, Trial& x, const GroupState& end, double t, View q, View v,
                   const Vector& d, StepWork& out);
};

/// The part of F(t, q, v) . w [W] that has a potential; f is scratch. Where the kind offers no
/// potential_force() it is the power of its sources with a potential.
double potential_power(const Dynamics& body, double t, double held, View q, View v, View w,
                       Vector& f);

}  // namespace saltus

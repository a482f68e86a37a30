// Schemes defined by one equation for the end velocity,
//
//     residual(v1) = r,    residual(v) = M (v - v0) - h F_mean(v)  [N s],    q1 = q1(v1),
//     v_free = v - A^-1 residual(v),    A = m M + c C + k K
//         at the point where the residual was evaluated.
//
// The passes of the driver are Newton iterations on v1 that include the contact impulses. They
// start at the prediction of the scheme, or, if its residual is far larger, where q1 = q0: over a
// step much longer than the periods of a body, q0 + h v0 is absurd. With Trial::damp, a change of v
// by which |residual - r| grows to more than a few times its size is halved until it does not. A
// derived scheme defines residual, A and q1(v1); everything else is here.
#pragma once
#include "saltus/schemes/mass.h"

namespace saltus {

/// Twice a kinetic energy [J] below which a change counts as zero: near the smallest double,
/// relative changes have no correct digits.
inline constexpr double kNoEnergy = 1e-280;

class ImplicitScheme : public Scheme {
 public:
  unsigned needs() const override { return static_cast<unsigned>(Trait::tangents); }
  /// Data of contacts at fixed points are cached for all steps of equal length, so A must be
  /// constant too. Other groups with fixed points use several passes even with one linear solve;
  /// the first pass is then exact.
  bool one_pass(const Dynamics& body) const override {
    return has(body.traits(), Trait::affine) ||
           (linear_ && !has(body.traits(), Trait::fixed_points));
  }
  PassLimits pass_limits() const override { return limits_; }

  void begin(const Dynamics& body, Trial& x) const override;
  void linearise(const Dynamics& body, Trial& x) const override;
  double correct(const Dynamics& body, Trial& x) const override;
  /// Stores q1, v1; a derived scheme stores its memory.
  void finish(const Dynamics& body, Trial& x, GroupState& end) const override;

 protected:
  /// Scratch vectors in Trial::work. A derived scheme numbers its own from `own` on. q_at and v_at
  /// hold the linearisation point; the others may be overwritten between calls.
  enum Scratch { increment, product, force, change, q_at, v_at, history, v_before, r_before, own };

  /// linear: exactly one linear solve per step; residual() is then evaluated at the first iterate
  /// only.
  ImplicitScheme(PassLimits limits, bool linear) : limits_(limits), linear_(linear) {}

  /// Allocates Trial::work and begins an iteration; for begin().
  void allocate(const Dynamics& body, Trial& x) const;
  /// Number of scratch vectors of the derived scheme (of size velocities()).
  virtual int own_vectors() const { return 0; }
  /// First iterate x.v. Default: v0.
  virtual void predict(const Dynamics& body, Trial& x) const;
  /// x.q = q1(x.v)
  virtual void place_end(const Dynamics& body, Trial& x) const = 0;
  /// res = residual(x.v); stores the linearisation point in x.t_at, x.work[q_at], x.work[v_at].
  virtual void residual(const Dynamics& body, Trial& x, Vector& res) const = 0;
  virtual Combination matrix(double h) const = 0;
  /// For free_velocity(), once residual() has filled res: replaces an absurd prediction in begin(),
  /// damps the last change if requested, and updates x.v and res.
  void safeguard(const Dynamics& body, Trial& x, Vector& res) const;
  /// dq1/dv1 of place_end() when there are no impulses [s]
  virtual double travel(const Trial& x) const { return x.gain * x.h; }
  /// Factorises x.A at the linearisation point. Default: matrix().
  virtual void factorise(const Dynamics& body, Trial& x) const;
  virtual double gain_at(double) const { return gain(); }
  /// Computes x.v_free and x.A at the current iterate. Default: the two formulas in the header
  /// comment of this file.
  virtual void free_velocity(const Dynamics& body, Trial& x) const;
  /// The return value of correct(). x.v is the new iterate, x.work[change] its change in this pass,
  /// x.work[force] = A^-1 r.
  virtual double left_over(const Dynamics& body, Trial& x) const;
  /// True if one linear solve per step gives the exact iterate.
  bool one_solve(const Dynamics& body) const {
    return linear_ || has(body.traits(), Trait::affine);
  }

  /// v = theta v1 + (1 - theta) v0 in x.work[v_at], q0 (+) theta h v in x.work[q_at]
  static void place_between(const Dynamics& body, Trial& x, const Vector& v1, double theta);
  /// Books the work of the sources at place_between(end.v) and the energy of the end state.
  static void book_between(const Dynamics& body, Trial& x, const GroupState& end, double theta,
                           StepWork& out);

  PassLimits limits_;
  bool linear_;

 private:
  void stay(const Dynamics& body, Trial& x, Vector& res) const;
  void damp(const Dynamics& body, Trial& x, Vector& res) const;

 protected:
  bool frozen_ = false;  ///< all passes of the step use the A of begin()
};

/// Largest |dv|_M / max(|v0|_M, |v1|_M, |A^-1 r|_M) over the bodies of the group, with M at (q1,
/// v1) of the trial; infinite if any value is not finite. `product` and `scale` are scratch.
double outstanding_change(const Dynamics& body, const Trial& x, const Vector& dv,
                          const Vector& response, Vector& product, Vector& scale);

/// Distinguishes round-off from slow convergence in an iteration on a velocity. A body that hardly
/// moves cannot satisfy a tolerance relative to its velocity: its changes stop decreasing although
/// the forces are as accurate as they can be.
class RoundOff {
 public:
  /// Call before the first change of an iteration; `memory` stores three numbers between changes.
  static void begin(Vector& memory);
  /// True if the change dv of relative size `change` is round-off: it did not halve, and either it
  /// moves positions by 4 epsilon or less, or neither it nor the previous change was the smallest
  /// so far and it is at most 1e-6 (with an impulse 1e-10, because contact solutions can stall too)
  /// of the largest of |v0|_M, |v1|_M and |h A^-1 K q1|_M, the response to the elastic forces, with
  /// A and K at (x.t_at, q, v). The last three arguments are scratch.
  static bool reached(const Dynamics& body, const Trial& x, double change, const Vector& dv,
                      const Factor& A, View q, View v, Vector& memory, Vector& product,
                      Vector& response, Vector& scale);
};

/// w . K w at (t, q, v), where K is the stiffness of the potential [J]. 0 for rigid bodies: their
/// potential is linear, and their K comes from loads that depend on the rotation.
double curvature(const Dynamics& body, double t, View q, View v, const Vector& w, Vector& product);

/// Power of the gyroscopic moments of rigid bodies at v along w [W], 0 along v itself: the error in
/// energy of a scheme that tests them with another velocity.
double gyroscopic_power(const Dynamics& body, View v, View w);

/// by_source += weight_h F_s(t, q, v) . w for the sources without a potential, 0 for the others
/// [J]. Returns their sum. `held` as in Dynamics::power(): the start of the step.
double book_sources(const Dynamics& body, double t, std::optional<double> held, View q, View v,
                    View w, double weight_h, std::span<double> by_source);

}  // namespace saltus

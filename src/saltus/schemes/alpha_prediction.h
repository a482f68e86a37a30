// The smooth part of decoupled nonsmooth generalised-alpha. With rho the spectral radius at
// infinite frequency,
//
//     alpha_m = (2 rho - 1)/(rho + 1),  alpha_f = rho/(rho + 1),
//     gamma = 1/2 + alpha_f - alpha_m,  beta = (gamma + 1/2)^2/4
//
// the state stores a0 and w0, and the a' of the step solves
//
//     M(q~) w' = F(t1, q~, v~),    (1 - alpha_m) a' + alpha_m a0 = (1 - alpha_f) w' + alpha_f w0
//     q~ = q0 (+) ( h v0 + h^2 [ (1/2 - beta) a0 + beta a' ] ),
//         v~ = v0 + h [ (1 - gamma) a0 + gamma a' ]
//     Newton matrix  S = (1 - alpha_m)/(1 - alpha_f) M + h gamma C + h^2 beta K
//
// Impulses act on q~ and v~ afterwards, with A = M; the memory a', w' does not contain them. At the
// start a = w = M^-1 F.
#pragma once
#include "saltus/schemes/explicit.h"

namespace saltus {

class AlphaScheme : public ExplicitScheme {
 public:
  unsigned needs() const override { return static_cast<unsigned>(Trait::tangents); }
  std::unique_ptr<Prepared> prepare(const Dynamics& body, double h) const override;
  void start(const Dynamics& body, const Prepared* prepared, double t, double h,
             GroupState& state) const override;
  void change_step(const Dynamics& body, const Prepared* prepared, double t, double before,
                   double h, GroupState& state) const override;
  /// Stores a', w' in the memory; q1, v1 are those of the trial.
  void finish(const Dynamics& body, Trial& x, GroupState& end) const override;

 protected:
  enum AlphaScratch {
    a1 = own,
    w1,
    smooth_q,
    smooth_v,
    rest,
    change,
    product,
    scale,
    history,
    moved,
    middle_q,
    alpha_end
  };

  AlphaScheme(double rho_infinity, double tolerance, int iterations);
  int own_vectors(const Dynamics&) const override { return int{alpha_end} - int{own}; }
  /// Computes q~ in work[smooth_q], v~ in work[smooth_v], a' and w'; sets Trial::failure if
  /// Newton's method does not converge.
  void predict(const Dynamics& body, Trial& x) const;
  /// Work of the sources without a potential along v_m, by the trapezoidal rule.
  void book_smooth(const Dynamics& body, const Trial& x, View q1, View v1, View v_m,
                   std::span<double> by_source) const;

 private:
  Combination matrix(double h) const;
  void place_smooth(const Dynamics& body, Trial& x) const;
  /// One Newton step on a', with the factor S or, if null, with one made at the current iterate.
  void improve(const Dynamics& body, Trial& x, const Factor* S) const;

  double alpha_m_, alpha_f_, gamma_, beta_, tolerance_;
  int iterations_;
};

}  // namespace saltus

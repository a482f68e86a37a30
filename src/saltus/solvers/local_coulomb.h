// One contact with Coulomb friction, solved exactly.
#pragma once

namespace saltus {

/// What solving one contact needs of its W: rows (N), (N, T) or (N, T1, T2), W row by row [1/kg],
/// W_NN > 0. W may be unsymmetric and singular.
class CoulombContact {
 public:
  CoulombContact() = default;
  CoulombContact(int rows, const double* W) { set(rows, W); }
  void set(int rows, const double* W);

  /// p [N s] of  u = W p + b  with the law of Coulomb:
  ///     u_N >= 0, p = 0,   or   u_N = 0, |p_T| <= mu p_N, and -u_T along p_T where |p_T| = mu p_N.
  /// Sticking is looked for first, then sliding. Where the law has no solution (a contact that
  /// friction jams) some p in the cone comes back; the residual of the problem shows it.
  void solve(const double* b, double mu, double* p) const;

 private:
  class Sliding;
  bool stick(const double* c, double* p_T) const;

  int tangents_ = 0;
  bool singular_ = false;    ///< no impulse stops the slip in some direction
  double W_NN_ = 1.0;        ///< [1/kg]
  double W_TN_[2] = {};      ///< in the rows
  double W_NT_[2] = {};      ///< in the axes, like all below
  double S_[2] = {};         ///< diagonal of S = W_TT - W_TN W_NT/W_NN
  double skew_ = 0.0;        ///< (S_12 - S_21)/2
  double lowest_ = 0.0;      ///< S + lambda 1 is regular for lambda above it
  double axis_[2] = {1, 0};  ///< first axis, in the rows
};

/// The same for one b.
void solve_coulomb(int rows, const double* W, const double* b, double mu, double* p);

}  // namespace saltus

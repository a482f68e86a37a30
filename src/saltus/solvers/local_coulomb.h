// One contact with Coulomb friction, solved exactly.
#pragma once

namespace saltus {

/// Precomputed data of one contact with the matrix W: rows (N), (N, T) or (N, T1, T2), W row by row
/// [1/kg], W_NN > 0. W may be unsymmetric and singular.
class CoulombContact {
 public:
  CoulombContact() = default;
  CoulombContact(int rows, const double* W) { set(rows, W); }
  void set(int rows, const double* W);

  /// Solves  u = W p + b  with Coulomb's law for p [N s]:
  ///     u_N >= 0, p = 0,   or   u_N = 0, |p_T| <= mu p_N, and -u_T along p_T where |p_T| = mu p_N.
  /// Sticking is tried first, then sliding. If the law has no solution (friction jams the contact),
  /// some p in the cone is returned; the residual of the problem shows it.
  void solve(const double* b, double mu, double* p) const;

 private:
  class Sliding;
  bool stick(const double* c, double* p_T) const;

  int tangents_ = 0;
  bool singular_ = false;    ///< in some direction no impulse changes the slip
  double W_NN_ = 1.0;        ///< [1/kg]
  double W_TN_[2] = {};      ///< in the given rows
  double W_NT_[2] = {};      ///< along the principal axes, like all below
  double S_[2] = {};         ///< diagonal of S = W_TT - W_TN W_NT/W_NN
  double skew_ = 0.0;        ///< (S_12 - S_21)/2
  double lowest_ = 0.0;      ///< S + lambda 1 is regular for larger lambda
  double axis_[2] = {1, 0};  ///< first principal axis, in the given rows
};

/// The same solution for a single b.
void solve_coulomb(int rows, const double* W, const double* b, double mu, double* p);

}  // namespace saltus

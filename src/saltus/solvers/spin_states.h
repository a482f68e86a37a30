// The three states of row S of one contact.
#pragma once

namespace saltus {

/// Rows (N, T1, T2, S) or (N, T1, T2, R1, R2, S) of a rolling contact, as in solve_rolling()
/// (local_rolling.h). In each state the rows X without S form a contact that is solved exactly:
///     sticks,          u_S = 0:   p_S = -(b_S + W_SX p_X)/W_SS,
///         W' = W_XX - W_XS W_SX/W_SS,   b' = b_X - W_XS b_S/W_SS                            (1)
///     turns, s = -+1,  p_S = s sigma p_N:
///         W' = W_XX + s sigma W_XS e_N^T,   b' = b_X                                        (2)
/// (1) solves the contact if |p_S| <= sigma p_N, (2) if s u_S <= 0.
class SpinStates {
 public:
  SpinStates(int rows, const double* W, const double* b, double mu, double mu_R, double sigma)
      : rows_(rows), S_(rows - 1), W_(W), b_(b), mu_(mu), mu_R_(mu_R), sigma_(sigma) {}

  /// p of state 0: (1), with p_S projected onto its interval; state 1: (2) with the sign of the p_S
  /// of (1); state 2: (2) with the opposite sign.
  void solve(int state, double* p);

 private:
  double at(int i, int j) const { return W_[i * rows_ + j]; }
  double hold(double* p) const;
  void turn(double s, double* p) const;
  void rest(const double* W_X, const double* b_X, double* p) const;

  int rows_, S_;
  const double *W_, *b_;
  double mu_, mu_R_, sigma_;
  double side_ = 1.0;  ///< sign s of state 1
};

}  // namespace saltus

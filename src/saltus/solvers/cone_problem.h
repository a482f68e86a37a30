// A contact problem without dimensions, in which every cone of friction is |x_T| <= x_N.
#pragma once
#include "saltus/contact/contact_solver.h"

namespace saltus {

/// x = g p/beta,  W~_ij = W_ij/(g_i g_j),  b~_i = b_i/(g_i beta),  v = W~ x + b~ = u/(g beta)
///     g = a_c (mu, 1, 1) on the rows of a contact with friction, else a_c;
///         a_c makes the mean diagonal of W~_cc 1;
///     beta makes the mean square of b~ 1
/// so that a change of the units of length, mass or time changes nothing but rounding.
struct ConeProblem {
  /// The sets of contact/cone.h in these variables, in which mu = 1, and `zero` for the tangents of
  /// a contact with mu = 0.
  /// all: x free, v = 0.  zero: x = 0.  half_line: x >= 0.  interval: |x| <= bound.  second_order:
  /// |x_T| <= x_N.
  enum class Kind { all, zero, half_line, interval, second_order };
  struct Cone {
    Kind kind = Kind::all;
    int first = 0, size = 1;
    int contact = 0;
    double bound = 0.0;
    double W_NN = 0.0;  ///< first diagonal entry of W~
    double W_TT = 0.0;  ///< sum of the others

    bool barrier() const { return kind == Kind::half_line || kind == Kind::second_order; }
  };

  Vector b;                 ///< b~
  Vector impulse;           ///< beta/g [N s]: p = impulse x
  std::vector<Cone> cones;  ///< cover the rows in order; one a row but for second_order
  Vector weight;            ///< g [sqrt(1/kg)]

  int rows() const { return static_cast<int>(b.size()); }
  /// Reads all of `problem` but W, of which `diagonal` is given. No rolling contacts. Takes nothing
  /// from the heap the second time for a size.
  void read(const ContactProblem& problem, View diagonal);
  /// x <- nearest point of the cones
  void project(Vector& x) const;
  /// True where impulses x of this residual() say something about b~: |F| = residual |x| is small
  /// against |b~|. Where impulses may grow without bound (no solution, or none found), the residual
  /// falls with 1/|x| though nothing is solved.
  bool meaningful(const Vector& x, double residual) const {
    return (residual > 1e-15 ? residual : 1e-15) * x.norm() <= 0.1 * b.norm();
  }
};

/// True where p = 0 solves the problem at sight: b_N >= 0 at every contact, b = 0 on the rows of
/// other laws.
bool at_rest(const ContactProblem& problem);

/// Nearest point of the second-order cone {|x_T| <= x_N}, in place; size 2 or 3.
/// Cone::project_disc() with mu = 1, but for -0, which stays here.
void project_second_order(int size, double* x);

}  // namespace saltus

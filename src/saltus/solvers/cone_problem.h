// A dimensionless contact problem in which every friction cone is |x_T| <= x_N.
#pragma once
#include "saltus/contact/contact_solver.h"

namespace saltus {

/// x = g p/beta,  W~_ij = W_ij/(g_i g_j),  b~_i = b_i/(g_i beta),  v = W~ x + b~ = u/(g beta)
///     g = a_c (mu, 1, 1) on the rows of a contact with friction, else a_c;
///         a_c makes the mean diagonal of W~_cc equal to 1;
///     beta makes the mean square of b~ equal to 1
/// so that a change of the units of length, mass or time affects only round-off.
struct ConeProblem {
  /// The sets of contact/cone.h in these variables, with mu = 1, and `zero` for the tangents of a
  /// contact with mu = 0.
  /// all: x free, v = 0.  zero: x = 0.  half_line: x >= 0.  interval: |x| <= bound.
  /// second_order: |x_T| <= x_N.
  enum class Kind { all, zero, half_line, interval, second_order };
  struct Cone {
    Kind kind = Kind::all;
    int first = 0, size = 1;
    int contact = 0;
    double bound = 0.0;
    double W_NN = 0.0;  ///< first diagonal entry of W~
    double W_TT = 0.0;  ///< sum of the other diagonal entries

    bool barrier() const { return kind == Kind::half_line || kind == Kind::second_order; }
  };

  Vector b;                 ///< b~
  Vector impulse;           ///< beta/g [N s]: p = impulse x
  std::vector<Cone> cones;  ///< cover the rows in order; one per row except second_order
  Vector weight;            ///< g [sqrt(1/kg)]

  int rows() const { return static_cast<int>(b.size()); }
  /// Reads all of `problem` except W, whose diagonal is `diagonal`. Rolling contacts are not
  /// allowed. Allocates nothing when a size is used again.
  void read(const ContactProblem& problem, View diagonal);
  /// x <- nearest point of the cones
  void project(Vector& x) const;
  /// Whether impulses x with this residual() are informative about b~: |F| = residual |x| is small
  /// compared with |b~|. If impulses can grow without bound (no solution exists, or none is found),
  /// the residual falls with 1/|x| although nothing is solved.
  bool meaningful(const Vector& x, double residual) const {
    return (residual > 1e-15 ? residual : 1e-15) * x.norm() <= 0.1 * b.norm();
  }
};

/// Whether p = 0 obviously solves the problem: b_N >= 0 at contacts, b = 0 on rows of other laws.
bool at_rest(const ContactProblem& problem);

/// Projects x onto the second-order cone {|x_T| <= x_N} in place; size 2 or 3. Same as
/// Cone::project_disc() with mu = 1, except that it keeps -0.
void project_second_order(int size, double* x);

}  // namespace saltus

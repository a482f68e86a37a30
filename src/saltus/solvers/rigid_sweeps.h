// The sweeps of body_sweeps.h for what piles and walls are made of: contacts of three rows with
// Coulomb friction between bodies of six velocities. Twice as fast: contacts lie in the order of
// the sweeps, and most of them stick, for which W_cc^-1 is kept.
#pragma once
#include <vector>

#include "saltus/base/thread_pool.h"
#include "saltus/contact/colouring.h"
#include "saltus/contact/contact_solver.h"

namespace saltus {

/// The same iteration as BodySweeps, with other round-off and no bit that depends on threads. 500
/// bytes a contact.
class RigidSweeps final : public SolverWork {
 public:
  /// Whether every law is that of Coulomb with three rows, W is held by bodies of six velocities
  /// whose A_b^-1 do not couple motion and rotation, and every contact touches one body or two
  /// different ones.
  static bool fits(const ContactProblem& problem);

  // As in BodySweeps.
  void assign(const ContactProblem& problem, View p, Stop* stop = nullptr);
  double sweep(double beta);
  void velocities();
  double natural_map();
  void restart(View p);
  void copy(Out p);
  ThreadPool& thread_pool() { return thread_pool_; }

 private:
  /// One contact, in the order of the sweeps.
  struct alignas(64) Contact {
    double
        H[2 * 18 +
          2];  ///< of its sides, row by row, then zeros: registers of 8 read past the ends of rows
               ///< of 6
    double b[3], x[3];  ///< [m/s], [N s]
    double W[6];        ///< lower triangle of W_cc [1/kg]
    double inverse[6];  ///< of W_cc^-1 [kg]; first entry 0: too near to singular
    double friction;
    float step[3];  ///< (x - x_old)/scale_
    int side[2];    ///< bodies that move, side[0] = -1 before side[1] = -1: there is none
    int first;      ///< row of the problem
  };
  /// Eight doubles a body, the last two 0.
  struct alignas(64) Velocity {
    double of[8];
  };
  struct Rotation {
    double block[9];
  };
  /// Contacts one after the other, and what they read and write.
  struct Range {
    Contact *begin, *end;
    Velocity* v;
    const Velocity* diagonal;
    const Rotation* rotation;
    double beta, scale;
  };
  using Visit = double (*)(const Range&);
  struct Kernels;
  static Visit best(bool diagonal);

  template <class Use>
  double for_colours(const Use& use);
  void add_block(const Contact& c, int s, double* W) const;
  static void set_block(Contact& c, const double* W);

  ThreadPool thread_pool_;
  Stop* stop_ = nullptr;
  Colouring colouring_;
  std::vector<Contact> contacts_;
  std::vector<Velocity> inverse_;                       ///< diagonals of A_b^-1
  std::vector<Rotation> rotation_;                      ///< its blocks of the rotation
  bool diagonal_ = false;                               ///< every A_b^-1
  std::vector<Velocity> v_, v_old_;                     ///< [m/s, rad/s], of x and x_old
  std::vector<double> sums_;                            ///< of each block of contacts
  double scale_ = 1.0, mean_rho_ = 1.0, rho_b2_ = 0.0;  ///< as in BodySweeps
};

}  // namespace saltus

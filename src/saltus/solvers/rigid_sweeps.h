// The sweeps of body_sweeps.h specialised for piles and walls: contacts with three rows and Coulomb
// friction between bodies with six velocities. Twice as fast: contacts are stored in sweep order,
// and W_cc^-1 is stored because most contacts stick.
#pragma once
#include <vector>

#include "saltus/base/thread_pool.h"
#include "saltus/contact/colouring.h"
#include "saltus/contact/contact_solver.h"

namespace saltus {

/// The same iteration as BodySweeps, with different round-off; results do not depend on the number
/// of threads. 500 bytes per contact.
class RigidSweeps final : public SolverWork {
 public:
  /// Whether all contacts have Coulomb's law and three rows, W is stored by bodies with six
  /// velocities whose A_b^-1 do not couple translation and rotation, and each contact acts on one
  /// or two bodies.
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
  /// One contact, in sweep order.
  struct alignas(64) Contact {
    /// H of its sides, row by row, then zeros: registers of 8 read past the end of the last row
    double H[2 * 18 + 2];
    double b[3], x[3];  ///< [m/s], [N s]
    double W[6];        ///< lower triangle of W_cc [1/kg]
    double inverse[6];  ///< of W_cc^-1 [kg]; first entry 0: nearly singular
    double friction;
    float step[3];  ///< (x - x_old)/scale_
    int side[2];    ///< moving bodies, -1: none; if there is only one, it is side[0]
    int first;      ///< row in the problem
  };
  /// Eight doubles per body, the last two 0.
  struct alignas(64) Velocity {
    double of[8];
  };
  struct Rotation {
    double block[9];
  };
  /// Consecutive contacts, and the data that they read and write.
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
  std::vector<Rotation> rotation_;                      ///< their rotation blocks
  bool diagonal_ = false;                               ///< every A_b^-1 is diagonal
  std::vector<Velocity> v_, v_old_;                     ///< [m/s, rad/s], for x and x_old
  std::vector<double> sums_;                            ///< for each block of contacts
  double scale_ = 1.0, mean_rho_ = 1.0, rho_b2_ = 0.0;  ///< as in BodySweeps
};

}  // namespace saltus

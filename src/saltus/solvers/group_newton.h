// Sweeps and Newton steps on one group of coupled contacts.
#pragma once
#include <vector>

#include "saltus/contact/contact_groups.h"
#include "saltus/contact/contact_solver.h"
#include "saltus/linear_algebra/block_lu.h"
#include "saltus/solvers/contact_map.h"

namespace saltus {

/// Impulses p and velocities u = W p + b of all groups, and operations that improve one group.
/// Velocities with the proximal term:
///     u_a = u + alpha D (p - centre),   D = diag(1/rho)                                        (1)
class GroupNewton {
 public:
  /// `groups` must outlive later calls; choose() selects group g. Sweeps end if `stop` is
  /// requested.
  void begin(const ContactGroups& groups, Stop* stop = nullptr);
  void choose(int g);

  std::vector<double> p, u, centre;

  int contacts() const { return end_ - begin_; }
  int first_contact() const { return begin_; }
  int first_row() const { return groups_->W.first[at(begin_)]; }
  int end_row() const { return groups_->W.first[at(end_)]; }
  /// Computes u = W p + b on the group.
  void velocities();
  /// |F|^2 of the natural map of p and u on the group.
  double natural2() const;
  /// sum Phi_i^2/rho_i with u_a of (1).
  double merit(double alpha) const { return merit_at(alpha, 0.0); }
  /// max(|p|, |rho b|)^2 over the group in the norm of merit().
  double size2() const;

  /// Gauss-Seidel over the contacts, forward and back. u is not updated.
  void sweep();

  /// Sets a new starting p, different for each `number`: at contacts with friction a random point
  /// in the cone, of the magnitude given by b.
  void start_again(int number);

  /// Computes the Newton step d for Phi(p, u_a) = 0. False: no factorisation, or d is not finite.
  bool direction(double alpha);
  /// merit(alpha) after p + t d.
  double merit_at(double alpha, double t) const;
  /// |d|^2 in the norm of size2().
  double length2() const;
  /// p += t d, u += t W d.
  void step(double t);

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  void multiply(const double* x, double* y) const;  ///< y = W x on the group
  void sweep_contact(int c);
  void reduce(double alpha);

  const ContactGroups* groups_ = nullptr;
  Stop* stop_ = nullptr;
  int group_ = 0, begin_ = 0, end_ = 0;
  std::vector<BlockPattern> patterns_;  // one per group, analysed when needed
  std::vector<ContactSlope> slope_;
  std::vector<int> kept_, sizes_;
  bool reserved_ = false;  // lu_ has work space for the whole group
  std::vector<double> J_, y_, d_, Wd_;
  BlockLu lu_;
};

}  // namespace saltus

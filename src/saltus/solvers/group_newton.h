// Sweeps and Newton steps on one group of coupled contacts.
#pragma once
#include <vector>

#include "saltus/contact/contact_groups.h"
#include "saltus/contact/contact_solver.h"
#include "saltus/linear_algebra/block_lu.h"
#include "saltus/solvers/contact_map.h"

namespace saltus {

/// Impulses p and velocities u = W p + b of all groups, and how to improve one of them. Velocities
/// with the proximal term:
///     u_a = u + alpha D (p - centre),   D = diag(1/rho)                                        (1)
class GroupNewton {
 public:
  /// The contacts of group g of `groups`, which must outlive the calls that follow. Where `stop` is
  /// requested sweeps end at once.
  void begin(const ContactGroups& groups, Stop* stop = nullptr);
  void choose(int g);

  std::vector<double> p, u, centre;

  int contacts() const { return end_ - begin_; }
  int first_contact() const { return begin_; }
  int first_row() const { return groups_->W.first[at(begin_)]; }
  int end_row() const { return groups_->W.first[at(end_)]; }
  /// u = W p + b on the group.
  void velocities();
  /// |F|^2 of the natural map on the group, of p and u.
  double natural2() const;
  /// sum Phi_i^2/rho_i with u_a of (1).
  double merit(double alpha) const { return merit_at(alpha, 0.0); }
  /// max(|p|, |rho b|)^2 over the group in the norm of merit().
  double size2() const;

  /// Gauss-Seidel, contact by contact, forward and back. u is that of p afterwards.
  void sweep();

  /// p afresh, another one for every `number`: on contacts with friction somewhere in the cone, as
  /// long as b asks for.
  void start_again(int number);

  /// d of Newton's method for Phi(p, u_a) = 0. False: the matrix cannot be factorised or d is not
  /// finite.
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
  std::vector<BlockPattern> patterns_;  // of each group, as they are needed
  std::vector<ContactSlope> slope_;
  std::vector<int> kept_, sizes_;
  bool reserved_ = false;  // lu_ for the whole group
  std::vector<double> J_, y_, d_, Wd_;
  BlockLu lu_;
};

}  // namespace saltus

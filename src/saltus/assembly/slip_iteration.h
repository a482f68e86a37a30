// Fixed-point iteration on the slips of contacts whose friction coefficient depends on them, one
// step per pass.
#pragma once
#include <span>
#include <vector>

#include "saltus/assembly/contact_list.h"

namespace saltus {

/// The slip s = |u_T| [m/s] that a pass assumes for each contact of the list; contacts with other
/// laws are ignored.
class SlipIteration {
 public:
  explicit SlipIteration(const ContactList& list) : list_(list) {}
  void resize() { slip_.resize(static_cast<Eigen::Index>(list_.count())); }
  double operator[](int contact) const { return slip_[contact]; }
  /// The passes start with the slip at the start of the step, so that a sliding contact continues
  /// to slide and a sticking one to stick where the law allows both. u0: one entry per row of the
  /// list.
  void start(const Vector& u0);
  /// Slip of a contact from the rates u of its rows `entry`, with the terms of the law. Angular
  /// velocities are ignored.
  static double slip(const ContactLaw& law, const Law& entry, const Vector& u);
  /// Sets the slips that the next pass assumes, each with the W of its own rows (slip.h); u and p
  /// of this pass, one entry per row of the problem, over a step h. Returns the error of the
  /// fractions of mu that this pass assumed [1].
  double advance(std::span<const int> admitted, std::span<const Law> laws, const Vector& diagonal,
                 const Vector& u, const Vector& p, double h);

 private:
  const ContactList& list_;
  Vector slip_;
};

}  // namespace saltus

// Contact laws in statics: a step of h is an increment, and rates are displacements divided by h.
#pragma once
#include "saltus/contact/laws/force_law.h"

namespace saltus {

/// The law of a unilateral contact, with the friction of its law in motion:
///     0 <= gap(q1) perp P_N >= 0,   Coulomb's law for the tangential displacement of the step
class StaticContact final : public ContactLaw {
 public:
  explicit StaticContact(const ContactLaw& in_motion);
};

/// A force that is a function of the gap, without its dashpot: P = h N(gap(q1)).
class StaticForce final : public ForceLaw {
 public:
  explicit StaticForce(const AnyLaw& in_motion);
  double stored_energy(double gap) const override { return law_->stored_energy(gap); }
  double force(double gap, double, double) const override { return law_->force(gap, 0.0, 0.0); }

 protected:
  ForceStep step(double h, double y0, double y1) const override;

 private:
  AnyLaw law_;
};

}  // namespace saltus

// Springs as contact laws: the common part of compliant, Hertz, Hunt-Crossley and felt.
#pragma once
#include "saltus/contact/laws/force_law.h"
#include "saltus/contact/laws/spring.h"

namespace saltus {

/// P = h N of a ContactSpring.
class SpringLaw : public ForceLaw {
 public:
  SpringLaw(std::string_view name, const ContactSpring& spring, bool damped = false);

  bool admits(const Admission& x) const override;
  Law entry(const ContactShape& shape, double h) const override;
  RowTerm row(const RowState& x) const override;
  double row_at_end(const RowEnd& x) const override;
  double stored_energy(double gap) const override { return spring_energy(spring_, gap); }
  double force(double gap, double rate, double direction) const override;
  double damping_force(double gap, double rate) const override;

 protected:
  const ContactSpring& spring() const { return spring_; }
  ForceStep step(double h, double y0, double y1) const override;
  void add_numbers(std::vector<LawNumber>& all) const override;
  std::string described() const override;

 private:
  double weight(double h, double W) const;
  static double between(double w, double x0, double x1);

  ContactSpring spring_;
};

/// N = k d^p + R(y, u) >= 0 with a dissipative part, R u <= 0, that is not a dashpot. The spring
/// force is averaged over the displacement, which conserves energy; the law defines R.
class DampedSpringLaw : public SpringLaw {
 public:
  double damping_force(double gap, double rate) const override = 0;
  double pressing(double gap, double rate) const override = 0;

 protected:
  DampedSpringLaw(std::string_view name, const ContactSpring& spring)
      : SpringLaw(name, spring, true) {}
  /// R of a step and its slope.
  virtual ForceStep damping_step(double h, double y0, double y1) const = 0;

 private:
  ForceStep step(double h, double y0, double y1) const final;
};

}  // namespace saltus

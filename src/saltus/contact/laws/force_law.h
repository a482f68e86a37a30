// Laws that are forces of gap and rate: their row in a step, for any force.
#pragma once
#include "saltus/contact/laws/contact_law.h"
#include "saltus/contact/laws/spring.h"

namespace saltus {

/// P = h N(y1) >= 0 with y1 = y + gain h W P, y the gap without P. Newton's method about the gap y*
/// of the iterate gives
///     P/h = N(y*) - N' (y1 - y*),  N' = -dN/dy1
/// which is divided by kappa = N' gain h:
///     W P + b + P/(h kappa) = 0,  b = (N' h ahead - N)/kappa
class ForceLaw : public ContactLaw {
 public:
  bool admits(const Admission& x) const override;
  Law entry(const ContactShape& shape, double h) const override;
  RowTerm row(const RowState& x) const override;
  double row_at_end(const RowEnd& x) const override;

 protected:
  using ContactLaw::ContactLaw;
  virtual ForceStep step(double h, double y0, double y1) const = 0;
};

}  // namespace saltus

#include "saltus/contact/laws/force_law.h"

namespace saltus {

bool ForceLaw::admits(const Admission& x) const {
  if (x.gaps_alone) return !bilateral();
  return step(x.h, x.y0, x.y).force > 0.0;
}

Law ForceLaw::entry(const ContactShape&, double) const { return {.kind = LawKind::equality}; }

RowTerm ForceLaw::row(const RowState& x) const {
  const ForceStep now = step(x.h, x.y0, x.y);
  const double kappa = now.slope * (x.gain * x.h);
  return {(now.slope * x.h * x.ahead - now.force) / kappa, 1.0 / (x.h * kappa)};
}

// (P - h N)/(h kappa)
double ForceLaw::row_at_end(const RowEnd& x) const {
  return x.compliance * (x.P - x.h * step(x.h, x.y0, x.y).force);
}

}  // namespace saltus

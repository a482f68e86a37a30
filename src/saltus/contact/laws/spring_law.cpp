// P = h N of a ContactSpring. y* is the gap of the iterate, y that without P, y1 = y + gain h W P;
// c = 1/2 in the middle, 1 at the end:
//     linear:  P/h = -s K (c y1 + (1 - c) y0) - C (c u1 + (1 - c) u0),  P >= 0,
//              s = RowState::way of y* in the middle
// divided by kappa = K c gain h + C c:
//     0 <= W P + b + P/(h kappa) perp P,  or the equality if the spring pulls
// A steady spring with a dashpot that pulls has w = dashpot_weight(h C W) instead of c.
// Nonlinear springs are treated like any ForceLaw.
#include "saltus/contact/laws/spring_law.h"

#include <fmt/format.h>

#include <algorithm>

#include "saltus/contact/laws/compliant.h"

namespace saltus {
namespace {

bool weighs(const ContactSpring& x) {
  return x.pulls && x.steady && x.damping > 0.0 && x.at == ContactSpring::At::middle;
}

}  // namespace

SpringLaw::SpringLaw(std::string_view name, const ContactSpring& x, bool damped)
    : ForceLaw({.name = name,
                .set_valued = false,
                .bilateral = x.pulls,
                .uses_angle = x.stiffness > 0.0,
                .reads_start_gap = true,
                .follows_passes = !x.linear(),
                .damps_in_middle = x.damping > 0.0 && !weighs(x) && x.at != ContactSpring::At::end,
                .reads_W = weighs(x),
                .acts_in_middle = !x.pulls && x.at == ContactSpring::At::middle,
                .follows_way = x.pulls && x.at == ContactSpring::At::middle,
                .yields = damped || x.damping > 0.0,
                .damping = x.damping}),
      spring_(x) {}

// Nonlinear springs are admitted where they are compressed in the iterate, linear ones with a
// dashpot where the gap is closed: a dashpot does not act at a distance.
bool SpringLaw::admits(const Admission& x) const {
  if (x.gaps_alone || !spring_.linear()) return ForceLaw::admits(x);
  return spring_.pulls || spring_.damping == 0.0 || between(spring_.weight(), x.y0, x.y) < 0.0;
}

Law SpringLaw::entry(const ContactShape& shape, double h) const {
  if (spring_.pulls || !spring_.linear()) return ForceLaw::entry(shape, h);
  return {.kind = LawKind::unilateral};
}

RowTerm SpringLaw::row(const RowState& x) const {
  if (!spring_.linear()) return ForceLaw::row(x);
  const double w = weight(x.h, x.W), K = spring_.stiffness * x.way;
  const double y = between(w, x.y0, x.y + x.h * x.ahead), u = between(w, x.u0, x.u_free);
  const double kappa = K * w * (x.gain * x.h) + spring_.damping * w;
  return {(K * y + spring_.damping * u) / kappa, 1.0 / (x.h * kappa)};
}

// (P - h N)/(h kappa)
double SpringLaw::row_at_end(const RowEnd& x) const {
  if (!spring_.linear()) return ForceLaw::row_at_end(x);
  const double w = weight(x.h, x.W);
  const double N =
      -spring_.stiffness * x.way * between(w, x.y0, x.y) - spring_.damping * between(w, x.u0, x.u);
  return x.compliance * (x.P - x.h * N);
}

ForceStep SpringLaw::step(double h, double y0, double y1) const {
  ForceStep now = spring_step(spring_, y0, y1);
  if (spring_.damping == 0.0) return now;
  const double c_h = spring_.damping / h;  // the mean of c d', which dissipates at any step size
  now.force += c_h * (std::max(-y1, 0.0) - std::max(-y0, 0.0));
  if (y1 < 0.0) now.slope += c_h;
  return now;
}

double SpringLaw::force(double gap, double rate, double) const {
  return (spring_.exponent == 1.0 ? -spring_.stiffness * gap : spring_force(spring_, gap)) +
         damping_force(gap, rate);
}

double SpringLaw::damping_force(double, double rate) const { return -spring_.damping * rate; }

/// Of y1 and u1 in the gap and rate at which it acts.
double SpringLaw::weight(double h, double W) const {
  return facts().reads_W ? dashpot_weight(h * spring_.damping * W) : spring_.weight();
}

/// w x1 + (1 - w) x0
double SpringLaw::between(double w, double x0, double x1) { return w * x1 + (1.0 - w) * x0; }

void SpringLaw::add_numbers(std::vector<LawNumber>& all) const {
  all.push_back({"stiffness", spring_.stiffness});
  all.push_back({"exponent", spring_.exponent, 1.0});
  all.push_back({"damping", spring_.damping});
}

std::string SpringLaw::described() const {
  std::string text =
      fmt::format(", stiffness {:g}, exponent {:g}", spring_.stiffness, spring_.exponent);
  if (spring_.damping > 0.0) text += fmt::format(", damping {:g} N s/m", spring_.damping);
  for (const auto& [at, name] : names_of(ContactSpring::At{}))
    if (at == spring_.at) text += fmt::format(", at {}", name);
  return text;
}

// In a step that ends far from contact the mid-step gap is open, and the damping loss decreases as
// fast as the spring force. The slope is kept at a fraction of the spring's, as Newton's method
// requires.
ForceStep DampedSpringLaw::step(double h, double y0, double y1) const {
  const ForceStep kept = SpringLaw::step(h, y0, y1), lost = damping_step(h, y0, y1);
  return {kept.force + lost.force, std::max(kept.slope + lost.slope, 0.25 * kept.slope)};
}

}  // namespace saltus

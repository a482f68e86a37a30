#include "saltus/contact/laws/contact_law.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace saltus {

ContactLaw::ContactLaw(LawFacts facts) : facts_(std::move(facts)) {
  const LawFacts& x = facts_;
  expects(!x.name.empty(), "a contact law needs a name");
  expects(x.set_valued || (!x.activation && !x.impact && !x.expands && !(x.cohesion > 0.0)),
          "a law that is a force must not have activation, impact, expansion or cohesion");
  expects(!x.actuates || (!x.set_valued && x.bilateral),
          "a law that actuates must be a force at any gap");
  expects(!x.yields || !x.set_valued, "a law that yields must be a force");
  expects(!x.slides_on_normal || (x.set_valued && x.bilateral),
          "a law that slides on its normal must be set-valued and bilateral");
  expects(x.impact != ImpactForm::held || x.bilateral,
          "a law that prescribes a rate must be bilateral");
  expects(!x.expands || !(x.friction.coefficient > 0.0),
          "a law that expands must not have friction");
  expects(!x.rebounds || (!x.position_level && !x.bilateral && x.set_valued),
          "a law that rebounds must be unilateral and at velocity level");
  expects(!x.closes_gaps || (x.rebounds && x.activation),
          "a law that closes gaps must rebound and have an activation");
}

// A stage of positions contains all rows that are not bilateral, the stage after it those that
// carried an impulse in it or are closed after it. Otherwise laws without activation are always in
// the problem, others where the activation admits them and while cohesion holds.
bool ContactLaw::admits(const Admission& x) const {
  if (x.gaps_alone) return !bilateral();
  if (x.after_positions && !bilateral()) return x.held || x.y <= 0.0;
  if (!activated()) return true;
  return facts_.activation->admits(x.gap, x.rate, x.h, x.loaded) ||
         (facts_.cohesion > 0.0 && x.bonded);
}

Law ContactLaw::entry(const ContactShape& shape, double) const {
  if (shape.tangents == 0) return {};
  return {.kind = shape.rolls || shape.spins ? LawKind::rolling : LawKind::coulomb,
          .size = shape.rows,
          .friction = facts_.friction.coefficient,
          .rolling = shape.rolls ? facts_.friction.rolling : 0.0,
          .spinning = shape.spins ? facts_.friction.spinning : 0.0};
}

//     rates: b = H v_free + d1 + term
//     gaps:  b = y(q)/h + gain H (v_free - v)
// A stage of positions uses gaps only.
RowTerm ContactLaw::row(const RowState& x) const {
  const double u = x.gaps_alone || position_level() ? x.y / x.h + x.ahead : x.u_free;
  return {u + (x.gaps_alone ? 0.0 : term({x.h, x.y0, x.u0, x.reach, x.load})), 0.0};
}

double ContactLaw::row_at_end(const RowEnd& x) const {
  const double u = x.gaps_alone || position_level() ? x.y / x.h : x.u;
  return u + (x.gaps_alone ? 0.0 : term({x.h, x.y0, x.u0, x.reach, x.load}));
}

double ContactLaw::term(const RateTerm& x) const {
  const LawFacts& law = facts_;
  const double e = law.restitution, impact = law.rebounds ? e * x.u0 : 0.0;
  if (!law.closes_gaps) return impact;
  double term = x.load || e == 0.0 ? std::max({x.reach / x.h, impact, 0.0}) : impact;
  if (law.activation->closing_only && x.u0 > 0.0) term = std::max(term, x.u0);
  return term;
}

void ContactLaw::strengthen(Law& entry, double h, double slip) const {
  const double share = facts_.velocity_weakening.share(slip);
  entry.bound = h * facts_.bound * share;
  entry.friction = facts_.friction.coefficient * share;
}

double ContactLaw::stored_energy(double) const { return 0.0; }

double ContactLaw::damping_impulse(double h, double W, double u0, double u1) const {
  if (facts_.reads_W) {
    const double w = dashpot_weight(h * facts_.damping * W);
    return -h * facts_.damping * (w * u1 + (1.0 - w) * u0);
  }
  const double c = facts_.damps_in_middle ? 0.5 : 1.0;
  return -h * facts_.damping * (c * u1 + (1.0 - c) * u0);
}

int ContactLaw::held_rows(int tangents, bool sticks) const {
  if (!set_valued()) return 0;
  if (slides_on_normal()) return sticks ? 1 : 0;
  return sticks ? 1 + tangents : 1;
}

bool ContactLaw::gives_force(bool slides) const {
  return !set_valued() || (slides_on_normal() && slides);
}

double ContactLaw::force(double, double, double) const { return 0.0; }

double ContactLaw::actuation(double gap, double rate, double) const {
  return force(gap, rate, 0.0);
}

double ContactLaw::damping_force(double, double) const { return 0.0; }

double ContactLaw::pressing(double gap, double rate) const { return force(gap, rate, 0.0); }

void ContactLaw::guards(const HeldContact& x, Guards& out) const {
  if (!set_valued()) {  // unless it yields, contact ends where the gap opens
    if (bilateral() || !facts_.yields) return;
    const double held = pressing(x.gap, 0.0), now = pressing(x.gap, x.rate[0]);
    const bool of_force = facts_.damping > 0.0;  // a dashpot force starts with a jump
    out.add(Guard::Until::opens, now,
            of_force ? x.size : std::abs(held) + 2.0 * std::abs(now - held));
    return;
  }
  const Vector3 &f = x.force, &u = x.rate;
  if (!x.shared) out.add(Guard::Until::opens, f[0], x.size);
  if (x.slides)
    out.add(Guard::Until::sticks, u[1] * x.direction[0] + u[2] * x.direction[1], x.speed);
  if (x.sticks) {
    const double mu = facts_.friction.coefficient, most = mu * f[0];
    out.add(Guard::Until::slides, most * most - f[1] * f[1] - f[2] * f[2],
            mu * mu * x.size * x.size);
  }
}

std::vector<LawNumber> ContactLaw::numbers() const {
  const Friction& x = facts_.friction;
  std::vector<LawNumber> all{{"restitution", facts_.restitution},
                             {"friction", x.coefficient},
                             {"friction_along", x.directed() ? x.along() : 0.0},
                             {"friction_across", x.directed() ? x.across() : 0.0},
                             {"tangential", x.tangential},
                             {"rolling", x.rolling},
                             {"spinning", x.spinning},
                             {"cohesion", facts_.cohesion},
                             {"bound", facts_.bound},
                             {"velocity", facts_.velocity}};
  if (facts_.velocity_weakening.weakens()) {
    all.push_back({"weakening_ratio", facts_.velocity_weakening.ratio, 1.0});
    all.push_back({"weakening_speed", facts_.velocity_weakening.speed});
  }
  add_numbers(all);
  std::erase_if(all, [](const LawNumber& one) { return one.value == one.rest; });
  return all;
}

std::string ContactLaw::friction_text() const {
  const Friction& x = facts_.friction;
  return x.directed() ? fmt::format(", friction {:g} along an axis and {:g} across it", x.along(),
                                    x.across())
                      : fmt::format(", friction {:g}", x.coefficient);
}

std::string ContactLaw::description() const {
  const Friction& x = facts_.friction;
  std::string text = std::string(name()) + described();
  if (x.rolling > 0.0) text += fmt::format(", rolling {:g} m", x.rolling);
  if (x.spinning > 0.0) text += fmt::format(", spinning {:g} m", x.spinning);
  if (facts_.cohesion > 0.0) text += fmt::format(", cohesion {:g} N", facts_.cohesion);
  if (weakens())
    text += fmt::format(", weakening to {:g} by {:g} m/s", facts_.velocity_weakening.ratio,
                        facts_.velocity_weakening.speed);
  return text;
}

}  // namespace saltus

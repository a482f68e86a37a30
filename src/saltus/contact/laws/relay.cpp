// -P in h bound f(s) Sgn(s),  s = (u1 + tangential u0)/(1 + tangential) - velocity
#include "saltus/contact/laws/relay.h"

#include <fmt/format.h>

#include <cmath>

namespace saltus {
namespace {

class RelayLaw final : public ContactLaw {
 public:
  explicit RelayLaw(const Relay& x)
      : ContactLaw({.name = Relay::name,
                    .bilateral = true,
                    .slides_on_normal = true,
                    .uses_angle = false,
                    .drives = x.velocity != 0.0,
                    .velocity = x.velocity,
                    .bound = x.bound,
                    .friction = {.tangential = x.slip == Slip::mean ? 1.0 : 0.0},
                    .velocity_weakening = resolved(x.velocity_weakening)}) {}

  Law entry(const ContactShape&, double h) const override {
    return {.kind = LawKind::box, .bound = h * facts().bound};
  }
  double force(double, double rate, double direction) const override {
    return -strength(std::abs(rate - facts().velocity)) * direction;
  }
  void guards(const HeldContact& x, Guards& out) const override {
    const double most = facts().bound;
    if (x.sticks)
      out.add(Guard::Until::slides, most * most - x.force[0] * x.force[0], most * most);
    else
      out.add(Guard::Until::sticks, (x.rate[0] - facts().velocity) * x.direction[0], x.speed);
  }

 private:
  double term(const RateTerm& x) const override {  // (1 + tangential) s
    const double tangential = facts().friction.tangential;
    return tangential * x.u0 - (1.0 + tangential) * facts().velocity;
  }
  std::string described() const override {
    std::string text = fmt::format(", bound {:g} N", facts().bound);
    if (facts().velocity != 0.0) text += fmt::format(", velocity {:g} m/s", facts().velocity);
    if (facts().friction.tangential > 0.0) text += " on the mean slip";
    return text;
  }
};

}  // namespace

std::shared_ptr<const ContactLaw> Relay::law(const LawContext&) const {
  return std::make_shared<RelayLaw>(*this);
}

}  // namespace saltus

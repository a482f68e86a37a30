// 0 <= u1 + max(y0, 0)/h perp P >= 0
#include "saltus/contact/laws/stewart_trinkle.h"

#include <fmt/format.h>

namespace saltus {
namespace {

class StewartTrinkleLaw final : public ContactLaw {
 public:
  explicit StewartTrinkleLaw(const StewartTrinkle& x)
      : ContactLaw({.name = StewartTrinkle::name,
                    .reads_start_gap = true,
                    .friction = resolved(x.friction),
                    .not_by_events = "which restricts the gap at the end of a step"}) {}

 private:
  double term(const RateTerm& x) const override { return (x.y0 > 0.0 ? x.y0 : 0.0) / x.h; }
  std::string described() const override { return has_friction() ? friction_text() : ""; }
};

}  // namespace

std::shared_ptr<const ContactLaw> StewartTrinkle::law(const LawContext&) const {
  return std::make_shared<StewartTrinkleLaw>(*this);
}

}  // namespace saltus

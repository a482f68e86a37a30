// 0 <= y1 + e y_- perp P >= 0, y_- the gap one step before the start
#include "saltus/contact/laws/schatzman_paoli.h"

#include <fmt/format.h>

namespace saltus {
namespace {

class SchatzmanPaoliLaw final : public ContactLaw {
 public:
  explicit SchatzmanPaoliLaw(const SchatzmanPaoli& x)
      : ContactLaw({.name = SchatzmanPaoli::name,
                    .position_level = true,
                    .reads_start_gap = true,
                    .restitution = x.restitution,
                    .not_by_events = "which restricts the gaps of three steps"}) {}

  RowTerm row(const RowState& x) const override {
    if (x.gaps_alone) return ContactLaw::row(x);
    return {(x.y + facts().restitution * x.before) / x.h + x.ahead, 0.0};
  }
  double row_at_end(const RowEnd& x) const override {
    if (x.gaps_alone) return ContactLaw::row_at_end(x);
    return (x.y + facts().restitution * x.before) / x.h;
  }

 private:
  std::string described() const override {
    return fmt::format(", restitution {:g}", facts().restitution);
  }
};

}  // namespace

std::shared_ptr<const ContactLaw> SchatzmanPaoli::law(const LawContext&) const {
  return std::make_shared<SchatzmanPaoliLaw>(*this);
}

}  // namespace saltus

#include "saltus/scene/build_law.h"

namespace saltus {

double theta_of(const SchemeChoice& scheme) {
  const auto* mj = std::get_if<MoreauJeanOptions>(&scheme);
  return mj ? mj->theta : 0.5;
}

AnyLaw law_of(const LawChoice& law, const SchemeChoice& scheme, ContactInstant instant,
              const std::string& path) {
  LawContext context{.theta = theta_of(scheme),
                     .forecast = instant == ContactInstant::start ? 0.5 : 0.0,
                     .path = path};
  if (const auto* mj = std::get_if<MoreauJeanOptions>(&scheme); mj && mj->forecasts())
    context.scheme_forecast = mj->gamma.value_or(0.5);
  return std::visit([&](const auto& options) { return AnyLaw(options, context); }, law);
}

}  // namespace saltus

#include "saltus/scene/build_law.h"

#include "saltus/base/error.h"

namespace saltus {

double theta_of(const SchemeChoice& scheme) {
  const auto* mj = std::get_if<MoreauJeanOptions>(&scheme);
  return mj ? mj->theta : 0.5;
}

namespace {

/// The law of an entry with every default resolved; `scheme` is that of the body `on`.
struct Resolve {
  const SchemeChoice& scheme;
  ContactInstant instant;
  const std::string& path;

  Activation activation(const ActivationOptions& given) const {
    double forecast = given.forecast.value_or(instant == ContactInstant::start ? 0.5 : 0.0);
    if (const auto* mj = std::get_if<MoreauJeanOptions>(&scheme); mj && mj->forecasts())
      forecast = mj->gamma.value_or(0.5);
    return {forecast, given.threshold, given.velocity_threshold, given.closing_only};
  }
  static FallingFriction falling(const std::optional<FallingOptions>& given) {
    return given ? FallingFriction{given->ratio, given->speed} : FallingFriction{};
  }
  using Rule = ContactLaw::Rule;
  ContactLaw operator()(const SignoriniPosition&) const { return {}; }
  ContactLaw operator()(const NewtonImpact& x) const {
    return {.rule = Rule::newton_impact,
            .restitution = x.restitution,
            .friction = x.friction,
            .tangential = x.slip == Slip::mean ? 1.0 : x.restitution_tangential,
            .rolling = x.rolling,
            .spinning = x.spinning,
            .cohesion = x.cohesion,
            .falling = falling(x.falling),
            .activation = activation(x.activation)};
  }
  // theta (u1_N + e u0_N) and theta u1_T + (1 - theta) u0_T, both divided by theta
  ContactLaw operator()(const Fremond& x) const {
    const double theta = theta_of(scheme);
    if (!(theta > 0.0))
      throw SceneError(path, "fremond averages over the step with theta of the scheme, which is 0",
                       "theta > 0");
    return {.rule = Rule::newton_impact,
            .restitution = x.restitution,
            .friction = x.friction,
            .tangential = (1.0 - theta) / theta,
            .activation = activation(x.activation)};
  }
  ContactLaw operator()(const PoissonImpact& x) const {
    return {.rule = Rule::poisson_impact,
            .restitution = x.restitution,
            .activation = activation(x.activation)};
  }
  ContactLaw operator()(const StewartTrinkle& x) const {
    return {.rule = Rule::stewart_trinkle, .friction = x.friction};
  }
  ContactLaw operator()(const SchatzmanPaoli& x) const {
    return {.rule = Rule::schatzman_paoli, .restitution = x.restitution};
  }
  ContactLaw operator()(const Compliant& x) const {
    return {.rule = Rule::compliant, .spring = {x.stiffness, x.exponent, x.damping, x.at_value()}};
  }
  ContactLaw operator()(const Relay& x) const {
    return {.rule = Rule::relay,
            .tangential = x.slip == Slip::mean ? 1.0 : 0.0,
            .bound = x.bound,
            .velocity = x.velocity,
            .falling = falling(x.falling)};
  }
  ContactLaw operator()(const Equality& x) const {
    return {.rule = Rule::equality, .velocity = x.velocity};
  }
};

}  // namespace

ContactLaw law_of(const LawChoice& law, const SchemeChoice& scheme, ContactInstant instant,
                  const std::string& path) {
  return std::visit(Resolve{scheme, instant, path}, law);
}

}  // namespace saltus

// Newton's law of impact with Coulomb's friction.
#pragma once
#include <memory>
#include <optional>

#include "saltus/contact/laws/contact_law.h"

namespace saltus {

/// 0 <= u1 + e u0 perp impulse >= 0 on active contacts, with Coulomb friction.
struct NewtonImpact {
  static constexpr std::string_view name = "newton-impact";
  static constexpr std::string_view reference = "Moreau1988";
  static constexpr std::string_view help =
      "normal velocity after = -restitution times that before, on active contacts; Coulomb "
      "friction";

  double restitution = 0.0;
  FrictionChoice friction;
  double restitution_tangential = 0.0;
  Slip slip = Slip::end;
  std::optional<VelocityWeakeningOptions> velocity_weakening;
  ActivationOptions activation;
  double rolling = 0.0;
  double spinning = 0.0;
  double cohesion = 0.0;

  std::shared_ptr<const ContactLaw> law(const LawContext& context) const;
  bool operator==(const NewtonImpact&) const = default;
  std::optional<Fault> fault() const {
    if (slip == Slip::mean && restitution_tangential != 0.0)
      return Fault{"slip", "`mean` replaces restitution_tangential", "give one of them"};
    struct Row {
      const char* key;
      bool given;
    };
    if (coefficient_of(friction) == 0.0)
      for (const Row& row : {Row{"restitution_tangential", restitution_tangential != 0.0},
                             Row{"slip", slip == Slip::mean},
                             Row{"velocity_weakening", velocity_weakening.has_value()},
                             Row{"rolling", rolling != 0.0}, Row{"spinning", spinning != 0.0}})
        if (row.given) return Fault{row.key, "is used only with friction", "give friction"};
    if (const Friction two = resolved(friction); two.directed()) {
      if (velocity_weakening)
        return Fault{"velocity_weakening", "requires friction with one coefficient",
                     "give one coefficient, or omit velocity_weakening"};
      if (two.ratio[0] * two.ratio[1] == 0.0 && (rolling != 0.0 || spinning != 0.0))
        return Fault{rolling != 0.0 ? "rolling" : "spinning",
                     "needs friction along and across the axis", "give two values above 0"};
    }
    return {};
  }
  static constexpr auto fields() {
    using T = NewtonImpact;
    return field_rows(
        field("restitution", &T::restitution, between(0.0, 1.0), "Newton's coefficient e"),
        field(
            "friction", &T::friction, kNotNegative,
            "Coulomb's coefficient: tangential force <= friction times normal force, where values "
            "above 1e5 act as 1e5; between "
            "shapes also one along an axis and one across it, {along: [1, 0, 0], values: [0.8, "
            "0.1]}"),
        field("restitution_tangential", &T::restitution_tangential, between(0.0, 1.0),
              "tangential velocity after the impact = -this times the one before it, while the "
              "contact sticks"),
        field("slip", &T::slip,
              "end: friction opposes the slip at the end of the step; mean: the mean slip of the "
              "step, so that it never does positive work"),
        field("velocity_weakening", &T::velocity_weakening,
              "friction decreases with slip speed; constant when not given"),
        field("activation", &T::activation, "which contacts enter the problem of a step"),
        field("rolling", &T::rolling, unit::m, kNotNegative,
              "between shapes: rolling resistance moment <= this times the normal force"),
        field("spinning", &T::spinning, unit::m, kNotNegative,
              "between shapes, in space: moment that resists spinning about the normal <= this "
              "times the normal force; 2/3 friction times the radius for a circular face"),
        field("cohesion", &T::cohesion, unit::N, kNotNegative,
              "between shapes: tension that each contact point carries, from the start until it "
              "first opens; friction counts it as pressure"));
  }
};

}  // namespace saltus

// Dry friction along the normal.
#pragma once
#include <memory>
#include <optional>

#include "saltus/contact/laws/contact_law.h"

namespace saltus {

/// Dry friction of a given strength along the normal, on a surface that may move: -F in bound
/// Sgn(u1 - velocity).
struct Relay {
  static constexpr std::string_view name = "relay";
  static constexpr std::string_view reference = "AcaryBrogliato2008";
  static constexpr std::string_view help =
      "force of given strength against the slip along the normal, whatever the gap: dry friction, "
      "a bow";
  /// It acts between bodies that are far from each other too.
  static constexpr bool at_any_gap = true;

  double bound = 0.0, velocity = 0.0;
  Slip slip = Slip::end;
  std::optional<VelocityWeakeningOptions> velocity_weakening;

  std::shared_ptr<const ContactLaw> law(const LawContext& context) const;
  bool operator==(const Relay&) const = default;
  static constexpr auto fields() {
    return field_rows(
        required("bound", &Relay::bound, unit::N, kPositive, "largest force, either way"),
        field("velocity", &Relay::velocity, unit::m_per_s, kAnyNumber,
              "of the surface that rubs, along the normal: of a bow, a belt"),
        field("slip", &Relay::slip,
              "end: friction opposes the slip at the end of the step; mean: that of its ends "
              "together, so that it never does positive work"),
        field("velocity_weakening", &Relay::velocity_weakening,
              "the largest force falls with the slip; the same when not given"));
  }
};

}  // namespace saltus

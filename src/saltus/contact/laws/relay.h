// Dry friction along the normal.
#pragma once
#include <memory>
#include <optional>

#include "saltus/contact/laws/contact_law.h"

namespace saltus {

/// Dry friction of given strength along the normal, on a surface that may move:
///     -F in bound Sgn(u1 - velocity)
struct Relay {
  static constexpr std::string_view name = "relay";
  static constexpr std::string_view reference = "AcaryBrogliato2008";
  static constexpr std::string_view help =
      "force of given strength that opposes slip along the normal, at any gap: dry friction, a bow";
  /// It also acts between bodies that are far apart.
  static constexpr bool at_any_gap = true;

  double bound = 0.0, velocity = 0.0;
  Slip slip = Slip::end;
  std::optional<VelocityWeakeningOptions> velocity_weakening;

  std::shared_ptr<const ContactLaw> law(const LawContext& context) const;
  bool operator==(const Relay&) const = default;
  static constexpr auto fields() {
    return field_rows(
        required("bound", &Relay::bound, unit::N, kPositive, "largest force, in either direction"),
        field("velocity", &Relay::velocity, unit::m_per_s, kAnyNumber,
              "velocity of the sliding surface along the normal: a bow, a belt"),
        field("slip", &Relay::slip,
              "end: friction opposes the slip at the end of the step; mean: the mean slip of the "
              "step, so that it never does positive work"),
        field("velocity_weakening", &Relay::velocity_weakening,
              "the largest force decreases with slip speed; constant when not given"));
  }
};

}  // namespace saltus

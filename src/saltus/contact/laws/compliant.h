// Springs and dashpots as contact laws.
#pragma once
#include <array>
#include <memory>
#include <optional>

#include "saltus/contact/laws/contact_law.h"
#include "saltus/contact/laws/spring.h"

namespace saltus {

constexpr auto names_of(ContactSpring::At) {
  using enum ContactSpring::At;
  return std::array{NamedValue{mean, "mean"}, NamedValue{middle, "middle"}, NamedValue{end, "end"}};
}

/// A spring that only pushes: force = stiffness * penetration^exponent.
struct Compliant {
  using At = ContactSpring::At;
  static constexpr std::string_view name = "compliant";
  static constexpr std::string_view reference = "AcaryBrogliato2008";
  static constexpr std::string_view help =
      "force = stiffness times a power of the penetration: linear, Hertz or felt";

  double stiffness = 0.0;
  double exponent = 1.0;
  double damping = 0.0;
  std::optional<At> at;

  At at_value() const { return at.value_or(At::mean); }

  std::shared_ptr<const ContactLaw> law(const LawContext& context) const;
  bool operator==(const Compliant&) const = default;
  std::optional<Fault> fault() const {
    if (damping != 0.0 && exponent != 1.0)
      return Fault{"damping", "requires a linear spring", "exponent: 1"};
    return {};
  }
  static constexpr auto fields() {
    using T = Compliant;
    return field_rows(
        required("stiffness", &T::stiffness, kPositive, "k of force = k penetration^p [N/m^p]"),
        field("exponent", &T::exponent, between(1.0, 10.0), "p: 1 linear, 1.5 Hertz"),
        field("damping", &T::damping, unit::N_s_per_m, kNotNegative,
              "c of force = k penetration - c rate of the gap, never below 0"),
        field("at", &T::at,
              "gap at which the force of a step is evaluated: middle or end (order 1, loses "
              "energy) of the step, or mean, the average over the displacement, which conserves "
              "energy; mean when not given"));
  }
};

/// The law of any spring, including those that also pull.
std::shared_ptr<const ContactLaw> law_of(const ContactSpring& spring);

}  // namespace saltus

// The Schatzman-Paoli law.
#pragma once
#include <memory>

#include "saltus/contact/laws/contact_law.h"

namespace saltus {

/// 0 <= gap(next) + e gap(previous) perp impulse >= 0.
struct SchatzmanPaoli {
  static constexpr std::string_view name = "schatzman-paoli";
  static constexpr std::string_view reference = "Schatzman1978 PaoliSchatzman1993";
  static constexpr std::string_view help =
      "gap of the next step = -restitution times gap of the previous one";

  double restitution = 0.0;

  std::shared_ptr<const ContactLaw> law(const LawContext& context) const;
  bool operator==(const SchatzmanPaoli&) const = default;
  static constexpr auto fields() {
    return field_rows(field("restitution", &SchatzmanPaoli::restitution, between(0.0, 1.0),
                            "ratio e of the two gaps"));
  }
};

}  // namespace saltus

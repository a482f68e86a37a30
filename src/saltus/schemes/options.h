// Options of the schemes, as written in scenes, on the command line and in Python, and their
// variant.
#pragma once
#include <string_view>
#include <tuple>
#include <variant>

#include "saltus/schemes/options_explicit.h"
#include "saltus/schemes/options_implicit.h"
#include "saltus/schemes/options_moreau_jean.h"
#include "saltus/schemes/options_rotation.h"

namespace saltus {

/// Exact integration of uncoupled damped modes.
struct ModalExactOptions {
  static constexpr std::string_view name = "modal-exact";
  static constexpr std::string_view help =
      "exact solution of each mode between contacts; one impulse per step";
  enum class Start { exact, raw };

  Start start = Start::exact;

  bool operator==(const ModalExactOptions&) const = default;
  static constexpr auto fields() {
    return field_rows(
        field("start", &ModalExactOptions::start,
              "first sample after the start: exact uses the velocity of the exact motion, raw uses "
              "the initial velocity as the backward difference"));
  }
};
constexpr auto names_of(ModalExactOptions::Start) {
  using enum ModalExactOptions::Start;
  return std::array{NamedValue{exact, "exact"}, NamedValue{raw, "raw"}};
}

using SchemeChoice =
    std::variant<ModalExactOptions, MoreauJeanOptions, EulerExplicitOptions, EulerImplicitOptions,
                 NewmarkOptions, VariationalSymplecticOptions, RungeKuttaOptions, SplittingOptions,
                 CentralDifferenceOptions, SchatzmanPaoliOptions, GeneralizedAlphaOptions,
                 GeneralizedAlphaDecoupledOptions, DiscreteGradientOptions, DefExpOptions,
                 DefLimOptions, RigPosOptions, RigNegOptions, RigImpOptions, RigMidOptions>;

}  // namespace saltus

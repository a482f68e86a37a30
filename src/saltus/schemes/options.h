// Options of the schemes, as scenes, the command line and Python write them.
#pragma once
#include <optional>
#include <string_view>
#include <tuple>
#include <variant>

#include "saltus/base/options.h"

namespace saltus {

/// Exact integration of uncoupled damped modes.
struct ModalExactOptions {
  static constexpr std::string_view name = "modal-exact";
  static constexpr std::string_view help =
      "exact solution of each mode between contacts; one impulse a step";
  enum class Start { exact, raw };

  Start start = Start::exact;

  bool operator==(const ModalExactOptions&) const = default;
  static constexpr auto fields() {
    return std::tuple{field(
        "start", &ModalExactOptions::start,
        "first sample after the start: exact uses the velocity of the exact motion, raw takes "
        "the initial velocity as the backward difference")};
  }
};
constexpr auto names_of(ModalExactOptions::Start) {
  using enum ModalExactOptions::Start;
  return std::array{NamedValue{exact, "exact"}, NamedValue{raw, "raw"}};
}

/// Moreau-Jean time stepping: theta rule for smooth forces, implicit impulses.
struct MoreauJeanOptions {
  static constexpr std::string_view name = "moreau-jean";
  static constexpr std::string_view help =
      "theta rule for smooth forces, impulses at velocity level";

  double theta = 0.5;
  double newton_tolerance = 1e-10;
  int newton_iterations = 20;
  std::optional<double> gamma;
  bool use_gamma = false;

  /// Whether the activation rule uses gamma: asked for, or given a value.
  bool forecasts() const { return use_gamma || gamma.has_value(); }

  bool operator==(const MoreauJeanOptions&) const = default;
  static constexpr auto fields() {
    using T = MoreauJeanOptions;
    return std::tuple{
        field("theta", &T::theta, between(0.0, 1.0),
              "implicitness; 1/2 conserves energy, more damps, less makes undamped motion grow"),
        field("newton_tolerance", &T::newton_tolerance, kPositive,
              "relative size of the Newton correction that ends the passes of a step"),
        field("newton_iterations", &T::newton_iterations, at_least(1),
              "largest number of passes of a step"),
        field("gamma", &T::gamma, between(0.0, 1.0),
              "weight of the end velocity in the forecast of the activation rule; giving it "
              "implies use_gamma"),
        field("use_gamma", &T::use_gamma,
              "forecast gaps with gamma instead of the law's own weight")};
  }
};

using SchemeChoice = std::variant<ModalExactOptions, MoreauJeanOptions>;

}  // namespace saltus

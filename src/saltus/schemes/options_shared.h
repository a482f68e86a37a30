// Shared by the options of several schemes: comparison forms, the solver of a step, help texts.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "saltus/base/options.h"

namespace saltus {

/// Variant of a scheme: ours, that of the SOFA source (for comparison only; order and stability are
/// in docs/theory/errata.md), or the printed form of the SOFA note where it differs.
enum class Compat { none, sofa, seed };
constexpr auto names_of(Compat) {
  using enum Compat;
  return std::array{NamedValue{none, "none"}, NamedValue{sofa, "sofa"}, NamedValue{seed, "seed"}};
}
/// How the equation of a step is solved: by iteration until it holds, or by one linear solve about
/// the start of the step.
enum class EquationSolver { newton, linear };
constexpr auto names_of(EquationSolver) {
  using enum EquationSolver;
  return std::array{NamedValue{newton, "newton"}, NamedValue{linear, "linear"}};
}

namespace option {
/// Fault if `compat` is seed, which the scheme does not have.
inline std::optional<Fault> no_seed_form(Compat compat, std::string_view scheme) {
  if (compat != Compat::seed) return std::nullopt;
  return Fault{"compat", std::string(scheme) + " has no form 'seed'", "allowed: none, sofa"};
}
inline constexpr std::string_view kCompat =
    "variant of the scheme: none is ours; sofa reproduces the SOFA source, seed the printed "
    "formula of its note, both for comparison only";
inline constexpr std::string_view kTolerance =
    "the passes of a step end when the relative Newton correction is below this value";
inline constexpr std::string_view kIterations = "largest number of passes of a step";
inline constexpr std::string_view kSolver =
    "newton: iterate until the equation of the step holds; linear: one solve about the start";
inline constexpr std::string_view kVdamping =
    "after each step the velocity is multiplied by exp(-h vdamping)";
inline constexpr std::string_view kRho =
    "spectral radius at infinite frequency; 0 damps most, near 1 least";
}  // namespace option

}  // namespace saltus

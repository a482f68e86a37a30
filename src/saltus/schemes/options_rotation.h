// Options of the schemes for rotations of rigid bodies.
#pragma once
#include <optional>
#include <string_view>
#include <tuple>

#include "saltus/base/options.h"

namespace saltus {

/// Velocity for which the contact laws hold if the end velocity is a nonlinear function of the
/// impulses: the final velocity (several passes), or only its explicit predictor, as in Solfec.
enum class Reactions { converged, predictor };
constexpr auto names_of(Reactions) {
  using enum Reactions;
  return std::array{NamedValue{converged, "converged"}, NamedValue{predictor, "predictor"}};
}
/// Velocity at which velocity-dependent loads are evaluated.
enum class LoadVelocity { predicted, start };
constexpr auto names_of(LoadVelocity) {
  using enum LoadVelocity;
  return std::array{NamedValue{predicted, "predicted"}, NamedValue{start, "start"}};
}

namespace option {
inline constexpr std::string_view kReactions =
    "converged: contact laws hold for the final velocity (several passes); predictor: for its "
    "explicit predictor (one pass), as in Solfec";
inline constexpr std::string_view kLoadVelocity =
    "where drag and other velocity-dependent loads are evaluated; predicted: at mid-step, order 2; "
    "start: at the start of the step, as in Solfec, order 1";
}  // namespace option

/// Solfec's explicit rotation update that gains energy.
struct RigPosOptions {
  static constexpr std::string_view name = "rig-pos";
  static constexpr std::string_view help =
      "explicit rotations of Solfec, energy mostly drifts up; order 2, 1 under reactions";

  LoadVelocity load_velocity = LoadVelocity::predicted;

  bool operator==(const RigPosOptions&) const = default;
  static constexpr auto fields() {
    return field_rows(field("load_velocity", &RigPosOptions::load_velocity, option::kLoadVelocity));
  }
};

/// Solfec's explicit rotation update that loses energy and keeps the angular momentum.
struct RigNegOptions {
  static constexpr std::string_view name = "rig-neg";
  static constexpr std::string_view help =
      "explicit rotations of Solfec, momentum exact, energy mostly drifts down; order 2";

  Reactions reactions = Reactions::converged;
  LoadVelocity load_velocity = LoadVelocity::predicted;

  bool operator==(const RigNegOptions&) const = default;
  static constexpr auto fields() {
    using T = RigNegOptions;
    return field_rows(field("reactions", &T::reactions, option::kReactions),
                      field("load_velocity", &T::load_velocity, option::kLoadVelocity));
  }
};

/// Solfec's rotation update with an implicit end velocity.
struct RigImpOptions {
  static constexpr std::string_view name = "rig-imp";
  static constexpr std::string_view help =
      "rotations of Solfec with an implicit end velocity, momentum exact, energy bounded; order 2";

  Reactions reactions = Reactions::converged;
  LoadVelocity load_velocity = LoadVelocity::predicted;

  bool operator==(const RigImpOptions&) const = default;
  static constexpr auto fields() {
    using T = RigImpOptions;
    return field_rows(field("reactions", &T::reactions, option::kReactions),
                      field("load_velocity", &T::load_velocity, option::kLoadVelocity));
  }
};

/// Implicit midpoint rule for rigid bodies, in terms of the momentum of the body.
struct RigMidOptions {
  static constexpr std::string_view name = "rig-mid";
  static constexpr std::string_view help =
      "implicit midpoint rule for rigid bodies: exact energy and momentum of free bodies; order 2";

  bool symmetrise = true;

  bool operator==(const RigMidOptions&) const = default;
  static constexpr auto fields() {
    return field_rows(field(
        "symmetrise", &RigMidOptions::symmetrise,
        "true: the contact problem uses mass, inertia and drags only: symmetric, several passes; "
        "false: it uses the full tangent, which is not symmetric"));
  }
};

}  // namespace saltus

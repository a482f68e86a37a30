// What viewers may change during a live run, as the JSON list of docs/reference/view_data.md.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "saltus/app/live_run.h"

namespace saltus::app {

inline constexpr std::string_view kSpeed = "speed", kSetPoint = "set-point.";  ///< paths

/// Set-points of actuators, speed, gravity, friction and restitution of laws, with their values at
/// the start. `resolved`: the scene with all defaults, as JSON.
std::string live_controls(std::string_view resolved, const Model& model);
/// The same list with the present values of speed and set-points.
std::string present_controls(const std::string& controls, const LiveRun& run);
/// path: kSetPoint and the name of an actuator; text: a number, perhaps with a unit; without it the
/// function of the scene holds again. Throws SceneError.
void give_set_point(LiveRun& run, const std::string& path, std::optional<std::string> text);

}  // namespace saltus::app

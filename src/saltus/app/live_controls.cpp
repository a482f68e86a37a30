#include "saltus/app/live_controls.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "saltus/base/error.h"
#include "saltus/base/units.h"

namespace saltus::app {
namespace {

using ControlJson = nlohmann::ordered_json;

Dimension set_point_dimension(const Model& model, const JointLaw& law) {
  const bool turns =
      is_angle(model.joints()[static_cast<std::size_t>(law.joint)].kind, law.coordinate);
  switch (model.actuators()[static_cast<std::size_t>(law.actuator)].kind) {
    case Actuator::Kind::motor:
      return turns ? unit::rad / unit::s : unit::m / unit::s;
    case Actuator::Kind::servo:
      return turns ? unit::rad : unit::m;
    default:
      return turns ? unit::N_m : unit::N;
  }
}

/// Collects the numbers in a JSON value whose keys may be changed during a run.
class Controls {
 public:
  void walk(const ControlJson& json, const std::string& path, std::string_view key) {
    if (list_.size() >= kMost + set_points_) return;
    if (json.is_object()) {
      for (const auto& [name, value] : json.items())
        walk(value, path.empty() ? name : path + "." + name, name);
    } else if (json.is_array()) {
      for (std::size_t i = 0; i < json.size(); ++i)
        walk(json[i], fmt::format("{}[{}]", path, i), key);
    } else if (json.is_number()) {
      const double value = json.get<double>();
      if (key == "gravity")
        add(path, "m/s^2", value, std::min(-20.0, value), std::max(20.0, value));
      if (key == "friction") add(path, "1", value, 0.0, std::max(2.0, value));
      if (key == "restitution") add(path, "1", value, 0.0, 1.0);
    }
  }
  void add_set_points(const Model& model) {
    for (const JointLaw& law : model.joint_laws()) {
      if (law.actuator < 0 || list_.size() >= kMostSetPoints) continue;
      const Actuator& at = model.actuators()[static_cast<std::size_t>(law.actuator)];
      const bool servo = at.kind == Actuator::Kind::servo, motor = at.kind == Actuator::Kind::motor;
      const Signal& signal = servo ? at.target : motor ? at.velocity : at.effort;
      const double value = signal.value(0.0);
      const bool turns =
          is_angle(model.joints()[static_cast<std::size_t>(law.joint)].kind, law.coordinate);
      const double most = std::max(turns && servo ? std::numbers::pi : 1.0, 2.0 * std::abs(value));
      double low = -most, high = most;
      if (servo) find_stops(model, law, low, high);
      add(std::string(kSetPoint) + law.name, unit_name(set_point_dimension(model, law)).c_str(),
          value, std::min(low, value), std::max(high, value));
      ControlJson& made = list_.back();
      made["label"] = law.name;
      made["group"] = "Set-points";
      made["immediate"] = true;
    }
    set_points_ = list_.size();
  }
  void add(const std::string& path, const char* unit, double value, double low, double high) {
    list_.push_back({{"path", path},
                     {"label", path},
                     {"unit", unit},
                     {"value", value},
                     {"low", low},
                     {"high", high}});
  }
  std::string text() const { return list_.dump(); }

 private:
  /// The range of the coordinate of a law, where it has stops.
  static void find_stops(const Model& model, const JointLaw& of, double& low, double& high) {
    for (const JointLaw& stop : model.joint_laws()) {
      if (stop.joint != of.joint || stop.coordinate != of.coordinate ||
          !model.law(stop.law).unilateral())
        continue;
      (stop.sign > 0.0 ? low : high) = stop.offset;
    }
  }

  static constexpr std::size_t kMost = 24, kMostSetPoints = 48;
  ControlJson list_ = ControlJson::array();
  std::size_t set_points_ = 0;
};

}  // namespace

std::string live_controls(std::string_view resolved, const Model& model) {
  Controls controls;
  controls.add_set_points(model);
  controls.add(std::string(kSpeed), "x real time", 1.0, 0.0, 10.0);
  const auto scene = ControlJson::parse(resolved, nullptr, false);
  if (scene.is_object())
    for (const char* key : {"gravity", "surfaces", "contacts"})
      if (scene.contains(key)) controls.walk(scene[key], key, key);
  return controls.text();
}

std::string present_controls(const std::string& controls, const LiveRun& run) {
  auto list = ControlJson::parse(controls);
  const auto given = run.set_points().all();
  for (ControlJson& one : list) {
    const std::string path = one["path"];
    if (path == kSpeed) one["value"] = run.pace();
    if (!path.starts_with(kSetPoint)) continue;
    if (const auto known = given.find(path.substr(kSetPoint.size())); known != given.end()) {
      one["value"] = known->second;
      one["low"] = std::min(one["low"].get<double>(), known->second);
      one["high"] = std::max(one["high"].get<double>(), known->second);
    }
  }
  return list.dump();
}

void give_set_point(LiveRun& run, const std::string& path, std::optional<std::string> text) {
  const std::string actuator = path.substr(kSetPoint.size());
  if (!text) return run.set_point(actuator, std::nullopt);
  double number = std::nan("");
  const auto setup = run.setup();
  for (const JointLaw& law : setup->model.joint_laws()) {
    if (law.actuator < 0 || law.name != actuator) continue;
    const Quantity read = parse_quantity(*text, set_point_dimension(setup->model, law));
    if (!read.error.empty()) throw SceneError(path, read.error, read.hint);
    number = read.value;
  }
  run.set_point(actuator, number);
}

}  // namespace saltus::app

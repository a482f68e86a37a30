#include "saltus/app/live_set_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "saltus/base/error.h"
#include "saltus/spec/joint_spec.h"

namespace saltus::app {
namespace {

const JointLaw& actuator_law(const Model& model, const std::string& actuator) {
  const auto laws = model.joint_laws();
  const auto law = std::ranges::find_if(
      laws, [&](const JointLaw& one) { return one.actuator >= 0 && one.name == actuator; });
  if (law != laws.end()) return *law;
  throw SceneError("set-point." + actuator, "there is no such actuator",
                   "the name of a joint or coordinate with .motor, .servo, .torque or .force");
}

void put_set_point(Simulation& sim, const std::string& actuator, double value) {
  const JointLaw& law = actuator_law(sim.model(), actuator);
  if (!std::isfinite(value))
    throw SceneError("set-point." + actuator, "must be a number", "for example 0.3");
  SetPoint to;
  switch (sim.model().actuators()[static_cast<std::size_t>(law.actuator)].kind) {
    case Actuator::Kind::motor:
      to.velocity = value;
      break;
    case Actuator::Kind::servo:
      to.target = value;
      break;
    case Actuator::Kind::effort:
      to.effort = value;
      break;
  }
  sim.set(law.actuator, to);
}

/// The entry of the scene of an actuator: "joints[0].turn.servo".
std::string entry_of(const Model& model, const JointLaw& law) {
  const JointKind kind = model.joints()[static_cast<std::size_t>(law.joint)].kind;
  return fmt::format("joints[{}].{}{}", law.joint, coordinate_name(kind, law.coordinate),
                     law.name.substr(law.name.rfind('.')));
}

}  // namespace

void LiveSetPoints::give(Simulation& sim, const std::string& actuator, double value) {
  put_set_point(sim, actuator, value);
  const std::lock_guard lock(lock_);
  value_[actuator] = value;
}

void LiveSetPoints::take_back(Simulation& sim, const std::string& actuator) {
  sim.set(actuator_law(sim.model(), actuator).actuator, SetPoint{});
  const std::lock_guard lock(lock_);
  value_.erase(actuator);
}

void LiveSetPoints::scene_changed(Simulation& sim, const std::string& path) {
  for (const auto& [actuator, value] : all())
    if (path.starts_with(entry_of(sim.model(), actuator_law(sim.model(), actuator))))
      take_back(sim, actuator);
}

void LiveSetPoints::give_all(Simulation& sim) const {
  for (const auto& [actuator, value] : all()) put_set_point(sim, actuator, value);
}

std::map<std::string, double> LiveSetPoints::all() const {
  const std::lock_guard lock(lock_);
  return value_;
}

}  // namespace saltus::app

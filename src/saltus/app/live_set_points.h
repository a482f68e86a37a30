// Set-points of actuators that viewers of a live run have given.
#pragma once
#include <map>
#include <mutex>
#include <string>

#include "saltus/sim/simulation.h"

namespace saltus::app {

/// May be read from any thread.
class LiveSetPoints {
 public:
  /// Sets the set-point of an actuator from the next step on: the target of a servo, the velocity
  /// of a motor, a given torque or force. Throws SceneError if there is no such actuator or the
  /// value is not finite.
  void give(Simulation& sim, const std::string& actuator, double value);
  /// The function of the scene holds again. SceneError: there is no such actuator.
  void take_back(Simulation& sim, const std::string& actuator);
  /// Takes back those that a change of the scene at `path` replaces: "joints[0].turn.servo.target".
  void scene_changed(Simulation& sim, const std::string& path);
  void give_all(Simulation& sim) const;  ///< all that were given so far
  std::map<std::string, double> all() const;

 private:
  mutable std::mutex lock_;
  std::map<std::string, double> value_;  ///< by actuator
};

}  // namespace saltus::app

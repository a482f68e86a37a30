// The whole state of the bodies of a run at one time, by their names and independent of how a scene
// holds them: what another scene needs to go on from it.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "saltus/model/model.h"
#include "saltus/sim/simulation.h"

namespace saltus {

/// Bodies of one kind with equal numbers of coordinates; usually one.
struct WholeBodies {
  std::string kind;                ///< as Group::kind
  std::vector<std::string> names;  ///< of the bodies
  /// Positions and physical velocities, the same number for each body, one body after the other
  /// [m, rad, 1], [m/s, rad/s]: of rigid bodies the mass centre and the quaternion (w x y z), the
  /// velocity and the angular velocity in the body frame; of finite elements, linear systems,
  /// particles and beams all degrees of freedom, those included that are held or prescribed.
  std::vector<double> q, v;
  std::vector<double> nodes;  ///< of a mesh or beam, reference positions [m]; empty: none

  std::size_t positions() const { return names.empty() ? 0 : q.size() / names.size(); }
  std::size_t velocities() const { return names.empty() ? 0 : v.size() / names.size(); }
};

struct WholeJoint {
  std::string name;
  std::vector<double> angles;  ///< its coordinates that are angles, over any number of turns [rad]
  bool broken = false;
};

struct WholeState {
  double t = 0.0;  ///< [s]
  std::vector<WholeBodies> bodies;
  std::vector<std::string> led{};  ///< bodies with prescribed motion, whose state is not known
  std::vector<WholeJoint> joints;
};

/// That of a simulation. Bodies with prescribed motion have no state of their own and are left out.
WholeState whole_state(const Simulation& sim);

/// How to_start() speaks about a state.
struct StartWords {
  std::string path;    ///< entry that faults name: "start.file"
  std::string source;  ///< "run.h5", "phase 'sag'"
  /// The caller also takes over which joints are broken; otherwise none may be.
  bool with_breaks = false;
};

/// The same model at t, with bodies of the same name at `state`; others keep their own start. Adds
/// warnings about bodies that one of the two lacks, and about held degrees of freedom that moved.
/// Throws SceneError: another kind, mesh or number of coordinates; a degree of freedom away from
/// where the scene holds it at t; an open or broken joint; motion along locked directions.
Model started(const Model& model, const WholeState& state, double t, const StartWords& words);

}  // namespace saltus

// Checks of built bodies against the rest of the scene: faults of schemes that do not support a
// body, and warnings about unsuitable steps, spin, damping, gravity and fields.
#pragma once
#include <span>
#include <string>

#include "saltus/kinds/build_body.h"

namespace saltus {

/// True if a contact names the body.
bool in_contacts(const SceneSpec& scene, const std::string& body);
/// True if a joint names the body.
bool in_joints(const SceneSpec& scene, const std::string& body);

/// Reads the groups and initial states of `parts`, and adds warnings to it.
class BodyChecks {
 public:
  /// bodies: the bodies of the scene, in its order.
  BodyChecks(const Scene& scene, std::span<const BuiltBody> bodies, ModelParts& parts)
      : spec_(scene.spec), bodies_(bodies), parts_(parts) {}

  /// Checks body `i`, whose group is complete. Throws SceneError if its scheme does not support it,
  /// or if its forces at t = 0 are not finite.
  void check(std::size_t i);
  /// Warns if the scene has gravity and bodies on which it does not act.
  void warn_of_gravity();
  /// Warns if fields of meshes are to be stored and there is no mesh.
  void warn_of_fields();
  /// Warns of dampers with time constants shorter than the step.
  void advise_dampers();

 private:
  /// The run has a fixed step, to which warnings can refer.
  bool steps() const {
    return parts_.options.mode == TimeMode::stepping && !(parts_.options.step_tolerance > 0.0);
  }
  void advise_spin(std::size_t i, const std::string& path);
  void advise_pluck(const BodySpec& body, const std::string& path);
  void advise_scheme(std::size_t i, const std::string& path);

  const SceneSpec& spec_;
  std::span<const BuiltBody> bodies_;
  ModelParts& parts_;
};

}  // namespace saltus

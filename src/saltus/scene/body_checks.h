// Bodies that are built against what else the scene asks of them: faults of schemes that cannot
// move them, and warnings about steps, spin, damping, gravity and fields that do not suit them.
#pragma once
#include <span>
#include <string>

#include "saltus/kinds/build_body.h"

namespace saltus {

/// A contact names the body.
bool in_contacts(const SceneSpec& scene, const std::string& body);
/// A joint names the body.
bool in_joints(const SceneSpec& scene, const std::string& body);

/// Reads the groups and initial states of `parts`, and adds its warnings.
class BodyChecks {
 public:
  /// bodies: of the scene, in its order.
  BodyChecks(const Scene& scene, std::span<const BuiltBody> bodies, ModelParts& parts)
      : spec_(scene.spec), bodies_(bodies), parts_(parts) {}

  /// Body `i`, whose group is complete. Throws SceneError: its scheme cannot move it, its forces at
  /// t = 0 are not finite.
  void check(std::size_t i);
  /// The scene has gravity, and bodies on which it does not act.
  void warn_of_gravity();
  /// Fields of meshes are to be stored, and there is no mesh.
  void warn_of_fields();
  /// Dampers that are faster than the step.
  void advise_dampers();

 private:
  /// A fixed step of which advice can speak.
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

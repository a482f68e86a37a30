// Shared by the builders of all kinds: loads, prescribed motions, states at t = 0, and look-up of
// degrees of freedom.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "saltus/bodies/pseudo_rigid.h"
#include "saltus/bodies/uniform_field.h"
#include "saltus/kinds/build_body.h"

namespace saltus {

// path: "bodies[0]" everywhere below.

/// Throws SceneError unless 0 <= number < count.
void expect_index(int number, int count, const std::string& path);
/// "allowed: 0 to 4".
std::string allowed_indices(int count);
/// "1 degree of freedom", "3 modes".
std::string counted(Eigen::Index count, std::string_view what);

/// The loads of a body of `dofs` degrees of freedom.
std::vector<Load> loads_of(const Scene& scene, const BodySpec& body, int dofs,
                           const std::string& path);
/// Its prescribed motions. Throws if a degree of freedom is prescribed twice, or if all are
/// prescribed.
std::vector<Prescribed> prescribed_of(const Scene& scene, const BodySpec& body, int dofs,
                                      const std::string& path);
/// The forces on a pseudo-rigid body whose mass centre is at `centre` in its frame.
std::vector<PseudoRigidLoad> pseudo_rigid_loads(const Scene& scene, const BodySpec& body,
                                                const Vector3& centre, const std::string& path);
/// A coordinate with prescribed motion. path: of the entry.
template <Dimension D>
Signal course_signal(const Scene& scene, const CourseSpec<D>& spec, const std::string& path);
/// The coupling that prescribes a coordinate as a function of time, plus rate times t if there is a
/// `rate`. path: "joints[0].turn.drive".
template <Dimension D>
void follow(const Scene& scene, const CourseSpec<D>& spec, const std::string& path,
            JointCoupling& coupling);
/// In the axes in which it is given. path: "bodies[0].rigid.shape.surface_velocity". Throws
/// SceneError if the velocity is zero.
RunningSurface running_surface(const Scene& scene, const SurfaceVelocitySpec& spec,
                               const std::string& path);
Rayleigh rayleigh_of(const BodySpec& body);
/// Gravity in time and acceleration of the ground. own_gravity: the body has its own gravity, so
/// that of the scene does not act on it.
UniformField field_of(const Scene& scene, bool own_gravity);

/// All degrees of freedom at t = 0, as given by the entry `initial`.
struct FullState {
  Vector q, v;
  std::string q_path, v_path;  ///< the entries they come from
  bool alike = false;  ///< v was given as one number: prescribed degrees of freedom may differ
};
FullState initial_of(const Scene& scene, const BodySpec& body, int dofs, std::string_view of_what,
                     const std::string& path);
/// The free part of the state. Values of prescribed degrees of freedom must be 0 or agree with
/// their motion.
GroupState free_part(const FullState& full, std::span<const Prescribed> prescribed);

/// The text of a UsageError without its source location.
std::string usage_text(const UsageError& error);
/// Returns make(), and turns a UsageError into a fault of the entry at `path`.
BuiltBody built_at(const std::string& path, const std::function<BuiltBody()>& make);

Vector3 to_vector3(const std::array<double, 3>& x);
/// x/|x|; SceneError for the zero vector.
Vector3 unit_vector(const std::array<double, 3>& x, const std::string& path);

}  // namespace saltus
